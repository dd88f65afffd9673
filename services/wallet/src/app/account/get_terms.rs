//! Returns limits, fee and prices; to a member also the remainder of their limits.

use chassis::id::MemberId;

use crate::domain::limits::{Limits, Rest};
use crate::error::Error;
use crate::posting::ledger::Ledger;
use crate::store::withdrawals;

/// What a member may still withdraw by the allowances, and from when on there is more.
pub async fn get_withdrawal_rest(ledger: &Ledger, limits: &Limits, user_id: MemberId) -> Result<Rest, Error> {
    let now = ledger.now().await?;
    withdrawals::rest(&mut *ledger.db().conn().await?, user_id, &limits.allowances, None, now).await
}
