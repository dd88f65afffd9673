//! Transactions and their transitions: pending, then success or failed, once.

mod details;

mod kind;

pub mod record;

mod payment;

mod withdrawal;

use chassis::id::{MemberId, StaffId, TransactionId};
use chassis::money::Cents;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::reason;
use crate::domain::txid::Txid;
use crate::error::Error;

pub use self::details::{
    Approval, Destination, Details, FirstApproval, Lease, MethodCopy, Payment, PayoutPrice, Purpose, QuoteCopy,
    QuoteDirection, Receipt, Sent, TradePart, Withdrawal,
};
pub use self::kind::{Direction, Kind, Status};
pub use self::payment::{Arrival, PaymentClaim};

/// The reason of what its member ended.
const MEMBER_REQUEST: &str = "MEMBER_REQUEST";

/// One line of a member's history. As JSON it has the shape of [`record::Record`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transaction {
    /// UUIDv4: the reference shown is its first six characters.
    pub id: TransactionId,
    pub user_id: MemberId,
    /// What, with what belongs to it.
    pub details: Details,
    /// For the member; the reason once it failed.
    pub description: String,
    pub status: Status,
    /// Positive; after the approval of a deposit, what was received.
    pub amount: Cents,
    pub reason_code: Option<String>,
    /// The person who decided; unset if no decision was needed.
    pub decided_by: Option<StaffId>,
    pub decided_at: Option<OffsetDateTime>,
    /// Incremented by every change.
    pub revision: i32,
    pub created_at: OffsetDateTime,
}

impl Transaction {
    /// A line that is done as it is made.
    #[must_use]
    pub fn done(user_id: MemberId, details: Details, amount: Cents, now: OffsetDateTime) -> Self {
        let pending = Self::pending(user_id, details, amount, now);
        Self { status: Status::Success, decided_at: Some(now), ..pending }
    }

    fn pending(user_id: MemberId, details: Details, amount: Cents, now: OffsetDateTime) -> Self {
        Self {
            id: Uuid::new_v4().into(),
            user_id,
            details,
            description: String::new(),
            status: Status::Pending,
            amount,
            reason_code: None,
            decided_by: None,
            decided_at: None,
            revision: 1,
            created_at: now,
        }
    }

    /// The same deposit or withdrawal at a quote.
    #[must_use]
    pub fn quoted(mut self, quote: Option<QuoteCopy>) -> Self {
        match &mut self.details {
            Details::Payment(payment) => payment.quote = quote,
            Details::Withdrawal(withdrawal) => withdrawal.quote = quote,
            _ => {}
        }
        self
    }

    /// The same with words for the member.
    #[must_use]
    pub fn described(self, description: impl Into<String>) -> Self {
        Self { description: description.into(), ..self }
    }

    #[must_use]
    pub const fn kind(&self) -> Kind {
        self.details.kind()
    }

    #[must_use]
    pub const fn direction(&self) -> Direction {
        self.details.direction()
    }

    /// The payment from outside that it is.
    #[must_use]
    pub const fn as_payment(&self) -> Option<&Payment> {
        if let Details::Payment(payment) = &self.details { Some(payment) } else { None }
    }

    #[must_use]
    pub const fn as_withdrawal(&self) -> Option<&Withdrawal> {
        if let Details::Withdrawal(withdrawal) = &self.details { Some(withdrawal) } else { None }
    }

    fn as_withdrawal_mut(&mut self) -> Result<&mut Withdrawal, Error> {
        if let Details::Withdrawal(withdrawal) = &mut self.details { Ok(withdrawal) } else { Err(Error::NotFound) }
    }

    /// The payment method, of payments and withdrawals.
    #[must_use]
    pub const fn method(&self) -> Option<&MethodCopy> {
        match &self.details {
            Details::Payment(payment) => Some(&payment.method),
            Details::Withdrawal(withdrawal) => Some(&withdrawal.method),
            _ => None,
        }
    }

    /// The quote that it was requested with.
    #[must_use]
    pub const fn quote(&self) -> Option<&QuoteCopy> {
        match &self.details {
            Details::Payment(payment) => payment.quote.as_ref(),
            Details::Withdrawal(withdrawal) => withdrawal.quote.as_ref(),
            _ => None,
        }
    }

    /// The hash that staff entered.
    #[must_use]
    pub const fn txid(&self) -> Option<&Txid> {
        match &self.details {
            Details::Payment(payment) => payment.txid.as_ref(),
            Details::Withdrawal(withdrawal) => withdrawal.txid.as_ref(),
            _ => None,
        }
    }

    /// The hash that staff entered, else the one that the member gave.
    #[must_use]
    pub fn known_txid(&self) -> Option<&str> {
        let claimed = self.as_payment().and_then(|payment| payment.claimed_txid.as_deref());
        self.txid().map(|txid| &*txid.text).or(claimed)
    }

    /// The withdrawal of a fee, the trade of its lines, the transaction that an adjustment corrects.
    #[must_use]
    pub const fn related_id(&self) -> Option<Uuid> {
        self.details.related_id()
    }

    /// The reference people use.
    #[must_use]
    pub fn reference(&self) -> String {
        let mut text = self.id.get().simple().to_string();
        text.truncate(6);
        format!("TNX-{text}")
    }

    /// The first approval, while the second of two reviewers is missing.
    #[must_use]
    pub fn first_approval(&self) -> Option<FirstApproval> {
        self.as_payment().and_then(|payment| payment.first_approval).filter(|_| self.status == Status::Pending)
    }

    /// Still to be decided, not being paid by somebody else, and as the caller saw it.
    ///
    /// # Errors
    /// `AlreadyDecided`, `BeingPaid`, `StaleRevision`.
    pub fn check_open(&self, revision: i32, by: StaffId) -> Result<(), Error> {
        if self.status != Status::Pending || self.is_sent() {
            return Err(Error::AlreadyDecided);
        }
        // Who pays raised the revision: their name says more than that something changed.
        let lease = self.as_withdrawal().and_then(|one| one.paying);
        if let Some(lease) = lease.filter(|lease| lease.by != by) {
            return Err(Error::BeingPaid(lease));
        }
        if self.revision != revision {
            return Err(Error::StaleRevision);
        }
        Ok(())
    }

    /// Ends it without effect; the member reads the reason.
    ///
    /// # Errors
    /// Invalid for a reason that does not suit.
    pub fn reject(&mut self, reason_code: &str, by: StaffId, now: OffsetDateTime) -> Result<(), Error> {
        self.description = reason::sentence(self.kind(), reason_code)?.to_owned();
        self.reason_code = Some(reason_code.to_owned());
        if let Details::Payment(payment) = &mut self.details {
            (payment.txid, payment.first_approval) = (None, None);
        }
        self.decide(Status::Failed, Some(by), now);
        Ok(())
    }

    fn decide(&mut self, status: Status, by: Option<StaffId>, now: OffsetDateTime) {
        self.status = status;
        if let Details::Withdrawal(withdrawal) = &mut self.details {
            withdrawal.paying = None;
        }
        self.decided_by = by;
        self.decided_at = Some(now);
    }
}
