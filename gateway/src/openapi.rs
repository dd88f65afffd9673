//! The document of the API, from the code, and a page to read it.

use std::collections::HashSet;

use axum::Router;
use axum::body::Bytes;
use axum::http::header;
use axum::response::Html;
use axum::routing::get;
use utoipa::openapi::path::{Operation, Parameter};
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::{OpenApi as Document, PathItem, Ref, RefOr};
use utoipa::{Modify, OpenApi};

use crate::app::App;
use crate::error::{ErrorReply, Errors};

/// What the document says besides the routes.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Solvane API",
        version = "1.0.0",
        description = "Wallet, deposits, withdrawals, investments and the course of Solvane. Amounts are dollars as JSON numbers with at most two decimals; times are RFC 3339 in UTC. Every mutation that moves money or creates something takes an `Idempotency-Key`.",
        license(name = "Apache-2.0", identifier = "Apache-2.0")
    ),
    components(schemas(ErrorReply)),
    security(("bearer" = [])),
    modifiers(&Shared)
)]
pub struct ApiDoc;

/// What operations refer to.
struct Shared;

impl Modify for Shared {
    fn modify(&self, document: &mut Document) {
        let components = document.components.get_or_insert_default();
        let scheme = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
        components.add_security_scheme("bearer", scheme);
        components.responses.extend(Errors::components().map(|(name, response)| (name.to_owned(), RefOr::T(response))));
    }
}

/// The operations of a path, each with its method.
fn operations(item: &mut PathItem) -> impl Iterator<Item = (&'static str, &mut Operation)> {
    let PathItem { get, post, put, delete, .. } = item;
    [("get", get), ("post", post), ("put", put), ("delete", delete)]
        .into_iter()
        .filter_map(|(method, operation)| operation.as_mut().map(|operation| (method, operation)))
}

/// Names every operation by its method and path, so that generated clients have one name each: `get_trades`,
/// `put_trades_claim_by_id`.
pub fn name_operations(document: &mut Document) {
    for (path, item) in &mut document.paths.paths {
        let words: Vec<_> = path
            .split('/')
            .skip(2)
            .map(|part| match part.strip_prefix('{') {
                Some(parameter) => format!("by_{}", parameter.trim_end_matches('}')),
                None => part.replace('-', "_"),
            })
            .collect();
        let name = words.join("_");
        for (method, operation) in operations(item) {
            operation.operation_id = Some(format!("{method}_{name}"));
        }
    }
}

/// Moves each parameter that several operations take to the components, and has them refer to it.
pub fn share_parameters(document: &mut Document) {
    let mut parameters: Vec<_> =
        document.paths.paths.values_mut().flat_map(operations).filter_map(|(_, one)| one.parameters.as_mut()).collect();
    let mut shared: Vec<(Parameter, usize)> = Vec::new();
    for parameter in parameters.iter().flat_map(|list| list.iter()) {
        let RefOr::T(parameter) = parameter else { continue };
        match shared.iter_mut().find(|(known, _)| known == parameter) {
            Some((_, uses)) => *uses += 1,
            None => shared.push((parameter.clone(), 1)),
        }
    }
    let mut names = HashSet::new();
    shared.retain(|(parameter, uses)| *uses > 1 && names.insert(parameter.name.clone()));
    for parameter in parameters.iter_mut().flat_map(|list| list.iter_mut()) {
        let name = match parameter {
            RefOr::T(one) if shared.iter().any(|(known, _)| known == one) => one.name.clone(),
            _ => continue,
        };
        *parameter = RefOr::Ref(Ref::new(format!("#/components/parameters/{name}")));
    }
    let shared = shared.into_iter().map(|(one, _)| (one.name.clone(), RefOr::T(one)));
    document.components.get_or_insert_default().parameters.extend(shared);
}

/// `/v1/openapi.json` and `/v1/docs`.
pub fn routes(document: &Document) -> Router<App> {
    let json = Bytes::from(document.to_json().unwrap_or_default());
    let page = Bytes::from(docs_page(document));
    Router::new()
        .route(
            "/v1/openapi.json",
            get(move || async move { ([(header::CONTENT_TYPE, "application/json")], json.clone()) }),
        )
        .route("/v1/docs", get(move || async move { Html(page.clone()) }))
}

/// A plain page: every operation with its parameters and answers, without scripts or styles from elsewhere.
fn docs_page(document: &Document) -> String {
    let mut rows = String::new();
    for (path, item) in &document.paths.paths {
        for (method, operation) in
            [("GET", &item.get), ("POST", &item.post), ("PUT", &item.put), ("DELETE", &item.delete)]
        {
            let Some(operation) = operation else { continue };
            let summary = escape(operation.summary.as_deref().or(operation.description.as_deref()).unwrap_or_default());
            let answers: Vec<_> = operation.responses.responses.keys().map(String::as_str).collect();
            rows.push_str(&format!(
                "<tr><td><code>{method}</code></td><td><code>{}</code></td><td>{summary}</td><td>{}</td></tr>",
                escape(path),
                answers.join(", ")
            ));
        }
    }
    format!(
        "<!doctype html><html lang=en><meta charset=utf-8><title>Solvane API</title><h1>Solvane API</h1>\
         <p>The whole document, with schemas: <a href=/v1/openapi.json>openapi.json</a></p>\
         <table><thead><tr><th>Method</th><th>Path</th><th>What it does</th><th>Answers</th></tr></thead>\
         <tbody>{rows}</tbody></table></html>"
    )
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
