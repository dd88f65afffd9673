//! A member's own methods.

use chassis::error::Kind;
use chassis::grpc::REPLAYED;
use chassis::testing::{session, with_token};
use proto::common::v1::file_owner_service_server::FileOwnerService;
use proto::common::v1::{Idempotency, ListOwnedFilesRequest};
use proto::payment_method::v1::payment_method_service_server::PaymentMethodService;
use proto::payment_method::v1::{
    CreatePaymentMethodRequest, DeletePaymentMethodRequest, ListPaymentMethodsRequest, MethodFields, Scope,
    UpdatePaymentMethodRequest,
};
use sqlx::PgPool;
use uuid::Uuid;

use crate::fixture::{BITCOIN, EVM, EVM_2, TRON, TRON_2, World, fields, refused};

fn update(id: &str, fields: MethodFields, keep_image: bool) -> UpdatePaymentMethodRequest {
    UpdatePaymentMethodRequest { id: id.to_owned(), fields: Some(fields), keep_image }
}

/// [D-V3] A picture has an owner while somebody is shown it, or staff decide about it.
#[sqlx::test(migrations = false)]
async fn pictures_that_are_shown_have_an_owner(pool: PgPool) {
    let world = World::new(pool).await;
    let (_, token) = world.member();
    let pictured = |image: &str, of: MethodFields| MethodFields { image_key: image.to_owned(), ..of };
    let owned = async || {
        let keys = ["own/1", "own/2", "ours/1", "ours/2"].map(ToOwned::to_owned).to_vec();
        let credential = world.realm.service_token("gateway");
        let asked = world.grpc.list_owned_files(with_token(ListOwnedFilesRequest { keys }, &credential)).await;
        let mut keys = asked.unwrap().into_inner().keys;
        keys.sort_unstable();
        keys
    };
    let own = world.create(&token, pictured("own/1", fields("USDT", "TRC20", TRON))).await.unwrap();
    let proposal = world.propose("", Some(pictured("ours/1", fields("BTC", "Bitcoin", BITCOIN)))).await.unwrap();
    assert_eq!(owned().await, ["ours/1", "own/1"]);
    let changed = update(&own.id, pictured("own/2", fields("USDT", "TRC20", TRON)), false);
    let changed = world.grpc.update_payment_method(with_token(changed, &token)).await.unwrap().into_inner();
    assert_eq!(changed.replaced_image_key, "own/1");
    let platform = world.confirm(&proposal.id, 1).await.unwrap();
    let next = world.propose(&platform, Some(pictured("ours/2", fields("BTC", "Bitcoin", BITCOIN)))).await.unwrap();
    world.confirm(&next.id, 1).await.unwrap();
    // Staff see every version of a platform method.
    assert_eq!(owned().await, ["ours/1", "ours/2", "own/2"]);
    let delete = with_token(DeletePaymentMethodRequest { id: own.id }, &token);
    assert_eq!(world.grpc.delete_payment_method(delete).await.unwrap().into_inner().image_key, "own/2");
    assert_eq!(owned().await, ["ours/1", "ours/2"]);
}

