//! Requests a second, and session requests a minute, that one client address may make.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::Arc;

use axum::http::{StatusCode, Uri};
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use crate::error::ApiError;
use crate::middleware::class::Class;

/// A page brings some fifty files with it.
const FILES_FACTOR: NonZeroU32 = NonZeroU32::MIN.saturating_add(9);

/// Counters by client address.
pub struct Rates {
    api: Option<DefaultKeyedRateLimiter<IpAddr>>,
    session: Option<DefaultKeyedRateLimiter<IpAddr>>,
    files: Option<DefaultKeyedRateLimiter<IpAddr>>,
    clock: DefaultClock,
}

impl Rates {
    /// Requests of the API a second, and session requests a minute; 0 for no limit. Pages and their files may be asked for
    /// ten times as often.
    #[must_use]
    pub fn new(per_second: u32, session_per_minute: u32) -> Arc<Self> {
        let keyed = |rate: NonZeroU32| {
            let quota = Quota::per_second(rate).allow_burst(rate.saturating_mul(NonZeroU32::MIN.saturating_add(3)));
            RateLimiter::keyed(quota)
        };
        let per_second = NonZeroU32::new(per_second);
        Arc::new(Self {
            api: per_second.map(keyed),
            session: NonZeroU32::new(session_per_minute).map(|rate| RateLimiter::keyed(Quota::per_minute(rate))),
            files: per_second.map(|rate| keyed(rate.saturating_mul(FILES_FACTOR))),
            clock: DefaultClock::default(),
        })
    }

    /// Counts a request.
    ///
    /// # Errors
    /// 429 with the time to wait.
    pub fn check(&self, uri: &Uri, class: Class, ip: Option<IpAddr>) -> Result<(), ApiError> {
        let Some(client) = ip.map(subscriber) else { return Ok(()) };
        let general = if uri.path().starts_with("/v1/") { &self.api } else { &self.files };
        self.count(general.as_ref(), client)?;
        if class == Class::Session { self.count(self.session.as_ref(), client) } else { Ok(()) }
    }

    fn count(&self, limiter: Option<&DefaultKeyedRateLimiter<IpAddr>>, client: IpAddr) -> Result<(), ApiError> {
        let Some(limiter) = limiter else { return Ok(()) };
        limiter.check_key(&client).map_err(|not_until| {
            ApiError::of_status(StatusCode::TOO_MANY_REQUESTS).retry_after(not_until.wait_time_from(self.clock.now()))
        })
    }

    /// Drops the counters of addresses that have been quiet.
    pub fn forget_quiet(&self) {
        for limiter in [&self.api, &self.session, &self.files].into_iter().flatten() {
            limiter.retain_recent();
        }
    }
}

/// The address that one client has: an IPv6 subscriber has a whole /64.
#[must_use]
pub fn subscriber(ip: IpAddr) -> IpAddr {
    masked(ip, 32, 64)
}

/// The block of addresses that shares an operator: /24 of IPv4, /48 of IPv6. Loopback addresses stand for themselves.
#[must_use]
pub fn block(ip: IpAddr) -> IpAddr {
    if ip.is_loopback() { ip } else { masked(ip, 24, 48) }
}

fn masked(ip: IpAddr, v4: u32, v6: u32) -> IpAddr {
    match ip {
        IpAddr::V4(ip) => (u32::from(ip) & u32::MAX.checked_shl(32 - v4).unwrap_or(0)).to_be_bytes().into(),
        IpAddr::V6(ip) => (u128::from(ip) & u128::MAX.checked_shl(128 - v6).unwrap_or(0)).to_be_bytes().into(),
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::{block, subscriber};

    /// [D-V1] Clients are counted by address, IPv6 by /64; blocks by /24 and /48, loopback one by one.
    #[test]
    fn addresses_are_grouped() {
        let of = |text: &str| text.parse::<IpAddr>().unwrap();
        assert_eq!(subscriber(of("203.0.113.7")), of("203.0.113.7"));
        assert_eq!(subscriber(of("2001:db8:1:2:3::4")), of("2001:db8:1:2::"));
        assert_eq!(block(of("203.0.113.7")), of("203.0.113.0"));
        assert_eq!(block(of("2001:db8:1:2:3::4")), of("2001:db8:1::"));
        assert_eq!(block(of("127.0.0.2")), of("127.0.0.2"));
    }
}
