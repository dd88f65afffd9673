//! Addresses that members have to themselves, derived from the extended public key of a method.

use chassis::id::MemberId;
use std::collections::BTreeSet;

use chassis::clock::to_proto;
use chassis::db::Db;
use chassis::testing::{self, with_token};
use futures::future::join_all;
use payment_method::MIGRATOR;
use payment_method::app::list_payment_methods::list_payment_methods;
use payment_method::app::resolve_withdrawal_method::{ResolveWithdrawalMethod, resolve_withdrawal_method};
use payment_method::clients::bitcoin_core::{BitcoinCore, Network};
use payment_method::clients::chain::Chain;
use payment_method::clients::evm_rpc::{EvmRpc, Kind};
use payment_method::domain::address;
use payment_method::domain::deposit_key::DepositKey;
use payment_method::domain::network::Format;
use payment_method::store::deposit_addresses::{self, DepositAddress};
use proto::common::v1::ChainEvidence;
use proto::payment_method::v1::method_lookup_service_server::MethodLookupService;
use proto::payment_method::v1::payment_method_service_server::PaymentMethodService;
use proto::payment_method::v1::{GetArrivedRequest, GetEvidenceRequest, ListPaymentMethodsRequest, PaymentMethod};
use serde::Deserialize;
use serde_json::Value;
use sqlx::PgPool;
use stack::nodes::EvmChain;
use stack::treasurer::pay::account;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::chain::{anvil, bitcoind, look, rate, regtest, seen, states};
use crate::evidence::{ask, quote, state};
use crate::fixture::{BITCOIN, TRON, World, fields, refused};
use crate::holdings::{explained, holdings, read};
use crate::member_data::page;
use crate::quotes::by;
use crate::scripted::{Scripted, THEIRS, Tx};

#[derive(Deserialize)]
struct Vectors {
    keys: Vec<Vector>,
}

#[derive(Deserialize)]
pub struct Vector {
    network: String,
    pub key: String,
    addresses: Vec<(u32, String, String)>,
}

/// The first key of a network, with its addresses.
pub fn vector(network: &str) -> Vector {
    let all: Vectors = serde_json::from_str(include_str!("../deposit-keys.json")).unwrap();
    all.keys.into_iter().find(|one| one.network == network).unwrap()
}

async fn shown(world: &World, token: &str, id: &str) -> PaymentMethod {
    world.list(token).await.into_iter().find(|method| method.id == id).unwrap()
}

fn indexes(methods: impl IntoIterator<Item = PaymentMethod>) -> BTreeSet<u32> {
    methods.into_iter().map(|method| method.derivation.unwrap().index).collect()
}

/// [D-N2] Each member has an address of their own and keeps it, with the key that the treasury signed and the path. Staff see the key. An
/// address of one member is no destination of another one's withdrawal.
#[sqlx::test(migrations = false)]
async fn a_member_has_an_address_of_their_own(pool: PgPool) {
    let world = World::new(pool).await;
    let Vector { key, addresses, .. } = vector("TRC20");
    let typed = fields("USDT", "TRC20", &key);
    let proposal = world.propose_signed("", Some(typed.clone()), &world.sign(&typed, 1)).await.unwrap();
    let id = world.confirm(&proposal.id, 1).await.unwrap();
    for (index, path, address) in addresses.iter().take(3) {
        let (_, token) = world.member();
        let first = shown(&world, &token, &id).await;
        assert_eq!(&first.address, address);
        let derivation = first.derivation.clone().unwrap();
        assert_eq!((derivation.index, &derivation.path, &derivation.key), (*index, path, &key));
        assert!(!derivation.per_deposit && !first.signature.is_empty());
        assert_eq!(shown(&world, &token, &id).await, first);
    }
    let asked = ResolveWithdrawalMethod {
        user_id: Uuid::new_v4().into(),
        method: id.clone(),
        address: addresses[1].2.clone(),
        memo: String::new(),
    };
    let error = resolve_withdrawal_method(&world.grpc.db, asked).await.unwrap_err();
    assert!(error.to_string().contains("our own deposit addresses"), "{error}");
}

