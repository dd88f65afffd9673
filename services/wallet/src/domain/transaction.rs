//! Transactions and their transitions: pending, then success or failed, once.

mod details;

mod kind;

pub mod record;

use chassis::error::Refusal;
use chassis::id::{MemberId, StaffId, TransactionId};
use chassis::money::{AmountError, Cents};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::domain::limits::{self, TWO_PEOPLE_FROM};
use crate::domain::reason;
use crate::domain::txid::Txid;
use crate::error::Error;

pub use self::details::{
    Approval, Destination, Details, FirstApproval, Lease, MethodCopy, Payment, PayoutPrice, Purpose, QuoteCopy,
    QuoteDirection, Receipt, Sent, TradePart, Withdrawal,
};
pub use self::kind::{Direction, Kind, Status};

/// How long a treasurer has for a payout before others may make it.
const LEASE: Duration = Duration::minutes(15);

/// What a member reads of a withdrawal that their report of foreign activity cancelled.
const CANCELLED: &str =
    "Cancelled because you told us that someone else used your account. The amount is back in your balance.";

/// The reason of what its member ended.
const MEMBER_REQUEST: &str = "MEMBER_REQUEST";

/// What a member reads of a payment that they took back.
const TAKEN_BACK: &str = "You took this request back.";

/// What a reviewer saw of a payment from outside.
#[derive(Debug, Clone)]
pub struct Arrival {
    /// How much; the price, where that is fixed.
    pub received: Option<Cents>,
    pub txid: Txid,
}

