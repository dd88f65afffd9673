//! A member reports a separate payment of the fee for their open withdrawal. This is optional: without it, the fee is
//! deducted from the payout.

use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::error::Refusal;
use chassis::id::{MemberId, TransactionId};
use chassis::idempotency::{self, Answer, Claim};

use crate::app::lock_transaction;
use crate::domain::transaction::{Details, PaymentClaim, Purpose, Status, Transaction, Withdrawal};
use crate::error::Error;
use crate::events::published;
use crate::store::{receipts, transactions};

#[derive(Debug, Clone)]
pub struct PayWithdrawalFee {
    pub user_id: MemberId,
    pub withdrawal_id: TransactionId,
    pub payment: PaymentClaim,
    pub claim: Option<Claim>,
}

/// Records the payment as pending.
///
/// # Errors
/// `NotFound`, `AlreadyDecided`, `FeeTooLate` once the payout is approved, `FeeAlreadyPaid`, `FeePending`, Invalid for
/// another amount than the fee.
pub async fn pay_withdrawal_fee(db: &Db, command: &PayWithdrawalFee) -> Result<Answer<Transaction>, Error> {
    idempotency::once(db, command.claim.clone(), async |conn| record(conn, command).await).await
}

async fn record(conn: &mut PgConnection, command: &PayWithdrawalFee) -> Result<Transaction, Error> {
    let now = clock::now(conn).await?;
    let fee = open_withdrawal(conn, command).await?.fee;
    if command.payment.amount != fee {
        return Err(Error::Refused(Refusal::field("amount", format!("The fee of this withdrawal is {fee}."))));
    }
    if transactions::has_pending_fee(conn, command.withdrawal_id).await? {
        return Err(Error::FeePending);
    }
    let purpose = Purpose::Fee { withdrawal_id: command.withdrawal_id };
    let transaction = Transaction::payment(command.user_id, purpose, command.payment.clone(), now);
    transactions::insert(conn, &transaction).await?;
    if let Some(receipt) = &command.payment.receipt {
        receipts::record(conn, command.user_id, &receipt.key, transaction.id).await?;
    }
    published::fee_requested(&transaction).enqueue(conn).await?;
    Ok(transaction)
}

async fn open_withdrawal(conn: &mut PgConnection, command: &PayWithdrawalFee) -> Result<Withdrawal, Error> {
    let found = transactions::find(conn, command.withdrawal_id).await?.ok_or(Error::NotFound)?;
    if found.user_id != command.user_id || found.as_withdrawal().is_none() {
        return Err(Error::NotFound);
    }
    let locked = lock_transaction(conn, found.id).await?;
    if locked.status != Status::Pending {
        return Err(Error::AlreadyDecided);
    }
    let Details::Withdrawal(withdrawal) = locked.details else { return Err(Error::NotFound) };
    if withdrawal.fee_paid {
        return Err(Error::FeeAlreadyPaid);
    }
    if withdrawal.approval.is_some() {
        return Err(Error::FeeTooLate);
    }
    Ok(withdrawal)
}