/// [D-N2] Two methods of one key share the address, as USDT and USDC do; another account and a plain address change nothing for what was
/// derived before, which stays watched.
#[sqlx::test(migrations = false)]
async fn a_replaced_key_keeps_its_addresses(pool: PgPool) {
    let Some((anvil, _folder)) = anvil(EvmChain::Tron).await else { return };
    let world = World::new(pool).await;
    let id = world.platform("USDT", "TRC20", &vector("TRC20").key).await;
    let (_, token) = world.member();
    let own = shown(&world, &token, &id).await.address;
    let proposal = world.propose(&id, Some(fields("USDT", "TRC20", TRON))).await.unwrap();
    world.confirm(&proposal.id, 1).await.unwrap();
    let now = shown(&world, &token, &id).await;
    assert_eq!((now.address.as_str(), now.derivation), (TRON, None));
    let chain = Chain::from(EvmRpc::new(Kind::Tron, anvil.rpc.url.parse().unwrap()).unwrap());
    look(&world, &chain).await;
    anvil.pay_token(anvil.chain.usdt(), &account(&own).unwrap(), 7_000_000).await.unwrap();
    look(&world, &chain).await;
    let expected = (own, 0, "USDT".to_owned(), "7000000".to_owned(), "included".to_owned());
    assert_eq!(seen(&world, "in").await, [expected]);
}

/// [D-N2] [D-Q8] Where every method has a key, nothing is held before the first payment, and that is known as soon as the chain is
/// looked at; with a shared address only its reading says what is held.
#[sqlx::test(migrations = false)]
async fn nothing_is_held_before_the_first_payment(pool: PgPool) {
    let Some((anvil, _folder)) = anvil(EvmChain::Tron).await else { return };
    let world = World::new(pool).await;
    let id = world.platform("USDT", "TRC20", &vector("TRC20").key).await;
    let held = async || {
        let found = holdings(&world).await.holdings;
        found.into_iter().map(|one| (one.units, one.recorded, one.at.is_some())).collect::<Vec<_>>()
    };
    let unknown = || vec![(String::new(), String::new(), false)];
    assert_eq!(held().await, unknown());
    let chain = Chain::from(EvmRpc::new(Kind::Tron, anvil.rpc.url.parse().unwrap()).unwrap());
    look(&world, &chain).await;
    assert_eq!(held().await, [("0".to_owned(), "0".to_owned(), true)]);
    let (_, token) = world.member();
    shown(&world, &token, &id).await;
    assert_eq!(held().await, [("0".to_owned(), "0".to_owned(), true)]);
    let proposal = world.propose("", Some(fields("USDT", "TRC20", TRON))).await.unwrap();
    world.confirm(&proposal.id, 1).await.unwrap();
    assert_eq!(held().await, unknown());
}

/// [D-N7] A day of an idle Bitcoin node costs fewer than 50,000 calls, also while no own address was paid to and no other is there.
#[sqlx::test(migrations = false)]
async fn an_idle_day_before_the_first_payment_costs_few_calls(pool: PgPool) {
    const SECONDS: u64 = 600;
    const DAY: u64 = 86_400;
    let world = World::new(pool).await;
    let id = world.platform("BTC", "Bitcoin", &vector("Bitcoin").key).await;
    shown(&world, &world.member().1, &id).await;
    let node = Scripted::default();
    node.history().mine(true);
    let chain = node.serve().await;
    look(&world, &chain).await;
    node.history().called.clear();
    node.history().mine(true);
    for _ in 0..SECONDS / chain.interval().as_secs() {
        look(&world, &chain).await;
    }
    let calls = u64::try_from(node.history().called.len()).unwrap() * (DAY / SECONDS);
    assert!(calls < 50_000, "{calls} calls a day");
}

/// [D-N2] However many processes derive addresses at once, no index is used twice and none is left out; one that a process took before it
/// died is taken by the next one. One member who asks often gets one address.
#[sqlx::test(migrations = false)]
async fn no_index_is_used_twice(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    let id = world.platform("USDT", "ERC20", &vector("ERC20").key).await;
    let databases: [Db; 2] = [world.grpc.db.clone(), testing::database(pool.clone(), &MIGRATOR).await];
    let (_, first) = world.member();
    assert_eq!(shown(&world, &first, &id).await.derivation.unwrap().index, 0);
    // A process that dies before its commit.
    let mut dying = world.grpc.db.begin().await.unwrap();
    let key = deposit_addresses::keys(&mut dying, "ethereum").await.unwrap()[0].0;
    assert_eq!(deposit_addresses::take_index(&mut dying, key).await.unwrap(), 1);
    drop(dying);
    let members: Vec<_> = (0..20).map(|_| Uuid::new_v4()).collect();
    let asked = members.iter().flat_map(|member| databases.iter().map(move |db| (db, *member)));
    let answers = join_all(asked.map(|(db, member)| list_payment_methods(db, member.into()))).await;
    let derived: Vec<_> =
        answers.into_iter().map(|answer| answer.unwrap().0.remove(0).derivation.unwrap().index).collect();
    assert_eq!(derived.iter().copied().collect::<BTreeSet<_>>(), (1..=20).collect());
    for pair in derived.chunks(2) {
        assert_eq!(pair[0], pair[1], "one member, one address");
    }
}

