//! A step of several use cases: opening a session, in their transaction.

use chassis::db::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::app::security::security_log;
use crate::domain::device::Device;
use crate::domain::second_factor::SteppedUp;
use crate::domain::security_event::Kind;
use crate::domain::security_link::Purpose;
use crate::domain::session::{self, Session};
use crate::domain::user::User;
use crate::error::Error;
use crate::events::published;
use crate::store::{known_devices, security_links, sessions};

#[derive(Debug, Clone)]
pub struct SignedIn {
    pub user: User,
    /// Of the new session.
    pub token: String,
}

/// Opens a session, stepped up if a second factor was given, and records the device. The member is mailed about a new
/// device, but not about the first one (D-R12).
pub async fn session(
    conn: &mut PgConnection,
    user: &User,
    device: &Device,
    stepped_up: Option<SteppedUp>,
    now: OffsetDateTime,
) -> Result<Session, Error> {
    let session = Session {
        id: Uuid::new_v4().into(),
        user_id: user.id,
        created_at: now,
        last_seen_at: now,
        idle_until: now + session::idle(user.role),
        expires_at: now + session::life(user.role),
        device: device.family.clone(),
        address: device.address.clone(),
        device_key: device.key.clone(),
    };
    sessions::insert(&mut *conn, &session, stepped_up).await?;
    security_log::done(&mut *conn, (user.id, user.role), Kind::SignIn, Some(device), now).await?;
    // An unverified address may be a stranger's.
    if known_devices::note(&mut *conn, user.id, device, now).await? && user.verified_at.is_some() {
        let link = security_links::insert(&mut *conn, (user.id, &user.email), Purpose::NotMe, now).await?;
        published::new_device_signed_in(conn, user.id, device, link).await?;
    }
    Ok(session)
}
