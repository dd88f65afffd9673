//! The proof of liabilities: every member can verify that they are counted, and sees nobody else.

use chassis::error::from_status;
use chassis::identity::Role;
use chassis::money::Cents;
use chassis::testing::with_token;
use proto::wallet::v1::liabilities_service_server::LiabilitiesService;
use proto::wallet::v1::*;
use sqlx::PgPool;
use tonic::Status;
use wallet::app::publish_liabilities::publish_nightly;
use wallet::domain::liabilities::{Leaf, Sibling};

use crate::fixture::{Member, World, code, key, withdrawal};

pub async fn publish(world: &World, role: Role, key_text: &str) -> Result<Liabilities, Status> {
    let (_, token) = world.realm.staff(role);
    let message = PublishLiabilitiesRequest { idempotency: key(key_text), ..Default::default() };
    let answer = world.grpc.publish_liabilities(with_token(message, &token)).await?;
    Ok(answer.into_inner().liabilities.unwrap())
}

async fn newest(world: &World) -> Liabilities {
    let answer = world.grpc.get_liabilities(world.realm.visitor(GetLiabilitiesRequest {})).await.unwrap();
    answer.into_inner().liabilities.unwrap()
}

async fn proof(world: &World, member: &Member) -> Vec<Leaf> {
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
    publish_nightly(&world.grpc.db).await.unwrap();
    publish_nightly(&world.grpc.db).await.unwrap();
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
