//! Sessions that are bound to a key of the device, and proofs that a caller holds it (DPoP, RFC 9449).

use aws_lc_rs::digest::{SHA256, digest};
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use axum::body::Body;
use axum::http::{Method, Request, StatusCode};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chassis::identity::{Confirmation, MEMBER_AUDIENCE, MEMBER_ISSUER, MemberClaims, Session};
use chassis::testing;
use gateway::proofs::thumbprint;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use proto::auth::v1 as auth;
use serde_json::{Value, json};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::fixture::{Fixture, Reply};

/// A device with its key.
struct Device {
    key: EncodingKey,
    jwk: Value,
}

impl Device {
    fn new() -> Self {
        let pair = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).unwrap();
        let point = pair.public_key().as_ref().to_vec();
        let coordinate = |from: usize| URL_SAFE_NO_PAD.encode(&point[from..from + 32]);
        let jwk = json!({ "kty": "EC", "crv": "P-256", "x": coordinate(1), "y": coordinate(33) });
        let pkcs8 = pair.to_pkcs8v1().unwrap();
        Self { key: EncodingKey::from_ec_der(pkcs8.as_ref()), jwk }
    }

    /// A proof with these claims.
    fn proof(&self, claims: &Value) -> String {
        let jwk = Some(serde_json::from_value(self.jwk.clone()).unwrap());
        let header = Header { typ: Some("dpop+jwt".to_owned()), jwk, ..Header::new(Algorithm::ES256) };
        jsonwebtoken::encode(&header, claims, &self.key).unwrap()
    }
}

fn now() -> i64 {
    OffsetDateTime::now_utc().unix_timestamp()
}

/// What a proof says about a request for the plans with this token.
fn claims(token: &str) -> Value {
    let hash = URL_SAFE_NO_PAD.encode(digest(&SHA256, token.as_bytes()));
    let target = "https://solvane.test/v1/auth/check";
    json!({ "jti": Uuid::new_v4(), "htm": "GET", "htu": target, "iat": now(), "ath": hash })
}

fn token(fixture: &Fixture, session: &Session, device: &Device) -> String {
    fixture.realm.sign(&MemberClaims {
        iss: MEMBER_ISSUER.to_owned(),
        aud: MEMBER_AUDIENCE.to_owned(),
        sub: session.user_id,
        sid: session.id,
        exp: now() + 600,
        iat: now(),
        jti: Uuid::new_v4(),
        cnf: Some(Confirmation { jkt: thumbprint(&device.jwk.to_string()).unwrap() }),
    })
}

async fn ask(fixture: &Fixture, token: &str, proof: Option<&str>) -> Reply {
    let mut request = Request::get("/v1/auth/check").header("authorization", format!("Bearer {token}"));
    if let Some(proof) = proof {
        request = request.header("dpop", proof);
    }
    fixture.send(request.body(Body::empty()).unwrap()).await
}

/// [D-A10] The token of a bound session is useless without a proof by its key, for this token, method and address.
#[tokio::test]
async fn a_copied_token_is_useless() {
    let fixture = Fixture::new().await;
    let (device, thief) = (Device::new(), Device::new());
    let session = testing::session(None);
    fixture.realm.sign_in(session.clone());
    let token = token(&fixture, &session, &device);
    let status = async |proof: Option<String>| ask(&fixture, &token, proof.as_deref()).await.status;
    let good = claims(&token);
    assert_ne!(status(Some(device.proof(&good))).await, StatusCode::UNAUTHORIZED);
    assert_eq!(status(None).await, StatusCode::UNAUTHORIZED, "without a proof");
    assert_eq!(status(Some("a.b.c".to_owned())).await, StatusCode::UNAUTHORIZED, "no proof");
    assert_eq!(status(Some(thief.proof(&good))).await, StatusCode::UNAUTHORIZED, "by another key");
    let stolen = Device { key: thief.key, jwk: device.jwk.clone() };
    assert_eq!(status(Some(stolen.proof(&good))).await, StatusCode::UNAUTHORIZED, "with the key named, but not held");
    for (name, value) in [
        ("htm", json!("POST")),
        ("htu", json!("https://solvane.test/v1/wallet")),
        ("ath", json!(URL_SAFE_NO_PAD.encode([0; 32]))),
        ("iat", json!(now() - 120)),
        ("iat", json!(now() + 120)),
        ("nonce", json!("29000000.forged")),
    ] {
        let mut other = claims(&token);
        other[name] = value;
        let expected = if name == "nonce" { StatusCode::OK } else { StatusCode::UNAUTHORIZED };
        let is_refused = status(Some(device.proof(&other))).await == StatusCode::UNAUTHORIZED;
        assert_eq!(
            is_refused,
            expected == StatusCode::UNAUTHORIZED,
            "{name}: a nonce counts only where the time does not"
        );
    }
}

