//! Closing an account.

use chassis::id::MemberId;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use auth::app::SecondFactor;
use auth::app::account::close_account::finish_all;
use auth::app::account::erase_closed::erase_closed;
use chassis::config::Tls;
use chassis::db::PgConnection;
use chassis::erasure::{Erase, Eraser};
use chassis::error::{Refusal, from_status};
use chassis::grpc;
use chassis::identity::Role;
use chassis::testing::with_token;
use prost::Message;
use proto::auth::v1::auth_service_server::AuthService;
use proto::auth::v1::directory_service_server::DirectoryService;
use proto::auth::v1::staff_service_server::StaffService;
use proto::auth::v1::{
    AccountClosed, AccountClosing, AddMemberNoteRequest, CheckClosingRequest, CheckSessionRequest, CloseAccountRequest,
    DisownActivityRequest, ForgotPasswordRequest, GetUsersRequest, KeepAccountRequest, ListMembersRequest,
    ResetPasswordRequest,
};
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::fixture::{ABROAD, HOME, PASSWORD, World, registration};
use crate::second_factor::code;
use crate::wallet::State;

const EMAIL: &str = "ada@example.com";

impl World {
    async fn close(&self, token: &str, password: &str) -> Result<(), Refusal> {
        let request = CloseAccountRequest { password: password.to_owned(), give_up_bonus: false };
        self.grpc.close_account(with_token(request, token)).await.map(|_| ()).map_err(|status| from_status(&status))
    }

    /// Closes it and lets a day go by.
    async fn close_for_good(&self, token: &str, password: &str) {
        self.close(token, password).await.unwrap();
        self.a_day_later().await;
    }

    async fn a_day_later(&self) {
        self.run("UPDATE account_closures SET due_at = due_at - interval '24 hours'").await;
        finish_all(&self.app).await.unwrap();
    }

    async fn keep(&self, token: &str) -> Result<(), Refusal> {
        let request = with_token(KeepAccountRequest {}, token);
        self.grpc.keep_account(request).await.map(|_| ()).map_err(|status| from_status(&status))
    }

    async fn is_closed(&self) -> bool {
        self.count("SELECT count(*) FROM users WHERE closed_at IS NOT NULL").await == 1
    }

    async fn is_logged_in(&self, token: &str) -> bool {
        self.grpc.check_session(with_token(CheckSessionRequest::default(), token)).await.is_ok()
    }
}

/// [D-A12] [D-A13] Closing ends every session and mails the owner; nobody logs in afterwards, or learns that there was an
/// account, and what it was logged in with is gone.
#[sqlx::test(migrations = false)]
async fn a_closed_account_is_as_good_as_none(pool: PgPool) {
    let world = World::new(pool).await;
    let (user, token) = world.member(EMAIL).await;
    let other = world.login(EMAIL, PASSWORD, ABROAD).await.unwrap().token;
    world.close(&token, PASSWORD).await.unwrap();
    world.forget_events().await;
    world.a_day_later().await;
    assert_eq!(world.events().await, ["session_ended", "account_closed"]);
    let told: Vec<u8> = sqlx::query_scalar("SELECT payload FROM outbox WHERE key = 'auth.v1.account_closed'")
        .fetch_one(&world.pool)
        .await
        .unwrap();
    assert_eq!(
        AccountClosed::decode(told.as_slice()).unwrap(),
        AccountClosed { user_id: user.id.clone(), email: EMAIL.to_owned() }
    );
    assert!(!world.is_logged_in(&token).await && !world.is_logged_in(&other).await);
    let (closed, unknown) =
        (world.login(EMAIL, PASSWORD, HOME).await.unwrap_err(), world.login("x@example.com", PASSWORD, HOME).await);
    assert_eq!(closed, unknown.unwrap_err());
    let forgot = ForgotPasswordRequest { email: EMAIL.to_owned(), client: None };
    world.grpc.forgot_password(world.realm.visitor(forgot)).await.unwrap();
    world.answer_mail_requests().await;
    assert_eq!(world.events().await, ["session_ended", "account_closed"]);
    for gone in ["known_devices", "authenticators", "passkeys", "recovery_codes", "account_closures"] {
        let rows: i64 = sqlx::query_scalar(sqlx::AssertSqlSafe(format!("SELECT count(*) FROM {gone}")))
            .fetch_one(&world.pool)
            .await
            .unwrap();
        assert_eq!(rows, 0, "{gone}");
    }
    // Staff and services still know whose it was.
    let users = GetUsersRequest { user_ids: vec![user.id] };
    let users = world.grpc.get_users(with_token(users, &world.realm.service_token("wallet"))).await.unwrap();
    assert!(users.into_inner().users[0].closed_at.is_some());
    // Its address stays taken for a while.
    let again = world.grpc.register(world.realm.visitor(registration(EMAIL))).await;
    assert_eq!(from_status(&again.unwrap_err()).code, "EMAIL_TAKEN");
}

