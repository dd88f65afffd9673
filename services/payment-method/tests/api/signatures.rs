//! Signatures of the treasury key over platform addresses.

use std::process::Command;

use chassis::error::Kind;
use chassis::grpc::REPLAYED;
use chassis::identity::Role;
use chassis::testing::{assert_permitted, with_token};
use payment_method::domain::method::Fields;
use payment_method::domain::statement::Statement;
use payment_method::treasury::PublicKeys;
use proto::common::v1::Idempotency;
use proto::payment_method::v1::staff_service_server::StaffService;
use proto::payment_method::v1::{ListPlatformMethodsRequest, MethodFields, PaymentMethod, SignPlatformMethodRequest};
use sqlx::PgPool;
use time::OffsetDateTime;
use tonic::Status;
use uuid::Uuid;

use crate::fixture::{EVM, EVM_2, TRON, TRON_2, World, fields, refused, statement, treasury_key};

/// Attaches a signature as the first treasurer.
async fn attach(world: &World, id: &str, version: i32, signature: &str) -> Result<PaymentMethod, Status> {
    let message = SignPlatformMethodRequest {
        id: id.to_owned(),
        version,
        signature: signature.to_owned(),
        client_address: "::1".to_owned(),
        idempotency: None,
    };
    let answer = world.grpc.sign_platform_method(with_token(message, &world.treasurers[0])).await?;
    Ok(answer.into_inner().payment_method.unwrap())
}

/// The signatures of the versions of the only method, newest version first.
async fn signatures(world: &World) -> Vec<String> {
    let request = with_token(ListPlatformMethodsRequest {}, &world.treasurers[0]);
    let [method] = world.grpc.list_platform_methods(request).await.unwrap().into_inner().methods.try_into().unwrap();
    method.versions.into_iter().map(|version| version.signature).collect()
}

/// [D-M1] A signature comes with the proposal and takes effect with it; the next version has none until it gets its own.
#[sqlx::test(migrations = false)]
async fn a_proposal_carries_the_signature_of_its_version(pool: PgPool) {
    let world = World::new(pool).await;
    let (_, member) = world.member();
    let one = fields("USDT", "ERC20", EVM);
    let signature = world.sign(&one, 1);
    let proposal = world.propose_signed("", Some(one), &signature).await.unwrap();
    assert!(proposal.change_json.contains(&signature));
    let id = world.confirm(&proposal.id, 1).await.unwrap();
    assert_eq!(world.list(&member).await[0].signature, signature);
    let two = fields("USDT", "ERC20", EVM_2);
    let change = world.propose(&id, Some(two.clone())).await.unwrap();
    world.confirm(&change.id, 1).await.unwrap();
    let shown = &world.list(&member).await[0];
    assert_eq!((shown.address.as_str(), shown.signature.as_str()), (EVM_2, ""));
    let second = world.sign(&two, 2);
    assert_eq!(attach(&world, &id, 2, &second).await.unwrap().signature, second);
    assert_eq!(world.list(&member).await[0].signature, second);
    assert_eq!(signatures(&world).await, [second, signature]);
}

/// [D-M1] What the treasury key did not sign is refused at once: another address, memo or version, or another key. An old
/// version's signature does not serve for a new one.
#[sqlx::test(migrations = false)]
async fn a_wrong_signature_is_refused(pool: PgPool) {
    let world = World::new(pool).await;
    let one = fields("USDT", "TRC20", TRON);
    let signature = world.sign(&one, 1);
    let id = world.platform("USDT", "TRC20", TRON).await;
    let memo = MethodFields { memo: "1".to_owned(), ..one.clone() };
    let strange = treasury_key().sign(&statement(&one, 1)).unwrap();
    for wrong in [
        world.sign(&fields("USDT", "TRC20", TRON_2), 1),
        world.sign(&memo, 1),
        world.sign(&one, 2),
        strange,
        "2026-11-23T16:00:00Z.AAAA".to_owned(),
        String::new(),
    ] {
        let refusal = refused(attach(&world, &id, 1, &wrong).await);
        assert_eq!((refusal.kind, refusal.fields[0].0.as_str()), (Kind::Invalid, "signature"), "{wrong}");
    }
    let next = fields("USDT", "TRC20", TRON_2);
    let refusal = refused(world.propose_signed(&id, Some(next.clone()), &signature).await);
    assert_eq!((refusal.kind, refusal.fields[0].0.as_str()), (Kind::Invalid, "signature"));
    assert_eq!(refused(world.propose_signed("", Some(next.clone()), &world.sign(&next, 2)).await).kind, Kind::Invalid);
    let change = world.propose_signed(&id, Some(next.clone()), &world.sign(&next, 2)).await.unwrap();
    world.confirm(&change.id, 1).await.unwrap();
    let late = refused(attach(&world, &id, 1, &signature).await);
    assert_eq!((late.kind, late.code.as_str()), (Kind::Conflict, "STALE_REVISION"));
    assert_eq!(signatures(&world).await, [world.list(&world.member().1).await[0].signature.clone(), String::new()]);
}

