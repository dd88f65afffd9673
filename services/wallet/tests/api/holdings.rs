//! What is held on chains beside the books.

use chassis::clock::Timestamp;
use chassis::identity::Role;
use chassis::testing::with_token;
use proto::common::v1::ChainPayment;
use proto::payment_method::v1::{AssetHolding, ConsumedSum, GetHoldingsResponse as Observed, Outflow, UndonePayment};
use proto::wallet::v1::staff_service_server::StaffService;
use proto::wallet::v1::{
    GetHoldingsRequest, GetHoldingsResponse, GetIntegrityRequest, GetIntegrityResponse, RequestWithdrawalRequest,
    Transaction,
};
use sqlx::PgPool;
use wallet::app::deposit::tell_consumed::tell_consumed;
use wallet::app::treasury::check_bridge::check_bridge;
use wallet::app::treasury::check_holdings::check_holdings;

use crate::fixture::{World, deposit, withdrawal};

fn at(seconds: i64) -> Option<Timestamp> {
    Some(Timestamp { seconds: 1_800_000_000 + seconds, nanos: 0 })
}

pub fn payment(txid: char, asset: &str, units: u32, counterparty: &str) -> ChainPayment {
    ChainPayment {
        chain: "tron".to_owned(),
        txid: txid.to_string().repeat(64),
        asset: asset.to_owned(),
        units: units.to_string(),
        decimals: 6,
        address: "ours".to_owned(),
        counterparty: counterparty.to_owned(),
        state: "final".to_owned(),
        seen_at: at(0),
        ..ChainPayment::default()
    }
}

/// What payment-method says of an asset: what is held, and what the payments come to.
fn held(asset: &str, units: u32, recorded: u32) -> AssetHolding {
    AssetHolding {
        chain: "tron".to_owned(),
        asset: asset.to_owned(),
        decimals: 6,
        units: units.to_string(),
        recorded: recorded.to_string(),
        at: at(60),
        ..AssetHolding::default()
    }
}

pub async fn holdings(world: &World) -> GetHoldingsResponse {
    let auditor = world.realm.staff(Role::Auditor).1;
    world.grpc.get_holdings(with_token(GetHoldingsRequest {}, &auditor)).await.unwrap().into_inner()
}

async fn integrity(world: &World) -> GetIntegrityResponse {
    world.grpc.get_integrity(with_token(GetIntegrityRequest {}, &world.reviewer)).await.unwrap().into_inner()
}

/// What a payout of 100 dollars sends: $97.50 at 1.005 dollars.
const FIXED: u32 = 97_014_925;

/// A withdrawal of 100 dollars that was approved, and its destination.
async fn approved(world: &World) -> (Transaction, String, String) {
    let made = world.withdraw(&world.member_with(20_000).await, withdrawal(10_000)).await.unwrap();
    let approved = world.approve(&made).await.unwrap();
    let (destination, method) = (approved.destination.clone().unwrap(), approved.method.clone().unwrap());
    (approved, destination.address, method.currency)
}

