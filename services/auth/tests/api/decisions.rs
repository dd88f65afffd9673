//! What auth signs for the services: decisions of staff.

use chassis::id::{SessionId, StaffId};
use std::path::Path;

use auth::app::SecondFactor;
use chassis::decision::Assertion;
use chassis::error::{Refusal, from_status};
use chassis::identity::Role;
use chassis::keys::TrustedKeys;
use chassis::testing::{SERVICE, with_token};
use proto::auth::v1::auth_service_server::AuthService;
use proto::auth::v1::decision_service_server::DecisionService;
use proto::auth::v1::staff_service_server::StaffService;
use proto::auth::v1::{FreezeMemberRequest, LogoutRequest, SignDecisionRequest};
use sqlx::PgPool;
use uuid::Uuid;

use crate::fixture::{World, refusal};
use crate::second_factor::code;

impl World {
    async fn sign(&self, request: SignDecisionRequest) -> Result<Assertion, String> {
        self.sign_or_refuse(request).await.map_err(|refusal| refusal.code)
    }

    async fn sign_or_refuse(&self, request: SignDecisionRequest) -> Result<Assertion, Refusal> {
        let credential = self.realm.service_token("wallet");
        // What the gateway showed wallet when it called on behalf of this session.
        let request = SignDecisionRequest { token: self.realm.shown_to("wallet", &request.token), ..request };
        let answer = self.grpc.sign_decision(with_token(request, &credential)).await;
        let answer = answer.map_err(|status| from_status(&status))?;
        let keys = TrustedKeys::read(&self.realm.folder().join("trusted.json")).unwrap();
        Ok(Assertion::verify(&answer.into_inner().assertion, &keys).unwrap())
    }
}

fn request(token: &str, permission: &str) -> SignDecisionRequest {
    let (token, permission, digest) = (token.to_owned(), permission.to_owned(), vec![7; 32]);
    SignDecisionRequest { token, permission, digest, ..Default::default() }
}

/// [D-A11] [D-B3] Auth signs for this person, role, session, second factor and service, over this digest, and for nobody who may not
/// decide it at this moment.
#[sqlx::test(migrations = false)]
async fn a_decision_is_signed_for_who_may_take_it(pool: PgPool) {
    let world = World::with(pool, SecondFactor::Required).await;
    let reviewer = world.enrolled("reviewer", Role::Reviewer).await;
    let signed = world.sign(request(&reviewer.token, "decide")).await.unwrap();
    let id: StaffId = sqlx::query_scalar("SELECT id FROM users WHERE email = 'reviewer@solvane.test'")
        .fetch_one(&world.pool)
        .await
        .unwrap();
    let (session, factor): (SessionId, i64) =
        sqlx::query_as("SELECT id, extract(epoch FROM stepped_up_at)::bigint FROM sessions WHERE user_id = $1")
            .bind(id)
            .fetch_one(&world.pool)
            .await
            .unwrap();
    assert_eq!((signed.sub, signed.role, signed.sid), (id, Role::Reviewer, session));
    assert_eq!((signed.service.as_str(), signed.digest), ("wallet", "07".repeat(32)));
    assert!((signed.factor_at.unwrap() - factor).abs() <= 1);

    let (_, member) = world.member("ada@example.com").await;
    for (token, permission, expected) in [
        (&reviewer.token, "pay", "PERMISSION_DENIED"),
        (&reviewer.token, "whatever", "PERMISSION_DENIED"),
        (&member, "decide", "PERMISSION_DENIED"),
        (&"x".to_owned(), "decide", "UNAUTHENTICATED"),
    ] {
        assert_eq!(world.sign(request(token, permission)).await.unwrap_err(), expected, "{permission}");
    }
    let short = SignDecisionRequest { digest: vec![7; 31], ..request(&reviewer.token, "decide") };
    assert_eq!(world.sign(short).await.unwrap_err(), "VALIDATION_FAILED");
    // What the gateway showed auth itself, or another service, is nothing that wallet may use.
    let credential = world.realm.service_token("wallet");
    for service in [SERVICE, "trade"] {
        let token = world.realm.shown_to(service, &reviewer.token);
        let foreign = world.grpc.sign_decision(with_token(request(&token, "decide"), &credential)).await;
        assert_eq!(refusal(foreign).code, "UNAUTHENTICATED", "shown to {service}");
    }
    // A member of the staff alone gets nothing signed: only a service does, for them.
    let own = world.grpc.sign_decision(with_token(request(&reviewer.token, "decide"), &reviewer.token)).await;
    assert_eq!(refusal(own).code, "PERMISSION_DENIED");

    world.run("UPDATE sessions SET stepped_up_at = stepped_up_at - interval '5 minutes 1 second'").await;
    assert_eq!(world.sign(request(&reviewer.token, "decide")).await.unwrap_err(), "STEP_UP_REQUIRED");
    world.grpc.logout(with_token(LogoutRequest {}, &reviewer.token)).await.unwrap();
    assert_eq!(world.sign(request(&reviewer.token, "decide")).await.unwrap_err(), "UNAUTHENTICATED");
}

