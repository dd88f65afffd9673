//! The risk page that a member answers before the first investment: that it was read and understood is kept.

use chassis::clock;
use chassis::db::Db;
use chassis::error::Refusal;
use chassis::id::MemberId;
use time::OffsetDateTime;

use crate::error::Error;
use crate::store::risk_answers;

/// Counts up when the page says something new: members then answer again before their next investment.
pub const VERSION: i32 = 1;

/// When the member answered the current version; unset if not yet.
pub async fn find_risk_answer(db: &Db, user_id: MemberId) -> Result<Option<OffsetDateTime>, Error> {
    risk_answers::find(&mut *db.conn().await?, user_id, VERSION).await
}

/// Keeps the answer and returns when it was first given, so that a repetition changes nothing.
///
/// # Errors
/// Invalid for another version than the current one.
pub async fn answer_risk(db: &Db, user_id: MemberId, version: i32) -> Result<OffsetDateTime, Error> {
    if version != VERSION {
        return Err(Refusal::field("version", "This page has changed. Please read the current one.").into());
    }
    let mut tx = db.begin().await?;
    let now = clock::now(&mut tx).await?;
    risk_answers::insert(&mut tx, user_id, version, now).await?;
    let answered_at = risk_answers::find(&mut tx, user_id, version).await?.unwrap_or(now);
    tx.commit().await?;
    Ok(answered_at)
}
