//! Numbers of the documents that members download, and the record by which anyone checks one (D-M9).
//!
//! A number is derived from the content by a key, so it cannot be guessed, and the same content has the same number. The
//! record in the object store has the kind, the day and the hash of the file: nothing about the member.

use chassis::id::UserId;
use std::num::NonZeroU32;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::http::error::ApiError;
use crate::storage::files::Files;

/// Documents of a member in an hour, since each leaves a record.
const AN_HOUR: NonZeroU32 = NonZeroU32::new(60).unwrap();
/// Digits of a number, five bits each: none that is easily mistaken for another.
const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const LENGTH: usize = 16;
const PREFIX: &str = "SD";

/// Kind of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DocumentKind {
    Statement,
    YearReport,
    Receipt,
}

impl DocumentKind {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Statement => "statement",
            Self::YearReport => "year_report",
            Self::Receipt => "receipt",
        }
    }
}

/// What anyone who knows its number may know of a document.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentRecord {
    kind: DocumentKind,
    /// The day on which it was issued, UTC.
    #[schema(example = "2026-11-23")]
    issued_on: String,
    /// SHA-256 of the file, in hexadecimal.
    sha256: String,
}

/// How many documents members had lately.
pub struct Documents {
    recent: DefaultKeyedRateLimiter<UserId>,
    clock: DefaultClock,
}

impl Default for Documents {
    fn default() -> Self {
        Self { recent: RateLimiter::keyed(Quota::per_hour(AN_HOUR)), clock: DefaultClock::default() }
    }
}

impl Documents {
    /// Counts a document of this member. The error is 429 with the time to wait.
    pub(crate) fn admit(&self, user_id: UserId) -> Result<(), ApiError> {
        let admitted = self.recent.check_key(&user_id).map_err(|until| {
            ApiError::of_status(StatusCode::TOO_MANY_REQUESTS).retry_after(until.wait_time_from(self.clock.now()))
        });
        self.recent.retain_recent();
        admitted
    }
}

/// Prints a document with its number, and records it. The printer is called with the number, and before with an empty one.
pub async fn issue(
    files: &Files,
    kind: DocumentKind,
    made_at: OffsetDateTime,
    print: impl Fn(&str) -> Result<Vec<u8>, ApiError>,
) -> Result<Vec<u8>, ApiError> {
    let number = number(&files.seal(kind.as_str(), &print("")?));
    let content = print(&number)?;
    let record =
        DocumentRecord { kind, issued_on: made_at.date().to_string(), sha256: hex::encode(Sha256::digest(&content)) };
    files.put(&key(&number), serde_json::to_vec(&record).map_err(ApiError::internal)?).await?;
    Ok(content)
}

/// The record of a document. 404 for an unknown or malformed number.
pub async fn find(files: &Files, typed: &str) -> Result<DocumentRecord, ApiError> {
    let number = parse(typed).ok_or_else(ApiError::not_found)?;
    let record = files.read(&key(&number), None).await?.all().await?;
    serde_json::from_slice(&record).map_err(ApiError::internal)
}

/// A response that is saved as a file.
pub fn download(name: &str, content_type: &'static str, content: impl IntoResponse) -> Result<Response, ApiError> {
    let name = format!("attachment; filename=\"{name}\"");
    let mut response = ([(header::CONTENT_TYPE, content_type)], content).into_response();
    let name = HeaderValue::try_from(name).map_err(ApiError::internal)?;
    response.headers_mut().insert(header::CONTENT_DISPOSITION, name);
    Ok(response)
}

fn key(number: &str) -> String {
    format!("documents/{number}.json")
}

/// `SD-` and four groups of digits, from the first 80 bits.
fn number(seal: &[u8; 32]) -> String {
    let bits = seal.iter().take(LENGTH * 5 / 8).fold(0_u128, |bits, byte| bits << 8 | u128::from(*byte));
    let digit = |index: usize| DIGITS[usize::try_from(bits >> (5 * (LENGTH - 1 - index)) & 31).unwrap_or_default()];
    grouped(&(0..LENGTH).map(|index| char::from(digit(index))).collect::<String>())
}

fn grouped(digits: &str) -> String {
    let groups: Vec<_> = digits.as_bytes().chunks(4).map(|group| String::from_utf8_lossy(group)).collect();
    format!("{PREFIX}-{}", groups.join("-"))
}

/// A number as people type it: without regard to case, blanks and dashes, with letters that look like digits.
fn parse(typed: &str) -> Option<String> {
    let typed = typed.get(..64.min(typed.len()))?.to_ascii_uppercase();
    let plain: String = typed.chars().filter(|one| !matches!(one, ' ' | '-' | '\u{2013}')).collect();
    let digits: String = plain
        .strip_prefix(PREFIX)
        .filter(|rest| rest.len() == LENGTH)
        .unwrap_or(&plain)
        .chars()
        .map(|one| match one {
            'O' => '0',
            'I' | 'L' => '1',
            other => other,
        })
        .collect();
    let is_number = digits.len() == LENGTH && digits.bytes().all(|one| DIGITS.contains(&one));
    is_number.then(|| grouped(&digits))
}

#[cfg(test)]
mod tests {
    use super::{number, parse};

    /// [D-M9] A number is read as people type it, and nothing else is.
    #[test]
    fn numbers_are_read_as_typed() {
        let made = number(&[0xff; 32]);
        assert_eq!(made, "SD-ZZZZ-ZZZZ-ZZZZ-ZZZZ");
        assert_eq!(number(&[0; 32]), "SD-0000-0000-0000-0000");
        for typed in ["SD-ZZZZ-ZZZZ-ZZZZ-ZZZZ", "sd zzzz zzzz zzzz zzzz", "zzzzzzzzzzzzzzzz", " SDZZZZ-ZZZZZZZZ-ZZZZ "]
        {
            assert_eq!(parse(typed).as_deref(), Some(&*made), "{typed}");
        }
        assert_eq!(parse("SD-OOOO-0000-ILil-1111").as_deref(), Some("SD-0000-0000-1111-1111"));
        assert_eq!(parse("SD-SD00-0000-0000-0000").as_deref(), Some("SD-SD00-0000-0000-0000"));
        for typed in [
            "",
            "SD",
            "SD-ZZZZ",
            "../receipts/a",
            "SD-ZZZZ-ZZZZ-ZZZZ-ZZZU",
            "SD-ZZZZ-ZZZZ-ZZZZ-ZZZZ-Z",
            "ß".repeat(40).as_str(),
        ] {
            assert_eq!(parse(typed), None, "{typed}");
        }
    }
}
