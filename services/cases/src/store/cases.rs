//! The table `cases`.

use chassis::db::PgConnection;
use chassis::id::{MemberId, UserId};
use chassis::page::Page;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::case::{Case, CaseId, Filter, Place, State, Subject, SubjectKind, Topic};
use crate::domain::message::Party;

/// The cases that a clause finds.
macro_rules! select {
    ($clause:literal $(, $value:expr)* $(,)?) => {
        sqlx::query!(
            r#"SELECT id, number, user_id, topic AS "topic: Topic", subject_kind AS "subject_kind: SubjectKind",
                subject_reference, state AS "state: State", owner_id, assigned_by, answer_due_at, first_answered_at,
                complaint_at, complaint_due_at, closed_at, closed_by AS "closed_by: Party", messages, created_at, updated_at
            FROM cases "# + $clause
            $(, $value)*
        )
        .map(|row| Case {
            id: row.id.into(),
            number: row.number,
            user_id: row.user_id.into(),
            topic: row.topic,
            subject: row.subject_kind.map(|kind| Subject { kind, reference: row.subject_reference }),
            state: row.state,
            owner_id: row.owner_id.map(Into::into),
            assigned_by: row.assigned_by.map(Into::into),
            answer_due_at: row.answer_due_at,
            first_answered_at: row.first_answered_at,
            complaint_at: row.complaint_at,
            complaint_due_at: row.complaint_due_at,
            closed_at: row.closed_at,
            closed_by: row.closed_by,
            messages: row.messages,
            created_at: row.created_at,
            updated_at: row.updated_at,
        })
    };
}

/// Makes requests of a member wait for each other until the transaction ends.
pub async fn lock_member(conn: &mut PgConnection, user_id: MemberId) -> Result<(), sqlx::Error> {
    sqlx::query!("SELECT FROM pg_advisory_xact_lock(hashtext('cases'), hashtext($1::uuid::text))", user_id.get())
        .execute(conn)
        .await?;
    Ok(())
}

/// Cases of a member that are not closed.
pub async fn count_open(conn: &mut PgConnection, user_id: MemberId) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT count(*) AS "cases!" FROM cases WHERE user_id = $1 AND state <> 'closed'"#,
        user_id.get()
    )
    .fetch_one(conn)
    .await
}

/// Cases that staff owe something since a time.
pub async fn count_overdue(conn: &mut PgConnection) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(r#"SELECT count(*) AS "cases!" FROM cases WHERE due_at < now()"#).fetch_one(conn).await
}

/// Writes a case, whose number the database gives.
pub async fn insert(conn: &mut PgConnection, case: &Case) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        "INSERT INTO cases (id, user_id, topic, subject_kind, subject_reference, state, answer_due_at, complaint_at,
            complaint_due_at, messages, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) RETURNING number",
        case.id.get(),
        case.user_id.get(),
        case.topic as Topic,
        case.subject.as_ref().map(|subject| subject.kind) as Option<SubjectKind>,
        case.subject.as_ref().map_or("", |subject| subject.reference.as_str()),
        case.state as State,
        case.answer_due_at,
        case.complaint_at,
        case.complaint_due_at,
        case.messages,
        case.created_at,
        case.updated_at
    )
    .fetch_one(conn)
    .await
}

pub async fn get(conn: &mut PgConnection, id: CaseId) -> Result<Option<Case>, sqlx::Error> {
    select!("WHERE id = $1", id.get()).fetch_optional(conn).await
}

/// A case, locked until the transaction ends.
pub async fn lock(conn: &mut PgConnection, id: CaseId) -> Result<Option<Case>, sqlx::Error> {
    select!("WHERE id = $1 FOR UPDATE", id.get()).fetch_optional(conn).await
}

/// Stores what changes of a case.
pub async fn update(conn: &mut PgConnection, case: &Case) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE cases SET state = $2, owner_id = $3, answer_due_at = $4, first_answered_at = $5, complaint_at = $6,
            complaint_due_at = $7, closed_at = $8, closed_by = $9, messages = $10, updated_at = $11, assigned_by = $12
         WHERE id = $1",
        case.id.get(),
        case.state as State,
        case.owner_id as _,
        case.answer_due_at,
        case.first_answered_at,
        case.complaint_at,
        case.complaint_due_at,
        case.closed_at,
        case.closed_by as Option<Party>,
        case.messages,
        case.updated_at,
        case.assigned_by as _
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The rows of a page; `staff` is who asks for their own.
pub async fn list(
    conn: &mut PgConnection,
    filter: Filter,
    staff: UserId,
    page: &Page<Place>,
    now: OffsetDateTime,
) -> Result<Vec<Case>, sqlx::Error> {
    let limit = page.limit();
    let first = page.after.unwrap_or(Place { at: OffsetDateTime::UNIX_EPOCH, id: CaseId::default() });
    let last = page.after.unwrap_or(Place { at: now + time::Duration::DAY, id: Uuid::max().into() });
    match filter {
        Filter::Open => {
            select!(
                "WHERE state = 'open' AND (created_at, id) > ($1, $2) ORDER BY created_at, id LIMIT $3",
                first.at,
                first.id.get(),
                limit
            )
            .fetch_all(conn)
            .await
        }
        Filter::Mine => {
            select!(
                "WHERE owner_id = $4 AND state <> 'closed' AND (created_at, id) > ($1, $2)
                 ORDER BY created_at, id LIMIT $3",
                first.at,
                first.id.get(),
                limit,
                staff.get()
            )
            .fetch_all(conn)
            .await
        }
        Filter::Unowned => {
            select!(
                "WHERE owner_id IS NULL AND state <> 'closed' AND (created_at, id) > ($1, $2)
                 ORDER BY created_at, id LIMIT $3",
                first.at,
                first.id.get(),
                limit
            )
            .fetch_all(conn)
            .await
        }
        Filter::Complaints => {
            select!(
                "WHERE complaint_at IS NOT NULL AND (complaint_at, id) < ($1, $2)
                 ORDER BY complaint_at DESC, id DESC LIMIT $3",
                last.at,
                last.id.get(),
                limit
            )
            .fetch_all(conn)
            .await
        }
        Filter::Due => {
            select!(
                "WHERE due_at < $4 AND (due_at, id) > ($1, $2) ORDER BY due_at, id LIMIT $3",
                first.at,
                first.id.get(),
                limit,
                now
            )
            .fetch_all(conn)
            .await
        }
        Filter::Member(user_id) => {
            select!(
                "WHERE user_id = $4 AND (created_at, id) < ($1, $2) ORDER BY created_at DESC, id DESC LIMIT $3",
                last.at,
                last.id.get(),
                limit,
                user_id.get()
            )
            .fetch_all(conn)
            .await
        }
    }
}

/// Forgets those of these members, except complaints.
pub async fn forget(conn: &mut PgConnection, members: &[MemberId]) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "DELETE FROM case_files WHERE case_id IN (
            SELECT id FROM cases WHERE user_id = ANY ($1) AND complaint_at IS NULL)",
        members as _
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "DELETE FROM case_messages WHERE case_id IN (
            SELECT id FROM cases WHERE user_id = ANY ($1) AND complaint_at IS NULL)",
        members as _
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!("DELETE FROM cases WHERE user_id = ANY ($1) AND complaint_at IS NULL", members as _)
        .execute(conn)
        .await?;
    Ok(())
}
