//! GetPayoutState: returns the reasons why payouts of an account have to wait, for the wallet (D-A5, D-R13).

use chassis::id::UserId;
use chassis::identity::PayoutState;
use time::OffsetDateTime;

use crate::app::App;
use crate::error::Error;
use crate::store::payout_safeguards;

/// The state now; an unknown account has nothing to wait for. A payout to a destination that became known after a first
/// login from a new device also waits after that.
pub async fn get_payout_state(
    app: &App,
    user_id: UserId,
    destination_known_at: Option<OffsetDateTime>,
) -> Result<PayoutState, Error> {
    let mut conn = app.db.conn().await?;
    let state = payout_safeguards::state(&mut conn, user_id, destination_known_at, app.cooling_off).await?;
    Ok(state.unwrap_or_default())
}
