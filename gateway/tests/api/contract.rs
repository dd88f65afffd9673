//! The router and the document say the same, and both hold every call of the specification.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use axum::http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::fixture::Fixture;

/// Section 7 of the specification.
const CONTRACT: [(&str, &str); 23] = [
    ("post", "/v1/auth/register"),
    ("post", "/v1/auth/verify"),
    ("post", "/v1/auth/resend"),
    ("post", "/v1/auth/login"),
    ("post", "/v1/auth/forgot-password"),
    ("post", "/v1/auth/reset-password"),
    ("get", "/v1/auth/check"),
    ("post", "/v1/transactions/deposit"),
    ("post", "/v1/transactions/withdraw"),
    ("post", "/v1/transactions/fee/{transactionId}"),
    ("get", "/v1/transactions/user"),
    ("get", "/v1/plans"),
    ("post", "/v1/trades/create"),
    ("put", "/v1/trades/claim/{id}"),
    ("delete", "/v1/trades/close/{id}"),
    ("get", "/v1/trades"),
    ("put", "/v1/users/image/{userId}"),
    ("put", "/v1/users/profile/{userId}"),
    ("put", "/v1/users/password/{userId}"),
    ("post", "/v1/payment-methods"),
    ("put", "/v1/payment-methods/{id}"),
    ("delete", "/v1/payment-methods/{id}"),
    ("get", "/v1/payment-methods"),
];

fn document() -> Value {
    serde_json::to_value(gateway::router::api().document).unwrap()
}

/// [API-01] [API-02] [API-03] [API-04] [API-05] [API-06] [API-07] [API-08] [API-09] [API-10] [API-11] [API-12] [API-13]
/// [API-14] [API-15] [API-16] [API-17] [API-18] [API-19] [API-20] [API-21] [API-22] [API-23]
#[test]
fn the_document_holds_every_call_of_the_specification() {
    let document = document();
    for (method, path) in CONTRACT {
        assert!(document["paths"][path][method].is_object(), "{method} {path}");
    }
}

/// The schema that a reference leads to.
fn referred<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    match value["$ref"].as_str() {
        Some(place) => referred(document, document.pointer(&place[1..]).unwrap()),
        None => value,
    }
}

fn has_message(document: &Value, schema: &Value) -> bool {
    let schema = referred(document, schema);
    let parts = schema["allOf"].as_array();
    schema["properties"]["message"]["type"] == "string"
        || parts.is_some_and(|parts| parts.iter().any(|part| has_message(document, part)))
}

/// [D-G2] Every call that changes something says in a sentence what it did.
#[test]
fn every_mutation_answers_with_a_message() {
    let document = document();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap().iter().filter(|(method, _)| *method != "get") {
            let responses = operation["responses"].as_object().unwrap();
            for (status, response) in responses.iter().filter(|(status, _)| status.starts_with('2')) {
                let content = &referred(&document, response)["content"];
                // Uploads in pieces answer without a body, as their protocol says.
                let Some(body) = content.get("application/json") else {
                    assert!(
                        content.is_null() && path.starts_with("/v1/admin/course/media"),
                        "{method} {path} {status}"
                    );
                    continue;
                };
                assert!(has_message(&document, &body["schema"]), "{method} {path} {status}");
            }
        }
    }
}

/// An address of a path of the document.
fn address(path: &str) -> String {
    let parts = path.split('/').map(|part| match part {
        "{number}" => "1",
        "{language}" => "en",
        "{folder}" => "receipts",
        "{name}" => "x.png",
        _ if part.starts_with('{') => "x",
        _ => part,
    });
    parts.collect::<Vec<_>>().join("/")
}

fn verb(method: &str) -> Method {
    Method::from_bytes(method.to_uppercase().as_bytes()).unwrap()
}

/// Every operation of the document is routed (nobody is logged in: never 404 for the route, never 405).
#[tokio::test]
async fn every_operation_of_the_document_is_routed() {
    let fixture = Fixture::new().await;
    let document = document();
    for (path, item) in document["paths"].as_object().unwrap() {
        for method in item.as_object().unwrap().keys() {
            let reply = fixture.call(verb(method), &address(path), None, "{}").await;
            let code = reply.text.parse::<Value>().map(|body| body["code"].clone()).unwrap_or_default();
            assert_ne!(code, "ROUTE_NOT_FOUND", "{method} {path}");
            assert_ne!(reply.status, StatusCode::METHOD_NOT_ALLOWED, "{method} {path}");
        }
    }
}

