//! The web app: hashed assets for ever, everything else always asked for anew, precompressed files where they exist,
//! and the app's page for every address that is no file.

use std::path::Path;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use tower_http::services::{ServeDir, ServeFile};

use crate::error::ApiError;

/// Serves the folder.
pub fn service(folder: &Path) -> Router {
    let page = ServeFile::new(folder.join("index.html")).precompressed_br().precompressed_gzip();
    let files = ServeDir::new(folder).precompressed_br().precompressed_gzip().append_index_html_on_directories(true);
    let assets = ServeDir::new(folder.join("assets")).precompressed_br().precompressed_gzip();
    Router::new().nest_service("/assets", assets).fallback_service(files.fallback(page)).layer(from_fn(cache))
}

async fn cache(request: Request, next: Next) -> Response {
    if request.method() != Method::GET && request.method() != Method::HEAD {
        return ApiError::of_status(StatusCode::METHOD_NOT_ALLOWED).into_response();
    }
    let path = request.uri().path();
    let is_asset = path.starts_with("/assets/");
    // The pages of the app have no dot in their last part: what has one is a file, and it is there or it is not.
    let is_file = path.rsplit('/').next().is_some_and(|last| last.contains('.'));
    let mut response = next.run(request).await.map(Body::new);
    let is_page =
        response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
    if is_file && !is_asset && is_page {
        return ApiError::of_status(StatusCode::NOT_FOUND).into_response();
    }
    let value = match (is_asset, response.status().is_success()) {
        (true, true) => "public, max-age=31536000, immutable",
        (true, false) => "no-store",
        (false, _) => "no-cache",
    };
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static(value));
    response
}
