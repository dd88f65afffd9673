//! A manager goes back to an older version, or forward again (D-C4).

use chassis::audit::{self, Act};
use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::idempotency::{self, Answer};
use chassis::staff_call::StaffCall;
use serde_json::json;

use crate::error::Error;
use crate::store::versions;

#[derive(Debug, Clone)]
pub struct RestoreVersion {
    pub call: StaffCall,
    pub number: i32,
    /// The version that the caller saw published.
    pub published: i32,
}

/// The number of the version, which members see from now on.
///
/// # Errors
/// `VersionNotFound`, `Stale` if another version was published meanwhile, `PublishedAlready`.
pub async fn restore_version(db: &Db, command: &RestoreVersion) -> Result<Answer<i32>, Error> {
    idempotency::once(db, command.call.claim.clone(), async |conn| restore(conn, command).await).await
}

async fn restore(conn: &mut PgConnection, command: &RestoreVersion) -> Result<i32, Error> {
    versions::lock(conn).await?;
    if !versions::exists(conn, command.number).await? {
        return Err(Error::VersionNotFound);
    }
    let before = versions::published(conn).await?;
    if before == Some(command.number) {
        return Err(Error::PublishedAlready);
    }
    if before != Some(command.published) {
        return Err(Error::Stale);
    }
    let now = clock::now(conn).await?;
    versions::publish(conn, command.number, command.call.staff.id, now).await?;
    let act = Act {
        staff: &command.call.staff,
        action: "course.restore",
        subject_id: command.number.to_string(),
        member_id: None,
        before: Some(json!({ "version": before })),
        after: Some(json!({ "version": command.number })),
        address: &command.call.address,
    };
    audit::append(conn, act).await?;
    Ok(command.number)
}
