//! A member reports a payment: it is recorded for review, without an effect on the balance.

use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::id::MemberId;
use chassis::idempotency::{self, Answer, Claim};

use crate::domain::limits::Limits;
use crate::domain::transaction::{PaymentClaim, Purpose, QuoteCopy, Transaction};
use crate::error::Error;
use crate::events::published;
use crate::posting;
use crate::store::{accounts, receipts, transactions};

#[derive(Debug, Clone)]
pub struct RequestDeposit {
    pub user_id: MemberId,
    /// The balance or the course.
    pub purpose: Purpose,
    pub payment: PaymentClaim,
    /// Of this amount and method; unset for what is valued on arrival.
    pub quote: Option<QuoteCopy>,
    pub claim: Option<Claim>,
}

/// Records the payment as pending.
///
/// # Errors
/// `TooManyPendingDeposits`, `CourseAlreadyPurchased`, `CoursePaymentPending`, `QuoteUsed`.
pub async fn request_deposit(db: &Db, limits: &Limits, command: &RequestDeposit) -> Result<Answer<Transaction>, Error> {
    idempotency::once(db, command.claim.clone(), async |conn| record(conn, limits, command).await).await
}

async fn record(conn: &mut PgConnection, limits: &Limits, command: &RequestDeposit) -> Result<Transaction, Error> {
    let now = clock::now(conn).await?;
    posting::lock_member(conn, command.user_id).await?;
    if command.purpose == Purpose::Course {
        refuse_second_course(conn, command.user_id).await?;
    }
    refuse_too_many(conn, limits, command.user_id).await?;
    let transaction = Transaction::payment(command.user_id, command.purpose, command.payment.clone(), now);
    let transaction = transaction.quoted(command.quote.clone());
    transactions::insert(conn, &transaction).await?;
    if let Some(receipt) = &command.payment.receipt {
        receipts::record(conn, command.user_id, &receipt.key, transaction.id).await?;
    }
    published::deposit_requested(&transaction).enqueue(conn).await?;
    Ok(transaction)
}

/// Refuses who has enough payments in review. The member must be locked.
///
/// # Errors
/// `TooManyPendingDeposits`.
pub(crate) async fn refuse_too_many(conn: &mut PgConnection, limits: &Limits, user_id: MemberId) -> Result<(), Error> {
    if transactions::pending_deposits(conn, user_id).await? >= limits.pending_deposits {
        return Err(Error::TooManyPendingDeposits(limits.pending_deposits));
    }
    Ok(())
}

/// Refuses who owns the course or has a payment for it in review. The member must be locked.
///
/// # Errors
/// `CourseAlreadyPurchased`; `CoursePaymentPending` while another payment waits for review.
pub(crate) async fn refuse_second_course(conn: &mut PgConnection, user_id: MemberId) -> Result<(), Error> {
    let wallet = accounts::wallet(conn, user_id).await?.ok_or(Error::AccountMissing)?;
    if wallet.has_purchased_course {
        return Err(Error::CourseAlreadyPurchased);
    }
    if wallet.is_course_payment_pending {
        return Err(Error::CoursePaymentPending);
    }
    Ok(())
}
