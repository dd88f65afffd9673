//! The events of this service, as `solvane/cases/v1/events.proto` describes them. None has what was written.

use chassis::clock;
use chassis::db::PgConnection;
use chassis::outbox;
use proto::cases::v1::{CaseAnswered, CaseClosed, CaseFacts, CaseOpened, ComplaintRegistered};

use crate::domain::case::Case;

fn facts(case: &Case) -> Option<CaseFacts> {
    Some(CaseFacts {
        case_id: case.id.to_string(),
        number: case.number,
        user_id: case.user_id.to_string(),
        answer_due_at: case.answer_due_at.map(clock::to_proto),
        complaint_due_at: case.complaint_due_at.map(clock::to_proto),
    })
}

/// Mailed to the member.
pub async fn opened(conn: &mut PgConnection, case: &Case) -> Result<(), sqlx::Error> {
    outbox::enqueue(conn, "cases.v1.opened", case.id, &CaseOpened { case: facts(case) }).await
}

/// Mailed to the member.
pub async fn answered(conn: &mut PgConnection, case: &Case) -> Result<(), sqlx::Error> {
    outbox::enqueue(conn, "cases.v1.answered", case.id, &CaseAnswered { case: facts(case) }).await
}

/// Mailed to the member.
pub async fn closed(conn: &mut PgConnection, case: &Case) -> Result<(), sqlx::Error> {
    outbox::enqueue(conn, "cases.v1.closed", case.id, &CaseClosed { case: facts(case) }).await
}

/// Mailed to the member.
pub async fn complaint_registered(conn: &mut PgConnection, case: &Case) -> Result<(), sqlx::Error> {
    outbox::enqueue(conn, "cases.v1.complaint_registered", case.id, &ComplaintRegistered { case: facts(case) }).await
}
