//! Sessions and their tokens.

use auth::store::sessions;
use chassis::identity::{MEMBER_AUDIENCE, MEMBER_ISSUER, Role, Session};
use chassis::testing::{self, Realm, with_token};
use proto::auth::v1::auth_service_server::AuthService;
use proto::auth::v1::{
    CheckSessionRequest, Client, EndSessionRequest, ListSessionsRequest, LoginRequest, LogoutRequest, SessionEnded,
};
use serde_json::Value;
use sqlx::PgPool;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::fixture::{ABROAD, PASSWORD, World, client, refusal};

/// The token that the gateway gets for a session, with what it shows for it.
async fn check(world: &World, shown: &str) -> Result<String, String> {
    renew(world, shown, shown).await
}

/// The same with a member's token.
async fn renew(world: &World, shown: &str, token: &str) -> Result<String, String> {
    let message = CheckSessionRequest { token: token.to_owned() };
    let answer = world.grpc.check_session(with_token(message, shown)).await;
    answer.map(|answer| answer.into_inner().token).map_err(|status| chassis::error::from_status(&status).code)
}

/// The claims of a token, unverified.
fn claims(token: &str) -> Value {
    use base64::Engine;
    let part = token.split('.').nth(1).unwrap();
    serde_json::from_slice(&base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap()
}

pub fn session_id(token: &str) -> Uuid {
    claims(token)["sid"].as_str().unwrap().parse().unwrap()
}

/// [API-07] [D-S4] The token stays in the first half of its life and is renewed in the second, for the same session.
#[sqlx::test(migrations = false)]
async fn a_token_is_renewed_past_half_of_its_life(pool: PgPool) {
    let world = World::new(pool).await;
    let (_, token) = world.member("ada@example.com").await;
    let own = check(&world, &token).await.unwrap();
    assert_eq!(renew(&world, &token, &own).await, Ok(own.clone()));
    let session =
        sessions::find(&mut world.db().conn().await.unwrap(), session_id(&token).into()).await.unwrap().unwrap();
    let now = OffsetDateTime::now_utc();
    let mut older = session.clone();
    older.idle_until = now + Duration::minutes(14);
    let old = world.app.tokens.issue(&older, now - Duration::minutes(16)).unwrap();
    let fresh = renew(&world, &token, &old).await.unwrap();
    assert_ne!(fresh, old);
    assert_eq!(session_id(&fresh), session.id.get());
    let (_, other) = world.member("bob@example.com").await;
    assert_eq!(session_id(&renew(&world, &other, &own).await.unwrap()), session_id(&other), "another session's token");
    assert_eq!(claims(&fresh)["exp"].as_i64().unwrap(), session.idle_until.unix_timestamp());
}

/// [D-A10] A session that was opened with a key is bound to it, and so are the tokens that renew the first.
#[sqlx::test(migrations = false)]
async fn every_token_of_a_bound_session_names_its_key(pool: PgPool) {
    let world = World::new(pool).await;
    world.member("ada@example.com").await;
    let key = "k".repeat(43);
    let login = LoginRequest {
        email: "ada@example.com".to_owned(),
        password: PASSWORD.to_owned(),
        totp: String::new(),
        client: Some(Client { device_key: key.clone(), ..client(ABROAD) }),
    };
    let token = world.grpc.login(world.realm.visitor(login)).await.unwrap().into_inner().token;
    assert_eq!(claims(&token)["cnf"]["jkt"], key.as_str());
    let session =
        sessions::find(&mut world.db().conn().await.unwrap(), session_id(&token).into()).await.unwrap().unwrap();
    assert_eq!(session.device_key, Some(key.clone()));
    let shown = world.realm.shown_to(testing::SERVICE, &token);
    assert_eq!(claims(&check(&world, &shown).await.unwrap())["cnf"]["jkt"], key.as_str());
}

/// [D-S4] A token names issuer, audience, account, session, times and itself.
#[sqlx::test(migrations = false)]
async fn a_token_says_what_it_must(pool: PgPool) {
    let world = World::new(pool).await;
    let (user, shown) = world.member("ada@example.com").await;
    let claims = claims(&check(&world, &shown).await.unwrap());
    assert_eq!((claims["iss"].as_str(), claims["aud"].as_str()), (Some(MEMBER_ISSUER), Some(MEMBER_AUDIENCE)));
    assert_eq!(claims["sub"].as_str(), Some(user.id.as_str()));
    // The session's end was set a moment before the token was issued, perhaps in the second before.
    assert!((1_799..=1_800).contains(&(claims["exp"].as_i64().unwrap() - claims["iat"].as_i64().unwrap())));
    assert!(claims["jti"].is_string() && claims["sid"].is_string());
}

/// [D-A11] [D-S4] Only what the gateway shows counts: no member's own token, nothing of another deployment, no credential of
/// a service, no session of somebody else, and not nothing.
#[sqlx::test(migrations = false)]
async fn only_the_gateway_names_a_session(pool: PgPool) {
    let world = World::new(pool).await;
    let (user, token) = world.member("ada@example.com").await;
    assert!(check(&world, &token).await.is_ok(), "the control");
    let own = Session { id: session_id(&token).into(), user_id: user.id.parse().unwrap(), ..testing::session(None) };
    let until = OffsetDateTime::now_utc().unix_timestamp() + 600;
    let bad = [
        String::new(),
        format!("{token}x"),
        world.realm.member_token(&own, until),
        Realm::new().token(&own, until),
        world.realm.token(&own, until - 1_200),
        world.realm.token(&Session { user_id: Uuid::new_v4().into(), ..own.clone() }, until),
        world.realm.token(&Session { id: Uuid::new_v4().into(), ..own.clone() }, until),
        world.realm.service_token("wallet"),
        world.realm.service_token("gateway"),
    ];
    for token in bad {
        assert_eq!(check(&world, &token).await, Err("UNAUTHENTICATED".to_owned()), "{token}");
    }
    let nothing = world.grpc.check_session(world.realm.visitor(CheckSessionRequest::default())).await;
    assert_eq!(refusal(nothing).code, "UNAUTHENTICATED");
}

/// [D-S4] [AUTH-13] S2: a session that was logged out is refused at once, and caches are notified.
#[sqlx::test(migrations = false)]
async fn logout_ends_the_session(pool: PgPool) {
    let world = World::new(pool).await;
    let (_, token) = world.member("ada@example.com").await;
    world.forget_events().await;
    world.grpc.logout(with_token(LogoutRequest {}, &token)).await.unwrap();
    assert_eq!(check(&world, &token).await, Err("UNAUTHENTICATED".to_owned()));
    assert_eq!(world.events().await, ["session_ended"]);
    let session_ids = vec![session_id(&token).to_string()];
    assert_eq!(world.ended().await, SessionEnded { session_ids, ..SessionEnded::default() });
    assert_eq!(refusal(world.grpc.logout(with_token(LogoutRequest {}, &token)).await).code, "UNAUTHENTICATED");
}

/// [D-S4] A member sees the own live sessions and ends one of them, but nobody else's.
#[sqlx::test(migrations = false)]
async fn a_member_lists_and_ends_own_sessions(pool: PgPool) {
    let world = World::new(pool).await;
    let (_, token) = world.member("ada@example.com").await;
    let other = world.login("ada@example.com", PASSWORD, ABROAD).await.unwrap().token;
    let (_, foreign) = world.member("bob@example.com").await;
    let list = async || {
        let answer = world.grpc.list_sessions(with_token(ListSessionsRequest {}, &token)).await.unwrap();
        answer.into_inner().sessions
    };
    let sessions = list().await;
    assert_eq!(sessions.len(), 2);
    let elsewhere = sessions.iter().find(|session| !session.current).unwrap();
    assert_eq!((elsewhere.address.as_str(), elsewhere.device.as_str()), (ABROAD, "Firefox on Linux"));
    assert_eq!(elsewhere.id, session_id(&other).to_string());
    let end = async |id: String| world.grpc.end_session(with_token(EndSessionRequest { session_id: id }, &token)).await;
    assert_eq!(refusal(end(session_id(&foreign).to_string()).await).code, "NOT_FOUND");
    assert_eq!(refusal(end("nonsense".to_owned()).await).code, "NOT_FOUND");
    assert!(check(&world, &foreign).await.is_ok());
    end(elsewhere.id.clone()).await.unwrap();
    assert_eq!(refusal(end(elsewhere.id.clone()).await).code, "NOT_FOUND");
    assert_eq!(check(&world, &other).await, Err("UNAUTHENTICATED".to_owned()));
    assert_eq!(list().await.len(), 1);
}

/// [D-S4] A session slides half an hour with use, noted once a minute, and never past seven days.
#[sqlx::test(migrations = false)]
async fn a_session_slides_within_its_life(pool: PgPool) {
    let world = World::new(pool).await;
    let (_, token) = world.member("ada@example.com").await;
    let left = "SELECT round(extract(epoch FROM idle_until - clock_timestamp()) / 60)::bigint FROM sessions";
    world.run("UPDATE sessions SET idle_until = idle_until - interval '10 minutes'").await;
    check(&world, &token).await.unwrap();
    assert_eq!(world.count(left).await, 20, "used less than a minute ago");
    world.run("UPDATE sessions SET last_seen_at = last_seen_at - interval '2 minutes'").await;
    check(&world, &token).await.unwrap();
    assert_eq!(world.count(left).await, 30);
    assert_eq!(
        world.count("SELECT extract(epoch FROM expires_at - created_at)::bigint FROM sessions").await,
        7 * 86_400
    );
    world.run("UPDATE sessions SET last_seen_at = last_seen_at - interval '2 minutes', idle_until = clock_timestamp() + interval '1 minute', expires_at = clock_timestamp() + interval '5 minutes'").await;
    check(&world, &token).await.unwrap();
    assert_eq!(world.count(left).await, 5);
    world.run("UPDATE sessions SET idle_until = clock_timestamp()").await;
    assert_eq!(check(&world, &token).await, Err("UNAUTHENTICATED".to_owned()));
}

/// [D-O1] A session of staff ends after fifteen minutes without use.
#[sqlx::test(migrations = false)]
async fn a_session_of_staff_is_shorter(pool: PgPool) {
    let world = World::new(pool).await;
    let (_, token) = world.staff(Role::Auditor).await;
    let claims = claims(&token);
    assert_eq!(claims["exp"].as_i64().unwrap() - claims["iat"].as_i64().unwrap(), 900);
    world.run("UPDATE sessions SET last_seen_at = last_seen_at - interval '2 minutes'").await;
    check(&world, &token).await.unwrap();
    let left = "SELECT round(extract(epoch FROM idle_until - clock_timestamp()) / 60)::bigint FROM sessions";
    assert_eq!(world.count(left).await, 15);
}

/// [D-O1] [D-S4] A session of staff ends after 15 minutes without use, one of a member after 30; use prolongs both.
#[sqlx::test(migrations = false)]
async fn staff_sessions_idle_out_sooner(pool: PgPool) {
    let world = World::new(pool).await;
    let (_, members) = world.member("ada@example.com").await;
    let (_, token) = world.staff(Role::Auditor).await;
    let minutes = "SELECT (extract(epoch FROM max(idle_until - last_seen_at)) / 60)::bigint FROM sessions s
                   JOIN users u ON u.id = s.user_id WHERE (u.role IS NULL) = ";
    let of = async |members: bool| -> i64 {
        let sql = sqlx::AssertSqlSafe(format!("{minutes}{members}"));
        sqlx::query_scalar(sql).fetch_one(&world.pool).await.unwrap()
    };
    assert_eq!((of(false).await, of(true).await), (15, 30));
    world.run("UPDATE sessions SET last_seen_at = last_seen_at - interval '14 minutes', idle_until = idle_until - interval '14 minutes'").await;
    assert_eq!(world.looks(&token).await, Ok(()), "in time");
    let left = "SELECT (extract(epoch FROM idle_until - clock_timestamp()) > 890)::int::bigint FROM sessions s
                JOIN users u ON u.id = s.user_id WHERE u.role IS NOT NULL";
    assert_eq!(world.count(left).await, 1, "use prolongs it");
    world.run("UPDATE sessions SET last_seen_at = last_seen_at - interval '15 minutes', idle_until = idle_until - interval '15 minutes'").await;
    assert_eq!(world.looks(&token).await, Err("UNAUTHENTICATED".to_owned()));
    assert!(
        world.grpc.check_session(with_token(CheckSessionRequest::default(), &members)).await.is_ok(),
        "members' rules"
    );
}
