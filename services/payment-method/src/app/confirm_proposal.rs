//! Puts a proposal into effect: a second treasurer confirms it.

use chassis::audit::{self, Act};
use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::idempotency::{Answer, Work};
use chassis::proposal::{self, DecideProposal, Proposal};
use serde_json::json;
use time::OffsetDateTime;

use crate::app::propose_platform_method::{ARCHIVE, Before, CREATE};
use crate::domain::method::{Fields, Method};
use crate::error::Error;
use crate::events::published::{self, Changed};
use crate::store::methods;

/// The confirmed proposal.
///
/// # Errors
/// `Refused` (not found, decided already, own proposal), `Stale`, the database's.
pub async fn confirm_proposal(db: &Db, command: &DecideProposal) -> Result<Answer<Proposal>, Error> {
    let mut work = Work::begin::<Error>(db, command.claim.clone()).await?;
    if let Some(answer) = work.replay::<_, Error>()? {
        return Ok(answer);
    }
    let result = confirm(&mut work, command).await;
    work.settle(result).await
}

async fn confirm(conn: &mut PgConnection, command: &DecideProposal) -> Result<Proposal, Error> {
    let (id, staff) = (command.id, &command.staff);
    let now = clock::now(conn).await?;
    let proposal = proposal::decide::<Error>(conn, id, command.decision, staff.user_id).await?;
    let (method, changed) = take_effect(conn, &proposal, now).await?;
    let confirmed = proposal::name_subject(conn, id, method.id).await?;
    published::platform_method_changed(conn, &method, changed, &confirmed).await?;
    let act = Act {
        staff,
        action: "payment_method.confirm",
        subject_id: method.id.to_string(),
        member_id: None,
        before: confirmed.before.clone(),
        after: Some(
            json!({ "proposalId": id, "kind": confirmed.kind, "version": method.version, "change": confirmed.change }),
        ),
        address: &command.client_address,
    };
    audit::append(conn, act).await?;
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
