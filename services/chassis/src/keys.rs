//! Signing keys. Auth signs tokens, each service signs its credentials with its own key. All processes trust the public
//! keys of one file, several per signer, so that keys can be rotated.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use anyhow::{Context, anyhow, bail};
use aws_lc_rs::aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use aws_lc_rs::hmac;
use aws_lc_rs::rand::{SecureRandom, SystemRandom};
use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The processes that hold a key of their own: those of `services/services.txt`.
pub static SERVICES: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let lines = include_str!("../../services.txt").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_whitespace().next()).collect()
});

/// The name under which auth signs decisions, with a key for nothing else.
pub const DECISION_SIGNER: &str = "decisions";

/// How long after its end a token still counts: clocks differ.
pub const LEEWAY_SECONDS: i64 = 5;

/// A private Ed25519 key with its id: `{"kid": …, "pkcs8": …}` in its file.
pub struct SigningKey {
    kid: String,
    key: EncodingKey,
}

#[derive(Serialize, Deserialize)]
struct SigningKeyFile {
    kid: String,
    pkcs8: String,
}

impl SigningKey {
    /// Reads a key file.
    ///
    /// # Errors
    /// If it cannot be read or holds no key.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let text = fs::read(path).with_context(|| format!("cannot read the key file {}", path.display()))?;
        let file: SigningKeyFile =
            serde_json::from_slice(&text).with_context(|| format!("{} holds no signing key", path.display()))?;
        let pkcs8 = URL_SAFE_NO_PAD.decode(file.pkcs8).context("the signing key is not base64url")?;
        Ed25519KeyPair::from_pkcs8(&pkcs8).map_err(|_| anyhow!("the signing key is no Ed25519 key"))?;
        Ok(Self { kid: file.kid, key: EncodingKey::from_ed_der(&pkcs8) })
    }

    /// Signs claims as a JWT (EdDSA).
    ///
    /// # Errors
    /// If the claims cannot be written as JSON.
    pub fn sign(&self, claims: &impl Serialize) -> anyhow::Result<String> {
        let mut header = Header::new(Algorithm::EdDSA);
        header.kid = Some(self.kid.clone());
        Ok(jsonwebtoken::encode(&header, claims, &self.key)?)
    }
}

/// What a trusted key may sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Use {
    /// The tokens of members and staff.
    Member,
    /// Credentials and roots of the service named by the key; or, under the name of [`DECISION_SIGNER`], decisions.
    Service,
}

/// The public keys that this process trusts, by key id.
pub struct TrustedKeys(HashMap<String, TrustedKey>);

struct TrustedKey {
    r#use: Use,
    name: String,
    key: DecodingKey,
}

#[derive(Serialize, Deserialize)]
struct TrustedKeyEntry {
    kid: String,
    r#use: Use,
    name: String,
    x: String,
}

impl TrustedKeys {
    /// Reads the file of trusted public keys.
    ///
    /// # Errors
    /// If it cannot be read or holds something else.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let text = fs::read(path).with_context(|| format!("cannot read the trusted keys {}", path.display()))?;
        let entries: Vec<TrustedKeyEntry> =
            serde_json::from_slice(&text).with_context(|| format!("{} holds no trusted keys", path.display()))?;
        let mut keys = HashMap::new();
        for entry in entries {
            let key = DecodingKey::from_ed_components(&entry.x).context("a trusted key is no Ed25519 key")?;
            keys.insert(entry.kid, TrustedKey { r#use: entry.r#use, name: entry.name, key });
        }
        Ok(Self(keys))
    }

    /// The claims of a token, and the name of its signer, if it is signed for this use and audience and in force.
    ///
    /// Every claim that is checked must be there: the library accepts a token without `aud` or `iss` otherwise.
    #[must_use]
    pub fn verify<C: DeserializeOwned>(&self, token: &str, r#use: Use, audience: &str) -> Option<(C, &str)> {
        let kid = jsonwebtoken::decode_header(token).ok()?.kid?;
        let trusted = self.0.get(&kid).filter(|key| key.r#use == r#use)?;
        let mut validation = Validation::new(Algorithm::EdDSA);
        validation.leeway = LEEWAY_SECONDS.unsigned_abs();
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        validation.set_issuer(&[&trusted.name]);
        validation.set_audience(&[audience]);
        let data = jsonwebtoken::decode::<C>(token, &trusted.key, &validation).ok()?;
        Some((data.claims, &trusted.name))
    }
}

/// A secret that other secrets are derived from: codes, reset tokens, signatures of links.
pub struct SecretKey(hmac::Key);

impl SecretKey {
    /// Reads a file of at least 32 bytes in base64url.
    ///
    /// # Errors
    /// If it cannot be read or is shorter.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        Ok(Self(hmac::Key::new(hmac::HMAC_SHA256, &read_secret(path)?)))
    }

    /// HMAC-SHA-256 over the parts, each prefixed by its length so that no two lists of parts are alike.
    #[must_use]
    pub fn mac(&self, parts: &[&[u8]]) -> [u8; 32] {
        let mut context = hmac::Context::with_key(&self.0);
        for part in parts {
            context.update(&(part.len() as u64).to_be_bytes());
            context.update(part);
        }
        let mut out = [0; 32];
        out.copy_from_slice(context.sign().as_ref());
        out
    }

    /// Whether the mac is the one over the parts, in constant time.
    #[must_use]
    pub fn verify(&self, parts: &[&[u8]], mac: &[u8]) -> bool {
        aws_lc_rs::constant_time::verify_slices_are_equal(&self.mac(parts), mac).is_ok()
    }
}

/// A key under which secrets that have to be read again are kept in a database (AES-256-GCM).
pub struct SealingKey(RandomizedNonceKey);

impl SealingKey {
    /// Reads a file of 32 bytes in base64url.
    ///
    /// # Errors
    /// If it cannot be read or holds fewer or more.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        Self::new(&read_secret(path)?).with_context(|| format!("{} does not hold 32 bytes", path.display()))
    }

