//! What proves that the operator has the private key of an address (D-T5): a sentence that the key signed, as wallets
//! sign messages. That is BIP-322 on Bitcoin, EIP-191 on networks like Ethereum, and TIP-191 on Tron.

use std::str::FromStr;

use alloy_primitives::{Address as Account, keccak256};
use bip322::Verification;
use miniscript::bitcoin::secp256k1::ecdsa::{RecoverableSignature, RecoveryId};
use miniscript::bitcoin::secp256k1::{Message, Secp256k1};
use serde::{Deserialize, Serialize};
use time::format_description::StaticFormatDescription;
use time::macros::format_description;
use time::{Date, Duration, OffsetDateTime};

use super::address;
use super::network::{self, Format};

const DAY: StaticFormatDescription = format_description!("[year]-[month]-[day]");
const VERB: &str = " controls the address ";
const NAME_LENGTH: usize = 100;
/// That of several keys has all their signatures.
const SIGNATURE_LENGTH: usize = 2_000;

/// Why a message or signature proves nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidProof {
    #[error("please enter the message as `payment-method address-proof message` prints it")]
    Form,
    #[error("the message is about another address")]
    Address,
    #[error("the message has a day in the future")]
    Day,
    #[error("addresses of this network sign no messages")]
    Network,
    #[error("the address is a key, and the treasury key's signature proves what is derived from it")]
    Derived,
    #[error("the key of this address did not sign this message")]
    Signature,
}

/// What the key of an address signs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddressProof {
    pub operator: String,
    pub address: String,
    pub day: Date,
}

/// A message with its signature.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignedProof {
    pub message: String,
    pub signature: String,
}

impl AddressProof {
    /// The signed sentence. No name has line breaks, so that wallets show it as it is.
    #[must_use]
    pub fn message(&self) -> String {
        // Every day that was read from its text can be written.
        let day = self.day.format(DAY).unwrap_or_default();
        format!("{}{VERB}{} on {day}", self.operator, self.address)
    }

    /// Reads a message about an address of this network.
    ///
    /// # Errors
    /// If it is not exactly what [`AddressProof::message`] writes.
    pub fn parse(network: &str, text: &str) -> Result<Self, InvalidProof> {
        let read = || {
            let (operator, rest) = text.split_once(VERB)?;
            let (address, day) = rest.split_once(" on ")?;
            let day = Date::parse(day, DAY).ok()?;
            Some(Self { operator: operator.to_owned(), address: address.to_owned(), day })
        };
        let is_name = |name: &str| {
            name.trim() == name && (1..=NAME_LENGTH).contains(&name.chars().count()) && !name.contains(char::is_control)
        };
        read()
            .filter(|read| read.message() == text && is_name(&read.operator))
            .filter(|read| address::parse(network, &read.address).as_ref() == Ok(&read.address))
            .ok_or(InvalidProof::Form)
    }

    /// Verifies that the key of the address signed the message, not later than now.
    ///
    /// # Errors
    /// If it did not, if the network has no such signatures, or if the day has not begun anywhere.
    pub fn verify(&self, network: &str, signature: &str, now: OffsetDateTime) -> Result<(), InvalidProof> {
        if self.day > (now + Duration::DAY).date() {
            return Err(InvalidProof::Day);
        }
        if signature.len() > SIGNATURE_LENGTH {
            return Err(InvalidProof::Signature);
        }
        let message = self.message();
        let is_signed = match network::format(network) {
            Format::Bitcoin => is_signed_on_bitcoin(&self.address, &message, signature),
            Format::Evm => signer("Ethereum", &message, signature)
                .is_some_and(|account| Account::from_str(&self.address).is_ok_and(|own| own == account)),
            Format::Tron => signer("TRON", &message, signature).is_some_and(|account| {
                let digits = format!("{account:x}");
                address::of_account(Format::Tron, digits.trim_start_matches("0x")).as_ref() == Some(&self.address)
            }),
            Format::Other => return Err(InvalidProof::Network),
        };
        if is_signed { Ok(()) } else { Err(InvalidProof::Signature) }
    }
}

impl SignedProof {
    /// The day that the message ends with, as `2026-11-28`.
    #[must_use]
    pub fn day(&self) -> &str {
        self.message.rsplit(' ').next().unwrap_or_default()
    }
}

