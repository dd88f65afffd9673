//! What the checklists of all open transactions come to, so that the queue says which one is worth a look.

use chassis::id::{StaffId, TransactionId};
use std::collections::HashMap;
use std::time::Duration;

use chassis::clock;
use chassis::error::Refusal;
use chassis::grpc::Reply;
use chassis::identity::Staff;
use chassis::permission::Permission;
use futures::StreamExt;
use proto::common::v1::{ChainEvidence, ChainPayment};
use proto::wallet::v1::{Blocker, Check, ListVerdictsRequest, ListVerdictsResponse, ProvenBy, Verdict};
use time::OffsetDateTime;
use tokio::sync::OnceCell;
use tokio::time::{Instant, timeout_at};
use tonic::{Request, Response};

use crate::app::deposit::match_payments::match_payments;
use crate::app::review::find_blockers::{blockers_of, find_blockers, is_hash_used};
use crate::app::review::get_review::get_review;
use crate::clients::Look;
use crate::domain::observed_payment::ObservedPayment;
use crate::domain::transaction::{Kind, MethodCopy, Status, Transaction};
use crate::domain::txid::Txid;
use crate::error::Error;
use crate::grpc::GrpcServer;
use crate::grpc::evidence::unobserved;
use crate::grpc::router::Router;
use crate::grpc::verdict_cache::MOST;
use crate::store::{claims, transactions};

/// How old a verdict may be; in a long queue older, so that no more than five checklists a second are made.
const FRESH: Duration = Duration::from_secs(20);
/// How much older for each open transaction.
const EACH: Duration = Duration::from_millis(200);
/// How long a call looks. What is left is looked at by the next one.
const PATIENCE: Duration = Duration::from_millis(2_500);
/// Checklists that are made at once: decisions need connections of the database, too.
const AT_ONCE: usize = 4;
/// Payments that are offered for an open transaction.
const CANDIDATES: usize = 5;
/// The states of a payment, the least certain first.
const STATES: [&str; 6] = ["failed", "replaced", "orphaned", "seen", "included", "final"];

impl Router {
    /// StaffService's: each checklist is made in the bucket of its transaction.
    pub(super) async fn list_verdicts(&self, request: Request<ListVerdictsRequest>) -> Reply<ListVerdictsResponse> {
        let staff = self.verifier.staff(request.metadata(), Permission::See).await?;
        Ok(Response::new(self.verdicts(&staff).await?))
    }

    /// The verdicts of open transactions: those that are missing or old are made, the oldest first, as long as there is time.
    async fn verdicts(&self, staff: &Staff) -> Result<ListVerdictsResponse, Error> {
        let deadline = Instant::now() + PATIENCE;
        let mut conn = self.db.conn().await?;
        let now = clock::now(&mut conn).await?;
        let waiting = transactions::waiting(&mut conn, MOST).await?;
        let holders = claims::holders(&mut conn, MOST).await?;
        drop(conn);
        self.refresh(&waiting, deadline).await?;
        let mut verdicts = Vec::new();
        for one in &waiting {
            let Some((mut verdict, _)) = self.verdicts.0.get(&one.id).await else { continue };
            if verdict.revision != one.revision {
                continue;
            }
            verdict.blockers.extend(told(one, blockers_of(one, staff.id, now)));
            verdict.claimed_by = holders.get(&one.id).map(StaffId::to_string).unwrap_or_default();
            verdicts.push(verdict);
        }
        Ok(ListVerdictsResponse { complete: verdicts.len() == waiting.len(), verdicts })
    }

