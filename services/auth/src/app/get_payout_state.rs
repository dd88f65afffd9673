//! GetPayoutState: what keeps payouts of an account waiting, for the wallet (D-A5, D-R13).

use chassis::identity::PayoutState;
use uuid::Uuid;

use super::App;
use crate::error::Error;
use crate::store::payout_safeguards;

/// The state now; an unknown account has nothing to wait for.
///
/// # Errors
/// The database's.
pub async fn get_payout_state(app: &App, user_id: Uuid) -> Result<PayoutState, Error> {
    Ok(payout_safeguards::state(&mut *app.db.conn().await?, user_id).await?.unwrap_or_default())
}