/// Addresses of BIP-44 sign as they did before BIP-322.
fn is_signed_on_bitcoin(address: &str, message: &str, signature: &str) -> bool {
    let simple = bip322::verify_simple_encoded(address, message, signature);
    matches!(simple, Ok(Verification::Valid { .. }))
        || bip322::verify_legacy_encoded(address, message, signature).is_ok()
}

/// The account whose key signed a message with the prefix of a chain. A signature is r, s and which of the keys it is.
fn signer(chain: &str, message: &str, signature: &str) -> Option<Account> {
    let bytes = alloy_primitives::hex::decode(signature).ok()?;
    let (last, compact) = bytes.split_last().filter(|(_, compact)| compact.len() == 64)?;
    let which = RecoveryId::from_i32(i32::from(*last) - if *last < 27 { 0 } else { 27 }).ok()?;
    let signature = RecoverableSignature::from_compact(compact, which).ok()?;
    let hash = keccak256(format!("\x19{chain} Signed Message:\n{}{message}", message.len()));
    let key = Secp256k1::verification_only().recover_ecdsa(&Message::from_digest(hash.0), &signature).ok()?;
    Some(Account::from_raw_public_key(key.serialize_uncompressed().get(1..)?))
}

#[cfg(test)]
mod tests {
    use alloy_primitives::{Address as Account, hex, keccak256};
    use miniscript::bitcoin::secp256k1::{Message, Secp256k1, SecretKey};
    use time::macros::datetime;

    use super::{AddressProof, InvalidProof, is_signed_on_bitcoin, signer};
    use crate::domain::address;
    use crate::domain::network::Format;

    /// Of the examples of BIP-322.
    const KEY: &str = "L3VFeEujGtevx9w18HD1fhRbCH67Az2dpCymeRE1SoPK6XQtaN2k";
    const SEGWIT: &str = "bc1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0l";
    const TAPROOT: &str = "bc1ppv609nr0vr25u07u95waq5lucwfm6tde4nydujnu8npg4q75mr5sxq8lt3";

    fn proof(network: &str, address: &str) -> AddressProof {
        AddressProof::parse(network, &format!("Solvane Ltd controls the address {address} on 2026-11-28"))
            .expect("valid")
    }

    fn account(key: &SecretKey) -> Account {
        Account::from_raw_public_key(&key.public_key(&Secp256k1::new()).serialize_uncompressed()[1..])
    }

    fn tron(account: Account) -> String {
        address::of_account(Format::Tron, &hex::encode(account)).expect("an address")
    }

    fn sign(key: &SecretKey, chain: &str, message: &str) -> String {
        let hash = keccak256(format!("\x19{chain} Signed Message:\n{}{message}", message.len()));
        let signed = Secp256k1::new().sign_ecdsa_recoverable(&Message::from_digest(hash.0), key);
        let (which, compact) = signed.serialize_compact();
        format!("0x{}{:02x}", hex::encode(compact), 27 + which.to_i32())
    }

    /// [D-T5] The examples of BIP-322, with `smp` before the signature and without it, and for no other message or
    /// address.
    #[test]
    fn signatures_of_bip_322_hold() {
        for (address, signature) in [
            (
                SEGWIT,
                "AkcwRAIgZRfIY3p7/DoVTty6YZbWS71bc5Vct9p9Fia83eRmw2QCICK/ENGfwLtptFluMGs2KsqoNSk89pO7F29zJLUx9a/sASECx/EgAxlkQpQ9hYjgGu6EBCPMVPwVIVJqO4XCsMvViHI=",
            ),
            (TAPROOT, "AUHd69PrJQEv+oKTfZ8l+WROBHuy9HKrbFCJu7U1iK2iiEy1vMU5EfMtjc+VSHM7aU0SDbak5IUZRVno2P5mjSafAQ=="),
        ] {
            for written in [signature.to_owned(), format!("smp{signature}")] {
                assert!(is_signed_on_bitcoin(address, "Hello World", &written), "{address}");
                assert!(!is_signed_on_bitcoin(address, "Hello world", &written), "{address}");
            }
            for other in [SEGWIT, TAPROOT, "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"] {
                assert_eq!(is_signed_on_bitcoin(other, "Hello World", signature), other == address, "{other}");
            }
        }
    }