/// [D-A12] The caller hears everything that is open, and the account stays as it was.
#[sqlx::test(migrations = false)]
async fn what_is_open_is_named(pool: PgPool) {
    let world = World::new(pool).await;
    let (_, token) = world.member(EMAIL).await;
    world.wallet.is(State::InUse(vec!["BALANCE", "TRADE"]));
    world.forget_events().await;
    let refused = world.close(&token, PASSWORD).await.unwrap_err();
    assert_eq!(refused.code, "ACCOUNT_IN_USE");
    assert_eq!(refused.facts.unwrap()["matters"], serde_json::json!(["BALANCE", "TRADE"]));
    assert!(!world.is_closed().await && world.is_logged_in(&token).await);
    assert!(world.events().await.is_empty());
    assert_eq!(world.count("SELECT count(*) FROM account_closures").await, 0);
}

/// [D-A12] [D-A1] It takes the password, or the fresh second factor of anyone who has one.
#[sqlx::test(migrations = false)]
async fn a_stolen_session_closes_nothing(pool: PgPool) {
    let world = World::with(pool, SecondFactor::Required).await;
    let (_, token) = world.member(EMAIL).await;
    assert_eq!(world.close(&token, "").await.unwrap_err().code, "VALIDATION_FAILED");
    assert_eq!(world.close(&token, "wrong horse battery").await.unwrap_err().code, "WRONG_PASSWORD");
    let secret = world.begin_by(&token, PASSWORD).await.unwrap();
    world.confirm(&token, &code(&secret, 0)).await.unwrap();
    world.run("UPDATE sessions SET stepped_up_at = stepped_up_at - interval '6 minutes'").await;
    assert_eq!(world.close(&token, PASSWORD).await.unwrap_err().code, "STEP_UP_REQUIRED");
    assert!(!world.is_closed().await);
    world.run("UPDATE sessions SET stepped_up_at = clock_timestamp()").await;
    world.close_for_good(&token, "").await;
    assert!(world.is_closed().await);
}

/// [D-A12] [D-R13] A frozen account stays.
#[sqlx::test(migrations = false)]
async fn a_frozen_account_is_not_closed(pool: PgPool) {
    let world = World::new(pool).await;
    let (_, token) = world.member(EMAIL).await;
    world.run("UPDATE users SET frozen_at = clock_timestamp()").await;
    assert_eq!(world.close(&token, PASSWORD).await.unwrap_err().code, "ACCOUNT_FROZEN");
    assert!(!world.is_closed().await);
}

