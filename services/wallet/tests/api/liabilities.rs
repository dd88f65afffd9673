//! The proof of liabilities: every member can verify that they are counted, and sees nobody else.

use chassis::clock::Timestamp;
use chassis::error::from_status;
use chassis::identity::Role;
use chassis::money::Cents;
use chassis::testing::with_token;
use proto::wallet::v1::backing_service_server::BackingService;
use proto::wallet::v1::liabilities_service_server::LiabilitiesService;
use proto::wallet::v1::*;
use sqlx::PgPool;
use time::{Duration, OffsetDateTime};
use tonic::Status;
use uuid::Uuid;
use wallet::app::treasury::check_solvency::held_now;
use wallet::app::treasury::publish_liabilities::publish_nightly;
use wallet::domain::liabilities::{Leaf, Sibling};

use crate::fixture::{Member, World, code, key, withdrawal};
use crate::trades::{fund, settle};
use crate::treasury::{PLAN, fund_plan, moved, movement, report, report_at, report_read_at};

pub async fn publish(world: &World, role: Role, key_text: &str) -> Result<Liabilities, Status> {
    let (_, token) = world.realm.staff(role);
    let message = PublishLiabilitiesRequest { idempotency: key(key_text), ..Default::default() };
    let answer = world.grpc.publish_liabilities(with_token(message, &token)).await?;
    Ok(answer.into_inner().liabilities.unwrap())
}

async fn nightly(world: &World) {
    let held = async || held_now(&world.grpc.db, &world.grpc.chains, world.grpc.tolerance).await;
    publish_nightly(&world.grpc.db, held).await.unwrap();
}

/// What trade reports of the gains of trades at a value of the plan.
async fn tell_gains(world: &World, value: i64, gains: &[(Uuid, i64)], is_last: bool) {
    let gain = |(trade, cents): &(Uuid, i64)| TradeGain { trade_id: trade.to_string(), gain_cents: *cents };
    let message = ReportGainsRequest {
        plan_id: PLAN.to_string(),
        value_at: Some(Timestamp { seconds: value, nanos: 0 }),
        gains: gains.iter().map(gain).collect(),
        is_last,
    };
    world.grpc.report_gains(with_token(message, &world.realm.service_token("trade"))).await.unwrap();
}

async fn sum_of_leaves(world: &World, member: &Member) -> i64 {
    proof(world, member).await.iter().map(|leaf| leaf.amount.get()).sum()
}

async fn newest(world: &World) -> Liabilities {
    let answer = world.grpc.get_liabilities(world.realm.visitor(GetLiabilitiesRequest {})).await.unwrap();
    answer.into_inner().liabilities.unwrap()
}

pub async fn proof(world: &World, member: &Member) -> Vec<Leaf> {
    let message = with_token(GetLiabilityProofRequest {}, &member.token);
    let answer = world.grpc.get_liability_proof(message).await.unwrap().into_inner();
    assert_eq!(answer.at, newest(world).await.at);
    let hash = |bytes: &[u8]| bytes.try_into().unwrap();
    let sibling = |one: LiabilitySibling| Sibling {
        is_left: one.is_left,
        digest: hash(&one.digest),
        sum: Cents::new(one.sum_cents),
    };
    let leaf = |one: LiabilityLeaf| Leaf {
        salt: hash(&one.salt),
        amount: Cents::new(one.amount_cents),
        path: one.path.into_iter().map(sibling).collect(),
    };
    answer.leaves.into_iter().map(leaf).collect()
}

/// [D-B6] [D-R16] Each member's leaves sum to everything they are owed and lead to the public root and total; another
/// member's id, salt or amount leads elsewhere.
#[sqlx::test(migrations = false)]
async fn every_member_verifies_that_they_are_counted(pool: PgPool) {
    let world = World::new(pool).await;
    let mut members = Vec::new();
    for cents in [10_000, 25_050, 99_999, 10_001, 1_000_000] {
        members.push(world.member_with(cents).await);
    }
    // What is held for a payout is owed too.
    world.withdraw(&members[4], withdrawal(50_000)).await.unwrap();
    let poor = world.member();
    let published = publish(&world, Role::Auditor, "once").await.unwrap();
    assert_eq!(published.total_cents, 1_145_050);
    assert_eq!(published, newest(&world).await);
    let root: [u8; 32] = published.root.clone().try_into().unwrap();
    let mut leaves_in_all = 0;
    for (member, cents) in members.iter().zip([10_000, 25_050, 99_999, 10_001, 1_000_000]) {
        let leaves = proof(&world, member).await;
        assert!((2..=4).contains(&leaves.len()), "{} leaves", leaves.len());
        assert_eq!(leaves.iter().map(|leaf| leaf.amount.get()).sum::<i64>(), cents);
        for leaf in &leaves {
            assert_eq!(leaf.root(member.id), Some((root, Cents::new(published.total_cents))));
            assert_ne!(leaf.root(poor.id).unwrap().0, root, "the leaf of another member");
            let richer = Leaf { amount: Cents::new(leaf.amount.get() + 1), ..leaf.clone() };
            assert_ne!(richer.root(member.id).unwrap().0, root, "another amount");
        }
        leaves_in_all += leaves.len();
    }
    assert_eq!(usize::try_from(published.leaves).unwrap(), leaves_in_all);
    assert_eq!(proof(&world, &poor).await, []);
}

