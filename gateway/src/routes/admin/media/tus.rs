//! The headers of tus 1.0.

use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use proto::common::v1::ErrorReason;

use crate::http::error::ApiError;

const VERSION: &str = "1.0.0";
const TUS_RESUMABLE: HeaderName = HeaderName::from_static("tus-resumable");
pub(super) const UPLOAD_LENGTH: HeaderName = HeaderName::from_static("upload-length");
pub(super) const UPLOAD_OFFSET: HeaderName = HeaderName::from_static("upload-offset");
pub(super) const UPLOAD_METADATA: HeaderName = HeaderName::from_static("upload-metadata");

/// 412 if the client speaks another version of the protocol.
pub(super) fn speaks_tus(headers: &HeaderMap) -> Result<(), ApiError> {
    if text(headers, &TUS_RESUMABLE) == VERSION {
        return Ok(());
    }
    let sentence = "This upload needs the protocol tus 1.0.0.";
    Err(ApiError::new(StatusCode::PRECONDITION_FAILED, ErrorReason::MalformedRequest, sentence))
}

pub(super) fn at_offset(status: StatusCode, offset: i64) -> Response {
    let mut response = empty(status);
    response.headers_mut().insert(UPLOAD_OFFSET, HeaderValue::from(offset));
    response
}

pub(super) fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> &'a str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

pub(super) fn number(headers: &HeaderMap, name: &HeaderName) -> Option<i64> {
    text(headers, name).parse().ok().filter(|number| *number >= 0)
}

/// A value of Upload-Metadata.
pub(super) fn metadatum(metadata: &str, name: &str) -> Option<String> {
    let pairs = metadata.split(',').filter_map(|pair| pair.trim().split_once(' '));
    let value = pairs.into_iter().find_map(|(key, value)| (key == name).then_some(value))?;
    String::from_utf8(STANDARD.decode(value.trim()).ok()?).ok()
}

/// A response without content.
pub(super) fn empty(status: StatusCode) -> Response {
    let mut response = status.into_response();
    response.headers_mut().insert(TUS_RESUMABLE, HeaderValue::from_static(VERSION));
    response
}

#[cfg(test)]
mod tests {
    use super::metadatum;

    #[test]
    fn metadata_is_read() {
        let metadata = "filename bGVzc29uLm1wNA==,kind dmlkZW8=, filetype dmlkZW8vbXA0,flag";
        assert_eq!(metadatum(metadata, "filename").as_deref(), Some("lesson.mp4"));
        assert_eq!(metadatum(metadata, "kind").as_deref(), Some("video"));
        assert_eq!(
            [metadatum(metadata, "flag"), metadatum("", "kind"), metadatum("kind ???", "kind")],
            [None, None, None]
        );
    }
}
