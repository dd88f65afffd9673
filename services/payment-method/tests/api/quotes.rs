//! Quotes: units, life, tails, limits.

use chassis::id::MemberId;
use std::collections::HashSet;

use chassis::error::Kind;
use chassis::testing::with_token;
use futures::future::join_all;
use payment_method::store::quotes;
use proto::common::v1::{Idempotency, Quote, QuoteDirection};
use proto::payment_method::v1::payment_method_service_server::PaymentMethodService;
use proto::payment_method::v1::quote_service_server::QuoteService;
use proto::payment_method::v1::{CreateQuoteRequest, GetQuoteRequest, GetQuoteTermsRequest};
use sqlx::PgPool;
use tonic::{Request, Status};
use uuid::Uuid;

use crate::fixture::{BITCOIN, EVM, TRON, TRON_2, World, fields, refused};
use crate::member_data::page;

/// What two sources say of an asset, in millionths of a dollar.
pub async fn rates(world: &World, symbol: &str, bid: i64, ask: i64) {
    for source in ["kraken", "coinbase"] {
        sqlx::query(
            "INSERT INTO rate_points (symbol, source, bid_micros, ask_micros, source_at, read_at)
             VALUES ($1, $2, $3, $4, clock_timestamp(), clock_timestamp())",
        )
        .bind(symbol)
        .bind(source)
        .bind(bid)
        .bind(ask)
        .execute(&world.pool)
        .await
        .unwrap();
    }
}

/// A world with Bitcoin at 97,312.45 to 97,315.00 dollars.
async fn world(pool: PgPool) -> (World, String) {
    let world = World::new(pool).await;
    let method = world.platform("BTC", "Bitcoin", BITCOIN).await;
    rates(&world, "BTC", 97_312_450_000, 97_315_000_000).await;
    (world, method)
}

fn deposit(user_id: MemberId, method: &str, cents: i64) -> CreateQuoteRequest {
    CreateQuoteRequest {
        user_id: user_id.to_string(),
        direction: QuoteDirection::Deposit.into(),
        amount_cents: cents,
        priced_cents: cents,
        method: method.to_owned(),
        idempotency: None,
        used_quote_ids: Vec::new(),
    }
}

/// A withdrawal of $97.50 by this method, which has no fee.
pub fn payout(user_id: MemberId, method: &str) -> CreateQuoteRequest {
    CreateQuoteRequest { direction: QuoteDirection::Withdrawal.into(), ..deposit(user_id, method, 9_750) }
}

/// All quotes expired so long ago.
pub async fn expire_quotes(world: &World, ago: &str) {
    let mut conn = world.pool.acquire().await.unwrap();
    sqlx::query("SET session_replication_role = replica").execute(&mut *conn).await.unwrap();
    sqlx::query(
        "UPDATE quotes SET created_at = clock_timestamp() - $1::interval - interval '15 minutes',
            expires_at = clock_timestamp() - $1::interval",
    )
    .bind(ago)
    .execute(&mut *conn)
    .await
    .unwrap();
    sqlx::query("SET session_replication_role = DEFAULT").execute(&mut *conn).await.unwrap();
}

/// A call of a service.
pub fn by<T>(world: &World, service: &str, message: T) -> Request<T> {
    with_token(message, &world.realm.service_token(service))
}

pub async fn create(world: &World, request: CreateQuoteRequest) -> Result<Quote, Status> {
    let request = by(world, "wallet", request);
    Ok(world.grpc.create_quote(request).await?.into_inner().quote.unwrap())
}

async fn get(world: &World, user_id: MemberId, quote_id: &str) -> Result<Quote, Status> {
    find(world, user_id, quote_id, false).await
}

async fn find(world: &World, user_id: MemberId, quote_id: &str, may_have_ended: bool) -> Result<Quote, Status> {
    let message = GetQuoteRequest { user_id: user_id.to_string(), quote_id: quote_id.to_owned(), may_have_ended };
    let request = by(world, "wallet", message);
    Ok(world.grpc.get_quote(request).await?.into_inner().quote.unwrap())
}

