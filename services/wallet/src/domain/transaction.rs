//! Lines of a member's history, and how each may change: pending, then success or failed, once.

use chassis::error::Refusal;
use chassis::money::{AmountError, Cents};
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::domain::limits::{self, TWO_PEOPLE_FROM};
use crate::domain::reason;
use crate::domain::txid::Txid;
use crate::error::Error;

named! {
    /// What a transaction is.
    Kind {
        /// Money from outside into the balance.
        Deposit = "deposit",
        /// Money out of the balance to a destination.
        Withdrawal = "withdrawal",
        /// Principal into or out of a trade.
        Trade = "trade",
        /// The gain of a trade.
        Profit = "profit",
        /// The course, paid from outside or from the balance.
        Course = "course",
        /// A released bonus.
        Bonus = "bonus",
        /// A withdrawal's fee paid from outside.
        Fee = "fee",
        /// A correction by staff.
        Adjustment = "adjustment",
    }
}

named! {
    /// Where it stands.
    Status {
        /// Waits for staff.
        Pending = "pending",
        /// Took effect.
        Success = "success",
        /// Ended without effect.
        Failed = "failed",
    }
}

named! {
    /// Which way the money goes, seen from the member.
    Direction {
        /// To them.
        Credit = "credit",
        /// From them.
        Debit = "debit",
    }
}

impl Kind {
    /// What the member reads.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Deposit => "Deposit",
            Self::Withdrawal => "Withdrawal",
            Self::Trade => "Trade",
            Self::Profit => "Profit",
            Self::Course => "Course",
            Self::Bonus => "Bonus",
            Self::Fee => "Fee",
            Self::Adjustment => "Adjustment",
        }
    }
}

/// A payment method as it was shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MethodCopy {
    /// Its id.
    pub id: Uuid,
    /// E.g. `USDT`.
    pub currency: String,
    /// E.g. `TRC20`.
    pub network: String,
    /// The platform's address for payments; empty for withdrawals.
    pub address: String,
    /// Empty when there is none.
    pub memo: String,
    /// Which version of the method.
    pub version: i32,
}

/// Where a withdrawal is paid to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Destination {
    /// The address.
    pub address: String,
    /// Empty when there is none.
    pub memo: String,
}

/// A proof of payment in the object store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// Its key there.
    pub key: String,
    /// Its media type.
    pub content_type: String,
    /// SHA-256 of the file.
    pub digest: Vec<u8>,
}

/// How long a treasurer has for a payout before others may make it.
const LEASE: Duration = Duration::minutes(15);

/// Somebody is paying a withdrawal: nobody else pays or rejects it until then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    /// The treasurer.
    pub by: Uuid,
    /// The end.
    pub until: OffsetDateTime,
}

/// The first of two approvals of a deposit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstApproval {
    /// The reviewer.
    pub by: Uuid,
    /// When.
    pub at: OffsetDateTime,
    /// What was received.
    pub received: Cents,
}

/// What a reviewer saw of a payment from outside.
#[derive(Debug, Clone)]
pub struct Arrival {
    /// How much; the price, where that is fixed.
    pub received: Option<Cents>,
    /// In which blockchain transaction.
    pub txid: Txid,
}

/// One line of a member's history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transaction {
    /// UUIDv4: the reference shown is its first six characters.
    pub id: Uuid,
    /// Whose.
    pub user_id: Uuid,
    /// What.
    pub kind: Kind,
    /// For the member; the reason once it failed.
    pub description: String,
    /// Where it stands.
    pub status: Status,
    /// Which way.
    pub direction: Direction,
    /// Positive; after the approval of a deposit, what was received.
    pub amount: Cents,
    /// What the member said, once what was received is the amount.
    pub claimed_amount: Option<Cents>,
    /// Withdrawals.
    pub fee: Option<Cents>,
    /// Withdrawals: what is paid out.
    pub net_amount: Option<Cents>,
    /// Withdrawals: the fee came from outside.
    pub fee_paid: bool,
    /// By which method.
    pub method: Option<MethodCopy>,
    /// Withdrawals: where to.
    pub destination: Option<Destination>,
    /// The proof.
    pub receipt: Option<Receipt>,
    /// The hash the member gave.
    pub claimed_txid: Option<String>,
    /// The hash staff confirmed, or the first of two reviewers reserved.
    pub txid: Option<String>,
    /// Its comparable form.
    pub txid_key: Option<String>,
    /// Its output; unset for the whole blockchain transaction.
    pub vout: Option<u32>,
    /// Deposits that take two reviewers: the first approval.
    pub first_approval: Option<FirstApproval>,
    /// Why it failed.
    pub reason_code: Option<String>,
    /// Withdrawals: the reviewer.
    pub approved_by: Option<Uuid>,
    /// When.
    pub approved_at: Option<OffsetDateTime>,
    /// Withdrawals: who is paying it at the moment.
    pub paying: Option<Lease>,
    /// Who decided; unset where nobody had to.
    pub decided_by: Option<Uuid>,
    /// When.
    pub decided_at: Option<OffsetDateTime>,
    /// Fees: the withdrawal. Trades and profits: the trade. Returned fees: the withdrawal.
    pub related_id: Option<Uuid>,
    /// Counts up with every change.
    pub revision: i32,
    /// When it was made.
    pub created_at: OffsetDateTime,
}

