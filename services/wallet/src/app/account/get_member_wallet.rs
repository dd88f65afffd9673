//! Returns the wallet of a member to staff.

use chassis::db::Db;
use chassis::id::MemberId;

use crate::domain::wallet::Wallet;
use crate::error::Error;
use crate::store::accounts;
use crate::store::entries::{self, LedgerEntry};

const NEWEST: i64 = 100;

/// The member's balances and newest entries; all zero before they had accounts. Looking makes none.
pub async fn get_member_wallet(db: &Db, user_id: MemberId) -> Result<(Wallet, Vec<LedgerEntry>), Error> {
    let mut conn = db.conn().await?;
    let wallet = accounts::wallet(&mut conn, user_id).await?.unwrap_or_else(|| Wallet::empty(user_id));
    Ok((wallet, entries::newest(&mut conn, user_id, NEWEST).await?))
}
