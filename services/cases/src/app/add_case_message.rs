//! A member writes in a case of their own.

use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::id::MemberId;
use chassis::idempotency::{self, Answer, Claim};
use time::Duration;

use super::open_case::{add_file, check_rate};
use crate::domain::case::CaseId;
use crate::domain::file::File;
use crate::domain::message::{Party, Text};
use crate::error::Error;
use crate::store::{cases, messages};

#[derive(Debug, Clone)]
pub struct AddCaseMessage {
    pub user_id: MemberId,
    pub id: CaseId,
    pub text: Text,
    pub file: Option<File>,
    pub claim: Option<Claim>,
}

/// The id of the case, once a key.
///
/// # Errors
/// `CaseNotFound`, `CaseClosed`, `CaseFull`, `TooManyMessages`, `FilesFull`.
pub async fn add_case_message(
    db: &Db,
    command: &AddCaseMessage,
    answer_time: Duration,
) -> Result<Answer<CaseId>, Error> {
    idempotency::once(db, command.claim.clone(), async |conn| add(conn, command, answer_time).await).await
}

async fn add(conn: &mut PgConnection, command: &AddCaseMessage, answer_time: Duration) -> Result<CaseId, Error> {
    cases::lock_member(conn, command.user_id).await?;
    let case = cases::lock(conn, command.id).await?.filter(|case| case.user_id == command.user_id);
    let mut case = case.ok_or(Error::CaseNotFound)?;
    let now = clock::now(conn).await?;
    case.write(Party::Member, answer_time, now)?;
    check_rate(conn, command.user_id, now).await?;
    messages::insert(conn, (case.id, case.messages), (Party::Member, command.user_id.into()), &command.text, now)
        .await?;
    add_file(conn, &case, command.file.as_ref()).await?;
    cases::update(conn, &case).await?;
    Ok(case.id)
}
