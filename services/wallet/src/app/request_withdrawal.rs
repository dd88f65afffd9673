//! A member asks for a payout: the gross amount is held at once.

use chassis::batch::Batch;
use chassis::clock;
use chassis::db::Db;
use chassis::idempotency::{Answer, Claim, Work};
use chassis::money::Cents;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::app::check_withdrawals_open;
use crate::domain::account::AccountRef;
use crate::domain::transaction::{Destination, MethodCopy, Transaction};
use crate::error::Error;
use crate::events::published;
use crate::posting::ledger::Ledger;
use crate::posting::{self, Guard, Movement, Posting};
use crate::store::accounts;

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

/// Tells whether withdrawals are open, to many requests at once.
#[derive(Clone)]
pub struct Gate(Batch<(), bool>);

impl Gate {
    /// Of this database. Call inside the runtime.
    #[must_use]
    pub fn new(db: Db) -> Self {
        Self(Batch::new(move |asked: Vec<()>| {
            let db = db.clone();
            async move {
                let look = async { check_withdrawals_open(&mut *db.conn().await?).await };
                vec![look.await.is_ok(); asked.len()]
            }
        }))
    }

    /// Whether they are; false if nobody can tell.
    pub async fn is_open(&self) -> bool {
        self.0.ask(()).await == Some(true)
    }
}

/// Holds the gross amount and queues the payout for review. A stop that began since the gate was found open finds this
/// request as if it had come before.
///
/// # Errors
/// `WithdrawalsStopped`, `WithdrawalPending`, `InsufficientBalance`, Unavailable, the database's.
pub async fn request_withdrawal(
    ledger: &Ledger,
    is_open: bool,
    command: &RequestWithdrawal,
) -> Result<Answer<Transaction>, Error> {
    let (movement, transaction) = movement(command, ledger.now().await?)?;
    if is_open && let Some(answer) = ledger.apply(movement, command.claim.as_ref(), transaction).await? {
        return Ok(answer);
    }
    let mut work = Work::begin::<Error>(ledger.db(), command.claim.clone()).await?;
    if let Some(answer) = work.replay::<_, Error>()? {
        return Ok(answer);
    }
    let result = hold(&mut work, command).await;
    work.settle(result).await
}

async fn hold(conn: &mut PgConnection, command: &RequestWithdrawal) -> Result<Transaction, Error> {
    let now = clock::now(conn).await?;
    posting::lock_member(conn, command.user_id).await?;
    check_withdrawals_open(conn).await?;
    let wallet = accounts::wallet(conn, command.user_id).await?.ok_or(Error::AccountMissing)?;
    if wallet.is_withdrawal_pending {
        return Err(Error::WithdrawalPending);
    }
    let (movement, transaction) = movement(command, now)?;
    movement.apply(conn).await?;
    Ok(transaction)
}

fn movement(command: &RequestWithdrawal, now: OffsetDateTime) -> Result<(Movement, Transaction), Error> {
    let user_id = command.user_id;
    let (method, destination) = (command.method.clone(), command.destination.clone());
    let transaction = Transaction::withdrawal(user_id, command.amount, method, destination, now)?;
    let (from, to) = (AccountRef::available(user_id), AccountRef::held(user_id));
    let hold = Posting::transfer("withdrawal_hold", user_id, transaction.id, from, to, command.amount)?;
    let movement = Movement {
        user_id,
        guard: Some(Guard::Withdrawal),
        postings: vec![hold],
        lines: vec![transaction.clone()],
        events: vec![published::withdrawal_requested(&transaction)],
    };
    Ok((movement, transaction))
}
