//! How much of which asset a payout sends.

use std::sync::atomic::Ordering;

use proto::wallet::v1::*;
use sqlx::PgPool;

use crate::fixture::{World, code, hash};
use crate::payouts::{approved, step};

/// The units and the rate that a payout sends.
fn fixed(one: &Transaction) -> Option<(String, i64)> {
    one.payout.as_ref().map(|payout| (payout.units.clone(), payout.rate_micros))
}

/// [D-N4] The lease fixes how much of which asset is sent, at the rate of that moment, and the treasurer signs it; the next lease
/// fixes it again. What was fixed outlives the lease and is what is marked as paid. Without a rate nothing is leased.
#[sqlx::test(migrations = false)]
async fn a_lease_fixes_what_is_sent(pool: PgPool) {
    let world = World::new(pool).await;
    let (member, approved) = approved(&world, 40_000).await;
    assert_eq!(approved.payout, None);
    let rate = |micros| world.quotes.rate_micros.store(micros, Ordering::Relaxed);
    rate(0);
    // [U8] It is known before anybody tries.
    let told = world.review(&approved.id).await.blockers;
    let told: Vec<_> = told.iter().map(|one| (one.act.as_str(), one.code.as_str())).collect();
    assert_eq!(told, [("start", "RATE_UNAVAILABLE")]);
    assert_eq!(code(world.lease_as(&world.treasurer, &approved).await), "RATE_UNAVAILABLE");
    rate(1_000_000);
    assert_eq!(world.review(&approved.id).await.blockers, []);
    let leased = world.lease_as(&world.treasurer, &approved).await.unwrap();
    // $390 at 1.005 dollars.
    assert_eq!(fixed(&leased), Some(("388059701".to_owned(), 1_000_000)));
    let payout = leased.payout.clone().unwrap();
    assert_eq!((payout.asset.as_str(), payout.contract.as_str(), payout.decimals), ("USDT", "contract", 6));
    let signed =
        "SELECT decision -> 'facts' -> 'price' ->> 'units' FROM audit_rows WHERE action = $1 ORDER BY id DESC LIMIT 1";
    let signed = async |action: &str| {
        sqlx::query_scalar::<_, Option<String>>(signed).bind(action).fetch_one(&world.pool).await.unwrap().unwrap()
    };
    assert_eq!(signed("withdrawal.paying").await, "388059701");

    rate(2_000_000);
    let again = world.lease_as(&world.treasurer, &leased).await.unwrap();
    assert_eq!(fixed(&again), Some(("194029850".to_owned(), 2_000_000)));
    assert_eq!(signed("withdrawal.paying").await, "194029850");
    rate(3_000_000);
    step(&world, 15).await;
    let paid = world.pay_as(&world.treasurer, &again, (&hash("a"), None)).await.unwrap();
    assert_eq!(fixed(&paid), fixed(&again));
    assert_eq!(signed("withdrawal.paid").await, "194029850");
    assert_eq!(world.transaction(&member, &paid.id).await.unwrap().payout, again.payout);
    world.assert_books().await;
}

/// [D-N4] What is paid without a lease sends what it is worth at that moment; an asset that is never quoted has no units.
#[sqlx::test(migrations = false)]
async fn a_small_payout_is_fixed_when_it_is_paid(pool: PgPool) {
    let world = World::new(pool).await;
    let (_, first) = approved(&world, 40_000).await;
    let paid = world.pay_as(&world.treasurer, &first, (&hash("a"), None)).await.unwrap();
    assert_eq!(fixed(&paid), Some(("388059701".to_owned(), 1_000_000)));
    world.quotes.rate_micros.store(-1, Ordering::Relaxed);
    let (_, second) = approved(&world, 40_000).await;
    let leased = world.lease_as(&world.treasurer, &second).await.unwrap();
    let paid = world.pay_as(&world.treasurer, &leased, (&hash("b"), None)).await.unwrap();
    assert_eq!((fixed(&leased), fixed(&paid)), (None, None));
}

/// [D-N4] Neither the units of a payout nor any other part of them change but by a lease, and only to what the net amount is worth
/// at their rate, no matter who writes the table.
#[sqlx::test(migrations = false)]
async fn nothing_but_a_lease_changes_what_is_sent(pool: PgPool) {
    let world = World::new(pool).await;
    let (_, approved) = approved(&world, 40_000).await;
    world.lease_as(&world.treasurer, &approved).await.unwrap();
    let refused = async |change: &str| {
        let update = sqlx::AssertSqlSafe(format!("UPDATE transactions SET {change} WHERE payout_units IS NOT NULL"));
        let error = sqlx::query(update).execute(&world.pool).await.unwrap_err();
        chassis::db::constraint(&error).map(str::to_owned)
    };
    for change in ["payout_units = payout_units * 100", "payout_rate_micros = 1", "payout_contract = 'other'", "payout_decimals = 8",
        "payout_units = NULL, payout_contract = NULL, payout_decimals = NULL, payout_rate_micros = NULL, payout_spread_bps = NULL,
            payout_priced_at = NULL, paying_until = now()"]
    {
        assert_eq!(refused(change).await.as_deref(), Some("transactions_paid_as_leased"), "{change}");
    }
    for change in
        ["payout_units = payout_units * 100", "payout_rate_micros = 1", "payout_decimals = 8", "payout_units = 0"]
    {
        let leased = format!("{change}, paying_until = paying_until + interval '1 minute'");
        assert_eq!(refused(&leased).await.as_deref(), Some("transactions_payout"), "{leased}");
    }
}
