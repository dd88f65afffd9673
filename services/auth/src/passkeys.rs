//! WebAuthn: the only module that uses the crate `passki`, which parses and verifies what browsers send. Its own policy is
//! narrower: user verification is required, three algorithms are offered, attestation is not asked for, and challenges
//! are made by [`crate::secrets`], which also knows which were used.

use anyhow::{Context, bail};
use passki::{
    AuthenticationCredential, AuthenticationOptions, AuthenticationState, AuthenticatorTransport, ClientData, Passki,
    PasskiError, RegistrationCredential, RegistrationOptions, RegistrationState, ResidentKeyRequirement, StoredPasskey,
    UserVerificationRequirement,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::domain::brand;
use crate::domain::passkey::{CHALLENGE_LIFE, Key, Passkey, Signature};
use crate::domain::user::User;
use crate::error::Error;

/// COSE names of Ed25519, ECDSA with P-256, and RSA with SHA-256, which older Windows machines need.
const ALGORITHMS: [i32; 3] = [-8, -7, -257];

/// The site that passkeys belong to.
pub struct RelyingParty(Passki);

/// A new passkey as a browser sent it, not verified yet.
pub struct NewCredential {
    sent: RegistrationCredential,
    challenge: Vec<u8>,
}

/// The signature of a passkey as a browser sent it, not verified yet.
pub struct Answer {
    sent: AuthenticationCredential,
    challenge: Vec<u8>,
    credential_id: Vec<u8>,
    user_handle: Option<Vec<u8>>,
}

impl RelyingParty {
    /// At the product's public address: passkeys are bound to its host, and used from its origin alone.
    ///
    /// # Errors
    /// If it is no http or https address.
    pub fn at(public_url: &str) -> anyhow::Result<Self> {
        let (scheme, rest) = public_url.split_once("://").context("PUBLIC_URL must be a http or https address")?;
        let authority = rest.split('/').next().unwrap_or_default().to_ascii_lowercase();
        let default_port = match scheme {
            "https" => ":443",
            "http" => ":80",
            _ => bail!("PUBLIC_URL must be a http or https address"),
        };
        let authority = authority.strip_suffix(default_port).unwrap_or(&authority);
        let host = match authority.rsplit_once(':') {
            Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
            _ => authority,
        };
        if host.is_empty() || authority.contains(['@', '?', '#']) {
            bail!("PUBLIC_URL must be a plain http or https address");
        }
        Ok(Self(Passki::new(host, &[format!("{scheme}://{authority}")], brand::name())))
    }

    /// What a browser makes a new passkey with, as JSON.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn creation_options(&self, user: &User, known: &[Passkey], challenge: &[u8]) -> Result<String, Error> {
        let known: Vec<_> = known.iter().map(stored).collect();
        let mut options = RegistrationOptions::default();
        options.timeout = timeout();
        options.resident_key = ResidentKeyRequirement::Required;
        options.user_verification = UserVerificationRequirement::Required;
        options.exclude_credentials = Some(&known);
        let begun = self.0.start_passkey_registration(user.id.get().as_bytes(), &user.email, &user.name, options);
        let (mut options, _) = begun.map_err(|error| Error::Cryptography(error.to_string()))?;
        options.challenge = Passki::base64_encode(challenge);
        options.pub_key_cred_params.retain(|one| ALGORITHMS.contains(&one.alg));
        text(&options)
    }

    /// What a browser signs with one of these passkeys with, or with any of the site if there are none, as JSON.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn request_options(&self, known: &[Passkey], challenge: &[u8]) -> Result<String, Error> {
        let known: Vec<_> = known.iter().map(stored).collect();
        let mut options = AuthenticationOptions::default();
        options.timeout = timeout();
        options.user_verification = UserVerificationRequirement::Required;
        let begun = self.0.start_passkey_authentication(&known, options);
        let (mut options, _) = begun.map_err(|error| Error::Cryptography(error.to_string()))?;
        options.challenge = Passki::base64_encode(challenge);
        text(&options)
    }

    /// The key of a new passkey, if it was made for this site and with its user verified. The caller checks the challenge.
    ///
    /// # Errors
    /// [`Error::PasskeyRefused`].
    pub fn register(&self, new: &NewCredential) -> Result<Key, Error> {
        let state: RegistrationState = known_state(json!({
            "challenge": new.challenge,
            "user": { "id": "", "name": "", "displayName": "" },
            "user_verification": "required",
        }))?;
        let made = self.0.finish_passkey_registration(&new.sent, &state).map_err(refused)?;
        if !ALGORITHMS.contains(&made.algorithm) {
            return Err(refused(PasskiError::UnsupportedAlgorithm(made.algorithm)));
        }
        Ok(Key {
            credential_id: made.credential_id,
            public_key: made.public_key,
            algorithm: made.algorithm,
            sign_count: made.counter.into(),
            transports: names(&made.transports),
        })
    }

    /// The signature counter of an answer that this passkey signed, for this site and with its user verified. The caller
    /// checks the challenge, whose passkey it is, and the counter.
    ///
    /// # Errors
    /// [`Error::PasskeyRefused`].
    pub fn verify(&self, answer: &Answer, passkey: &Passkey) -> Result<i64, Error> {
        let state: AuthenticationState = known_state(json!({
            "challenge": answer.challenge,
            "allowed_credentials": [passkey.key.credential_id],
            "user_verification": "required",
        }))?;
        let verified = self.0.finish_passkey_authentication(&answer.sent, &state, &stored(passkey)).map_err(refused)?;
        Ok(verified.counter.into())
    }
}