/// A payment from outside, as the member states it.
#[derive(Debug, Clone)]
pub struct Payment {
    /// How much.
    pub amount: Cents,
    /// To which platform method.
    pub method: MethodCopy,
    /// The proof.
    pub receipt: Receipt,
    /// The hash, if they gave one.
    pub txid: Option<Txid>,
}

impl Transaction {
    /// A line that is done as it is made.
    #[must_use]
    pub fn done(user_id: Uuid, kind: Kind, direction: Direction, amount: Cents, now: OffsetDateTime) -> Self {
        let pending = Self::pending(user_id, kind, direction, amount, now);
        Self { status: Status::Success, decided_at: Some(now), ..pending }
    }

    fn pending(user_id: Uuid, kind: Kind, direction: Direction, amount: Cents, now: OffsetDateTime) -> Self {
        Self {
            id: Uuid::new_v4(),
            user_id,
            kind,
            description: String::new(),
            status: Status::Pending,
            direction,
            amount,
            claimed_amount: None,
            fee: None,
            net_amount: None,
            fee_paid: false,
            method: None,
            destination: None,
            receipt: None,
            claimed_txid: None,
            txid: None,
            txid_key: None,
            vout: None,
            first_approval: None,
            reason_code: None,
            approved_by: None,
            approved_at: None,
            paying: None,
            decided_by: None,
            decided_at: None,
            related_id: None,
            revision: 1,
            created_at: now,
        }
    }

    /// A deposit, a course payment or a fee that waits for review.
    #[must_use]
    pub fn payment(user_id: Uuid, kind: Kind, payment: Payment, now: OffsetDateTime) -> Self {
        let direction = if kind == Kind::Deposit { Direction::Credit } else { Direction::Debit };
        let via = format!("{} on {}", payment.method.currency, payment.method.network);
        let description = match kind {
            Kind::Course => format!("UGC course, paid in {via}"),
            Kind::Fee => format!("Withdrawal fee, paid in {via}"),
            _ => via,
        };
        Self {
            description,
            method: Some(payment.method),
            receipt: Some(payment.receipt),
            claimed_txid: payment.txid.map(|txid| txid.text),
            ..Self::pending(user_id, kind, direction, payment.amount, now)
        }
    }

    /// A withdrawal that waits for review; its gross amount is to be held.
    ///
    /// # Errors
    /// If the amount is out of range.
    pub fn withdrawal(
        user_id: Uuid,
        gross: Cents,
        method: MethodCopy,
        destination: Option<Destination>,
        now: OffsetDateTime,
    ) -> Result<Self, AmountError> {
        let (fee, net) = limits::fee_and_net(gross)?;
        Ok(Self {
            description: format!("{} on {}", method.currency, method.network),
            fee: Some(fee),
            net_amount: Some(net),
            method: Some(method),
            destination,
            ..Self::pending(user_id, Kind::Withdrawal, Direction::Debit, gross, now)
        })
    }

    /// The same with words for the member.
    #[must_use]
    pub fn described(self, description: impl Into<String>) -> Self {
        Self { description: description.into(), ..self }
    }

    /// The same as part of something.
    #[must_use]
    pub fn related_to(self, id: Uuid) -> Self {
        Self { related_id: Some(id), ..self }
    }

    /// The reference people use.
    #[must_use]
    pub fn reference(&self) -> String {
        let mut text = self.id.simple().to_string();
        text.truncate(6);
        format!("TNX-{text}")
    }

    /// A withdrawal that cannot be paid until the member names a destination.
    #[must_use]
    pub fn needs_destination(&self) -> bool {
        self.kind == Kind::Withdrawal && self.status == Status::Pending && self.destination.is_none()
    }

    /// Whether it waits for the second of two reviewers.
    #[must_use]
    pub fn needs_second(&self) -> bool {
        self.status == Status::Pending && self.first_approval.is_some()
    }

    /// Still to be decided, not being paid by somebody else, and as the caller saw it.
    ///
    /// # Errors
    /// `AlreadyDecided`, `BeingPaid`, `StaleRevision`.
    pub fn check_open(&self, revision: i32, by: Uuid) -> Result<(), Error> {
        if self.status != Status::Pending {
            return Err(Error::AlreadyDecided);
        }
        // Who pays raised the revision: their name says more than that something changed.
        if let Some(lease) = self.paying.filter(|lease| lease.by != by) {
            return Err(Error::BeingPaid(lease));
        }
        if self.revision != revision {
            return Err(Error::StaleRevision);
        }
        Ok(())
    }