/// [D-A12] [K6] A closing that is due waits while wallet is away, and is finished by the sweeper. Without wallet's word nothing is
/// requested.
#[sqlx::test(migrations = false)]
async fn a_due_closing_goes_on(pool: PgPool) {
    let world = World::new(pool).await;
    let (_, token) = world.member(EMAIL).await;
    world.wallet.is(State::Away);
    assert_eq!(world.close(&token, PASSWORD).await.unwrap_err().code, "UNAVAILABLE");
    assert_eq!(world.count("SELECT count(*) FROM account_closures").await, 0);
    world.wallet.is(State::Empty);
    world.close(&token, PASSWORD).await.unwrap();
    assert_eq!(finish_all(&world.app).await.unwrap(), 0, "too early");
    world.wallet.is(State::Away);
    world.a_day_later().await;
    assert!(!world.is_closed().await);
    assert_eq!(world.keep(&token).await.unwrap_err().code, "NOT_FOUND", "wallet may have closed already");
    world.wallet.is(State::Empty);
    assert_eq!(finish_all(&world.app).await.unwrap(), 1);
    assert!(world.is_closed().await && !world.is_logged_in(&token).await);
    assert_eq!(finish_all(&world.app).await.unwrap(), 0);
}

/// [D-M5] Closing waits 24 hours, in which everything works as before, the owner is mailed, and a session of the account or a new
/// password keeps it. A repetition neither hastens nor delays it.
#[sqlx::test(migrations = false)]
async fn a_closing_can_be_called_off_for_a_day(pool: PgPool) {
    let world = World::new(pool).await;
    let (user, token) = world.member(EMAIL).await;
    world.forget_events().await;
    for _ in 0..2 {
        world.close(&token, PASSWORD).await.unwrap();
    }
    assert_eq!(world.events().await, ["account_closing"], "one mail");
    let hours = "SELECT extract(epoch FROM due_at - requested_at)::bigint / 3600 FROM account_closures";
    assert_eq!(world.count(hours).await, 24);
    let seen = world.grpc.check_session(with_token(CheckSessionRequest::default(), &token)).await.unwrap();
    assert!(seen.into_inner().user.unwrap().closes_at.is_some());
    world.login(EMAIL, PASSWORD, HOME).await.unwrap();
    world.keep(&token).await.unwrap();
    assert_eq!(world.keep(&token).await.unwrap_err().code, "NOT_FOUND");
    world.a_day_later().await;
    assert!(!world.is_closed().await && world.is_logged_in(&token).await);

    world.close(&token, PASSWORD).await.unwrap();
    let forgot = ForgotPasswordRequest { email: EMAIL.to_owned(), client: None };
    world.grpc.forgot_password(world.realm.visitor(forgot)).await.unwrap();
    world.answer_mail_requests().await;
    let (password, token) = ("staple battery horse".to_owned(), world.link(&user.id).await);
    let reset = ResetPasswordRequest { token, password: password.clone(), confirm_password: password, client: None };
    world.grpc.reset_password(world.realm.visitor(reset)).await.unwrap();
    world.a_day_later().await;
    assert!(!world.is_closed().await);
    let off = "SELECT count(*) FROM security_events WHERE kind = 'closing_called_off'";
    assert_eq!(world.count(off).await, 2);
}

/// [D-M5] [D-A6] A thief with the password closes nothing for good: the mail about it holds the link "This was not me".
#[sqlx::test(migrations = false)]
async fn a_thief_closes_nothing_for_good(pool: PgPool) {
    let world = World::new(pool).await;
    let (user, _) = world.member(EMAIL).await;
    let thief = world.login(EMAIL, PASSWORD, ABROAD).await.unwrap().token;
    world.close(&thief, PASSWORD).await.unwrap();
    let told: Vec<u8> = sqlx::query_scalar("SELECT payload FROM outbox WHERE key = 'auth.v1.account_closing'")
        .fetch_one(&world.pool)
        .await
        .unwrap();
    let told = AccountClosing::decode(told.as_slice()).unwrap();
    assert!(told.user_id == user.id && told.closes_at.is_some());
    let token = world.app.secrets.security_token(told.link_reference.parse().unwrap());
    world.grpc.disown_activity(world.realm.visitor(DisownActivityRequest { token })).await.unwrap();
    assert!(!world.is_logged_in(&thief).await);
    world.a_day_later().await;
    assert!(!world.is_closed().await);
    assert_eq!(world.count("SELECT count(*) FROM account_closures").await, 0);
}

