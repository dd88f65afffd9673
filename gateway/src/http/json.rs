//! Bodies in and out: strict JSON, exact numbers, and the checks of a body's form that name the field.

mod form;
mod number;
mod reply;

use std::borrow::Cow;
use std::collections::HashSet;

use axum::body::Body;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, header};
use bytes::Bytes;
use chassis::error::Refusal;
use http_body_util::BodyExt;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use time::Date;
use time::macros::format_description;

pub use self::form::{Field, Form, ReadAs, ToProto};
pub use self::number::{Decimal, Dollars};
pub use self::reply::{Answer, Created, Done, Kept, Reply, Success, created, done, marked, ok, reply};
use crate::http::error::ApiError;
use crate::http::large;

/// Objects and lists inside one another.
const DEEPEST: usize = 32;
/// Members of all objects and lists together; the largest body is a course of 2,500 lessons.
const MOST_MEMBERS: usize = 50_000;

/// A JSON body with the digest of its bytes. The middleware has received the body and limited its size.
pub struct Json<T> {
    pub value: T,
    /// SHA-256 of the body.
    pub digest: [u8; 32],
}

impl<T: DeserializeOwned + Send + 'static, S: Send + Sync> FromRequest<S> for Json<T> {
    type Rejection = ApiError;
    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        let (parts, body) = request.into_parts();
        expect_json(&parts.headers)?;
        let bytes = read(body).await?;
        large::work(bytes.len(), move || Ok(Self { value: parse(&bytes)?, digest: Sha256::digest(&bytes).into() }))
            .await?
    }
}

/// A text of a CSV file, changed if a spreadsheet would take it for a formula.
pub fn inert(text: String) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{text}") } else { text }
}

/// The whole body. Responds with 400 if it ends early.
pub async fn read(body: Body) -> Result<Bytes, ApiError> {
    let collected = body.collect().await.map_err(|_| ApiError::malformed("The request ended too early."))?;
    Ok(collected.to_bytes())
}

fn expect_json(headers: &HeaderMap) -> Result<(), ApiError> {
    let refuse = || ApiError::unsupported("Please send JSON in UTF-8 (Content-Type: application/json).");
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).ok_or_else(refuse)?;
    let mut parts = value.split(';').map(str::trim);
    if !parts.next().is_some_and(|kind| kind.eq_ignore_ascii_case("application/json")) {
        return Err(refuse());
    }
    let charset = parts.filter_map(|part| part.split_once('=')).find(|(name, _)| name.eq_ignore_ascii_case("charset"));
    match charset {
        Some((_, value)) if !value.trim_matches('"').eq_ignore_ascii_case("utf-8") => Err(refuse()),
        _ => Ok(()),
    }
}

/// Parses strict JSON: an object, in which no key is repeated. Responds with 400 to anything else.
pub fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    let text = std::str::from_utf8(bytes).map_err(|_| ApiError::malformed("The request is not UTF-8."))?;
    let malformed = || ApiError::malformed("The request is not valid JSON.");
    check_form(text)?;
    // Numbers stay text: one of any size is refused at its field, not here.
    serde_json::from_str::<&RawValue>(text).map_err(|_| malformed())?;
    serde_json::from_str(text).map_err(|_| ApiError::malformed("The request body does not have the expected shape."))
}

