//! What the chain shows about a deposit, on a real node.

mod payouts;

use chassis::id::MemberId;
use std::collections::BTreeSet;

use chassis::error::Kind;
use chassis::identity::Role;
use chassis::testing::with_token;
use payment_method::clients::bitcoin_core::{BitcoinCore, Network};
use payment_method::clients::chain::Chain;
use proto::common::v1::{ChainEvidence, Quote, QuoteDirection};
use proto::payment_method::v1::evidence_service_server::EvidenceService;
use proto::payment_method::v1::quote_service_server::QuoteService;
use proto::payment_method::v1::staff_service_server::StaffService;
use proto::payment_method::v1::{
    ChainOutput, CreateQuoteRequest, GetEvidenceRequest, ListCandidatesRequest, ListPaymentsRequest, ListedPayment,
    SearchPaymentsRequest,
};
use serde_json::json;
use sqlx::PgPool;
use stack::nodes::{Bitcoind, EvmChain};
use time::OffsetDateTime;

use crate::chain::{anvil, bitcoind, look, rate, regtest};
use crate::evidence::payouts::pay_twice;
use crate::fixture::{BITCOIN, EVM, World, refused};

const LEGACY: &str = "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa";

fn chain(node: &Bitcoind) -> Chain {
    Chain::from(BitcoinCore::new(node.rpc.url.parse().unwrap(), Network::Regtest).unwrap())
}

/// Bitcoin at 100,000 dollars, with its node.
async fn world(pool: PgPool, node: &Bitcoind) -> (World, Chain) {
    let mut world = World::new(pool).await;
    world.platform("BTC", "Bitcoin", BITCOIN).await;
    rate(&world.pool, "BTC", 100_000_000_000).await;
    let chain = chain(node);
    world.grpc.chains = [chain.clone()].into();
    (world, chain)
}

pub async fn quote(world: &World, user_id: MemberId) -> Quote {
    let message = CreateQuoteRequest {
        user_id: user_id.to_string(),
        direction: QuoteDirection::Deposit.into(),
        amount_cents: 50_000,
        priced_cents: 50_000,
        method: "BTC".to_owned(),
        idempotency: None,
        used_quote_ids: Vec::new(),
    };
    let request = with_token(message, &world.realm.service_token("wallet"));
    world.grpc.create_quote(request).await.unwrap().into_inner().quote.unwrap()
}

/// What is returned about a deposit of $500.00 with this hash.
pub async fn evidence(world: &World, user_id: MemberId, quote: Option<&Quote>, txid: &str) -> Option<ChainEvidence> {
    ask(
        world,
        GetEvidenceRequest {
            user_id: user_id.to_string(),
            currency: "BTC".to_owned(),
            network: "Bitcoin".to_owned(),
            address: BITCOIN.to_owned(),
            txid: txid.to_owned(),
            quote_id: quote.map(|quote| quote.id.clone()).unwrap_or_default(),
            claimed_cents: 50_000,
            requested_at: Some(chassis::clock::to_proto(OffsetDateTime::now_utc())),
            ..Default::default()
        },
    )
    .await
}

pub async fn ask(world: &World, message: GetEvidenceRequest) -> Option<ChainEvidence> {
    let request = with_token(message, &world.realm.service_token("wallet"));
    world.grpc.get_evidence(request).await.unwrap().into_inner().evidence
}

#[track_caller]
pub fn state(evidence: &ChainEvidence, name: &str) -> String {
    let check = evidence.checks.iter().find(|check| check.name == name);
    check.map(|check| check.state.clone()).unwrap_or_else(|| panic!("{name}: {evidence:?}"))
}

