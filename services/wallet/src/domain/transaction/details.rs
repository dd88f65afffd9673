//! The details of a transaction by its kind.

use chassis::id::{MethodId, QuoteId, StaffId, TradeId, TransactionId};
use chassis::money::{Cents, Conversion, Units};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::destination::PayoutAddress;
use crate::domain::transaction::kind::{Direction, Kind};
use crate::domain::txid::Txid;

/// A payment method as it was shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MethodCopy {
    pub id: MethodId,
    /// A code such as `USDT`.
    pub currency: String,
    /// A name such as `TRC20`.
    pub network: String,
    /// The platform's address for payments; empty for withdrawals.
    pub address: String,
    /// Empty when there is none.
    pub memo: String,
    pub version: i32,
}

/// What a quote is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuoteDirection {
    Deposit,
    Withdrawal,
}

/// The quote that a deposit or withdrawal was requested with, as it was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuoteCopy {
    pub id: QuoteId,
    /// A code such as `BTC`.
    pub asset: String,
    pub conversion: Conversion,
    /// What a deposit has to bring, or a withdrawal pays, in the smallest unit.
    pub units: Units,
    pub at: OffsetDateTime,
    pub expires_at: OffsetDateTime,
}

/// What a payout sends: fixed when its payment begins, at the rate of that moment (D-N4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PayoutPrice {
    /// A code such as `BTC`.
    pub asset: String,
    /// Of a token; empty for the coin of the chain.
    pub contract: String,
    pub conversion: Conversion,
    /// In the smallest unit.
    pub units: Units,
    pub at: OffsetDateTime,
}

/// Where a withdrawal is paid to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Destination {
    pub address: String,
    /// Empty when there is none.
    pub memo: String,
}

/// A proof of payment in the object store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// Its key there.
    pub key: String,
    pub content_type: String,
    /// SHA-256 of the file.
    pub digest: Vec<u8>,
}

/// A person is paying a withdrawal: no other can pay or reject it until then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    pub by: StaffId,
    pub until: OffsetDateTime,
}

/// The first of two approvals of a deposit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstApproval {
    pub by: StaffId,
    pub at: OffsetDateTime,
    /// What was received.
    pub received: Cents,
}

/// A reviewer's approval of a withdrawal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Approval {
    pub by: StaffId,
    pub at: OffsetDateTime,
}

/// A treasurer's word that a withdrawal is on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sent {
    pub by: StaffId,
    pub at: OffsetDateTime,
}

/// What a payment from outside is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    Deposit,
    Course,
    /// The fee of a withdrawal.
    Fee {
        withdrawal_id: TransactionId,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payment {
    pub purpose: Purpose,
    pub method: MethodCopy,
    /// Unset if it was made of a payment that had arrived; then it has a hash.
    pub receipt: Option<Receipt>,
    /// The hash the member gave.
    pub claimed_txid: Option<String>,
    /// What the member said, once what was received is the amount.
    pub claimed_amount: Option<Cents>,
    /// The hash staff confirmed, or the first of two reviewers reserved.
    pub txid: Option<Txid>,
    /// The first approval of a deposit that takes two reviewers.
    pub first_approval: Option<FirstApproval>,
    /// Unset if it is valued on arrival.
    pub quote: Option<QuoteCopy>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Withdrawal {
    /// Part of the amount, unless it was paid from outside.
    pub fee: Cents,
    /// What is paid out.
    pub net_amount: Cents,
    /// Whether the fee came from outside.
    pub fee_paid: bool,
    /// By which method of the member.
    pub method: MethodCopy,
    /// Where to; may be named later.
    pub destination: Option<Destination>,
    /// Since when the destination is known, while the withdrawal is open; unset until the member confirmed it.
    pub known_at: Option<OffsetDateTime>,
    /// The approval, which fixes what is paid and where.
    pub approval: Option<Approval>,
    /// The treasurer who is paying it at the moment.
    pub paying: Option<Lease>,
    /// Since its first lease, or its payment without one; unset for an asset that is never quoted.
    pub price: Option<PayoutPrice>,
    /// Since when it is on its way.
    pub sent: Option<Sent>,
    /// The hash of the payout.
    pub txid: Option<Txid>,
    /// An estimate for the member.
    pub quote: Option<QuoteCopy>,
}

/// How a line belongs to a trade.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TradePart {
    Invested,
    Returned,
    Profit,
}

/// What a transaction is, with what only its kind has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Details {
    /// Money from outside, with a proof that staff review.
    Payment(Payment),
    /// Money to a destination of the member.
    Withdrawal(Withdrawal),
    /// Principal or gain of a trade.
    Trade { part: TradePart, trade_id: TradeId },
    /// The course, paid from the balance.
    Purchase,
    /// A released bonus.
    Bonus,
    /// A correction by staff, a reversal, or a fee that is given back.
    Adjustment {
        direction: Direction,
        /// What it corrects, where that is a transaction.
        related_id: Option<TransactionId>,
    },
}

impl MethodCopy {
    /// A destination on the network of this method.
    #[must_use]
    pub fn payout_address(&self, destination: &Destination) -> PayoutAddress {
        PayoutAddress {
            currency: self.currency.clone(),
            network: self.network.clone(),
            address: destination.address.clone(),
            memo: destination.memo.clone(),
        }
    }
}

impl Withdrawal {
    /// Where it goes, once that is named.
    #[must_use]
    pub fn payout_address(&self) -> Option<PayoutAddress> {
        self.destination.as_ref().map(|destination| self.method.payout_address(destination))
    }
}

impl Purpose {
    const fn kind(self) -> Kind {
        match self {
            Self::Deposit => Kind::Deposit,
            Self::Course => Kind::Course,
            Self::Fee { .. } => Kind::Fee,
        }
    }
}

impl Details {
    #[must_use]
    pub const fn kind(&self) -> Kind {
        match self {
            Self::Payment(payment) => payment.purpose.kind(),
            Self::Withdrawal(_) => Kind::Withdrawal,
            Self::Trade { part: TradePart::Profit, .. } => Kind::Profit,
            Self::Trade { .. } => Kind::Trade,
            Self::Purchase => Kind::Course,
            Self::Bonus => Kind::Bonus,
            Self::Adjustment { .. } => Kind::Adjustment,
        }
    }

    pub(super) const fn direction(&self) -> Direction {
        match self {
            Self::Payment(Payment { purpose: Purpose::Deposit, .. })
            | Self::Trade { part: TradePart::Returned | TradePart::Profit, .. }
            | Self::Bonus => Direction::Credit,
            Self::Payment(_) | Self::Withdrawal(_) | Self::Trade { part: TradePart::Invested, .. } | Self::Purchase => {
                Direction::Debit
            }
            Self::Adjustment { direction, .. } => *direction,
        }
    }

    pub(super) const fn related_id(&self) -> Option<Uuid> {
        match self {
            Self::Payment(Payment { purpose: Purpose::Fee { withdrawal_id }, .. }) => Some(withdrawal_id.get()),
            Self::Trade { trade_id, .. } => Some(trade_id.get()),
            Self::Adjustment { related_id: Some(related_id), .. } => Some(related_id.get()),
            Self::Payment(_) | Self::Withdrawal(_) | Self::Purchase | Self::Bonus | Self::Adjustment { .. } => None,
        }
    }
}
