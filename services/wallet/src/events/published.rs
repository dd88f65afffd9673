//! Published events, written in the transaction of the change.

use chassis::id::{MemberId, ProposalId, TradeId};
use chassis::money::Cents;
use chassis::outbox::Unsent;
use proto::wallet::v1::{
    BalanceAdjusted, BalanceMoved, BonusGranted, BonusReleased, CourseRefunded, CourseUnlocked, DepositConfirmed,
    DepositRejected, DepositRequested, DepositTakenBack, DestinationConfirmed, FeeConfirmed, FeeRejected, FeeRequested,
    PaymentReturned, TransactionFacts, WithdrawalApproved, WithdrawalPaid, WithdrawalRejected, WithdrawalRequested,
};

use crate::domain::transaction::{Kind, Status, Transaction};
use crate::domain::treasury::TreasuryMovement;

/// Defines one function an event that carries the facts of a transaction.
macro_rules! transaction_events {
    ($($(#[$doc:meta])* $name:ident => $message:ident, $key:literal;)+) => {
        $($(#[$doc])*
        #[must_use]
        pub fn $name(transaction: &Transaction) -> Unsent {
            let message = $message { transaction: Some(facts(transaction)) };
            Unsent::new($key, transaction.id, &message)
        })+
    };
}

transaction_events! {
    /// A deposit or course payment waits for review.
    deposit_requested => DepositRequested, "wallet.v1.deposit_requested";
    /// A deposit is in the balance.
    deposit_confirmed => DepositConfirmed, "wallet.v1.deposit_confirmed";
    /// A deposit or course payment was rejected.
    deposit_rejected => DepositRejected, "wallet.v1.deposit_rejected";
    /// Its member ended a deposit or course payment that nothing was seen of.
    deposit_taken_back => DepositTakenBack, "wallet.v1.deposit_taken_back";
    /// A withdrawal waits for review.
    withdrawal_requested => WithdrawalRequested, "wallet.v1.withdrawal_requested";
    /// A withdrawal can be reviewed: its member confirmed the destination.
    destination_confirmed => DestinationConfirmed, "wallet.v1.destination_confirmed";
    /// A withdrawal waits for its payout.
    withdrawal_approved => WithdrawalApproved, "wallet.v1.withdrawal_approved";
    withdrawal_paid => WithdrawalPaid, "wallet.v1.withdrawal_paid";
    /// A withdrawal was rejected; its hold is released.
    withdrawal_rejected => WithdrawalRejected, "wallet.v1.withdrawal_rejected";
    /// A fee payment waits for review.
    fee_requested => FeeRequested, "wallet.v1.fee_requested";
    fee_confirmed => FeeConfirmed, "wallet.v1.fee_confirmed";
    fee_rejected => FeeRejected, "wallet.v1.fee_rejected";
    /// The member owns the course.
    course_unlocked => CourseUnlocked, "wallet.v1.course_unlocked";
    /// The price of the course is in the balance again, and access has ended.
    course_refunded => CourseRefunded, "wallet.v1.course_refunded";
    bonus_granted => BonusGranted, "wallet.v1.bonus_granted";
    /// Bonus was released into the balance.
    bonus_released => BonusReleased, "wallet.v1.bonus_released";
    /// Staff corrected the balance.
    balance_adjusted => BalanceAdjusted, "wallet.v1.balance_adjusted";
}

/// A trade was funded; for live views.
#[must_use]
pub fn trade_funded(trade_id: TradeId, user_id: MemberId) -> Unsent {
    let message = BalanceMoved { user_id: user_id.to_string() };
    Unsent::new("wallet.v1.trade_funded", trade_id, &message)
}

/// A trade was settled; for live views.
#[must_use]
pub fn trade_settled(trade_id: TradeId, user_id: MemberId) -> Unsent {
    let message = BalanceMoved { user_id: user_id.to_string() };
    Unsent::new("wallet.v1.trade_settled", trade_id, &message)
}

/// A rejected payment went back, by the proposal of its return.
#[must_use]
pub fn payment_returned(proposal_id: ProposalId, rejected: &Transaction, movement: &TreasuryMovement) -> Unsent {
    let mut facts = TransactionFacts { amount_cents: movement.amount_cents.get(), ..facts(rejected) };
    if let (Some(payment), Some(returned)) = (&movement.payment, &movement.returned) {
        (facts.txid, facts.address) = (payment.txid.clone(), returned.address.clone());
    }
    // The member has read why it was rejected; another transaction is described by the rest.
    (facts.claimed_amount_cents, facts.reason) = (0, String::new());
    Unsent::new("wallet.v1.payment_returned", proposal_id, &PaymentReturned { transaction: Some(facts) })
}

fn facts(one: &Transaction) -> TransactionFacts {
    let cents = |amount: Option<Cents>| amount.unwrap_or_default().get();
    let (payment, withdrawal) = (one.as_payment(), one.as_withdrawal());
    let claimed = payment.and_then(|payment| payment.claimed_amount);
    let address = match withdrawal {
        Some(withdrawal) => withdrawal.destination.as_ref().map(|destination| destination.address.clone()),
        None => one.method().map(|method| method.address.clone()),
    };
    TransactionFacts {
        transaction_id: one.id.to_string(),
        user_id: one.user_id.to_string(),
        title: one.kind().title().to_owned(),
        r#type: match one.kind() {
            Kind::Deposit => "deposit".to_owned(),
            Kind::Course if payment.is_some() => "course".to_owned(),
            Kind::Adjustment => one.direction().into_str().to_owned(),
            _ => String::new(),
        },
        amount_cents: one.amount.get(),
        claimed_amount_cents: cents(claimed.filter(|claimed| *claimed != one.amount)),
        fee_cents: cents(withdrawal.map(|withdrawal| withdrawal.fee)),
        net_amount_cents: cents(withdrawal.map(|withdrawal| withdrawal.net_amount)),
        currency: one.method().map(|method| method.currency.clone()).unwrap_or_default(),
        network: one.method().map(|method| method.network.clone()).unwrap_or_default(),
        address: address.unwrap_or_default(),
        needs_confirmation: one.needs_confirmation(),
        txid: one.known_txid().unwrap_or_default().to_owned(),
        reason: if one.status == Status::Failed || one.kind() == Kind::Adjustment {
            one.description.clone()
        } else {
            String::new()
        },
    }
}