/// [D-Q4] Cases 8 and 20: an exact payment is found without a hash, by the units of the quote, and becomes final. Anyone else who
/// claims its hash learns whose quote it matches. [D-N1] Its owner's checklist says when another request names it.
#[sqlx::test(migrations = false)]
async fn an_exact_payment_is_found_by_its_quote(pool: PgPool) {
    let Some((node, _folder)) = bitcoind().await else { return };
    let (world, chain) = world(pool, &node).await;
    let ((member, _), (thief, _)) = (world.member(), world.member());
    let (own, other) = (quote(&world, member).await, quote(&world, thief).await);
    assert_eq!((own.units.as_str(), other.units.as_str()), ("500000", "500001"));
    look(&world, &chain).await;
    let waiting = evidence(&world, member, Some(&own), "").await.unwrap();
    assert_eq!((state(&waiting, "payment_found"), waiting.payments.len()), ("warn".to_owned(), 0));
    let to = regtest(&node, BITCOIN).await;
    let txid = node.pay(&[(to.as_str(), 500_000)]).await.unwrap();
    for (blocks, expected, confirmations) in [(0, "warn", 0), (1, "warn", 1), (1, "ok", 2)] {
        if blocks > 0 {
            node.mine(blocks).await.unwrap();
        }
        look(&world, &chain).await;
        let found = evidence(&world, member, Some(&own), "").await.unwrap();
        assert_eq!(state(&found, "payment_confirmations"), expected);
        assert_eq!((found.payments[0].confirmations, found.payments[0].confirmations_needed), (confirmations, 2));
        for name in
            ["payment_found", "payment_asset", "payment_recipient", "payment_units", "payment_time", "payment_quote"]
        {
            assert_eq!(state(&found, name), "ok", "{name}");
        }
        assert_eq!((found.suggested_cents, found.payments[0].txid.as_str()), (Some(50_000), txid.as_str()));
    }
    let stolen = evidence(&world, thief, Some(&other), &format!("0x{}", txid.to_uppercase())).await.unwrap();
    assert_eq!(
        (state(&stolen, "payment_quote"), state(&stolen, "payment_units")),
        ("fail".to_owned(), "warn".to_owned())
    );
    let stolen = evidence(&world, thief, None, &txid).await.unwrap();
    assert_eq!(state(&stolen, "payment_quote"), "fail", "also without a quote of their own");
    // Once a reviewer has approved the claim of the thief, the checklist of its owner says that it is taken.
    let found = evidence(&world, member, Some(&own), "").await.unwrap();
    let taken = GetEvidenceRequest {
        user_id: member.to_string(),
        currency: "BTC".to_owned(),
        network: "Bitcoin".to_owned(),
        address: BITCOIN.to_owned(),
        quote_id: own.id.clone(),
        requested_at: Some(chassis::clock::to_proto(OffsetDateTime::now_utc())),
        consumed: vec![ChainOutput { txid, index: found.payments[0].index }],
        ..Default::default()
    };
    let taken = ask(&world, taken).await.unwrap();
    let line = taken.checks.iter().find(|line| line.name == "payment_found").unwrap();
    assert!(line.state == "warn" && line.detail.contains("named by another request"), "{line:?}");
}

/// [D-Q4] [D-N1] An exchange deducted its fee: the payment is found for the member whose open quote is nearest, without a hash,
/// and a claim of its hash by anyone else fails, with or without a quote. A quote whose deposit is decided claims nothing.
#[sqlx::test(migrations = false)]
async fn a_payment_less_a_fee_belongs_to_the_nearest_quote(pool: PgPool) {
    let Some((node, _folder)) = bitcoind().await else { return };
    let (world, chain) = world(pool, &node).await;
    let ((member, _), (thief, _)) = (world.member(), world.member());
    look(&world, &chain).await;
    let (own, other) = (quote(&world, member).await, quote(&world, thief).await);
    assert_eq!((own.units.as_str(), other.units.as_str()), ("500000", "500001"));
    let to = regtest(&node, BITCOIN).await;
    let txid = node.pay(&[(to.as_str(), 495_000)]).await.unwrap();
    node.mine(2).await.unwrap();
    look(&world, &chain).await;
    let found = evidence(&world, member, Some(&own), "").await.unwrap();
    assert_eq!(found.payments.iter().map(|one| one.txid.as_str()).collect::<Vec<_>>(), [txid.as_str()]);
    assert_eq!(
        (state(&found, "payment_quote"), state(&found, "payment_units")),
        ("warn".to_owned(), "warn".to_owned())
    );
    assert_eq!(evidence(&world, thief, Some(&other), "").await.unwrap().payments, []);
    for quote in [None, Some(&other)] {
        let stolen = evidence(&world, thief, quote, &txid).await.unwrap();
        assert_eq!(state(&stolen, "payment_quote"), "fail");
    }
    let message = GetEvidenceRequest {
        user_id: thief.to_string(),
        currency: "BTC".to_owned(),
        network: "Bitcoin".to_owned(),
        address: BITCOIN.to_owned(),
        txid,
        claimed_cents: 49_500,
        requested_at: Some(chassis::clock::to_proto(OffsetDateTime::now_utc())),
        settled_quotes: vec![own.id],
        ..Default::default()
    };
    let checks = ask(&world, message).await.unwrap().checks;
    assert!(!checks.iter().any(|check| check.name == "payment_quote"), "{checks:?}");
}