/// [API-20] [API-21] [API-22] [API-23] [PAY-01] [D-M3] A member adds, edits and deletes a method; every version stays.
#[sqlx::test(migrations = false)]
async fn a_member_keeps_methods(pool: PgPool) {
    let world = World::new(pool).await;
    let (_, token) = world.member();
    let typed = MethodFields {
        memo: " 42 ".to_owned(),
        label: " Savings ".to_owned(),
        image_key: "images/1".to_owned(),
        ..fields(" usdt", "TRC20 ", TRON)
    };
    let created = world.create(&token, typed).await.unwrap();
    assert_eq!((created.scope(), created.version), (Scope::Personal, 1));
    assert_eq!(
        (created.currency.as_str(), created.network.as_str(), created.address.as_str()),
        ("USDT", "TRC20", TRON)
    );
    assert_eq!((created.memo.as_str(), created.label.as_str()), ("42", "Savings"));
    assert_eq!(world.list(&token).await, std::slice::from_ref(&created));

    let kept =
        world.grpc.update_payment_method(with_token(update(&created.id, fields("USDC", "ERC20", EVM), true), &token));
    let kept = kept.await.unwrap().into_inner().payment_method.unwrap();
    assert_eq!((kept.version, kept.image_key.as_str(), kept.address.as_str()), (2, "images/1", EVM));
    let bare =
        world.grpc.update_payment_method(with_token(update(&created.id, fields("USDC", "ERC20", EVM), false), &token));
    let bare = bare.await.unwrap().into_inner();
    assert_eq!((bare.payment_method.unwrap().image_key.as_str(), bare.replaced_image_key.as_str()), ("", "images/1"));

    let delete = || with_token(DeletePaymentMethodRequest { id: created.id.clone() }, &token);
    world.grpc.delete_payment_method(delete()).await.unwrap();
    assert!(world.list(&token).await.is_empty());
    assert_eq!(refused(world.grpc.delete_payment_method(delete()).await).kind, Kind::NotFound);
    let addresses: Vec<String> = sqlx::query_scalar("SELECT address FROM method_versions ORDER BY version")
        .fetch_all(&world.pool)
        .await
        .unwrap();
    assert_eq!(addresses, [TRON, EVM, EVM]);
    assert!(sqlx::query("UPDATE method_versions SET address = 'elsewhere!'").execute(&world.pool).await.is_err());
    assert!(sqlx::query("DELETE FROM method_versions").execute(&world.pool).await.is_err());
}

/// [D-M3] [D-W6] [D-R7] What is wrong is said by field.
#[sqlx::test(migrations = false)]
async fn wrong_fields_are_named(pool: PgPool) {
    let world = World::new(pool).await;
    let (_, token) = world.member();
    for (typed, field) in [
        (fields("$", "TRC20", TRON), "currency"),
        (fields("USDT", "x", TRON), "network"),
        (fields("USDT", "TRC20", EVM), "address"),
        (fields("BTC", "Bitcoin", &BITCOIN.replace("f3t4", "f3t5")), "address"),
        (fields("ETH", "Ethereum", &EVM.replace("BeAed", "beAed")), "address"),
        (fields("SOL", "Solana", "short"), "address"),
        (MethodFields { memo: "m".repeat(129), ..fields("USDT", "TRC20", TRON) }, "memo"),
        (MethodFields { label: "l".repeat(61), ..fields("USDT", "TRC20", TRON) }, "label"),
    ] {
        let refusal = refused(world.create(&token, typed).await);
        assert_eq!((refusal.kind, refusal.code.as_str()), (Kind::Invalid, "VALIDATION_FAILED"));
        assert_eq!(refusal.fields.len(), 1);
        assert_eq!((refusal.fields[0].0.as_str(), &refusal.fields[0].1), (field, &refusal.message));
    }
    let nothing = CreatePaymentMethodRequest { fields: None, idempotency: None };
    let refusal = refused(world.grpc.create_payment_method(with_token(nothing, &token)).await);
    let named: Vec<_> = refusal.fields.iter().map(|(field, _)| field.as_str()).collect();
    assert_eq!(named, ["currency", "network", "address"]);
    assert_eq!(refusal.fields[2].1, "Please enter a valid wallet address");
    assert!(world.list(&token).await.is_empty());
}

/// [D-M1] [D-R8] At most twenty methods, however many are added at once.
#[sqlx::test(migrations = false)]
async fn a_member_keeps_at_most_twenty(pool: PgPool) {
    let world = World::new(pool).await;
    let (_, token) = world.member();
    let calls = (0..30).map(|_| world.create(&token, fields("USDT", "TRC20", TRON)));
    let answers = futures::future::join_all(calls).await;
    let (made, over): (Vec<_>, Vec<_>) = answers.into_iter().partition(Result::is_ok);
    assert_eq!((made.len(), world.list(&token).await.len()), (20, 20));
    for result in over {
        let refusal = refused(result);
        assert_eq!((refusal.kind, refusal.code.as_str()), (Kind::Conflict, "TOO_MANY_METHODS"));
    }
    // Others are not concerned, and a deleted method makes room.
    world.create(&world.member().1, fields("USDT", "TRC20", TRON)).await.unwrap();
    let id = made.into_iter().next().unwrap().unwrap().id;
    world.grpc.delete_payment_method(with_token(DeletePaymentMethodRequest { id }, &token)).await.unwrap();
    world.create(&token, fields("USDT", "TRC20", TRON)).await.unwrap();
}

