//! The book of destinations: where payouts may go.

use chassis::error::Kind;
use chassis::identity::{PayoutState, Session};
use chassis::testing::{session, with_token};
use proto::wallet::v1::wallet_service_server::WalletService;
use proto::wallet::v1::*;
use sqlx::PgPool;
use time::{Duration, OffsetDateTime};
use tonic::Status;
use uuid::Uuid;

use crate::fixture::{CODE, Member, PERSONAL, PLATFORM, SAVED_ADDRESS, World, code, key, refusal, withdrawal};

/// Where [`withdrawal`] goes.
const ADDRESS: &str = "TDESTINATIONxxxxxxxxxxxxxxxxxxxxxx";

async fn confirm(world: &World, member: &Member, id: &str, code: &str) -> Result<(), Status> {
    let subject = Some(confirm_destination_request::Subject::TransactionId(id.to_owned()));
    confirm_subject(world, member, subject, code).await
}

async fn confirm_subject(
    world: &World,
    member: &Member,
    subject: Option<confirm_destination_request::Subject>,
    code: &str,
) -> Result<(), Status> {
    let request = ConfirmDestinationRequest { subject, code: code.to_owned() };
    world.grpc.confirm_destination(with_token(request, &member.token)).await.map(drop)
}

async fn send(world: &World, member: &Member, subject: send_destination_code_request::Subject) -> Result<bool, Status> {
    let request = SendDestinationCodeRequest { subject: Some(subject) };
    let answer = world.grpc.send_destination_code(with_token(request, &member.token)).await?;
    Ok(answer.into_inner().needs_confirmation)
}

async fn known(world: &World, member: &Member, network: &str, address: &str, memo: &str) -> bool {
    let (address, memo) = (address.to_owned(), memo.to_owned());
    let to = PayoutAddress { currency: "USDT".to_owned(), network: network.to_owned(), address, memo };
    let request = FindKnownDestinationsRequest { destinations: vec![to] };
    let answer = world.grpc.find_known_destinations(with_token(request, &member.token)).await.unwrap();
    answer.into_inner().known[0]
}

/// A member with this second factor and this balance.
async fn with_factor(world: &World, stepped_up: bool, cents: i64) -> Member {
    let open = Session { has_factor: true, stepped_up, factor_proven: stepped_up, ..session(None) };
    let (id, token) = (open.member_id(), world.realm.sign_in(open));
    let member = Member { id, token };
    world.deposit_confirmed(&member, cents).await;
    member
}

/// [D-A4] A withdrawal to an unknown destination is held and pending, and not approved until the member has confirmed the
/// destination by the mailed code; then nobody asks again, also for another amount and after a rejection.
#[sqlx::test(migrations = false)]
async fn an_unknown_destination_is_confirmed_before_the_approval(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(50_000).await;
    let made = world.withdraw_anywhere(&member, withdrawal(10_000)).await.unwrap();
    assert!(made.needs_confirmation && made.status() == TransactionStatus::Pending);
    assert_eq!(world.wallet(&member).await.held_cents, 10_000);
    let issued = world.codes.lock().unwrap().clone();
    assert_eq!(issued.len(), 1);
    let one = &issued[0];
    assert_eq!((&*one.user_id, &*one.address), (&*member.id.to_string(), ADDRESS));
    assert_eq!((&*one.currency, &*one.network, &*one.memo), ("USDT", "TRC20", ""));

    let review = world.review(&made.id).await;
    assert!(review.transaction.unwrap().needs_confirmation);
    let check = review.checks.iter().find(|check| check.name == "destination_confirmed").unwrap();
    assert!(!check.ok && check.detail.starts_with("Waiting for the member's confirmation"), "{check:?}");
    let refused = refusal(world.approve(&made).await);
    assert_eq!((refused.kind, refused.code.as_str()), (Kind::Conflict, "DESTINATION_UNCONFIRMED"));
    let refused = refusal(confirm(&world, &member, &made.id, "000000").await);
    assert_eq!((refused.kind, refused.code.as_str()), (Kind::Invalid, "INVALID_CODE"));
    assert_eq!(refused.fields[0].0, "code");
    assert_eq!(code(world.approve(&made).await), "DESTINATION_UNCONFIRMED");

    confirm(&world, &member, &made.id, CODE).await.unwrap();
    assert_eq!(world.events().await.last().unwrap(), "wallet.v1.destination_confirmed");
    confirm(&world, &member, &made.id, "").await.unwrap();
    let seen = world.transaction(&member, &made.id).await.unwrap();
    assert!(!seen.needs_confirmation && seen.revision == made.revision);
    let review = world.review(&made.id).await;
    let check = review.checks.iter().find(|check| check.name == "destination_confirmed").unwrap();
    assert!(check.ok && check.detail.contains("with an emailed code"), "{check:?}");
    world.reject(&made, "MEMBER_REQUEST").await.unwrap();
    let again = world.withdraw_anywhere(&member, withdrawal(20_000)).await.unwrap();
    assert!(!again.needs_confirmation);
    let approved = world.approve(&again).await.unwrap();
    world.pay(&approved).await.unwrap();
    assert_eq!(world.codes.lock().unwrap().len(), 1);
    world.assert_books().await;
}

