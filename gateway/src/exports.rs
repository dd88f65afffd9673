//! How often members download what is kept about them, and how many do at once (D-A12).

use chassis::id::UserId;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use crate::http::error::ApiError;
use crate::middleware::rate::block;
use crate::middleware::shares::{Share, Shares};

/// Downloads at once; each has a page of records or a statement in memory.
const AT_ONCE: u64 = 16;
/// Downloads of a member in a row, and how long until another one.
const IN_A_ROW: NonZeroU32 = NonZeroU32::MIN.saturating_add(2);
const PAUSE: Duration = Duration::from_secs(20 * 60);
/// How long a client may take in all to receive what is ready, beside the time that its bytes buy.
const PATIENCE: Duration = Duration::from_secs(20);
/// Bytes that buy a further second.
const LEAST_RATE: u64 = 32 * 1024;

/// The downloads of this process.
pub struct Exports {
    recent: DefaultKeyedRateLimiter<UserId>,
    members: Arc<Shares<UserId>>,
    blocks: Arc<Shares<IpAddr>>,
    clock: DefaultClock,
}

/// A place for a download; given back when it is dropped.
pub struct Place {
    _of_member: Share<UserId>,
    _of_block: Share<IpAddr>,
}

impl Default for Exports {
    fn default() -> Self {
        let quota = Quota::with_period(PAUSE).unwrap_or_else(|| Quota::per_hour(NonZeroU32::MIN));
        Self {
            recent: RateLimiter::keyed(quota.allow_burst(IN_A_ROW)),
            members: Shares::new(u64::MAX, 1),
            blocks: Shares::new(AT_ONCE, AT_ONCE),
            clock: DefaultClock::default(),
        }
    }
}

impl Exports {
    /// A place for one download of this member. The error is 429 with the time to wait.
    pub(crate) fn admit(&self, user_id: UserId, ip: Option<IpAddr>) -> Result<Place, ApiError> {
        let busy = |delay| ApiError::of_status(StatusCode::TOO_MANY_REQUESTS).retry_after(delay);
        let full = || busy(Duration::from_secs(30));
        let of_member = self.members.take(Some(user_id), 1).ok_or_else(full)?;
        let of_block = self.blocks.take(ip.map(block), 1).ok_or_else(full)?;
        self.recent.check_key(&user_id).map_err(|until| busy(until.wait_time_from(self.clock.now())))?;
        self.recent.retain_recent();
        Ok(Place { _of_member: of_member, _of_block: of_block })
    }
}

/// How fast a client receives its download. Only the time counts in which something was ready for it.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    sent: u64,
    waited: Duration,
}

impl Pace {
    /// How long the client may take for the next part.
    pub(crate) fn patience(&self) -> Duration {
        (PATIENCE + Duration::from_secs(self.sent / LEAST_RATE)).saturating_sub(self.waited)
    }

    /// Counts a part that took so long.
    pub(crate) fn received(&mut self, bytes: usize, took: Duration) {
        self.sent += bytes as u64;
        self.waited += took;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use axum::response::IntoResponse;
    use uuid::Uuid;

    use super::{Exports, Pace};

    /// [D-A12] [D-V1] Three downloads in a row, then a pause; one at once, and those of others go on.
    #[test]
    fn downloads_are_bounded() {
        let exports = Exports::default();
        let admit = |user_id, last: u8| {
            let admitted = exports.admit(user_id, Some([203, 0, last, 1].into()));
            admitted.map_err(|error| error.into_response().status().as_u16())
        };
        let (one, other) = (Uuid::new_v4().into(), Uuid::new_v4().into());
        for _ in 0..3 {
            assert!(admit(one, 1).is_ok());
        }
        assert_eq!(admit(one, 1).err(), Some(429));
        let held = admit(other, 1).ok().unwrap();
        assert_eq!(admit(other, 2).err(), Some(429), "a second one at once");
        let neighbours: Vec<_> = (0..100).filter_map(|_| admit(Uuid::new_v4().into(), 1).ok()).collect();
        assert!(neighbours.len() < 10, "{} of one block", neighbours.len());
        assert!(admit(Uuid::new_v4().into(), 2).is_ok());
        drop(held);
        assert!(admit(other, 2).is_ok());
    }

    /// [D-V1] A client has a least speed over the whole download, not from one part to the next.
    #[test]
    fn a_slow_reader_is_left() {
        let seconds = |kib_a_second: usize| {
            let mut pace = Pace::default();
            let parts = (0..3_600).take_while(|_| {
                let is_in_time = pace.patience() >= Duration::from_secs(1);
                pace.received(kib_a_second << 10, Duration::from_secs(1));
                is_in_time
            });
            parts.count()
        };
        assert!((20..30).contains(&seconds(8)), "{}", seconds(8));
        assert_eq!(seconds(33), 3_600);
    }
}
