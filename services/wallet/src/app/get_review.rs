//! Staff opens a transaction with all facts for a decision.

use chassis::db::Db;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::domain::limits::{self, Limits};
use crate::domain::transaction::{Kind, Transaction};
use crate::domain::txid::Txid;
use crate::domain::wallet::Wallet;
use crate::error::Error;
use crate::store::{accounts, transactions};

/// One fact of the checklist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// Which.
    pub name: &'static str,
    /// Whether it speaks for the transaction.
    pub ok: bool,
    /// What was found.
    pub detail: String,
    /// Other transactions it concerns.
    pub transaction_ids: Vec<Uuid>,
}

/// A transaction with what is known about it.
#[derive(Debug, Clone)]
pub struct Review {
    /// It.
    pub transaction: Transaction,
    /// The checklist.
    pub checks: Vec<Check>,
    /// What the member has.
    pub wallet: Wallet,
}

/// The transaction, to know which method it names.
///
/// # Errors
/// `NotFound`, the database's.
pub async fn get(db: &Db, id: Uuid) -> Result<Transaction, Error> {
    transactions::find(&mut *db.conn().await?, id).await?.ok_or(Error::NotFound)
}

/// The facts about a transaction. `current_address` is the address that its platform method has now, if that could be
/// asked.
///
/// # Errors
/// The database's.
pub async fn get_review(
    db: &Db,
    limits: &Limits,
    transaction: Transaction,
    current_address: Option<String>,
) -> Result<Review, Error> {
    let mut conn = db.conn().await?;
    let mut checks = Vec::new();
    if let Some(receipt) = &transaction.receipt {
        let others = transactions::with_receipt(&mut conn, &receipt.digest, transaction.id).await?;
        checks.push(found_before("receipt_seen_before", "proof of payment", others));
    }
    if let Some(text) = &transaction.claimed_txid {
        let key = Txid::parse(text)?.key;
        let others = transactions::with_txid(&mut conn, text, &key, transaction.id).await?;
        checks.push(found_before("txid_used_before", "transaction hash", others));
    }
    if transaction.kind != Kind::Withdrawal
        && let Some(method) = &transaction.method
    {
        checks.push(address_as_shown(&method.address, current_address));
    }
    checks.push(amount_in_limits(limits, &transaction));
    checks.push(member_history(&mut conn, transaction.user_id).await?);
    let wallet = accounts::wallet(&mut conn, transaction.user_id).await?.ok_or(Error::AccountMissing)?;
    Ok(Review { transaction, checks, wallet })
}

fn found_before(name: &'static str, what: &str, transaction_ids: Vec<Uuid>) -> Check {
    let detail = match transaction_ids.len() {
        0 => format!("This {what} has not been seen before."),
        1 => format!("This {what} belongs to one other transaction."),
        many => format!("This {what} belongs to {many} other transactions."),
    };
    Check { name, ok: transaction_ids.is_empty(), detail, transaction_ids }
}

fn address_as_shown(shown: &str, current: Option<String>) -> Check {
    let (ok, detail) = match current {
        Some(current) if current == shown => (true, "The address shown is the one in force.".to_owned()),
        Some(current) => (false, format!("The member was shown {shown}; in force now is {current}.")),
        None => (false, format!("The member was shown {shown}; the method cannot be looked up now.")),
    };
    Check { name: "address_as_shown", ok, detail, transaction_ids: Vec::new() }
}

fn amount_in_limits(limits: &Limits, transaction: &Transaction) -> Check {
    let amount = transaction.claimed_amount.unwrap_or(transaction.amount);
    let verdict = match transaction.kind {
        Kind::Deposit => limits.check_deposit(amount),
        Kind::Withdrawal => limits.check_withdrawal(amount),
        Kind::Course => limits::check_course(amount),
        _ => Ok(()),
    };
    let detail =
        verdict.as_ref().err().map_or_else(|| format!("{amount} is within the limits."), |no| no.message.clone());
    Check { name: "amount_in_limits", ok: verdict.is_ok(), detail, transaction_ids: Vec::new() }
}

async fn member_history(conn: &mut PgConnection, user_id: Uuid) -> Result<Check, Error> {
    let track = transactions::track(conn, user_id).await?;
    let since = track.since.map_or_else(|| "now".to_owned(), |at| at.date().to_string());
    let detail = format!("Active since {since}: {} confirmed, {} rejected.", track.confirmed, track.rejected);
    Ok(Check { name: "member_history", ok: track.rejected == 0, detail, transaction_ids: Vec::new() })
}
