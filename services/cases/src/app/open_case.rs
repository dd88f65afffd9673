//! A member opens a case (D-M8).

use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::id::MemberId;
use chassis::idempotency::{self, Answer, Claim};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::domain::case::{Case, CaseId, MOST_MESSAGES_AN_HOUR, MOST_OPEN, State, Subject, Topic};
use crate::domain::file::{self, File};
use crate::domain::message::{Party, Text};
use crate::error::Error;
use crate::events::published;
use crate::store::{cases, files, messages};

#[derive(Debug, Clone)]
pub struct OpenCase {
    pub user_id: MemberId,
    pub topic: Topic,
    pub subject: Option<Subject>,
    pub is_complaint: bool,
    pub text: Text,
    pub file: Option<File>,
    pub claim: Option<Claim>,
}

/// The id of the new case, once a key.
///
/// # Errors
/// `TooManyCases`, `TooManyMessages`, `FilesFull`.
pub async fn open_case(db: &Db, command: &OpenCase, answer_time: Duration) -> Result<Answer<CaseId>, Error> {
    idempotency::once(db, command.claim.clone(), async |conn| open(conn, command, answer_time).await).await
}

async fn open(conn: &mut PgConnection, command: &OpenCase, answer_time: Duration) -> Result<CaseId, Error> {
    cases::lock_member(conn, command.user_id).await?;
    let now = clock::now(conn).await?;
    if cases::count_open(conn, command.user_id).await? >= MOST_OPEN {
        return Err(Error::TooManyCases);
    }
    check_rate(conn, command.user_id, now).await?;
    let mut case = Case {
        id: Uuid::now_v7().into(),
        number: 0,
        user_id: command.user_id,
        topic: command.topic,
        subject: command.subject.clone(),
        state: State::Open,
        owner_id: None,
        assigned_by: None,
        answer_due_at: Some(now + answer_time),
        first_answered_at: None,
        complaint_at: None,
        complaint_due_at: None,
        closed_at: None,
        closed_by: None,
        messages: 1,
        created_at: now,
        updated_at: now,
    };
    if command.is_complaint {
        case.register_complaint(now);
    }
    case.number = cases::insert(conn, &case).await?;
    messages::insert(conn, (case.id, 1), (Party::Member, case.user_id.into()), &command.text, now).await?;
    add_file(conn, &case, command.file.as_ref()).await?;
    published::opened(conn, &case).await?;
    Ok(case.id)
}

/// A member writes so much within an hour; the caller holds the member's lock.
pub(super) async fn check_rate(conn: &mut PgConnection, user_id: MemberId, now: OffsetDateTime) -> Result<(), Error> {
    if messages::count_of_hour(conn, user_id, now).await? >= MOST_MESSAGES_AN_HOUR {
        return Err(Error::TooManyMessages);
    }
    Ok(())
}

/// Adds a file to the newest message of the case, which names a place in the store that is written afterwards; the caller holds
/// the member's lock.
pub(super) async fn add_file(conn: &mut PgConnection, case: &Case, file: Option<&File>) -> Result<(), Error> {
    let Some(file) = file else { return Ok(()) };
    if files::bytes_of(conn, case.user_id).await?.saturating_add(file.bytes) > file::MOST_BYTES {
        return Err(Error::FilesFull);
    }
    Ok(files::insert(conn, (case.id, case.messages), file).await?)
}
