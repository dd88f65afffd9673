//! Taking an account over, and taking it back.

use auth::app::staff::add_staff::{NewStaff, add_staff};
use chassis::error::{Refusal, from_status};
use chassis::identity::Role;
use chassis::testing::with_token;
use prost::Message;
use proto::auth::v1::auth_service_server::AuthService;
use proto::auth::v1::directory_service_server::DirectoryService;
use proto::auth::v1::{
    ActivityDisowned, ChangePasswordRequest, CheckSessionRequest, DisownActivityRequest, EmailChanged,
    GetMailSecretRequest, GetMailSecretResponse, GetPayoutStateRequest, GetPayoutStateResponse, NewDeviceSignedIn,
    PasswordChanged, ResetPasswordRequest, UndoEmailChangeRequest, User,
};
use sqlx::PgPool;

use crate::fixture::{ABROAD, HOME, PASSWORD, World, registration, said};
use crate::profile::{change_email, update_with, with_email};

const ADA: &str = "ada@example.com";
const EVE: &str = "eve@example.com";
const NEW: &str = "staple battery horse";

/// The newest event with this key.
async fn event<M: Message + Default>(world: &World, key: &str) -> M {
    let body: Vec<u8> = sqlx::query_scalar("SELECT payload FROM outbox WHERE key = $1 ORDER BY id DESC LIMIT 1")
        .bind(key)
        .fetch_one(&world.pool)
        .await
        .unwrap();
    M::decode(body.as_slice()).unwrap()
}

/// What the mailer receives for a reference.
async fn mailed(world: &World, reference: &str) -> Result<GetMailSecretResponse, String> {
    let request = GetMailSecretRequest { reference: reference.to_owned() };
    let token = world.realm.service_token("mailer");
    let answer = world.grpc.get_mail_secret(with_token(request, &token)).await;
    answer.map(|answer| answer.into_inner()).map_err(|status| from_status(&status).code)
}

async fn undo(world: &World, token: &str) -> Result<(), Refusal> {
    let request = UndoEmailChangeRequest { token: token.to_owned() };
    world.grpc.undo_email_change(world.realm.visitor(request)).await.map(|_| ()).map_err(|status| from_status(&status))
}

async fn not_me(world: &World, token: &str) -> Result<(), Refusal> {
    let request = DisownActivityRequest { token: token.to_owned() };
    world.grpc.disown_activity(world.realm.visitor(request)).await.map(|_| ()).map_err(|status| from_status(&status))
}

async fn reset(world: &World, token: &str) -> Result<(), Refusal> {
    let (password, confirm_password) = (NEW.to_owned(), NEW.to_owned());
    let request = ResetPasswordRequest { token: token.to_owned(), password, confirm_password, client: None };
    world.grpc.reset_password(world.realm.visitor(request)).await.map(|_| ()).map_err(|status| from_status(&status))
}

async fn is_live(world: &World, token: &str) -> bool {
    world.grpc.check_session(with_token(CheckSessionRequest::default(), token)).await.is_ok()
}

async fn payouts(world: &World, user: &User) -> GetPayoutStateResponse {
    let request = GetPayoutStateRequest { user_id: user.id.clone(), destination_known_at: None };
    let token = world.realm.service_token("wallet");
    world.grpc.get_payout_state(with_token(request, &token)).await.unwrap().into_inner()
}

/// Ada's account with the address changed by somebody who has her session and password: the account, that session's
/// token, and the tokens of the links in the mails to her and to Eve.
async fn taken_over(world: &World) -> (User, String, String, String) {
    let (user, token) = world.member(ADA).await;
    change_email(world, &token, &user, EVE).await.unwrap();
    let code = world.code(EVE).await;
    world.verify_with(EVE, &code, "", &token).await.unwrap();
    let changed: EmailChanged = event(world, "auth.v1.email_changed").await;
    let hers = mailed(world, &changed.undo_reference).await.unwrap();
    let eves = mailed(world, &changed.link_reference).await.unwrap();
    assert_eq!((hers.email.as_str(), eves.email.as_str()), (ADA, EVE), "the undo link goes to the old address alone");
    (user, token, hers.secret, eves.secret)
}

