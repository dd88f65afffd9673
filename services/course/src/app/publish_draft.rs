//! A manager publishes the draft as a new version (D-C4).

use chassis::audit::{self, Act};
use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::idempotency::{self, Answer};
use chassis::staff_call::StaffCall;
use serde_json::json;

use crate::domain::draft::Draft;
use crate::domain::media::MediaId;
use crate::error::Error;
use crate::store::{drafts, media, versions};

#[derive(Debug, Clone)]
pub struct PublishDraft {
    pub call: StaffCall,
    /// Of the draft that the caller has seen.
    pub revision: i32,
    /// The version that the caller saw published, with which the draft was compared.
    pub published: i32,
}

/// The number of the new version, which members see from now on.
///
/// # Errors
/// `NoDraft`, `Stale` if the draft was changed after the caller read it or another version was published,
/// `Unfit` with everything that cannot be published.
pub async fn publish_draft(db: &Db, command: &PublishDraft) -> Result<Answer<i32>, Error> {
    idempotency::once(db, command.call.claim.clone(), async |conn| publish(conn, command).await).await
}

async fn publish(conn: &mut PgConnection, command: &PublishDraft) -> Result<i32, Error> {
    versions::lock(conn).await?;
    let draft = drafts::get(conn).await?.ok_or(Error::NoDraft)?;
    let course = draft.course.as_ref().ok_or(Error::NoDraft)?;
    let before = versions::published(conn).await?;
    if draft.revision != command.revision || before != Some(command.published) {
        return Err(Error::Stale);
    }
    let media: Vec<MediaId> = course.media().collect();
    course.check(&media::ready(conn, &media).await?).map_err(Error::Unfit)?;
    let (now, by) = (clock::now(conn).await?, command.call.staff.id);
    let number = versions::insert(conn, course, by, now).await?;
    versions::publish(conn, number, by, now).await?;
    let act = Act {
        staff: &command.call.staff,
        action: "course.publish",
        subject_id: number.to_string(),
        member_id: None,
        before: Some(json!({ "version": before })),
        after: Some(json!({ "version": number, "lessons": course.lessons().count() })),
        address: &command.call.address,
    };
    audit::append(conn, act).await?;
    let revision = draft.revision + 1;
    drafts::put(conn, &Draft { revision, course: None, changed_by: by, changed_at: now }).await?;
    Ok(number)
}
