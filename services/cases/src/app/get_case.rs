//! A case with its messages.

use chassis::db::Db;
use chassis::id::MemberId;

use crate::domain::case::{Case, CaseId};
use crate::domain::file::File;
use crate::domain::message::Message;
use crate::error::Error;
use crate::store::{cases, files, messages};

/// A case, what was written in it, and the files by the numbers of their messages.
#[derive(Debug, Clone)]
pub struct Thread {
    pub case: Case,
    pub messages: Vec<Message>,
    pub files: Vec<(i32, File)>,
}

/// The case; for a member only their own.
///
/// # Errors
/// `CaseNotFound`.
pub async fn get_case(db: &Db, member: Option<MemberId>, id: CaseId) -> Result<Thread, Error> {
    let mut conn = db.conn().await?;
    let case = cases::get(&mut conn, id).await?.filter(|case| member.is_none_or(|member| case.user_id == member));
    let case = case.ok_or(Error::CaseNotFound)?;
    let messages = messages::list(&mut conn, id).await?;
    let files = files::of_case(&mut conn, id).await?;
    Ok(Thread { case, messages, files })
}
