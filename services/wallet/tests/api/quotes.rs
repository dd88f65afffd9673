//! Deposits and withdrawals at a quote: kept beside the amounts, used once.

use std::sync::atomic::Ordering;

use chassis::error::Kind;
use chassis::member_data::MemberData;
use chassis::testing::with_token;
use futures::future::join_all;
use proto::common::v1::member_data_service_server::MemberDataService;
use proto::common::v1::{ListMemberDataRequest, QuoteDirection};
use proto::wallet::v1::wallet_service_server::WalletService;
use proto::wallet::v1::*;
use sqlx::PgPool;
use tonic::Status;
use wallet::store::member_data::MemberTables;

use crate::fixture::{Member, PERSONAL, PLATFORM, World, code, deposit, key, refusal, withdrawal};

async fn quote(world: &World, member: &Member, direction: QuoteDirection, cents: i64) -> String {
    let message = RequestQuoteRequest {
        direction: direction.into(),
        amount_cents: cents,
        method: PLATFORM.to_owned(),
        idempotency: None,
    };
    let answer = world.grpc.request_quote(with_token(message, &member.token)).await.unwrap();
    answer.into_inner().quote.unwrap().id
}

/// [D-Q1] A deposit at a quote keeps its asset, units and rate, and the address that was quoted; one without has none.
#[sqlx::test(migrations = false)]
async fn a_deposit_keeps_its_quote(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member();
    let quote_id = quote(&world, &member, QuoteDirection::Deposit, 50_000).await;
    let made = world
        .deposit(&member, RequestDepositRequest { quote_id: quote_id.clone(), method_version: 3, ..deposit(50_000) })
        .await
        .unwrap();
    let kept = made.quote.clone().unwrap();
    assert_eq!((kept.id, kept.asset.as_str(), kept.decimals), (quote_id, "USDT", 6));
    assert_eq!((kept.units.as_str(), kept.rate_micros, kept.spread_bps), ("502512563", 1_000_000, 50));
    // The version that was quoted, not the one that the request names.
    assert_eq!(made.method.as_ref().unwrap().version, 2);
    assert_eq!(world.transaction(&member, &made.id).await.unwrap().quote, made.quote);
    let plain = world.deposit(&member, deposit(50_000)).await.unwrap();
    assert_eq!((plain.quote, plain.method.unwrap().version), (None, 3));
}

/// [D-Q3] Payment-method learns which open quotes are used, so that it does not give them again.
#[sqlx::test(migrations = false)]
async fn used_quotes_are_named(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member();
    let quote_id = quote(&world, &member, QuoteDirection::Deposit, 50_000).await;
    quote(&world, &member, QuoteDirection::Deposit, 50_000).await;
    world.deposit(&member, RequestDepositRequest { quote_id: quote_id.clone(), ..deposit(50_000) }).await.unwrap();
    quote(&world, &member, QuoteDirection::Deposit, 50_000).await;
    let asked = world.quotes.asked.lock().unwrap();
    let named: Vec<_> = asked.iter().map(|asked| asked.used_quote_ids.clone()).collect();
    assert_eq!(named, [vec![], vec![], vec![quote_id]]);
}

/// [D-A12] A member's download has the quote of a deposit, with the exact units.
#[sqlx::test(migrations = false)]
async fn a_download_has_the_quote(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member();
    let quote_id = quote(&world, &member, QuoteDirection::Deposit, 50_000).await;
    world.deposit(&member, RequestDepositRequest { quote_id, ..deposit(50_000) }).await.unwrap();
    let message = ListMemberDataRequest { cursor: "transactions/".to_owned() };
    let downloads = MemberData::<MemberTables>::new(world.home().db.clone(), world.grpc.verifier.clone());
    let told = downloads.list_member_data(with_token(message, &member.token)).await.unwrap().into_inner();
    let row: serde_json::Value = serde_json::from_str(&told.rows_json[0]).unwrap();
    assert_eq!(
        (&row["asset"], &row["units"], &row["rateMicros"]),
        (&"USDT".into(), &"502512563".into(), &1_000_000.into())
    );
}

/// [D-R17] A withdrawal's quote is for what is left after the fee; when the fee is paid from outside, the payout grows at
/// the same rate.
#[sqlx::test(migrations = false)]
async fn a_withdrawal_pays_the_units_of_its_net_amount(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(100_000).await;
    let quote_id = quote(&world, &member, QuoteDirection::Withdrawal, 40_000).await;
    let asked = world.quotes.asked.lock().unwrap().last().cloned().unwrap();
    assert_eq!((asked.amount_cents, asked.priced_cents), (40_000, 39_000));
    let made = world.withdraw(&member, RequestWithdrawalRequest { quote_id, ..withdrawal(40_000) }).await.unwrap();
    // 390 and 400 dollars at 1.005.
    assert_eq!(made.quote.as_ref().unwrap().units, "388059701");
    let fee = world.pay_fee(&member, &made).await.unwrap();
    world.approve(&fee).await.unwrap();
    let grown = world.transaction(&member, &made.id).await.unwrap();
    assert_eq!((grown.net_amount_cents, grown.quote.unwrap().units.as_str()), (Some(40_000), "398009950"));
}