/// [D-A1] C1: a stolen session changes no email: it takes the password, tries of which are counted, or a fresh second
/// factor; other details need neither.
#[sqlx::test(migrations = false)]
async fn another_email_takes_the_password(pool: PgPool) {
    let world = World::new(pool).await;
    let (user, token) = world.member(ADA).await;
    let wanted = with_email(&user, EVE);
    assert_eq!(update_with(&world, &token, &wanted, "").await.unwrap_err().code, "REAUTHENTICATION_REQUIRED");
    let refused = update_with(&world, &token, &wanted, "wrong password").await.unwrap_err();
    assert_eq!(refused.code, "WRONG_PASSWORD");
    assert!(said(&refused, "currentPassword").is_some());
    assert_eq!(world.count("SELECT count(*) FROM users WHERE pending_email IS NOT NULL").await, 0);
    for _ in 0..5 {
        update_with(&world, &token, &wanted, "short").await.unwrap_err();
        update_with(&world, &token, &wanted, "wrong password").await.unwrap_err();
    }
    world.hold_delays().await;
    assert_eq!(update_with(&world, &token, &wanted, PASSWORD).await.unwrap_err().code, "TOO_MANY_REQUESTS");
    let renamed = User { name: "Ada King".to_owned(), ..user.clone() };
    assert_eq!(update_with(&world, &token, &renamed, "").await.unwrap().name, "Ada King");
    world.run("UPDATE sessions SET stepped_up_at = clock_timestamp()").await;
    assert_eq!(update_with(&world, &token, &wanted, "").await.unwrap().pending_email, EVE);
}

/// [D-A1] C1: the session that confirms the new email stays, every other ends; without one, all end.
#[sqlx::test(migrations = false)]
async fn a_confirmed_email_ends_the_other_sessions(pool: PgPool) {
    let world = World::new(pool).await;
    let (user, token) = world.member(ADA).await;
    let other = world.login(ADA, PASSWORD, ABROAD).await.unwrap().token;
    change_email(&world, &token, &user, "king@example.com").await.unwrap();
    let code = world.code("king@example.com").await;
    world.verify_with("king@example.com", &code, "", &token).await.unwrap();
    assert!(is_live(&world, &token).await);
    assert!(!is_live(&world, &other).await);
    change_email(&world, &token, &user, "queen@example.com").await.unwrap();
    let code = world.code("queen@example.com").await;
    world.verify("queen@example.com", &code).await.unwrap();
    assert!(!is_live(&world, &token).await);
}

/// [D-A1] [D-R19] C1: the link to the old address puts it in force again, once and within 72 hours: every session ends, the
/// old password is dead, nothing is paid out until a new one is set by the link mailed then.
#[sqlx::test(migrations = false)]
async fn the_owner_takes_the_account_back(pool: PgPool) {
    let world = World::new(pool).await;
    let (user, eves_session, undo_token, eves_link) = taken_over(&world).await;
    assert_eq!(
        world.count("SELECT extract(epoch FROM expires_at - created_at)::bigint FROM security_links LIMIT 1").await,
        72 * 3_600
    );
    assert!(undo(&world, &eves_link).await.is_err(), "the link to the new address undoes nothing");
    assert!(undo(&world, "nonsense").await.is_err());
    let squatter = world.grpc.register(world.realm.visitor(registration("ADA@example.com"))).await;
    assert_eq!(from_status(&squatter.unwrap_err()).code, "EMAIL_TAKEN", "nobody else gets the address meanwhile");
    world.forget_events().await;
    undo(&world, &undo_token).await.unwrap();
    assert_eq!(undo(&world, &undo_token).await.unwrap_err().code, "INVALID_LINK");
    assert_eq!(world.events().await, ["activity_disowned", "session_ended", "password_reset_requested"]);
    assert!(!is_live(&world, &eves_session).await);
    for email in [ADA, EVE] {
        assert_eq!(world.login(email, PASSWORD, HOME).await.unwrap_err().code, "INVALID_CREDENTIALS", "{email}");
    }
    assert!(payouts(&world, &user).await.is_stopped);
    assert_eq!(not_me(&world, &eves_link).await.unwrap_err().code, "INVALID_LINK", "her links died");
    let reference: String = sqlx::query_scalar("SELECT id::text FROM reset_tokens WHERE superseded_at IS NULL")
        .fetch_one(&world.pool)
        .await
        .unwrap();
    assert_eq!(mailed(&world, &reference).await.unwrap().email, ADA);
    reset(&world, &world.link(&user.id).await).await.unwrap();
    let state = payouts(&world, &user).await;
    assert!(!state.is_stopped && state.not_before.is_some());
    world.login(ADA, NEW, HOME).await.unwrap();
}

