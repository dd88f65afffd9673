//! The document of the API, from the code, and a page to read it.

use std::collections::{BTreeMap, HashSet};

use axum::Router;
use axum::body::Bytes;
use axum::http::header;
use axum::response::Html;
use axum::routing::get;
use utoipa::openapi::path::Operation;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::{Components, ObjectBuilder, OpenApi as Document, PathItem, Ref, RefOr, Response, Schema, Type};
use utoipa::{Modify, OpenApi};

use crate::app::App;
use crate::http::error::{ErrorReply, Errors};

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

/// Components that operations refer to.
struct Shared;

impl Modify for Shared {
    fn modify(&self, document: &mut Document) {
        let components = document.components.get_or_insert_default();
        let scheme = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
        components.add_security_scheme("bearer", scheme);
        components.responses.insert(Errors::NAME.to_owned(), RefOr::T(Errors::response()));
    }
}

/// The operations of a path, each with its method.
fn operations(item: &mut PathItem) -> impl Iterator<Item = (&'static str, &mut Operation)> {
    let PathItem { get, post, put, delete, .. } = item;
    [("get", get), ("post", post), ("put", put), ("delete", delete)]
        .into_iter()
        .filter_map(|(method, operation)| operation.as_mut().map(|operation| (method, operation)))
}

/// Names every operation by its method and path, e.g. `put_trades_claim_by_id`, so that generated
/// clients have one name for each.
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

/// Adds `success`, which [`Reply`](crate::http::json::Reply) writes, to the body of every success.
pub fn add_success(document: &mut Document) {
    let mut bodies = HashSet::new();
    for (_, operation) in document.paths.paths.values_mut().flat_map(operations) {
        let successes = operation.responses.responses.iter().filter(|(status, _)| status.starts_with('2'));
        bodies.extend(successes.filter_map(|(_, response)| match response {
            RefOr::T(response) => body_name(response),
            RefOr::Ref(_) => None,
        }));
    }
    let components = document.components.get_or_insert_default();
    for (_, schema) in components.schemas.iter_mut().filter(|(name, _)| bodies.contains(*name)) {
        // One with flattened fields has it from the body that is flattened into it.
        let RefOr::T(Schema::Object(body)) = schema else { continue };
        body.properties.insert("success".to_owned(), ObjectBuilder::new().schema_type(Type::Boolean).into());
        body.required.insert(0, "success".to_owned());
    }
}

/// Moves the parameters and responses that several operations have in common to the components, and has the operations
/// refer to them.
pub fn share(document: &mut Document) {
    let (mut parameters, mut responses) = (Vec::new(), Vec::new());
    for (_, operation) in document.paths.paths.values_mut().flat_map(operations) {
        parameters.extend(operation.parameters.iter_mut().flatten());
        responses.extend(operation.responses.responses.values_mut());
    }
    let parameters = common(parameters, "parameters", |one| Some(one.name.clone()));
    let responses = common(responses, "responses", body_name);
    let components = document.components.get_or_insert_default();
    components.parameters.extend(parameters);
    components.responses.extend(responses);
}

/// Values that occur more than once, by name; a reference takes their place.
fn common<T: Clone + PartialEq>(
    places: Vec<&mut RefOr<T>>,
    kind: &str,
    name: impl Fn(&T) -> Option<String>,
) -> BTreeMap<String, RefOr<T>> {
    let mut found: BTreeMap<String, (T, usize)> = BTreeMap::new();
    for place in &places {
        let RefOr::T(one) = &**place else { continue };
        let Some(name) = name(one) else { continue };
        let (first, uses) = found.entry(name).or_insert_with(|| (one.clone(), 0));
        *uses += usize::from(first == one);
    }
    found.retain(|_, (_, uses)| *uses > 1);
    for place in places {
        let RefOr::T(one) = &*place else { continue };
        let Some(name) = name(one) else { continue };
        if found.get(&name).is_some_and(|(first, _)| first == one) {
            *place = RefOr::Ref(Ref::new(format!("#/components/{kind}/{name}")));
        }
    }
    found.into_iter().map(|(name, (one, _))| (name, RefOr::T(one))).collect()
}

/// The name of the schema of a JSON response.
fn body_name(response: &Response) -> Option<String> {
    let RefOr::T(content) = response.content.get("application/json")? else { return None };
    let Some(RefOr::Ref(body)) = &content.schema else { return None };
    body.ref_location.rsplit('/').next().map(ToOwned::to_owned)
}

/// The document without the routes of the back office, and without the components that only those refer to.
fn for_visitors(mut document: Document) -> Document {
    document.paths.paths.retain(|path, _| !path.starts_with("/v1/admin/"));
    loop {
        let text = document.to_json().unwrap_or_default();
        let Some(components) = document.components.as_mut() else { return document };
        let is_used = |kind: &str, name: &str| text.contains(&format!("\"#/components/{kind}/{name}\""));
        let count = |components: &Components| {
            components.schemas.len() + components.responses.len() + components.parameters.len()
        };
        let before = count(components);
        components.schemas.retain(|name, _| is_used("schemas", name));
        components.responses.retain(|name, _| is_used("responses", name));
        components.parameters.retain(|name, _| is_used("parameters", name));
        if count(components) == before {
            return document;
        }
    }
}

/// `/v1/openapi.json` and `/v1/docs`, for everybody.
pub fn routes(document: &Document) -> Router<App> {
    let document = for_visitors(document.clone());
    let json = Bytes::from(document.to_json().unwrap_or_default());
    let page = Bytes::from(docs_page(&document));
    Router::new()
        .route(
            "/v1/openapi.json",
            get(move || async move { ([(header::CONTENT_TYPE, "application/json")], json.clone()) }),
        )
        .route("/v1/docs", get(move || async move { Html(page.clone()) }))
}

/// A page that lists every operation with its parameters and responses, without scripts or external styles.
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