/// [D-M1] Another member's method is unknown; a platform method cannot be changed by a member.
#[sqlx::test(migrations = false)]
async fn only_own_methods_can_be_changed(pool: PgPool) {
    let world = World::new(pool).await;
    let platform = world.platform("USDT", "TRC20", TRON).await;
    let (_, owner) = world.member();
    let theirs = world.create(&owner, fields("USDT", "ERC20", EVM)).await.unwrap().id;
    let (_, token) = world.member();
    for (id, kind) in [
        (theirs.clone(), Kind::NotFound),
        (Uuid::new_v4().to_string(), Kind::NotFound),
        ("1".to_owned(), Kind::NotFound),
        (platform, Kind::Forbidden),
    ] {
        let message = update(&id, fields("USDT", "ERC20", EVM_2), false);
        assert_eq!(refused(world.grpc.update_payment_method(with_token(message, &token)).await).kind, kind);
        let message = DeletePaymentMethodRequest { id };
        let refusal = refused(world.grpc.delete_payment_method(with_token(message, &token)).await);
        assert_eq!(refusal.kind, kind);
        assert_eq!(refusal.code == "PLATFORM_METHOD", kind == Kind::Forbidden);
    }
    let seen = world.list(&owner).await;
    assert_eq!(seen.iter().map(|method| method.scope()).collect::<Vec<_>>(), [Scope::Platform, Scope::Personal]);
    assert_eq!((seen[1].address.as_str(), seen[1].version), (EVM, 1));
    assert_eq!(world.list(&token).await.len(), 1);
}

/// [D-W6] A payout destination is never the platform's own address, in any case, on any network, now or once.
#[sqlx::test(migrations = false)]
async fn the_platforms_addresses_are_refused(pool: PgPool) {
    let world = World::new(pool).await;
    let id = world.platform("USDT", "ERC20", EVM).await;
    let changed = world.propose(&id, Some(fields("USDT", "ERC20", EVM_2))).await.unwrap();
    world.confirm(&changed.id, 1).await.unwrap();
    let gone = world.platform("BTC", "Bitcoin", BITCOIN).await;
    let end = world.propose(&gone, None).await.unwrap();
    world.confirm(&end.id, 1).await.unwrap();
    let (_, token) = world.member();
    for (network, address) in [
        ("ERC20", EVM.to_owned()),
        ("Polygon", EVM_2.to_lowercase()),
        ("Bitcoin", BITCOIN.to_uppercase()),
        ("Moonbeam", EVM.to_uppercase()),
    ] {
        let refusal = refused(world.create(&token, fields("USDT", network, &address)).await);
        assert_eq!((refusal.kind, refusal.fields[0].0.as_str()), (Kind::Invalid, "address"), "{network}");
        assert!(refusal.message.contains("our own"));
    }
    let own = world.create(&token, fields("USDT", "TRC20", TRON_2)).await.unwrap();
    let message = update(&own.id, fields("USDT", "ERC20", EVM), false);
    let refusal = refused(world.grpc.update_payment_method(with_token(message, &token)).await);
    assert_eq!(refusal.fields[0].0, "address");
    assert_eq!(world.list(&token).await.last().unwrap(), &own);
}

