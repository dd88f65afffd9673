//! A member's wallet is closed for good, if nothing is in it and nothing is open (D-A12).

use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::money::Cents;
use uuid::Uuid;

use crate::domain::wallet::Wallet;
use crate::error::Error;
use crate::posting;
use crate::store::accounts;
use crate::store::closed_wallets::{self, Open};

/// Closes it. What is requested at the same moment comes before, and is found open, or after, and is refused.
///
/// # Errors
/// `AccountInUse` with everything that stands in the way.
pub async fn close_wallet(db: &Db, user_id: Uuid) -> Result<(), Error> {
    let mut tx = db.begin().await?;
    close(&mut tx, user_id).await?;
    chassis::crash_point!("wallet.close.before_commit");
    tx.commit().await?;
    chassis::crash_point!("wallet.close.after_commit");
    Ok(())
}

/// Whether it could be closed now.
///
/// # Errors
/// `AccountInUse` with everything that stands in the way.
pub async fn check_closing(db: &Db, user_id: Uuid) -> Result<(), Error> {
    let mut conn = db.conn().await?;
    if closed_wallets::is_closed(&mut conn, user_id).await? { Ok(()) } else { check_empty(&mut conn, user_id).await }
}

async fn close(conn: &mut PgConnection, user_id: Uuid) -> Result<(), Error> {
    let now = clock::now(conn).await?;
    posting::lock_member(conn, user_id).await?;
    if closed_wallets::is_closed(conn, user_id).await? {
        return Ok(());
    }
    check_empty(conn, user_id).await?;
    Ok(closed_wallets::insert(conn, user_id, now).await?)
}

async fn check_empty(conn: &mut PgConnection, user_id: Uuid) -> Result<(), Error> {
    let wallet = accounts::wallet(conn, user_id).await?.ok_or(Error::AccountMissing)?;
    let open = closed_wallets::open_matters(conn, user_id).await?;
    let matters = matters(&wallet, &open);
    if matters.is_empty() { Ok(()) } else { Err(Error::AccountInUse(matters)) }
}

/// What stands in the way, by its name in the API.
fn matters(wallet: &Wallet, open: &Open) -> Vec<&'static str> {
    let has = |amount: Cents| amount != Cents::ZERO;
    let all = [
        (has(wallet.available), "BALANCE"),
        (has(wallet.bonus), "BONUS"),
        (has(wallet.held) || wallet.is_withdrawal_pending, "WITHDRAWAL"),
        (open.payment, "PAYMENT"),
        (has(wallet.invested) || open.trade, "TRADE"),
        (has(wallet.on_hold), "ON_HOLD"),
        (has(wallet.owed), "OWED"),
        (open.review, "REVIEW"),
    ];
    all.into_iter().filter_map(|(is_open, name)| is_open.then_some(name)).collect()
}
