//! The web app's pages and files.

use std::fs;
use std::io::Read;
use std::path::Path;

use axum::body::Body;
use axum::http::{Method, Request, StatusCode};
use http_body_util::BodyExt;
use serde_json::json;
use sha2::{Digest, Sha256};
use tower::ServiceExt;

use crate::fixture::{Fixture, Reply};

const PAGES: &str =
    r#"{"/":"index.html","/login":"login.html","/login/":"login.html","/transactions/{id}":"app.html"}"#;

fn build(folder: &Path) {
    fs::create_dir(folder.join("assets")).unwrap();
    for (name, content) in [
        ("pages.json", PAGES),
        ("index.html", "<p>landing"),
        ("login.html", "<p>login"),
        ("app.html", "<p>app"),
        ("inline.json", r#"{"login.html":{"script-src":"'sha256-c2E='","style-src":"'sha256-c3k='"}}"#),
        ("404.html", "<p>nothing here"),
        ("theme.js", "theme"),
        ("assets/app-1a2b.js", "app"),
    ] {
        fs::write(folder.join(name), content).unwrap();
    }
}

async fn get(fixture: &Fixture, path: &str) -> Reply {
    fixture.call(Method::GET, path, None, "").await
}

/// [PUB-05] Each address has its page, never served from a cache, and an unknown address is answered with 404.
#[tokio::test]
async fn each_address_has_its_page() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path());
    let fixture = Fixture::with(&[&format!("--web-dir={}", folder.path().display())]).await;
    for (path, status, page) in [
        ("/", StatusCode::OK, "<p>landing"),
        ("/login", StatusCode::OK, "<p>login"),
        ("/login/?from=mail", StatusCode::OK, "<p>login"),
        ("/transactions/7f9c", StatusCode::OK, "<p>app"),
        ("/transactions/7f9c/x", StatusCode::NOT_FOUND, "<p>nothing here"),
        ("/nowhere", StatusCode::NOT_FOUND, "<p>nothing here"),
    ] {
        let reply = get(&fixture, path).await;
        assert_eq!((reply.status, reply.text.as_str()), (status, page), "{path}");
        assert_eq!(reply.headers["cache-control"], "no-cache", "{path}");
        assert_eq!(reply.headers["content-type"], "text/html; charset=utf-8", "{path}");
        assert!(reply.headers.contains_key("content-security-policy"), "{path}");
    }
}

/// [D-S10] A page may run what the build wrote into it, and nothing else inline.
#[tokio::test]
async fn a_page_may_run_what_stands_in_it() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path());
    let fixture = Fixture::with(&[&format!("--web-dir={}", folder.path().display())]).await;
    let policy = async |path| get(&fixture, path).await.headers["content-security-policy"].to_str().unwrap().to_owned();
    let (login, landing) = (policy("/login").await, policy("/").await);
    assert!(login.contains("; script-src 'self' 'sha256-c2E='; style-src 'self' 'sha256-c3k='; "), "{login}");
    assert_eq!(login.replace(" 'sha256-c2E='", "").replace(" 'sha256-c3k='", ""), landing);
    assert_eq!(landing, policy("/v1/courses").await);
}

/// [D-G2] Files are there or they are not; only hashed ones are kept.
#[tokio::test]
async fn a_file_is_there_or_it_is_not() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path());
    let fixture = Fixture::with(&[&format!("--web-dir={}", folder.path().display())]).await;
    let asset = get(&fixture, "/assets/app-1a2b.js").await;
    assert_eq!((asset.status, asset.text.as_str()), (StatusCode::OK, "app"));
    assert_eq!(asset.headers["cache-control"], "public, max-age=31536000, immutable");
    assert_eq!(get(&fixture, "/theme.js").await.headers["cache-control"], "no-cache");
    for path in
        ["/assets/app-0000.js", "/nothing.png", "/app.html", "/../Cargo.toml", "/pages.json", "/./%69nline.json"]
    {
        let reply = get(&fixture, path).await;
        assert_eq!(reply.status, StatusCode::NOT_FOUND, "{path}");
        assert_eq!(reply.json()["code"], json!("ROUTE_NOT_FOUND"), "{path}");
        assert_eq!(reply.headers["cache-control"], "no-store", "{path}");
    }
    let reply = fixture.call(Method::POST, "/login", None, "email=a").await;
    assert_eq!(reply.status, StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(reply.headers["cache-control"], "no-store");
}

