//! Verifies the signature of a person's passkey over a decision (WebAuthn, COSE), independently of auth (D-B3).

use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_ASN1, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chassis::decision::PasskeySignature;
use ciborium::Value;
use sha2::{Digest, Sha256};

/// Flags of the authenticator data: the user was present, and verified.
const PRESENT_AND_VERIFIED: u8 = 0x01 | 0x04;

/// Whether a passkey signed the decision with this digest, its user verified.
pub(super) fn is_signed(signed: &PasskeySignature, digest: &[u8; 32]) -> bool {
    verify(signed, digest).unwrap_or(false)
}

fn verify(signed: &PasskeySignature, digest: &[u8; 32]) -> Option<bool> {
    let bytes = |text: &str| URL_SAFE_NO_PAD.decode(text).ok();
    let client_data = bytes(&signed.client_data)?;
    let said: serde_json::Value = serde_json::from_slice(&client_data).ok()?;
    let challenge = bytes(said["challenge"].as_str()?)?;
    let data = bytes(&signed.authenticator_data)?;
    let is_verified = data.get(32)? & PRESENT_AND_VERIFIED == PRESENT_AND_VERIFIED;
    if said["type"] != "webauthn.get" || !challenge.ends_with(digest) || !is_verified {
        return Some(false);
    }
    let message = [data.as_slice(), Sha256::digest(&client_data).as_slice()].concat();
    is_by(&bytes(&signed.public_key)?, &message, &bytes(&signed.signature)?)
}

/// Whether this COSE key signed the message.
fn is_by(cose: &[u8], message: &[u8], signature: &[u8]) -> Option<bool> {
    let key: Value = ciborium::from_reader(cose).ok()?;
    let field = |label: i64| key.as_map()?.iter().find(|(name, _)| *name == label.into()).map(|(_, value)| value);
    let part = |label: i64| field(label)?.as_bytes().cloned();
    let algorithm: i64 = field(3)?.as_integer()?.try_into().ok()?;
    let verified = match algorithm {
        -7 => {
            let point = [&[4][..], part(-2)?.as_slice(), part(-3)?.as_slice()].concat();
            UnparsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, point).verify(message, signature)
        }
        -8 => UnparsedPublicKey::new(&ED25519, part(-2)?).verify(message, signature),
        -257 => {
            let key = RsaPublicKeyComponents { n: part(-1)?, e: part(-2)? };
            key.verify(&RSA_PKCS1_2048_8192_SHA256, message, signature)
        }
        _ => return None,
    };
    Some(verified.is_ok())
}

#[cfg(test)]
mod tests {
    use aws_lc_rs::rand::SystemRandom;
    use aws_lc_rs::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair};
    use serde_json::json;

    use super::*;

    fn signed(kind: &str, challenge: &[u8], flags: u8) -> PasskeySignature {
        let key = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_ASN1_SIGNING).unwrap();
        let point = key.public_key().as_ref();
        let cose =
            [&[0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32][..], &point[1..33], &[0x22, 0x58, 32], &point[33..]]
                .concat();
        let client_data = json!({ "type": kind, "challenge": URL_SAFE_NO_PAD.encode(challenge) }).to_string();
        let data = [[7; 32].as_slice(), &[flags, 0, 0, 0, 1]].concat();
        let message = [data.as_slice(), Sha256::digest(&client_data).as_slice()].concat();
        let signature = key.sign(&SystemRandom::new(), &message).unwrap();
        PasskeySignature {
            public_key: URL_SAFE_NO_PAD.encode(cose),
            authenticator_data: URL_SAFE_NO_PAD.encode(data),
            client_data: URL_SAFE_NO_PAD.encode(client_data),
            signature: URL_SAFE_NO_PAD.encode(signature),
        }
    }

    /// [D-B3] A passkey's signature is of the digest that it names last, by its own key, with its user verified.
    #[test]
    fn a_passkey_signs_one_decision() {
        let (digest, other) = ([1; 32], [2; 32]);
        let challenge = [[9; 56].as_slice(), &digest].concat();
        let right = signed("webauthn.get", &challenge, 5);
        assert!(is_signed(&right, &digest));
        assert!(!is_signed(&right, &other), "another decision");
        assert!(!is_signed(&signed("webauthn.create", &challenge, 5), &digest), "a registration");
        assert!(!is_signed(&signed("webauthn.get", &challenge, 1), &digest), "user not verified");
        let PasskeySignature { public_key, .. } = signed("webauthn.get", &challenge, 5);
        assert!(!is_signed(&PasskeySignature { public_key, ..right.clone() }, &digest), "another key");
        let client_data = URL_SAFE_NO_PAD.encode(json!({ "type": "webauthn.get", "challenge": URL_SAFE_NO_PAD.encode([[8; 56].as_slice(), &digest].concat()) }).to_string());
        assert!(!is_signed(&PasskeySignature { client_data, ..right.clone() }, &digest), "other client data");
        assert!(!is_signed(&PasskeySignature { signature: String::new(), ..right }, &digest), "no signature");
    }
}
