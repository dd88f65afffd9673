//! A step of several use cases: the effect of a change of email, password or second factors on payouts, in their
//! transaction.

use chassis::db::PgConnection;
use chassis::id::UserId;
use time::OffsetDateTime;

use crate::app::App;
use crate::domain::safeguard::Change;
use crate::error::Error;
use crate::store::payout_safeguards;

/// Lets payouts of an account cool off after a change (D-A5). A new password also ends a stop (D-A1, D-A6).
pub async fn cool_off(
    app: &App,
    conn: &mut PgConnection,
    user_id: UserId,
    change: Change,
    now: OffsetDateTime,
) -> Result<(), Error> {
    if change == Change::Password {
        payout_safeguards::lift_stop(&mut *conn, user_id).await?;
    }
    Ok(payout_safeguards::note(conn, user_id, change, (now, now + app.cooling_off)).await?)
}