/// [D-D1] Every mutation of the back office and of members asks who calls before anything else.
#[tokio::test]
async fn operations_with_security_refuse_visitors() {
    let fixture = Fixture::new().await;
    let document = document();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            // Public ones say that they take no token; the preview of the course is everybody's.
            let is_lesson = method == "get" && path == "/v1/courses/lessons/{id}";
            if operation["security"] == json!([]) || is_lesson {
                continue;
            }
            let reply = fixture.call(verb(method), &address(path), None, "{}").await;
            assert_eq!(reply.status, StatusCode::UNAUTHORIZED, "{method} {path}");
        }
    }
}

/// The document in the tree is the one of the code.
#[test]
fn the_document_in_the_tree_is_current() {
    let current = gateway::router::api().document.to_pretty_json().unwrap();
    let kept = include_str!("../../openapi.json");
    // Neither is printed: each is 300 kB.
    assert!(kept.trim() == current.trim(), "run `cargo run -p gateway -- openapi > gateway/openapi.json`");
}

/// The items of a file and of those in its folder.
fn items(path: &Path) -> Vec<String> {
    if path.is_dir() {
        return fs::read_dir(path).unwrap().flat_map(|entry| items(&entry.unwrap().path())).collect();
    }
    fs::read_to_string(path).unwrap().split("\n\n").map(str::to_owned).collect()
}

/// The name of the schema of an item, if it is a type with one.
fn schema_of(item: &str) -> Option<&str> {
    let named = |after: &str| item.split_once(after)?.1.split(|char: char| !char.is_alphanumeric()).next();
    let is_schema = ["#[response", "#[request", "ToSchema"].iter().any(|mark| item.contains(mark));
    if is_schema {
        named("schema(as = ").or_else(|| named("\npub struct ")).or_else(|| named("\npub enum "))
    } else {
        None
    }
}

/// Of two types with one name, the document has only one: the routes of the other would be documented with it.
#[test]
fn every_schema_has_a_name_of_its_own() {
    let all = items(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    let names: Vec<_> = all.iter().filter_map(|item| schema_of(item)).collect();
    assert!(names.len() > 250, "{}", names.len());
    let mut seen = BTreeSet::new();
    let twice: Vec<_> = names.iter().filter(|name| !seen.insert(**name)).collect();
    assert!(twice.is_empty(), "{twice:?}");
}

/// [D-O2] Visitors read about the routes of members alone, with everything that those refer to and nothing else.
#[tokio::test]
async fn visitors_read_nothing_about_the_back_office() {
    let fixture = Fixture::new().await;
    let served: Value = fixture.call(Method::GET, "/v1/openapi.json", None, "").await.text.parse().unwrap();
    let page = fixture.call(Method::GET, "/v1/docs", None, "").await.text;
    assert!(!served.to_string().contains("/v1/admin") && !page.contains("/v1/admin"));
    let paths = |document: &Value| document["paths"].as_object().unwrap().len();
    let of_members =
        document()["paths"].as_object().unwrap().keys().filter(|path| !path.starts_with("/v1/admin")).count();
    assert_eq!(paths(&served), of_members);
    let text = served.to_string();
    let references: BTreeSet<_> = text.split("\"#").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    for kind in ["schemas", "responses", "parameters"] {
        for name in served["components"][kind].as_object().unwrap().keys() {
            assert!(references.contains(format!("/components/{kind}/{name}").as_str()), "nothing refers to {name}");
        }
    }
    for reference in references {
        assert!(served.pointer(reference).is_some(), "{reference}");
    }
}

/// Every reference leads somewhere, and every operation has a name of its own: generated clients need both.
#[test]
fn the_document_is_whole() {
    let document = document();
    let text = document.to_string();
    for reference in text.split("\"#").skip(1).filter_map(|rest| rest.split('"').next()) {
        assert!(document.pointer(reference).is_some(), "{reference}");
    }
    let paths = document["paths"].as_object().unwrap();
    let operations: Vec<_> = paths.values().flat_map(|item| item.as_object().unwrap().values()).collect();
    let names: BTreeSet<_> = operations.iter().map(|one| one["operationId"].as_str().unwrap()).collect();
    assert_eq!(names.len(), operations.len());
}
