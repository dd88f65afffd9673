//! Staff looks at what a member has.

use chassis::db::Db;
use uuid::Uuid;

use crate::app::get_wallet::get_wallet;
use crate::domain::wallet::Wallet;
use crate::error::Error;
use crate::store::entries::{self, MemberEntry};

/// Entries shown.
const NEWEST: i64 = 100;

/// The member's balances and newest entries.
///
/// # Errors
/// The database's.
pub async fn get_member_wallet(db: &Db, user_id: Uuid) -> Result<(Wallet, Vec<MemberEntry>), Error> {
    let wallet = get_wallet(db, user_id).await?;
    Ok((wallet, entries::newest(&mut *db.conn().await?, user_id, NEWEST).await?))
}
