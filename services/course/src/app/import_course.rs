//! Publishes a course from files, as an operator does on the command line (D-C4).

use chassis::audit;
use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::id::StaffId;
use serde_json::json;

use crate::domain::course::Course;
use crate::domain::media::MediaId;
use crate::error::Error;
use crate::store::{media, versions};

/// The number of the new version, which members see from now on.
///
/// # Errors
/// `Unfit` with everything that cannot be published.
pub async fn import_course(db: &Db, course: &Course) -> Result<i32, Error> {
    let mut tx = db.begin().await?;
    versions::lock(&mut tx).await?;
    let number = publish(&mut tx, course).await?;
    tx.commit().await?;
    Ok(number)
}

/// Writes the version, its publication and the row of the audit log; the caller holds the lock.
pub(super) async fn publish(conn: &mut PgConnection, course: &Course) -> Result<i32, Error> {
    let media: Vec<MediaId> = course.media().collect();
    course.check(&media::ready(conn, &media).await?).map_err(Error::Unfit)?;
    let now = clock::now(conn).await?;
    let before = versions::published(conn).await?;
    let number = versions::insert(conn, course, StaffId::default(), now).await?;
    versions::publish(conn, number, StaffId::default(), now).await?;
    let after = json!({ "version": number, "before": before, "lessons": course.lessons().count() });
    audit::append_own(conn, "course.import", &number.to_string(), after).await?;
    Ok(number)
}