    /// The key of these 32 bytes.
    ///
    /// # Errors
    /// If there are fewer or more.
    pub fn new(bytes: &[u8]) -> anyhow::Result<Self> {
        let key = RandomizedNonceKey::new(&AES_256_GCM, bytes);
        Ok(Self(key.map_err(|_| anyhow!("a sealing key has 32 bytes"))?))
    }

    /// Seals a secret for one place (the id of its row): sealed bytes that were moved elsewhere do not open.
    ///
    /// # Errors
    /// If the system has no randomness.
    pub fn seal(&self, place: &[u8], secret: &[u8]) -> anyhow::Result<Vec<u8>> {
        let mut sealed = secret.to_vec();
        let nonce = self.0.seal_in_place_append_tag(Aad::from(place), &mut sealed);
        let nonce = nonce.map_err(|_| anyhow!("cannot seal a secret"))?;
        Ok([nonce.as_ref().as_slice(), &sealed].concat())
    }

    /// Opens what was sealed for this place.
    ///
    /// # Errors
    /// If it was sealed for another place or by another key, or was changed.
    pub fn open(&self, place: &[u8], sealed: &[u8]) -> anyhow::Result<Vec<u8>> {
        let (nonce, sealed) = sealed.split_at_checked(NONCE_LEN).context("a sealed secret is cut short")?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| anyhow!("a nonce of another length"))?;
        let mut bytes = sealed.to_vec();
        let opened = self.0.open_in_place(nonce, Aad::from(place), &mut bytes);
        Ok(opened.map_err(|_| anyhow!("a sealed secret does not open"))?.to_vec())
    }
}

fn read_secret(path: &Path) -> anyhow::Result<Vec<u8>> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read the secret {}", path.display()))?;
    let bytes = URL_SAFE_NO_PAD.decode(text.trim()).context("the secret is not base64url")?;
    if bytes.len() < 32 {
        bail!("the secret is shorter than 32 bytes");
    }
    Ok(bytes)
}

/// Fresh random bytes.
///
/// # Errors
/// If the system has none.
pub fn random<const N: usize>() -> anyhow::Result<[u8; N]> {
    let mut bytes = [0; N];
    SystemRandom::new().fill(&mut bytes).map_err(|_| anyhow!("no randomness"))?;
    Ok(bytes)
}

/// Writes a full set of keys into a folder: `<service>.key`, `token.key`, `decision.key`, `code.key`, `link.key`,
/// `totp.key`, `push.key` and `trusted.json`. Keeps what exists, so that a second call changes nothing but adds what a newer version needs.
///
/// # Errors
/// If the folder cannot be written.
pub fn generate(folder: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(folder)?;
    for secret in ["code", "link", "totp", "push"] {
        let path = folder.join(format!("{secret}.key"));
        if !path.exists() {
            write_private(&path, URL_SAFE_NO_PAD.encode(random::<32>()?).as_bytes())?;
        }
    }
    let path = folder.join("trusted.json");
    let mut trusted: Vec<TrustedKeyEntry> = Vec::new();
    if path.exists() {
        trusted = serde_json::from_slice(&fs::read(&path)?).context("trusted.json holds no trusted keys")?;
    }
    let known = trusted.len();
    let services = SERVICES.iter().map(|service| (*service, Use::Service, *service));
    // The key of decisions is used as those of services are, under a name that is no service's.
    let others = [("token", Use::Member, "auth"), ("decision", Use::Service, DECISION_SIGNER)];
    for (file, r#use, name) in services.chain(others) {
        if !folder.join(format!("{file}.key")).exists() {
            trusted.push(write_signing_key(folder, file, r#use, name)?);
        }
    }
    if trusted.len() > known {
        fs::write(&path, serde_json::to_vec_pretty(&trusted)?)?;
    }
    Ok(())
}

fn write_signing_key(folder: &Path, file: &str, r#use: Use, name: &str) -> anyhow::Result<TrustedKeyEntry> {
    let pkcs8 = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).map_err(|_| anyhow!("no randomness"))?;
    let pair = Ed25519KeyPair::from_pkcs8(pkcs8.as_ref()).map_err(|_| anyhow!("no key"))?;
    let kid = format!("{file}-{}", URL_SAFE_NO_PAD.encode(random::<6>()?));
    let content = SigningKeyFile { kid: kid.clone(), pkcs8: URL_SAFE_NO_PAD.encode(pkcs8.as_ref()) };
    write_private(&folder.join(format!("{file}.key")), &serde_json::to_vec(&content)?)?;
    Ok(TrustedKeyEntry { kid, r#use, name: name.to_owned(), x: URL_SAFE_NO_PAD.encode(pair.public_key().as_ref()) })
}

fn write_private(path: &Path, content: &[u8]) -> anyhow::Result<()> {
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    let mut file = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
    file.write_all(content)?;
    Ok(())
}