    /// [D-T5] EIP-191 as web3.js documents it, and TIP-191 as a wallet of Tron signs it.
    #[test]
    fn signatures_of_eip_191_and_tip_191_hold() {
        let signature = "0xb91467e570a6466aa9e9876cbcd013baba02900b8979d43fe208a4a4f339f5fd6007e74cd82e037b800186422fc2da167c747ef045e5d18a5f5d4300f8e1a0291c";
        let by = signer("Ethereum", "Some data", signature).map(|account| account.to_checksum(None));
        assert_eq!(by.as_deref(), Some("0x2c7536E3605D9C16a7a3D7b1898e529396a65c23"));
        let key = hex!("43985273a3d94eb753fe6acfd7003e88254effce1eb53e2e97b8522558a98038");
        let signature = "fde00bc33d78109bc61de314c1c0526a047e22a2aaae473ca84b32d8aa35ed3e03720e05d614087e3d8c6fae63879755b32aa08818a2d4de66fee1a617a971671b";
        let own = account(&SecretKey::from_slice(&key).expect("a key"));
        assert_eq!(signer("TRON", "message", signature), Some(own));
        assert_ne!(signer("Ethereum", "message", signature), Some(own));
    }

    /// [D-T5] Only the key of the address proves it, over exactly this message, and no day that has not begun anywhere.
    #[test]
    fn only_the_key_of_the_address_proves_it() {
        let now = datetime!(2026-11-27 12:00 UTC);
        let (key, other) =
            (SecretKey::from_slice(&[1; 32]).expect("a key"), SecretKey::from_slice(&[2; 32]).expect("a key"));
        for (network, chain, own, foreign) in [
            ("ERC20", "Ethereum", account(&key).to_checksum(None), account(&other).to_checksum(None)),
            ("TRC20", "TRON", tron(account(&key)), tron(account(&other))),
        ] {
            let proof = proof(network, &own);
            let signature = sign(&key, chain, &proof.message());
            assert_eq!(proof.verify(network, &signature, now), Ok(()));
            let later = AddressProof { operator: "Other Ltd".to_owned(), ..proof.clone() };
            assert_eq!(later.verify(network, &signature, now), Err(InvalidProof::Signature));
            let elsewhere = AddressProof { address: foreign, ..proof.clone() };
            assert_eq!(
                elsewhere.verify(network, &sign(&key, chain, &elsewhere.message()), now),
                Err(InvalidProof::Signature)
            );
            for wrong in
                [sign(&other, chain, &proof.message()), signature.replace("0x", "0x00"), "0x".to_owned(), String::new()]
            {
                assert_eq!(proof.verify(network, &wrong, now), Err(InvalidProof::Signature), "{wrong}");
            }
            assert_eq!(proof.verify(network, &signature, now - time::Duration::DAY), Err(InvalidProof::Day));
        }
        for own in [SEGWIT, TAPROOT] {
            let proof = proof("Bitcoin", own);
            let signed = |message: &str| bip322::sign_simple_encoded(own, message, &[KEY], None).expect("signed");
            assert_eq!(proof.verify("Bitcoin", &signed(&proof.message()), now), Ok(()));
            let other = "KwTbAxmBXjoZM3bzbXixEr9nxLhyYSM4vp2swet58i19bw9sqk5z";
            let strange = bip322::sign_simple_encoded(own, &proof.message(), &[other], None).unwrap_or_default();
            for wrong in [signed("Hello World"), strange, "x".repeat(2_001), String::new()] {
                assert_eq!(proof.verify("Bitcoin", &wrong, now), Err(InvalidProof::Signature), "{wrong}");
            }
        }
        let solana = proof("Solana", "7EqQdEULxWcraVx3mXKFjc84LhCkMGZCkRuDpvcMwJeK");
        assert_eq!(solana.verify("Solana", "x", now), Err(InvalidProof::Network));
    }

    /// [D-T5] A message is read back as it was written, and in no other form.
    #[test]
    fn a_message_has_one_form() {
        let text = proof("Bitcoin", SEGWIT).message();
        assert_eq!(text, format!("Solvane Ltd controls the address {SEGWIT} on 2026-11-28"));
        for changed in [
            format!("{text}\n"),
            format!(" {text}"),
            text.replace("Solvane Ltd", ""),
            text.replace("Solvane Ltd", "A\nB"),
            text.replace("2026-11-28", "2026-02-30"),
            text.replace("2026-11-28", "28.11.2026"),
            text.replace(SEGWIT, &SEGWIT.to_uppercase().replace("BC1Q9", "BC1Q8")),
            String::new(),
        ] {
            assert_eq!(AddressProof::parse("Bitcoin", &changed), Err(InvalidProof::Form), "{changed:?}");
        }
    }
}
