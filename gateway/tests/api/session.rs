//! Registration, codes and the links of security mails.

use axum::http::{Method, StatusCode};
use chassis::testing;
use proto::auth::v1 as auth;
use time::OffsetDateTime;

use crate::fixture::Fixture;

const SERVICE: &str = "/solvane.auth.v1.AuthService";

/// [D-A2] The handle of a code goes out with register, login and resend, and comes back with verify and resend; where the
/// address is confirmed there is none.
#[tokio::test]
async fn the_handle_of_a_code_goes_out_and_comes_back() {
    let fixture = Fixture::new().await;
    let user = Some(auth::User { id: "1".to_owned(), role: "auditor".to_owned(), ..Default::default() });
    let (token, verification) = (fixture.realm.member().1, "a-handle".to_owned());
    let registered = auth::RegisterResponse { user: user.clone(), token: token.clone(), verification };
    fixture.recorder.answer(&format!("{SERVICE}/Register"), &registered);
    let login = auth::LoginResponse { user, token, verification: String::new() };
    fixture.recorder.answer(&format!("{SERVICE}/Login"), &login);
    let resent = auth::ResendCodeResponse { verification: "another".to_owned() };
    fixture.recorder.answer(&format!("{SERVICE}/ResendCode"), &resent);
    let post = async |path: &str, body: &str| {
        let reply = fixture.call(Method::POST, &format!("/v1/auth/{path}"), None, body).await;
        assert!(reply.status.is_success(), "{reply:?}");
        reply.json()
    };
    let details = r#"{"name":"A","email":"a@b.test","password":"p","phone":"1","country":"c"}"#;
    assert_eq!(post("register", details).await["verification"], "a-handle");
    assert!(post("login", r#"{"email":"a@b.test","password":"p"}"#).await.get("verification").is_none());
    assert_eq!(post("resend", r#"{"email":"a@b.test","verification":"a-handle"}"#).await["verification"], "another");
    post("verify", r#"{"email":"a@b.test","otp":"123456","verification":"a-handle"}"#).await;
    post("verify", r#"{"email":"a@b.test","otp":"123456"}"#).await;
    let resent: Vec<auth::ResendCodeRequest> = fixture.recorder.asked(&format!("{SERVICE}/ResendCode"));
    assert_eq!(resent.iter().map(|one| one.verification.as_str()).collect::<Vec<_>>(), ["a-handle"]);
    let verified: Vec<auth::VerifyEmailRequest> = fixture.recorder.asked(&format!("{SERVICE}/VerifyEmail"));
    assert_eq!(verified.iter().map(|one| one.verification.as_str()).collect::<Vec<_>>(), ["a-handle", ""]);
    let from = verified.first().and_then(|one| one.client.clone()).map(|client| client.address);
    assert_eq!(from.as_deref(), Some("203.0.113.7"));
}

/// [D-A1] [D-A6] The token of a link is passed on; one that is no text is refused here.
#[tokio::test]
async fn the_token_of_a_security_mail_is_passed_on() {
    let fixture = Fixture::new().await;
    for path in ["undo", "not-me"] {
        let address = format!("/v1/auth/{path}");
        let reply = fixture.call(Method::POST, &address, None, r#"{"token":"a-token"}"#).await;
        assert_eq!(reply.status, StatusCode::OK, "{reply:?}");
        let reply = fixture.call(Method::POST, &address, None, r#"{"token":["a-token"]}"#).await;
        assert_eq!(reply.status, StatusCode::UNPROCESSABLE_ENTITY, "{reply:?}");
    }
    let undone: Vec<auth::UndoEmailChangeRequest> = fixture.recorder.asked(&format!("{SERVICE}/UndoEmailChange"));
    let disowned: Vec<auth::DisownActivityRequest> = fixture.recorder.asked(&format!("{SERVICE}/DisownActivity"));
    assert_eq!(undone.iter().map(|one| one.token.as_str()).collect::<Vec<_>>(), ["a-token"]);
    assert_eq!(disowned.iter().map(|one| one.token.as_str()).collect::<Vec<_>>(), ["a-token"]);
}

/// [D-S3] A stale or broken Authorization header is ignored by verify and resend, as by every other public call. Both tell auth
/// where they come from.
#[tokio::test]
async fn a_stale_bearer_stops_neither_verify_nor_resend() {
    let fixture = Fixture::new().await;
    let resent = auth::ResendCodeResponse { verification: "a-handle".to_owned() };
    fixture.recorder.answer(&format!("{SERVICE}/ResendCode"), &resent);
    let expired = fixture.realm.token(&testing::session(None), OffsetDateTime::now_utc().unix_timestamp() - 120);
    for token in ["not.a.token", &expired, &fixture.realm.member().1] {
        for (path, body) in
            [("resend", r#"{"email":"a@b.test"}"#), ("verify", r#"{"email":"a@b.test","otp":"123456"}"#)]
        {
            let reply = fixture.call(Method::POST, &format!("/v1/auth/{path}"), Some(token), body).await;
            assert_eq!(reply.status, StatusCode::OK, "{path}: {reply:?}");
        }
    }
    let asked: Vec<auth::ResendCodeRequest> = fixture.recorder.asked(&format!("{SERVICE}/ResendCode"));
    assert!(asked.iter().all(|one| one.client.as_ref().is_some_and(|client| client.address == "203.0.113.7")));
}