/// [D-A4] Rejecting works as ever while the destination waits, and confirms nothing; what is over is not confirmed any more.
#[sqlx::test(migrations = false)]
async fn a_withdrawal_that_waits_for_its_member_can_be_rejected(pool: PgPool) {
    let world = World::new(pool).await;
    let (member, other) = (world.member_with(50_000).await, world.member_with(50_000).await);
    let made = world.withdraw_anywhere(&member, withdrawal(10_000)).await.unwrap();
    assert_eq!(code(confirm(&world, &other, &made.id, CODE).await), "NOT_FOUND");
    assert_eq!(code(send(&world, &other, of(&made)).await), "NOT_FOUND");
    let rejected = world.reject(&made, "COMPLIANCE").await.unwrap();
    assert!(!rejected.needs_confirmation);
    assert_eq!(world.wallet(&member).await.held_cents, 0);
    assert_eq!(code(confirm(&world, &member, &made.id, CODE).await), "ALREADY_DECIDED");
    assert_eq!(code(send(&world, &member, of(&made)).await), "ALREADY_DECIDED");
    assert!(!known(&world, &member, "TRC20", ADDRESS, "").await);
    let deposit = world.history(&member).await.into_iter().find(|one| one.title == "Deposit").unwrap();
    assert_eq!(code(confirm(&world, &member, &deposit.id, CODE).await), "NOT_FOUND");
    assert_eq!(code(confirm_subject(&world, &member, None, CODE).await), "NOT_FOUND");
    world.assert_books().await;
}

fn of(one: &Transaction) -> send_destination_code_request::Subject {
    send_destination_code_request::Subject::TransactionId(one.id.clone())
}

/// [D-A4] [L8] The code is asked for again; auth limits it, and a refused withdrawal asks for none and is no destination.
#[sqlx::test(migrations = false)]
async fn a_code_is_sent_again(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(20_000).await;
    assert_eq!(code(world.withdraw_anywhere(&member, withdrawal(20_001)).await), "INSUFFICIENT_BALANCE");
    assert_eq!(world.codes.lock().unwrap().len(), 0);
    let request = RequestWithdrawalRequest { idempotency: key("k"), ..withdrawal(10_000) };
    let made = world.withdraw_anywhere(&member, request.clone()).await.unwrap();
    // A repetition says the same, and asks auth again: the first call may have ended before it did.
    let repeated = world.withdraw_anywhere(&member, request).await.unwrap();
    assert_eq!((&repeated.id, repeated.needs_confirmation), (&made.id, true));
    assert_eq!(world.codes.lock().unwrap().len(), 1);
    let refused = refusal(send(&world, &member, of(&made)).await);
    assert_eq!((refused.kind, refused.code.as_str()), (Kind::RateLimited, "TOO_MANY_REQUESTS"));
    world.codes.lock().unwrap().clear();
    assert!(send(&world, &member, of(&made)).await.unwrap());
    confirm(&world, &member, &made.id, CODE).await.unwrap();
    assert!(!send(&world, &member, of(&made)).await.unwrap());
}