/// [D-Q1] [D-Q2] Cases 1 and 2: a quote has the units of the amount at the median, and keeps its sources; a payout has
/// the units of what is left after the fee, at the ask, rounded down.
#[sqlx::test(migrations = false)]
async fn a_quote_has_exact_units_and_its_sources(pool: PgPool) {
    let (world, method) = world(pool).await;
    let user_id = world.member().0;
    let quote = create(&world, deposit(user_id, "btc", 50_000)).await.unwrap();
    assert_eq!((quote.units.as_str(), quote.decimals, quote.rate_micros), ("513809", 8, 97_312_450_000));
    assert_eq!((quote.method_id.as_str(), quote.method_version, quote.address.as_str()), (method.as_str(), 1, BITCOIN));
    assert_eq!((quote.chain.as_str(), quote.currency.as_str(), quote.contract.as_str()), ("bitcoin", "BTC", ""));
    let names: Vec<_> = quote.sources.iter().map(|source| source.name.as_str()).collect();
    assert_eq!(names, ["coinbase", "kraken"]);
    assert!(quote.sources.iter().all(|source| source.at.is_some() && source.ask_micros == 97_315_000_000));
    let (at, expires_at) = (quote.at.unwrap(), quote.expires_at.unwrap());
    assert_eq!((expires_at.seconds - at.seconds, expires_at.nanos), (900, at.nanos));
    assert_eq!(get(&world, user_id, &quote.id).await.unwrap(), quote);

    let payout = CreateQuoteRequest {
        direction: QuoteDirection::Withdrawal.into(),
        amount_cents: 40_000,
        priced_cents: 39_000,
        ..deposit(user_id, &method, 0)
    };
    let quote = create(&world, payout).await.unwrap();
    // 39000 · 10^12 / 97315000000 = 400760.41…
    assert_eq!((quote.units.as_str(), quote.rate_micros, quote.address.as_str()), ("400760", 97_315_000_000, ""));
    assert_eq!((quote.amount_cents, quote.priced_cents), (40_000, 39_000));
}

/// [D-Q1] The spread is stored with the quote, and is to the platform's favour either way.
#[sqlx::test(migrations = false)]
async fn a_spread_is_to_the_platforms_favour(pool: PgPool) {
    let (mut world, method) = world(pool).await;
    world.grpc.spread_bps = 50;
    let user_id = world.member().0;
    let quote = create(&world, deposit(user_id, &method, 50_000)).await.unwrap();
    assert_eq!((quote.units.as_str(), quote.spread_bps, quote.rate_micros), ("516391", 50, 97_312_450_000));
    let payout =
        CreateQuoteRequest { direction: QuoteDirection::Withdrawal.into(), ..deposit(user_id, &method, 39_000) };
    assert_eq!(create(&world, payout).await.unwrap().units, "398766");
}

/// [D-Q2] Case 3: without a rate the answer is 503 with when to come back, and no row is left; also for an asset that is
/// never quoted.
#[sqlx::test(migrations = false)]
async fn without_a_rate_nothing_is_quoted(pool: PgPool) {
    let world = World::new(pool).await;
    let user_id = world.member().0;
    let method = world.platform("BTC", "Bitcoin", BITCOIN).await;
    let other = world.platform("SOL", "Solana", "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV").await;
    for method in [&method, &other] {
        let refusal = refused(create(&world, deposit(user_id, method, 50_000)).await);
        assert_eq!((refusal.kind, refusal.code.as_str()), (Kind::Unavailable, "RATE_UNAVAILABLE"));
        assert_eq!(refusal.retry_after.map(|delay| delay.as_secs()), Some(30));
        assert!(refusal.message.starts_with("There is no reliable rate"), "{}", refusal.message);
    }
    let unknown = Uuid::new_v4().to_string();
    assert_eq!(refused(create(&world, deposit(user_id, &unknown, 50_000)).await).code, "METHOD_UNAVAILABLE");
    let left: i64 = sqlx::query_scalar("SELECT count(*) FROM quotes").fetch_one(&world.pool).await.unwrap();
    assert_eq!(left, 0);
}

/// [D-Q1] Case 5: a quote holds at 14:59 and not at 15:01, by the database's clock; it never changes, and the same key
/// returns the same quote although the rate has moved. Others do not see it.
#[sqlx::test(migrations = false)]
async fn a_quote_holds_for_fifteen_minutes(pool: PgPool) {
    let (world, method) = world(pool).await;
    let user_id = world.member().0;
    let idempotency =
        Some(Idempotency { key: "k".to_owned(), route: "POST /v1/quotes".to_owned(), fingerprint: vec![1] });
    let request = CreateQuoteRequest { idempotency, ..deposit(user_id, &method, 50_000) };
    let quote = create(&world, request.clone()).await.unwrap();
    sqlx::query("DELETE FROM rate_points").execute(&world.pool).await.unwrap_err();
    rates(&world, "BTC", 98_000_000_000, 98_000_000_000).await;
    assert_eq!(create(&world, request).await.unwrap(), quote);

    for change in ["UPDATE quotes SET units = 1", "DELETE FROM quotes", "TRUNCATE quotes"] {
        assert!(sqlx::query(change).execute(&world.pool).await.is_err(), "{change}");
    }
    expire_quotes(&world, "-5 seconds").await;
    assert_eq!(get(&world, user_id, &quote.id).await.unwrap().units, quote.units);
    let stranger = world.member().0;
    for (user_id, id) in [(stranger, quote.id.as_str()), (user_id, &Uuid::new_v4().to_string()), (user_id, "x")] {
        let refusal = refused(get(&world, user_id, id).await);
        assert_eq!((refusal.kind, refusal.code.as_str()), (Kind::NotFound, "NOT_FOUND"), "{id}");
    }
    expire_quotes(&world, "1 second").await;
    let refusal = refused(get(&world, user_id, &quote.id).await);
    assert_eq!((refusal.kind, refusal.code.as_str()), (Kind::Conflict, "QUOTE_EXPIRED"));
    // Its payment may have been sent in time: the proof names it for a day [F19].
    assert_eq!(find(&world, user_id, &quote.id, true).await.unwrap().id, quote.id);
    assert_eq!(refused(find(&world, stranger, &quote.id, true).await).code, "NOT_FOUND");
    // Its units are free again.
    let later = create(&world, deposit(stranger, &method, 50_000)).await.unwrap();
    assert_eq!(later.units, "510205");
    expire_quotes(&world, "25 hours").await;
    assert_eq!(refused(find(&world, user_id, &quote.id, true).await).code, "QUOTE_EXPIRED");
}

