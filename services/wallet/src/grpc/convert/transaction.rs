//! Transactions, with their steps.

use chassis::clock;
use chassis::money::{Cents, Units};
use proto::common::v1 as common;
use proto::wallet::v1 as message;

use crate::domain::steps::{self, Chain, Known, Shown, Step, StepState};
use crate::domain::transaction::{Direction, Kind, MethodCopy, PayoutPrice, QuoteCopy, Status, Transaction};
use crate::domain::txid::Txid;

impl From<Kind> for message::TransactionKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Deposit => Self::Deposit,
            Kind::Withdrawal => Self::Withdrawal,
            Kind::Trade => Self::Trade,
            Kind::Profit => Self::Profit,
            Kind::Course => Self::Course,
            Kind::Bonus => Self::Bonus,
            Kind::Fee => Self::Fee,
            Kind::Adjustment => Self::Adjustment,
        }
    }
}

impl From<Status> for message::TransactionStatus {
    fn from(status: Status) -> Self {
        match status {
            Status::Pending => Self::Pending,
            Status::Success => Self::Success,
            Status::Failed => Self::Failed,
        }
    }
}

impl From<Direction> for message::Direction {
    fn from(direction: Direction) -> Self {
        match direction {
            Direction::Credit => Self::Credit,
            Direction::Debit => Self::Debit,
        }
    }
}

impl From<MethodCopy> for message::MethodCopy {
    fn from(method: MethodCopy) -> Self {
        Self {
            id: method.id.to_string(),
            currency: method.currency,
            network: method.network,
            address: method.address,
            memo: method.memo,
            version: method.version,
        }
    }
}

impl From<Step> for message::Step {
    fn from(step: Step) -> Self {
        let state = match step.state {
            StepState::Done => message::StepState::Done,
            StepState::Current => message::StepState::Current,
            StepState::Next => message::StepState::Next,
            StepState::Failed => message::StepState::Failed,
        };
        Self {
            key: step.key.into_str().to_owned(),
            state: state.into(),
            at: step.at.map(clock::to_proto),
            expected_by: step.expected_by.map(clock::to_proto),
            note: step.note.unwrap_or_default(),
        }
    }
}

/// What the chain shows, as the steps of a payment need it.
pub fn chain(evidence: &common::ChainEvidence) -> Chain {
    let moment = |at: &Option<_>| at.as_ref().and_then(clock::from_proto);
    let shown = evidence.payments.first().and_then(|payment| {
        Some(Shown {
            asset: payment.asset.clone(),
            units: Units::parse(&payment.units).ok()?,
            decimals: payment.decimals.try_into().ok()?,
            state: payment.state.clone(),
            confirmations: payment.confirmations,
            confirmations_needed: payment.confirmations_needed,
            seen_at: moment(&payment.seen_at),
        })
    });
    Chain { observed_at: moment(&evidence.at), shown }
}

/// A transaction with its steps by what is known beside it.
pub fn line(one: Transaction, known: &Known) -> message::Transaction {
    let steps = steps::steps(&one, known).into_iter().map(Into::into).collect();
    let (payment, withdrawal) = (one.as_payment(), one.as_withdrawal());
    let receipt = payment.and_then(|payment| payment.receipt.clone());
    let (receipt_key, receipt_content_type) = receipt.map(|found| (found.key, found.content_type)).unwrap_or_default();
    let (text, vout) = (one.txid().map(|txid| txid.text.clone()), one.txid().and_then(Txid::vout));
    let first_approval = one.first_approval().map(|first| message::FirstApproval {
        reviewer_id: first.by.to_string(),
        at: Some(clock::to_proto(first.at)),
        received_amount_cents: first.received.get(),
        txid: text.clone().unwrap_or_default(),
        vout,
    });
    // What the first of two reviewers saw is not decided.
    let (text, vout) = if first_approval.is_some() { (None, None) } else { (text, vout) };
    let destination = withdrawal.and_then(|withdrawal| withdrawal.destination.clone());
    message::Transaction {
        id: one.id.to_string(),
        user_id: one.user_id.to_string(),
        kind: message::TransactionKind::from(one.kind()).into(),
        title: one.kind().title().to_owned(),
        status: message::TransactionStatus::from(one.status).into(),
        direction: message::Direction::from(one.direction()).into(),
        amount_cents: one.amount.get(),
        claimed_amount_cents: payment.and_then(|payment| payment.claimed_amount).map(Cents::get),
        fee_cents: withdrawal.map(|withdrawal| withdrawal.fee.get()),
        net_amount_cents: withdrawal.map(|withdrawal| withdrawal.net_amount.get()),
        fee_paid: withdrawal.is_some_and(|withdrawal| withdrawal.fee_paid),
        needs_destination: one.needs_destination(),
        receipt_key,
        receipt_content_type,
        reason_code: one.reason_code.clone().unwrap_or_default(),
        created_at: Some(clock::to_proto(one.created_at)),
        decided_at: one.decided_at.map(clock::to_proto),
        revision: one.revision,
        approved: withdrawal.is_some_and(|withdrawal| withdrawal.approval.is_some()),
        related_id: one.related_id().map(|id| id.to_string()).unwrap_or_default(),
        description: one.description.clone(),
        method: one.method().cloned().map(Into::into),
        destination: destination.map(|found| message::Destination { address: found.address, memo: found.memo }),
        txid: text.or_else(|| payment?.claimed_txid.clone()).unwrap_or_default(),
        vout,
        not_before: None,
        needs_confirmation: one.needs_confirmation(),
        paying: withdrawal.and_then(|withdrawal| withdrawal.paying).map(|lease| message::PayoutLease {
            treasurer_id: lease.by.to_string(),
            until: Some(clock::to_proto(lease.until)),
        }),
        first_approval,
        quote: one.quote().cloned().map(Into::into),
        payout: withdrawal.and_then(|withdrawal| withdrawal.price.clone()).map(Into::into),
        sent_at: withdrawal.and_then(|withdrawal| withdrawal.sent).map(|sent| clock::to_proto(sent.at)),
        steps,
    }
}

impl From<Transaction> for message::Transaction {
    fn from(one: Transaction) -> Self {
        line(one, &Known::default())
    }
}

impl From<PayoutPrice> for message::PayoutPrice {
    fn from(price: PayoutPrice) -> Self {
        Self {
            asset: price.asset,
            contract: price.contract,
            decimals: price.conversion.decimals.into(),
            units: price.units.to_string(),
            rate_micros: price.conversion.rate.micros(),
            spread_bps: price.conversion.spread_bps.into(),
            at: Some(clock::to_proto(price.at)),
        }
    }
}

impl From<QuoteCopy> for message::TransactionQuote {
    fn from(quote: QuoteCopy) -> Self {
        Self {
            id: quote.id.to_string(),
            asset: quote.asset,
            decimals: quote.conversion.decimals.into(),
            units: quote.units.to_string(),
            rate_micros: quote.conversion.rate.micros(),
            spread_bps: quote.conversion.spread_bps.into(),
            at: Some(clock::to_proto(quote.at)),
            expires_at: Some(clock::to_proto(quote.expires_at)),
        }
    }
}
