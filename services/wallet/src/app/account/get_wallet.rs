//! Returns the wallet of a member.

use chassis::db::Db;
use chassis::id::MemberId;

use crate::domain::wallet::Wallet;
use crate::error::Error;
use crate::posting;
use crate::store::accounts;

/// The member's balances and flags; makes the accounts on first need.
pub async fn get_wallet(db: &Db, user_id: MemberId) -> Result<Wallet, Error> {
    let mut conn = db.conn().await?;
    if let Some(wallet) = accounts::wallet(&mut conn, user_id).await? {
        return Ok(wallet);
    }
    posting::open_accounts(&mut conn, user_id).await?;
    accounts::wallet(&mut conn, user_id).await?.ok_or(Error::AccountMissing)
}