/// [D-B3] Staff whose second factor is a passkey sign each decision with it, and the assertion keeps that signature: of this
/// digest, in this session, for five minutes. With a code they do not.
#[sqlx::test(migrations = false)]
async fn a_passkey_signs_each_decision(pool: PgPool) {
    let world = World::with(pool, SecondFactor::Required).await;
    let reviewer = world.enrolled("reviewer", Role::Reviewer).await;
    assert_eq!(world.sign(request(&reviewer.token, "decide")).await.unwrap().passkey, None, "by a code");
    let (mut device, _) = world.add_passkey(&reviewer.token, "").await;
    let refused = world.sign_or_refuse(request(&reviewer.token, "decide")).await.unwrap_err();
    assert_eq!(refused.code, "PASSKEY_SIGNATURE_REQUIRED");
    assert_eq!(refused.facts.unwrap()["digest"], serde_json::json!("07".repeat(32)));

    let mut give = async |digest: &[u8]| {
        let options = world.decision_options(&reviewer.token, digest).await.unwrap();
        device.sign_count += 1;
        let answer = device.sign(&options);
        world.step_up_by(&reviewer.token, &answer).await.unwrap();
        answer
    };
    give(&[]).await;
    give(&[8; 32]).await;
    let other = world.sign(request(&reviewer.token, "decide")).await;
    assert_eq!(other.unwrap_err(), "PASSKEY_SIGNATURE_REQUIRED", "another digest");
    let answer: serde_json::Value = serde_json::from_str(&give(&[7; 32]).await).unwrap();
    for _ in 0..2 {
        let signature = world.sign(request(&reviewer.token, "decide")).await.unwrap().passkey.unwrap();
        assert_eq!(serde_json::json!(signature.signature), answer["response"]["signature"]);
        assert_eq!(serde_json::json!(signature.client_data), answer["response"]["clientDataJSON"]);
    }
    assert_eq!(world.sign(request(&reviewer.token, "pay")).await.unwrap_err(), "PERMISSION_DENIED");
    let short = world.decision_options(&reviewer.token, &[7; 31]).await.unwrap_err();
    assert_eq!(short.code, "VALIDATION_FAILED");
    world.run("UPDATE decision_signatures SET created_at = created_at - interval '5 minutes 1 second'").await;
    let old = world.sign(request(&reviewer.token, "decide")).await;
    assert_eq!(old.unwrap_err(), "PASSKEY_SIGNATURE_REQUIRED", "too old");
    world.let_time_pass().await;
    world.step_up(&reviewer.token, &code(&reviewer.secret, 0)).await.unwrap();
    assert_eq!(world.sign(request(&reviewer.token, "decide")).await.unwrap().passkey, None, "by a code again");
}

/// [D-O6] C4: a confirmation is signed only while the proposer may still propose it.
#[sqlx::test(migrations = false)]
async fn a_confirmation_is_signed_while_its_proposer_may_propose(pool: PgPool) {
    let world = World::new(pool).await;
    let (proposer, _) = world.staff(Role::Treasurer).await;
    let (_, token) = world.staff_named("treasurer2", Role::Treasurer).await;
    let confirmation = SignDecisionRequest {
        proposer_id: proposer.to_string(),
        proposer_permission: "correctBalances".to_owned(),
        ..request(&token, "correctBalances")
    };
    world.sign(confirmation.clone()).await.unwrap();
    for lost in
        ["role = 'reviewer'", "role = 'treasurer', disabled_at = now()", "disabled_at = NULL, frozen_at = now()"]
    {
        let statement = format!("UPDATE users SET {lost} WHERE email = 'treasurer@solvane.test'");
        sqlx::query(sqlx::AssertSqlSafe(statement)).execute(&world.pool).await.unwrap();
        assert_eq!(world.sign(confirmation.clone()).await.unwrap_err(), "PROPOSER_NOT_PERMITTED", "{lost}");
    }
    let stranger = SignDecisionRequest { proposer_id: Uuid::new_v4().to_string(), ..confirmation };
    assert_eq!(world.sign(stranger).await.unwrap_err(), "PROPOSER_NOT_PERMITTED");
}

/// [D-B3] A freeze, which auth decides itself, is signed in the process and stands in the audit log.
#[sqlx::test(migrations = false)]
async fn auth_signs_its_own_decisions(pool: PgPool) {
    let world = World::new(pool).await;
    let (reviewer, token) = world.staff(Role::Reviewer).await;
    let (member, _) = world.member("ada@example.com").await;
    let freeze = FreezeMemberRequest { user_id: member.id.clone(), note: "odd".to_owned(), ..Default::default() };
    world.grpc.freeze_member(with_token(freeze, &token)).await.unwrap();
    let (jwt, decision): (String, serde_json::Value) =
        sqlx::query_as("SELECT assertion, decision FROM audit_rows WHERE action = 'member.freeze'")
            .fetch_one(&world.pool)
            .await
            .unwrap();
    let keys = |folder: &Path| TrustedKeys::read(&folder.join("trusted.json")).unwrap();
    let signed = Assertion::verify(&jwt, &keys(world.realm.folder())).unwrap();
    assert_eq!((signed.sub.get(), signed.service.as_str()), (reviewer, "auth"));
    assert_eq!(decision["subjectId"], serde_json::json!(member.id));
    assert_eq!(Assertion::verify(&jwt, &keys(chassis::testing::Realm::new().folder())), None);
}