/// [D-Q3] [D-Q4] Units are free again when a quote expires: a payment of the same units from before a quote is not its payment,
/// although it can be claimed by its hash.
#[sqlx::test(migrations = false)]
async fn a_payment_from_before_a_quote_is_not_found_by_it(pool: PgPool) {
    let Some((node, _folder)) = bitcoind().await else { return };
    let (world, chain) = world(pool, &node).await;
    let member = world.member().0;
    look(&world, &chain).await;
    let to = regtest(&node, BITCOIN).await;
    let earlier = node.pay(&[(to.as_str(), 500_000)]).await.unwrap();
    look(&world, &chain).await;
    let own = quote(&world, member).await;
    assert_eq!(own.units, "500000");
    assert_eq!(evidence(&world, member, Some(&own), "").await.unwrap().payments, []);
    assert_eq!(evidence(&world, member, Some(&own), &earlier).await.unwrap().payments.len(), 1);
    let txid = node.pay(&[(to.as_str(), 500_000)]).await.unwrap();
    look(&world, &chain).await;
    let found = evidence(&world, member, Some(&own), "").await.unwrap();
    assert_eq!(found.payments.iter().map(|one| one.txid.as_str()).collect::<Vec<_>>(), [txid]);
}

/// [D-Q4] Case 9: a transaction that pays one address twice is two payments, each with its key; without an output its hash stands
/// for both, and they are worth their sum when both are named. One that is consumed is left out.
#[sqlx::test(migrations = false)]
async fn outputs_are_added_when_they_are_named(pool: PgPool) {
    let Some((node, _folder)) = bitcoind().await else { return };
    let (world, chain) = world(pool, &node).await;
    let member = world.member().0;
    look(&world, &chain).await;
    let to = regtest(&node, BITCOIN).await;
    let txid = pay_twice(&node, &to, ("0.003", "0.002")).await;
    node.mine(2).await.unwrap();
    look(&world, &chain).await;
    let found = evidence(&world, member, None, &txid).await.unwrap();
    let outputs: BTreeSet<_> = found.payments.iter().map(|one| one.index).collect();
    let mut units: Vec<_> = found.payments.iter().map(|one| one.units.as_str()).collect();
    let first = found.suggested_cents;
    units.sort_unstable();
    assert_eq!((outputs.len(), units), (2, vec!["200000", "300000"]));
    assert!([Some(20_000), Some(30_000)].contains(&first), "{first:?}");
    let about = |outputs: Vec<u32>, consumed: Vec<ChainOutput>| GetEvidenceRequest {
        user_id: member.to_string(),
        currency: "BTC".to_owned(),
        network: "Bitcoin".to_owned(),
        address: BITCOIN.to_owned(),
        txid: txid.clone(),
        claimed_cents: 50_000,
        requested_at: Some(chassis::clock::to_proto(OffsetDateTime::now_utc())),
        outputs,
        consumed,
        ..Default::default()
    };
    let both = ask(&world, about(outputs.iter().copied().collect(), vec![])).await.unwrap();
    assert_eq!((state(&both, "payment_found"), both.suggested_cents), ("ok".to_owned(), Some(50_000)));
    let taken = ChainOutput { txid: txid.clone(), index: found.payments[0].index };
    let rest = ask(&world, about(vec![], vec![taken])).await.unwrap();
    assert_eq!(rest.payments, found.payments[1..]);
    assert_eq!(rest.suggested_cents, Some(50_000 - first.unwrap()));
}

/// [D-Q4] Cases 17 and 18: a hash that does not exist, or pays somebody else, fails; a node that is down makes unknown. Without a
/// node there is no evidence, and only the wallet asks for any.
#[sqlx::test(migrations = false)]
async fn a_wrong_hash_fails_and_a_dead_node_is_unknown(pool: PgPool) {
    let Some((node, _folder)) = bitcoind().await else { return };
    let (mut world, chain) = world(pool, &node).await;
    let (member, token) = world.member();
    look(&world, &chain).await;
    let nobody = evidence(&world, member, None, &"ab".repeat(32)).await.unwrap();
    assert_eq!(state(&nobody, "payment_found"), "fail");
    let to = regtest(&node, LEGACY).await;
    let foreign = node.pay(&[(to.as_str(), 500_000)]).await.unwrap();
    node.mine(1).await.unwrap();
    look(&world, &chain).await;
    let foreign = evidence(&world, member, None, &foreign).await.unwrap();
    assert_eq!((state(&foreign, "payment_found"), foreign.suggested_cents), ("fail".to_owned(), None));
    node.process.terminate().await.unwrap();
    look(&world, &chain).await;
    let unknown = evidence(&world, member, None, &"ab".repeat(32)).await.unwrap();
    assert_eq!(state(&unknown, "payment_found"), "unknown");
    let request = with_token(GetEvidenceRequest::default(), &token);
    assert!(world.grpc.get_evidence(request).await.is_err());
    let request = with_token(GetEvidenceRequest::default(), &world.realm.service_token("trade"));
    assert_eq!(refused(world.grpc.get_evidence(request).await).kind, Kind::Forbidden);
    world.grpc.chains = [].into();
    assert_eq!(evidence(&world, member, None, "").await, None);
}