/// [D-A4] [D-A3] [D-A7] A fresh second factor replaces the mailed code; without a fresh one nothing is confirmed.
#[sqlx::test(migrations = false)]
async fn a_second_factor_replaces_the_code(pool: PgPool) {
    let world = World::new(pool).await;
    let member = with_factor(&world, true, 50_000).await;
    let made = world.withdraw_anywhere(&member, withdrawal(10_000)).await.unwrap();
    assert!(!made.needs_confirmation && world.codes.lock().unwrap().is_empty());
    assert_eq!(*world.noted.lock().unwrap(), [member.id.to_string()], "the member's activity has it");
    let check = world.review(&made.id).await.checks.into_iter().find(|check| check.name == "destination_confirmed");
    assert!(check.as_ref().is_some_and(|check| check.ok && check.detail.contains("second factor")), "{check:?}");
    world.approve(&made).await.unwrap();

    let late = with_factor(&world, false, 50_000).await;
    assert_eq!(code(world.withdraw_anywhere(&late, withdrawal(10_000)).await), "STEP_UP_REQUIRED");
    let method = confirm_destination_request::Subject::MethodId(PERSONAL.to_owned());
    assert_eq!(code(confirm_subject(&world, &late, Some(method.clone()), CODE).await), "STEP_UP_REQUIRED");
    let proven = Session { has_factor: true, stepped_up: true, factor_proven: true, ..session(None) };
    let fresh = Session { user_id: late.id.into(), ..proven };
    let fresh = Member { id: late.id, token: world.realm.sign_in(fresh) };
    confirm_subject(&world, &fresh, Some(method), "").await.unwrap();
    assert!(known(&world, &late, "TRC20", SAVED_ADDRESS, "").await);
}

/// [D-M10] A second factor that was set up lately, perhaps by anyone who has stolen the password, replaces no mailed code.
#[sqlx::test(migrations = false)]
async fn a_young_second_factor_replaces_no_code(pool: PgPool) {
    let world = World::new(pool).await;
    let open = Session { has_factor: true, stepped_up: true, factor_proven: false, ..session(None) };
    let member = Member { id: open.member_id(), token: world.realm.sign_in(open) };
    world.deposit_confirmed(&member, 50_000).await;
    let made = world.withdraw_anywhere(&member, withdrawal(10_000)).await.unwrap();
    assert!(made.needs_confirmation && world.codes.lock().unwrap().len() == 1);
    assert_eq!(code(confirm(&world, &member, &made.id, "").await), "INVALID_CODE");
    assert_eq!(code(world.approve(&made).await), "DESTINATION_UNCONFIRMED");
    confirm(&world, &member, &made.id, CODE).await.unwrap();
    let check = world.review(&made.id).await.checks.into_iter().find(|check| check.name == "destination_confirmed");
    assert!(check.as_ref().is_some_and(|check| check.ok && check.detail.contains("emailed code")), "{check:?}");
}