/// [D-M5] [D-R13] What was opened, or frozen, since the request keeps the account.
#[sqlx::test(migrations = false)]
async fn what_happened_since_keeps_the_account(pool: PgPool) {
    let world = World::new(pool).await;
    let (_, token) = world.member(EMAIL).await;
    world.close(&token, PASSWORD).await.unwrap();
    world.wallet.is(State::InUse(vec!["BALANCE"]));
    world.a_day_later().await;
    assert!(!world.is_closed().await && world.is_logged_in(&token).await);
    assert_eq!(world.count("SELECT count(*) FROM account_closures").await, 0);
    world.wallet.is(State::Empty);
    world.close(&token, PASSWORD).await.unwrap();
    world.run("UPDATE users SET frozen_at = clock_timestamp()").await;
    world.a_day_later().await;
    assert!(!world.is_closed().await);
    assert_eq!(world.count("SELECT count(*) FROM account_closures").await, 0);
}

/// [D-M5] What is left may be on its way out: a closing waits for the payout, can be called off meanwhile, and hands on that the
/// bonus is given up.
#[sqlx::test(migrations = false)]
async fn a_closing_waits_for_the_payout(pool: PgPool) {
    let world = World::new(pool).await;
    let (_, token) = world.member(EMAIL).await;
    world.wallet.is(State::InUse(vec!["WITHDRAWAL"]));
    world.close(&token, PASSWORD).await.unwrap();
    world.a_day_later().await;
    assert!(!world.is_closed().await && world.is_logged_in(&token).await);
    assert_eq!(finish_all(&world.app).await.unwrap(), 0, "not at once again");
    world.keep(&token).await.unwrap();
    let request = CloseAccountRequest { password: PASSWORD.to_owned(), give_up_bonus: true };
    world.grpc.close_account(with_token(request, &token)).await.unwrap();
    world.a_day_later().await;
    world.wallet.is(State::Empty);
    world.a_day_later().await;
    assert!(world.is_closed().await);
    assert!(world.wallet.gave_up_bonus(), "wallet hears of it");
}

/// [D-M5] A balance that is paid out before does not stand in the way of the check; anything else does, and so does a wrong
/// password. The check changes nothing.
#[sqlx::test(migrations = false)]
async fn what_is_paid_out_before_does_not_stand_in_the_way(pool: PgPool) {
    let world = World::new(pool).await;
    let (_, token) = world.member(EMAIL).await;
    let check = async |password: &str| {
        let request = CheckClosingRequest { password: password.to_owned(), give_up_bonus: false };
        let answer = world.grpc.check_closing(with_token(request, &token)).await;
        answer.map(drop).map_err(|status| from_status(&status).code)
    };
    world.forget_events().await;
    for matters in [vec!["BALANCE"], vec!["WITHDRAWAL"], vec!["BALANCE", "WITHDRAWAL"]] {
        world.wallet.is(State::InUse(matters));
        check(PASSWORD).await.unwrap();
        assert_eq!(check("wrong horse battery").await.unwrap_err(), "WRONG_PASSWORD");
    }
    world.wallet.is(State::Empty);
    check(PASSWORD).await.unwrap();
    world.wallet.is(State::InUse(vec!["BALANCE", "TRADE"]));
    assert_eq!(check(PASSWORD).await.unwrap_err(), "ACCOUNT_IN_USE");
    world.wallet.is(State::Away);
    assert_eq!(check(PASSWORD).await.unwrap_err(), "UNAVAILABLE");
    assert_eq!(world.count("SELECT count(*) FROM account_closures").await, 0);
    assert!(world.events().await.is_empty());
}

/// Keeps what it is asked to remove.
struct Told(Arc<Mutex<Vec<Vec<MemberId>>>>);

