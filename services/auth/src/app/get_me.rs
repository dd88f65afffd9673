//! GetMe: the calling staff member's account and second factor.

use chassis::caller::Session;
use chassis::clock;
use time::OffsetDateTime;

use super::{App, SecondFactor};
use crate::domain::totp::STEP_UP_LIFE;
use crate::domain::user::User;
use crate::error::{Error, unauthenticated};
use crate::store::{authenticators, recovery_codes, sessions, users};

/// How somebody stands.
pub struct Me {
    /// The account.
    pub user: User,
    /// Whether staff need a second factor here.
    pub required: bool,
    /// Whether an authenticator is in force.
    pub enrolled: bool,
    /// Recovery codes that were not used.
    pub recovery_codes_left: i64,
    /// Until when the second factor that was given counts.
    pub stepped_up_until: Option<OffsetDateTime>,
    /// New staff: from when on they may decide.
    pub decides_from: Option<OffsetDateTime>,
}

/// Looks.
///
/// # Errors
/// The database's.
pub async fn get_me(app: &App, session: &Session) -> Result<Me, Error> {
    let mut conn = app.db.conn().await?;
    let now = clock::now(&mut conn).await?;
    let user = users::find(&mut conn, session.user_id).await?.ok_or_else(unauthenticated)?;
    let live = sessions::live(&mut conn, &[session.id]).await?.pop().ok_or_else(unauthenticated)?;
    Ok(Me {
        required: app.second_factor == SecondFactor::Required,
        enrolled: authenticators::in_force(&mut conn, user.id).await?.is_some(),
        recovery_codes_left: recovery_codes::left(&mut conn, user.id).await?,
        stepped_up_until: live.stepped_up_at.map(|at| at + STEP_UP_LIFE).filter(|until| *until > now),
        decides_from: session.decides_from,
        user,
    })
}
