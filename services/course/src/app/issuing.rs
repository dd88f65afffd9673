//! A step of several use cases: issuing a certificate, in their transaction.

use chassis::clock;
use chassis::db::PgConnection;
use chassis::id::MemberId;
use uuid::Uuid;

use crate::domain::certificate::{Certificate, is_earned};
use crate::error::Error;
use crate::store::versions::{self, Texts};
use crate::store::{certificates, progress};

/// The certificate of a member who has bought the course, issued to this name if there is none; `None` unless all lessons of
/// the published version are done. The caller holds the lock of the member's progress.
///
/// # Errors
/// `NotPublished`.
pub async fn certificate(
    conn: &mut PgConnection,
    user_id: MemberId,
    holder_name: Option<String>,
) -> Result<Option<Certificate>, Error> {
    if let Some(certificate) = certificates::of_member(&mut *conn, user_id).await? {
        return Ok(Some(certificate));
    }
    let version = versions::published(&mut *conn).await?.ok_or(Error::NotPublished)?;
    let course = versions::load(&mut *conn, version, Texts::LeftOut).await?.ok_or(Error::NotPublished)?;
    if !is_earned(&course, &progress::list(&mut *conn, user_id).await?) {
        return Ok(None);
    }
    let certificate = Certificate {
        number: Uuid::new_v4(),
        user_id,
        holder_name,
        course_title: course.title,
        issued_at: clock::now(&mut *conn).await?,
    };
    certificates::insert(conn, &certificate).await?;
    Ok(Some(certificate))
}