/// [D-Q3] Case 6: quotes of one amount at once have distinct units, and there is one for every member. Another address is not
/// concerned.
#[sqlx::test(migrations = false)]
async fn quotes_at_once_differ(pool: PgPool) {
    let world = World::new(pool).await;
    let method = world.platform("USDT", "TRC20", TRON).await;
    let other = world.platform("USDT", "ERC20", EVM).await;
    rates(&world, "USDT", 1_000_000, 1_000_000).await;
    let mut made: Vec<Quote> = Vec::new();
    for _ in 0..12 {
        let wanted = (0..10).map(|_| create(&world, deposit(world.member().0, &method, 50_000)));
        made.extend(join_all(wanted).await.into_iter().map(|made| made.unwrap()));
    }
    let units: HashSet<i64> = made.iter().map(|quote| quote.units.parse().unwrap()).collect();
    assert_eq!(units, (0..120).map(|tail| 500_000_000 + tail * 1_000).collect());
    let last = world.member().0;
    assert_eq!(create(&world, deposit(last, &other, 50_000)).await.unwrap().units, "500000000");
    // Payouts go to the member's own address: they need no tail.
    let payout = CreateQuoteRequest { direction: QuoteDirection::Withdrawal.into(), ..deposit(last, &method, 50_000) };
    assert_eq!(create(&world, payout).await.unwrap().units, "500000000");
}

/// [D-Q3] A member has one open quote of an amount by a method: it is given again, also when the rate has moved, until it is used
/// or has expired. Nobody takes the tails of others by asking again.
#[sqlx::test(migrations = false)]
async fn a_member_has_one_open_quote_of_an_amount(pool: PgPool) {
    let (world, method) = world(pool).await;
    let user_id = world.member().0;
    let asked = join_all((0..5).map(|_| create(&world, deposit(user_id, &method, 50_000)))).await;
    let ids: HashSet<String> = asked.into_iter().map(|made| made.unwrap().id).collect();
    assert_eq!(ids.len(), 1);
    rates(&world, "BTC", 98_000_000_000, 98_000_000_000).await;
    let again = create(&world, deposit(user_id, &method, 50_000)).await.unwrap();
    assert!(ids.contains(&again.id));
    let used = CreateQuoteRequest { used_quote_ids: vec![again.id.clone()], ..deposit(user_id, &method, 50_000) };
    let second = create(&world, used.clone()).await.unwrap();
    assert_ne!((&second.id, &second.units), (&again.id, &again.units));
    assert_eq!(create(&world, used).await.unwrap().id, second.id);
    let other = create(&world, deposit(user_id, &method, 50_001)).await.unwrap();
    assert!(other.id != again.id && other.id != second.id);
    expire_quotes(&world, "1 second").await;
    let later = create(&world, deposit(user_id, &method, 50_000)).await.unwrap();
    assert!(later.id != again.id && later.id != second.id);
}

/// [D-R17] A member has at most 20 open quotes, also when they ask for many at once.
#[sqlx::test(migrations = false)]
async fn a_member_has_twenty_open_quotes(pool: PgPool) {
    let (world, method) = world(pool).await;
    let user_id = world.member().0;
    let made = join_all((0..25).map(|number| create(&world, deposit(user_id, &method, 50_000 + number)))).await;
    let (made, refusals): (Vec<_>, Vec<_>) = made.into_iter().partition(Result::is_ok);
    assert_eq!(made.len(), 20);
    for refusal in refusals {
        let refusal = refused(refusal);
        assert_eq!((refusal.kind, refusal.code.as_str()), (Kind::Conflict, "TOO_MANY_QUOTES"));
    }
    assert!(create(&world, deposit(world.member().0, &method, 50_000)).await.is_ok());
}

