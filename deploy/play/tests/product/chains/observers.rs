//! Observers that die.

use std::time::Duration;

use play::testing::{Options, TestStack};
use serde_json::{Value, json};
use sqlx::{Connection, PgConnection};
use stack::nodes::{Anvil, EvmChain, Installed, RICH};
use stack::running::Running;
use stack::treasurer::pay::{account, regtest};
use stack::{Replica, Service};
use tokio::time::{Instant, sleep};

use crate::chains::LIMIT;
use crate::chains::own_addresses::address;
use crate::chains::payouts::{send, until_held};

/// The two processes that observe the chains.
static OBSERVERS: [Replica; 2] = [Replica(Service::PaymentMethod, 0), Replica(Service::PaymentMethod, 1)];

/// Whether the process that reads this chain keeps its lease for more than these seconds: it lasts a minute while it reads, then
/// a second.
async fn is_leased(database: &mut PgConnection, chain: &str, seconds: f64) -> bool {
    let query =
        "SELECT leased_until > clock_timestamp() + make_interval(secs => $2) FROM chain_cursors WHERE chain = $1";
    sqlx::query_scalar(query).bind(chain).bind(seconds).fetch_one(database).await.unwrap()
}

/// Freezes both processes in the middle of a look at a chain.
async fn freeze_in_a_look(stack: &TestStack, database: &mut PgConnection, chain: &str) {
    let limit = Instant::now() + LIMIT;
    loop {
        while !is_leased(database, chain, 59.9).await {
            assert!(Instant::now() < limit, "nobody looks at {chain}");
            sleep(Duration::from_millis(2)).await;
        }
        OBSERVERS.into_iter().for_each(|one| stack.stop(one).unwrap());
        if is_leased(database, chain, 50.0).await {
            return;
        }
        OBSERVERS.into_iter().for_each(|one| stack.cont(one).unwrap());
    }
}

fn tron(stack: &TestStack) -> &Anvil {
    stack.nodes().evm.iter().find(|one| one.chain == EvmChain::Tron).unwrap()
}

/// Waits until these payments have been seen in blocks, each once and no others.
async fn until_included(stack: &TestStack, database: &mut PgConnection, paid: &[String]) {
    let mut paid: Vec<_> = paid.iter().map(|hash| hash.trim_start_matches("0x").to_owned()).collect();
    paid.sort_unstable();
    let limit = Instant::now() + LIMIT;
    loop {
        let seen: Vec<String> = sqlx::query_scalar(
            "SELECT txid FROM chain_payments WHERE way = 'in' AND state IN ('included', 'final') ORDER BY txid COLLATE \"C\"",
        )
        .fetch_all(&mut *database)
        .await
        .unwrap();
        if seen == paid {
            break;
        }
        assert!(Instant::now() < limit, "{seen:?} instead of {paid:?}");
        // Keeps Tron from being stale.
        tron(stack).mine(1).await.unwrap();
        sleep(Duration::from_millis(300)).await;
    }
}

/// [D-Q4] [D-Q8] Cases 19 and 20: two processes observe the chains, and die by SIGKILL in the middle of looks while payments
/// arrive. Each payment is there once, and as much is held as the books say. What is stolen then is exactly the difference.
#[tokio::test]
async fn processes_that_die_miss_and_repeat_nothing() {
    let installed = Installed::find().unwrap();
    if installed.bitcoind.is_none() || installed.anvil.is_none() {
        return println!("the nodes are not installed");
    }
    let options = Options { chains: true, two_of_each: true, ..Options::default() };
    let mut stack = TestStack::with(options).await.unwrap();
    let member = stack.member().await.unwrap();
    let treasurer = stack.staff("treasurer").await.unwrap();
    let database = Running::of(&stack).unwrap().databases["payment-method"].clone();
    let mut database = PgConnection::connect(&database).await.unwrap();
    let ours = account(&address(&member, "TRC20").await).unwrap();
    let bitcoin = stack.nodes().bitcoin.clone().unwrap();
    let to = regtest(&bitcoin.rpc, &address(&member, "Bitcoin").await).await.unwrap();
    let state = |seen: &Value, asset: &str, chain: &str| {
        let mut all = seen["holdings"].as_array().unwrap().iter();
        let found = all.find(|one| one["asset"] == asset && one["chain"] == chain);
        found.map(|one| (one["state"].clone(), one["difference"].clone())).unwrap_or_default()
    };
    let right = (json!("ok"), json!("0"));
    // Own addresses of members are read once something arrived there.
    until_held(tron(&stack), &treasurer, |seen| state(seen, "USDT", "tron") == right).await;

    let (mut paid, mut units) = (Vec::new(), (0, 0));
    let rounds = [
        ("tron", &OBSERVERS[..1]),
        ("bitcoin", &OBSERVERS[1..]),
        ("tron", &OBSERVERS[..]),
        ("bitcoin", &OBSERVERS[..]),
    ];
    for (round, (chain, dying)) in (0_u32..).zip(rounds) {
        let (satoshi, micros) = (10_000 + u64::from(round), 5_000_000 + u128::from(round));
        let token = async |stack: &TestStack| {
            let node = tron(stack);
            node.pay_token(node.chain.usdt(), &ours, micros).await.unwrap()
        };
        paid.push(bitcoin.pay(&[(to.as_str(), satoshi)]).await.unwrap());
        paid.push(token(&stack).await);
        freeze_in_a_look(&stack, &mut database, chain).await;
        for one in OBSERVERS {
            if dying.contains(&one) {
                stack.kill(one).await.unwrap();
            } else {
                stack.cont(one).unwrap();
            }
        }
        paid.push(token(&stack).await);
        bitcoin.mine(1).await.unwrap();
        units = (units.0 + satoshi, units.1 + 2 * micros);
        for one in dying {
            stack.restart(*one).await.unwrap();
        }
    }
    until_included(&stack, &mut database, &paid).await;
    let sums: Vec<(String, i64)> = sqlx::query_as(
        "SELECT symbol, sum(units)::bigint FROM chain_payments WHERE way = 'in' GROUP BY symbol ORDER BY symbol",
    )
    .fetch_all(&mut database)
    .await
    .unwrap();
    let expected =
        [("BTC".to_owned(), i64::try_from(units.0).unwrap()), ("USDT".to_owned(), i64::try_from(units.1).unwrap())];
    assert_eq!(sums, expected);

    let node = tron(&stack);
    send(node, &ours, RICH, 12_345_678).await;
    let stolen = (json!("fail"), json!("-12345678"));
    let seen = until_held(node, &treasurer, |seen| {
        state(seen, "USDT", "tron") == stolen && state(seen, "BTC", "bitcoin") == right
    })
    .await;
    assert_eq!(seen["outflows"].as_array().unwrap().len(), 1, "{seen}");
    assert_eq!(seen["outflows"][0]["units"], "12345678");
    stack.end().await.unwrap();
}