/// [D-B6] [D-G4] A publication happens once under its key and once a night; only the trees of the newest two are kept, and
/// what was published never changes.
#[sqlx::test(migrations = false)]
async fn publications_follow_each_other(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    let unpublished = world.grpc.get_liabilities(world.realm.visitor(GetLiabilitiesRequest {})).await;
    assert_eq!(code(unpublished), "NOT_FOUND");
    nightly(&world).await;
    nightly(&world).await;
    assert_eq!(world.count("SELECT count(*) FROM liability_publications").await, 1);
    assert_eq!((newest(&world).await.total_cents, newest(&world).await.leaves), (0, 0));
    let member = world.member_with(10_000).await;
    let first = publish(&world, Role::Treasurer, "a").await.unwrap();
    assert_eq!(publish(&world, Role::Treasurer, "b").await.unwrap().total_cents, 10_000);
    publish(&world, Role::Admin, "c").await.unwrap();
    assert_eq!(world.count("SELECT count(DISTINCT publication_id) FROM liability_leaves").await, 2);
    assert_eq!(world.count("SELECT count(DISTINCT publication_id) FROM liability_nodes").await, 2);
    assert_eq!(world.count("SELECT count(*) FROM liability_publications").await, 4);
    assert_eq!(world.count("SELECT count(*) FROM audit_rows WHERE action = 'liabilities.publish'").await, 4);
    assert!(!proof(&world, &member).await.is_empty());
    let denied = publish(&world, Role::Reviewer, "d").await.unwrap_err();
    assert_eq!(from_status(&denied).code, "PERMISSION_DENIED");
    let changed = sqlx::query("UPDATE liability_publications SET total_cents = 1").execute(&pool).await;
    assert!(changed.is_err(), "a publication was changed");
    assert!(first.leaves >= 2);
}

/// [D-B6] One tree is built at a time, and one that was left unfinished gives way after an hour.
#[sqlx::test(migrations = false)]
async fn one_tree_is_built_at_a_time(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    world.member_with(10_000).await;
    let begin = "INSERT INTO liability_publications (at) VALUES (clock_timestamp())";
    sqlx::query(begin).execute(&pool).await.unwrap();
    assert_eq!(code(publish(&world, Role::Auditor, "a").await), "PUBLICATION_IN_PROGRESS");
    sqlx::query("UPDATE liability_publications SET at = at - interval '2 hours'").execute(&pool).await.unwrap();
    assert_eq!(publish(&world, Role::Auditor, "b").await.unwrap().total_cents, 10_000);
    assert_eq!(world.count("SELECT count(*) FROM liability_publications").await, 1);
}

/// [D-T5] Gains of open trades are leaves: what a trade gained at the newest value counts until it is paid, one that lost since
/// counts no more, and half a report changes nothing that was complete.
#[sqlx::test(migrations = false)]
async fn gains_that_were_not_taken_are_owed(pool: PgPool) {
    let world = World::new(pool).await;
    let (one, other) = (world.member_with(50_000).await, world.member_with(50_000).await);
    let (first, second) = (Uuid::now_v7(), Uuid::now_v7());
    fund(&world, &one, first, 20_000).await.unwrap();
    fund(&world, &other, second, 10_000).await.unwrap();
    report(&world, 30_000, 33_000).await;
    tell_gains(&world, 100, &[(first, 2_000)], false).await;
    assert_eq!(publish(&world, Role::Auditor, "a").await.unwrap().gains_cents, 0, "nothing is complete");
    tell_gains(&world, 100, &[(second, 1_000), (Uuid::now_v7(), 700)], true).await;
    let published = publish(&world, Role::Auditor, "b").await.unwrap();
    assert_eq!((published.total_cents, published.gains_cents), (103_000, 3_000));
    assert_eq!((sum_of_leaves(&world, &one).await, sum_of_leaves(&world, &other).await), (52_000, 51_000));
    // The second lost at the next value.
    tell_gains(&world, 200, &[(first, 2_500)], false).await;
    assert_eq!(publish(&world, Role::Auditor, "c").await.unwrap().gains_cents, 3_500);
    tell_gains(&world, 200, &[], true).await;
    // What is reported late changes nothing.
    tell_gains(&world, 100, &[(first, 9_000), (second, 1_000)], true).await;
    assert_eq!(publish(&world, Role::Auditor, "d").await.unwrap().gains_cents, 2_500);
    fund_plan(&world, 2_500).await;
    settle(&world, &one, first, 20_000, 22_500).await.unwrap();
    let published = publish(&world, Role::Auditor, "e").await.unwrap();
    assert_eq!((published.total_cents, published.gains_cents), (102_500, 0));
    assert_eq!(world.count("SELECT count(*) FROM open_gains WHERE gain_cents = 2500").await, 0);
    world.assert_verified().await;
}

