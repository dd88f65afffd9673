//! The course: paid by deposit or from the balance, once.

use chassis::testing::with_token;
use futures::future::join_all;
use proto::wallet::v1::course_access_service_server::CourseAccessService;
use proto::wallet::v1::*;
use sqlx::PgPool;

use crate::fixture::{World, code, course_payment};

/// [CRS-02] [D-C1] [D-C3] [D-R11] [T5] A confirmed payment unlocks the course and never touches the balance.
#[sqlx::test(migrations = false)]
async fn a_confirmed_payment_unlocks_the_course(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member();
    let made = world.deposit(&member, course_payment()).await.unwrap();
    assert_eq!((made.title.as_str(), made.direction(), made.amount_cents), ("Course", Direction::Debit, 8_700));
    let wallet = world.wallet(&member).await;
    assert!(!wallet.has_purchased_course);
    assert_eq!(code(world.deposit(&member, course_payment()).await), "COURSE_PAYMENT_PENDING");
    assert_eq!(code(world.buy_course(&member).await), "COURSE_PAYMENT_PENDING");
    world.approve(&made).await.unwrap();
    let wallet = world.wallet(&member).await;
    assert!(wallet.has_purchased_course && wallet.available_cents == 0);
    assert_eq!((world.house("course_revenue").await, world.house("settlement").await), (8_700, -8_700));
    assert_eq!(world.events().await, ["wallet.v1.deposit_requested", "wallet.v1.course_unlocked"]);
    assert_eq!(code(world.deposit(&member, course_payment()).await), "COURSE_ALREADY_PURCHASED");
    assert_eq!(code(world.buy_course(&member).await), "COURSE_ALREADY_PURCHASED");
    world.assert_books().await;
}

/// [D-C2] [D-W7] Fifty purchases at once: the course is bought once.
#[sqlx::test(migrations = false)]
async fn fifty_purchases_at_once_buy_once(pool: PgPool) {
    let world = World::new(pool).await;
    assert_eq!(code(world.buy_course(&world.member()).await), "INSUFFICIENT_BALANCE");
    let member = world.member_with(50_000).await;
    let results = join_all((0..50).map(|_| world.buy_course(&member))).await;
    let made: Vec<_> = results.into_iter().flatten().collect();
    assert_eq!(made.len(), 1);
    assert_eq!(
        (made[0].title.as_str(), made[0].status(), made[0].amount_cents),
        ("Course", TransactionStatus::Success, 8_700)
    );
    let wallet = world.wallet(&member).await;
    assert_eq!((wallet.available_cents, wallet.has_purchased_course), (41_300, true));
    assert_eq!(world.events().await.iter().filter(|key| *key == "wallet.v1.course_unlocked").count(), 1);
    world.assert_books().await;
}

/// [D-R11] A payment and a purchase at once: one of them.
#[sqlx::test(migrations = false)]
async fn paid_by_deposit_or_from_the_balance_never_both(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(50_000).await;
    let (paid, bought) = tokio::join!(world.deposit(&member, course_payment()), world.buy_course(&member));
    assert!(paid.is_ok() != bought.is_ok());
    if let Ok(paid) = paid {
        world.reject(&paid, "NOT_RECEIVED").await.unwrap();
        assert!(world.buy_course(&member).await.is_ok());
    }
    assert!(world.wallet(&member).await.has_purchased_course);
    world.assert_books().await;
}

/// [D-C4] [K12] The service course, and no other caller, learns who has bought the course.
#[sqlx::test(migrations = false)]
async fn the_service_course_is_told_who_has_bought_it(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(50_000).await;
    let ask = async |token: &str| {
        let request = GetMemberCourseAccessRequest { user_id: member.id.to_string() };
        world.grpc.get_member_course_access(with_token(request, token)).await
    };
    let token = world.realm.service_token("course");
    let told = async || {
        let answer = ask(&token).await.unwrap().into_inner();
        (answer.purchased, answer.pending)
    };
    assert_eq!(told().await, (false, false));
    let payment = world.deposit(&member, course_payment()).await.unwrap();
    assert_eq!(told().await, (false, true));
    world.reject(&payment, "NOT_RECEIVED").await.unwrap();
    world.buy_course(&member).await.unwrap();
    assert_eq!(told().await, (true, false));
    for token in [world.realm.service_token("trade"), member.token.clone()] {
        assert_eq!(code(ask(&token).await), "PERMISSION_DENIED");
    }
}

/// [D-D4] [D-N9] A payment of the course that arrives short is added to the balance, and what arrives over its price is added
/// beside the course, each in one decision. Both can be reversed.
#[sqlx::test(migrations = false)]
async fn a_course_payment_of_another_amount_is_not_lost(pool: PgPool) {
    let world = World::new(pool).await;
    for (received, balance, owns) in [(8_600, 8_600, false), (8_700, 0, true), (9_000, 300, true)] {
        let member = world.member();
        let made = world.deposit(&member, course_payment()).await.unwrap();
        let done = world.approve_with(&made, received, &world.new_txid()).await.unwrap();
        assert_eq!((done.amount_cents, done.claimed_amount_cents), (received, Some(8_700)));
        let wallet = world.wallet(&member).await;
        assert_eq!((wallet.available_cents, wallet.has_purchased_course), (balance, owns));
        world.assert_verified().await;
        for line in world.history(&member).await {
            if world.review(&line.id).await.reversible {
                crate::reversals::reverse(&world, &line).await;
            }
        }
        let wallet = world.wallet(&member).await;
        assert_eq!((wallet.available_cents, wallet.owed_cents, wallet.has_purchased_course), (0, 0, false));
    }
    assert_eq!(world.count("SELECT count(*) FROM consumed_payments WHERE freed_at IS NULL").await, 0);
    assert_eq!((world.house("settlement").await, world.house("course_revenue").await), (0, 0));
    world.assert_verified().await;
}
