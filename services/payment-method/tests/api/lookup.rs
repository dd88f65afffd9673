//! What wallet asks.

use chassis::clock;
use chassis::error::Kind;
use chassis::id::MemberId;
use chassis::testing::with_token;
use proto::payment_method::v1::method_lookup_service_server::MethodLookupService;
use proto::payment_method::v1::payment_method_service_server::PaymentMethodService;
use proto::payment_method::v1::{
    MethodFields, PaymentMethod, ResolveDepositMethodRequest, ResolveWithdrawalMethodRequest,
    ResolveWithdrawalMethodResponse, ResolveWithdrawalMethodsRequest, TakeBackMethodsRequest,
    UpdatePaymentMethodRequest,
};
use sqlx::PgPool;
use time::{Duration, OffsetDateTime};
use tonic::Status;
use uuid::Uuid;

use crate::fixture::{BITCOIN, EVM, EVM_2, TRON, TRON_2, World, fields, refused};

async fn deposit(world: &World, method: &str) -> Result<PaymentMethod, Status> {
    deposit_as_shown(world, method, 0).await
}

async fn deposit_as_shown(world: &World, method: &str, version: i32) -> Result<PaymentMethod, Status> {
    let token = world.realm.service_token("wallet");
    let message = ResolveDepositMethodRequest { method: method.to_owned(), version, user_id: String::new() };
    let answer = world.grpc.resolve_deposit_method(with_token(message, &token)).await?;
    Ok(answer.into_inner().payment_method.unwrap())
}

async fn withdrawal(
    world: &World,
    user_id: MemberId,
    method: &str,
    address: &str,
) -> Result<ResolveWithdrawalMethodResponse, Status> {
    let token = world.realm.service_token("wallet");
    let message = ResolveWithdrawalMethodRequest {
        user_id: user_id.to_string(),
        method: method.to_owned(),
        address: address.to_owned(),
        memo: String::new(),
    };
    Ok(world.grpc.resolve_withdrawal_method(with_token(message, &token)).await?.into_inner())
}

#[track_caller]
fn unavailable<T>(result: Result<T, Status>) {
    let refusal = refused(result);
    assert_eq!((refusal.kind, refusal.code.as_str()), (Kind::Invalid, "METHOD_UNAVAILABLE"));
    assert_eq!(refusal.fields[0].0, "method");
}

/// [D-D3] A deposit names a platform method by id, or by a currency that exactly one active one has.
#[sqlx::test(migrations = false)]
async fn a_deposit_names_a_platform_method(pool: PgPool) {
    let world = World::new(pool).await;
    let bitcoin = world.platform("BTC", "Bitcoin", BITCOIN).await;
    let tether = world.platform("USDT", "TRC20", TRON).await;
    for name in [bitcoin.as_str(), "BTC", " btc "] {
        let found = deposit(&world, name).await.unwrap();
        assert_eq!((found.id.as_str(), found.address.as_str(), found.version), (bitcoin.as_str(), BITCOIN, 1));
    }
    assert_eq!(deposit(&world, "usdt").await.unwrap().id, tether);
    let second = world.platform("USDT", "ERC20", EVM).await;
    unavailable(deposit(&world, "USDT").await);
    let end = world.propose(&second, None).await.unwrap();
    world.confirm(&end.id, 1).await.unwrap();
    assert_eq!(deposit(&world, "USDT").await.unwrap().id, tether);
    unavailable(deposit(&world, &second).await);
    let own = world.create(&world.member().1, fields("ETH", "Ethereum", EVM_2)).await.unwrap().id;
    for name in [own.as_str(), "ETH", "", "DOGE", &Uuid::new_v4().to_string()] {
        unavailable(deposit(&world, name).await);
    }
}

