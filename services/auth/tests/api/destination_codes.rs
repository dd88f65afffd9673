//! Codes by which members confirm where payouts may go.

use chassis::destination::ConfirmedDestination;
use chassis::error::{Refusal, from_status};
use chassis::keys::{SigningKey, TrustedKeys};
use chassis::testing::{Realm, with_token};
use futures::future::join_all;
use prost::Message;
use proto::auth::v1::auth_service_server::AuthService;
use proto::auth::v1::confirmation_service_server::ConfirmationService;
use proto::auth::v1::directory_service_server::DirectoryService;
use proto::auth::v1::{
    CheckDestinationCodeRequest, DestinationCodeIssued, DisownActivityRequest, GetMailSecretRequest,
    GetMailSecretResponse, GetPayoutStateRequest, IssueDestinationCodeRequest, ListActivityRequest,
    NoteDestinationRequest, User,
};
use sqlx::PgPool;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::fixture::{ABROAD, HOME, PASSWORD, World, said};
use crate::second_factor::code as totp;

const ADA: &str = "ada@example.com";

async fn issue(world: &World, user: &User, destination: u8) -> Result<(), Refusal> {
    let request = IssueDestinationCodeRequest {
        user_id: user.id.clone(),
        destination: vec![destination; 32],
        currency: "USDT".to_owned(),
        network: "TRC20".to_owned(),
        address: format!("TADDRESS{destination}"),
        memo: "7".to_owned(),
    };
    let wallet = world.realm.service_token("wallet");
    let answer = world.grpc.issue_destination_code(with_token(request, &wallet)).await;
    answer.map(drop).map_err(|status| from_status(&status))
}

async fn check(world: &World, user: &User, destination: u8, code: &str) -> Result<String, Refusal> {
    let (user_id, code) = (user.id.clone(), code.to_owned());
    let request = CheckDestinationCodeRequest { user_id, destination: vec![destination; 32], code };
    let wallet = world.realm.service_token("wallet");
    let answer = world.grpc.check_destination_code(with_token(request, &wallet)).await;
    answer.map(|answer| answer.into_inner().assertion).map_err(|status| from_status(&status))
}

/// Whether auth signed that a member confirmed this destination just now.
fn is_signed(world: &World, user: &User, destination: u8, (cause, jwt): (&str, &str)) -> bool {
    let keys = TrustedKeys::read(&world.realm.folder().join("trusted.json")).unwrap();
    let (member, now) = (user.id.parse().unwrap(), OffsetDateTime::now_utc());
    ConfirmedDestination::new(member, &[destination; 32], cause, now).is_signed_by(jwt, &keys)
}

/// The event of the newest code.
async fn issued(world: &World) -> DestinationCodeIssued {
    let body: Vec<u8> = sqlx::query_scalar(
        "SELECT payload FROM outbox WHERE key = 'auth.v1.destination_code_issued' ORDER BY id DESC LIMIT 1",
    )
    .fetch_one(&world.pool)
    .await
    .unwrap();
    DestinationCodeIssued::decode(body.as_slice()).unwrap()
}

/// What the mailer receives for a code.
async fn mailed(world: &World, event: &DestinationCodeIssued) -> Result<GetMailSecretResponse, String> {
    let request = GetMailSecretRequest { reference: event.reference.clone() };
    let token = world.realm.service_token("mailer");
    let answer = world.grpc.get_mail_secret(with_token(request, &token)).await;
    answer.map(|answer| answer.into_inner()).map_err(|status| from_status(&status).code)
}

/// A code that is no code of the last mail.
fn another(code: &str) -> String {
    format!("{:06}", (code.parse::<u32>().unwrap() + 1) % 1_000_000)
}

/// Makes the codes so far a minute older.
async fn wait_a_minute(world: &World) {
    world.run("UPDATE destination_codes SET created_at = created_at - interval '61 seconds'").await;
}

