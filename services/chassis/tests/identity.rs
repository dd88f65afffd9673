//! Who is taken for whom: members' tokens at the gateway, and what callers sign for one service.

#![expect(clippy::unwrap_used, reason = "in a test, a panic is the report")]

use std::sync::Arc;

use chassis::identity::{Accepts, Credential, MEMBER_AUDIENCE, MEMBER_ISSUER, Named, Signatures, Verifier};
use chassis::keys::{self, SigningKey, TrustedKeys};
use chassis::testing::{Realm, session};
use serde_json::{Value, json};
use time::OffsetDateTime;
use tonic::Request;
use tonic::metadata::MetadataMap;
use uuid::Uuid;

fn signatures(realm: &Realm, accepts: Accepts) -> Signatures {
    Signatures::new(Arc::new(TrustedKeys::read(&realm.folder().join("trusted.json")).unwrap()), accepts)
}

fn shown(credential: &Credential, service: &'static str, named: Option<Named>) -> String {
    let value = credential.authorization(service, named).unwrap();
    value.to_str().unwrap().trim_start_matches("Bearer ").to_owned()
}

fn metadata(token: &str) -> MetadataMap {
    let mut request = Request::new(());
    request.metadata_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
    request.into_parts().0
}

/// The services that a token makes its bearer, of those that a verifier could take it for.
fn service(realm: &Realm, accepts: Accepts, token: &str) -> Option<String> {
    let verifier = Verifier::new(signatures(realm, accepts), realm.sessions());
    verifier.service(&metadata(token), &["gateway", "wallet", "trade"]).ok()
}

fn named() -> Named {
    Named { user_id: Uuid::new_v4().into(), session_id: Uuid::new_v4().into() }
}

/// [D-S4] K12: tokens without audience or issuer, expired ones, foreign ones, other algorithms and service credentials are
/// no members' tokens.
#[test]
fn what_is_no_token_of_auth_is_refused() {
    let realm = Realm::of_gateway();
    let members = signatures(&realm, Accepts::Members);
    let now = OffsetDateTime::now_utc().unix_timestamp();
    let named = named();
    let whole = json!({ "iss": MEMBER_ISSUER, "aud": MEMBER_AUDIENCE, "sub": named.user_id, "sid": named.session_id,
        "exp": now + 600, "iat": now, "jti": Uuid::new_v4() });
    let token = realm.sign(&whole);
    assert_eq!(members.session(&token), Some(named), "the control");
    let with = |claim: &str, value: Option<Value>| {
        let mut other = whole.clone();
        match value {
            Some(value) => other[claim] = value,
            None => drop(other.as_object_mut().unwrap().remove(claim)),
        }
        realm.sign(&other)
    };
    let mut bad = vec![String::new(), "x".to_owned(), format!("{token}x"), Realm::new().sign(&whole)];
    bad.extend(["iss", "aud", "sub", "sid", "exp"].map(|claim| with(claim, None)));
    bad.push(with("aud", Some(json!("wallet"))));
    bad.push(with("iss", Some(json!("wallet"))));
    bad.push(with("exp", Some(json!(now - 10))));
    bad.push(shown(&realm.credential("gateway"), "gateway", Some(named)));
    // {"alg":"none"}
    bad.push(format!("eyJhbGciOiJub25lIn0.{}.", token.split('.').nth(1).unwrap()));
    for token in bad {
        assert_eq!(members.session(&token), None, "{token}");
    }
}

/// [D-A11] What the gateway shows one service is worth nothing at another, and no other service may speak for a member.
#[test]
fn a_session_is_asserted_by_the_gateway_for_one_service() {
    let (realm, named) = (Realm::new(), named());
    let (wallet, trade) = (Accepts::CallsTo("wallet"), Accepts::CallsTo("trade"));
    let asserted = shown(&realm.credential("gateway"), "wallet", Some(named));
    assert_eq!(signatures(&realm, wallet).session(&asserted), Some(named));
    assert_eq!(signatures(&realm, trade).session(&asserted), None);
    assert_eq!(service(&realm, wallet, &asserted), None, "an assertion is no credential of the gateway");

    let forged = shown(&realm.credential("trade"), "wallet", Some(named));
    assert_eq!(signatures(&realm, wallet).session(&forged), None);
    let own = realm.member_token(&session(None), OffsetDateTime::now_utc().unix_timestamp() + 600);
    assert_eq!(signatures(&realm, wallet).session(&own), None, "a member's own token");
    assert_eq!(signatures(&Realm::new(), wallet).session(&asserted), None, "another deployment");

    // Auth signs a decision for the service that was called, and for nobody who got hold of what it was shown.
    let auth = signatures(&realm, Accepts::CallsTo("auth"));
    assert_eq!(auth.session_at("wallet", &asserted), Some(named));
    assert_eq!(auth.session_at("trade", &asserted), None);
    assert_eq!(auth.session_at("wallet", &own), None);
}

/// [D-A11] A credential is for one service, and names the process whose key signed it.
#[test]
fn a_credential_is_for_one_service() {
    let realm = Realm::new();
    let token = shown(&realm.credential("trade"), "wallet", None);
    assert_eq!(service(&realm, Accepts::CallsTo("wallet"), &token).as_deref(), Some("trade"));
    assert_eq!(service(&realm, Accepts::CallsTo("auth"), &token), None);
    assert_eq!(signatures(&realm, Accepts::CallsTo("wallet")).session(&token), None);
    let posing = Credential::new("gateway", realm.service_key("trade"));
    assert_eq!(service(&realm, Accepts::CallsTo("wallet"), &shown(&posing, "wallet", None)), None);
}

/// [D-A11] A deployment that lacks the key of a new service gets it, and keeps every key that it has.
#[test]
fn a_new_service_gets_its_key() {
    let realm = Realm::new();
    let kept = std::fs::read(realm.folder().join("course.key")).unwrap();
    std::fs::remove_file(realm.folder().join("trade.key")).unwrap();
    keys::generate(realm.folder()).unwrap();
    assert_eq!(std::fs::read(realm.folder().join("course.key")).unwrap(), kept);
    let key = SigningKey::read(&realm.folder().join("trade.key")).unwrap();
    let token = shown(&Credential::new("trade", key), "wallet", None);
    assert_eq!(service(&realm, Accepts::CallsTo("wallet"), &token).as_deref(), Some("trade"));
    let trusted = std::fs::read(realm.folder().join("trusted.json")).unwrap();
    keys::generate(realm.folder()).unwrap();
    assert_eq!(std::fs::read(realm.folder().join("trusted.json")).unwrap(), trusted, "a second call changes nothing");
}
