//! A member's wallet is closed for good, if nothing is in it and nothing is open (D-A12). A bonus can be given up (D-M5).

use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::id::MemberId;
use chassis::money::Cents;

use crate::domain::account::{AccountRef, HouseAccount};
use crate::domain::posting_kind::{Cause, PostingKind};
use crate::domain::wallet::Wallet;
use crate::error::Error;
use crate::posting::{self, Posting};
use crate::store::accounts;
use crate::store::closed_wallets::{self, Open};

/// What stands in the way if the member keeps it.
const BONUS: &str = "BONUS";

/// Closes it. What is requested at the same moment comes before, and is found open, or after, and is refused.
///
/// # Errors
/// `AccountInUse` with everything that stands in the way.
pub async fn close_wallet(db: &Db, user_id: MemberId, gives_up_bonus: bool) -> Result<(), Error> {
    let mut tx = db.begin().await?;
    close(&mut tx, user_id, gives_up_bonus).await?;
    chassis::crash_point!("wallet.close.before_commit");
    tx.commit().await?;
    chassis::crash_point!("wallet.close.after_commit");
    Ok(())
}

/// Whether it could be closed now.
///
/// # Errors
/// `AccountInUse` with everything that stands in the way.
pub async fn check_closing(db: &Db, user_id: MemberId, gives_up_bonus: bool) -> Result<(), Error> {
    let mut conn = db.conn().await?;
    if !closed_wallets::is_closed(&mut conn, user_id).await? {
        check_empty(&mut conn, user_id, gives_up_bonus).await?;
    }
    Ok(())
}

async fn close(conn: &mut PgConnection, user_id: MemberId, gives_up_bonus: bool) -> Result<(), Error> {
    let now = clock::now(conn).await?;
    posting::lock_member(conn, user_id).await?;
    if closed_wallets::is_closed(conn, user_id).await? {
        return Ok(());
    }
    let bonus = check_empty(conn, user_id, gives_up_bonus).await?;
    closed_wallets::insert(conn, user_id, bonus, now).await?;
    if bonus == Cents::ZERO {
        return Ok(());
    }
    let way = (AccountRef::bonus(user_id), AccountRef::House(HouseAccount::BonusExpense));
    let posting = Posting::transfer(PostingKind::BonusGivenUp, Cause::Closing(user_id), user_id, way, bonus)?;
    posting::post(conn, &[posting]).await?;
    Ok(())
}

/// The bonus that is given up.
async fn check_empty(conn: &mut PgConnection, user_id: MemberId, gives_up_bonus: bool) -> Result<Cents, Error> {
    let wallet = accounts::wallet(conn, user_id).await?.ok_or(Error::AccountMissing)?;
    let open = closed_wallets::open_matters(conn, user_id).await?;
    let mut matters = matters(&wallet, &open);
    if gives_up_bonus {
        matters.retain(|name| *name != BONUS);
    }
    if matters.is_empty() { Ok(wallet.bonus) } else { Err(Error::AccountInUse(matters)) }
}

/// What stands in the way, by its name in the API.
fn matters(wallet: &Wallet, open: &Open) -> Vec<&'static str> {
    let has = |amount: Cents| amount != Cents::ZERO;
    let all = [
        (has(wallet.available), "BALANCE"),
        (has(wallet.bonus), BONUS),
        (has(wallet.held) || wallet.is_withdrawal_pending, "WITHDRAWAL"),
        (open.payment, "PAYMENT"),
        (has(wallet.invested) || open.trade, "TRADE"),
        (has(wallet.on_hold), "ON_HOLD"),
        (has(wallet.owed), "OWED"),
        (open.review, "REVIEW"),
    ];
    all.into_iter().filter_map(|(is_open, name)| is_open.then_some(name)).collect()
}
