//! Staff answer a member.

use chassis::audit::{self, Act};
use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::idempotency::{self, Answer};
use chassis::staff_call::StaffCall;
use serde_json::json;
use time::Duration;

use crate::domain::case::CaseId;
use crate::domain::message::{Party, Text};
use crate::error::Error;
use crate::events::published;
use crate::store::{cases, messages};

#[derive(Debug, Clone)]
pub struct AnswerCase {
    pub call: StaffCall,
    pub id: CaseId,
    pub text: Text,
    /// How many messages the case had when the caller read it.
    pub seen: i32,
}

/// The id of the case, once a key.
///
/// # Errors
/// `CaseNotFound`, `CaseClosed`, `CaseFull`, `Stale`.
pub async fn answer_case(db: &Db, command: &AnswerCase) -> Result<Answer<CaseId>, Error> {
    idempotency::once(db, command.call.claim.clone(), async |conn| answer(conn, command).await).await
}

async fn answer(conn: &mut PgConnection, command: &AnswerCase) -> Result<CaseId, Error> {
    let staff = &command.call.staff;
    let mut case = cases::lock(conn, command.id).await?.ok_or(Error::CaseNotFound)?;
    case.check_open()?;
    if case.messages != command.seen {
        return Err(Error::Stale);
    }
    let now = clock::now(conn).await?;
    case.write(Party::Staff, Duration::ZERO, now)?;
    case.owner_id = case.owner_id.or(Some(staff.id));
    messages::insert(conn, (case.id, case.messages), (Party::Staff, staff.id.into()), &command.text, now).await?;
    cases::update(conn, &case).await?;
    let act = Act {
        staff,
        action: "case.answer",
        subject_id: case.id.to_string(),
        member_id: Some(case.user_id),
        before: None,
        after: Some(json!({ "message": case.messages })),
        address: &command.call.address,
    };
    audit::append(conn, act).await?;
    published::answered(conn, &case).await?;
    Ok(case.id)
}