/// [D-G4] One key, one method; the refusal of a full list is repeated too.
#[sqlx::test(migrations = false)]
async fn one_key_makes_one_method(pool: PgPool) {
    let world = World::new(pool).await;
    let (_, token) = world.member();
    let request = |key: &str, body: &str| {
        let idempotency = Idempotency {
            key: key.to_owned(),
            route: "POST /v1/payment-methods".to_owned(),
            fingerprint: body.as_bytes().to_vec(),
        };
        let message =
            CreatePaymentMethodRequest { fields: Some(fields("USDT", "TRC20", TRON)), idempotency: Some(idempotency) };
        with_token(message, &token)
    };
    let first = world.grpc.create_payment_method(request("k", "a")).await.unwrap();
    assert!(!first.metadata().contains_key(REPLAYED));
    let again = world.grpc.create_payment_method(request("k", "a")).await.unwrap();
    assert!(again.metadata().contains_key(REPLAYED));
    assert_eq!(again.into_inner(), first.into_inner());
    assert_eq!(world.list(&token).await.len(), 1);
    let other = world.member().1;
    world.create(&other, fields("USDT", "TRC20", TRON)).await.unwrap();
    for _ in 1..20 {
        world.create(&token, fields("USDT", "TRC20", TRON)).await.unwrap();
    }
    let full = world.grpc.create_payment_method(request("late", "a")).await.unwrap_err();
    assert!(!full.metadata().contains_key(REPLAYED));
    let id = world.list(&token).await[0].id.clone();
    world.grpc.delete_payment_method(with_token(DeletePaymentMethodRequest { id }, &token)).await.unwrap();
    let again = world.grpc.create_payment_method(request("late", "a")).await.unwrap_err();
    assert!(again.metadata().contains_key(REPLAYED));
    assert_eq!(refused::<()>(Err(again)), refused::<()>(Err(full)));
}

/// [D-S1] [D-R13] Unverified members see nothing, frozen ones change nothing, staff are no members.
#[sqlx::test(migrations = false)]
async fn only_members_in_good_standing(pool: PgPool) {
    let world = World::new(pool).await;
    let mut unverified = session(None);
    unverified.verified = false;
    let unverified = world.realm.sign_in(unverified);
    let mut frozen = session(None);
    frozen.frozen = true;
    let frozen = world.realm.sign_in(frozen);
    for (token, list, create) in [
        (unverified.as_str(), Some("EMAIL_NOT_VERIFIED"), "EMAIL_NOT_VERIFIED"),
        (frozen.as_str(), None, "ACCOUNT_FROZEN"),
        (world.treasurers[0].as_str(), Some("PERMISSION_DENIED"), "PERMISSION_DENIED"),
        ("nonsense", Some("UNAUTHENTICATED"), "UNAUTHENTICATED"),
    ] {
        let listed = world.grpc.list_payment_methods(with_token(ListPaymentMethodsRequest {}, token)).await;
        assert_eq!(listed.err().map(|status| chassis::error::from_status(&status).code).as_deref(), list);
        assert_eq!(refused(world.create(token, fields("USDT", "TRC20", TRON)).await).code, create);
        let message = update(&Uuid::new_v4().to_string(), fields("USDT", "TRC20", TRON), false);
        assert_eq!(refused(world.grpc.update_payment_method(with_token(message, token)).await).code, create);
        let message = DeletePaymentMethodRequest { id: Uuid::new_v4().to_string() };
        assert_eq!(refused(world.grpc.delete_payment_method(with_token(message, token)).await).code, create);
    }
}

/// [D-A3] [D-O7] A member who has a second factor gives it again to save or change an address, not to delete one.
#[sqlx::test(migrations = false)]
async fn addresses_are_saved_by_a_fresh_factor(pool: PgPool) {
    let world = World::new(pool).await;
    let stale = chassis::identity::Session { has_factor: true, ..session(None) };
    let fresh = chassis::identity::Session { id: Uuid::new_v4().into(), stepped_up: true, ..stale.clone() };
    let (stale, fresh) = (world.realm.sign_in(stale), world.realm.sign_in(fresh));
    assert_eq!(refused(world.create(&stale, fields("USDT", "TRC20", TRON)).await).code, "STEP_UP_REQUIRED");
    let made = world.create(&fresh, fields("USDT", "TRC20", TRON)).await.unwrap();
    let id = made.id;
    let message = update(&id, fields("USDT", "TRC20", TRON), false);
    assert_eq!(refused(world.grpc.update_payment_method(with_token(message, &stale)).await).code, "STEP_UP_REQUIRED");
    world.grpc.delete_payment_method(with_token(DeletePaymentMethodRequest { id }, &stale)).await.unwrap();
}
