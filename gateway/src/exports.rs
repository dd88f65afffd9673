//! How often members download what is kept about them, and how many do at once (D-A12).

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use uuid::Uuid;

use crate::error::ApiError;

/// Downloads at once; each has at most one file in memory.
const AT_ONCE: usize = 2;
/// Downloads of a member in a row, and how long until another one.
const IN_A_ROW: NonZeroU32 = NonZeroU32::MIN.saturating_add(2);
const PAUSE: Duration = Duration::from_secs(20 * 60);

/// The downloads of this process.
pub struct Exports {
    recent: DefaultKeyedRateLimiter<Uuid>,
    places: Arc<Semaphore>,
    clock: DefaultClock,
}

impl Default for Exports {
    fn default() -> Self {
        let quota = Quota::with_period(PAUSE).unwrap_or_else(|| Quota::per_hour(NonZeroU32::MIN));
        Self {
            recent: RateLimiter::keyed(quota.allow_burst(IN_A_ROW)),
            places: Arc::new(Semaphore::new(AT_ONCE)),
            clock: DefaultClock::default(),
        }
    }
}

impl Exports {
    /// A place for one download of this member. The error is 429 with the time to wait.
    pub(crate) fn admit(&self, user_id: Uuid) -> Result<OwnedSemaphorePermit, ApiError> {
        let busy = |delay| ApiError::of_status(StatusCode::TOO_MANY_REQUESTS).retry_after(delay);
        let place = Arc::clone(&self.places).try_acquire_owned().map_err(|_| busy(Duration::from_secs(30)))?;
        self.recent.check_key(&user_id).map_err(|until| busy(until.wait_time_from(self.clock.now())))?;
        self.recent.retain_recent();
        Ok(place)
    }
}

#[cfg(test)]
mod tests {
    use axum::response::IntoResponse;
    use uuid::Uuid;

    use super::Exports;

    /// [D-A12] Three downloads in a row, then a pause; two at once.
    #[test]
    fn downloads_are_bounded() {
        let exports = Exports::default();
        let (one, other) = (Uuid::new_v4(), Uuid::new_v4());
        let status =
            |user_id| exports.admit(user_id).map(drop).map_err(|error| error.into_response().status().as_u16());
        for _ in 0..3 {
            assert_eq!(status(one), Ok(()));
        }
        assert_eq!(status(one), Err(429));
        let _held = [exports.admit(other).unwrap(), exports.admit(other).unwrap()];
        assert_eq!(status(other), Err(429));
    }
}
