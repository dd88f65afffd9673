//! What a client may take of the gateway: requests a second and a minute, time, and work at once; and that a mutation
//! once begun is carried out even if the client hangs up.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use moka::future::Cache;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};
use tokio::time::timeout;
use tracing::Instrument;

use crate::caller::address;
use crate::error::ApiError;
use crate::router::App;

/// How long a request may take.
const DEADLINE: Duration = Duration::from_secs(6);
/// How long one with a file may take: the body's 15 seconds and the work.
const UPLOAD_DEADLINE: Duration = Duration::from_secs(25);
/// Requests at work at once.
const CONCURRENCY: usize = 1_024;
/// Uploads at work at once: each takes some 20 MB until its file is checked and stored.
const UPLOADS: usize = 8;
/// Of these, from one address: it takes its turn before its body is read, however slowly that comes.
const UPLOADS_OF_ONE: usize = 3;
/// How long a request waits for its turn.
const PATIENCE: Duration = Duration::from_millis(40);
/// How long an upload waits for its turn.
const UPLOAD_PATIENCE: Duration = Duration::from_secs(3);

/// Counters by address.
pub struct Limits {
    all: Option<DefaultKeyedRateLimiter<IpAddr>>,
    session: Option<DefaultKeyedRateLimiter<IpAddr>>,
    at_work: Semaphore,
    uploads: Arc<Semaphore>,
    uploads_of: Option<Cache<IpAddr, Arc<Semaphore>>>,
    clock: DefaultClock,
}

impl Limits {
    /// Requests a second, and session requests a minute, that one address may make; 0 for no limit.
    #[must_use]
    pub fn new(per_second: u32, session_per_minute: u32) -> Arc<Self> {
        let all = NonZeroU32::new(per_second)
            .map(|rate| Quota::per_second(rate).allow_burst(rate.saturating_mul(NonZeroU32::MIN.saturating_add(3))));
        let session = NonZeroU32::new(session_per_minute).map(Quota::per_minute);
        Arc::new(Self {
            all: all.map(RateLimiter::keyed),
            session: session.map(RateLimiter::keyed),
            at_work: Semaphore::new(CONCURRENCY),
            uploads: Arc::new(Semaphore::new(UPLOADS)),
            // Longer than an upload may take: what is forgotten is not in use.
            uploads_of: (per_second > 0)
                .then(|| Cache::builder().time_to_idle(UPLOAD_DEADLINE.saturating_mul(4)).build()),
            clock: DefaultClock::default(),
        })
    }

    fn check(&self, limiter: Option<&DefaultKeyedRateLimiter<IpAddr>>, ip: IpAddr) -> Result<(), Duration> {
        limiter.map_or(Ok(()), |limiter| {
            limiter.check_key(&subscriber(ip)).map_err(|not_until| not_until.wait_time_from(self.clock.now()))
        })
    }

    fn check_request(&self, parts: &Parts, ip: IpAddr) -> Result<(), Duration> {
        self.check(self.all.as_ref(), ip)?;
        if parts.method == Method::POST && parts.uri.path().starts_with("/v1/auth/") {
            self.check(self.session.as_ref(), ip)?;
        }
        Ok(())
    }

    /// A turn to work.
    async fn turn(&self) -> Option<SemaphorePermit<'_>> {
        if let Ok(turn) = self.at_work.try_acquire() {
            return Some(turn);
        }
        timeout(PATIENCE, self.at_work.acquire()).await.ok()?.ok()
    }

    /// A turn to upload, among those of one address and among all.
    async fn upload_turn(&self, ip: Option<IpAddr>) -> Option<[Option<OwnedSemaphorePermit>; 2]> {
        let turns = async {
            let of_one = match self.uploads_of.as_ref().zip(ip) {
                None => None,
                Some((cache, ip)) => {
                    let own = cache.get_with(subscriber(ip), async { Arc::new(Semaphore::new(UPLOADS_OF_ONE)) }).await;
                    Some(own.acquire_owned().await.ok()?)
                }
            };
            Some([of_one, Some(Arc::clone(&self.uploads).acquire_owned().await.ok()?)])
        };
        timeout(UPLOAD_PATIENCE, turns).await.ok().flatten()
    }

    /// Forgets addresses that have been quiet.
    pub fn forget(&self) {
        for limiter in [&self.all, &self.session].into_iter().flatten() {
            limiter.retain_recent();
        }
    }
}

/// Who is counted as one: an IPv6 subscriber has a whole /64.
fn subscriber(ip: IpAddr) -> IpAddr {
    match ip {
        IpAddr::V4(_) => ip,
        IpAddr::V6(v6) => IpAddr::V6((u128::from(v6) & !u128::from(u64::MAX)).into()),
    }
}

/// Whether a request may carry a file.
fn takes_file(method: &Method, path: &str) -> bool {
    let prefixes = [
        "/v1/transactions/deposit",
        "/v1/transactions/fee/",
        "/v1/users/image/",
        "/v1/payment-methods",
        "/v1/admin/payment-methods",
    ];
    !method.is_safe() && prefixes.iter().any(|prefix| path.starts_with(prefix))
}

/// Refuses requests over the limits of their address, and those that find too many at work, and carries the others out.
pub async fn run(app: &App, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let is_api = parts.uri.path().starts_with("/v1/");
    let ip = address(&parts, &app.config.trusted_proxies);
    if let Some(ip) = ip.filter(|_| is_api)
        && let Err(delay) = app.limits.check_request(&parts, ip)
    {
        return ApiError::of_status(StatusCode::TOO_MANY_REQUESTS).retry_after(delay).into_response();
    }
    let Some(_turn) = app.limits.turn().await else {
        return ApiError::of_status(StatusCode::SERVICE_UNAVAILABLE).into_response();
    };
    if parts.uri.path() == "/v1/events" {
        return next.run(Request::from_parts(parts, body)).await;
    }
    let (mut deadline, mut upload, is_safe) = (DEADLINE, None, parts.method.is_safe());
    if takes_file(&parts.method, parts.uri.path()) {
        deadline = UPLOAD_DEADLINE;
        upload = app.limits.upload_turn(ip).await;
        if upload.is_none() {
            return ApiError::of_status(StatusCode::SERVICE_UNAVAILABLE).into_response();
        }
    }
    let work = async move {
        // Held before the body is read and until the work is done, even when its client was answered long ago.
        let _turn = upload;
        next.run(Request::from_parts(parts, body)).await
    };
    // A mutation runs in a task of its own, so that a client who hangs up does not drop it between two awaits.
    let done = if is_safe {
        timeout(deadline, work).await.map(Ok)
    } else {
        timeout(deadline, tokio::spawn(work.in_current_span())).await
    };
    match done {
        Ok(Ok(response)) => response,
        Ok(Err(error)) => ApiError::internal(error).into_response(),
        Err(_) => ApiError::of_status(StatusCode::GATEWAY_TIMEOUT).into_response(),
    }
}
