//! Serves the web app: its pages according to `pages.json` and `inline.json` of the web build, and its files. Hashed
//! files are cached for ever and everything else is revalidated. Precompressed files are preferred.

mod page;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get};
use serde::de::DeserializeOwned;
use tower_http::services::ServeDir;

use self::page::{Marks, Page};
use crate::http::error::{self, ApiError};
use crate::middleware::headers::CONTENT_POLICY;
use crate::operator::Operator;

/// Bytes of a name, with room for the ending of a precompressed file.
const LONGEST_PART: usize = 250;
/// Bytes of an address, with room for the path of the folder.
const LONGEST_PATH: usize = 2_048;

/// The page of members, which the service worker keeps.
const APP: &str = "app.html";
/// The files beside the pages that name the operator, or the page of members by its hash.
const OTHERS: [&str; 2] = ["manifest.webmanifest", "sw.js"];

/// Serves the folder for an operator.
///
/// # Errors
/// If a page of the build cannot be read.
pub fn service(folder: &Path, operator: &Operator) -> anyhow::Result<Router> {
    let folder_of = |path| ServeDir::new(path).precompressed_br().precompressed_gzip();
    let inline: BTreeMap<String, Inline> = read(&folder.join("inline.json"));
    let addresses: BTreeMap<String, String> = read(&folder.join("pages.json"));
    let mut marks = Marks::of(operator)?;
    let page = |file: &str, marks: &Marks| {
        let policy = inline.get(file).and_then(|inline| HeaderValue::try_from(policy(inline)).ok());
        let path = folder.join(file);
        anyhow::Ok(Arc::new(Page::read(&path, marks, policy).with_context(|| path.display().to_string())?))
    };
    let mut pages = BTreeMap::new();
    for file in addresses.values().map(String::as_str).chain(["404.html"]) {
        if !pages.contains_key(file) && folder.join(file).exists() {
            pages.insert(file, page(file, &marks)?);
        }
    }
    if let Some(app) = pages.get(APP) {
        marks.add("pageHash", app.hash());
    }
    let mut router = Router::new().nest_service("/assets", folder_of(folder.join("assets")));
    for (address, file) in &addresses {
        let page = pages.get(file.as_str()).with_context(|| format!("pages.json names {file}"))?;
        router = router.route(address, answering(page));
    }
    for file in OTHERS.into_iter().filter(|file| folder.join(file).exists()) {
        router = router.route(&format!("/{file}"), answering(&page(file, &marks)?));
    }
    let files = folder_of(folder.to_owned()).append_index_html_on_directories(false);
    let router = match pages.get("404.html") {
        Some(page) => {
            let page = Arc::clone(page);
            let missing = move |headers: HeaderMap| async move { (StatusCode::NOT_FOUND, page.answer(&headers).await) };
            router.fallback_service(files.not_found_service(get(missing)))
        }
        None => router.fallback_service(files),
    };
    Ok(router.layer(from_fn(answer)))
}

fn answering(page: &Arc<Page>) -> MethodRouter {
    let page = Arc::clone(page);
    get(move |headers: HeaderMap| async move { page.answer(&headers).await })
}

/// The hashes of what stands inline in a page, by directive of the content policy.
type Inline = BTreeMap<String, String>;

/// The content policy of a page: the common one and the page's inline hashes.
fn policy(inline: &Inline) -> String {
    let directives = CONTENT_POLICY.split("; ").map(|directive| {
        let hashes = directive.split_once(' ').and_then(|(name, _)| inline.get(name));
        hashes.map_or_else(|| directive.to_owned(), |hashes| format!("{directive} {hashes}"))
    });
    directives.collect::<Vec<_>>().join("; ")
}

/// A file of the build, empty without a build.
fn read<T: DeserializeOwned + Default>(path: &Path) -> T {
    let read = std::fs::read(path).map_err(anyhow::Error::from);
    read.and_then(|json| Ok(serde_json::from_slice(&json)?)).unwrap_or_else(|error| {
        tracing::warn!(path = %path.display(), %error, "the web app is not built: there are no pages");
        T::default()
    })
}

/// Whether a file system could have a file of this address. What is longer fails in another way than by not being there.
fn is_possible(path: &str) -> bool {
    path.len() <= LONGEST_PATH && path.split('/').all(|part| part.len() <= LONGEST_PART)
}

async fn answer(request: Request, next: Next) -> Response {
    if request.method() != Method::GET && request.method() != Method::HEAD {
        return ApiError::of_status(StatusCode::METHOD_NOT_ALLOWED).into_response();
    }
    let path = request.uri().path();
    if !is_possible(path) {
        return ApiError::of_status(StatusCode::NOT_FOUND).into_response();
    }
    let is_asset = path.starts_with("/assets/");
    // The pages of the app have no dot in their last part: what has one is a file, and it is there or it is not.
    let is_file = is_asset || path.rsplit('/').next().is_some_and(|last| last.contains('.'));
    let mut response = next.run(request).await.map(Body::new);
    let content_type = response.headers().get(header::CONTENT_TYPE).map(HeaderValue::as_bytes).unwrap_or_default();
    let is_page = content_type.starts_with(b"text/html");
    // Pages have addresses without a dot, and JSON in a build is for this server.
    if is_file && (is_page || content_type.starts_with(b"application/json")) {
        return ApiError::of_status(StatusCode::NOT_FOUND).into_response();
    }
    if is_page {
        response.extensions_mut().insert(error::Page);
    }
    let value = match (is_asset, response.status().is_success()) {
        (true, true) => "public, max-age=31536000, immutable",
        (true, false) => "no-store",
        (false, _) => "no-cache",
    };
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static(value));
    response
}
