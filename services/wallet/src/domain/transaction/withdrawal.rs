//! Withdrawals: approved, paid, corrected, cancelled.

use chassis::id::{MemberId, StaffId};
use chassis::money::{AmountError, Cents};
use time::{Duration, OffsetDateTime};

use super::details::{Approval, Destination, Details, Lease, MethodCopy, PayoutPrice, Sent, Withdrawal};
use super::kind::Status;
use super::{MEMBER_REQUEST, Transaction};
use crate::domain::limits::{self, TWO_PEOPLE_FROM};
use crate::domain::txid::Txid;
use crate::error::Error;

/// How long a treasurer has for a payout before others may make it.
const LEASE: Duration = Duration::minutes(15);

/// What a member reads of a withdrawal that their report of foreign activity cancelled.
const CANCELLED: &str =
    "Cancelled because you told us that someone else used your account. The amount is back in your balance.";

impl Transaction {
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
    /// `NotApproved`, `DestinationMissing`, `SecondPersonRequired`, `NotFound` if it is not a withdrawal.
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

    /// Ends a withdrawal without a person: the member reported that someone else used the account.
    pub fn cancel(&mut self, now: OffsetDateTime) {
        self.description = CANCELLED.to_owned();
        self.reason_code = Some(MEMBER_REQUEST.to_owned());
        self.decide(Status::Failed, None, now);
    }

    /// The fee of an open withdrawal came from outside: the payout is the full amount, at the rate that was quoted.
    ///
    /// # Errors
    /// `NotFound` if it is not a withdrawal; `Amount` if the units do not fit.
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
    /// `AlreadyDecided`, `DestinationAlreadySet`, `NotFound` if it is not a withdrawal.
    pub fn set_destination(&mut self, destination: Destination) -> Result<(), Error> {
        self.check_lacks_destination()?;
        self.as_withdrawal_mut()?.destination = Some(destination);
        Ok(())
    }

    /// An open withdrawal whose destination is to be named; its method.
    ///
    /// # Errors
    /// `AlreadyDecided`, `DestinationAlreadySet`, `NotFound` if it is not a withdrawal.
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
}
