//! Second factors: what of a request reaches auth, and what of its answers reaches the caller.

use axum::http::{Method, StatusCode};
use chassis::identity::{Role, step_up_required};
use chassis::testing::session;
use proto::auth::v1 as auth;
use proto::common::v1::{Proposal, ProposalStatus};

use crate::fixture::Fixture;

const SERVICE: &str = "/solvane.auth.v1.FactorService";

/// [D-R19] [D-A3] The calls of the second factor hand what was sent to auth, and its answers back, for members and staff.
#[tokio::test]
async fn the_second_factor_is_auths() {
    let fixture = Fixture::new().await;
    let (_, member) = fixture.realm.member();
    let (_, staff) = fixture.realm.staff(Role::Reviewer);
    let state = auth::GetFactorsResponse { totp_enrolled: true, recovery_codes_left: 7, ..Default::default() };
    fixture.recorder.answer(&format!("{SERVICE}/GetFactors"), &state);
    let begun = auth::BeginTotpResponse { secret: "SECRET".to_owned(), uri: "otpauth://x".to_owned() };
    fixture.recorder.answer(&format!("{SERVICE}/BeginTotp"), &begun);
    let codes = auth::ConfirmTotpResponse { recovery_codes: vec!["AAAAA-BBBBB".to_owned()] };
    fixture.recorder.answer(&format!("{SERVICE}/ConfirmTotp"), &codes);
    fixture.recorder.answer(&format!("{SERVICE}/ReplaceRecoveryCodes"), &codes);
    for token in [&member, &staff] {
        let call = |method, path, body| fixture.call(method, path, Some(token), body);
        let reply = call(Method::GET, "/v1/users/totp", "").await;
        assert_eq!(reply.status, StatusCode::OK, "{reply:?}");
        assert_eq!(reply.json()["totp"]["enrolled"], true);
        assert_eq!(
            (&reply.json()["totp"]["recoveryCodesLeft"], reply.json()["stepUpUntil"].is_null()),
            (&7.into(), true)
        );
        let reply = call(Method::POST, "/v1/users/totp", r#"{"password":"a good password"}"#).await;
        assert_eq!((&reply.json()["secret"], &reply.json()["uri"]), (&"SECRET".into(), &"otpauth://x".into()));
        let reply = call(Method::POST, "/v1/users/totp/confirm", r#"{"code":"123456"}"#).await;
        assert_eq!(reply.json()["recoveryCodes"][0], "AAAAA-BBBBB");
        let reply = call(Method::POST, "/v1/users/totp/recovery-codes", "").await;
        assert_eq!(reply.json()["recoveryCodes"][0], "AAAAA-BBBBB");
        assert_eq!(call(Method::DELETE, "/v1/users/totp", "").await.status, StatusCode::OK);
    }
    let asked = fixture.recorder.asked::<auth::BeginTotpRequest>(&format!("{SERVICE}/BeginTotp"));
    assert_eq!(asked[0].password, "a good password");
    let asked = fixture.recorder.asked::<auth::RemoveTotpRequest>(&format!("{SERVICE}/RemoveTotp"));
    assert_eq!(asked[0].client.as_ref().unwrap().address, "203.0.113.7");
}

/// [D-R19] A step-up takes a code or a recovery code in a field of its own name, and neither is 422 at the field.
#[tokio::test]
async fn a_step_up_takes_one_of_two() {
    let fixture = Fixture::new().await;
    let token = fixture.realm.sign_in(session(None));
    let step_up = |body| fixture.call(Method::POST, "/v1/auth/step-up", Some(&token), body);
    for body in [r#"{"totp":"123456"}"#, r#"{"recoveryCode":"AAAAA-BBBBB"}"#] {
        assert_eq!(step_up(body).await.status, StatusCode::OK, "{body}");
    }
    let refused = step_up("{}").await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(refused.json()["errors"]["totp"].is_string(), "{refused:?}");
    let asked = fixture.recorder.asked::<auth::StepUpRequest>(&format!("{SERVICE}/StepUp"));
    let given: Vec<_> = asked.iter().map(|one| (one.totp.as_str(), one.recovery_code.as_str())).collect();
    assert_eq!(given, [("123456", ""), ("", "AAAAA-BBBBB")]);
    fixture.recorder.refuse(&format!("{SERVICE}/RemoveTotp"), step_up_required());
    let refused = fixture.call(Method::DELETE, "/v1/users/totp", Some(&token), "").await;
    assert_eq!((refused.status, &refused.json()["code"]), (StatusCode::FORBIDDEN, &"STEP_UP_REQUIRED".into()));
}

/// [D-A3] The removal of lost factors is a proposal of auth, with the note of the person who checked the identity.
#[tokio::test]
async fn lost_factors_are_removed_by_proposal() {
    let fixture = Fixture::new().await;
    let (_, reviewer) = fixture.realm.staff(Role::Reviewer);
    let path = "/solvane.auth.v1.StaffService/ProposeFactorReset";
    let proposal = Some(Proposal { id: "1".to_owned(), status: ProposalStatus::Open.into(), ..Default::default() });
    fixture.recorder.answer(path, &auth::ProposeFactorResetResponse { proposal });
    let body = r#"{"note":"Passport seen"}"#;
    let reply = fixture.call(Method::POST, "/v1/admin/members/m1/factor-reset", Some(&reviewer), body).await;
    assert_eq!((reply.status, &reply.json()["proposalId"]), (StatusCode::CREATED, &"aut_1".into()));
    let asked = fixture.recorder.asked::<auth::ProposeFactorResetRequest>(path);
    assert_eq!((asked[0].user_id.as_str(), asked[0].note.as_str()), ("m1", "Passport seen"));
}