/// Derives this many addresses, in their order, each for another member.
pub async fn derive(world: &World, (chain, network): (&str, &str), count: u32) -> Vec<String> {
    let key = DepositKey::parse(network, &vector(network).key).unwrap();
    let now = OffsetDateTime::now_utc();
    let mut tx = world.grpc.db.begin().await.unwrap();
    let key_id = deposit_addresses::key_id(&mut tx, (chain, &key.plain()), now).await.unwrap();
    let mut addresses = Vec::new();
    for _ in 0..count {
        let index = deposit_addresses::take_index(&mut tx, key_id).await.unwrap();
        let address = key.address(index.unsigned_abs()).unwrap();
        let one = DepositAddress { key_id, index, address: address.clone(), paid_at: None };
        deposit_addresses::insert(&mut tx, chain, &one, (Uuid::new_v4().into(), None), now).await.unwrap();
        addresses.push(address);
    }
    tx.commit().await.unwrap();
    addresses
}

/// [D-N2] A payment beyond a gap of more than 1,000 addresses that were never paid to is seen, and later ones before it, too.
#[sqlx::test(migrations = false)]
async fn a_gap_of_unused_addresses_loses_nothing(pool: PgPool) {
    let Some((node, _folder)) = bitcoind().await else { return };
    let world = World::new(pool).await;
    world.platform("BTC", "Bitcoin", &vector("Bitcoin").key).await;
    let addresses = derive(&world, ("bitcoin", "Bitcoin"), 1_100).await;
    let chain = Chain::from(BitcoinCore::new(node.rpc.url.parse().unwrap(), Network::Regtest).unwrap());
    look(&world, &chain).await;
    for (index, units) in [(1_099, 5_000), (0, 7_000)] {
        node.pay(&[(regtest(&node, &addresses[index]).await.as_str(), units)]).await.unwrap();
        node.mine(1).await.unwrap();
        look(&world, &chain).await;
    }
    let found: BTreeSet<_> = seen(&world, "in").await.into_iter().map(|one| (one.0, one.3)).collect();
    let paid = |index: usize, units: &str| (addresses[index].clone(), units.to_owned());
    assert_eq!(found, BTreeSet::from([paid(1_099, "5000"), paid(0, "7000")]));
}

/// [D-N2] [D-Q8] What an own address received counts from its first payment on: also if it was spent before its balance was ever read,
/// for a payout that is recorded at another address, or moved to a shared one. What is missing at its first reading shows.
#[sqlx::test(migrations = false)]
async fn an_own_address_opens_empty(pool: PgPool) {
    let world = World::new(pool).await;
    for one in [BITCOIN, &vector("Bitcoin").key] {
        world.platform("BTC", "Bitcoin", one).await;
    }
    let own = derive(&world, ("bitcoin", "Bitcoin"), 3).await;
    let script = |one: &str| address::script(Format::Bitcoin, one).unwrap();
    let node = Scripted::default();
    let send = |spends: &[(&str, usize)], outs: &[(&str, u64)], fee: u64| {
        let spends = spends.iter().map(|(txid, vout)| ((*txid).to_owned(), *vout)).collect();
        let outs = outs.iter().map(|(to, satoshi)| ((*to).to_owned(), *satoshi)).collect();
        node.history().send(Tx { spends, outs, fee, conflicts: BTreeSet::new() })
    };
    let (shared, first, second) = (script(BITCOIN), script(&own[0]), script(&own[1]));
    let before = send(&[], &[(&shared, 500_000)], 0);
    node.history().mine(true);
    let chain = node.serve().await;
    look(&world, &chain).await;
    assert_eq!(explained(&holdings(&world).await, "BTC"), 500_000);
    // While nobody looks, one payment pays for a payout together with a shared coin, and a sweep moves another one, for a fee.
    let paid = send(&[], &[(&first, 1_000_000), (&second, 2_000_000)], 0);
    node.history().mine(true);
    send(&[(&before, 0), (&paid, 0)], &[(THEIRS, 1_200_000), (&shared, 299_000)], 1_000);
    send(&[(&paid, 1)], &[(&shared, 1_999_500)], 500);
    // Some are in final blocks by then, others are not.
    for blocks in [2, 7] {
        (0..blocks).for_each(|_| node.history().mine(true));
        for _ in 0..2 {
            read(&world, &chain).await;
        }
        assert_eq!(explained(&holdings(&world).await, "BTC"), 2_298_500);
    }
    // The node shows a payment, and less when it is asked for the balance.
    let paid = send(&[], &[(&script(&own[2]), 700_000)], 0);
    node.history().mine(true);
    look(&world, &chain).await;
    node.history().txs.get_mut(&paid).unwrap().outs[0].1 = 400_000;
    read(&world, &chain).await;
    let held = holdings(&world).await.holdings.remove(0);
    assert_eq!((held.units.as_str(), held.recorded.as_str()), ("2698500", "2998500"));
    // What is empty again is not listed.
    let listed: Vec<_> = held.addresses.iter().map(|one| one.address.as_str()).collect();
    assert_eq!(listed, [BITCOIN, own[2].as_str()]);
}

