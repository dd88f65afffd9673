//! What the chain shows about a transaction, and what a decision on it rests on.

use chassis::clock;
use chassis::error::Refusal;
use chassis::money::{Cents, Units};
use proto::common::v1::{ChainEvidence, ChainPayment, EvidenceCheck};
use proto::wallet::v1 as message;
use time::{Duration, OffsetDateTime};

use crate::app::deposit::match_payments::{add_consumed, is_whole_reserved, settled_quotes};
use crate::app::trade::sum_claims::sum_claims;
use crate::clients::Look;
use crate::domain::limits::Proof;
use crate::domain::observed_payment::Output;
use crate::domain::transaction::{Status, Transaction};
use crate::domain::txid::Txid;
use crate::error::Error;
use crate::grpc::GrpcServer;

/// Times on the wire are cut to milliseconds.
const ROUNDED: Duration = Duration::milliseconds(1);
/// How often other payments are looked for beside those that other transactions consume.
const LOOKS: u8 = 8;

impl GrpcServer {
    /// What the chain shows about a transaction, or about a hash that staff entered for it; `None` where it is not observed.
    /// Payments that other transactions consume are left out.
    pub(super) async fn evidence(
        &self,
        one: &Transaction,
        txid: Option<&Txid>,
    ) -> Result<Option<ChainEvidence>, Error> {
        self.evidence_by(one, txid, Look::AtNodes).await
    }

    /// The same, by what is asked for it.
    pub(super) async fn evidence_by(
        &self,
        one: &Transaction,
        txid: Option<&Txid>,
        look: Look,
    ) -> Result<Option<ChainEvidence>, Error> {
        let mut taken = settled_quotes(&self.db, one).await?;
        let lately = sum_claims(&self.db, one).await?;
        let mut found = self.chains.evidence((one, look), txid, &taken, lately).await?;
        for _ in 0..LOOKS {
            let Some(evidence) = &found else { break };
            let payments: Vec<_> = evidence.payments.iter().cloned().map(Into::into).collect();
            if !add_consumed(&self.db, one, &payments, &mut taken).await? {
                break;
            }
            found = self.chains.evidence((one, look), txid, &taken, lately).await?;
        }
        Ok(found)
    }

    /// Reads the evidence again that a decision rests on (D-Q5): the outputs that an approval consumes, and how far the chain
    /// proves the payment. The answer to a repeated request is found afterwards: a decided
    /// transaction is not looked at again.
    pub(super) async fn basis(
        &self,
        one: &Transaction,
        (txid, received): (Option<&Txid>, Option<Cents>),
        seen_at: Option<OffsetDateTime>,
    ) -> Result<(Vec<Output>, Proof), Error> {
        if one.status != Status::Pending {
            return Ok((Vec::new(), Proof::Proven));
        }
        let evidence = match (self.evidence(one, txid).await, seen_at) {
            (Ok(evidence), _) => evidence,
            // What was seen cannot be compared.
            (Err(refusal), Some(_)) => return Err(refusal),
            (Err(_), None) => None,
        };
        let changed_at =
            evidence.as_ref().and_then(|evidence| evidence.changed_at.as_ref()).and_then(clock::from_proto);
        if changed_at.zip(seen_at).is_some_and(|(changed_at, seen_at)| changed_at > seen_at + ROUNDED) {
            return Err(Error::StaleEvidence);
        }
        if one.as_payment().is_none() {
            return Ok((Vec::new(), Proof::Proven));
        }
        let payments = evidence.as_ref().map(|evidence| &evidence.payments[..]).unwrap_or_default();
        let is_proven = evidence.as_ref().is_some_and(|evidence| proves(evidence, received.unwrap_or(one.amount)));
        let outputs = match txid {
            // The first of two approvals reserved all of it, when the chain showed no output.
            Some(_) if is_whole_reserved(&self.db, one).await? => vec![Output { vout: None, paid: None }],
            Some(txid) => outputs(txid, payments)?,
            None => Vec::new(),
        };
        let is_contested = evidence.as_ref().is_some_and(|evidence| evidence.checks.iter().any(is_contested));
        let proof = if is_contested {
            Proof::Contested
        } else if is_proven && outputs.iter().all(|output| output.paid.is_some()) {
            Proof::Proven
        } else {
            Proof::Unproven
        };
        Ok((outputs, proof))
    }
}

/// The outputs that a decision names, with what the chain shows of them. Unnamed, it is the only one that the chain shows, or
/// where it shows none the whole blockchain transaction.
pub(super) fn outputs(txid: &Txid, payments: &[ChainPayment]) -> Result<Vec<Output>, Refusal> {
    let of_hash: Vec<_> = payments.iter().filter(|payment| payment.txid == txid.key).collect();
    let output = |payment: &ChainPayment| Output {
        vout: Some(payment.index),
        paid: Units::parse(&payment.units).ok().map(|units| (payment.asset.clone(), units)),
    };
    if !txid.outputs.is_empty() {
        let named = txid.outputs.iter().map(|vout| {
            let payment = of_hash.iter().find(|payment| payment.index == *vout);
            payment.map_or(Output { vout: Some(*vout), paid: None }, |payment| output(payment))
        });
        return Ok(named.collect());
    }
    match of_hash[..] {
        [] => Ok(vec![Output { vout: None, paid: None }]),
        [payment] => Ok(vec![output(payment)]),
        _ => Err(Refusal::field(
            "vout",
            format!(
                "This transaction has {} such payments. Please choose the one that belongs to this request.",
                of_hash.len()
            ),
        )),
    }
}

/// Whether a quote of another member fits the payment better.
fn is_contested(check: &EvidenceCheck) -> bool {
    check.name == "payment_quote" && check.state == "fail"
}

/// Whether final payments are worth an amount, and no check failed or could not be made.
fn proves(evidence: &ChainEvidence, amount: Cents) -> bool {
    let is_final = evidence.payments.iter().all(|payment| payment.state == "final");
    let is_known = evidence.checks.iter().all(|check| matches!(check.state.as_str(), "ok" | "warn"));
    let is_enough = evidence.suggested_cents.is_some_and(|worth| amount.get() <= worth);
    !evidence.payments.is_empty() && is_final && is_known && is_enough
}

/// The line of the checklist of a payment about which the chain says nothing.
pub(super) fn unobserved(one: &Transaction) -> Option<message::Check> {
    let payment = one.as_payment()?;
    Some(message::Check {
        name: "payment_found".to_owned(),
        ok: false,
        state: "unknown".to_owned(),
        detail: format!(
            "{} is not observed: whether the payment exists is not known here. Look it up in an explorer, and note how you \
             verified it.",
            payment.method.network
        ),
        transaction_ids: Vec::new(),
    })
}
