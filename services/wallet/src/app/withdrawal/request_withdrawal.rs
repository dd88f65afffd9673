//! A member requests a withdrawal: the gross amount is held immediately.

use chassis::batch::Batch;
use chassis::db::Db;
use chassis::id::{MemberId, QuoteId};
use chassis::idempotency::{Answer, Claim};
use chassis::money::Cents;
use time::OffsetDateTime;

use crate::app::{answered_before, check_withdrawals_open, ledger::check_ledger};
use crate::domain::account::AccountRef;
use crate::domain::destination::PayoutAddress;
use crate::domain::limits::Limits;
use crate::domain::posting_kind::{Cause, PostingKind};
use crate::domain::transaction::{Destination, MethodCopy, QuoteCopy, Transaction};
use crate::error::Error;
use crate::events::published;
use crate::posting::clock::{Moment, Reading};
use crate::posting::ledger::Ledger;
use crate::posting::{Movement, Posting, Precondition};
use crate::store::withdrawals::{self, Outlook};
use crate::store::{destinations, transactions};

#[derive(Debug, Clone)]
pub struct RequestWithdrawal {
    pub user_id: MemberId,
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

/// Looks up for many requests at once what this database knows of them before they are posted.
#[derive(Clone)]
pub struct Outlooks(Batch<(MemberId, Option<QuoteId>), Seen>);

/// What was found of a request, with the database's clock.
#[derive(Debug, Clone)]
pub struct Seen {
    outlook: Outlook,
    reading: Reading,
}

impl Outlooks {
    /// Of this database. Call inside the runtime.
    #[must_use]
    pub fn new(db: Db) -> Self {
        Self(Batch::new(move |asked: Vec<(MemberId, Option<QuoteId>)>| {
            let db = db.clone();
            async move {
                let look = async {
                    let mut conn = db.conn().await?;
                    let moment = Moment::now();
                    let found = withdrawals::outlooks(&mut conn, &asked, check_ledger::FRESH).await?;
                    Ok::<_, sqlx::Error>((moment, found))
                };
                let Ok((moment, found)) = look.await else { return Vec::new() };
                let seen = |outlook: Outlook| Seen { reading: Reading::new(outlook.now, moment), outlook };
                found.into_iter().map(seen).collect()
            }
        }))
    }

    /// That of a member's request, which may name a quote; `None` if it cannot be determined.
    pub async fn of(&self, user_id: MemberId, quote_id: Option<QuoteId>) -> Option<Seen> {
        self.0.ask((user_id, quote_id)).await
    }
}

/// The destination, unless the member knows it: then `None`. The database is asked only about one that was not seen as it is
/// spelled here.
///
/// # Errors
/// Unavailable if the database does not answer.
pub async fn unless_known(
    db: &Db,
    seen: Option<&Seen>,
    user_id: MemberId,
    to: Option<PayoutAddress>,
) -> Result<Option<PayoutAddress>, Error> {
    let Some(to) = to.filter(|to| !seen.is_some_and(|seen| seen.outlook.known.contains(to))) else { return Ok(None) };
    let known = destinations::find(&mut *db.conn().await?, user_id, &to).await?;
    Ok(known.is_none().then_some(to))
}

/// Whether a transaction has the quote: a request that would lose anyway does not take others of its commit with it.
///
/// # Errors
/// `QuoteUsed`.
pub async fn check_unused(db: &Db, seen: Option<&Seen>, quote_id: QuoteId) -> Result<(), Error> {
    let is_used = match seen {
        Some(seen) => seen.outlook.is_quote_used,
        None => transactions::is_quote_used(&mut *db.conn().await?, quote_id).await?,
    };
    if is_used { Err(Error::QuoteUsed) } else { Ok(()) }
}

/// Holds the gross amount and queues the payout for review. A pause that starts after this check does not affect this
/// request.
///
/// # Errors
/// `WithdrawalsStopped`, `WithdrawalPending`, `LimitReached`, `InsufficientBalance`, `AmountOwed`, `QuoteUsed`,
/// Unavailable.
pub async fn request_withdrawal(
    ledger: &Ledger,
    limits: &Limits,
    seen: Option<&Seen>,
    command: &RequestWithdrawal,
) -> Result<Answer<Transaction>, Error> {
    if !seen.is_some_and(|seen| seen.outlook.is_open) {
        // Nobody could tell, or they are stopped: a repetition is answered as before all the same.
        if let Some(answer) = answered_before(ledger.db(), command.claim.as_ref()).await? {
            return Ok(answer);
        }
        check_withdrawals_open(&mut *ledger.db().conn().await?).await?;
    }
    let (movement, transaction) = movement(command, limits, ledger.now_by(seen.map(|seen| seen.reading)).await?)?;
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
