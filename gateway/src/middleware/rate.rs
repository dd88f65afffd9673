//! Requests a second, and session requests a minute, that one client address may make, and what one address block may
//! download a second.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use axum::http::{StatusCode, Uri};
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use crate::http::error::ApiError;
use crate::middleware::class::Class;

/// A page brings some fifty files with it.
const FILES_FACTOR: NonZeroU32 = NonZeroU32::MIN.saturating_add(9);

/// KiB of files that one address block receives in a second: 250 Mbit, or fifty who watch a lesson.
const DOWNLOAD: NonZeroU32 = NonZeroU32::new(32 * 1024).unwrap();
/// KiB that it receives at once: the largest receipt.
const DOWNLOAD_BURST: NonZeroU32 = NonZeroU32::new(5 * 1024).unwrap();

/// Counters by client address.
pub struct Rates {
    api: Option<DefaultKeyedRateLimiter<IpAddr>>,
    session: Option<DefaultKeyedRateLimiter<IpAddr>>,
    files: Option<DefaultKeyedRateLimiter<IpAddr>>,
    /// In KiB, by address block.
    downloads: Option<DefaultKeyedRateLimiter<IpAddr>>,
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
            downloads: per_second.map(|_| RateLimiter::keyed(Quota::per_second(DOWNLOAD).allow_burst(DOWNLOAD_BURST))),
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

    /// Waits until the block of this client may receive this many bytes of a file.
    pub async fn download(&self, ip: Option<IpAddr>, bytes: usize) {
        let (Some(limiter), Some(block)) = (&self.downloads, ip.map(block)) else { return };
        let kib = u32::try_from(bytes.div_ceil(1024)).unwrap_or(u32::MAX);
        let Some(kib) = NonZeroU32::new(kib.min(DOWNLOAD_BURST.get())) else { return };
        while let Ok(Err(not_until)) = limiter.check_key_n(&block, kib) {
            tokio::time::sleep(not_until.wait_time_from(self.clock.now()).max(Duration::from_millis(1))).await;
        }
    }

    fn count(&self, limiter: Option<&DefaultKeyedRateLimiter<IpAddr>>, client: IpAddr) -> Result<(), ApiError> {
        let Some(limiter) = limiter else { return Ok(()) };
        limiter.check_key(&client).map_err(|not_until| {
            ApiError::of_status(StatusCode::TOO_MANY_REQUESTS).retry_after(not_until.wait_time_from(self.clock.now()))
        })
    }

    /// Drops the counters of addresses that have been quiet.
    pub fn forget_quiet(&self) {
        for limiter in [&self.api, &self.session, &self.files, &self.downloads].into_iter().flatten() {
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
    use std::time::{Duration, Instant};

    use super::{Rates, block, subscriber};

    /// [D-V1] The clients of an address block share one download rate, which does not slow other blocks.
    #[tokio::test]
    async fn downloads_of_a_block_are_paced() {
        let rates = Rates::new(50, 60);
        let ip = |text: &str| Some(text.parse::<IpAddr>().unwrap());
        let receive = async |text: &str, mib: usize| {
            let began = Instant::now();
            for _ in 0..mib * 4 {
                rates.download(ip(text), 256 * 1024).await;
            }
            began.elapsed()
        };
        assert!(receive("203.0.113.1", 5).await < Duration::from_millis(100), "the first file is not delayed");
        let paced = receive("203.0.113.2", 8).await;
        assert!(paced > Duration::from_millis(200), "8 MiB in {paced:?}");
        assert!(receive("198.51.100.1", 5).await < Duration::from_millis(100));
    }

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
