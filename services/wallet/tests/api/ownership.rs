//! Whose it is, and who may.

use chassis::error::Kind;
use chassis::identity::PayoutState;
use chassis::testing::{session, with_token};
use proto::wallet::v1::wallet_service_server::WalletService;
use proto::wallet::v1::*;
use sqlx::PgPool;
use tonic::Code;

use crate::fixture::{Member, World, code, course_payment, deposit, refusal, withdrawal};

/// [S3] [D-G3] Another member's id is unknown, in every call that takes one, and nothing changes.
#[sqlx::test(migrations = false)]
async fn anothers_id_is_unknown(pool: PgPool) {
    let world = World::new(pool).await;
    let (owner, stranger) = (world.member_with(50_000).await, world.member_with(50_000).await);
    let without = RequestWithdrawalRequest { address: String::new(), ..withdrawal(10_000) };
    let made = world.withdraw(&owner, without).await.unwrap();
    assert_eq!(code(world.transaction(&stranger, &made.id).await), "NOT_FOUND");
    assert_eq!(code(world.pay_fee(&stranger, &made).await), "NOT_FOUND");
    let request = SetDestinationRequest {
        transaction_id: made.id.clone(),
        address: "TSTRANGERxxxxxxxxxxxxxxxx".into(),
        memo: String::new(),
    };
    assert_eq!(code(world.grpc.set_destination(with_token(request, &stranger.token)).await), "NOT_FOUND");
    for id in ["", "x", "00000000-0000-0000-0000-000000000000"] {
        assert_eq!(code(world.transaction(&owner, id).await), "NOT_FOUND");
    }
    assert_eq!(world.transaction(&owner, &made.id).await.unwrap(), made);
    assert_eq!(world.history(&stranger).await.len(), 1);
    assert_eq!(world.count("SELECT count(*) FROM transactions WHERE kind = 'fee'").await, 0);
}

/// [D-X1] A version that has added a column stops nobody who still runs the one before: their connections keep statements.
#[sqlx::test(migrations = false)]
async fn a_new_column_stops_nobody(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(50_000).await;
    let made = world.withdraw(&member, withdrawal(10_000)).await.unwrap();
    let history = world.history(&member).await;
    for change in [
        "ALTER TABLE transactions ADD COLUMN later text NOT NULL DEFAULT ''",
        "ALTER TABLE accounts ADD COLUMN later text NOT NULL DEFAULT ''",
        "ALTER TABLE postings ADD COLUMN later text NOT NULL DEFAULT ''",
        "ALTER TABLE entries ADD COLUMN later text NOT NULL DEFAULT ''",
    ] {
        sqlx::query(change).execute(&world.pool).await.unwrap();
    }
    for _ in 0..5 {
        assert_eq!(world.history(&member).await, history);
        assert_eq!(world.transaction(&member, &made.id).await.unwrap(), made);
    }
    world.withdraw(&world.member_with(50_000).await, withdrawal(10_000)).await.unwrap();
}

/// [D-S1] [D-R13] The unverified see their wallet only; the frozen read and do nothing; staff is no member.
#[sqlx::test(migrations = false)]
async fn unverified_frozen_and_staff_move_no_money(pool: PgPool) {
    let world = World::new(pool).await;
    let unverified = chassis::identity::Session { verified: false, ..session(None) };
    let frozen = chassis::identity::Session { frozen: true, ..session(None) };
    let sign_in =
        |session: chassis::identity::Session| Member { id: session.member_id(), token: world.realm.sign_in(session) };
    let (unverified, frozen) = (sign_in(unverified), sign_in(frozen));
    let staff = Member { id: unverified.id, token: world.reviewer.clone() };
    for (who, expected) in
        [(&unverified, "EMAIL_NOT_VERIFIED"), (&frozen, "ACCOUNT_FROZEN"), (&staff, "PERMISSION_DENIED")]
    {
        assert_eq!(code(world.deposit(who, deposit(10_000)).await), expected);
        assert_eq!(code(world.deposit(who, course_payment()).await), expected);
        assert_eq!(code(world.withdraw(who, withdrawal(10_000)).await), expected);
        assert_eq!(code(world.buy_course(who).await), expected);
        let line = Transaction { id: unverified.id.to_string(), fee_cents: Some(1), ..Default::default() };
        assert_eq!(code(world.pay_fee(who, &line).await), expected);
        let request = SetDestinationRequest { transaction_id: line.id, ..Default::default() };
        assert_eq!(code(world.grpc.set_destination(with_token(request, &who.token)).await), expected);
    }
    assert_eq!(world.wallet(&unverified).await.available_cents, 0);
    assert_eq!(code(world.transaction(&unverified, "x").await), "EMAIL_NOT_VERIFIED");
    assert!(world.history(&frozen).await.is_empty());
    assert_eq!(world.count("SELECT count(*) FROM transactions").await, 0);
}