/// [D-A10] A device whose clock is wrong gets a nonce and proves with that.
#[tokio::test]
async fn a_nonce_replaces_the_clock_of_the_device() {
    let fixture = Fixture::new().await;
    let device = Device::new();
    let session = testing::session(None);
    fixture.realm.sign_in(session.clone());
    let token = token(&fixture, &session, &device);
    let mut late = claims(&token);
    late["iat"] = json!(now() - 86_400);
    let refused = ask(&fixture, &token, Some(&device.proof(&late))).await;
    assert_eq!(refused.status, StatusCode::UNAUTHORIZED);
    late["nonce"] = refused.json()["nonce"].clone();
    assert_ne!(ask(&fixture, &token, Some(&device.proof(&late))).await.status, StatusCode::UNAUTHORIZED);
    late["nonce"] = json!("29000000.forged");
    assert_eq!(ask(&fixture, &token, Some(&device.proof(&late))).await.status, StatusCode::UNAUTHORIZED);
}

/// [D-A10] A proof counts once, no matter what is sent with it: a repetition gets a nonce to make another with, and a browser
/// whose clock is ahead, too.
#[tokio::test]
async fn a_proof_counts_once() {
    let fixture = Fixture::new().await;
    let device = Device::new();
    let session = testing::session(None);
    fixture.realm.sign_in(session.clone());
    let token = token(&fixture, &session, &device);
    let mut claims = claims(&token);
    let proof = device.proof(&claims);
    assert_ne!(ask(&fixture, &token, Some(&proof)).await.status, StatusCode::UNAUTHORIZED);
    for again in [proof, device.proof(&claims)] {
        let refused = ask(&fixture, &token, Some(&again)).await;
        assert_eq!(refused.status, StatusCode::UNAUTHORIZED);
        assert!(refused.json()["nonce"].is_string(), "{refused:?}");
    }
    claims["jti"] = json!(Uuid::new_v4());
    claims["iat"] = json!(now() + 30);
    let ahead = ask(&fixture, &token, Some(&device.proof(&claims))).await;
    assert_eq!(ahead.status, StatusCode::UNAUTHORIZED);
    claims["nonce"] = ahead.json()["nonce"].clone();
    let proof = device.proof(&claims);
    assert_ne!(ask(&fixture, &token, Some(&proof)).await.status, StatusCode::UNAUTHORIZED);
    assert_eq!(ask(&fixture, &token, Some(&proof)).await.status, StatusCode::UNAUTHORIZED);
    claims.as_object_mut().unwrap().remove("jti");
    assert_eq!(ask(&fixture, &token, Some(&device.proof(&claims))).await.status, StatusCode::UNAUTHORIZED);
}

/// [D-A10] A login passes the thumbprint of the key on; anything but a public key of P-256 is refused.
#[tokio::test]
async fn a_login_names_the_key_of_the_device() {
    let fixture = Fixture::new().await;
    let device = Device::new();
    let user = Some(auth::User { id: "1".to_owned(), role: "auditor".to_owned(), ..Default::default() });
    let answer = auth::LoginResponse { user, token: fixture.realm.member().1, verification: String::new() };
    fixture.recorder.answer("/solvane.auth.v1.AuthService/Login", &answer);
    let login = async |key: Value| {
        let body = json!({ "email": "a@b.test", "password": "p", "deviceKey": key });
        fixture.call(Method::POST, "/v1/auth/login", None, &body.to_string()).await.status
    };
    assert_eq!(login(device.jwk.clone()).await, StatusCode::OK);
    assert_eq!(login(json!({ "kty": "oct", "k": "AA" })).await, StatusCode::UNPROCESSABLE_ENTITY);
    let asked: Vec<auth::LoginRequest> = fixture.recorder.asked("/solvane.auth.v1.AuthService/Login");
    let keys: Vec<_> = asked.iter().filter_map(|one| one.client.as_ref()).map(|one| one.device_key.clone()).collect();
    assert_eq!(keys, [thumbprint(&device.jwk.to_string()).unwrap()]);
}
