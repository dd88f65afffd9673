//! A case with its messages.

use chassis::db::Db;
use uuid::Uuid;

use crate::domain::case::Case;
use crate::domain::message::Message;
use crate::error::Error;
use crate::store::{cases, messages};

/// The case; for a member only their own.
///
/// # Errors
/// `CaseNotFound`.
pub async fn get_case(db: &Db, member: Option<Uuid>, id: Uuid) -> Result<(Case, Vec<Message>), Error> {
    let mut conn = db.conn().await?;
    let case = cases::get(&mut conn, id).await?.filter(|case| member.is_none_or(|member| case.user_id == member));
    let case = case.ok_or(Error::CaseNotFound)?;
    let messages = messages::list(&mut conn, id).await?;
    Ok((case, messages))
}