/// [D-N1] [D-Q8] [D-R17] Case 20: a payout that was marked as paid, and one whose withdrawal waits for that, are accounted for once;
/// another output of the same transaction to the same destination is not. What has no withdrawal is exactly what is missing, in
/// units, and the integrity report names it. What is unknown has no units, and is no fault.
#[sqlx::test(migrations = false)]
async fn what_no_withdrawal_accounts_for_is_missing(pool: PgPool) {
    let world = World::new(pool).await;
    assert!(!integrity(&world).await.faults.iter().any(|fault| fault.subject == "holding"));
    let ((one, to_one, asset), (two, to_two, _)) = (approved(&world).await, approved(&world).await);
    let paid = "a".repeat(64);
    world.pay_as(&world.treasurer, &one, (&paid, Some(0))).await.unwrap();
    world.lease_as(&world.treasurer, &two).await.unwrap();
    let outflow = |number, payment| Outflow { number, payment: Some(payment), replaces: Vec::new() };
    let stolen = outflow(4, payment('d', &asset, 70, "theirs"));
    *world.evidence.held.lock().unwrap() = Observed {
        holdings: vec![held(&asset, 930, 930), AssetHolding { asset: "BTC".to_owned(), ..AssetHolding::default() }],
        outflows: vec![
            // A hash alone proves nothing: it has to have gone to the destination.
            outflow(1, payment('a', &asset, 100, "theirs")),
            outflow(2, payment('a', &asset, FIXED, &to_one)),
            outflow(3, payment('c', &asset, FIXED, &to_two)),
            outflow(5, payment('e', &asset, 30, &to_two)),
            outflow(7, ChainPayment { index: 1, ..payment('a', &asset, 10, &to_one) }),
            stolen.clone(),
        ],
        undone: Vec::new(),
        shared: Vec::new(),
    };
    let found = holdings(&world).await;
    let missing: Vec<_> = found.outflows.iter().map(|one| (one.txid.clone(), one.units.as_str())).collect();
    assert_eq!(
        missing,
        [('a', "100"), ('e', "30"), ('a', "10"), ('d', "70")].map(|(hash, units)| (hash.to_string().repeat(64), units))
    );
    let usdt = &found.holdings[0];
    assert_eq!((usdt.books.as_str(), usdt.difference.as_str(), usdt.state.as_str()), ("1140", "-210", "fail"));
    let btc = &found.holdings[1];
    assert_eq!((btc.units.as_str(), btc.difference.as_str(), btc.state.as_str()), ("", "", "unknown"));
    let report = integrity(&world).await;
    let faults: Vec<_> = report.faults.iter().filter(|fault| fault.subject == "holding").collect();
    assert_eq!((report.ok, faults.len()), (false, 5));
    assert!(faults[0].detail.starts_with("0.00021 "), "{}", faults[0].detail);
    let observed = world.grpc.chains.holdings().await.unwrap();
    let matched = check_holdings(&world.grpc.db, observed).await.unwrap().matched;
    assert_eq!(matched.iter().map(|(number, id)| (*number, id.to_string())).collect::<Vec<_>>(), [(2, one.id.clone())]);
    // A payout whose fee was raised is the same payout, also if its outputs are in another order.
    let payment = ChainPayment { index: 1, ..payment('f', &asset, FIXED, &to_one) };
    let bumped = Outflow { number: 6, payment: Some(payment), replaces: vec![paid] };
    *world.evidence.held.lock().unwrap() = Observed {
        holdings: vec![held(&asset, 930, 930)],
        outflows: vec![bumped],
        undone: Vec::new(),
        shared: Vec::new(),
    };
    let found = holdings(&world).await;
    assert_eq!((found.outflows.len(), found.holdings[0].state.as_str()), (0, "ok"));
    assert!(!integrity(&world).await.faults.iter().any(|fault| fault.subject == "holding"));
}

/// [D-N4] [D-Q8] A payout accounts for exactly the units of its asset that were fixed: neither for more, nor for less, nor for
/// another asset, before and after it was marked as paid. Before its payment began it accounts for nothing.
#[sqlx::test(migrations = false)]
async fn a_payout_accounts_for_what_was_fixed(pool: PgPool) {
    let world = World::new(pool).await;
    let (one, to, asset) = approved(&world).await;
    let missing = async |asset: &str, units: u32| {
        let outflow = Outflow { number: 1, payment: Some(payment('a', asset, units, &to)), replaces: Vec::new() };
        *world.evidence.held.lock().unwrap() = Observed {
            holdings: vec![held(asset, 930, 930)],
            outflows: vec![outflow],
            undone: Vec::new(),
            shared: Vec::new(),
        };
        holdings(&world).await.outflows.len()
    };
    assert_eq!(missing(&asset, FIXED).await, 1);
    let leased = world.lease_as(&world.treasurer, &one).await.unwrap();
    let all = async || {
        [
            missing(&asset, FIXED).await,
            missing(&asset, FIXED + 1).await,
            missing(&asset, FIXED - 1).await,
            missing("BTC", FIXED).await,
        ]
    };
    assert_eq!(all().await, [0, 1, 1, 1]);
    world.pay_as(&world.treasurer, &leased, (&"a".repeat(64), Some(0))).await.unwrap();
    assert_eq!(all().await, [0, 1, 1, 1]);
}