/// [D-Q4] Case 17: a payment on another network is named as that.
#[sqlx::test(migrations = false)]
async fn a_payment_on_another_network_is_named(pool: PgPool) {
    let Some((node, _folder)) = bitcoind().await else { return };
    let Some((anvil, _other)) = anvil(EvmChain::Ethereum).await else { return };
    let (mut world, chain) = world(pool, &node).await;
    let ethereum = payment_method::clients::evm_rpc::EvmRpc::new(
        payment_method::clients::evm_rpc::Kind::Ethereum,
        anvil.rpc.url.parse().unwrap(),
    );
    world.grpc.chains = [chain.clone(), Chain::from(ethereum.unwrap())].into();
    look(&world, &chain).await;
    let hash = anvil.pay_token(anvil.chain.usdt(), EVM, 500_000_000).await.unwrap();
    anvil.receipt(&hash).await.unwrap();
    let found = evidence(&world, world.member().0, None, &hash).await.unwrap();
    let line = &found.checks[0];
    assert_eq!(
        (line.state.as_str(), line.detail.as_str()),
        ("fail", "The transaction is on Ethereum, and not on Bitcoin.")
    );
}

/// [D-Q6] The wallet pages through all payments that were not replaced or orphaned, newest first. No other service may.
#[sqlx::test(migrations = false)]
async fn payments_are_listed_for_the_wallet(pool: PgPool) {
    let Some((node, _folder)) = bitcoind().await else { return };
    let (world, chain) = world(pool, &node).await;
    let to = regtest(&node, BITCOIN).await;
    let replaced = node.pay(&[(to.as_str(), 400_000)]).await.unwrap();
    look(&world, &chain).await;
    node.wallet("bumpfee", json!([replaced])).await.unwrap();
    node.mine(1).await.unwrap();
    node.pay(&[(to.as_str(), 600_000)]).await.unwrap();
    look(&world, &chain).await;
    let list = async |before: i64, size: i32| {
        let request = with_token(ListPaymentsRequest { before, size }, &world.realm.service_token("wallet"));
        world.grpc.list_payments(request).await.map(|found| found.into_inner().payments)
    };
    let newest = list(0, 1).await.unwrap().remove(0);
    let older = list(newest.number, 500).await.unwrap();
    let facts = |one: &ListedPayment| {
        let payment = one.payment.clone().unwrap();
        (payment.units, payment.decimals, payment.state, payment.confirmations)
    };
    let mut found = [facts(&newest), facts(&older[0])];
    found.sort();
    let expected = [("400000", "included", 1), ("600000", "seen", 0)];
    assert_eq!(found, expected.map(|(units, state, blocks)| (units.to_owned(), 8, state.to_owned(), blocks)));
    assert_eq!((older.len(), list(older[0].number, 500).await.unwrap()), (1, vec![]));
    for size in [0, 501] {
        assert_eq!(refused(list(0, size).await).fields[0].0, "size");
    }
    let request = with_token(ListPaymentsRequest { before: 0, size: 1 }, &world.realm.service_token("trade"));
    assert_eq!(refused(world.grpc.list_payments(request).await).kind, Kind::Forbidden);

    // [D-Q6] What an open deposit may be about, the nearest in value first; and what staff find by hash and address.
    let payment = newest.payment.unwrap();
    let candidates = async |currency: &str, claimed_cents: i64| {
        let claim = ListCandidatesRequest {
            address: payment.address.to_uppercase(),
            currency: currency.to_owned(),
            claimed_cents,
            since: None,
        };
        let request = with_token(claim, &world.realm.service_token("wallet"));
        let found = world.grpc.list_candidates(request).await.unwrap().into_inner().payments;
        found.into_iter().map(|one| one.payment.unwrap().units).collect::<Vec<_>>()
    };
    assert_eq!(candidates("BTC", 59_000).await, ["600000", "400000"]);
    assert_eq!(candidates("BTC", 41_000).await, ["400000", "600000"]);
    assert_eq!(candidates("USDT", 41_000).await, [""; 0]);
    let reviewer = world.realm.staff(Role::Reviewer).1;
    let search = async |text: String| {
        let request = with_token(SearchPaymentsRequest { text }, &reviewer);
        world.grpc.search_payments(request).await.unwrap().into_inner().payments.len()
    };
    assert_eq!(search(format!("0x{}", payment.txid.to_uppercase())).await, 1);
    assert_eq!(search(format!(" {} ", payment.address)).await, 3);
    assert_eq!(search("nothing".to_owned()).await, 0);
    let request = with_token(SearchPaymentsRequest::default(), &world.realm.member().1);
    assert_eq!(refused(world.grpc.search_payments(request).await).kind, Kind::Forbidden);
}
