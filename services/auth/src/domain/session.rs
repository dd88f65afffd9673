//! How long a session lives.

use chassis::id::{SessionId, UserId};
use chassis::identity::Role;
use time::{Duration, OffsetDateTime};

/// Use is noted at most this often.
pub const NOTED_EVERY: Duration = Duration::minutes(1);

/// How long a session lives, used or not: of staff, a day of work.
#[must_use]
pub const fn life(role: Option<Role>) -> Duration {
    match role {
        None => Duration::days(7),
        Some(_) => Duration::hours(12),
    }
}

/// How long a session lives unused.
#[must_use]
pub const fn idle(role: Option<Role>) -> Duration {
    match role {
        None => Duration::minutes(30),
        Some(_) => Duration::minutes(15),
    }
}

#[derive(Debug, Clone)]
pub struct Session {
    pub id: SessionId,
    pub user_id: UserId,
    pub created_at: OffsetDateTime,
    /// When it was last used, give or take [`NOTED_EVERY`].
    pub last_seen_at: OffsetDateTime,
    /// When it ends unless used.
    pub idle_until: OffsetDateTime,
    /// When it ends in any case.
    pub expires_at: OffsetDateTime,
    /// Browser and system family.
    pub device: String,
    /// The address it was opened from.
    pub address: String,
    /// The thumbprint of the key that it is bound to, if it is (D-A10).
    pub device_key: Option<String>,
}
