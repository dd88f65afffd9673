//! Rates: what sources say over HTTP, who polls them, and what two people publish.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use chassis::clock;
use chassis::error::Kind;
use chassis::identity::Role;
use chassis::money::Rate;
use chassis::testing::{assert_permitted, with_token};
use futures::future::join_all;
use payment_method::app::poll_rates::poll_rates;
use payment_method::app::price::price;
use payment_method::clients::{RateSource, Shape, SourceError};
use payment_method::domain::rate::{NoRate, agree};
use payment_method::store::{assets, rate_points};
use proto::payment_method::v1::ProposeRateRequest;
use proto::payment_method::v1::staff_service_server::StaffService;
use sqlx::PgPool;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use tokio::net::TcpListener;

use crate::fixture::{BITCOIN, TRON, World, refused};

/// A server on a free port, by its address.
async fn serve(router: Router) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    url
}

fn source(shape: Shape, url: &str) -> RateSource {
    RateSource::new(shape, url.parse().unwrap()).unwrap()
}

/// Three sources at these prices for every asset, which count how often they are asked.
async fn sources(prices: [&'static str; 3], asked: &Arc<AtomicUsize>) -> Vec<RateSource> {
    let [kraken, coinbase, bitstamp] = prices;
    let at = OffsetDateTime::now_utc();
    let (now, time) = (at.unix_timestamp(), at.format(&Rfc3339).unwrap());
    let count = |asked: &Arc<AtomicUsize>| {
        let asked = Arc::clone(asked);
        move |body: String| {
            asked.fetch_add(1, Ordering::SeqCst);
            body
        }
    };
    let (one, two, three) = (count(asked), count(asked), count(asked));
    let router = Router::new()
        .route(
            "/0/public/Ticker",
            get(async move || {
                one(format!(r#"{{"error":[],"result":{{"XXBTZUSD":{{"a":["{kraken}"],"b":["{kraken}"]}}}}}}"#))
            }),
        )
        .route("/0/public/Time", get(async move || format!(r#"{{"error":[],"result":{{"unixtime":{now}}}}}"#)))
        .route(
            "/products/{product}/ticker",
            get(async move |Path(product): Path<String>| {
                assert_eq!(product, "BTC-USD");
                two(format!(r#"{{"bid":"{coinbase}","ask":"{coinbase}","time":"{time}"}}"#))
            }),
        )
        .route(
            "/api/v2/ticker/{pair}/",
            get(async move |Path(pair): Path<String>| {
                assert_eq!(pair, "btcusd");
                three(format!(r#"{{"bid":"{bitstamp}","ask":"{bitstamp}","timestamp":"{now}"}}"#))
            }),
        );
    let url = serve(router).await;
    [Shape::Kraken, Shape::Coinbase, Shape::Bitstamp].map(|shape| source(shape, &url)).into()
}

async fn rate(world: &World, symbol: &str) -> Result<(i64, Vec<String>), NoRate> {
    let mut conn = world.grpc.db.conn().await.unwrap();
    let now = clock::now(&mut conn).await.unwrap();
    let points = rate_points::recent(&mut conn, symbol, now).await.unwrap();
    agree(&points, false, now)
        .map(|agreed| (agreed.bid.micros(), agreed.points.into_iter().map(|point| point.source).collect()))
}

/// [D-Q2] Case 2: what three sources say is stored with its time; the one that is 5 % off does not count. Of several
/// processes one asks.
#[sqlx::test(migrations = false)]
async fn sources_are_asked_once_and_the_median_counts(pool: PgPool) {
    let world = World::new(pool).await;
    world.platform("BTC", "Bitcoin", BITCOIN).await;
    let asked = Arc::new(AtomicUsize::new(0));
    let sources = sources(["97300", "97320", "102200"], &asked).await;
    let polled = join_all((0..4).map(|_| poll_rates(&world.grpc.db, &sources))).await;
    assert!(polled.into_iter().all(|polled| polled.is_ok()));
    assert_eq!(asked.load(Ordering::SeqCst), 3, "one process asked each source");
    let expected = (97_310_000_000, vec!["coinbase".to_owned(), "kraken".to_owned()]);
    assert_eq!(rate(&world, "BTC").await, Ok(expected));
    let stored: Vec<(String, i64, bool, bool)> = sqlx::query_as(
        "SELECT source, bid_micros, source_at IS NOT NULL, read_at > now() - interval '1 minute' FROM rate_points
         ORDER BY source",
    )
    .fetch_all(&world.pool)
    .await
    .unwrap();
    let points = [("bitstamp", 102_200_000_000), ("coinbase", 97_320_000_000), ("kraken", 97_300_000_000)];
    assert_eq!(stored, points.map(|(source, bid)| (source.to_owned(), bid, true, true)));
}

/// [D-Q2] Case 3: what was read, or what the source says is, more than two minutes ago makes no rate.
#[sqlx::test(migrations = false)]
async fn old_points_make_no_rate(pool: PgPool) {
    let world = World::new(pool).await;
    let insert = async |source: &str, read: &str, stated: Option<&str>| {
        sqlx::query(
            "INSERT INTO rate_points (symbol, source, bid_micros, ask_micros, read_at, source_at)
             VALUES ('BTC', $1, 100, 100, clock_timestamp() - $2::interval, clock_timestamp() - $3::interval)",
        )
        .bind(source)
        .bind(read)
        .bind(stated)
        .execute(&world.pool)
        .await
        .unwrap();
    };
    insert("kraken", "0", Some("0")).await;
    insert("coinbase", "121 seconds", Some("121 seconds")).await;
    insert("bitstamp", "0", Some("121 seconds")).await;
    assert_eq!(rate(&world, "BTC").await, Err(NoRate::Missing));
    // A price without a time is refused, as those that an earlier version stored.
    insert("coinbase", "0", None).await;
    assert_eq!(rate(&world, "BTC").await, Err(NoRate::Missing));
    insert("bitstamp", "0", Some("60 seconds")).await;
    assert!(rate(&world, "BTC").await.is_ok());
    assert_eq!(rate(&world, "ETH").await, Err(NoRate::Missing));
}

/// [D-Q2] Case 4: an error page, an answer without end, a redirect, a refusal, silence: a source has no price then, and
/// nothing else happens.
#[tokio::test]
async fn a_hostile_source_has_no_price() {
    async fn too_long() -> Response {
        let chunk = "1".repeat(64 * 1024);
        format!(r#"{{"bid":"1","ask":"1","time":"2026-11-18T11:06:40Z","X":"{}"}}"#, chunk.repeat(160)).into_response()
    }
    let price = r#"{"bid":"1","ask":"1","time":"2026-11-18T11:06:40Z"}"#;
    let ends = [
        get(async || "<html><body>Just a moment…</body></html>"),
        get(too_long),
        get(async move || Redirect::temporary("/elsewhere")),
        get(async move || (StatusCode::TOO_MANY_REQUESTS, price)),
        get(async || tokio::time::sleep(std::time::Duration::from_secs(60)).await),
        get(async move || price),
    ];
    let now = OffsetDateTime::now_utc();
    let answers = join_all(ends.map(|end| async move {
        let router = Router::new().route("/products/BTC-USD/ticker", end).route("/elsewhere", get(async move || price));
        let url = serve(router).await;
        source(Shape::Coinbase, &url).fetch("BTC", now).await
    }));
    let [html, long, redirect, refused, silent, plain] = answers.await.try_into().unwrap();
    assert!(matches!(html, Err(SourceError::Unreadable(_))), "{html:?}");
    assert!(matches!(long, Err(SourceError::TooLong)), "{long:?}");
    assert!(matches!(redirect, Err(SourceError::Status(307))), "{redirect:?}");
    assert!(matches!(refused, Err(SourceError::Status(429))), "{refused:?}");
    assert!(matches!(silent, Err(SourceError::Late | SourceError::Unreachable(_))), "{silent:?}");
    assert_eq!(plain.unwrap().bid, Rate::new(1_000_000).unwrap());
    let gone = source(Shape::Coinbase, "http://127.0.0.1:1").fetch("BTC", now).await;
    assert!(matches!(gone, Err(SourceError::Unreachable(_))), "{gone:?}");
}

/// [D-Q2] Case 4: a bid above the ask, and a time in the future, are no price.
#[tokio::test]
async fn a_price_that_contradicts_itself_is_none() {
    let now = OffsetDateTime::now_utc();
    for (bid, ask, seconds) in [("2", "1", 0), ("1", "2", 120)] {
        let at = now.unix_timestamp() + seconds;
        let body = format!(r#"{{"bid":"{bid}","ask":"{ask}","timestamp":"{at}"}}"#);
        let url = serve(Router::new().route("/api/v2/ticker/btcusd/", get(async move || body))).await;
        let answer = source(Shape::Bitstamp, &url).fetch("BTC", now).await;
        assert!(matches!(answer, Err(SourceError::Unreadable(_))), "{bid} {ask} {seconds}: {answer:?}");
    }
}

fn publication(minutes: i32) -> ProposeRateRequest {
    ProposeRateRequest {
        symbol: "btc".to_owned(),
        bid_micros: 97_312_450_000,
        ask_micros: 97_315_000_000,
        source: "Kraken website".to_owned(),
        valid_minutes: minutes,
        client_address: "::1".to_owned(),
        idempotency: None,
    }
}

/// [D-Q2] [D-R17] A rate counts once a second treasurer has confirmed it, for as long as it says.
#[sqlx::test(migrations = false)]
async fn two_treasurers_publish_a_rate(pool: PgPool) {
    let world = World::new(pool).await;
    let asked = with_token(publication(60), &world.treasurers[0]);
    let proposal = world.grpc.propose_rate(asked).await.unwrap().into_inner().proposal.unwrap();
    assert_eq!((proposal.kind.as_str(), proposal.permission.as_str()), ("rate.publish", "publishRates"));
    assert_eq!(rate(&world, "BTC").await, Err(NoRate::Missing));
    assert_eq!(refused(world.confirm(&proposal.id, 0).await).code, "SELF_CONFIRMATION");
    world.confirm(&proposal.id, 1).await.unwrap();
    assert_eq!(rate(&world, "BTC").await, Ok((97_312_450_000, vec!["Kraken website".to_owned()])));
    let life: (bool,) = sqlx::query_as("SELECT valid_until - read_at = interval '60 minutes' FROM rate_points")
        .fetch_one(&world.pool)
        .await
        .unwrap();
    assert!(life.0);
    let change = sqlx::query("UPDATE rate_points SET bid_micros = 1").execute(&world.pool).await;
    assert_eq!(chassis::db::constraint(&change.unwrap_err()), Some("rate_points_kept"));
    let ended = sqlx::query("DELETE FROM rate_points").execute(&world.pool).await;
    assert_eq!(chassis::db::constraint(&ended.unwrap_err()), Some("rate_points_kept"));
}

/// [D-N3] A rate is proposed and confirmed only within 20 % of the last known one, and with a narrow spread.
#[sqlx::test(migrations = false)]
async fn a_rate_is_published_near_the_last_known(pool: PgPool) {
    let world = World::new(pool).await;
    crate::chain::rate(&world.pool, "BTC", 97_000_000_000).await;
    let at = |bid_micros: i64| ProposeRateRequest { bid_micros, ask_micros: bid_micros, ..publication(60) };
    let propose = async |bid| world.grpc.propose_rate(with_token(at(bid), &world.treasurers[0])).await;
    let refusal = refused(propose(60_000_000_000).await);
    assert_eq!((refusal.kind, refusal.fields[0].0.as_str()), (Kind::Invalid, "bid"));
    assert!(refusal.message.contains("the last known rate, $97000"), "{}", refusal.message);
    let wide = ProposeRateRequest { bid_micros: 1_000_000, ask_micros: 1_000_000_000_000, ..publication(60) };
    assert_eq!(refused(world.grpc.propose_rate(with_token(wide, &world.treasurers[0])).await).fields[0].0, "ask");
    // Until it is confirmed, the market may leave it.
    let proposal = propose(80_000_000_000).await.unwrap().into_inner().proposal.unwrap();
    crate::chain::rate(&world.pool, "BTC", 120_000_000_000).await;
    assert_eq!(refused(world.confirm(&proposal.id, 1).await).fields[0].0, "bid");
    assert_eq!(rate(&world, "BTC").await.unwrap().0, 120_000_000_000);
}

/// [D-N3] A rate of a moment is the same later: what is said or published afterwards does not count for it.
#[sqlx::test(migrations = false)]
async fn a_price_is_that_of_its_moment(pool: PgPool) {
    let world = World::new(pool).await;
    crate::chain::rate(&world.pool, "BTC", 100_000_000_000).await;
    let mut conn = world.grpc.db.conn().await.unwrap();
    let then = clock::now(&mut conn).await.unwrap();
    let asset = assets::find(&mut conn, "bitcoin", "BTC").await.unwrap().unwrap();
    let before = price(&mut conn, &asset, then).await.unwrap().unwrap();
    crate::chain::rate(&world.pool, "BTC", 130_000_000_000).await;
    assert_eq!(price(&mut conn, &asset, then).await.unwrap().unwrap(), before);
    let now = clock::now(&mut conn).await.unwrap();
    assert_eq!(price(&mut conn, &asset, now).await.unwrap().unwrap().bid.micros(), 130_000_000_000);
    assert_eq!(price(&mut conn, &asset, then - time::Duration::MINUTE).await.unwrap(), Err(NoRate::Missing));
}

/// [D-R17] An invalid rate is refused, and only treasurers propose one.
#[sqlx::test(migrations = false)]
async fn only_treasurers_propose_valid_rates(pool: PgPool) {
    let world = World::new(pool).await;
    let wrong = async |field: &str, request: ProposeRateRequest| {
        let refusal = refused(world.grpc.propose_rate(with_token(request, &world.treasurers[0])).await);
        assert_eq!((refusal.kind, refusal.fields[0].0.as_str()), (Kind::Invalid, field));
    };
    wrong("asset", ProposeRateRequest { symbol: "DOGE".to_owned(), ..publication(60) }).await;
    wrong("bid", ProposeRateRequest { bid_micros: 0, ..publication(60) }).await;
    wrong("ask", ProposeRateRequest { ask_micros: 1, ..publication(60) }).await;
    wrong("source", ProposeRateRequest { source: String::new(), ..publication(60) }).await;
    for minutes in [0, 1_441] {
        wrong("validMinutes", publication(minutes)).await;
    }
    for &role in Role::ALL {
        let (_, token) = world.realm.staff(role);
        let outcome = world.grpc.propose_rate(with_token(publication(60), &token)).await.err();
        assert_permitted(Some(role), [(role == Role::Treasurer, outcome)]);
    }
}

/// [D-Q2] Nothing is asked for a currency that no active method has.
#[sqlx::test(migrations = false)]
async fn only_assets_in_use_are_asked_for(pool: PgPool) {
    let world = World::new(pool).await;
    world.create(&world.member().1, crate::fixture::fields("USDT", "TRC20", TRON)).await.unwrap();
    let asked = Arc::new(AtomicUsize::new(0));
    let sources = sources(["1", "1", "1"], &asked).await;
    poll_rates(&world.grpc.db, &sources).await.unwrap();
    assert_eq!(asked.load(Ordering::SeqCst), 0);
}
