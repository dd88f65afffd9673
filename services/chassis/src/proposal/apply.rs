//! The decision of a proposal in one transaction, with its signature and its effect.

use proto::common::v1::ErrorReason;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{DecideProposal, Decision, Proposal, decide, find};
use crate::audit::{self, Act};
use crate::db::{Db, PgConnection};
use crate::decision::{Proposer, Signed};
use crate::id::MemberId;
use crate::idempotency::{Answer, Keyed, Work};
use crate::permission::Permission;

/// What the proposals of a service do once they are confirmed.
pub trait Apply: Sync {
    /// The errors of the service.
    type Error: Keyed;

    /// Puts a confirmed proposal into effect, in the transaction of the decision. Returns it with the id of what it made.
    fn apply(
        &self,
        conn: &mut PgConnection,
        proposal: Proposal,
    ) -> impl Future<Output = Result<Proposal, Self::Error>> + Send;

    /// The member whom a proposal concerns, for the audit log.
    fn member_of(&self, _proposal: &Proposal) -> Option<MemberId> {
        None
    }
}

/// Decides an open proposal in one transaction: a confirmed one takes effect, and the audit log records the decision with
/// its signature.
///
/// # Errors
/// Those of [`sign`], [`decide`] and [`Apply::apply`].
pub async fn decide_and_apply<A: Apply>(
    db: &Db,
    command: &DecideProposal,
    service: &A,
) -> Result<Answer<Proposal>, A::Error> {
    let signed = sign::<A::Error>(db, command).await?;
    let mut work = Work::begin::<A::Error>(db, command.call.claim.clone()).await?;
    if let Some(answer) = work.replay::<Proposal, A::Error>()? {
        return Ok(answer);
    }
    let result = decide_signed(&mut work, command, signed.as_ref(), service).await;
    work.settle(result).await
}

async fn decide_signed<A: Apply>(
    conn: &mut PgConnection,
    command: &DecideProposal,
    signed: Option<&Signed>,
    service: &A,
) -> Result<Proposal, A::Error> {
    let (decided, signed) = decide::<A::Error>(conn, command, signed).await?;
    let decided = match command.decision {
        Decision::Confirm => service.apply(conn, decided).await?,
        Decision::Reject => decided,
    };
    record(conn, command, signed, (&decided, service.member_of(&decided))).await?;
    Ok(decided)
}

/// Has auth sign the decision about an open proposal, before the transaction; `None` where [`decide`] refuses anyway, or the
/// key has its answer. A proposal whose proposer is no longer permitted to make it is rejected, and the refusal is the
/// answer under the key.
///
/// # Errors
/// Forbidden, Conflict (`PROPOSER_NOT_PERMITTED`), Unavailable if auth cannot sign.
pub async fn sign<E: Keyed>(db: &Db, command: &DecideProposal) -> Result<Option<Signed>, E> {
    let found = find(&mut *db.conn().await?, command.id).await?.filter(|one| one.status == "open");
    let Some(proposal) = found else { return Ok(None) };
    let confirms = command.decision == Decision::Confirm;
    if confirms && proposal.proposed_by == command.call.staff.id {
        return Ok(None);
    }
    let permission = Permission::to_propose(&proposal.kind);
    let proposer = confirms.then_some(Proposer { id: proposal.proposed_by, permission });
    match command.call.staff.sign(proposal.decided(command.decision), proposer).await {
        Ok(signed) => Ok(Some(signed)),
        Err(refusal) if refusal.reason() == ErrorReason::ProposerNotPermitted => {
            drop_proposal(db, &proposal).await?;
            let mut work = Work::begin::<E>(db, command.call.claim.clone()).await?;
            if work.replay::<Value, E>()?.is_none() {
                work.settle::<(), E>(Err(E::from(refusal))).await?;
            }
            Ok(None)
        }
        Err(refusal) => Err(E::from(refusal)),
    }
}

/// Rejects an open proposal in the name of the service.
async fn drop_proposal(db: &Db, proposal: &Proposal) -> Result<(), sqlx::Error> {
    let mut tx = db.begin().await?;
    let ended = sqlx::query!(
        "UPDATE proposals SET status = 'rejected', decided_by = $2, decided_at = clock_timestamp()
         WHERE id = $1 AND status = 'open'",
        proposal.id.get(),
        Uuid::nil()
    )
    .execute(&mut *tx)
    .await?;
    if ended.rows_affected() == 1 {
        let after =
            json!({ "status": "rejected", "proposedBy": proposal.proposed_by, "cause": "PROPOSER_NOT_PERMITTED" });
        audit::append_own(&mut tx, &format!("{}.drop", proposal.kind), &proposal.id.to_string(), after).await?;
    }
    tx.commit().await
}

/// Writes the decision to the audit log; `member_id` is the member whom the proposal concerns.
async fn record(
    conn: &mut PgConnection,
    command: &DecideProposal,
    signed: &Signed,
    (proposal, member_id): (&Proposal, Option<MemberId>),
) -> Result<(), sqlx::Error> {
    let act = Act {
        staff: &command.call.staff,
        action: &format!("{}.{}", proposal.kind, command.decision.verb()),
        subject_id: proposal.id.to_string(),
        member_id,
        before: proposal.before.clone(),
        after: Some(json!({
            "status": proposal.status,
            "subjectId": proposal.subject_id,
            "change": proposal.change,
            "proposedBy": proposal.proposed_by,
        })),
        address: &command.call.address,
    };
    audit::append_signed(conn, act, signed).await
}
