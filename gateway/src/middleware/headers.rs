//! Headers of every response, and the origins that may call the API.

use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use tower_http::cors::{AllowOrigin, CorsLayer};

use crate::config::Config;

/// What a page may load and run; `web` adds what the build wrote into it. Videos are put together from segments in the
/// page, which gives them a blob: address.
pub(crate) const CONTENT_POLICY: &str = "default-src 'self'; script-src 'self'; style-src 'self'; \
    img-src 'self' data: blob:; media-src 'self' blob:; font-src 'self'; connect-src 'self'; \
    frame-src 'self' https://www.youtube-nocookie.com; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// Adds the security headers that the response does not have yet. What no cache may keep unless it says so itself is
/// what the API answers, and every refusal.
pub fn add(config: &Config, may_be_kept: bool, headers: &mut HeaderMap) {
    headers.reserve(12);
    name_charset(headers);
    let mut default = |name: HeaderName, value: &'static str| {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    };
    default(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    default(header::REFERRER_POLICY, "no-referrer");
    default(HeaderName::from_static("permissions-policy"), "camera=(), microphone=(), geolocation=()");
    default(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    default(header::CONTENT_SECURITY_POLICY, CONTENT_POLICY);
    default(header::X_FRAME_OPTIONS, "DENY");
    if !may_be_kept {
        default(header::CACHE_CONTROL, "no-store");
    }
    if config.public_url.starts_with("https://") {
        default(header::STRICT_TRANSPORT_SECURITY, "max-age=63072000; includeSubDomains");
    }
}

/// All text that is served is UTF-8. JSON is by definition; the others would be guessed without it.
fn name_charset(headers: &mut HeaderMap) {
    let with_charset = match headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()) {
        Some("text/html") => "text/html; charset=utf-8",
        Some("text/css") => "text/css; charset=utf-8",
        Some("text/javascript") => "text/javascript; charset=utf-8",
        Some("text/plain") => "text/plain; charset=utf-8",
        _ => return,
    };
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(with_charset));
}

/// Origins of the list, never `*`; credentials allowed.
pub fn cors(origins: &[String]) -> CorsLayer {
    let origins: Vec<HeaderValue> = origins.iter().filter_map(|origin| origin.parse().ok()).collect();
    CorsLayer::new()
        .allow_origin(AllowOrigin::list(origins))
        .allow_credentials(true)
        .allow_methods([Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE])
        .allow_headers([
            header::AUTHORIZATION,
            header::CONTENT_TYPE,
            HeaderName::from_static("idempotency-key"),
            HeaderName::from_static("dpop"),
            HeaderName::from_static("tus-resumable"),
            HeaderName::from_static("upload-length"),
            HeaderName::from_static("upload-metadata"),
            HeaderName::from_static("upload-offset"),
        ])
        .expose_headers([
            HeaderName::from_static("idempotency-replayed"),
            HeaderName::from_static("x-request-id"),
            HeaderName::from_static("x-next-cursor"),
            header::LOCATION,
            HeaderName::from_static("tus-resumable"),
            HeaderName::from_static("upload-length"),
            HeaderName::from_static("upload-offset"),
        ])
        .max_age(std::time::Duration::from_secs(600))
}
