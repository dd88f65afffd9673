//! Uploaded files by their links.

use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use object_store::GetRange;
use route_macros::get;
use serde::Deserialize;
use time::OffsetDateTime;

use crate::app::App;
use crate::http::error::{ApiError, ErrorReply, Errors};
use crate::storage::files::{Files, Read};

/// The signature of a link to a private file.
#[derive(Debug, Default, Deserialize)]
pub struct LinkQuery {
    owner: Option<String>,
    expires: Option<String>,
    signature: Option<String>,
}

/// Read a file by its link
///
/// Links to receipts, documents and files of cases are signed and live 15 minutes.
#[get("/files/{folder}/{name}", "Files",
    params(("owner" = Option<String>, Query), ("expires" = Option<String>, Query), ("signature" = Option<String>, Query)),
    responses((status = 200, description = "The file", content_type = "application/octet-stream", body = String),
        (status = 206, description = "The range of the file that was asked for", content_type = "application/octet-stream", body = String),
        (status = 416, description = "The range lies outside the file", body = ErrorReply), Errors))]
pub async fn get(
    State(app): State<App>,
    Path((folder, name)): Path<(String, String)>,
    Query(link): Query<LinkQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let key = format!("{folder}/{name}");
    let is_private = match folder.as_str() {
        "receipts" | "documents" | "cases" => true,
        "photos" | "methods" => false,
        _ => return Err(ApiError::not_found()),
    };
    if is_private {
        let LinkQuery { owner, expires, signature } = link;
        let (owner, expires, signature) =
            (owner.unwrap_or_default(), expires.unwrap_or_default(), signature.unwrap_or_default());
        if !app.files.verify_link(&key, &owner, &expires, &signature, OffsetDateTime::now_utc()) {
            return Err(ApiError::not_found());
        }
    }
    let content_type = Files::content_type(&key)?;
    let file = app.files.read(&key, range(&headers)).await?;
    // Images of ours hold nothing but pixels; anything else that a browser might run is not shown in place.
    let inline = matches!(content_type, "image/png" | "image/jpeg" | "application/pdf");
    let mut response = streamed(file)?;
    let headers = response.headers_mut();
    let mut set = |name, value: &'static str| headers.insert(name, HeaderValue::from_static(value));
    set(header::CONTENT_TYPE, content_type);
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(
        header::CONTENT_SECURITY_POLICY,
        "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    );
    set(header::CACHE_CONTROL, if is_private { "no-store" } else { "public, max-age=31536000, immutable" });
    // The name is one that this gateway gave the file: an id with an extension.
    let disposition = format!("{}; filename=\"{name}\"", if inline { "inline" } else { "attachment" });
    headers.insert(header::CONTENT_DISPOSITION, HeaderValue::try_from(disposition).map_err(ApiError::internal)?);
    Ok(response)
}

/// A response with a file, or a range of it.
pub fn streamed(file: Read) -> Result<Response, ApiError> {
    let (length, is_part) = (file.range.end - file.range.start, file.range != (0..file.size));
    let mut response = Body::from_stream(file.chunks).into_response();
    if is_part {
        *response.status_mut() = StatusCode::PARTIAL_CONTENT;
        let part = format!("bytes {}-{}/{}", file.range.start, file.range.end.saturating_sub(1), file.size);
        response.headers_mut().insert(header::CONTENT_RANGE, HeaderValue::try_from(part).map_err(ApiError::internal)?);
    }
    response.headers_mut().insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    response.headers_mut().insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    Ok(response)
}

/// The requested range. Several or malformed ranges are answered by the whole file, as RFC 9110 allows.
pub fn range(headers: &HeaderMap) -> Option<GetRange> {
    let text = headers.get(header::RANGE)?.to_str().ok()?.strip_prefix("bytes=")?;
    let (first, last) = text.split_once('-')?;
    match (first.parse().ok(), last.parse::<u64>().ok()) {
        (Some(first), Some(last)) if first <= last => Some(GetRange::Bounded(first..last.checked_add(1)?)),
        (Some(first), None) if last.is_empty() => Some(GetRange::Offset(first)),
        (None, Some(count)) if first.is_empty() && count > 0 => Some(GetRange::Suffix(count)),
        _ => None,
    }
}
