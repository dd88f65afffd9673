//! GetFactors: returns the caller's second factors.

use chassis::clock;
use chassis::db::PgConnection;
use chassis::identity::Session;
use time::OffsetDateTime;

use crate::app::{App, SecondFactor};
use crate::domain::totp::STEP_UP_LIFE;
use crate::error::{Error, unauthenticated};
use crate::store::{authenticators, passkeys, recovery_codes, sessions};

pub struct Factors {
    /// Whether the caller may not be without one.
    pub required: bool,
    /// Whether an authenticator is in force.
    pub enrolled: bool,
    pub passkeys: i64,
    /// Recovery codes that were not used.
    pub recovery_codes_left: i64,
    /// Until when the second factor that was given counts.
    pub stepped_up_until: Option<OffsetDateTime>,
}

pub async fn get_factors(app: &App, session: &Session) -> Result<Factors, Error> {
    factors(app, &mut *app.db.conn().await?, session).await
}

/// The same over a connection at hand.
pub async fn factors(app: &App, conn: &mut PgConnection, session: &Session) -> Result<Factors, Error> {
    let now = clock::now(conn).await?;
    let live = sessions::live(conn, &[session.id]).await?.pop().ok_or_else(unauthenticated)?;
    Ok(Factors {
        required: session.role.is_some() && app.second_factor == SecondFactor::Required,
        enrolled: authenticators::in_force(conn, session.user_id).await?.is_some(),
        passkeys: passkeys::count(conn, session.user_id).await?,
        recovery_codes_left: recovery_codes::left(conn, session.user_id).await?,
        stepped_up_until: live.stepped_up.map(|given| given.at + STEP_UP_LIFE).filter(|until| *until > now),
    })
}
