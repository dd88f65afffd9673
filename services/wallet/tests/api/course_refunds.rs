//! Refunds of the course.

use chassis::clock;
use chassis::db::PgConnection;
use chassis::id::MemberId;
use chassis::identity::Role;
use chassis::testing::with_token;
use proto::common::v1::Proposal;
use proto::wallet::v1::staff_service_server::StaffService;
use proto::wallet::v1::*;
use sqlx::PgPool;
use tonic::Status;
use uuid::Uuid;
use wallet::domain::account::{AccountRef, HouseAccount};
use wallet::domain::limits::COURSE_PRICE;
use wallet::domain::posting_kind::{Cause, PostingKind};
use wallet::domain::transaction::{Details, Transaction as Line};
use wallet::error::Error;
use wallet::posting::{self, Posting};
use wallet::store::transactions;

use crate::corrections::confirm;
use crate::fixture::{Member, World, code, course_payment};
use crate::reversals::reverse;

async fn propose(world: &World, token: &str, member: &Member) -> Result<Proposal, Status> {
    let request =
        ProposeCourseRefundRequest { user_id: member.id.to_string(), note: "asked for".into(), ..Default::default() };
    Ok(world.grpc.propose_course_refund(with_token(request, token)).await?.into_inner().proposal.unwrap())
}

/// [D-C9] [T5] Two treasurers refund a purchase from the balance once: the price is back, access has ended, the member is
/// mailed, and may buy the course again.
#[sqlx::test(migrations = false)]
async fn a_purchase_is_refunded_once(pool: PgPool) {
    let world = World::new(pool).await;
    let (member, second) = (world.member_with(50_000).await, world.realm.staff(Role::Treasurer).1);
    let bought = world.buy_course(&member).await.unwrap();
    let review = world.review(&bought.id).await;
    assert!(review.refundable && !review.reversible && review.reversed_by.is_empty());
    assert_eq!(code(propose(&world, &world.reviewer, &member).await), "PERMISSION_DENIED");
    let first = propose(&world, &world.treasurer, &member).await.unwrap();
    let other = propose(&world, &second, &member).await.unwrap();
    assert_eq!((first.kind.as_str(), first.permission.as_str()), ("course_refund", "correctBalances"));
    assert!(world.wallet(&member).await.has_purchased_course);
    assert_eq!(code(confirm(&world, &world.treasurer, &first).await), "SELF_CONFIRMATION");
    assert_eq!(code(confirm(&world, &world.reviewer, &first).await), "PERMISSION_DENIED");
    confirm(&world, &second, &first).await.unwrap();
    assert_eq!(code(confirm(&world, &world.treasurer, &other).await), "ALREADY_REVERSED");
    assert_eq!(code(propose(&world, &world.treasurer, &member).await), "NOT_REVERSIBLE");
    let wallet = world.wallet(&member).await;
    assert_eq!((wallet.available_cents, wallet.has_purchased_course), (50_000, false));
    assert_eq!(world.house("course_revenue").await, 0);
    let line = world.history(&member).await.remove(0);
    assert_eq!((line.title.as_str(), line.direction(), line.amount_cents), ("Adjustment", Direction::Credit, 8_700));
    assert_eq!(line.related_id, bought.id);
    let review = world.review(&bought.id).await;
    assert_eq!((review.refundable, review.reversed_by), (false, line.id));
    assert!(world.events().await.ends_with(&["wallet.v1.course_refunded".to_owned()]));
    world.assert_verified().await;

    let again = world.buy_course(&member).await.unwrap();
    assert_eq!(code(world.buy_course(&member).await), "COURSE_ALREADY_PURCHASED");
    let refund = propose(&world, &world.treasurer, &member).await.unwrap();
    confirm(&world, &second, &refund).await.unwrap();
    assert_eq!(world.history(&member).await.remove(0).related_id, again.id);
    assert_eq!(code(propose(&world, &world.treasurer, &member).await), "NOT_REVERSIBLE");
    assert!(!world.wallet(&member).await.has_purchased_course);
    world.assert_verified().await;
}

