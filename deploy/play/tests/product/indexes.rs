//! Own addresses of members, derived by two processes that die. Where no node is installed, a line says so.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::print_stdout, reason = "a test says what is not installed, and how often processes died")]

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use futures::future::{join, join_all};
use play::testing::{Member, Options, TestStack};
use serde_json::{Value, json};
use sqlx::{Connection, PgConnection};
use stack::{
    Replica, Service,
    nodes::{EvmChain, Installed},
    running::Running,
    treasurer::pay::{account, regtest},
};
use tokio::time::{Instant, sleep};

const LIMIT: Duration = Duration::from_secs(120);
const ROUNDS: u64 = 8;
const MEMBERS: usize = 6;
/// Quotes of a member, each of which has an address of its own on Bitcoin.
const QUOTES: u32 = 4;

/// By key and index: an address and its member.
type Places = BTreeMap<(String, i64), (String, String)>;

/// Notes an own address that a member was shown; an index has one address and one member.
fn note(shown: &mut Places, member: &Member, one: &Value) {
    let Some(index) = one["derivation"]["index"].as_i64() else { return };
    let key = one["derivation"]["key"].as_str().unwrap().to_owned();
    let told = (one["address"].as_str().unwrap().to_owned(), member.id.clone());
    let known = shown.entry((key, index)).or_insert_with(|| told.clone());
    assert_eq!(*known, told, "index {index} is used twice");
}

/// How many indexes were taken.
async fn taken(database: &mut PgConnection) -> u64 {
    let sum: i64 = sqlx::query_scalar("SELECT coalesce(sum(next_index), 0)::bigint FROM deposit_keys")
        .fetch_one(database)
        .await
        .unwrap();
    sum.unsigned_abs()
}

/// What the service has of own addresses.
async fn stored(database: &mut PgConnection) -> Places {
    let stored: Vec<(String, i64, String, String)> = sqlx::query_as(
        "SELECT key, index::bigint, address, user_id::text FROM deposit_addresses
         JOIN deposit_keys ON deposit_keys.id = key_id",
    )
    .fetch_all(database)
    .await
    .unwrap();
    let places: Places = stored
        .iter()
        .map(|(key, index, address, member)| ((key.clone(), *index), (address.clone(), member.clone())))
        .collect();
    assert_eq!(places.len(), stored.len());
    places
}

/// Pays something to each address.
async fn pay(stack: &TestStack, shown: &Places) {
    let node = stack.nodes().bitcoin.clone().unwrap();
    let anvil = stack.nodes().evm.iter().find(|one| one.chain == EvmChain::Ethereum).unwrap();
    let mut outputs = Vec::new();
    for (address, _) in shown.values() {
        if address.starts_with("0x") {
            anvil.pay_token(anvil.chain.usdt(), &account(address).unwrap(), 5_000_000).await.unwrap();
        } else {
            outputs.push((regtest(&node.rpc, address).await.unwrap(), 10_000));
        }
    }
    let outputs: Vec<_> = outputs.iter().map(|(address, satoshi)| (address.as_str(), *satoshi)).collect();
    node.pay(&outputs).await.unwrap();
    node.mine(1).await.unwrap();
}

/// What a member is answered who looks at the addresses and asks for quotes; nothing for what failed.
async fn visit(member: &Member, bitcoin: &str) -> (Vec<Value>, usize) {
    let methods = member.client.get("/payment-methods");
    let quotes = join_all((0..QUOTES).map(|number| {
        let body = json!({ "direction": "deposit", "amount": 500 + 100 * number, "method": bitcoin });
        member.client.post("/quotes", body)
    }));
    let (methods, quotes) = join(methods, quotes).await;
    let answers: Vec<_> = quotes.into_iter().chain([methods]).collect();
    let asked = answers.len();
    let bodies: Vec<_> = answers.into_iter().filter_map(|answer| answer.ok()?.success().ok()).collect();
    let failed = asked - bodies.len();
    let own = bodies.into_iter().flat_map(|body| match body["paymentMethods"].as_array() {
        Some(methods) => methods.clone(),
        None => vec![body["quote"].clone()],
    });
    (own.collect(), failed)
}

