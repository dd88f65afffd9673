//! Passkeys: what of a request reaches auth, and what of its answers reaches the caller.

use axum::http::{Method, StatusCode};
use chassis::identity::Role;
use proto::auth::v1 as auth;
use serde_json::{Value, json};

use crate::fixture::Fixture;

const FACTORS: &str = "/solvane.auth.v1.FactorService";
const AUTH: &str = "/solvane.auth.v1.AuthService";
const OPTIONS: &str = r#"{"challenge":"AAEC","userVerification":"required"}"#;

fn passkey() -> auth::Passkey {
    let created_at = Some(chassis::clock::Timestamp { seconds: 1_700_000_000, nanos: 0 });
    auth::Passkey { id: "p1".to_owned(), name: "My phone".to_owned(), created_at, last_used_at: None }
}

/// [D-R19] [D-A3] The calls of passkeys hand what the browser made to auth as it is, and its options back, for members and
/// staff.
#[tokio::test]
async fn passkeys_are_auths() {
    let fixture = Fixture::new().await;
    let (_, member) = fixture.realm.member();
    let (_, staff) = fixture.realm.staff(Role::Reviewer);
    let options = OPTIONS.to_owned();
    fixture
        .recorder
        .answer(&format!("{FACTORS}/BeginPasskey"), &auth::BeginPasskeyResponse { options: options.clone() });
    fixture.recorder.answer(&format!("{FACTORS}/BeginStepUp"), &auth::BeginStepUpResponse { options });
    let recovery_codes = vec!["AAAAA-BBBBB".to_owned()];
    let added = auth::FinishPasskeyResponse { passkey: Some(passkey()), recovery_codes };
    fixture.recorder.answer(&format!("{FACTORS}/FinishPasskey"), &added);
    let listed = auth::ListPasskeysResponse { passkeys: vec![passkey()] };
    fixture.recorder.answer(&format!("{FACTORS}/ListPasskeys"), &listed);
    for token in [&member, &staff] {
        let call = |method, path, body| fixture.call(method, path, Some(token), body);
        for (path, body) in [
            ("/v1/users/passkeys/begin", r#"{"password":"a good password"}"#),
            ("/v1/auth/step-up/passkey", r#"{"digest":"0a0b"}"#),
        ] {
            let reply = call(Method::POST, path, body).await;
            assert_eq!(
                (reply.status, &reply.json()["options"]["challenge"]),
                (StatusCode::OK, &"AAEC".into()),
                "{path}"
            );
        }
        let reply =
            call(Method::POST, "/v1/users/passkeys/finish", r#"{"credential":{"rawId":"AA"},"name":"My phone"}"#).await;
        assert_eq!((reply.status, &reply.json()["recoveryCodes"][0]), (StatusCode::CREATED, &"AAAAA-BBBBB".into()));
        let known = json!({ "id": "p1", "name": "My phone", "createdAt": "2023-11-14T22:13:20Z", "lastUsedAt": null });
        assert_eq!(reply.json()["passkey"], known);
        let reply = call(Method::GET, "/v1/users/passkeys", "").await;
        assert_eq!(reply.json()["passkeys"], json!([known]));
        assert_eq!(call(Method::DELETE, "/v1/users/passkeys/p1", "").await.status, StatusCode::OK);
        assert_eq!(
            call(Method::POST, "/v1/auth/step-up", r#"{"passkey":{"rawId":"AA"}}"#).await.status,
            StatusCode::OK
        );
    }
    let asked = fixture.recorder.asked::<auth::FinishPasskeyRequest>(&format!("{FACTORS}/FinishPasskey"));
    assert_eq!((asked[0].credential.as_str(), asked[0].name.as_str()), (r#"{"rawId":"AA"}"#, "My phone"));
    assert_eq!(asked[0].client.as_ref().unwrap().address, "203.0.113.7");
    let asked = fixture.recorder.asked::<auth::BeginStepUpRequest>(&format!("{FACTORS}/BeginStepUp"));
    assert_eq!(asked[0].digest, [10, 11]);
    let asked = fixture.recorder.asked::<auth::RemovePasskeyRequest>(&format!("{FACTORS}/RemovePasskey"));
    assert_eq!(asked[0].passkey_id, "p1");
    let asked = fixture.recorder.asked::<auth::StepUpRequest>(&format!("{FACTORS}/StepUp"));
    assert_eq!(asked[0].passkey, r#"{"rawId":"AA"}"#);
}

/// [D-A3] A visitor logs in by a passkey; a response that is not an object, or too large, is refused at its field.
#[tokio::test]
async fn a_visitor_logs_in_by_a_passkey() {
    let fixture = Fixture::new().await;
    let options = auth::BeginPasskeyLoginResponse { options: OPTIONS.to_owned() };
    fixture.recorder.answer(&format!("{AUTH}/BeginPasskeyLogin"), &options);
    let user = auth::User { id: "u1".to_owned(), role: "reviewer".to_owned(), ..Default::default() };
    let (_, token) = fixture.realm.member();
    let signed_in = auth::LoginByPasskeyResponse { user: Some(user), token: token.clone() };
    fixture.recorder.answer(&format!("{AUTH}/LoginByPasskey"), &signed_in);
    let reply = fixture.call(Method::POST, "/v1/auth/passkey/begin", None, "").await;
    let expected: Value = serde_json::from_str(OPTIONS).unwrap();
    assert_eq!((reply.status, &reply.json()["options"]), (StatusCode::OK, &expected));
    let reply = fixture.call(Method::POST, "/v1/auth/passkey", None, r#"{"credential":{"rawId":"AA"}}"#).await;
    assert_eq!((reply.status, &reply.json()["token"]), (StatusCode::OK, &token.into()), "{reply:?}");
    let long = format!(r#"{{"credential":{{"rawId":"{}"}}}}"#, "A".repeat(16 * 1024));
    for body in [r#"{"credential":"{}"}"#, r#"{"credential":[]}"#, long.as_str()] {
        let refused = fixture.call(Method::POST, "/v1/auth/passkey", None, body).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
        assert!(refused.json()["errors"]["credential"].is_string(), "{refused:?}");
    }
    let asked = fixture.recorder.asked::<auth::LoginByPasskeyRequest>(&format!("{AUTH}/LoginByPasskey"));
    assert_eq!(asked.len(), 1);
    assert_eq!(
        (asked[0].credential.as_str(), asked[0].client.as_ref().unwrap().address.as_str()),
        (r#"{"rawId":"AA"}"#, "203.0.113.7")
    );
}