/// [D-A4] [D-E1] The event says where payouts are to go and no secret; the mail goes to the owner with six digits and the
/// link "This was not me"; the right code counts, also when the answer was lost.
#[sqlx::test(migrations = false)]
async fn a_destination_is_confirmed_by_its_code(pool: PgPool) {
    let world = World::new(pool).await;
    let (user, _) = world.member(ADA).await;
    issue(&world, &user, 1).await.unwrap();
    let event = issued(&world).await;
    assert_eq!((&*event.user_id, &*event.currency, &*event.network), (&*user.id, "USDT", "TRC20"));
    assert_eq!((&*event.address, &*event.memo), ("TADDRESS1", "7"));
    let mail = mailed(&world, &event).await.unwrap();
    assert_eq!((mail.email.as_str(), mail.secret.len()), (ADA, 6));
    assert!(!mail.link_token.is_empty());
    let (link, code) = (mail.link_expires_at.unwrap().seconds, mail.expires_at.unwrap().seconds);
    assert_eq!(link - code, 72 * 3_600 - 10 * 60);
    for _ in 0..2 {
        let signed = check(&world, &user, 1, &mail.secret).await.unwrap();
        assert!(is_signed(&world, &user, 1, ("code", &signed)) && !is_signed(&world, &user, 2, ("code", &signed)));
    }
    assert_eq!(mailed(&world, &event).await.unwrap_err(), "NOT_FOUND");
}

/// [D-A4] [D-N4] [M6] A signed confirmation is of one member, destination, means and time, and of the key for decisions.
#[test]
fn a_confirmation_is_of_what_was_confirmed() {
    let realm = Realm::new();
    let keys = TrustedKeys::read(&realm.folder().join("trusted.json")).unwrap();
    let (now, member) = (OffsetDateTime::now_utc(), Uuid::from_u128(1));
    let made = ConfirmedDestination::new(member.into(), &[1; 32], "code", now);
    let jwt = realm.confirm(&made);
    assert!(made.is_signed_by(&jwt, &keys));
    for other in [
        ConfirmedDestination::new(Uuid::from_u128(2).into(), &[1; 32], "code", now),
        ConfirmedDestination::new(member.into(), &[2; 32], "code", now),
        ConfirmedDestination::new(member.into(), &[1; 32], "factor", now),
        ConfirmedDestination::new(member.into(), &[1; 32], "code", now - Duration::days(40)),
    ] {
        assert!(!other.is_signed_by(&jwt, &keys), "{other:?}");
    }
    let wallet = SigningKey::read(&realm.folder().join("wallet.key")).unwrap();
    assert!(!made.is_signed_by(&made.sign(&wallet).unwrap(), &keys));
    assert!(!made.is_signed_by("", &keys));
}

/// [D-A7] The activity of the account says once that a destination was entered, and once that it was confirmed, by code or by a
/// second factor.
#[sqlx::test(migrations = false)]
async fn the_activity_has_destinations(pool: PgPool) {
    let world = World::new(pool).await;
    let (user, token) = world.member(ADA).await;
    let secret = world.begin_by(&token, PASSWORD).await.unwrap();
    world.confirm(&token, &totp(&secret, 0)).await.unwrap();
    issue(&world, &user, 1).await.unwrap();
    wait_a_minute(&world).await;
    issue(&world, &user, 1).await.unwrap();
    let code = mailed(&world, &issued(&world).await).await.unwrap().secret;
    assert!(check(&world, &user, 1, &another(&code)).await.is_err());
    check(&world, &user, 1, &code).await.unwrap();
    check(&world, &user, 1, &code).await.unwrap();
    let session: Uuid = sqlx::query_scalar("SELECT id FROM sessions").fetch_one(&world.pool).await.unwrap();
    let note = async |service: &str| {
        let destination = vec![2; 32];
        let request = NoteDestinationRequest { user_id: user.id.clone(), destination, session_id: session.to_string() };
        world.grpc.note_destination(with_token(request, &world.realm.service_token(service))).await
    };
    // A young factor proves nothing, even if the wallet reports it.
    world.run("UPDATE authenticators SET last_step = 0").await;
    world.step_up(&token, &totp(&secret, 1)).await.unwrap();
    assert_eq!(from_status(&note("wallet").await.unwrap_err()).code, "STEP_UP_REQUIRED");
    world.run("UPDATE authenticators SET last_step = 0, confirmed_at = confirmed_at - interval '2 days'").await;
    world.step_up(&token, &totp(&secret, 1)).await.unwrap();
    let signed = note("wallet").await.unwrap().into_inner().assertion;
    assert!(is_signed(&world, &user, 2, ("factor", &signed)));
    assert!(note("trade").await.is_err());
    let activity = world.grpc.list_activity(with_token(ListActivityRequest::default(), &token)).await.unwrap();
    let kinds = activity.into_inner().events.into_iter().map(|event| event.kind);
    let kinds: Vec<_> = kinds.filter(|kind| kind.starts_with("destination")).collect();
    assert_eq!(kinds, ["destination_confirmed", "destination_confirmed", "destination_entered"]);
}

