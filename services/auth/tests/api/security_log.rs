//! What the security log counts beyond logins and step-ups.

use auth::app::SecondFactor;
use chassis::error::from_status;
use chassis::identity::Role;
use chassis::testing::with_token;
use metrics_exporter_prometheus::PrometheusBuilder;
use proto::auth::v1::confirmation_service_server::ConfirmationService;
use proto::auth::v1::factor_service_server::FactorService;
use proto::auth::v1::staff_service_server::StaffService;
use proto::auth::v1::{BeginTotpRequest, CheckDestinationCodeRequest, FreezeMemberRequest};
use sqlx::PgPool;

use crate::fixture::{PASSWORD, World};

/// What was counted: kind, outcome, caller and how often, without what was not.
fn counted(rendered: &str) -> Vec<String> {
    let lines = rendered.lines().filter(|line| line.starts_with("security_events_total{"));
    let mut lines: Vec<_> = lines.map(|line| line.trim_start_matches("security_events_total").to_owned()).collect();
    lines.sort();
    lines
}

/// [D-A9] [C15] A wrong code from an email is logged and counted, with session, handle or neither, and one for a destination;
/// none leaves a row, since strangers can enter any number.
#[sqlx::test(migrations = false)]
async fn wrong_emailed_codes_are_logged(pool: PgPool) {
    let world = World::new(pool).await;
    let registered = world.register("ada@example.com").await;
    let right = world.code("ada@example.com").await;
    let wrong = if right == "000000" { "111111" } else { "000000" };
    let rows = world.count("SELECT count(*) FROM security_events").await;
    let recorder = PrometheusBuilder::new().build_recorder();
    let recording = metrics::set_default_local_recorder(&recorder);
    let handle = &registered.verification;
    for (verification, token) in [("", ""), (handle.as_str(), ""), ("", registered.token.as_str())] {
        let refused = world.verify_with("ada@example.com", wrong, verification, token).await.unwrap_err();
        assert_eq!(refused.code, "INVALID_CODE");
    }
    let user_id = registered.user.unwrap().id;
    let request = CheckDestinationCodeRequest { user_id, destination: vec![1; 32], code: wrong.to_owned() };
    let wallet = world.realm.service_token("wallet");
    world.grpc.check_destination_code(with_token(request, &wallet)).await.unwrap_err();
    drop(recording);
    let expected = r#"{kind="email_code",outcome="refused",caller="member"} 4"#;
    assert_eq!(counted(&recorder.handle().render()), [expected]);
    assert_eq!(world.count("SELECT count(*) FROM security_events").await, rows);
}

/// [D-A9] [C15] What a throttle turns away inside a session is logged and counted: a first code of an authenticator, and a
/// password.
#[sqlx::test(migrations = false)]
async fn throttled_tries_in_a_session_are_logged(pool: PgPool) {
    let world = World::with(pool, SecondFactor::Required).await;
    let (_, token) = world.member("ada@example.com").await;
    let begin = async |password: &str| {
        let request = BeginTotpRequest { password: password.to_owned() };
        let answer = FactorService::begin_totp(&world.grpc, with_token(request, &token)).await;
        answer.map(drop).map_err(|status| from_status(&status).code)
    };
    begin(PASSWORD).await.unwrap();
    world
        .run(
            "INSERT INTO login_throttles (key, failures, last_try_at, open_at)
             SELECT prefix || id, 9, clock_timestamp(), clock_timestamp() + interval '1 minute'
             FROM users, unnest(ARRAY['totp:', 'inside:']) AS prefix",
        )
        .await;
    let recorder = PrometheusBuilder::new().build_recorder();
    let recording = metrics::set_default_local_recorder(&recorder);
    assert_eq!(begin(PASSWORD).await, Err("TOO_MANY_REQUESTS".to_owned()));
    assert_eq!(world.confirm(&token, "123456").await.unwrap_err().code, "TOO_MANY_REQUESTS");
    drop(recording);
    assert_eq!(
        counted(&recorder.handle().render()),
        [
            r#"{kind="factors_changed",outcome="throttled",caller="member"} 1"#,
            r#"{kind="password",outcome="throttled",caller="member"} 1"#,
        ]
    );
}

/// [D-A9] [D-O1] Somebody who tries what their role may not do is logged and counted, staff and members apart.
#[sqlx::test(migrations = false)]
async fn refused_permissions_are_logged(pool: PgPool) {
    let world = World::new(pool).await;
    let (user, member) = world.member("ada@example.com").await;
    let (_, auditor) = world.staff(Role::Auditor).await;
    let recorder = PrometheusBuilder::new().build_recorder();
    let recording = metrics::set_default_local_recorder(&recorder);
    for token in [&member, &auditor] {
        let request = FreezeMemberRequest { user_id: user.id.clone(), note: "odd".to_owned(), ..Default::default() };
        let refused = world.grpc.freeze_member(with_token(request, token)).await.unwrap_err();
        assert_eq!(from_status(&refused).code, "PERMISSION_DENIED");
    }
    drop(recording);
    assert_eq!(
        counted(&recorder.handle().render()),
        [
            r#"{kind="permission",outcome="refused",caller="member"} 1"#,
            r#"{kind="permission",outcome="refused",caller="staff"} 1"#,
        ]
    );
}