impl NewCredential {
    /// Reads a `RegistrationResponseJSON`.
    ///
    /// # Errors
    /// [`Error::PasskeyRefused`] if it is malformed.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let sent: RegistrationCredential = serde_json::from_str(text).map_err(unreadable)?;
        let challenge = challenge_of(&sent.response.client_data_json)?;
        Ok(Self { sent, challenge })
    }

    /// The challenge that it answers.
    #[must_use]
    pub fn challenge(&self) -> &[u8] {
        &self.challenge
    }
}

impl Answer {
    /// Reads an `AuthenticationResponseJSON`.
    ///
    /// # Errors
    /// [`Error::PasskeyRefused`] if it is malformed.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let sent: AuthenticationCredential = serde_json::from_str(text).map_err(unreadable)?;
        let challenge = challenge_of(&sent.response.client_data_json)?;
        let credential_id = Passki::base64_decode(&sent.raw_id).map_err(refused)?;
        let user_handle =
            sent.response.user_handle.as_deref().map(Passki::base64_decode).transpose().map_err(refused)?;
        Ok(Self { sent, challenge, credential_id, user_handle })
    }

    /// The challenge that it answers.
    #[must_use]
    pub fn challenge(&self) -> &[u8] {
        &self.challenge
    }

    /// The passkey that it names.
    #[must_use]
    pub fn credential_id(&self) -> &[u8] {
        &self.credential_id
    }

    /// What this passkey signed, for anyone who verifies it later.
    ///
    /// # Errors
    /// [`Error::PasskeyRefused`] if it is not what browsers send.
    pub fn signed_by(&self, passkey: &Passkey) -> Result<Signature, Error> {
        let response = &self.sent.response;
        let bytes = |text: &str| Passki::base64_decode(text).map_err(refused);
        Ok(Signature {
            public_key: passkey.key.public_key.clone(),
            authenticator_data: bytes(&response.authenticator_data)?,
            client_data: bytes(&response.client_data_json)?,
            signature: bytes(&response.signature)?,
        })
    }

    /// The account that the authenticator names; unset where it was asked for a certain passkey.
    #[must_use]
    pub fn user_handle(&self) -> Option<&[u8]> {
        self.user_handle.as_deref()
    }
}

fn challenge_of(client_data: &str) -> Result<Vec<u8>, Error> {
    let data = ClientData::from_base64(client_data).map_err(refused)?;
    Passki::base64_decode(&data.challenge).map_err(refused)
}

/// Without its counter, which is compared only after the signature: else anyone could have a lower one logged.
fn stored(passkey: &Passkey) -> StoredPasskey {
    let transports = passkey.key.transports.iter().filter_map(|name| serde_json::from_value(json!(name)).ok());
    let mut stored = StoredPasskey::default();
    stored.credential_id.clone_from(&passkey.key.credential_id);
    stored.public_key.clone_from(&passkey.key.public_key);
    stored.algorithm = passkey.key.algorithm;
    stored.transports = transports.collect();
    stored
}

fn names(transports: &[AuthenticatorTransport]) -> Vec<String> {
    let names = transports.iter().filter_map(|one| serde_json::to_value(one).ok());
    names.filter_map(|name| name.as_str().map(ToOwned::to_owned)).collect()
}

/// The crate's states can only be read, not built.
fn known_state<T: DeserializeOwned>(state: Value) -> Result<T, Error> {
    serde_json::from_value(state).map_err(|error| Error::Cryptography(error.to_string()))
}

fn text(options: &impl Serialize) -> Result<String, Error> {
    serde_json::to_string(options).map_err(|error| Error::Cryptography(error.to_string()))
}

fn timeout() -> u64 {
    CHALLENGE_LIFE.whole_milliseconds().try_into().unwrap_or(u64::MAX)
}

fn refused(error: PasskiError) -> Error {
    Error::PasskeyRefused(error.to_string())
}

fn unreadable(error: serde_json::Error) -> Error {
    Error::PasskeyRefused(error.to_string())
}
