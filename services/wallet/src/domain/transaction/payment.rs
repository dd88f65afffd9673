//! Payments from outside: claimed, approved, taken back.

use chassis::error::Refusal;
use chassis::id::{MemberId, StaffId};
use chassis::money::Cents;
use time::OffsetDateTime;

use super::details::{Details, FirstApproval, MethodCopy, Payment, Purpose, Receipt};
use super::kind::Status;
use super::{MEMBER_REQUEST, Transaction};
use crate::domain::txid::Txid;
use crate::error::Error;

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

impl Transaction {
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
    /// `AlreadyDecided` if it is not a payment: other transactions are never open.
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
}