    async fn refresh(&self, waiting: &[Transaction], deadline: Instant) -> Result<(), Error> {
        let fresh = fresh(waiting.len());
        let mut due = Vec::new();
        for one in waiting {
            match self.verdicts.0.get(&one.id).await {
                Some((verdict, at)) if verdict.revision == one.revision && at.elapsed() < fresh => {}
                known => due.push((known.map(|(_, at)| at), one)),
            }
        }
        due.sort_by_key(|(at, _)| *at);
        // Asked for with the first payment of a member by each method: before all of them, a long queue would get no verdict.
        let of = |one: &Transaction| Some((one.as_payment()?.method.id, one.user_id));
        let methods: HashMap<_, _> = due.iter().filter_map(|(_, one)| Some((of(one)?, OnceCell::new()))).collect();
        let mut asked = Vec::new();
        for (_, one) in due {
            asked.push(self.of_member(one.user_id).await?.verdict(one, of(one).and_then(|of| methods.get(&of))));
        }
        let mut made = futures::stream::iter(asked).buffer_unordered(AT_ONCE);
        while let Ok(Some(verdict)) = timeout_at(deadline, made.next()).await {
            match verdict {
                Ok((id, verdict)) => self.verdicts.0.insert(id, (verdict, Instant::now())).await,
                Err(error) => tracing::warn!(%error, "a checklist could not be made"),
            }
        }
        Ok(())
    }
}

impl GrpcServer {
    async fn verdict(
        &self,
        one: &Transaction,
        method: Option<&OnceCell<Option<MethodCopy>>>,
    ) -> Result<(TransactionId, Verdict), Error> {
        let current = match method {
            Some(method) => method.get_or_init(|| self.current_method(one)).await.clone(),
            None => None,
        };
        let member = self.payout_state(one).await.ok();
        let evidence = self.evidence_by(one, None, Look::AtObserved).await.ok().flatten();
        let unknown = unobserved(one).filter(|_| evidence.is_none());
        let mut blockers = self.common_blockers(one, member.as_ref()).await?;
        blockers.extend(self.hash_blocker(one, None, evidence.as_ref()).await?);
        let review = get_review(&self.db, (&self.limits, self.verifier.keys()), one.clone(), (current, member)).await?;
        let of_chain = evidence.iter().flat_map(|evidence| evidence.checks.iter().map(|check| check.state == "ok"));
        let own = review.checks.into_iter().map(Check::from).chain(unknown).map(|check| check.ok);
        let passed: Vec<bool> = own.chain(of_chain).collect();
        let is_clear = passed.iter().all(|ok| *ok);
        let count = |number: usize| i32::try_from(number).unwrap_or(i32::MAX);
        let one = &review.transaction;
        let verdict = Verdict {
            transaction_id: one.id.to_string(),
            revision: one.revision,
            at: Some(clock::to_proto(OffsetDateTime::now_utc())),
            checks: count(passed.len()),
            concerns: count(passed.iter().filter(|ok| !**ok).count()),
            chain_state: chain_state(evidence.as_ref()).to_owned(),
            blockers,
            proven_by: evidence.filter(|_| is_clear).and_then(|evidence| proven_by(one, evidence)),
            claimed_by: String::new(),
        };
        Ok((one.id, verdict))
    }

    /// Why nobody can approve or pay a transaction now.
    async fn common_blockers(
        &self,
        one: &Transaction,
        member: Option<&chassis::identity::PayoutState>,
    ) -> Result<Vec<Blocker>, Error> {
        let mut conn = self.db.conn().await?;
        let now = clock::now(&mut conn).await?;
        Ok(told(one, find_blockers(&mut conn, one, member, now).await?))
    }

    /// Why nobody can approve a payment with the hash that is known of it, or with the one that is looked at instead.
    pub(super) async fn hash_blocker(
        &self,
        one: &Transaction,
        chosen: Option<&Txid>,
        evidence: Option<&ChainEvidence>,
    ) -> Result<Option<Blocker>, Error> {
        let shown: Vec<_> =
            evidence.into_iter().flat_map(|found| &found.payments).map(|payment| payment.txid.clone()).collect();
        let is_used = is_hash_used(&mut *self.db.conn().await?, one, chosen, &shown).await?;
        Ok(is_used.then(|| blocker("hash", &Error::TxidUsed)))
    }

    /// Why a staff member cannot approve or pay a transaction now.
    pub(super) async fn blockers(
        &self,
        one: &Transaction,
        member: Option<&chassis::identity::PayoutState>,
        staff: &Staff,
    ) -> Result<Vec<Blocker>, Error> {
        let mut blockers = self.common_blockers(one, member).await?;
        blockers.extend(told(one, blockers_of(one, staff.id, OffsetDateTime::now_utc())));
        blockers.extend(self.start_blockers(one).await.iter().map(|error| blocker("start", error)));
        Ok(blockers)
    }