/// [D-R17] A quote serves once: also when many requests name it at once, and for a deposit after it was used. What was
/// refused for another reason leaves it usable.
#[sqlx::test(migrations = false)]
async fn a_quote_serves_once(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(100_000).await;
    let quote_id = quote(&world, &member, QuoteDirection::Deposit, 50_000).await;
    let request = RequestDepositRequest { quote_id, ..deposit(50_000) };
    let made = join_all((0..4).map(|_| world.deposit(&member, request.clone()))).await;
    let (made, refused): (Vec<_>, Vec<_>) = made.into_iter().partition(Result::is_ok);
    assert_eq!(made.len(), 1);
    for refused in refused.into_iter().chain([world.deposit(&member, request).await]) {
        let refused = refusal(refused);
        assert_eq!((refused.kind, refused.code.as_str()), (Kind::Conflict, "QUOTE_USED"));
    }

    let quote_id = quote(&world, &member, QuoteDirection::Withdrawal, 200_000).await;
    let request = RequestWithdrawalRequest { quote_id, ..withdrawal(200_000) };
    assert_eq!(code(world.withdraw(&member, request.clone()).await), "INSUFFICIENT_BALANCE");
    world.deposit_confirmed(&member, 100_000).await;
    let made = world.withdraw(&member, request.clone()).await.unwrap();
    world.reject(&made, "OTHER").await.unwrap();
    assert_eq!(code(world.withdraw(&member, request).await), "QUOTE_USED");
}

/// [D-R17] The unique index decides also where nobody looked before: a withdrawal in the posting engine.
#[sqlx::test(migrations = false)]
async fn the_ledger_refuses_a_used_quote(pool: PgPool) {
    let world = World::new(pool).await;
    let (one, other) = (world.member_with(100_000).await, world.member_with(100_000).await);
    let quote_id = quote(&world, &one, QuoteDirection::Withdrawal, 40_000).await;
    let request = RequestWithdrawalRequest { quote_id, ..withdrawal(40_000) };
    // The fake returns a quote to anyone who asks.
    let made = join_all([&one, &other].map(|member| world.withdraw(member, request.clone()))).await;
    assert_eq!(made.iter().filter(|made| made.is_ok()).count(), 1);
    let refused: Vec<String> = made.into_iter().filter(Result::is_err).map(code).collect();
    assert_eq!(refused, ["QUOTE_USED"]);
}

/// [D-Q1] [D-R17] Amount, direction and method must be those of the quote; one that expired or is unknown is refused. The
/// same key is answered as before, no matter what has become of the quote.
#[sqlx::test(migrations = false)]
async fn a_quote_is_for_what_it_was_made_for(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(100_000).await;
    let for_deposit = quote(&world, &member, QuoteDirection::Deposit, 50_000).await;
    let for_payout = quote(&world, &member, QuoteDirection::Withdrawal, 50_000).await;
    let differs = |result: Result<Transaction, Status>| {
        let refused = refusal(result);
        assert_eq!((refused.kind, refused.fields[0].0.as_str()), (Kind::Invalid, "quoteId"));
    };
    let with = |quote_id: &str, cents| RequestDepositRequest { quote_id: quote_id.to_owned(), ..deposit(cents) };
    let pay = |quote_id: &str, cents| RequestWithdrawalRequest { quote_id: quote_id.to_owned(), ..withdrawal(cents) };
    differs(world.deposit(&member, with(&for_deposit, 50_001)).await);
    differs(world.deposit(&member, with(&for_payout, 50_000)).await);
    differs(world.withdraw(&member, pay(&for_deposit, 50_000)).await);
    differs(world.withdraw(&member, pay(&for_payout, 49_999)).await);
    let own =
        RequestWithdrawalRequest { method: PERSONAL.to_owned(), address: String::new(), ..pay(&for_payout, 50_000) };
    differs(world.withdraw(&member, own).await);
    for unknown in ["x", "0195a1b2-0000-7000-8000-000000000000"] {
        assert_eq!(code(world.deposit(&member, with(unknown, 50_000)).await), "NOT_FOUND");
        assert_eq!(code(world.withdraw(&member, pay(unknown, 50_000)).await), "NOT_FOUND");
    }

    let keyed = RequestWithdrawalRequest { idempotency: key("one"), ..pay(&for_payout, 50_000) };
    let made = world.withdraw(&member, keyed.clone()).await.unwrap();
    world.quotes.expired.store(true, Ordering::Relaxed);
    assert_eq!(code(world.deposit(&member, with(&for_deposit, 50_000)).await), "QUOTE_EXPIRED");
    // [F19] The proof of what was sent in time comes later, and names what was sent.
    let late = RequestDepositRequest { quote_may_have_ended: true, ..with(&for_deposit, 50_000) };
    assert_eq!(world.deposit(&member, late).await.unwrap().quote.unwrap().id, for_deposit);
    assert_eq!(world.withdraw(&member, keyed).await.unwrap().id, made.id);
}