/// [D-T5] Nothing is published while the gains at the newest values are not known: neither before the first report, nor before
/// the gains are reported, nor while trade does not report, nor by a report that was long on its way.
#[sqlx::test(migrations = false)]
async fn a_publication_waits_for_gains(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    let member = world.member_with(50_000).await;
    let trade = Uuid::now_v7();
    fund(&world, &member, trade, 20_000).await.unwrap();
    nightly(&world).await;
    report_at(&world, 20_000, 22_000, Some(100)).await;
    nightly(&world).await;
    assert_eq!(world.count("SELECT count(*) FROM liability_publications").await, 0);
    let refused = from_status(&publish(&world, Role::Auditor, "a").await.unwrap_err());
    assert_eq!(refused.code, "UNAVAILABLE");
    assert!(refused.message.starts_with("The gains of open trades are not known"), "{}", refused.message);
    tell_gains(&world, 100, &[(trade, 2_000)], true).await;
    nightly(&world).await;
    assert_eq!((newest(&world).await.total_cents, newest(&world).await.gains_cents), (52_000, 2_000));
    sqlx::query("UPDATE plan_values SET at = at - interval '11 minutes'").execute(&pool).await.unwrap();
    assert_eq!(code(publish(&world, Role::Auditor, "b").await), "UNAVAILABLE");
    let read_at = OffsetDateTime::now_utc() - Duration::minutes(11);
    report_read_at(&world, 20_000, 22_000, Some(100), read_at).await;
    assert_eq!(code(publish(&world, Role::Auditor, "b").await), "UNAVAILABLE");
    report_at(&world, 20_000, 22_000, Some(100)).await;
    publish(&world, Role::Auditor, "c").await.unwrap();
}

/// [D-T5] Everybody sees what was owed and held when it was counted, what documents prove, and every night before.
#[sqlx::test(migrations = false)]
async fn everybody_sees_what_is_owed_and_held(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    let see = async || world.grpc.get_solvency(world.realm.visitor(GetSolvencyRequest {})).await;
    assert_eq!(code(see().await), "NOT_FOUND");
    let member = world.member_with(14_000).await;
    nightly(&world).await;
    moved(&world, movement("capital_in", 3_000)).await.unwrap();
    moved(&world, movement("plan_funded", 3_000)).await.unwrap();
    fund(&world, &member, Uuid::now_v7(), 14_000).await.unwrap();
    report(&world, 14_000, 14_000).await;
    moved(&world, movement("plan_bought", 12_000)).await.unwrap();
    moved(&world, movement("plan_valued", 13_000)).await.unwrap();
    let published = publish(&world, Role::Auditor, "a").await.unwrap();
    let found = see().await.unwrap().into_inner();
    assert_eq!(found.liabilities.as_ref(), Some(&published));
    let held = found.held.unwrap();
    assert_eq!((held.total_cents, held.assets_cents, held.is_observed), (18_000, 13_000, false));
    let documents: Vec<_> =
        held.documents.iter().map(|one| (one.name.as_str(), one.plan.as_str(), one.value_cents)).collect();
    assert_eq!(documents, [("Bonds", "Starter", 13_000)]);
    let nights: Vec<_> = found.publications.iter().map(|one| (one.total_cents, one.held_cents)).collect();
    assert_eq!(nights, [(14_000, Some(18_000)), (14_000, Some(14_000))]);
    assert_eq!(found.publications[0].root, published.root);
    let emptied = sqlx::query("DELETE FROM liability_publications").execute(&pool).await;
    assert!(emptied.is_err(), "the history was deleted");
}

/// [D-T5] [M17] A tree is published whole: not while members or levels are missing, and once.
#[sqlx::test(migrations = false)]
async fn half_a_tree_is_not_published(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    world.member_with(10_000).await;
    let publication: i64 = sqlx::query_scalar("SELECT begin_liabilities()").fetch_one(&pool).await.unwrap();
    let complete = async || {
        sqlx::query("SELECT complete_liabilities(max(id), NULL) FROM liability_publications").execute(&pool).await
    };
    assert!(complete().await.is_err(), "the members are missing");
    for server in world.grpc.servers() {
        let count = sqlx::query("SELECT count_liabilities($1)").bind(publication);
        count.execute(&mut *server.db.conn().await.unwrap()).await.unwrap();
    }
    assert!(complete().await.is_err(), "the levels are missing");
    let raise = "SELECT raise_liabilities(id) FROM liability_publications";
    while sqlx::query_scalar::<_, i64>(raise).fetch_one(&pool).await.unwrap() > 1 {}
    complete().await.unwrap();
    assert_eq!(newest(&world).await.total_cents, 10_000);
    assert_eq!(sqlx::query_scalar::<_, i64>(raise).fetch_one(&pool).await.unwrap(), 0, "it is published");
}