/// [D-M10] [D-A1] The database gives an address that an undo could restore to no other account, whichever way it asks: also if it
/// asks in the moment in which the change is committed.
#[sqlx::test(migrations = false)]
async fn nobody_gets_an_address_in_the_moment_of_its_change(pool: PgPool) {
    let world = World::new(pool).await;
    world.member(ADA).await;
    let mut change = world.db().begin().await.unwrap();
    for statement in [
        "UPDATE users SET email = 'eve@example.com'",
        "INSERT INTO security_links (id, user_id, purpose, email, created_at, expires_at)
         SELECT gen_random_uuid(), id, 'undo', 'ada@example.com', now(), now() + interval '72 hours' FROM users",
    ] {
        sqlx::query(statement).execute(&mut *change).await.unwrap();
    }
    let registering = {
        let (grpc, request) = (world.grpc.clone(), world.realm.visitor(registration("ADA@example.com")));
        tokio::spawn(async move { grpc.register(request).await })
    };
    let waits = "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype IN ('advisory', 'transactionid')";
    let limit = std::time::Instant::now() + std::time::Duration::from_secs(10);
    while world.count(waits).await == 0 {
        assert!(std::time::Instant::now() < limit, "the registration does not wait");
        tokio::task::yield_now().await;
    }
    change.commit().await.unwrap();
    let refused = registering.await.unwrap().unwrap_err();
    assert_eq!(from_status(&refused).code, "EMAIL_TAKEN");
    let new = NewStaff { name: "Sam Staff", email: ADA, role: Role::Admin, password: PASSWORD };
    assert!(add_staff(world.db(), &world.app.hasher, &new).await.is_err(), "staff neither");
    let (_, bob) = world.member("bob@example.com").await;
    let bob_as_user: User = world
        .grpc
        .check_session(with_token(CheckSessionRequest::default(), &bob))
        .await
        .unwrap()
        .into_inner()
        .user
        .unwrap();
    change_email(&world, &bob, &bob_as_user, ADA).await.unwrap();
    let code = world.code(ADA).await;
    assert_eq!(world.verify_with(ADA, &code, "", &bob).await.unwrap_err().code, "INVALID_CODE");
}

/// [D-M10] Securing an account does not depend on whether its old address can be restored: every session ends, payouts stop,
/// the account is frozen, and nobody is mailed a link who may be the thief.
#[sqlx::test(migrations = false)]
async fn an_account_is_secured_although_its_address_is_taken(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    let (user, eves_session, undo_token, _) = taken_over(&world).await;
    let squat = "SET session_replication_role = replica;
        INSERT INTO users (id, name, email, phone, country, password_hash, created_at)
        VALUES (gen_random_uuid(), 'Squatter', 'ada@example.com', '', '', '$argon2id$', now());
        SET session_replication_role = DEFAULT";
    sqlx::raw_sql(squat).execute(&pool).await.unwrap();
    world.forget_events().await;
    let request = UndoEmailChangeRequest { token: undo_token };
    let answer = world.grpc.undo_email_change(world.realm.visitor(request)).await.unwrap().into_inner();
    assert!(answer.is_address_taken);
    assert!(!is_live(&world, &eves_session).await);
    assert_eq!(world.events().await, ["activity_disowned", "session_ended"]);
    let state = payouts(&world, &user).await;
    assert!(state.is_stopped && state.is_frozen && state.disowned_at.is_some());
    assert!(world.login(EVE, PASSWORD, HOME).await.is_err());
    assert_eq!(world.count("SELECT count(*) FROM audit_rows WHERE action = 'member.freeze'").await, 1);
}