/// [D-A4] Saving a method asks for the same, and a confirmed one makes its destination known for a withdrawal.
#[sqlx::test(migrations = false)]
async fn a_confirmed_method_makes_its_destination_known(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(50_000).await;
    let method = |id: &str| send_destination_code_request::Subject::MethodId(id.to_owned());
    assert!(send(&world, &member, method(PERSONAL)).await.unwrap());
    assert_eq!(world.codes.lock().unwrap()[0].address, SAVED_ADDRESS);
    for id in [Uuid::new_v4().to_string(), "none".to_owned(), PLATFORM.to_owned()] {
        assert_eq!(code(send(&world, &member, method(&id)).await), "NOT_FOUND", "{id}");
    }
    world.methods_away.store(true, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(code(send(&world, &member, method(PERSONAL)).await), "UNAVAILABLE");
    world.methods_away.store(false, std::sync::atomic::Ordering::Relaxed);
    let subject = confirm_destination_request::Subject::MethodId(PERSONAL.to_owned());
    confirm_subject(&world, &member, Some(subject), CODE).await.unwrap();
    let saved = RequestWithdrawalRequest { method: PERSONAL.into(), address: String::new(), ..withdrawal(10_000) };
    assert!(!world.withdraw_anywhere(&member, saved).await.unwrap().needs_confirmation);
}

/// [D-A4] [D-W1] A destination that is named later is confirmed like any other.
#[sqlx::test(migrations = false)]
async fn a_destination_named_later_is_confirmed(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(50_000).await;
    let without = RequestWithdrawalRequest { address: String::new(), ..withdrawal(10_000) };
    let made = world.withdraw_anywhere(&member, without).await.unwrap();
    assert!(made.needs_destination && !made.needs_confirmation);
    assert_eq!(code(send(&world, &member, of(&made)).await), "DESTINATION_MISSING");
    let request = SetDestinationRequest { transaction_id: made.id.clone(), address: ADDRESS.into(), memo: "9".into() };
    let answer = world.grpc.set_destination(with_token(request, &member.token)).await.unwrap();
    let named = answer.into_inner().transaction.unwrap();
    assert!(named.needs_confirmation && world.codes.lock().unwrap()[0].memo == "9");
    assert_eq!(code(world.approve(&named).await), "DESTINATION_UNCONFIRMED");
    confirm(&world, &member, &made.id, CODE).await.unwrap();
    world.approve(&named).await.unwrap();
}

/// [D-A4] Currency, network, address and memo count together, for one member; spelling that means the same does not.
#[sqlx::test(migrations = false)]
async fn a_destination_is_known_as_a_whole(pool: PgPool) {
    let world = World::new(pool).await;
    let (member, other) = (world.member(), world.member());
    world.know(&member, ADDRESS, "7").await;
    assert!(known(&world, &member, "trc-20", ADDRESS, "7").await);
    for (network, address, memo) in
        [("ERC20", ADDRESS, "7"), ("TRC20", SAVED_ADDRESS, "7"), ("TRC20", ADDRESS, ""), ("TRC20", ADDRESS, "8")]
    {
        assert!(!known(&world, &member, network, address, memo).await, "{network} {address} {memo}");
    }
    assert!(!known(&world, &member, "TRC20", &ADDRESS.to_lowercase(), "7").await, "base58 has a case");
    assert!(!known(&world, &other, "TRC20", ADDRESS, "7").await);
    world.know(&member, "0x52908400098527886E0F7030069857D2E4169EE7", "").await;
    assert!(known(&world, &member, "TRC20", "0x52908400098527886e0f7030069857d2e4169ee7", "").await);
    let age = "SET session_replication_role = replica; UPDATE destinations SET known_at = known_at - interval '6 days';
        SET session_replication_role = DEFAULT";
    sqlx::raw_sql(age).execute(&world.pool).await.unwrap();
    let refused = sqlx::query("DELETE FROM destinations").execute(&world.pool).await;
    assert!(refused.is_err(), "a destination stays known");
}

/// [D-A4] A withdrawal recognises a known destination also when the member has more of them than are read at once.
#[sqlx::test(migrations = false)]
async fn one_of_many_destinations_is_known(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(100_000).await;
    for memo in 0..50 {
        world.know(&member, ADDRESS, &memo.to_string()).await;
    }
    let mut known = Vec::new();
    for memo in ["0", "49", "50"] {
        let request = RequestWithdrawalRequest { memo: memo.to_owned(), ..withdrawal(10_000) };
        let made = world.withdraw_anywhere(&member, request).await.unwrap();
        known.push(!made.needs_confirmation);
        world.reject(&made, "MEMBER_REQUEST").await.unwrap();
    }
    assert_eq!(known, [true, true, false]);
}

/// [D-A4] [D-H2] The database refuses the approval, too.
#[sqlx::test(migrations = false)]
async fn no_process_approves_an_unknown_destination(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(50_000).await;
    world.withdraw_anywhere(&member, withdrawal(10_000)).await.unwrap();
    let statement = "UPDATE transactions SET approved_by = user_id, approved_at = now() WHERE kind = 'withdrawal'";
    let refused = sqlx::query(statement).execute(&world.pool).await.unwrap_err();
    let name = refused.as_database_error().and_then(|error| error.constraint());
    assert_eq!(name, Some("transactions_destination_known"));
}

/// [D-N4] [M6] A destination that was written into the database without its member, or backdated, is refused at the approval: auth
/// did not sign it. Neither is one with the confirmation of another member or address.
#[sqlx::test(migrations = false)]
async fn a_forged_confirmation_is_refused(pool: PgPool) {
    let world = World::new(pool).await;
    let (member, thief) = (world.member_with(50_000).await, world.member());
    world.know(&thief, ADDRESS, "").await;
    world.know(&member, SAVED_ADDRESS, "").await;
    let made = world.withdraw_anywhere(&member, withdrawal(10_000)).await.unwrap();
    let forged = [
        "SELECT 'factor', ''",
        "SELECT 'code', assertion FROM destinations WHERE user_id <> $1",
        "SELECT 'code', assertion FROM destinations WHERE user_id = $1",
    ];
    for signed in forged {
        let forge = format!(
            "INSERT INTO destinations (user_id, currency, network, address, memo, known_at, cause, assertion)
             SELECT $1, 'USDT', 'TRC20', '{ADDRESS}', '', now() - interval '2 days', * FROM ({signed}) AS signed"
        );
        sqlx::query(sqlx::AssertSqlSafe(forge)).bind(member.id).execute(&world.pool).await.unwrap();
        let check = world.review(&made.id).await.checks.into_iter().find(|check| check.name == "destination_confirmed");
        assert!(check.is_some_and(|check| !check.ok && check.detail.contains("signed")), "{signed}");
        assert_eq!(code(world.approve(&made).await), "DESTINATION_UNCONFIRMED", "{signed}");
        let clean = sqlx::query("DELETE FROM destinations WHERE user_id = $1 AND address = $2").bind(member.id);
        clean.bind(ADDRESS).execute(&world.pool).await.unwrap();
    }
    confirm(&world, &member, &made.id, CODE).await.unwrap();
    let backdate =
        "SET session_replication_role = replica; UPDATE destinations SET known_at = known_at - interval '6 days';
        SET session_replication_role = DEFAULT";
    sqlx::raw_sql(backdate).execute(&world.pool).await.unwrap();
    assert_eq!(code(world.approve(&made).await), "DESTINATION_UNCONFIRMED");
}

/// [D-A5] Payouts to a destination that became known after a first login from a new device wait for a day, also while it
/// is not confirmed; payouts to one that was known before do not.
#[sqlx::test(migrations = false)]
async fn a_new_destination_from_a_new_device_cools_off(pool: PgPool) {
    let world = World::new(pool).await;
    let (one, other) = (world.member_with(50_000).await, world.member_with(50_000).await);
    let device = OffsetDateTime::now_utc() - Duration::hours(1);
    for member in [&one, &other] {
        let state = PayoutState { new_device_at: Some(device), ..PayoutState::default() };
        world.realm.tell_payouts(member.id, state);
    }
    let known = world.withdraw(&other, withdrawal(10_000)).await.unwrap();
    world.approve(&known).await.unwrap();

    let made = world.withdraw_anywhere(&one, withdrawal(10_000)).await.unwrap();
    let until = Some((device + Duration::DAY).unix_timestamp());
    for _ in 0..2 {
        let seen = world.transaction(&one, &made.id).await.unwrap();
        assert_eq!(seen.not_before.map(|at| at.seconds), until);
        assert_eq!(world.review(&made.id).await.not_before.map(|at| at.seconds), until);
        assert_eq!(code(world.approve(&made).await), "COOLING_OFF");
        confirm(&world, &one, &made.id, CODE).await.unwrap();
    }
    world.realm.tell_payouts(one.id, PayoutState::default());
    world.approve(&made).await.unwrap();
}
