//! A member asks for a payout: the gross amount is held at once.

use chassis::clock;
use chassis::db::Db;
use chassis::idempotency::{Answer, Claim, Work};
use chassis::money::Cents;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::app::check_withdrawals_open;
use crate::domain::account::AccountRef;
use crate::domain::transaction::{Destination, MethodCopy, Transaction};
use crate::error::Error;
use crate::events::published;
use crate::posting::{self, Posting};
use crate::store::{accounts, transactions};

/// What the member asks for.
#[derive(Debug, Clone)]
pub struct RequestWithdrawal {
    /// The caller.
    pub user_id: Uuid,
    /// The gross amount.
    pub amount: Cents,
    /// By which method.
    pub method: MethodCopy,
    /// Where to; may be named later.
    pub destination: Option<Destination>,
    /// The caller's key.
    pub claim: Option<Claim>,
}

/// Holds the gross amount and queues the payout for review.
///
/// # Errors
/// `WithdrawalsStopped`, `WithdrawalPending`, `InsufficientBalance`, the database's.
pub async fn request_withdrawal(db: &Db, command: &RequestWithdrawal) -> Result<Answer<Transaction>, Error> {
    let mut work = Work::begin::<Error>(db, command.claim.clone()).await?;
    if let Some(answer) = work.replay::<_, Error>()? {
        return Ok(answer);
    }
    let result = hold(&mut work, command).await;
    work.settle(result).await
}

async fn hold(conn: &mut PgConnection, command: &RequestWithdrawal) -> Result<Transaction, Error> {
    let now = clock::now(conn).await?;
    let user_id = command.user_id;
    posting::lock_member(conn, user_id).await?;
    check_withdrawals_open(conn).await?;
    let wallet = accounts::wallet(conn, user_id).await?.ok_or(Error::AccountMissing)?;
    if wallet.is_withdrawal_pending {
        return Err(Error::WithdrawalPending);
    }
    let (method, destination) = (command.method.clone(), command.destination.clone());
    let transaction = Transaction::withdrawal(user_id, command.amount, method, destination, now)?;
    let (from, to) = (AccountRef::available(user_id), AccountRef::held(user_id));
    let hold = Posting::transfer("withdrawal_hold", user_id, transaction.id, from, to, command.amount)?;
    posting::post(conn, &[hold]).await?;
    transactions::insert(conn, &transaction).await?;
    published::withdrawal_requested(conn, &transaction).await?;
    Ok(transaction)
}
