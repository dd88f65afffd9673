//! An error as a web page of its own, for browsers that asked for a page. It needs no other file and no script.

use std::sync::LazyLock;

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

const TEMPLATE: &str = include_str!("refusal_page.html");

/// Allows the page's own styles and nothing else.
static POLICY: LazyLock<Option<HeaderValue>> = LazyLock::new(|| {
    let (_, rest) = TEMPLATE.split_once("<style>")?;
    let (styles, _) = rest.split_once("</style>")?;
    let hash = STANDARD.encode(Sha256::digest(styles));
    let policy = format!("default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; frame-ancestors 'none'");
    HeaderValue::try_from(policy).ok()
});

/// The reader of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// A program that reads JSON.
    Program,
    /// A person who opened an address of the web app.
    Person,
}

impl Reader {
    /// The reader, judged by the request.
    #[must_use]
    pub fn of(request: &Request) -> Self {
        let is_read = [Method::GET, Method::HEAD].contains(request.method());
        if is_read && !request.uri().path().starts_with("/v1") && accepts_pages(request.headers()) {
            Self::Person
        } else {
            Self::Program
        }
    }
}

fn accepts_pages(headers: &HeaderMap) -> bool {
    headers.get(header::ACCEPT).is_some_and(|kinds| kinds.to_str().is_ok_and(|kinds| kinds.contains("text/html")))
}

/// The page, with a link to try the same address again.
#[must_use]
pub fn page(status: StatusCode, message: &str, request_id: &str) -> Response {
    let title = match status {
        StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS => "We are busy at the moment",
        StatusCode::NOT_FOUND => "Page not found",
        _ => "This page could not be loaded",
    };
    let html =
        TEMPLATE.replace("{title}", title).replace("{message}", &escaped(message)).replace("{request}", request_id);
    let mut response = (status, Html(html)).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Some(policy) = POLICY.clone() {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    #[test]
    fn a_page_is_for_browsers_that_open_an_address_of_the_web_app() {
        let reader = |method: Method, path: &str, accept: &str| {
            let request = Request::builder().method(method).uri(path).header(header::ACCEPT, accept);
            Reader::of(&request.body(Body::empty()).unwrap())
        };
        let browser = "text/html,application/xhtml+xml,*/*;q=0.8";
        assert_eq!(reader(Method::GET, "/dashboard", browser), Reader::Person);
        assert_eq!(reader(Method::GET, "/v1/auth/check", browser), Reader::Program);
        assert_eq!(reader(Method::POST, "/dashboard", browser), Reader::Program);
        assert_eq!(reader(Method::GET, "/dashboard", "*/*"), Reader::Program);
    }

    #[test]
    fn words_are_not_markup() {
        assert_eq!(escaped("a < b & c > d"), "a &lt; b &amp; c &gt; d");
    }
}