/// [D-R5] [D-W1] [D-M2] A withdrawal goes where the member typed, else to the saved method named, else to the saved one
/// of that network; without any it has no destination yet.
#[sqlx::test(migrations = false)]
async fn a_withdrawal_finds_its_destination(pool: PgPool) {
    let world = World::new(pool).await;
    let tether = world.platform("USDT", "ERC20", EVM).await;
    let (user, token) = world.member();
    let to = async |method: &str, address: &str| withdrawal(&world, user, method, address).await.unwrap();
    let none = to(&tether, "").await;
    assert_eq!((none.method_id.as_str(), none.network.as_str(), none.address.as_str()), (tether.as_str(), "ERC20", ""));
    assert_eq!(to("usdt", &format!(" {EVM_2} ")).await.address, EVM_2);

    // Another network's and another member's saved methods do not count.
    world.create(&token, fields("USDT", "BEP20", &EVM_2.to_lowercase())).await.unwrap();
    world.create(&world.member().1, fields("USDT", "ERC20", EVM_2)).await.unwrap();
    assert_eq!(to(&tether, "").await.address, "");
    let saved = MethodFields { memo: "7".to_owned(), ..fields("USDT", "Ethereum", EVM_2) };
    let saved = world.create(&token, saved).await.unwrap();
    // Of the same network under another name; the currency decides between two.
    world.create(&token, fields("USDC", "erc-20", "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb")).await.unwrap();
    let found = to(&tether, "").await;
    assert_eq!((found.address.as_str(), found.memo.as_str()), (EVM_2, "7"));
    let named = to(&saved.id, "").await;
    assert_eq!((named.method_id.as_str(), named.address.as_str()), (saved.id.as_str(), EVM_2));
    let typed = to(&saved.id, "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB").await;
    assert_eq!((typed.address.as_str(), typed.memo.as_str()), ("0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB", ""));
}

/// [D-W6] [D-R5] What a withdrawal may not name, and addresses it may not have.
#[sqlx::test(migrations = false)]
async fn a_withdrawal_is_checked(pool: PgPool) {
    let world = World::new(pool).await;
    let tether = world.platform("USDT", "TRC20", TRON).await;
    let (user, token) = world.member();
    let stranger = world.create(&world.member().1, fields("USDT", "TRC20", TRON_2)).await.unwrap().id;
    for name in [stranger.as_str(), "BTC", "", &Uuid::new_v4().to_string()] {
        unavailable(withdrawal(&world, user, name, TRON_2).await);
    }
    for address in [EVM, "short", &TRON_2.to_lowercase(), TRON] {
        let refusal = refused(withdrawal(&world, user, &tether, address).await);
        assert_eq!((refusal.kind, refusal.code.as_str()), (Kind::Invalid, "VALIDATION_FAILED"), "{address}");
        assert_eq!(refusal.fields[0].0, "address");
    }
    // Saved in good time, and the platform's own by now.
    let saved = world.create(&token, fields("USDT", "TRC20", TRON_2)).await.unwrap().id;
    world.platform("USDT", "TRC20", TRON_2).await;
    for name in [saved.as_str(), tether.as_str()] {
        let refusal = refused(withdrawal(&world, user, name, "").await);
        assert!(refusal.message.contains("our own"), "{}", refusal.message);
    }
}

/// [D-R5] [D-W6] Many withdrawals are resolved at once where a platform method's id and a right address stand in the
/// request, each as when it is asked for by itself; the others are left to that.
#[sqlx::test(migrations = false)]
async fn plain_withdrawals_are_resolved_at_once(pool: PgPool) {
    let world = World::new(pool).await;
    let (tether, ether) = (world.platform("USDT", "TRC20", TRON).await, world.platform("ETH", "ERC20", EVM).await);
    let (user, token) = world.member();
    let own = world.create(&token, fields("USDT", "TRC20", TRON_2)).await.unwrap().id;
    let end = world.propose(&ether, None).await.unwrap();
    world.confirm(&end.id, 1).await.unwrap();
    let padded = format!(" {TRON_2} ");
    let asked = [
        (tether.as_str(), TRON_2, true),
        (tether.as_str(), padded.as_str(), true),
        (tether.as_str(), "", false),
        (tether.as_str(), EVM_2, false),
        (tether.as_str(), TRON, false),
        (tether.as_str(), "T\0", false),
        (ether.as_str(), EVM_2, false),
        (own.as_str(), TRON_2, false),
        ("USDT", TRON_2, false),
        ("", TRON_2, false),
    ];
    let withdrawals = asked.iter().map(|(method, address, _)| ResolveWithdrawalMethodRequest {
        user_id: user.to_string(),
        method: (*method).to_owned(),
        address: (*address).to_owned(),
        memo: String::new(),
    });
    let message = ResolveWithdrawalMethodsRequest { withdrawals: withdrawals.collect() };
    let token = world.realm.service_token("wallet");
    let answer = world.grpc.resolve_withdrawal_methods(with_token(message, &token)).await.unwrap().into_inner();
    assert_eq!(answer.resolutions.len(), asked.len());
    for (resolution, (method, address, is_plain)) in answer.resolutions.into_iter().zip(asked) {
        assert_eq!(resolution.found.is_some(), is_plain, "{method} {address}");
        if let Some(found) = resolution.found {
            assert_eq!(found, withdrawal(&world, user, method, address).await.unwrap());
        }
    }
}