/// [D-M10] A report takes back the places from which the account was used lately, and is kept for the wallet and staff.
#[sqlx::test(migrations = false)]
async fn a_report_is_kept_and_takes_places_back(pool: PgPool) {
    let world = World::new(pool).await;
    let (user, _) = world.member(ADA).await;
    world.login(ADA, PASSWORD, ABROAD).await.unwrap();
    let told: NewDeviceSignedIn = event(&world, "auth.v1.new_device_signed_in").await;
    not_me(&world, &mailed(&world, &told.link_reference).await.unwrap().secret).await.unwrap();
    assert_eq!(world.count("SELECT count(*) FROM known_devices").await, 1);
    let disowned: ActivityDisowned = event(&world, "auth.v1.activity_disowned").await;
    reset(&world, &world.link(&user.id).await).await.unwrap();
    let state = payouts(&world, &user).await;
    assert!(!state.is_stopped, "a new password was set");
    assert_eq!(state.disowned_at, disowned.reported_at);
    assert!(state.disowned_at.is_some());
    world.forget_events().await;
    world.login(ADA, NEW, ABROAD).await.unwrap();
    assert_eq!(world.events().await, ["new_device_signed_in"], "the thief's place is a new one again");
}

/// [D-A1] [D-H4] An undo link is dead after 72 hours.
#[sqlx::test(migrations = false)]
async fn an_undo_link_dies(pool: PgPool) {
    let world = World::new(pool).await;
    let (.., undo_token, _) = taken_over(&world).await;
    world.run("UPDATE security_links SET expires_at = clock_timestamp()").await;
    assert_eq!(undo(&world, &undo_token).await.unwrap_err().code, "INVALID_LINK");
    world.login(EVE, PASSWORD, HOME).await.unwrap();
    world.register(ADA).await;
}

/// [D-A1] Anyone who was first may undo what came later, never the other way round.
#[sqlx::test(migrations = false)]
async fn a_later_link_undoes_no_undo(pool: PgPool) {
    let world = World::new(pool).await;
    let (user, token, undo_token, _) = taken_over(&world).await;
    change_email(&world, &token, &user, "eve2@example.com").await.unwrap();
    let code = world.code("eve2@example.com").await;
    world.verify_with("eve2@example.com", &code, "", &token).await.unwrap();
    let changed: EmailChanged = event(&world, "auth.v1.email_changed").await;
    let eves_undo = mailed(&world, &changed.undo_reference).await.unwrap();
    assert_eq!(eves_undo.email, EVE);
    undo(&world, &undo_token).await.unwrap();
    assert_eq!(undo(&world, &eves_undo.secret).await.unwrap_err().code, "INVALID_LINK");
    assert_eq!(world.count("SELECT count(*) FROM users WHERE email = 'ada@example.com'").await, 1);
}

