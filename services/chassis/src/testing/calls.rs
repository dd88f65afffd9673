//! Calls of every method that a service has in the contract.

use std::path::Path;

use http::Request;
use time::OffsetDateTime;
use tonic::Code;
use tonic::body::Body;
use tonic::service::Routes;
use tower::Service;

use super::Realm;

/// Asserts that no method of the services in this package of the contract answers a call without a credential, nor one that
/// shows a member's token, nor, where the gateway alone may call, one with the credential of another process.
pub async fn assert_callers_are_known(routes: Routes, realm: &Realm, package: &str) {
    // Auth issued it for the gateway, which signs for this service in turn.
    let token = realm.member_token(&super::session(None), OffsetDateTime::now_utc().unix_timestamp() + 60);
    let other = realm.service_token("mailer");
    let own = methods(package);
    assert!(!own.is_empty(), "the contract has no service in {package}");
    for method in own.into_iter().chain(methods("common")) {
        for (shown, token) in [("nothing", ""), ("a member's token", token.as_str()), ("another credential", &other)] {
            let code = call(routes.clone(), &method, token).await;
            let is_refused = matches!(code, Code::Unauthenticated | Code::PermissionDenied);
            // Every process may look accounts up, and not every service has the common methods.
            let may = match code {
                Code::Unimplemented => method.contains(".common."),
                _ => shown == "another credential" && method.contains("DirectoryService"),
            };
            assert!(is_refused || may, "{method} with {shown}: {code:?}");
        }
    }
}

/// The paths of all methods, from the files of the package.
fn methods(package: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../proto/solvane").join(package).join("v1");
    let mut methods = Vec::new();
    for file in std::fs::read_dir(folder).expect("the contract").flatten() {
        let text = std::fs::read_to_string(file.path()).expect("a file of the contract");
        let mut service = "";
        for line in text.lines().map(str::trim_start) {
            if let Some(rest) = line.strip_prefix("service ") {
                service = rest.split([' ', '{']).next().unwrap_or_default();
            } else if let Some(rest) = line.strip_prefix("rpc ") {
                let method = rest.split('(').next().unwrap_or_default();
                methods.push(format!("/solvane.{package}.v1.{service}/{method}"));
            }
        }
    }
    methods
}

/// The code of an empty message to a method.
async fn call(mut routes: Routes, path: &str, token: &str) -> Code {
    let mut request = Request::post(format!("http://service{path}"))
        .header("content-type", "application/grpc")
        .header("te", "trailers");
    if !token.is_empty() {
        request = request.header("authorization", format!("Bearer {token}"));
    }
    // No compression, and no bytes.
    let body = Body::new(axum::body::Body::from(vec![0; 5]));
    let response = routes.call(request.body(body).expect("a request")).await.expect("routes do not fail");
    let code = response.headers().get("grpc-status").map_or(b"0".as_slice(), |code| code.as_bytes());
    Code::from_bytes(code)
}