/// [D-N1] [M30] A payout accounts for one to its own address: of two addresses in base58 that differ by case alone, each is its own,
/// while hexadecimal digits are the same in either case.
#[sqlx::test(migrations = false)]
async fn the_case_of_an_address_counts_in_base58(pool: PgPool) {
    let world = World::new(pool).await;
    let missing = async |txid: char, asset: &str, to: &str| {
        let outflow = Outflow { number: 1, payment: Some(payment(txid, asset, FIXED, to)), replaces: Vec::new() };
        *world.evidence.held.lock().unwrap() = Observed { outflows: vec![outflow], ..Observed::default() };
        holdings(&world).await.outflows.len()
    };
    for (txid, address, same, other) in [
        ('a', "TDestinationAxxxxxxxxx", "TDestinationAxxxxxxxxx", "TDestinationaxxxxxxxxx"),
        ('b', "0xABCDEF00000000ab", "0xabcdef00000000AB", "0xabcdef00000000ac"),
    ] {
        let request = RequestWithdrawalRequest { address: address.to_owned(), ..withdrawal(10_000) };
        let made = world.withdraw(&world.member_with(20_000).await, request).await.unwrap();
        let approved = world.approve(&made).await.unwrap();
        let asset = approved.method.clone().unwrap().currency;
        let leased = world.lease_as(&world.treasurer, &approved).await.unwrap();
        let counts = async || (missing(txid, &asset, same).await, missing(txid, &asset, other).await);
        assert_eq!(counts().await, (0, 1), "{address} has begun");
        world.pay_as(&world.treasurer, &leased, (&txid.to_string().repeat(64), Some(0))).await.unwrap();
        assert_eq!(counts().await, (0, 1), "{address} was paid");
    }
}

/// [D-N6] What is missing is the sum of all outflows that no withdrawal accounts for: however many are old, the next one is missing,
/// listed and named.
#[sqlx::test(migrations = false)]
async fn old_outflows_hide_no_new_one(pool: PgPool) {
    let world = World::new(pool).await;
    let outflow = |number: i64, txid, units| Outflow {
        number,
        payment: Some(payment(txid, "USDT", units, "theirs")),
        replaces: Vec::new(),
    };
    let outflows: Vec<_> = (1..=1_100).map(|number| outflow(number, 'a', 1)).collect();
    let held = |outflows| Observed {
        holdings: vec![held("USDT", 930, 930)],
        outflows,
        undone: Vec::new(),
        shared: Vec::new(),
    };
    *world.evidence.held.lock().unwrap() = held(outflows.clone());
    assert_eq!(holdings(&world).await.holdings[0].difference, "-1100");
    *world.evidence.held.lock().unwrap() = held([outflows, vec![outflow(1_101, 'b', 50_000)]].concat());
    let found = holdings(&world).await;
    assert_eq!(found.holdings[0].difference, "-51100");
    assert_eq!((found.outflows.len(), found.outflows[499].txid.as_str()), (500, &*"b".repeat(64)));
    let faults = integrity(&world).await.faults;
    let named = |text: &str| faults.iter().any(|fault| fault.subject == "holding" && fault.detail.contains(text));
    assert!(named(&"b".repeat(64)) && named("601 older payments from the platform are not listed"));
}

/// [D-N6] [M16] payment-method learns once of each payment that a transaction rests on, as the chain shows it; of none that is not
/// observed, or not consumed any more.
#[sqlx::test(migrations = false)]
async fn consumed_payments_are_told_of(pool: PgPool) {
    let world = World::new(pool).await;
    for hash in ['a', 'b'] {
        let made = world.deposit(&world.member(), deposit(10_000)).await.unwrap();
        world.approve_as(&world.reviewer, &made, 10_000, (&hash.to_string().repeat(64), Some(2))).await.unwrap();
    }
    let look = async || {
        tell_consumed(&world.grpc.db, &world.grpc.chains).await.unwrap();
        let told = world.evidence.consumed.lock().unwrap().clone();
        told.into_iter().map(|one| (one.chain, one.txid, one.index)).collect::<Vec<_>>()
    };
    assert_eq!(look().await, []);
    sqlx::query("ALTER TABLE consumed_payments DISABLE TRIGGER USER").execute(&world.pool).await.unwrap();
    sqlx::query("UPDATE consumed_payments SET asset = 'USDT', units = 1 WHERE txid LIKE 'a%'")
        .execute(&world.pool)
        .await
        .unwrap();
    sqlx::query("ALTER TABLE consumed_payments ENABLE TRIGGER USER").execute(&world.pool).await.unwrap();
    let told = [("tron".to_owned(), "a".repeat(64), 2)];
    assert_eq!(look().await, told);
    assert_eq!(look().await, told);
}