/// [D-Q1] A quote is asked for only where the amount could be deposited or withdrawn, at the wallet's own limits.
#[sqlx::test(migrations = false)]
async fn a_quote_keeps_to_the_limits(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member();
    let ask = async |direction: QuoteDirection, cents| {
        let message = RequestQuoteRequest {
            direction: direction.into(),
            amount_cents: cents,
            method: PLATFORM.to_owned(),
            idempotency: key(&cents.to_string()),
        };
        world.grpc.request_quote(with_token(message, &member.token)).await.map(drop)
    };
    for (direction, cents, field) in [
        (QuoteDirection::Deposit, 9_999, "amount"),
        (QuoteDirection::Deposit, 10_000_001, "amount"),
        (QuoteDirection::Withdrawal, 5_000_001, "amount"),
        (QuoteDirection::Unspecified, 50_000, "direction"),
    ] {
        let refused = refusal(ask(direction, cents).await);
        assert_eq!((refused.kind, refused.fields[0].0.as_str()), (Kind::Invalid, field), "{cents}");
    }
    // The course is paid like a deposit.
    ask(QuoteDirection::Deposit, 8_700).await.unwrap();
    let asked = world.quotes.asked.lock().unwrap().pop().unwrap();
    assert_eq!((asked.priced_cents, asked.idempotency.unwrap().key.as_str()), (8_700, "8700"));
}

/// [D-Q1] Nothing that two people did not see changes what is paid: an approved payout keeps its units, a used quote all of
/// its parts.
#[sqlx::test(migrations = false)]
async fn a_used_quote_never_changes(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(100_000).await;
    let quote_id = quote(&world, &member, QuoteDirection::Withdrawal, 40_000).await;
    let made = world.withdraw(&member, RequestWithdrawalRequest { quote_id, ..withdrawal(40_000) }).await.unwrap();
    for change in ["rate_micros = 1", "asset = 'BTC'", "quote_id = gen_random_uuid()", "units = 1", "quote_id = NULL"] {
        let changed =
            sqlx::query(sqlx::AssertSqlSafe(format!("UPDATE transactions SET {change} WHERE quote_id IS NOT NULL")))
                .execute(&world.pool)
                .await;
        assert_eq!(chassis::db::constraint(&changed.unwrap_err()), Some("transactions_quote_kept"), "{change}");
    }
    world.approve(&made).await.unwrap();
    let paid_more = "UPDATE transactions SET units = 1, fee_paid = true, net_amount_cents = amount_cents
        WHERE quote_id IS NOT NULL";
    let changed = sqlx::query(paid_more).execute(&world.pool).await;
    assert_eq!(chassis::db::constraint(&changed.unwrap_err()), Some("transactions_paid_as_approved"));
}

/// [D-N4] [D-R17] A quote of one asset serves no withdrawal or deposit in another, although its method keeps its id; nor one on
/// another network. The table says so too.
#[sqlx::test(migrations = false)]
async fn a_quote_is_of_the_asset_that_is_paid(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(100_000).await;
    for (currency, network) in [("BTC", "TRC20"), ("USDT", "Bitcoin")] {
        let quote_id = quote(&world, &member, QuoteDirection::Withdrawal, 40_000).await;
        world.quotes.made_for(&quote_id, currency, network);
        let request = RequestWithdrawalRequest { quote_id, ..withdrawal(40_000) };
        let refused = refusal(world.withdraw(&member, request).await);
        assert_eq!((refused.kind, refused.fields[0].0.as_str()), (Kind::Invalid, "quoteId"), "{currency} on {network}");
        let quote_id = quote(&world, &member, QuoteDirection::Deposit, 40_000).await;
        world.quotes.made_for(&quote_id, currency, network);
        let request = RequestDepositRequest { quote_id, ..deposit(40_000) };
        let refused = refusal(world.deposit(&member, request).await);
        assert_eq!((refused.kind, refused.fields[0].0.as_str()), (Kind::Invalid, "quoteId"), "{currency} on {network}");
    }
    let quote_id = quote(&world, &member, QuoteDirection::Withdrawal, 40_000).await;
    world.withdraw(&member, RequestWithdrawalRequest { quote_id, ..withdrawal(40_000) }).await.unwrap();
    let other =
        sqlx::query("UPDATE transactions SET currency = 'BTC' WHERE quote_id IS NOT NULL").execute(&world.pool).await;
    assert_eq!(chassis::db::constraint(&other.unwrap_err()), Some("transactions_quote_asset"));
}
