//! Holds on balances.

use chassis::error::Kind;
use chassis::identity::Role;
use chassis::testing::with_token;
use futures::future::join_all;
use proto::wallet::v1::staff_service_server::StaffService;
use proto::wallet::v1::wallet_service_server::WalletService;
use proto::wallet::v1::*;
use sqlx::PgPool;
use time::OffsetDateTime;
use tonic::Status;
use uuid::Uuid;

use crate::fixture::{Member, World, code, key, refusal, withdrawal};
use crate::liabilities::publish;

async fn place(world: &World, token: &str, member: &Member, cents: i64) -> Result<Hold, Status> {
    let request = PlaceHoldRequest {
        user_id: member.id.to_string(),
        amount_cents: cents,
        reason_code: "DISPUTE".into(),
        ..Default::default()
    };
    Ok(world.grpc.place_hold(with_token(request, token)).await?.into_inner().hold.unwrap())
}

async fn release(world: &World, token: &str, member: &Member, hold: &Hold) -> Result<Hold, Status> {
    let request = ReleaseHoldRequest { user_id: member.id.to_string(), hold_id: hold.id.clone(), ..Default::default() };
    Ok(world.grpc.release_hold(with_token(request, token)).await?.into_inner().hold.unwrap())
}

/// [D-B10] A reviewer holds a part, the member sees it with its reason and cannot spend it, somebody else releases it once.
#[sqlx::test(migrations = false)]
async fn a_part_is_held_and_released_by_two_people(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(50_000).await;
    let hold = place(&world, &world.reviewer, &member, 30_000).await.unwrap();
    let wallet = world.wallet(&member).await;
    assert_eq!((wallet.available_cents, wallet.on_hold_cents, wallet.held_cents), (20_000, 30_000, 0));
    let seen = &wallet.holds[0];
    assert_eq!((&seen.id, seen.amount_cents, seen.reason_code.as_str()), (&hold.id, 30_000, "DISPUTE"));
    assert_eq!((seen.reason.as_str(), seen.placed_by.as_str()), ("A payment to your account is disputed.", ""));
    assert!(seen.created_at.is_some() && !wallet.is_withdrawal_pending);
    assert_eq!(code(world.withdraw(&member, withdrawal(20_001)).await), "INSUFFICIENT_BALANCE");
    let request = GetMemberWalletRequest { user_id: member.id.to_string() };
    let staff = world.grpc.get_member_wallet(with_token(request, &world.treasurer)).await.unwrap().into_inner();
    assert_eq!(staff.wallet.unwrap().holds[0].placed_by, hold.placed_by);
    let no = refusal(release(&world, &world.reviewer, &member, &hold).await);
    assert_eq!((no.kind, no.code.as_str()), (Kind::Forbidden, "SELF_CONFIRMATION"));
    let other = world.member();
    world.wallet(&other).await;
    assert_eq!(code(release(&world, &world.treasurer, &other, &hold).await), "NOT_FOUND");
    let others = [world.treasurer.clone(), world.realm.staff(Role::Reviewer).1];
    let tries = others.iter().cycle().take(8).map(|token| release(&world, token, &member, &hold));
    let results = join_all(tries).await;
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
    for no in results.into_iter().filter(Result::is_err) {
        assert_eq!(code(no), "ALREADY_DECIDED");
    }
    let wallet = world.wallet(&member).await;
    assert_eq!((wallet.available_cents, wallet.on_hold_cents, wallet.holds.len()), (50_000, 0, 0));
    let acts: Vec<String> = sqlx::query_scalar("SELECT action FROM audit_rows WHERE action LIKE 'hold.%' ORDER BY id")
        .fetch_all(&world.pool)
        .await
        .unwrap();
    assert_eq!(acts, ["hold.place", "hold.release"]);
    assert_eq!(world.history(&member).await.len(), 1);
    world.assert_verified().await;
}