/// [D-N1] [M14] Per asset and direction, what transactions consume comes to what payment-method knows to be consumed. A difference in
/// either direction is a fault until both agree, also where a payment was freed and is consumed by another transaction; while
/// payment-method does not know all, nothing is compared.
#[sqlx::test(migrations = false)]
async fn the_bridge_is_exact(pool: PgPool) {
    let world = World::new(pool).await;
    let consume = async |txid: char, moment: i64, units: i64| {
        sqlx::query(
            "INSERT INTO consumed_payments (chain, txid, vout, direction, transaction_id, asset, units, consumed_at)
             VALUES ('tron', $1, 0, 'in', gen_random_uuid(), 'USDT', $2::bigint, to_timestamp($3))",
        )
        .bind(txid.to_string().repeat(64))
        .bind(units)
        .bind(moment)
        .execute(&world.pool)
        .await
        .unwrap();
    };
    let known = |payments: i64, units: i64| {
        let sum = ConsumedSum {
            chain: "tron".to_owned(),
            asset: "USDT".to_owned(),
            is_outgoing: false,
            payments,
            units: units.to_string(),
        };
        *world.evidence.sums.lock().unwrap() = vec![sum];
    };
    let faults = async || {
        check_bridge(&world.grpc.db, &world.grpc.chains).await.unwrap().expect("nothing waits");
        let report = integrity(&world).await;
        let found: Vec<_> = report.faults.into_iter().filter(|fault| fault.subject == "bridge").collect();
        assert_eq!(report.ok, found.is_empty());
        found.into_iter().map(|fault| fault.detail).collect::<Vec<_>>()
    };
    assert_eq!(faults().await, Vec::<String>::new());
    consume('a', 1, 70).await;
    known(1, 70);
    assert_eq!(faults().await, Vec::<String>::new());
    // More is credited than was paid.
    consume('b', 2, 30).await;
    let found = faults().await;
    assert!(found.len() == 1 && found[0].contains("100 ") && found[0].contains("come to 70."), "{found:?}");
    // More was paid than is credited.
    known(3, 105);
    assert!(faults().await[0].contains("come to 105."));
    known(2, 100);
    assert_eq!(faults().await, Vec::<String>::new());
    // The same payment by another transaction.
    sqlx::query("UPDATE consumed_payments SET freed_at = now() WHERE txid LIKE 'b%'")
        .execute(&world.pool)
        .await
        .unwrap();
    consume('b', 3, 30).await;
    assert_eq!(faults().await, Vec::<String>::new());
    let kept = "SELECT count(*) FROM bridge_faults WHERE verified_at IS NOT NULL";
    assert_eq!(world.count(kept).await, 1);
    // Only the trigger counts, and nothing is reported twice.
    let untell = sqlx::query("UPDATE consumed_payments SET told_at = NULL").execute(&world.pool).await;
    assert!(untell.unwrap_err().to_string().contains("stays consumed"));
}

/// [D-Q5] [D-Q8] Case 12: a reorganisation undoes the payment of an approved deposit. The integrity report names it until it counts
/// again or is reversed; the member keeps what was credited.
#[sqlx::test(migrations = false)]
async fn an_approved_payment_that_is_undone_is_a_finding(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member();
    let made = world.deposit(&member, deposit(10_000)).await.unwrap();
    world.approve_as(&world.reviewer, &made, 10_000, (&"a".repeat(64), Some(0))).await.unwrap();
    let undone = |txid| UndonePayment {
        payment: Some(ChainPayment { state: "orphaned".to_owned(), ..payment(txid, "USDT", 100, "") }),
        changed_at: at(60),
        is_deposit: true,
    };
    *world.evidence.held.lock().unwrap() = Observed {
        undone: vec![undone('a'), undone('b'), UndonePayment { is_deposit: false, ..undone('a') }],
        shared: Vec::new(),
        ..Observed::default()
    };
    let found = holdings(&world).await.undone;
    assert_eq!(
        found.iter().map(|one| one.transaction.clone().unwrap().id).collect::<Vec<_>>(),
        std::slice::from_ref(&made.id)
    );
    let report = integrity(&world).await;
    let fault = report.faults.iter().find(|fault| fault.subject == "payment").unwrap();
    assert_eq!((report.ok, fault.subject_id.as_str()), (false, made.id.as_str()));
    assert_eq!(world.wallet(&member).await.available_cents, 10_000);
    world.assert_books().await;
    *world.evidence.held.lock().unwrap() = Observed::default();
    assert_eq!(holdings(&world).await.undone, []);
}
