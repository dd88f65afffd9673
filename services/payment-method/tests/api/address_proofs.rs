//! What proves that the operator has the private keys of the platform's addresses (D-T5).

use std::process::Command;

use chassis::error::Kind;
use chassis::identity::Role;
use chassis::testing::{assert_permitted, with_token};
use proto::payment_method::v1::evidence_service_server::EvidenceService;
use proto::payment_method::v1::staff_service_server::StaffService;
use proto::payment_method::v1::{
    AddressProof, GetHoldingsRequest, ListPlatformMethodsRequest, PaymentMethod, ProveAddressRequest,
};
use sqlx::PgPool;
use time::OffsetDateTime;
use tonic::Status;
use uuid::Uuid;

use crate::fixture::{BITCOIN, TRON, World, refused};

/// An address of the examples of BIP-322, and its private key.
const SEGWIT: &str = "bc1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0l";
const KEY: &str = "L3VFeEujGtevx9w18HD1fhRbCH67Az2dpCymeRE1SoPK6XQtaN2k";
const XPUB: &str = include_str!("../deposit-keys.json");

async fn prove(world: &World, id: &str, (message, signature): (&str, &str)) -> Result<PaymentMethod, Status> {
    let message = ProveAddressRequest {
        id: id.to_owned(),
        message: message.to_owned(),
        signature: signature.to_owned(),
        client_address: "::1".to_owned(),
        idempotency: None,
    };
    let answer = world.grpc.prove_address(with_token(message, &world.treasurers[0])).await?;
    Ok(answer.into_inner().payment_method.unwrap())
}

fn today() -> String {
    OffsetDateTime::now_utc().date().to_string()
}

fn signed(message: &str) -> String {
    bip322::sign_simple_encoded(SEGWIT, message, &[KEY], None).unwrap()
}

/// The proofs of the addresses that members share, as wallet publishes them.
async fn published(world: &World) -> Vec<Option<AddressProof>> {
    let request = with_token(GetHoldingsRequest {}, &world.realm.service_token("wallet"));
    let holdings = world.grpc.get_holdings(request).await.unwrap().into_inner();
    holdings.shared.into_iter().map(|one| one.proof).collect()
}

/// [D-T5] A proof is part of what is held and of the list for staff, the newest counts, and each is in the audit log
/// for good.
#[sqlx::test(migrations = false)]
async fn a_proof_is_published_with_what_is_held(pool: PgPool) {
    let world = World::new(pool).await;
    let id = world.platform("BTC", "Bitcoin", SEGWIT).await;
    assert_eq!(published(&world).await, [None]);
    for (operator, day) in [("Solvane Ltd", "2025-11-28".to_owned()), ("Solvane Ltd", today())] {
        let message = format!("{operator} controls the address {SEGWIT} on {day}");
        let proof = AddressProof { signature: signed(&message), message, day };
        let answer = prove(&world, &id, (&proof.message, &proof.signature)).await.unwrap();
        assert_eq!(answer.proof.as_ref(), Some(&proof));
        assert_eq!(published(&world).await, [Some(proof.clone())]);
        let request = with_token(ListPlatformMethodsRequest {}, &world.treasurers[1]);
        let methods = world.grpc.list_platform_methods(request).await.unwrap().into_inner().methods;
        assert_eq!(methods[0].current.as_ref().unwrap().proof, Some(proof));
        // Members are shown where to pay, and nothing more.
        assert_eq!(world.list(&world.member().1).await[0].proof, None);
    }
    let logged: i64 = sqlx::query_scalar("SELECT count(*) FROM audit_rows WHERE action = 'payment_method.prove'")
        .fetch_one(&world.pool)
        .await
        .unwrap();
    assert_eq!(logged, 2);
    for change in ["UPDATE address_proofs SET signature = 'x'", "DELETE FROM address_proofs"] {
        assert!(sqlx::query(change).execute(&world.pool).await.is_err(), "{change}");
    }
}

/// [D-T5] What the key of the address did not sign is a wrong field at once: another message, address, day or key, and
/// the key of members' own addresses.
#[sqlx::test(migrations = false)]
async fn a_wrong_proof_is_refused(pool: PgPool) {
    let world = World::new(pool).await;
    let id = world.platform("BTC", "Bitcoin", SEGWIT).await;
    let message = format!("Solvane Ltd controls the address {SEGWIT} on {}", today());
    let other = message.replace(SEGWIT, BITCOIN);
    let future = format!("Solvane Ltd controls the address {SEGWIT} on 2999-01-01");
    let signature = signed(&message);
    for (message, signature, field) in [
        (&message, &signed(&other), "signature"),
        (&message, &String::new(), "signature"),
        (&message.replace("Solvane", "Other"), &signature, "signature"),
        (&other, &signed(&other), "message"),
        (&future, &signed(&future), "message"),
        (&"We hold it".to_owned(), &signed("We hold it"), "message"),
    ] {
        let refusal = refused(prove(&world, &id, (message, signature)).await);
        assert_eq!((refusal.kind, refusal.fields[0].0.as_str()), (Kind::Invalid, field), "{message}");
    }
    let keys: serde_json::Value = serde_json::from_str(XPUB).unwrap();
    let key = keys["keys"].as_array().unwrap().iter().find(|one| one["network"] == "Bitcoin").unwrap();
    let derived = world.platform("BTC", "Bitcoin", key["key"].as_str().unwrap()).await;
    let refusal = refused(prove(&world, &derived, (&message, &signature)).await);
    assert!(refusal.message.contains("treasury key"), "{}", refusal.message);
    assert_eq!(published(&world).await, [None]);
}

/// [D-O1] Treasurers attach proofs, to platform methods alone.
#[sqlx::test(migrations = false)]
async fn only_treasurers_prove_addresses(pool: PgPool) {
    let world = World::new(pool).await;
    assert_eq!(refused(prove(&world, &Uuid::new_v4().to_string(), ("x", "x")).await).kind, Kind::NotFound);
    let mut callers: Vec<(Option<Role>, String)> =
        Role::ALL.iter().map(|&role| (Some(role), world.realm.staff(role).1)).collect();
    callers.push((None, world.member().1));
    for (role, token) in callers {
        let message = ProveAddressRequest { id: Uuid::new_v4().to_string(), ..Default::default() };
        let outcome = world.grpc.prove_address(with_token(message, &token)).await.err();
        assert_permitted(role, [(role == Some(Role::Treasurer), outcome)]);
    }
}

/// [D-T5] The commands that KEYS.md names: the message of today, and the verdict about a signature.
#[test]
fn the_commands_print_the_message_and_verify() {
    let run = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_payment-method")).arg("address-proof").args(arguments).output();
        let output = output.unwrap();
        (output.status.success(), String::from_utf8(output.stdout).unwrap())
    };
    let at = ["--network", "Bitcoin", "--address", SEGWIT];
    let (printed, message) = run(&[&["message", "--operator", "Solvane Ltd"], &at[..]].concat());
    let message = message.trim_end();
    assert!(printed && message.starts_with(&format!("Solvane Ltd controls the address {SEGWIT} on ")), "{message}");
    let verify = |message: &str, signature: &str| {
        run(&[&["verify", "--message", message, "--signature", signature], &at[..]].concat()).0
    };
    assert!(verify(message, &signed(message)));
    assert!(!verify(message, &signed("Hello World")));
    assert!(!verify(&message.replace(SEGWIT, BITCOIN), &signed(message)));
    assert!(!run(&["message", "--operator", "Solvane Ltd", "--network", "Bitcoin", "--address", TRON]).0);
}