/// [D-A6] "This was not me": the mails of a new login and of a changed password hold a link that ends every session and
/// the password, stops payouts and mails a reset link; it is kept nowhere in the clear.
#[sqlx::test(migrations = false)]
async fn this_was_not_me(pool: PgPool) {
    let world = World::new(pool).await;
    let (user, token) = world.member(ADA).await;
    let thief = world.login(ADA, PASSWORD, ABROAD).await.unwrap().token;
    let told: NewDeviceSignedIn = event(&world, "auth.v1.new_device_signed_in").await;
    let link = mailed(&world, &told.link_reference).await.unwrap();
    assert_eq!(link.email, ADA);
    let kept = "SELECT count(*) FROM security_links WHERE security_links::text LIKE '%' || $1 || '%'";
    let kept: i64 = sqlx::query_scalar(kept).bind(&link.secret).fetch_one(&world.pool).await.unwrap();
    assert_eq!(kept, 0);
    not_me(&world, &link.secret).await.unwrap();
    assert!(!is_live(&world, &token).await && !is_live(&world, &thief).await);
    assert!(world.login(ADA, PASSWORD, HOME).await.is_err());
    assert!(payouts(&world, &user).await.is_stopped);
    let disowned: ActivityDisowned = event(&world, "auth.v1.activity_disowned").await;
    assert_eq!(disowned.user_id, user.id);
    reset(&world, &world.link(&user.id).await).await.unwrap();
    let changed: PasswordChanged = event(&world, "auth.v1.password_changed").await;
    let token = world.login(ADA, NEW, HOME).await.unwrap().token;
    not_me(&world, &mailed(&world, &changed.link_reference).await.unwrap().secret).await.unwrap();
    assert!(!is_live(&world, &token).await);
    assert_eq!(not_me(&world, &link.secret).await.unwrap_err().code, "INVALID_LINK");
}

/// [D-A6] [D-A1] A link mailed before somebody changed the address gives the account back to that mailbox, and never a
/// reset link to the new one.
#[sqlx::test(migrations = false)]
async fn this_was_not_me_also_undoes_a_change(pool: PgPool) {
    let world = World::new(pool).await;
    let (user, _) = world.member(ADA).await;
    let thief = world.login(ADA, PASSWORD, ABROAD).await.unwrap().token;
    let told: NewDeviceSignedIn = event(&world, "auth.v1.new_device_signed_in").await;
    let link = mailed(&world, &told.link_reference).await.unwrap().secret;
    change_email(&world, &thief, &user, EVE).await.unwrap();
    let code = world.code(EVE).await;
    world.verify_with(EVE, &code, "", &thief).await.unwrap();
    not_me(&world, &link).await.unwrap();
    assert_eq!(world.count("SELECT count(*) FROM users WHERE email = 'ada@example.com'").await, 1);
    reset(&world, &world.link(&user.id).await).await.unwrap();
    world.login(ADA, NEW, HOME).await.unwrap();
}

/// [D-A5] Payouts wait 24 hours after another email and after another password, by the database's clock; only the
/// wallet may ask.
#[sqlx::test(migrations = false)]
async fn payouts_cool_off_after_a_change(pool: PgPool) {
    let world = World::new(pool).await;
    let (user, token) = world.member(ADA).await;
    let state = payouts(&world, &user).await;
    assert_eq!(state, GetPayoutStateResponse::default());
    let request = ChangePasswordRequest {
        user_id: user.id.clone(),
        old_password: PASSWORD.to_owned(),
        new_password: NEW.to_owned(),
    };
    world.grpc.change_password(with_token(request, &token)).await.unwrap();
    let state = payouts(&world, &user).await;
    assert!(state.email_changed_at.is_none() && state.factors_changed_at.is_none() && !state.is_stopped);
    let (changed, until) = (state.password_changed_at.unwrap(), state.not_before.unwrap());
    assert_eq!(until.seconds - changed.seconds, 24 * 3_600);
    world.run("UPDATE payout_safeguards SET not_before = clock_timestamp()").await;
    assert!(payouts(&world, &user).await.not_before.is_none());
    world.login(ADA, NEW, ABROAD).await.unwrap();
    assert!(payouts(&world, &user).await.new_device_at.is_some());
    let request = GetPayoutStateRequest { user_id: user.id.clone(), destination_known_at: None };
    let mailer = world.realm.service_token("mailer");
    let refused = world.grpc.get_payout_state(with_token(request, &mailer)).await;
    assert_eq!(from_status(&refused.unwrap_err()).code, "PERMISSION_DENIED");
}
