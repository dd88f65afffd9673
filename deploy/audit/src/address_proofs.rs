//! Verifies again that the private keys of the platform's addresses signed their proofs (D-T5), with no code of
//! payment-method.

use std::str::FromStr;

use alloy_primitives::{Address as Account, hex, keccak256};
use anyhow::Result;
use bip322::Verification;
use chassis::network::{self, Format};
use futures::TryStreamExt;
use miniscript::bitcoin::secp256k1::ecdsa::{RecoverableSignature, RecoveryId};
use miniscript::bitcoin::secp256k1::{Message, Secp256k1};
use sqlx::FromRow;

use super::snapshots::Snapshots;
use super::verdict::Verdict;
use stack::Service;

const ATTACHED: &str = "
    SELECT network, address, message, signature,
        EXISTS (SELECT FROM method_versions AS ours WHERE scope = 'platform'
            AND (ours.network, ours.address) = (address_proofs.network, address_proofs.address)) AS is_ours
    FROM address_proofs ORDER BY id";

#[derive(FromRow)]
struct Attached {
    network: String,
    address: String,
    message: String,
    signature: String,
    is_ours: bool,
}

/// The proofs that their addresses did not sign, or that are about no address of the platform.
pub(super) async fn verdict(snapshots: &mut Snapshots) -> Result<Verdict> {
    let mut offending = Vec::new();
    let mut rows = sqlx::query_as::<_, Attached>(ATTACHED).fetch(snapshots.of(Service::PaymentMethod)?);
    while let Some(one) = rows.try_next().await? {
        let is_named = one.message.contains(&format!(" controls the address {} on ", one.address));
        if !(one.is_ours && is_named && is_signed(&one)) {
            offending.push(format!("{:?} for {} on {}", one.message, one.address, one.network));
        }
    }
    let promise = "the private key of each proven address of the platform signed the message that names it";
    Ok(Verdict::new("D-T5", promise, offending))
}

fn is_signed(Attached { network, address, message, signature, .. }: &Attached) -> bool {
    match network::format(network) {
        Format::Bitcoin => {
            matches!(bip322::verify_simple_encoded(address, message, signature), Ok(Verification::Valid { .. }))
                || bip322::verify_legacy_encoded(address, message, signature).is_ok()
        }
        Format::Evm => signer("Ethereum", message, signature).is_some_and(|by| Account::from_str(address) == Ok(by)),
        Format::Tron => signer("TRON", message, signature).is_some_and(|by| {
            let own = bs58::decode(address).with_check(Some(0x41)).into_vec();
            own.is_ok_and(|own| own.get(1..) == Some(by.as_slice()))
        }),
        Format::Other => false,
    }
}

fn signer(chain: &str, message: &str, signature: &str) -> Option<Account> {
    let bytes = hex::decode(signature).ok()?;
    let (which, compact) = bytes.split_last()?;
    let which = RecoveryId::from_i32(i32::from(which % 27)).ok()?;
    let signature = RecoverableSignature::from_compact(compact, which).ok()?;
    let hash = keccak256(format!("\x19{chain} Signed Message:\n{}{message}", message.len()));
    let key = Secp256k1::verification_only().recover_ecdsa(&Message::from_digest(hash.0), &signature).ok()?;
    Some(Account::from_raw_public_key(key.serialize_uncompressed().get(1..)?))
}