/// A payment from outside, as the member states it.
#[derive(Debug, Clone)]
pub struct PaymentClaim {
    pub amount: Cents,
    pub method: MethodCopy,
    /// Unset for a payment that the chain shows at their own address.
    pub receipt: Option<Receipt>,
    /// The hash, if they gave one.
    pub txid: Option<Txid>,
}

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

    /// A deposit, a course payment or a fee that waits for review.
    #[must_use]
    pub fn payment(user_id: MemberId, purpose: Purpose, claim: PaymentClaim, now: OffsetDateTime) -> Self {
        let via = format!("{} on {}", claim.method.currency, claim.method.network);
        let description = match purpose {
            Purpose::Deposit => via,
            Purpose::Course => format!("UGC course, paid in {via}"),
            Purpose::Fee { .. } => format!("Withdrawal fee, paid in {via}"),
        };
        let payment = Payment {
            purpose,
            method: claim.method,
            receipt: claim.receipt,
            claimed_txid: claim.txid.map(|txid| txid.text),
            claimed_amount: None,
            txid: None,
            first_approval: None,
            quote: None,
        };
        Self::pending(user_id, Details::Payment(payment), claim.amount, now).described(description)
    }

    /// A withdrawal that waits for review; its gross amount is to be held. Its destination, if it is named, is known since a
    /// moment, or has to be confirmed.
    ///
    /// # Errors
    /// If the amount is out of range.
    pub fn withdrawal(
        user_id: MemberId,
        gross: Cents,
        method: MethodCopy,
        (destination, known_at): (Option<Destination>, Option<OffsetDateTime>),
        now: OffsetDateTime,
    ) -> Result<Self, AmountError> {
        let (fee, net_amount) = limits::fee_and_net(gross)?;
        let description = format!("{} on {}", method.currency, method.network);
        let withdrawal = Withdrawal {
            fee,
            net_amount,
            fee_paid: false,
            method,
            destination,
            known_at,
            approval: None,
            paying: None,
            price: None,
            sent: None,
            txid: None,
            quote: None,
        };
        Ok(Self::pending(user_id, Details::Withdrawal(withdrawal), gross, now).described(description))
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

    /// A withdrawal that cannot be paid until the member names a destination.
    #[must_use]
    pub fn needs_destination(&self) -> bool {
        self.status == Status::Pending && self.as_withdrawal().is_some_and(|one| one.destination.is_none())
    }

    /// A withdrawal that cannot be approved until the member confirms its destination.
    #[must_use]
    pub fn needs_confirmation(&self) -> bool {
        self.status == Status::Pending
            && self.as_withdrawal().is_some_and(|one| one.destination.is_some() && one.known_at.is_none())
    }

    /// A withdrawal that a reviewer let be paid, and that is not on its way.
    #[must_use]
    pub fn is_approved(&self) -> bool {
        self.status == Status::Pending
            && self.as_withdrawal().is_some_and(|one| one.approval.is_some() && one.sent.is_none())
    }

    /// A withdrawal that is on its way, and whose payment is not final yet.
    #[must_use]
    pub fn is_sent(&self) -> bool {
        self.status == Status::Pending && self.as_withdrawal().is_some_and(|one| one.sent.is_some())
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

    /// Names the outputs that the first of two approvals reserved.
    pub fn reserve(&mut self, outputs: impl Iterator<Item = u32>) {
        if let Details::Payment(Payment { txid: Some(txid), .. }) = &mut self.details {
            txid.outputs = outputs.collect();
        }
    }

    /// Confirms a payment from outside with what was received; for the course and a fee by default the price. From
    /// `second_from` on it is only recorded by the first reviewer, and decided by another who saw the same.
    ///
    /// # Errors
    /// Invalid when less or more than a fee was received, `SecondReviewerRequired`, `ApprovalDiffers`;
    /// `AlreadyDecided` for what is no payment: such lines are never open.
    pub fn confirm_payment(
        &mut self,
        arrival: Arrival,
        second_from: Cents,
        by: StaffId,
        now: OffsetDateTime,
    ) -> Result<(), Error> {
        let Details::Payment(payment) = &mut self.details else { return Err(Error::AlreadyDecided) };
        let Arrival { received, txid } = arrival;
        let received = received.unwrap_or(self.amount);
        if received != self.amount && matches!(payment.purpose, Purpose::Fee { .. }) {
            return Err(Error::Refused(Refusal::field(
                "receivedAmount",
                format!("The received amount must be {}; reject it otherwise.", self.amount),
            )));
        }
        match payment.first_approval {
            Some(first) if first.by == by => return Err(Error::SecondReviewerRequired),
            Some(first) if first.received != received || !payment.txid.as_ref().is_some_and(|seen| seen.is(&txid)) => {
                return Err(Error::ApprovalDiffers);
            }
            None if received >= second_from => {
                payment.first_approval = Some(FirstApproval { by, at: now, received });
                payment.txid = Some(txid);
                return Ok(());
            }
            _ => {}
        }
        payment.claimed_amount = Some(self.amount);
        payment.txid = Some(txid);
        self.amount = received;
        self.decide(Status::Success, Some(by), now);
        Ok(())
    }

    /// A reviewer lets a withdrawal be paid.
    ///
    /// # Errors
    /// `NotFound` if it is not a withdrawal, `AlreadyDecided` if it was approved before, `DestinationMissing`,
    /// `DestinationUnconfirmed`.
    pub fn approve_withdrawal(&mut self, by: StaffId, now: OffsetDateTime) -> Result<(), Error> {
        let withdrawal = self.as_withdrawal_mut()?;
        if withdrawal.approval.is_some() {
            return Err(Error::AlreadyDecided);
        }
        if withdrawal.destination.is_none() {
            return Err(Error::DestinationMissing);
        }
        if withdrawal.known_at.is_none() {
            return Err(Error::DestinationUnconfirmed);
        }
        withdrawal.approval = Some(Approval { by, at: now });
        Ok(())
    }

    /// A treasurer begins to pay it, or goes on paying: at the price of now, if the asset has one.
    ///
    /// # Errors
    /// `NotApproved`, `DestinationMissing`, `SecondPersonRequired`, `NotFound` for what is no withdrawal.
    pub fn lease_payout(&mut self, price: Option<PayoutPrice>, by: StaffId, now: OffsetDateTime) -> Result<(), Error> {
        let withdrawal = self.payable(by)?;
        withdrawal.paying = Some(Lease { by, until: now + LEASE });
        withdrawal.price = price;
        Ok(())
    }

    /// Its treasurer does not pay it now. What it sends stays fixed until the next lease.
    ///
    /// # Errors
    /// `NotFound` if it is not a withdrawal, `PayoutNotStarted` if it is not leased.
    pub fn end_lease(&mut self) -> Result<(), Error> {
        let reference = self.reference();
        let lease = self.as_withdrawal_mut()?.paying.take();
        lease.ok_or(Error::PayoutNotStarted(reference))?;
        self.revision += 1;
        Ok(())
    }

    /// A treasurer sent it: it succeeds when its payment is final, or at once where that is known or cannot be. What the chain
    /// shows already needs no lease: that would keep it from being attached. What was never leased gets the price of now.
    ///
    /// # Errors
    /// `NotFound` if it is not a withdrawal, `NotApproved`, `DestinationMissing`, `SecondPersonRequired`,
    /// `NotBeingPaid`.
    pub fn pay_withdrawal(
        &mut self,
        (txid, is_seen, is_settled): (Txid, bool, bool),
        price: Option<PayoutPrice>,
        by: StaffId,
        now: OffsetDateTime,
    ) -> Result<(), Error> {
        let takes_two = self.amount >= TWO_PEOPLE_FROM;
        let withdrawal = self.payable(by)?;
        if takes_two && !is_seen && withdrawal.paying.is_none() {
            return Err(Error::NotBeingPaid);
        }
        withdrawal.txid = Some(txid);
        withdrawal.price = withdrawal.price.take().or(price);
        withdrawal.sent = Some(Sent { by, at: now });
        if is_settled { self.settle_payout(now) } else { Ok(()) }
    }

    /// Its payment is final.
    ///
    /// # Errors
    /// `AlreadyDecided`, `NotFound` for what is not on its way.
    pub fn settle_payout(&mut self, now: OffsetDateTime) -> Result<(), Error> {
        let sent = self.sent()?;
        self.decide(Status::Success, Some(sent.by), now);
        Ok(())
    }

    /// It was paid with another transaction than its treasurer wrote, or with none: then it can be paid.
    ///
    /// # Errors
    /// `AlreadyDecided`, `NotFound` for what is not on its way.
    pub fn correct_payout(&mut self, txid: Option<Txid>) -> Result<(), Error> {
        self.sent()?;
        let withdrawal = self.as_withdrawal_mut()?;
        if txid.is_none() {
            withdrawal.sent = None;
        }
        withdrawal.txid = txid;
        Ok(())
    }

    /// Who sent it, while its payment is not final.
    ///
    /// # Errors
    /// `AlreadyDecided`, `NotFound` for what is not on its way.
    pub fn sent(&self) -> Result<Sent, Error> {
        let sent = self.as_withdrawal().and_then(|withdrawal| withdrawal.sent).ok_or(Error::NotFound)?;
        if self.status == Status::Pending { Ok(sent) } else { Err(Error::AlreadyDecided) }
    }

    fn payable(&mut self, by: StaffId) -> Result<&mut Withdrawal, Error> {
        let takes_two = self.amount >= TWO_PEOPLE_FROM;
        let withdrawal = self.as_withdrawal_mut()?;
        let approval = withdrawal.approval.ok_or(Error::NotApproved)?;
        if withdrawal.destination.is_none() {
            return Err(Error::DestinationMissing);
        }
        if takes_two && approval.by == by {
            return Err(Error::SecondPersonRequired);
        }
        Ok(withdrawal)
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

    /// Ends a withdrawal without a person: the member reported that someone else used the account.
    pub fn cancel(&mut self, now: OffsetDateTime) {
        self.description = CANCELLED.to_owned();
        self.reason_code = Some(MEMBER_REQUEST.to_owned());
        self.decide(Status::Failed, None, now);
    }

    /// Its member ends a deposit or course payment that nothing was seen of. False if they have done so before.
    ///
    /// # Errors
    /// `NotFound` for what is neither, `AlreadyDecided`, `PaymentSeen`.
    pub fn take_back(&mut self, is_seen: bool, now: OffsetDateTime) -> Result<bool, Error> {
        let payment = self.as_payment().filter(|one| !matches!(one.purpose, Purpose::Fee { .. }));
        let is_approved = payment.ok_or(Error::NotFound)?.first_approval.is_some();
        let is_repeated = self.decided_by.is_none() && self.reason_code.as_deref() == Some(MEMBER_REQUEST);
        match self.status {
            Status::Failed if is_repeated => return Ok(false),
            Status::Success | Status::Failed => return Err(Error::AlreadyDecided),
            Status::Pending if is_seen || is_approved => return Err(Error::PaymentSeen),
            Status::Pending => {}
        }
        self.description = TAKEN_BACK.to_owned();
        self.reason_code = Some(MEMBER_REQUEST.to_owned());
        self.decide(Status::Failed, None, now);
        Ok(true)
    }

    /// The fee of an open withdrawal came from outside: the payout is the full amount, at the rate that was quoted.
    ///
    /// # Errors
    /// `NotFound` for what is no withdrawal; `Amount` if the units do not fit.
    pub fn take_fee_payment(&mut self) -> Result<(), Error> {
        let amount = self.amount;
        let withdrawal = self.as_withdrawal_mut()?;
        if let Some(quote) = &mut withdrawal.quote {
            quote.units = quote.conversion.units_paid(amount)?;
        }
        withdrawal.fee_paid = true;
        withdrawal.net_amount = amount;
        Ok(())
    }

    /// Names the missing destination.
    ///
    /// # Errors
    /// `AlreadyDecided`, `DestinationAlreadySet`, `NotFound` for what is no withdrawal.
    pub fn set_destination(&mut self, destination: Destination) -> Result<(), Error> {
        self.check_lacks_destination()?;
        self.as_withdrawal_mut()?.destination = Some(destination);
        Ok(())
    }

    /// An open withdrawal whose destination is to be named; its method.
    ///
    /// # Errors
    /// `AlreadyDecided`, `DestinationAlreadySet`, `NotFound` for what is no withdrawal.
    pub fn check_lacks_destination(&self) -> Result<&MethodCopy, Error> {
        let withdrawal = self.as_withdrawal().ok_or(Error::NotFound)?;
        if self.status != Status::Pending {
            return Err(Error::AlreadyDecided);
        }
        if withdrawal.destination.is_some() {
            return Err(Error::DestinationAlreadySet);
        }
        Ok(&withdrawal.method)
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