/// [D-B10] [D-O1] [L8] Not more than what is free, for one of the reasons, by a reviewer, of a member, and 20 at most.
#[sqlx::test(migrations = false)]
async fn a_hold_that_cannot_be_is_refused(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(50_000).await;
    for cents in [0, -1, i64::MIN] {
        assert_eq!(code(place(&world, &world.reviewer, &member, cents).await), "VALIDATION_FAILED");
    }
    for cents in [50_001, i64::MAX] {
        let no = refusal(place(&world, &world.reviewer, &member, cents).await);
        assert_eq!((no.kind, no.code.as_str()), (Kind::Invalid, "INSUFFICIENT_BALANCE"));
    }
    assert_eq!(code(place(&world, &world.treasurer, &member, 1).await), "PERMISSION_DENIED");
    assert_eq!(code(place(&world, &world.reviewer, &world.member(), 1).await), "NOT_FOUND");
    let odd = |reason: &str| PlaceHoldRequest {
        user_id: member.id.to_string(),
        amount_cents: 1,
        reason_code: reason.into(),
        ..Default::default()
    };
    for reason in ["", "compliance", "NOT_RECEIVED"] {
        assert_eq!(code(world.grpc.place_hold(with_token(odd(reason), &world.reviewer)).await), "VALIDATION_FAILED");
    }
    assert_eq!(world.count("SELECT count(*) FROM holds").await, 0);
    assert_eq!(world.count("SELECT count(*) FROM accounts WHERE kind = 'on_hold'").await, 0);
    let twice = PlaceHoldRequest { idempotency: key("one"), ..odd("OTHER") };
    let mut ids = Vec::new();
    for _ in 0..2 {
        let answer = world.grpc.place_hold(with_token(twice.clone(), &world.reviewer)).await.unwrap();
        ids.push(answer.into_inner().hold.unwrap().id);
    }
    assert_eq!(ids[0], ids[1]);
    for _ in 1..20 {
        place(&world, &world.reviewer, &member, 1).await.unwrap();
    }
    assert_eq!(code(place(&world, &world.reviewer, &member, 1).await), "TOO_MANY_HOLDS");
    let wallet = world.wallet(&member).await;
    assert_eq!((wallet.available_cents, wallet.on_hold_cents, wallet.holds.len()), (49_980, 20, 20));
    let unknown = Hold { id: Uuid::new_v4().to_string(), ..Default::default() };
    assert_eq!(code(release(&world, &world.treasurer, &member, &unknown).await), "NOT_FOUND");
    world.assert_verified().await;
}

/// [D-B10] [D-B6] [L3] Holds and withdrawals at once never take more than there is; what is on hold is still owed to the
/// member, and the statement adds up.
#[sqlx::test(migrations = false)]
async fn what_is_on_hold_is_still_the_members(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(50_000).await;
    let holds = (0..4).map(|_| async { place(&world, &world.reviewer, &member, 20_000).await.is_ok() });
    assert_eq!(join_all(holds).await.into_iter().filter(|placed| *placed).count(), 2);
    let integrity = world.grpc.get_integrity(with_token(GetIntegrityRequest {}, &world.reviewer)).await.unwrap();
    let integrity = integrity.into_inner();
    assert_eq!((integrity.on_hold_cents, integrity.available_cents, integrity.owed_cents), (40_000, 10_000, 0));
    assert_eq!(integrity.trial_balance_cents, 0);
    assert_eq!(publish(&world, Role::Treasurer, "now").await.unwrap().total_cents, 50_000);
    let now = OffsetDateTime::now_utc();
    let request = GetStatementRequest {
        from: Some(chassis::clock::to_proto(now - time::Duration::hours(1))),
        to: Some(chassis::clock::to_proto(now + time::Duration::hours(1))),
        page: None,
    };
    let statement = world.grpc.get_statement(with_token(request, &member.token)).await.unwrap().into_inner();
    let titles: Vec<_> = statement.lines.iter().map(|line| line.title.as_str()).collect();
    assert_eq!((titles, statement.closing_balance_cents), (vec!["Deposit", "On hold", "On hold"], 10_000));
    world.assert_verified().await;
}