/// Refuses a key twice in one object, and more brackets or members than any request has. Before this bound, what a
/// parser keeps of a text may be many times the text.
fn check_form(text: &str) -> Result<(), ApiError> {
    let malformed = || ApiError::malformed("The request is not valid JSON.");
    let bytes = text.as_bytes();
    let mut open: Vec<HashSet<Cow<'_, str>>> = Vec::with_capacity(DEEPEST);
    let (mut at, mut members) = (0, 0_usize);
    while let Some(byte) = bytes.get(at) {
        if matches!(byte, b'{' | b'[' | b',') {
            members += 1;
            if members > MOST_MEMBERS {
                return Err(ApiError::malformed("The request has too many members."));
            }
        }
        match byte {
            b'{' | b'[' if open.len() == DEEPEST => {
                return Err(ApiError::malformed("The request is nested too deeply."));
            }
            b'{' | b'[' => open.push(HashSet::new()),
            b'}' | b']' => drop(open.pop()),
            b'"' => {
                let end = end_of_string(bytes, at).ok_or_else(malformed)?;
                let next = bytes.iter().skip(end).find(|byte| !byte.is_ascii_whitespace());
                // Only a key has a colon behind it.
                if next == Some(&b':') {
                    let keys = open.last_mut().ok_or_else(malformed)?;
                    let key = text.get(at..end).and_then(unquoted).ok_or_else(malformed)?;
                    if !keys.insert(key) {
                        return Err(malformed());
                    }
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    Ok(())
}

/// The text of a string of JSON, copied only if something in it is escaped.
fn unquoted(json: &str) -> Option<Cow<'_, str>> {
    if json.contains('\\') {
        return serde_json::from_str(json).ok().map(Cow::Owned);
    }
    json.strip_prefix('"')?.strip_suffix('"').map(Cow::Borrowed)
}

/// The index after the string that begins here.
fn end_of_string(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// A day from the query. The error names the parameter if the text is not a day.
pub fn day(name: &str, text: Option<&str>) -> Result<Date, ApiError> {
    text.and_then(|text| Date::parse(text, format_description!("[year]-[month]-[day]")).ok())
        .ok_or_else(|| field(name, "Enter a date like 2026-01-31"))
}

/// The refusal of one field by the gateway.
#[must_use]
pub fn field(name: &str, sentence: &str) -> ApiError {
    ApiError::from(Refusal::field(name, sentence))
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::{Field, parse};

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only whether they are read matters")]
    struct Sample {
        amount: Field,
        note: Field,
    }

    #[test]
    fn anything_but_an_object_is_refused() {
        for text in ["{\"amount\":1e}", "{\"amount\":1,}", "{\"amount\":1", "[1]", "\"amount\"", "", "{\"amount\":01}"]
        {
            assert!(parse::<Sample>(text.as_bytes()).is_err(), "{text}");
        }
    }

    /// [D-R15] A key twice is refused wherever it stands.
    #[test]
    fn a_key_twice_is_refused() {
        assert!(parse::<Sample>(br#"{"amount":1,"amount":2}"#).is_err());
        assert!(parse::<Sample>(br#"{"amount":1,"other":1,"other":2}"#).is_err());
        assert!(parse::<Sample>(br#"{"amount":1,"deep":{"a":[{"b":1,"b":1}]}}"#).is_err());
        assert!(parse::<Sample>(br#"{"amount":1,"am\u006funt":2}"#).is_err());
        assert!(parse::<Sample>(b"{\"note\":\"\xff\"}").is_err());
        assert!(parse::<Sample>(br#"{"amount":1,"note":"x"}"#).is_ok());
    }

    /// [D-V2] Brackets and members are counted before anything is kept of them.
    #[test]
    fn depth_and_members_are_bounded() {
        let deep = |depth: usize| format!(r#"{{"amount":1,"note":{}{}}}"#, "[".repeat(depth), "]".repeat(depth));
        assert!(parse::<Sample>(deep(31).as_bytes()).is_ok());
        let wide = |members: usize| format!(r#"{{"amount":1,"note":[1{}]}}"#, ",1".repeat(members));
        assert!(parse::<Sample>(wide(49_000).as_bytes()).is_ok());
        let megabytes = 7 << 20;
        for text in [
            deep(32),
            wide(50_000),
            "[".repeat(megabytes),
            r#"{"":"#.repeat(megabytes / 4),
            format!("[{}", "{},".repeat(megabytes / 3)),
            format!("{{{}", r#""a":[],"#.repeat(megabytes / 7)),
        ] {
            assert!(parse::<Sample>(text.as_bytes()).is_err(), "{}", &text[..20]);
        }
    }
}