/// [D-Q1] A quote is kept for 400 days after it expired, then it is forgotten; for a day nothing deletes it.
#[sqlx::test(migrations = false)]
async fn old_quotes_are_forgotten(pool: PgPool) {
    let (world, method) = world(pool).await;
    create(&world, deposit(world.member().0, &method, 50_000)).await.unwrap();
    for (ago, kept) in [("23 hours", true), ("399 days", true), ("401 days", false)] {
        expire_quotes(&world, ago).await;
        assert_eq!(quotes::sweep(&world.grpc.db).await.unwrap(), u64::from(!kept), "{ago}");
        if ago == "23 hours" {
            let refused = sqlx::query("DELETE FROM quotes").execute(&world.pool).await.unwrap_err();
            assert!(refused.to_string().contains("is kept"), "{refused}");
        }
    }
}

/// [D-Q1] A withdrawal by the member's own method is quoted in its currency; a deposit is not paid to it.
#[sqlx::test(migrations = false)]
async fn a_payout_is_quoted_for_an_own_method(pool: PgPool) {
    let world = World::new(pool).await;
    rates(&world, "USDT", 1_000_000, 1_000_000).await;
    let (user_id, token) = world.member();
    let own = world.create(&token, fields("USDT", "TRC20", TRON_2)).await.unwrap().id;
    let payout = payout(user_id, &own);
    let quote = create(&world, payout.clone()).await.unwrap();
    assert_eq!(
        (quote.units.as_str(), quote.method_id.as_str(), quote.chain.as_str()),
        ("97500000", own.as_str(), "tron")
    );
    assert_eq!(quote.contract, "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t");
    let stranger = CreateQuoteRequest { user_id: world.member().0.to_string(), ..payout };
    for request in [deposit(user_id, &own, 9_750), stranger] {
        assert_eq!(refused(create(&world, request).await).code, "METHOD_UNAVAILABLE");
    }
}

/// [D-Q1] The terms name the assets of active platform methods with their rates, and only members read them.
#[sqlx::test(migrations = false)]
async fn terms_tell_what_can_be_quoted(pool: PgPool) {
    let (mut world, method) = world(pool).await;
    world.grpc.spread_bps = 25;
    let tether = world.platform("USDT", "TRC20", TRON).await;
    let (_, token) = world.member();
    let terms = world.grpc.get_quote_terms(with_token(GetQuoteTermsRequest {}, &token)).await.unwrap().into_inner();
    assert_eq!((terms.spread_bps, terms.life_seconds, terms.open_max), (25, 900, 20));
    let [bitcoin, dollar] = &terms.assets[..] else { panic!("{terms:?}") };
    assert_eq!((bitcoin.symbol.as_str(), bitcoin.available, &bitcoin.method_ids), ("BTC", true, &vec![method]));
    assert_eq!((bitcoin.bid_micros, bitcoin.ask_micros), (97_312_450_000, 97_315_000_000));
    assert_eq!(bitcoin.sources, ["coinbase", "kraken"]);
    assert_eq!((dollar.symbol.as_str(), dollar.available, &dollar.method_ids), ("USDT", false, &vec![tether]));
    assert_eq!((dollar.bid_micros, dollar.at), (0, None));
}

/// [K12] Only the wallet makes and reads quotes.
#[sqlx::test(migrations = false)]
async fn only_the_wallet_makes_quotes(pool: PgPool) {
    let (world, method) = world(pool).await;
    let (user_id, token) = world.member();
    let request = deposit(user_id, &method, 50_000);
    let as_trade = by(&world, "trade", request.clone());
    assert_eq!(refused(world.grpc.create_quote(as_trade).await).kind, Kind::Forbidden);
    assert!(world.grpc.create_quote(with_token(request, &token)).await.is_err());
}

/// [D-A12] [S3] A member's download has their own quotes, with the exact units.
#[sqlx::test(migrations = false)]
async fn a_download_has_the_own_quotes(pool: PgPool) {
    let (world, method) = world(pool).await;
    let ((user_id, token), (other, _)) = (world.member(), world.member());
    let quote = create(&world, deposit(user_id, &method, 50_000)).await.unwrap();
    create(&world, deposit(other, &method, 50_000)).await.unwrap();
    let told = page(&world, &token, "quotes/").await.unwrap();
    assert_eq!((told.table.as_str(), told.next_cursor.as_str()), ("quotes", "deposit_addresses/"));
    let rows: Vec<serde_json::Value> = told.rows_json.iter().map(|row| serde_json::from_str(row).unwrap()).collect();
    assert_eq!((rows.len(), &rows[0]["id"], &rows[0]["units"]), (1, &quote.id.into(), &quote.units.into()));
}