/// [D-A3] [D-O7] A member who has a second factor gives it again for a withdrawal and for where it goes, and for nothing else;
/// who has none is asked for nothing.
#[sqlx::test(migrations = false)]
async fn money_leaves_by_a_fresh_factor(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(50_000).await;
    let again = |changes: chassis::identity::Session| {
        let session = chassis::identity::Session { user_id: member.id.into(), ..changes };
        Member { id: member.id, token: world.realm.sign_in(session) }
    };
    let stale = again(chassis::identity::Session { has_factor: true, ..session(None) });
    let fresh = again(chassis::identity::Session { has_factor: true, stepped_up: true, ..session(None) });
    let without = RequestWithdrawalRequest { address: String::new(), ..withdrawal(10_000) };
    let no = refusal(world.withdraw(&stale, without.clone()).await);
    assert_eq!((no.kind, no.code.as_str()), (Kind::Forbidden, "STEP_UP_REQUIRED"));
    world.deposit(&stale, deposit(10_000)).await.unwrap();
    world.buy_course(&stale).await.unwrap();
    assert_eq!(world.count("SELECT count(*) FROM transactions WHERE kind = 'withdrawal'").await, 0);
    let made = world.withdraw(&fresh, without).await.unwrap();
    let request = SetDestinationRequest {
        transaction_id: made.id.clone(),
        address: "TVj7RNVHy6thbM7BWdSe9G6gXwKhjhdNZS".into(),
        memo: String::new(),
    };
    let set = world.grpc.set_destination(with_token(request.clone(), &stale.token)).await;
    assert_eq!(code(set), "STEP_UP_REQUIRED");
    world.grpc.set_destination(with_token(request, &member.token)).await.unwrap();
}

/// [K12] Without a live session nothing is answered; a service credential is no member.
#[sqlx::test(migrations = false)]
async fn nobody_is_nobody(pool: PgPool) {
    let world = World::new(pool).await;
    let no = world.grpc.get_wallet(tonic::Request::new(GetWalletRequest {})).await.unwrap_err();
    assert_eq!(no.code(), Code::Unauthenticated);
    for token in ["x".to_owned(), world.realm.service_token("trade"), world.realm.token(&session(None), 1)] {
        let no = world.grpc.get_wallet(with_token(GetWalletRequest {}, &token)).await.unwrap_err();
        assert_eq!(no.code(), Code::Unauthenticated);
    }
}

/// [D-R13] [D-B8] Nothing is paid out to a member who was frozen after the request; a rejection gives the hold back.
#[sqlx::test(migrations = false)]
async fn a_frozen_members_withdrawal_is_not_paid_out(pool: PgPool) {
    let world = World::new(pool).await;
    let (one, other) = (world.member_with(50_000).await, world.member_with(50_000).await);
    let requested = world.withdraw(&one, withdrawal(10_000)).await.unwrap();
    let approved = world.withdraw(&other, withdrawal(10_000)).await.unwrap();
    let approved = world.approve(&approved).await.unwrap();
    world.realm.freeze(one.id);
    world.realm.freeze(other.id);
    let refused = [
        refusal(world.approve(&requested).await),
        refusal(world.lease_as(&world.treasurer, &approved).await),
        refusal(world.pay(&approved).await),
    ];
    assert!(refused.iter().all(|refusal| refusal.kind == Kind::Conflict && refusal.code == "ACCOUNT_FROZEN"));
    assert_eq!(world.wallet(&one).await.held_cents, 10_000);
    world.reject(&requested, "COMPLIANCE").await.unwrap();
    assert_eq!(world.wallet(&one).await.held_cents, 0);
}

/// [D-A5] [D-A1] [D-A6] After a change of the account payouts wait at every step until the moment auth names, and while
/// they are stopped, until a new password is set; a rejection gives the hold back as ever. Member and staff are notified.
#[sqlx::test(migrations = false)]
async fn payouts_wait_after_a_change_of_the_account(pool: PgPool) {
    let world = World::new(pool).await;
    let (one, other) = (world.member_with(50_000).await, world.member_with(50_000).await);
    let requested = world.withdraw(&one, withdrawal(10_000)).await.unwrap();
    let approved = world.withdraw(&other, withdrawal(10_000)).await.unwrap();
    let approved = world.approve(&approved).await.unwrap();
    let now = time::OffsetDateTime::now_utc();
    let later = now + time::Duration::hours(5);
    let cooling = PayoutState { not_before: Some(later), email_changed_at: Some(now), ..PayoutState::default() };
    let stopped = PayoutState { stopped: true, ..PayoutState::default() };
    for (state, code) in [(cooling, "COOLING_OFF"), (stopped, "PAYOUTS_STOPPED")] {
        world.realm.tell_payouts(one.id, state);
        world.realm.tell_payouts(other.id, state);
        let refused = [
            refusal(world.approve(&requested).await),
            refusal(world.lease_as(&world.treasurer, &approved).await),
            refusal(world.pay(&approved).await),
        ];
        for no in &refused {
            assert_eq!((no.kind, no.code.as_str()), (Kind::Conflict, code), "{no:?}");
            let facts = no.facts.as_deref().cloned().unwrap_or_default();
            assert_eq!(facts.contains_key("notBefore"), code == "COOLING_OFF", "{no:?}");
        }
        let review = world.review(&requested.id).await;
        let check = review.checks.iter().find(|check| check.name == "member_account").unwrap();
        assert!(!check.ok, "{check:?}");
        assert_eq!(review.not_before.is_some(), code == "COOLING_OFF");
    }
    world.realm.tell_payouts(one.id, cooling);
    let told = world.history(&one).await;
    assert_eq!(told[0].not_before.map(|at| at.seconds), Some(later.unix_timestamp()));
    let waits = told[0].steps.iter().find(|step| step.state() == StepState::Current).unwrap();
    assert_eq!((waits.key.as_str(), waits.expected_by.map(|at| at.seconds)), ("waiting", Some(later.unix_timestamp())));
    assert!(waits.note.contains("your email was changed"), "{}", waits.note);
    let over =
        PayoutState { not_before: Some(now), email_changed_at: Some(now - time::Duration::hours(73)), ..cooling };
    world.realm.tell_payouts(one.id, over);
    let review = world.review(&requested.id).await;
    assert!(review.checks.iter().any(|check| check.name == "member_account" && check.ok));
    world.approve(&requested).await.unwrap();
    world.reject(&approved, "COMPLIANCE").await.unwrap();
    assert_eq!(world.wallet(&other).await.held_cents, 0);
}
