//! What a dump of the database reveals: no secret.

use proto::auth::v1::auth_service_server::AuthService;
use proto::auth::v1::{ForgotPasswordRequest, RegisterRequest};
use proto::common::v1::Idempotency;
use sqlx::PgPool;

use crate::fixture::{HOME, PASSWORD, World, registration};

/// Every row of every table, as text and with binary columns in hexadecimal.
async fn dump(pool: &PgPool) -> String {
    let tables: Vec<String> = sqlx::query_scalar("SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'")
        .fetch_all(pool)
        .await
        .unwrap();
    let mut text = String::new();
    for table in tables {
        let sql = sqlx::AssertSqlSafe(format!("SELECT coalesce(string_agg(t::text, E'\\n'), '') FROM \"{table}\" t"));
        let rows: String = sqlx::query_scalar(sql).fetch_one(pool).await.unwrap();
        text.push_str(&rows);
        text.push('\n');
    }
    text
}

/// Whether the digits stand there by themselves, not inside a time, a number or an id.
fn says_code(dump: &str, code: &str) -> bool {
    let part_of_word = |char: char| char.is_ascii_alphanumeric() || "._-+".contains(char);
    dump.match_indices(code).any(|(at, _)| {
        let (before, after) = (dump[..at].chars().next_back(), dump[at + code.len()..].chars().next());
        !before.is_some_and(part_of_word) && !after.is_some_and(part_of_word)
    })
}

fn hex(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect()
}

/// [D-E1] Q7: after register, login, resend and forgot no column and no event holds a password, code, link or token.
#[sqlx::test(migrations = false)]
async fn a_dump_tells_no_secret(pool: PgPool) {
    let world = World::new(pool).await;
    let idempotency = Idempotency { key: "k".to_owned(), route: "r".to_owned(), fingerprint: vec![1] };
    let request = RegisterRequest { idempotency: Some(idempotency), ..registration("ada@example.com") };
    let registered = world.grpc.register(world.realm.visitor(request)).await.unwrap().into_inner();
    let signed_in = world.login("ada@example.com", PASSWORD, HOME).await.unwrap();
    let request = ForgotPasswordRequest { email: "ada@example.com".to_owned(), client: None };
    world.grpc.forgot_password(world.realm.visitor(request)).await.unwrap();
    world.answer_mail_requests().await;
    let user_id = registered.user.unwrap().id;
    let (code, link) = (world.code("ada@example.com").await, world.link(&user_id).await);
    let dump = dump(&world.pool).await;
    assert!(dump.contains("ada@example.com") && dump.contains(&hex(&user_id)), "the control");
    for secret in [PASSWORD, &link, &registered.token, &signed_in.token, "eyJ"] {
        assert!(!dump.contains(secret) && !dump.contains(&hex(secret)), "{secret}");
    }
    assert!(!says_code(&dump, &code) && !dump.contains(&hex(&code)), "{code}");
    for sql in ["UPDATE users SET password_hash = 'hunter22'", "UPDATE reset_tokens SET token_hash = 'hunter22'"] {
        assert!(sqlx::query(sql).execute(&world.pool).await.is_err(), "{sql}");
    }
    assert!(says_code("a (123456) b", "123456") && !says_code("12:00:00.123456+00", "123456"), "the control");
}