#[async_trait]
impl Erase for Told {
    async fn erase(&self, _: &mut PgConnection, members: &[MemberId]) -> Result<(), sqlx::Error> {
        self.0.lock().unwrap().push(members.to_vec());
        Ok(())
    }
}

/// [D-A12] [D-R19] [D-H4] After 30 days the address is free, and staff still find the account by it; after the retention the
/// personal data is gone, and the other services are notified once.
#[sqlx::test(migrations = false)]
async fn the_personal_data_of_a_closed_account_has_an_end(pool: PgPool) {
    let world = World::new(pool).await;
    let (user, token) = world.member(EMAIL).await;
    let (reviewer, staff_token) = world.staff(Role::Reviewer).await;
    let note = AddMemberNoteRequest { user_id: user.id.clone(), text: "called her".to_owned(), ..Default::default() };
    world.grpc.add_member_note(with_token(note, &staff_token)).await.unwrap();
    world.member("bob@example.com").await;
    world.close_for_good(&token, PASSWORD).await;
    assert_eq!(erase_closed(&world.app).await.unwrap(), 0);
    let early = sqlx::query("DELETE FROM member_notes").execute(&world.pool).await;
    assert!(early.unwrap_err().to_string().contains("append-only"));

    world.run("UPDATE users SET closed_at = closed_at - interval '31 days' WHERE closed_at IS NOT NULL").await;
    assert_eq!(erase_closed(&world.app).await.unwrap(), 1);
    let again = world.register(EMAIL).await.user.unwrap();
    assert_ne!(again.id, user.id);
    let search = ListMembersRequest { search: EMAIL.to_owned(), ..Default::default() };
    let found = world.grpc.list_members(with_token(search, &staff_token)).await.unwrap().into_inner().members;
    assert_eq!(found.iter().map(|one| one.email.as_str()).collect::<Vec<_>>(), [EMAIL, EMAIL]);

    let listener = grpc::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let stop = CancellationToken::new();
    tokio::spawn(grpc::serve(listener, world.grpc.clone().routes(), grpc::CONNECTION_AGE, None, stop.clone()));
    let channel = grpc::channel(chassis::testing::SERVICE, &url, &Tls::default()).unwrap();
    let eraser = Eraser::new(world.db().clone(), channel, world.realm.credential("wallet"));
    let told = Arc::default();
    let own = Told(Arc::clone(&told));
    assert_eq!(eraser.erase_next(&own).await.unwrap(), 0);

    world.run("UPDATE users SET closed_at = closed_at - interval '1826 days' WHERE closed_at IS NOT NULL").await;
    assert_eq!(erase_closed(&world.app).await.unwrap(), 1);
    assert_eq!(erase_closed(&world.app).await.unwrap(), 0);
    assert_eq!((eraser.erase_next(&own).await.unwrap(), eraser.erase_next(&own).await.unwrap()), (1, 0));
    assert_eq!(*told.lock().unwrap(), [vec![user.id.parse::<MemberId>().unwrap()]]);
    stop.cancel();
    let left: String = sqlx::query_scalar(
        "SELECT coalesce(jsonb_agg(to_jsonb(users))::text, '') || (SELECT count(*) FROM member_notes)
            || (SELECT count(*) FROM sessions WHERE user_id = users.id) || (SELECT count(*) FROM security_events WHERE user_id = users.id)
         FROM users WHERE id = $1::uuid GROUP BY users.id",
    )
    .bind(&user.id)
    .fetch_one(&world.pool)
    .await
    .unwrap();
    assert!(left.ends_with("000"), "{left}");
    for personal in ["ada", "Ada", "Lovelace", "+44", "United Kingdom"] {
        assert!(!left.contains(personal), "{personal} in {left}");
    }
    // Nobody else lost anything.
    assert_eq!(world.count("SELECT count(*) FROM users WHERE name = 'Ada Lovelace'").await, 2);
    assert_ne!(reviewer, Uuid::nil());
}