async fn deposit(
    world: &World,
    user_id: MemberId,
    (currency, network, address): (&str, &str, &str),
    change: impl FnOnce(&mut GetEvidenceRequest),
) -> ChainEvidence {
    let mut message = GetEvidenceRequest {
        user_id: user_id.to_string(),
        currency: currency.to_owned(),
        network: network.to_owned(),
        address: address.to_owned(),
        claimed_cents: 50_000,
        requested_at: Some(to_proto(OffsetDateTime::now_utc())),
        ..Default::default()
    };
    change(&mut message);
    ask(world, message).await.unwrap()
}

/// [D-N2] [D-N3] What arrives at a member's own address is theirs, regardless of the amount and without a quote: the checklist says so, and the
/// member reads that it arrived and what it was worth. Somebody else who claims its public hash fails, and takes two people.
#[sqlx::test(migrations = false)]
async fn a_payment_at_an_own_address_belongs_to_its_member(pool: PgPool) {
    let Some((anvil, _folder)) = anvil(EvmChain::Tron).await else { return };
    let mut world = World::new(pool).await;
    rate(&world.pool, "USDT", 1_000_000).await;
    let id = world.platform("USDT", "TRC20", &vector("TRC20").key).await;
    let chain = Chain::from(EvmRpc::new(Kind::Tron, anvil.rpc.url.parse().unwrap()).unwrap());
    world.grpc.chains = [chain.clone()].into();
    let ((member, token), (thief, other)) = (world.member(), world.member());
    let (own, theirs) = (shown(&world, &token, &id).await.address, shown(&world, &other, &id).await.address);
    look(&world, &chain).await;
    anvil.pay_token(anvil.chain.usdt(), &account(&own).unwrap(), 195_000_000).await.unwrap();
    look(&world, &chain).await;
    let place = ("USDT", "TRC20", own.as_str());
    let found = deposit(&world, member, place, |_| {}).await;
    assert_eq!((found.payments[0].units.as_str(), found.suggested_cents), ("195000000", Some(19_500)));
    assert_eq!((state(&found, "payment_recipient"), state(&found, "payment_time")), ("ok".into(), "ok".into()));
    assert!(found.checks.iter().all(|check| check.state != "fail" && check.name != "payment_quote"), "{found:?}");
    assert!(found.checks.iter().any(|check| check.detail.contains("own address")), "{found:?}");
    let txid = found.payments[0].txid.clone();
    let index = found.payments[0].index;
    let arrived = async |member: MemberId| {
        let message =
            GetArrivedRequest { user_id: member.to_string(), chain: "tron".into(), txid: txid.clone(), index };
        world.grpc.get_arrived(by(&world, "wallet", message)).await
    };
    let one = arrived(member).await.unwrap().into_inner();
    assert_eq!((one.payment.unwrap().value_cents, one.payment_method.unwrap().address), (Some(19_500), own.clone()));
    assert_eq!(refused(arrived(thief).await).code, "NOT_FOUND");
    let stolen = deposit(&world, thief, ("USDT", "TRC20", &theirs), |message| message.txid = txid.clone()).await;
    assert_eq!((state(&stolen, "payment_recipient"), state(&stolen, "payment_quote")), ("fail".into(), "fail".into()));
    let request = || with_token(ListPaymentMethodsRequest {}, &token);
    let arrived = world.grpc.list_payment_methods(request()).await.unwrap().into_inner().arrived;
    let told: Vec<_> = arrived.iter().map(|one| (one.units.as_str(), one.value_cents, one.member_id.clone())).collect();
    assert_eq!(told, [("195000000", Some(19_500), member.to_string())]);
    let nothing = world.grpc.list_payment_methods(with_token(ListPaymentMethodsRequest {}, &other)).await.unwrap();
    assert!(nothing.into_inner().arrived.is_empty());
    // Once a transaction rests on it, it is in the history.
    sqlx::query("UPDATE chain_payments SET is_consumed = true").execute(&world.pool).await.unwrap();
    assert!(world.grpc.list_payment_methods(request()).await.unwrap().into_inner().arrived.is_empty());
}