/// [D-M1] [D-O3] A version is signed again when the key is replaced, and the newest signature counts; each is in the audit
/// log, none can be changed, and a repetition under its key attaches nothing.
#[sqlx::test(migrations = false)]
async fn a_version_is_signed_again(pool: PgPool) {
    let world = World::new(pool).await;
    let one = fields("USDT", "TRC20", TRON);
    let id = world.platform("USDT", "TRC20", TRON).await;
    let (old, new) = (world.sign(&one, 1), world.sign(&one, 1));
    attach(&world, &id, 1, &old).await.unwrap();
    for replayed in [false, true] {
        let message = SignPlatformMethodRequest {
            id: id.clone(),
            version: 1,
            signature: new.clone(),
            idempotency: Some(Idempotency {
                key: "one".to_owned(),
                route: "POST".to_owned(),
                fingerprint: b"a".to_vec(),
            }),
            ..Default::default()
        };
        let answer = world.grpc.sign_platform_method(with_token(message, &world.treasurers[0])).await.unwrap();
        assert_eq!(answer.metadata().contains_key(REPLAYED), replayed);
    }
    assert_eq!(signatures(&world).await, [new]);
    let logged: i64 = sqlx::query_scalar("SELECT count(*) FROM audit_rows WHERE action = 'payment_method.sign'")
        .fetch_one(&world.pool)
        .await
        .unwrap();
    assert_eq!(logged, 2);
    for change in ["UPDATE method_signatures SET signature = 'x'", "DELETE FROM method_signatures"] {
        assert!(sqlx::query(change).execute(&world.pool).await.is_err(), "{change}");
    }
}

/// [D-O1] Treasurers attach signatures, to platform methods alone.
#[sqlx::test(migrations = false)]
async fn only_treasurers_sign_platform_methods(pool: PgPool) {
    let world = World::new(pool).await;
    let theirs = world.create(&world.member().1, fields("USDT", "ERC20", EVM)).await.unwrap().id;
    for id in [theirs.as_str(), "x", "7d0f3c1e-5a0b-4b1e-9c55-0123456789ab"] {
        assert_eq!(
            refused(attach(&world, id, 1, &world.sign(&fields("USDT", "ERC20", EVM), 1)).await).kind,
            Kind::NotFound
        );
    }
    let mut callers: Vec<(Option<Role>, String)> =
        Role::ALL.iter().map(|&role| (Some(role), world.realm.staff(role).1)).collect();
    callers.push((None, world.member().1));
    for (role, token) in callers {
        let message = SignPlatformMethodRequest { id: Uuid::new_v4().to_string(), version: 1, ..Default::default() };
        let outcome = world.grpc.sign_platform_method(with_token(message, &token)).await.err();
        assert_permitted(role, [(role == Some(Role::Treasurer), outcome)]);
    }
}

/// [D-M1] The commands of the ceremony: a key file and its public key, then a signature on the standard output alone.
#[test]
fn the_commands_generate_a_key_and_sign() {
    let run = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_payment-method")).arg("treasury-key").args(arguments).output();
        let output = output.unwrap();
        (output.status.success(), String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let folder = std::env::temp_dir().join(format!("treasury-{}", Uuid::new_v4()));
    std::fs::create_dir(&folder).unwrap();
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (key, text) = (path("key"), path("statement.txt"));
    let (made, public_key, _) = run(&["generate", "--key-file", &key]);
    assert!(made);
    let keys: PublicKeys = public_key.trim().parse().unwrap();
    let typed = Fields {
        currency: "USDT".to_owned(),
        network: "TRC20".to_owned(),
        address: TRON.to_owned(),
        ..Fields::default()
    };
    let now = OffsetDateTime::now_utc();
    let statement = Statement::new(&typed, 3, now).text();
    std::fs::write(&text, &statement).unwrap();
    let (signed, signature, shown) = run(&["sign", "--key-file", &key, &text]);
    assert!(signed && shown == statement);
    assert_eq!(keys.verify((&typed, 3), signature.trim_end(), now), Ok(()));
    std::fs::write(&text, statement.replace(TRON, "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6T")).unwrap();
    assert_eq!(run(&["sign", "--key-file", &key, &text]).1, "");
    assert!(!run(&["generate", "--key-file", &key]).0, "a key is never overwritten");
    std::fs::remove_dir_all(&folder).unwrap();
}
