//! A member requests a withdrawal: the gross amount is held immediately.

use chassis::batch::Batch;
use chassis::db::Db;
use chassis::error::Refusal;
use chassis::idempotency::{Answer, Claim};
use chassis::money::Cents;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::app::{answered_before, check_withdrawals_open};
use crate::domain::account::AccountRef;
use crate::domain::destination::PayoutAddress;
use crate::domain::limits::Limits;
use crate::domain::posting_kind::{Cause, PostingKind};
use crate::domain::transaction::{Destination, MethodCopy, QuoteCopy, Transaction};
use crate::error::Error;
use crate::events::published;
use crate::posting::ledger::Ledger;
use crate::posting::{Movement, Posting, Precondition};
use crate::store::destinations;

#[derive(Debug, Clone)]
pub struct RequestWithdrawal {
    pub user_id: Uuid,
    /// The gross amount.
    pub amount: Cents,
    pub method: MethodCopy,
    /// Where to; may be named later.
    pub destination: Option<Destination>,
    /// Whether that is known; otherwise the member has to confirm it.
    pub is_known: bool,
    /// Of this amount and method; unset for what is valued when it is paid.
    pub quote: Option<QuoteCopy>,
    pub claim: Option<Claim>,
}

/// Answers whether withdrawals are open, to many requests at once.
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

    /// Whether they are; false if it cannot be determined.
    pub async fn is_open(&self) -> bool {
        self.0.ask(()).await == Some(true)
    }
}

/// Looks up for many requests at once since when their destinations are known.
#[derive(Clone)]
pub struct Book(Batch<(Uuid, PayoutAddress), Option<OffsetDateTime>>);

impl Book {
    /// Of this database. Call inside the runtime.
    #[must_use]
    pub fn new(db: Db) -> Self {
        Self(Batch::new(move |wanted: Vec<(Uuid, PayoutAddress)>| {
            let db = db.clone();
            async move {
                let look = async { destinations::known_since(&mut *db.conn().await?, &wanted).await };
                look.await.unwrap_or_default()
            }
        }))
    }

    /// The destination, unless the member knows it: then `None`.
    ///
    /// # Errors
    /// Unavailable if the database does not answer.
    pub async fn unless_known(
        &self,
        user_id: Uuid,
        to: Option<PayoutAddress>,
    ) -> Result<Option<PayoutAddress>, Refusal> {
        let Some(to) = to else { return Ok(None) };
        let known_since = self.0.ask((user_id, to.clone())).await.ok_or_else(Refusal::unavailable)?;
        Ok(known_since.is_none().then_some(to))
    }
}

/// Holds the gross amount and queues the payout for review. A stop that began since the gate was found open finds this
/// request as if it had come before.
///
/// # Errors
/// `WithdrawalsStopped`, `WithdrawalPending`, `LimitReached`, `InsufficientBalance`, `AmountOwed`, `QuoteUsed`,
/// Unavailable.
pub async fn request_withdrawal(
    ledger: &Ledger,
    limits: &Limits,
    is_open: bool,
    command: &RequestWithdrawal,
) -> Result<Answer<Transaction>, Error> {
    if !is_open {
        // Nobody could tell, or they are stopped: a repetition is answered as before all the same.
        if let Some(answer) = answered_before(ledger.db(), command.claim.as_ref()).await? {
            return Ok(answer);
        }
        check_withdrawals_open(&mut *ledger.db().conn().await?).await?;
    }
    let (movement, transaction) = movement(command, limits, ledger.now().await?)?;
    ledger.post(movement, command.claim.clone(), transaction).await
}

fn movement(
    command: &RequestWithdrawal,
    limits: &Limits,
    now: OffsetDateTime,
) -> Result<(Movement, Transaction), Error> {
    let user_id = command.user_id;
    let (method, to) = (command.method.clone(), (command.destination.clone(), command.is_known.then_some(now)));
    let transaction = Transaction::withdrawal(user_id, command.amount, method, to, now)?.quoted(command.quote.clone());
    let way = (AccountRef::available(user_id), AccountRef::held(user_id));
    let cause = Cause::Transaction(transaction.id);
    let hold = Posting::transfer(PostingKind::WithdrawalHold, cause, user_id, way, command.amount)?;
    let movement = Movement {
        user_id,
        precondition: Some(Precondition::WithdrawalAllowed {
            amount: command.amount,
            min: limits.withdrawal_min,
            allowances: limits.allowances,
            at: now,
        }),
        postings: vec![hold],
        lines: vec![transaction.clone()],
        events: vec![published::withdrawal_requested(&transaction)],
    };
    Ok((movement, transaction))
}