/// [D-A4] A code belongs to its member and its destination; five submissions count, no matter how many come at once.
#[sqlx::test(migrations = false)]
async fn wrong_codes_are_limited_and_foreign_ones_are_wrong(pool: PgPool) {
    let world = World::new(pool).await;
    let (user, other) = (world.member(ADA).await.0, world.member("bob@example.com").await.0);
    issue(&world, &user, 1).await.unwrap();
    let code = mailed(&world, &issued(&world).await).await.unwrap().secret;
    for (who, destination) in [(&other, 1), (&user, 2)] {
        let refused = check(&world, who, destination, &code).await.unwrap_err();
        assert_eq!(refused.code, "INVALID_CODE");
        assert!(said(&refused, "code").is_some());
    }
    // A slip of the finger costs nothing.
    assert_eq!(check(&world, &user, 1, "12345").await.unwrap_err().code, "VALIDATION_FAILED");
    let wrong = another(&code);
    let tries = join_all((0..20).map(|_| check(&world, &user, 1, &wrong))).await;
    assert!(tries.iter().all(|result| result.as_ref().unwrap_err().code == "INVALID_CODE"));
    assert_eq!(world.count("SELECT max(attempts)::bigint FROM destination_codes").await, 5);
    assert_eq!(check(&world, &user, 1, &code).await.unwrap_err().code, "INVALID_CODE");
}

/// [D-A4] [D-H4] A code is sent once a minute for a destination and six times an hour in all; a newer one replaces it, and
/// it dies after ten minutes by the database's clock.
#[sqlx::test(migrations = false)]
async fn codes_are_renewed_replaced_and_die(pool: PgPool) {
    let world = World::new(pool).await;
    let (user, _) = world.member(ADA).await;
    issue(&world, &user, 1).await.unwrap();
    let first = mailed(&world, &issued(&world).await).await.unwrap().secret;
    let refused = issue(&world, &user, 1).await.unwrap_err();
    assert_eq!(refused.code, "TOO_MANY_REQUESTS");
    assert!(refused.retry_after.is_some_and(|wait| wait.as_secs() <= 60));
    issue(&world, &user, 2).await.unwrap();
    wait_a_minute(&world).await;
    issue(&world, &user, 1).await.unwrap();
    let second = mailed(&world, &issued(&world).await).await.unwrap().secret;
    assert!(first == second || check(&world, &user, 1, &first).await.is_err());
    world.run("UPDATE destination_codes SET expires_at = clock_timestamp() WHERE superseded_at IS NULL").await;
    assert_eq!(check(&world, &user, 1, &second).await.unwrap_err().code, "INVALID_CODE");
    assert_eq!(mailed(&world, &issued(&world).await).await.unwrap_err(), "NOT_FOUND");
    for destination in 3..6 {
        issue(&world, &user, destination).await.unwrap();
    }
    assert_eq!(issue(&world, &user, 6).await.unwrap_err().code, "TOO_MANY_REQUESTS");
    world.run("UPDATE destination_codes SET created_at = created_at - interval '1 hour'").await;
    issue(&world, &user, 6).await.unwrap();
}

