//! Uploaded files by their links.

use axum::extract::{Path, Query, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use time::OffsetDateTime;

use crate::error::{ApiError, Errors};
use crate::router::App;

/// The signature of a link to a receipt.
#[derive(Debug, Default, Deserialize)]
pub struct LinkQuery {
    owner: Option<String>,
    expires: Option<String>,
    signature: Option<String>,
}

/// Read a file by its link
///
/// Links to receipts are signed and live 15 minutes.
#[utoipa::path(get, path = "/files/{folder}/{name}",
    params(("folder" = String, Path), ("name" = String, Path), ("owner" = Option<String>, Query),
        ("expires" = Option<String>, Query), ("signature" = Option<String>, Query)),
    responses((status = 200, description = "The file", content_type = "application/octet-stream", body = String), Errors), tag = "Files")]
pub async fn get(
    State(app): State<App>,
    Path((folder, name)): Path<(String, String)>,
    Query(link): Query<LinkQuery>,
) -> Result<Response, ApiError> {
    let key = format!("{folder}/{name}");
    let is_receipt = match folder.as_str() {
        "receipts" => true,
        "photos" | "methods" => false,
        _ => return Err(ApiError::not_found()),
    };
    if is_receipt {
        let LinkQuery { owner, expires, signature } = link;
        let (owner, expires, signature) =
            (owner.unwrap_or_default(), expires.unwrap_or_default(), signature.unwrap_or_default());
        if !app.files.verify_link(&key, &owner, &expires, &signature, OffsetDateTime::now_utc()) {
            return Err(ApiError::not_found());
        }
    }
    let file = app.files.read(&key).await?;
    // Images of ours hold nothing but pixels; anything else that a browser might run is not shown in place.
    let inline = matches!(file.content_type, "image/png" | "image/jpeg" | "application/pdf");
    let mut response = file.bytes.into_response();
    let headers = response.headers_mut();
    let mut set = |name, value: &'static str| headers.insert(name, HeaderValue::from_static(value));
    set(header::CONTENT_TYPE, file.content_type);
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(header::CONTENT_SECURITY_POLICY, "sandbox; default-src 'none'; style-src 'unsafe-inline'");
    set(header::CONTENT_DISPOSITION, if inline { "inline" } else { "attachment" });
    set(header::CACHE_CONTROL, if is_receipt { "no-store" } else { "public, max-age=31536000, immutable" });
    Ok(response)
}