    /// Why an approved payout cannot be started: its payment is seen already, or no rate says what it sends.
    async fn start_blockers(&self, one: &Transaction) -> Vec<Error> {
        let Some(withdrawal) = one.as_withdrawal().filter(|_| one.status == Status::Pending && !one.is_sent()) else {
            return Vec::new();
        };
        let seen = self.check_payouts(one, one.revision, (None, None)).await.err();
        let price = match withdrawal.paying {
            None => self.price(one, one.revision).await.err().map(Error::from),
            Some(_) => None,
        };
        seen.into_iter().chain(price).collect()
    }

    /// The payments that an open transaction may be about, when the chain shows none for it: those at its address that no
    /// transaction accounts for, the nearest in value first. None if that cannot be asked.
    pub(super) async fn candidates(&self, one: &Transaction, evidence: Option<&ChainEvidence>) -> Vec<ChainPayment> {
        let is_missing = evidence.is_some_and(|evidence| evidence.payments.is_empty());
        if one.status == Status::Success || one.first_approval().is_some() || !is_missing {
            return Vec::new();
        }
        let payments = self.chains.candidates(one).await.unwrap_or_default();
        let observed: Vec<ObservedPayment> = payments.iter().cloned().map(Into::into).collect();
        let matched = match_payments(&self.db, &observed).await.unwrap_or_default();
        let unclaimed = payments
            .into_iter()
            .zip(matched)
            .filter_map(|(payment, candidates)| candidates.is_some().then_some(payment));
        unclaimed.take(CANDIDATES).collect()
    }
}

/// How old the verdicts of this many open transactions may be.
fn fresh(waiting: usize) -> Duration {
    FRESH.max(EACH * u32::try_from(waiting).unwrap_or(u32::MAX))
}

/// Refusals as they would be answered.
fn told(one: &Transaction, errors: Vec<Error>) -> Vec<Blocker> {
    let act = if one.is_approved() { "pay" } else { "approve" };
    errors.iter().map(|error| blocker(act, error)).collect()
}

fn blocker(act: &str, error: &Error) -> Blocker {
    let refusal = Refusal::of(error);
    Blocker { act: act.to_owned(), code: refusal.code, message: refusal.message }
}

fn chain_state(evidence: Option<&ChainEvidence>) -> &str {
    let Some(evidence) = evidence else { return "unobserved" };
    let rank = |state: &str| STATES.iter().position(|known| *known == state).unwrap_or(0);
    let states = evidence.payments.iter().map(|payment| payment.state.as_str());
    states.min_by_key(|state| rank(state)).unwrap_or("missing")
}

/// One final payment of exactly the amount of a deposit. All its checks passed.
fn proven_by(one: &Transaction, evidence: ChainEvidence) -> Option<ProvenBy> {
    let is_plain = one.kind() == Kind::Deposit && one.first_approval().is_none();
    let is_exact = evidence.suggested_cents == Some(one.amount.get());
    let [payment] = <[ChainPayment; 1]>::try_from(evidence.payments).ok()?;
    let evidence_at = evidence.at?;
    (is_plain && is_exact && payment.state == "final")
        .then_some(ProvenBy { payment: Some(payment), evidence_at: Some(evidence_at) })
}

#[cfg(test)]
mod tests {
    use proto::common::v1::{ChainEvidence, ChainPayment};

    use super::chain_state;

    /// [U8] A queue row shows the least certain of its payments, and a missing payment from a chain that is not observed.
    #[test]
    fn the_least_certain_payment_counts() {
        let evidence = |states: &[&str]| ChainEvidence {
            payments: states
                .iter()
                .map(|state| ChainPayment { state: (*state).to_owned(), ..ChainPayment::default() })
                .collect(),
            ..ChainEvidence::default()
        };
        assert_eq!(chain_state(None), "unobserved");
        assert_eq!(chain_state(Some(&evidence(&[]))), "missing");
        assert_eq!(chain_state(Some(&evidence(&["final", "seen"]))), "seen");
        assert_eq!(chain_state(Some(&evidence(&["final", "replaced"]))), "replaced");
    }
}