/// [D-A6] The link in the mail of a code ends every session and the mail of a code that was not sent yet.
#[sqlx::test(migrations = false)]
async fn the_mail_of_a_code_says_this_was_not_me(pool: PgPool) {
    let world = World::new(pool).await;
    let (user, token) = world.member(ADA).await;
    issue(&world, &user, 1).await.unwrap();
    let event = issued(&world).await;
    let link = mailed(&world, &event).await.unwrap().link_token;
    world.grpc.disown_activity(world.realm.visitor(DisownActivityRequest { token: link })).await.unwrap();
    let request = proto::auth::v1::CheckSessionRequest::default();
    assert!(world.grpc.check_session(with_token(request, &token)).await.is_err());
    assert_eq!(mailed(&world, &event).await.unwrap_err(), "NOT_FOUND");
    assert_eq!(world.count("SELECT count(*) FROM payout_safeguards WHERE stopped_at IS NOT NULL").await, 1);
}

/// [K12] Codes are the wallet's matter alone, for members alone.
#[sqlx::test(migrations = false)]
async fn only_the_wallet_asks_for_codes(pool: PgPool) {
    let world = World::new(pool).await;
    let (user, token) = world.member(ADA).await;
    let (staff, _) = world.staff(chassis::identity::Role::Reviewer).await;
    let request =
        || IssueDestinationCodeRequest { user_id: user.id.clone(), destination: vec![1; 32], ..Default::default() };
    for foreign in [world.realm.service_token("trade"), token] {
        let refused = world.grpc.issue_destination_code(with_token(request(), &foreign)).await;
        assert_eq!(from_status(&refused.unwrap_err()).code, "PERMISSION_DENIED");
        let request = CheckDestinationCodeRequest {
            user_id: user.id.clone(),
            destination: vec![1; 32],
            code: "123456".to_owned(),
        };
        let refused = world.grpc.check_destination_code(with_token(request, &foreign)).await;
        assert_eq!(from_status(&refused.unwrap_err()).code, "PERMISSION_DENIED");
    }
    let nobody = User { id: staff.to_string(), ..user.clone() };
    assert_eq!(issue(&world, &nobody, 1).await.unwrap_err().code, "NOT_FOUND");
}

/// [D-A5] The first login from a new device that was followed by a new destination: payouts to it wait 24 hours from the
/// login; those to a destination that was known before do not, nor does an account's first device count.
#[sqlx::test(migrations = false)]
async fn a_new_device_followed_by_a_new_destination_cools_off(pool: PgPool) {
    let world = World::new(pool).await;
    let (user, _) = world.member(ADA).await;
    let state = async |seconds: i64| {
        let known_at = chassis::clock::Timestamp { seconds, nanos: 0 };
        let request = GetPayoutStateRequest { user_id: user.id.clone(), destination_known_at: Some(known_at) };
        let wallet = world.realm.service_token("wallet");
        world.grpc.get_payout_state(with_token(request, &wallet)).await.unwrap().into_inner()
    };
    let later = OffsetDateTime::now_utc().unix_timestamp() + 3_600;
    assert!(state(later).await.not_before.is_none(), "the first device");
    world.login(ADA, PASSWORD, ABROAD).await.unwrap();
    let told = state(later).await;
    let (device, until) = (told.new_device_at.unwrap(), told.not_before.unwrap());
    assert_eq!(until.seconds - device.seconds, 24 * 3_600);
    assert!(state(device.seconds - 60).await.not_before.is_none(), "known before");
    // A device of later does not make the thief's an old one.
    world.run("UPDATE known_devices SET first_seen_at = first_seen_at - interval '2 hours'").await;
    world.login(ADA, PASSWORD, "192.0.2.1").await.unwrap();
    let between = device.seconds - 3_600;
    assert_eq!(state(between).await.not_before.unwrap().seconds, until.seconds - 2 * 3_600);
    world.run("UPDATE known_devices SET first_seen_at = first_seen_at - interval '24 hours'").await;
    assert!(state(later).await.not_before.is_none(), "over");
    world.login(ADA, PASSWORD, HOME).await.unwrap();
    assert!(state(later).await.not_before.is_none(), "a device that is known");
}
