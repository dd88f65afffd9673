//! An authenticator and a browser in software: they make and use passkeys as WebAuthn says, and can be set to lie.

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::fixture::ORIGIN;

const USER_PRESENT: u8 = 0x01;
const USER_VERIFIED: u8 = 0x04;
const HAS_KEY: u8 = 0x40;

/// A passkey on a device.
pub struct Authenticator {
    key: EcdsaKeyPair,
    credential_id: Vec<u8>,
    user_handle: String,
    /// Counts its signatures; one that does not stays at 0.
    pub sign_count: u32,
    /// Where the browser says it is.
    pub origin: String,
    /// The site that it signs for.
    pub site: String,
    pub verifies_user: bool,
}

impl Authenticator {
    /// Makes a passkey by the options of a site; returns it with the browser's answer.
    pub fn create(options: &str) -> (Self, String) {
        let options: Value = serde_json::from_str(options).unwrap();
        let mut made = Self {
            key: EcdsaKeyPair::generate(&ECDSA_P256_SHA256_ASN1_SIGNING).unwrap(),
            credential_id: Uuid::new_v4().as_bytes().to_vec(),
            user_handle: options["user"]["id"].as_str().unwrap().to_owned(),
            sign_count: 0,
            origin: ORIGIN.to_owned(),
            site: options["rp"]["id"].as_str().unwrap().to_owned(),
            verifies_user: true,
        };
        let credential = made.registration(&options);
        (made, credential)
    }

    fn registration(&mut self, options: &Value) -> String {
        let point = self.key.public_key().as_ref().to_vec();
        let cose =
            [&[0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32][..], &point[1..33], &[0x22, 0x58, 32], &point[33..]];
        let length = u16::try_from(self.credential_id.len()).unwrap().to_be_bytes();
        let attested = [&[0; 16][..], &length, &self.credential_id, &cose.concat()].concat();
        let data = [self.authenticator_data(HAS_KEY), attested].concat();
        let head = b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58";
        let attestation = [&head[..], &[u8::try_from(data.len()).unwrap()], &data].concat();
        let id = encode(&self.credential_id);
        json!({
            "id": id, "rawId": id, "type": "public-key", "authenticatorAttachment": "platform",
            "clientExtensionResults": {},
            "response": {
                "clientDataJSON": encode(&self.client_data("webauthn.create", options)),
                "attestationObject": encode(&attestation),
                "transports": ["internal", "hybrid"],
            },
        })
        .to_string()
    }

    /// Signs by the options of a site; returns the browser's answer.
    pub fn sign(&mut self, options: &str) -> String {
        let options: Value = serde_json::from_str(options).unwrap();
        let client_data = self.client_data("webauthn.get", &options);
        let data = self.authenticator_data(0);
        let signed = [data.as_slice(), Sha256::digest(&client_data).as_slice()].concat();
        let signature = self.key.sign(&SystemRandom::new(), &signed).unwrap();
        let id = encode(&self.credential_id);
        json!({
            "id": id, "rawId": id, "type": "public-key", "clientExtensionResults": {},
            "response": {
                "clientDataJSON": encode(&client_data),
                "authenticatorData": encode(&data),
                "signature": encode(signature.as_ref()),
                "userHandle": self.user_handle,
            },
        })
        .to_string()
    }

    /// From then on it says that it belongs to this account.
    pub fn belongs_to(&mut self, user_id: &str) {
        self.user_handle = encode(user_id.parse::<Uuid>().unwrap().as_bytes());
    }

    fn authenticator_data(&self, flags: u8) -> Vec<u8> {
        let verified = if self.verifies_user { USER_VERIFIED } else { 0 };
        let flags = flags | USER_PRESENT | verified;
        [Sha256::digest(self.site.as_bytes()).as_slice(), &[flags], &self.sign_count.to_be_bytes()].concat()
    }

    fn client_data(&self, kind: &str, options: &Value) -> Vec<u8> {
        json!({ "type": kind, "challenge": options["challenge"], "origin": self.origin, "crossOrigin": false })
            .to_string()
            .into_bytes()
    }
}

fn encode(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}
