//! Puts a proposal into effect: a second treasurer confirms it.

use chassis::audit::{self, Act};
use chassis::caller::Staff;
use chassis::clock;
use chassis::db::Db;
use chassis::proposal::{self, Decision, Proposal};
use serde_json::json;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::app::propose_platform_method::{ARCHIVE, Before, CREATE};
use crate::domain::method::{Fields, Method};
use crate::error::Error;
use crate::events::published::{self, Changed};
use crate::store::methods;

/// The confirmed proposal.
///
/// # Errors
/// `Refused` (not found, decided already, own proposal), `Stale`, the database's.
pub async fn confirm_proposal(db: &Db, staff: &Staff, id: Uuid, address: &str) -> Result<Proposal, Error> {
    let mut tx = db.begin().await?;
    let now = clock::now(&mut tx).await?;
    let proposal = proposal::decide::<Error>(&mut tx, id, Decision::Confirm, staff.user_id).await?;
    let (method, changed) = take_effect(&mut tx, &proposal, now).await?;
    let confirmed = proposal::name_subject(&mut tx, id, method.id).await?;
    published::platform_method_changed(&mut tx, &method, changed, &confirmed).await?;
    let act = Act {
        staff,
        action: "payment_method.confirm",
        subject_id: method.id.to_string(),
        member_id: None,
        before: confirmed.before.clone(),
        after: Some(
            json!({ "proposalId": id, "kind": confirmed.kind, "version": method.version, "change": confirmed.change }),
        ),
        address,
    };
    audit::append(&mut tx, act).await?;
    tx.commit().await?;
    Ok(confirmed)
}

async fn take_effect(
    conn: &mut PgConnection,
    proposal: &Proposal,
    now: OffsetDateTime,
) -> Result<(Method, Changed), Error> {
    if proposal.kind == CREATE {
        let fields = serde_json::from_value(proposal.change.clone())?;
        return Ok((methods::insert(conn, None, fields, now).await?, Changed::Created));
    }
    let current = current(conn, proposal).await?;
    if proposal.kind == ARCHIVE {
        methods::archive(conn, current.id, now).await?;
        return Ok((current, Changed::Archived));
    }
    let fields: Fields = serde_json::from_value(proposal.change.clone())?;
    Ok((methods::change(conn, &current, fields, now).await?, Changed::Updated))
}

/// The method as it was when the change was proposed: whoever confirms must have seen what is replaced.
async fn current(conn: &mut PgConnection, proposal: &Proposal) -> Result<Method, Error> {
    let before: Before = serde_json::from_value(proposal.before.clone().unwrap_or_default())?;
    let subject = proposal.subject_id.ok_or(Error::Stale)?;
    let (method, _) = methods::lock(conn, subject).await?.ok_or(Error::Stale)?;
    if method.version == before.version { Ok(method) } else { Err(Error::Stale) }
}