/// [D-G2] An address that no file system has is unknown, as every other one: its parts, its whole, and the names of the
/// precompressed files beside it.
#[tokio::test]
async fn an_address_too_long_for_a_file_is_unknown() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path());
    let fixture = Fixture::with(&[&format!("--web-dir={}", folder.path().display())]).await;
    for length in [249, 250, 251, 253, 255, 256, 4_000] {
        let name = "a".repeat(length);
        for path in [format!("/{name}"), format!("/assets/{name}"), format!("/{}", "a/".repeat(length))] {
            let request = Request::get(&path).header("accept-encoding", "gzip, br");
            let reply = fixture.send(request.body(Body::empty()).unwrap()).await;
            assert_eq!(reply.status, StatusCode::NOT_FOUND, "{path}");
        }
    }
}

/// A precompressed file goes out as it is.
#[tokio::test]
async fn what_is_compressed_already_is_sent_so() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path());
    fs::write(folder.path().join("assets/app-1a2b.js.br"), "small").unwrap();
    let fixture = Fixture::with(&[&format!("--web-dir={}", folder.path().display())]).await;
    let request = Request::get("/assets/app-1a2b.js").header("accept-encoding", "gzip, br");
    let reply = fixture.send(request.body(Body::empty()).unwrap()).await;
    assert_eq!(reply.headers["content-encoding"], "br");
    assert_eq!(reply.text, "small");
}

