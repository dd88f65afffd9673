//! Returns the wallets of several members to staff.

use chassis::across;
use chassis::db::Db;
use chassis::error::Refusal;
use chassis::id::MemberId;
use chassis::page::LARGEST;

use crate::domain::wallet::Wallet;
use crate::error::Error;
use crate::store::accounts;

/// The members' balances, without their holds; nothing for those who had no accounts yet.
///
/// # Errors
/// Wrong fields if there are more than the largest page of a list.
pub async fn list_member_wallets(db: &Db, user_ids: &[MemberId]) -> Result<Vec<Wallet>, Error> {
    if user_ids.len() > usize::from(LARGEST) {
        return Err(Refusal::field("userIds", format!("At most {LARGEST} members are looked up at once.")).into());
    }
    let mut conn = db.conn().await?;
    Ok(across!(conn, accounts::wallets(&mut conn, user_ids)).concat())
}