/// [K12] Only wallet asks.
#[sqlx::test(migrations = false)]
async fn only_wallet_asks(pool: PgPool) {
    let world = World::new(pool).await;
    let id = world.platform("USDT", "TRC20", TRON).await;
    let gateway = world.realm.service_token("gateway");
    for token in [gateway, world.member().1, world.treasurers[0].clone(), String::new()] {
        let message = ResolveDepositMethodRequest { method: id.clone(), version: 0, user_id: String::new() };
        let refusal = refused(world.grpc.resolve_deposit_method(with_token(message, &token)).await);
        assert_eq!(refusal.kind, Kind::Forbidden);
        let message = ResolveWithdrawalMethodRequest { method: id.clone(), ..Default::default() };
        let refusal = refused(world.grpc.resolve_withdrawal_method(with_token(message, &token)).await);
        assert_eq!(refusal.kind, Kind::Forbidden);
        let message = ResolveWithdrawalMethodsRequest::default();
        let refusal = refused(world.grpc.resolve_withdrawal_methods(with_token(message, &token)).await);
        assert_eq!(refusal.kind, Kind::Forbidden);
    }
}

/// [D-D3] [A9] An address that was replaced while the page was open is returned as it was shown.
#[sqlx::test(migrations = false)]
async fn a_deposit_is_told_the_version_it_was_shown(pool: PgPool) {
    let world = World::new(pool).await;
    let id = world.platform("USDT", "TRC20", TRON).await;
    let change = world.propose(&id, Some(fields("USDT", "TRC20", TRON_2))).await.unwrap();
    world.confirm(&change.id, 1).await.unwrap();
    for (shown, version, address) in [(0, 2, TRON_2), (1, 1, TRON), (2, 2, TRON_2), (3, 2, TRON_2), (-1, 2, TRON_2)] {
        for method in [id.as_str(), "USDT"] {
            let found = deposit_as_shown(&world, method, shown).await.unwrap();
            assert_eq!((found.version, found.address.as_str()), (version, address), "{shown}");
        }
    }
}

/// [D-M10] What happened to a member's own methods in a period is taken back: added ones are gone, changed ones are what they
/// were before. Older ones, those of others and what came afterwards stay, and only wallet asks for it.
#[sqlx::test(migrations = false)]
async fn what_happened_to_methods_is_taken_back(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    let ((user, token), (_, other)) = (world.member(), world.member());
    let old = world.create(&token, fields("ETH", "Ethereum", EVM)).await.unwrap().id;
    let changed = world.create(&token, fields("USDT", "TRC20", TRON)).await.unwrap().id;
    world.create(&other, fields("USDT", "TRC20", TRON)).await.unwrap();
    let backdate = "SET session_replication_role = replica;
        UPDATE method_versions SET created_at = created_at - interval '80 hours';
        UPDATE methods SET created_at = created_at - interval '80 hours'; SET session_replication_role = DEFAULT";
    sqlx::raw_sql(backdate).execute(&pool).await.unwrap();
    let thief = fields("USDT", "TRC20", TRON_2);
    let update = UpdatePaymentMethodRequest { id: changed.clone(), fields: Some(thief.clone()), keep_image: false };
    world.grpc.update_payment_method(with_token(update, &token)).await.unwrap();
    world.create(&token, thief).await.unwrap();
    let until = OffsetDateTime::now_utc();
    let after = world.create(&token, fields("BTC", "Bitcoin", BITCOIN)).await.unwrap().id;

    let request = TakeBackMethodsRequest {
        user_id: user.to_string(),
        since: Some(clock::to_proto(until - Duration::hours(72))),
        until: Some(clock::to_proto(until)),
    };
    let trade = world.realm.service_token("trade");
    let refusal = refused(world.grpc.take_back_methods(with_token(request.clone(), &trade)).await);
    assert_eq!(refusal.code, "PERMISSION_DENIED");
    let wallet = world.realm.service_token("wallet");
    for _ in 0..2 {
        world.grpc.take_back_methods(with_token(request.clone(), &wallet)).await.unwrap();
        let mut left: Vec<_> = world.list(&token).await.into_iter().map(|one| (one.id, one.address)).collect();
        left.sort();
        let mut expected = vec![
            (old.clone(), EVM.to_owned()),
            (changed.clone(), TRON.to_owned()),
            (after.clone(), BITCOIN.to_owned()),
        ];
        expected.sort();
        assert_eq!(left, expected);
    }
    assert_eq!(world.list(&other).await.len(), 1);
}