/// [D-N2] Two processes derive addresses for many members at once, and die by SIGKILL in the middle, one after the other. Each index is
/// used once and none is left out; each address that a member was shown is stored as theirs, and what is paid to it is seen.
#[tokio::test]
async fn two_processes_that_die_use_no_index_twice() {
    let installed = Installed::find().unwrap();
    if installed.bitcoind.is_none() || installed.anvil.is_none() {
        return println!("the nodes are not installed");
    }
    let options = Options { chains: true, two_of_each: true, ..Options::default() };
    let mut stack = TestStack::with(options).await.unwrap();
    stack.publish_rates().await.unwrap();
    let database = Running::of(&stack).unwrap().databases["payment-method"].clone();
    let mut database = PgConnection::connect(&database).await.unwrap();
    let bitcoin = stack.member().await.unwrap().platform_method("Bitcoin").await.unwrap();

    let (mut shown, mut failed, mut amid) = (Places::new(), 0, 0);
    for round in 0..ROUNDS {
        let members = join_all((0..MEMBERS).map(|_| stack.member())).await;
        let members: Vec<_> = members.into_iter().map(Result::unwrap).collect();
        let dying = Replica(Service::PaymentMethod, u8::from(round % 2 == 1));
        let before = taken(&mut database).await;
        // After the first addresses of this round, and before its last ones.
        let death = async {
            while taken(&mut database).await < before + 2 + round {
                sleep(Duration::from_millis(1)).await;
            }
            stack.kill(dying).await.unwrap();
            taken(&mut database).await
        };
        let visits = join_all(members.iter().map(|member| visit(member, &bitcoin)));
        let (visits, dead) = join(visits, death).await;
        for (member, (answers, missing)) in members.iter().zip(visits) {
            answers.iter().for_each(|one| note(&mut shown, member, one));
            failed += missing;
        }
        stack.restart(dying).await.unwrap();
        amid += u64::from(taken(&mut database).await > dead);
        // Who was refused asks again, and is shown what was derived before.
        for member in &members {
            let (answers, missing) = visit(member, &bitcoin).await;
            answers.iter().for_each(|one| note(&mut shown, member, one));
            assert_eq!(missing, 0, "both processes are there");
        }
    }
    let gaps: Vec<(String, i32, i64)> = sqlx::query_as(
        "SELECT key, next_index, count(index) FROM deposit_keys LEFT JOIN deposit_addresses ON key_id = deposit_keys.id
         GROUP BY deposit_keys.id HAVING count(index) <> next_index OR max(index) <> next_index - 1",
    )
    .fetch_all(&mut database)
    .await
    .unwrap();
    assert_eq!(gaps, [], "an index was left out");
    let places = stored(&mut database).await;
    for (place, told) in &shown {
        assert_eq!(places.get(place), Some(told), "{place:?} was shown, and is not stored");
    }
    println!("{} addresses stored, {} shown, {amid} of {ROUNDS} deaths in the middle", places.len(), shown.len());
    println!("{failed} requests failed");
    assert!(amid > ROUNDS / 2, "nothing was under way when processes died");

    pay(&stack, &shown).await;
    let expected: BTreeSet<_> = shown.values().map(|(address, _)| address.clone()).collect();
    let limit = Instant::now() + LIMIT;
    loop {
        let seen: Vec<String> = sqlx::query_scalar("SELECT address FROM chain_payments WHERE way = 'in'")
            .fetch_all(&mut database)
            .await
            .unwrap();
        let (count, seen) = (seen.len(), seen.into_iter().collect::<BTreeSet<_>>());
        if seen == expected {
            assert_eq!(count, expected.len());
            break;
        }
        assert!(Instant::now() < limit, "{} of {} addresses are watched", seen.len(), expected.len());
        sleep(Duration::from_millis(300)).await;
    }
    assert_eq!(stack.broken_promises().await.unwrap(), []);
    stack.end().await.unwrap();
}