/// [D-H9] The same build serves every operator: pages, the app's data and the manifest name the one of the settings, in a
/// form that no name can break out of, and the service worker knows the page that is sent.
#[tokio::test]
async fn pages_name_the_operator_of_the_settings() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path());
    let data = r#"<script id="operator" type="application/json">{{operator}}</script>"#;
    for (name, content) in [
        ("index.html", format!("<title>{{{{name}}}}</title><p>{{{{company}}}}, {{{{address}}}}</p>{data}")),
        ("app.html", data.to_owned()),
        ("manifest.webmanifest", r#"{"name":"{{name}}"}"#.to_owned()),
        ("sw.js", r#"const SHELL={"pageHash":"{{pageHash}}"}"#.to_owned()),
    ] {
        fs::write(folder.path().join(name), content).unwrap();
    }
    let web = format!("--web-dir={}", folder.path().display());
    let name = r#"A "B" </script><b>"#;
    let fixture = Fixture::with(&[&web, "--brand", name, "--company=Smith & Sons", "--company-address=1 Road"]).await;
    let page = get(&fixture, "/").await;
    let shown = "<title>A &quot;B&quot; &lt;/script&gt;&lt;b&gt;</title><p>Smith &amp; Sons, 1 Road</p>";
    assert!(page.text.starts_with(shown), "{}", page.text);
    let (_, data) = page.text.split_once(r#"type="application/json">"#).unwrap();
    let data: serde_json::Value = serde_json::from_str(data.strip_suffix("</script>").unwrap()).unwrap();
    assert_eq!(
        (&data["name"], &data["company"], &data["treasuryKeys"]),
        (&json!(name), &json!("Smith & Sons"), &json!(""))
    );
    let manifest = get(&fixture, "/manifest.webmanifest").await;
    assert_eq!(manifest.headers["content-type"], "application/manifest+json");
    assert_eq!(serde_json::from_str::<serde_json::Value>(&manifest.text).unwrap(), json!({"name": name}));
    let app = get(&fixture, "/transactions/7f9c").await;
    let hash = Sha256::digest(&app.text).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let worker = get(&fixture, "/sw.js").await;
    assert_eq!(worker.text, format!(r#"const SHELL={{"pageHash":"{hash}"}}"#));
    assert_eq!(worker.headers["content-type"], "text/javascript; charset=utf-8");
}

/// [D-G2] A page is compressed as the browser takes it, and sent again only when it changed.
#[tokio::test]
async fn a_page_is_sent_small_and_once() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path());
    let content = "<p>the same words again and again</p>".repeat(100);
    fs::write(folder.path().join("login.html"), &content).unwrap();
    let fixture = Fixture::with(&[&format!("--web-dir={}", folder.path().display())]).await;
    let ask = async |name: &str, value: &str| {
        let request = Request::get("/login").header(name, value).body(Body::empty()).unwrap();
        fixture.router.clone().oneshot(request).await.unwrap()
    };
    for (accepted, coding) in [("gzip, br", Some("br")), ("gzip", Some("gzip")), ("br;q=0", None), ("", None)] {
        let response = ask("accept-encoding", accepted).await;
        let found = response.headers().get("content-encoding").map(|coding| coding.to_str().unwrap().to_owned());
        assert_eq!(found.as_deref(), coding, "{accepted}");
        assert_eq!(response.headers()["vary"], "accept-encoding");
        let body = response.into_body().collect().await.unwrap().to_bytes();
        let mut text = String::new();
        match coding {
            Some("br") => brotli::Decompressor::new(&body[..], 4_096).read_to_string(&mut text).unwrap(),
            Some(_) => flate2::read::GzDecoder::new(&body[..]).read_to_string(&mut text).unwrap(),
            None => (&body[..]).read_to_string(&mut text).unwrap(),
        };
        assert!(text == content && (coding.is_none() || body.len() < content.len() / 10), "{accepted}");
    }
    let tag = ask("accept", "*/*").await.headers()["etag"].to_str().unwrap().to_owned();
    for (known, status) in [(&*tag, 304), (&*format!("\"a\", W/{tag}"), 304), ("\"a\"", 200)] {
        assert_eq!(ask("if-none-match", known).await.status(), status, "{known}");
    }
}

/// Without a build the gateway still serves the API.
#[tokio::test]
async fn without_a_build_there_are_no_pages() {
    let folder = tempfile::tempdir().unwrap();
    let fixture = Fixture::with(&[&format!("--web-dir={}", folder.path().display())]).await;
    assert_eq!(get(&fixture, "/").await.status, StatusCode::NOT_FOUND);
    assert_eq!(get(&fixture, "/v1/openapi.json").await.status, StatusCode::OK);
}

/// [ASVS 13.4.5] The health of the process is served at the address for operators alone.
#[tokio::test]
async fn health_is_not_public() {
    let fixture = Fixture::new().await;
    for path in ["/healthz", "/readyz", "/metrics"] {
        assert_eq!(get(&fixture, path).await.status, StatusCode::NOT_FOUND, "{path}");
    }
}

/// [D-G2] Who opens an address and is refused reads a page that asks again; programs and the API keep their JSON.
#[tokio::test]
async fn a_person_is_refused_by_a_page() {
    let fixture = Fixture::new().await;
    let ask = async |path: &str| {
        let request = Request::get(path).header("accept", "text/html,application/xhtml+xml,*/*;q=0.8");
        fixture.send(request.body(Body::empty()).unwrap()).await
    };
    let page = ask("/dashboard").await;
    assert_eq!(page.status, StatusCode::NOT_FOUND);
    assert!(page.headers["content-type"].to_str().unwrap().starts_with("text/html"));
    assert!(page.text.contains(r#"<a href="">Retry</a>"#), "{}", page.text);
    let policy = page.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{policy}");
    assert_eq!(ask("/v1/nothing").await.json()["success"], false);
    assert_eq!(get(&fixture, "/dashboard").await.json()["success"], false);
}
