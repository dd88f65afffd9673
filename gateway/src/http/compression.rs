//! Compresses large JSON responses: a page of 500 transactions is 200 kB, which take a slow phone a second, and a tenth of
//! that compressed. A response with a token is too small to be compressed, so its size reveals nothing about the token.

use std::io::Write;

use axum::body::{Body, HttpBody};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::http::error::ApiError;
use crate::http::{json, large};

/// Bytes up to which a response stays as it is.
const SMALL: u64 = 8 * 1024;

/// Whether a client takes a coding, such as `gzip`.
#[must_use]
pub fn accepts(request: &HeaderMap, coding: &str) -> bool {
    let accepted = request.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    accepted.split(',').any(|one| {
        let (name, weight) = one.split_once(';').unwrap_or((one, ""));
        name.trim().eq_ignore_ascii_case(coding) && !matches!(weight.trim(), "q=0" | "q=0.0" | "q=0.00" | "q=0.000")
    })
}

/// Compresses a large JSON response, and leaves any other as it is.
pub async fn compress(response: Response) -> Response {
    let is_json = response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
    let is_plain = !response.headers().contains_key(header::CONTENT_ENCODING);
    let is_large = response.body().size_hint().exact().is_some_and(|size| size > SMALL);
    if !(is_json && is_plain && is_large) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    match gzip(body).await {
        Ok(compressed) => {
            parts.headers.remove(header::CONTENT_LENGTH);
            parts.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            parts.headers.append(header::VARY, HeaderValue::from_static("accept-encoding"));
            Response::from_parts(parts, Body::from(compressed))
        }
        Err(error) => error.into_response(),
    }
}

async fn gzip(body: Body) -> Result<Vec<u8>, ApiError> {
    let bytes = json::read(body).await?;
    large::work(bytes.len(), move || {
        let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 8), Compression::default());
        encoder.write_all(&bytes)?;
        encoder.finish()
    })
    .await?
    .map_err(ApiError::internal)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;
    use http_body_util::BodyExt;

    use super::*;

    fn response(kind: &'static str, bytes: usize) -> Response {
        ([(header::CONTENT_TYPE, kind)], "a".repeat(bytes)).into_response()
    }

    #[tokio::test]
    async fn large_json_is_compressed_and_nothing_else() {
        for (kind, bytes) in [("application/json", 8 * 1024), ("text/csv", 100_000), ("image/png", 100_000)] {
            let same = compress(response(kind, bytes)).await;
            assert!(!same.headers().contains_key(header::CONTENT_ENCODING), "{kind}");
            assert_eq!(same.into_body().collect().await.unwrap().to_bytes().len(), bytes);
        }
        let compressed = compress(response("application/json", 400_000)).await;
        assert_eq!(compressed.headers()[header::CONTENT_ENCODING], "gzip");
        assert_eq!(compressed.headers()[header::VARY], "accept-encoding");
        let body = compressed.into_body().collect().await.unwrap().to_bytes();
        let mut text = String::new();
        GzDecoder::new(&*body).read_to_string(&mut text).unwrap();
        assert_eq!((text.len(), body.len() < 4_000), (400_000, true));
    }

    #[test]
    fn gzip_is_used_only_where_the_client_takes_it() {
        let takes = |value: &'static str| {
            accepts(&HeaderMap::from_iter([(header::ACCEPT_ENCODING, HeaderValue::from_static(value))]), "gzip")
        };
        assert!(takes("gzip, deflate, br, zstd"));
        assert!(takes("br;q=1.0, GZIP;q=0.8"));
        assert!(!takes("br"));
        assert!(!takes("gzip;q=0, br"));
        assert!(!accepts(&HeaderMap::new(), "gzip"));
    }
}