/// [D-N2] [D-Q1] On Bitcoin each quote has an address of its own, without a tail, and the same quote keeps it. The address without a quote
/// changes when it was paid to. A payment short of a fee is found by its address.
#[sqlx::test(migrations = false)]
async fn each_deposit_of_bitcoin_has_an_address(pool: PgPool) {
    let Some((node, _folder)) = bitcoind().await else { return };
    let mut world = World::new(pool).await;
    rate(&world.pool, "BTC", 100_000_000_000).await;
    let id = world.platform("BTC", "Bitcoin", &vector("Bitcoin").key).await;
    let chain = Chain::from(BitcoinCore::new(node.rpc.url.parse().unwrap(), Network::Regtest).unwrap());
    world.grpc.chains = [chain.clone()].into();
    let ((member, token), (other, _)) = (world.member(), world.member());
    let (first, second) = (quote(&world, member).await, quote(&world, other).await);
    assert_eq!((first.units.as_str(), second.units.as_str()), ("500000", "500000"), "no tails");
    let vector = vector("Bitcoin").addresses;
    assert_eq!((&first.address, &second.address), (&vector[0].2, &vector[1].2));
    let again = quote(&world, member).await;
    assert_eq!((&again.id, &again.derivation), (&first.id, &first.derivation));
    assert_eq!(first.derivation.as_ref().unwrap().path, vector[0].1);
    let spare = shown(&world, &token, &id).await;
    assert_eq!(spare.address, vector[2].2);
    look(&world, &chain).await;
    let paid = [(&first.address, 498_500), (&spare.address, 1_000)];
    for (address, units) in paid {
        node.pay(&[(regtest(&node, address).await.as_str(), units)]).await.unwrap();
    }
    node.mine(2).await.unwrap();
    look(&world, &chain).await;
    assert_eq!(states(&world).await, ["final", "final"]);
    let place = ("BTC", "Bitcoin", first.address.as_str());
    let found = deposit(&world, member, place, |message| message.quote_id = first.id.clone()).await;
    assert_eq!((found.payments.len(), found.payments[0].units.as_str()), (1, "498500"));
    assert_eq!((found.suggested_cents, state(&found, "payment_recipient")), (Some(49_850), "ok".to_owned()));
    let place = ("BTC", "Bitcoin", second.address.as_str());
    let nothing = deposit(&world, other, place, |message| message.quote_id = second.id.clone()).await;
    assert!(nothing.payments.is_empty(), "not that of another quote of the same amount");
    let next = shown(&world, &token, &id).await;
    assert!(next.address != spare.address && indexes([next]) == BTreeSet::from([3]));
}

/// [D-A12] [S3] A member's download ends with their own addresses, and has those of nobody else.
#[sqlx::test(migrations = false)]
async fn a_download_has_the_own_addresses(pool: PgPool) {
    let world = World::new(pool).await;
    let id = world.platform("USDT", "TRC20", &vector("TRC20").key).await;
    let ((_, token), (_, other)) = (world.member(), world.member());
    shown(&world, &other, &id).await;
    let own = shown(&world, &token, &id).await;
    let told = page(&world, &token, "deposit_addresses/").await.unwrap();
    assert_eq!((told.table.as_str(), told.next_cursor.as_str()), ("deposit_addresses", ""));
    let rows: Vec<Value> = told.rows_json.iter().map(|row| serde_json::from_str(row).unwrap()).collect();
    let index = own.derivation.unwrap().index;
    assert_eq!((rows.len(), &rows[0]["address"], &rows[0]["index"]), (1, &own.address.into(), &index.into()));
}

/// [D-N2] A private key, the key of a master and one of a network without observer are refused, and members save none.
#[sqlx::test(migrations = false)]
async fn only_platform_methods_have_keys(pool: PgPool) {
    let world = World::new(pool).await;
    let key = vector("ERC20").key;
    let (_, token) = world.member();
    let refusal = refused(world.create(&token, fields("USDT", "ERC20", &key)).await);
    assert_eq!(refusal.fields[0].0, "address");
    let private = "xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi";
    let refusal = refused(world.propose("", Some(fields("USDT", "ERC20", private))).await);
    assert!(refusal.fields[0].1.contains("private key"), "{refusal:?}");
    let refusal = refused(world.propose("", Some(fields("USDT", "BEP20", &key))).await);
    assert!(refusal.fields[0].1.contains("Ethereum"), "{refusal:?}");
}