    /// Confirms a payment from outside with what was received; for a fixed price by default the claim. A deposit of
    /// `second_from` or more is only recorded by the first reviewer, and decided by another who saw the same.
    ///
    /// # Errors
    /// Invalid when less or more than a fixed price was received, `SecondReviewerRequired`, `ApprovalDiffers`.
    pub fn confirm_payment(
        &mut self,
        arrival: Arrival,
        second_from: Cents,
        by: Uuid,
        now: OffsetDateTime,
    ) -> Result<(), Error> {
        let Arrival { received, txid } = arrival;
        let received = received.unwrap_or(self.amount);
        if received != self.amount && self.kind != Kind::Deposit {
            return Err(Error::Refused(Refusal::field(
                "receivedAmount",
                format!("The received amount must be {}; reject it otherwise.", self.amount),
            )));
        }
        match self.first_approval {
            Some(first) if first.by == by => return Err(Error::SecondReviewerRequired),
            Some(first)
                if (first.received, self.txid_key.as_ref(), self.vout) != (received, Some(&txid.key), txid.vout) =>
            {
                return Err(Error::ApprovalDiffers);
            }
            None if self.kind == Kind::Deposit && received >= second_from => {
                self.first_approval = Some(FirstApproval { by, at: now, received });
                self.settle_by(txid);
                return Ok(());
            }
            _ => {}
        }
        self.claimed_amount = Some(self.amount);
        self.amount = received;
        self.settle_by(txid);
        self.decide(Status::Success, by, now);
        Ok(())
    }

    /// A reviewer lets a withdrawal be paid.
    ///
    /// # Errors
    /// `AlreadyDecided` when it was approved before, `DestinationMissing`.
    pub fn approve_withdrawal(&mut self, by: Uuid, now: OffsetDateTime) -> Result<(), Error> {
        if self.approved_by.is_some() {
            return Err(Error::AlreadyDecided);
        }
        if self.destination.is_none() {
            return Err(Error::DestinationMissing);
        }
        self.approved_by = Some(by);
        self.approved_at = Some(now);
        Ok(())
    }

    /// A treasurer begins to pay it, or goes on paying.
    ///
    /// # Errors
    /// `NotApproved`, `DestinationMissing`, `SecondPersonRequired`.
    pub fn lease_payout(&mut self, by: Uuid, now: OffsetDateTime) -> Result<(), Error> {
        self.check_payable(by)?;
        self.paying = Some(Lease { by, until: now + LEASE });
        Ok(())
    }

    /// A treasurer paid it.
    ///
    /// # Errors
    /// `NotApproved`, `DestinationMissing`, `SecondPersonRequired`, `NotBeingPaid`.
    pub fn pay_withdrawal(&mut self, txid: Txid, by: Uuid, now: OffsetDateTime) -> Result<(), Error> {
        self.check_payable(by)?;
        if self.amount >= TWO_PEOPLE_FROM && self.paying.is_none() {
            return Err(Error::NotBeingPaid);
        }
        self.settle_by(txid);
        self.decide(Status::Success, by, now);
        Ok(())
    }

    fn check_payable(&self, by: Uuid) -> Result<(), Error> {
        let approver = self.approved_by.ok_or(Error::NotApproved)?;
        if self.destination.is_none() {
            return Err(Error::DestinationMissing);
        }
        if self.amount >= TWO_PEOPLE_FROM && approver == by {
            return Err(Error::SecondPersonRequired);
        }
        Ok(())
    }

    /// Ends it without effect; the member reads the reason.
    ///
    /// # Errors
    /// Invalid for a reason that does not suit.
    pub fn reject(&mut self, reason_code: &str, by: Uuid, now: OffsetDateTime) -> Result<(), Error> {
        self.description = reason::sentence(self.kind, reason_code)?.to_owned();
        self.reason_code = Some(reason_code.to_owned());
        (self.txid, self.txid_key, self.vout, self.first_approval) = (None, None, None, None);
        self.decide(Status::Failed, by, now);
        Ok(())
    }

    /// The fee of an open withdrawal came from outside: the payout is the full amount.
    pub fn take_fee_payment(&mut self) {
        self.fee_paid = true;
        self.net_amount = Some(self.amount);
    }

    /// Names the missing destination.
    ///
    /// # Errors
    /// `AlreadyDecided`, `DestinationAlreadySet`.
    pub fn set_destination(&mut self, destination: Destination) -> Result<(), Error> {
        if self.status != Status::Pending {
            return Err(Error::AlreadyDecided);
        }
        if self.destination.is_some() {
            return Err(Error::DestinationAlreadySet);
        }
        self.destination = Some(destination);
        Ok(())
    }

    fn settle_by(&mut self, txid: Txid) {
        self.txid = Some(txid.text);
        self.txid_key = Some(txid.key);
        self.vout = txid.vout;
    }

    fn decide(&mut self, status: Status, by: Uuid, now: OffsetDateTime) {
        self.status = status;
        self.paying = None;
        self.decided_by = Some(by);
        self.decided_at = Some(now);
    }
}