/// [D-C9] A payment from outside is refunded to the balance, too.
#[sqlx::test(migrations = false)]
async fn a_payment_from_outside_is_refunded_to_the_balance(pool: PgPool) {
    let world = World::new(pool).await;
    let (member, second) = (world.member(), world.realm.staff(Role::Treasurer).1);
    let paid = world.deposit(&member, course_payment()).await.unwrap();
    assert_eq!(code(propose(&world, &world.treasurer, &member).await), "NOT_REVERSIBLE");
    world.approve(&paid).await.unwrap();
    let refund = propose(&world, &world.treasurer, &member).await.unwrap();
    confirm(&world, &second, &refund).await.unwrap();
    let wallet = world.wallet(&member).await;
    assert_eq!((wallet.available_cents, wallet.has_purchased_course), (8_700, false));
    assert_eq!((world.house("course_revenue").await, world.house("settlement").await), (0, -8_700));
    world.assert_verified().await;
    let again = world.deposit(&member, course_payment()).await.unwrap();
    world.approve(&again).await.unwrap();
    assert!(world.wallet(&member).await.has_purchased_course);
    world.assert_verified().await;
}

/// [D-C9] [D-B9] A refund settles what the member owes first.
#[sqlx::test(migrations = false)]
async fn a_refund_settles_what_is_owed(pool: PgPool) {
    let world = World::new(pool).await;
    let (member, second) = (world.member_with(10_000).await, world.realm.staff(Role::Treasurer).1);
    let deposited = world.history(&member).await.remove(0);
    world.buy_course(&member).await.unwrap();
    reverse(&world, &deposited).await;
    let wallet = world.wallet(&member).await;
    assert_eq!((wallet.available_cents, wallet.owed_cents), (0, 8_700));
    let refund = propose(&world, &world.treasurer, &member).await.unwrap();
    confirm(&world, &second, &refund).await.unwrap();
    let wallet = world.wallet(&member).await;
    assert_eq!((wallet.available_cents, wallet.owed_cents, wallet.has_purchased_course), (0, 0, false));
    world.assert_verified().await;
}

/// [D-C9] Nothing but the course is refunded.
#[sqlx::test(migrations = false)]
async fn nothing_else_is_refunded(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(50_000).await;
    let nobody = Member { id: Uuid::new_v4().into(), token: String::new() };
    assert_eq!(code(propose(&world, &world.treasurer, &nobody).await), "NOT_FOUND");
    assert_eq!(code(propose(&world, &world.treasurer, &member).await), "NOT_REVERSIBLE");
    let deposited = world.history(&member).await.remove(0);
    assert!(!world.review(&deposited.id).await.refundable);
    world.buy_course(&member).await.unwrap();
    let request = ProposeCourseRefundRequest { user_id: member.id.to_string(), note: " ".into(), ..Default::default() };
    let refused = world.grpc.propose_course_refund(with_token(request, &world.treasurer)).await;
    assert_eq!(code(refused), "VALIDATION_FAILED");
}

/// [T5] Without the look at what the member owns, the ledger still takes no second purchase, whether the first is committed
/// or on its way.
#[sqlx::test(migrations = false)]
async fn the_ledger_sells_the_course_once(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(50_000).await;
    let mut first = world.home().db.begin().await.unwrap();
    purchase(&mut first, member.id).await.unwrap();
    let (db, id) = (world.home().db.clone(), member.id);
    let second = tokio::spawn(async move { purchase(&mut db.begin().await.unwrap(), id).await });
    let waits = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    while !second.is_finished() && sqlx::query_scalar::<_, i64>(waits).fetch_one(&world.pool).await.unwrap() == 0 {
        tokio::task::yield_now().await;
    }
    first.commit().await.unwrap();
    assert!(matches!(second.await.unwrap(), Err(Error::CourseAlreadyPurchased)));
    let mut third = world.home().db.begin().await.unwrap();
    assert!(matches!(purchase(&mut third, member.id).await, Err(Error::CourseAlreadyPurchased)));
}

/// A purchase as the ledger takes it from anyone who holds the member's lock.
async fn purchase(conn: &mut PgConnection, user_id: MemberId) -> Result<(), Error> {
    posting::lock_member(conn, user_id).await?;
    let line = Line::done(user_id, Details::Purchase, COURSE_PRICE, clock::now(conn).await?);
    transactions::insert(conn, &line).await?;
    let way = (AccountRef::available(user_id), AccountRef::House(HouseAccount::CourseRevenue));
    let bought = Posting::transfer(PostingKind::Course, Cause::Purchase(line.id), user_id, way, COURSE_PRICE)?;
    posting::post(conn, &[bought]).await.map(drop)
}
