//! What the database asks of a posting before it is there, and what shows when it is changed later.

use chassis::money::Cents;
use sqlx::PgPool;
use uuid::Uuid;
use wallet::domain::account::{AccountRef, HouseAccount, PlanAccount};
use wallet::domain::posting_kind::{Cause, PostingKind};
use wallet::error::Error;
use wallet::posting::{Movement, Posting};

use crate::fixture::World;
use crate::treasury::{PLAN, fund_plan};

/// [D-B1] [D-B2] The function refuses what no cause allows: another kind of cause, one that is not decided, of another
/// amount or member, already posted, or between other accounts.
#[sqlx::test(migrations = false)]
async fn nothing_moves_without_its_cause(pool: PgPool) {
    let world = World::in_buckets(pool, 1).await;
    let member = world.member_with(10_000).await;
    let other = world.member_with(10_000).await;
    let pending = world.deposit(&member, crate::fixture::deposit(20_000)).await.unwrap();
    let pending: Uuid = pending.id.parse().unwrap();
    fund_plan(&world, 100).await;
    let settlement = AccountRef::House(HouseAccount::Settlement);
    let available = AccountRef::available(member.id);
    let deposit = |cause, way, cents| (PostingKind::Deposit, cause, way, cents);
    let attempts = [
        deposit(Cause::Transaction(Uuid::new_v4().into()), (settlement, available), 100),
        deposit(Cause::Transaction(pending.into()), (settlement, available), 20_000),
        deposit(Cause::Proposal(pending.into()), (settlement, available), 20_000),
        (
            PostingKind::AdjustmentCredit,
            Cause::Proposal(Uuid::new_v4().into()),
            (AccountRef::House(HouseAccount::Adjustments), available),
            100,
        ),
        (
            PostingKind::Bonus,
            Cause::Proposal(Uuid::new_v4().into()),
            (AccountRef::House(HouseAccount::BonusExpense), AccountRef::bonus(member.id)),
            100,
        ),
        (
            PostingKind::TradeGain,
            Cause::Trade(Uuid::new_v4().into()),
            (AccountRef::Plan(PLAN, PlanAccount::Cash), available),
            100,
        ),
        (PostingKind::FeeCredit, Cause::Transaction(pending.into()), (settlement, available), 20_000),
        (PostingKind::WithdrawalHold, Cause::Transaction(Uuid::new_v4().into()), (settlement, available), 100),
        (
            PostingKind::WithdrawalHold,
            Cause::Transaction(Uuid::new_v4().into()),
            (AccountRef::available(other.id), AccountRef::held(member.id)),
            100,
        ),
        (PostingKind::Transfer, Cause::Unchecked(Uuid::new_v4()), (settlement, available), 100),
    ];
    for (kind, cause, way, cents) in attempts {
        let posting = Posting::transfer(kind, cause, member.id, way, Cents::new(cents)).unwrap();
        let movement = Movement { user_id: member.id, postings: vec![posting], ..Movement::default() };
        let no = world.home().ledger.apply(movement).await.unwrap_err();
        let Error::Database(no) = no else { panic!("{kind:?}: {no:?}") };
        let constraint = chassis::db::constraint(&no).unwrap_or_default();
        assert!(["postings_cause", "postings_kind", "postings_accounts"].contains(&constraint), "{kind:?}: {no}");
    }
    assert_eq!(world.count("SELECT count(*) FROM postings").await, 4);
    world.assert_books().await;
}

/// [D-B5] The chain covers the posting's header: who changes kind, cause, member, line or time breaks it.
#[sqlx::test(migrations = false)]
async fn a_rewritten_header_breaks_the_chain(pool: PgPool) {
    const BROKEN: &str = "SELECT count(*) FROM entries JOIN postings ON postings.id = posting_id
        WHERE hash <> entry_hash('', account_id, posting_id, amount_cents, balance_after_cents, posting_header(postings))";
    let world = World::new(pool).await;
    world.member_with(10_000).await;
    assert_eq!(world.count(BROKEN).await, 0);
    for change in [
        "kind = 'course'",
        "cause_type = 'purchase'",
        "business_id = gen_random_uuid()",
        "user_id = gen_random_uuid()",
        "transaction_id = NULL",
        "created_at = created_at - interval '400 days'",
    ] {
        let mut tx = world.home().db.begin().await.unwrap();
        sqlx::raw_sql("ALTER TABLE postings DISABLE TRIGGER ALL").execute(&mut *tx).await.unwrap();
        sqlx::raw_sql(sqlx::AssertSqlSafe(format!("UPDATE postings SET {change}"))).execute(&mut *tx).await.unwrap();
        let broken: i64 = sqlx::query_scalar(BROKEN).fetch_one(&mut *tx).await.unwrap();
        assert_eq!(broken, 2, "{change}");
        tx.rollback().await.unwrap();
    }
}
