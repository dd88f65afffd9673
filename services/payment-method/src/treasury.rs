//! The treasury key, which signs platform addresses outside the product, and its public keys, which verify them (ECDSA
//! with P-256 and SHA-256, because every browser verifies it).
//!
//! A signature is written as `<valid from>.<64 bytes in base64url>`: with the version that it belongs to, it stands for
//! the whole [`Statement`].

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use anyhow::{Context, anyhow, bail};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair, UnparsedPublicKey,
};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use time::{Duration, OffsetDateTime};

use crate::domain::method::Fields;
use crate::domain::statement::{Statement, format_moment, parse_moment};

/// An uncompressed point: 0x04 and two coordinates.
const POINT_BYTES: usize = 65;
/// How far ahead of ours the clock may be that a statement took its time from. The web app grants the same.
const CLOCK_TOLERANCE: Duration = Duration::DAY;

/// The private key. It is used on a machine without network, and never by the service.
pub struct TreasuryKey(EcdsaKeyPair);

impl TreasuryKey {
    /// Writes a new key into a file that only its owner can read.
    ///
    /// # Errors
    /// If the file exists or cannot be written.
    pub fn generate(path: &Path) -> anyhow::Result<Self> {
        let key = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).map_err(|_| anyhow!("no randomness"))?;
        let pkcs8 = key.to_pkcs8v1().map_err(|_| anyhow!("cannot encode the key"))?;
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(path)
            .with_context(|| format!("cannot create {}", path.display()))?;
        writeln!(file, "{}", URL_SAFE_NO_PAD.encode(pkcs8.as_ref()))?;
        file.sync_all()?;
        Ok(Self(key))
    }

    /// Reads a key file.
    ///
    /// # Errors
    /// If it cannot be read or holds no key.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let pkcs8 = URL_SAFE_NO_PAD.decode(text.trim()).context("the treasury key is not base64url")?;
        let key = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &pkcs8);
        Ok(Self(key.map_err(|_| anyhow!("{} holds no P-256 key", path.display()))?))
    }

    /// The public key, as [`PublicKeys`] and the web app read it.
    #[must_use]
    pub fn public_key(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0.public_key().as_ref())
    }

    /// Signs a statement.
    ///
    /// # Errors
    /// If the system has no randomness.
    pub fn sign(&self, statement: &Statement) -> anyhow::Result<String> {
        let signature = self.0.sign(&SystemRandom::new(), statement.text().as_bytes());
        let signature = signature.map_err(|_| anyhow!("cannot sign"))?;
        Ok(format!("{}.{}", format_moment(statement.valid_from), URL_SAFE_NO_PAD.encode(signature.as_ref())))
    }
}

/// The public keys of the treasury: several while one replaces another, none where addresses are not signed.
#[derive(Debug, Clone, Default)]
pub struct PublicKeys(Arc<[Vec<u8>]>);

/// Why a signature is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSignature {
    #[error("this installation has no treasury key to verify signatures with")]
    NoKey,
    #[error("the signature does not belong to this address, memo and version")]
    Mismatch,
    #[error("the signature is not valid yet")]
    TooEarly,
}

impl PublicKeys {
    /// Verifies the signature over a version of an address.
    ///
    /// # Errors
    /// If no key made it over exactly these fields and this version, or it is not valid yet.
    pub fn verify(
        &self,
        (fields, version): (&Fields, i32),
        signature: &str,
        now: OffsetDateTime,
    ) -> Result<(), InvalidSignature> {
        if self.0.is_empty() {
            return Err(InvalidSignature::NoKey);
        }
        let (valid_from, bytes) = parse(signature).ok_or(InvalidSignature::Mismatch)?;
        let text = Statement::new(fields, version, valid_from).text();
        let is_made_by = |key: &Vec<u8>| {
            UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, key).verify(text.as_bytes(), &bytes).is_ok()
        };
        if !self.0.iter().any(is_made_by) {
            return Err(InvalidSignature::Mismatch);
        }
        if valid_from > now + CLOCK_TOLERANCE { Err(InvalidSignature::TooEarly) } else { Ok(()) }
    }
}

fn parse(signature: &str) -> Option<(OffsetDateTime, Vec<u8>)> {
    let (valid_from, bytes) = signature.rsplit_once('.')?;
    Some((parse_moment(valid_from)?, URL_SAFE_NO_PAD.decode(bytes).ok()?))
}

impl FromStr for PublicKeys {
    type Err = anyhow::Error;

    /// Reads keys with commas between them.
    fn from_str(text: &str) -> anyhow::Result<Self> {
        let keys = text.split(',').map(str::trim).filter(|key| !key.is_empty()).map(|key| {
            let point = URL_SAFE_NO_PAD.decode(key).context("a treasury key is not base64url")?;
            if point.len() != POINT_BYTES || point.first() != Some(&0x04) {
                bail!("a treasury key is not the public key that `treasury-key generate` prints");
            }
            Ok(point)
        });
        Ok(Self(keys.collect::<anyhow::Result<Vec<_>>>()?.into()))
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use time::OffsetDateTime;

    use super::{InvalidSignature, PublicKeys, TreasuryKey};
    use crate::domain::method::Fields;
    use crate::domain::statement::{Statement, parse_moment};

    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Vectors {
        keys: Vec<String>,
        statements: Vec<Vector>,
    }

    #[derive(Deserialize)]
    struct Vector {
        currency: String,
        network: String,
        address: String,
        memo: String,
        version: i32,
        text: String,
        signature: String,
    }

    fn vectors() -> Vectors {
        serde_json::from_str(include_str!("../tests/treasury.json")).unwrap()
    }

    impl Vector {
        fn fields(&self) -> Fields {
            Fields {
                currency: self.currency.clone(),
                network: self.network.clone(),
                address: self.address.clone(),
                memo: self.memo.clone(),
                ..Fields::default()
            }
        }

        fn valid_from(&self) -> OffsetDateTime {
            parse_moment(self.signature.split('.').next().unwrap()).unwrap()
        }
    }

    fn keys(text: &str) -> PublicKeys {
        text.parse().unwrap()
    }

    /// [D-M1] The statements that the web app is tested with have the same bytes here, and their signatures hold for one of
    /// several keys.
    #[test]
    fn signatures_of_the_shared_vectors_hold() {
        let Vectors { keys: published, statements } = vectors();
        let all = keys(&published.join(","));
        for vector in &statements {
            let statement = Statement::new(&vector.fields(), vector.version, vector.valid_from());
            assert_eq!(statement.text(), vector.text);
            assert_eq!(Statement::parse(&vector.text), Ok(statement));
            let verdict = all.verify((&vector.fields(), vector.version), &vector.signature, vector.valid_from());
            assert_eq!(verdict, Ok(()), "{}", vector.text);
        }
        assert!(statements.len() >= 3 && published.len() == 2);
    }

    /// [D-M1] Every field is bound, and so are version and time: nothing of one signature serves for another address.
    #[test]
    fn a_signature_binds_every_field() {
        let Vectors { keys: published, statements } = vectors();
        let all = keys(&published.join(","));
        let vector = &statements[0];
        let now = vector.valid_from();
        let refused = |change: fn(&mut Fields), version: i32, signature: &str| {
            let mut fields = vector.fields();
            change(&mut fields);
            all.verify((&fields, version), signature, now).unwrap_err()
        };
        let same = |_: &mut Fields| {};
        let later = vector.signature.replacen("2025", "2024", 1);
        let cut = &vector.signature[..vector.signature.len() - 2];
        for verdict in [
            refused(|fields| fields.currency = "USDC".to_owned(), vector.version, &vector.signature),
            refused(|fields| fields.network = "ERC20".to_owned(), vector.version, &vector.signature),
            refused(
                |fields| fields.address = "TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8".to_owned(),
                vector.version,
                &vector.signature,
            ),
            refused(|fields| fields.memo = "1".to_owned(), vector.version, &vector.signature),
            refused(same, vector.version + 1, &vector.signature),
            refused(same, vector.version, &later),
            refused(same, vector.version, cut),
            refused(same, vector.version, &statements[1].signature),
            refused(same, vector.version, ""),
            refused(same, vector.version, "2025-11-23T16:00:00Z."),
        ] {
            assert_eq!(verdict, InvalidSignature::Mismatch);
        }
        // The label and the picture do not say where money goes.
        let labelled = Fields { label: "New".to_owned(), image_key: "images/1".to_owned(), ..vector.fields() };
        assert_eq!(all.verify((&labelled, vector.version), &vector.signature, now), Ok(()));
    }

    /// [D-M1] A key that is no longer configured signs nothing, nor does a signature from the far future hold.
    #[test]
    fn keys_are_rotated() {
        let Vectors { keys: published, statements } = vectors();
        let vector = &statements[0];
        let verify = |keys: &PublicKeys, now| keys.verify((&vector.fields(), vector.version), &vector.signature, now);
        let now = vector.valid_from();
        assert_eq!(verify(&keys(&published[0]), now), Ok(()));
        assert_eq!(verify(&keys(&published[1]), now), Err(InvalidSignature::Mismatch));
        assert_eq!(verify(&keys(""), now), Err(InvalidSignature::NoKey));
        let both = keys(&published.join(" , "));
        assert_eq!(verify(&both, now - time::Duration::hours(23)), Ok(()));
        assert_eq!(verify(&both, now - time::Duration::hours(25)), Err(InvalidSignature::TooEarly));
        for wrong in ["x", "AAAA", &published[0][1..]] {
            assert!(wrong.parse::<PublicKeys>().is_err(), "{wrong}");
        }
    }

    /// [D-M1] A key comes back from its file, which only its owner reads and nothing overwrites.
    #[test]
    fn a_key_is_kept_in_its_file() {
        use std::os::unix::fs::PermissionsExt;
        let folder = std::env::temp_dir().join(format!("treasury-{}", uuid::Uuid::new_v4()));
        std::fs::create_dir(&folder).unwrap();
        let path = folder.join("treasury.key");
        let made = TreasuryKey::generate(&path).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(TreasuryKey::generate(&path).is_err());
        let vector = &vectors().statements[0];
        let statement = Statement::parse(&vector.text).unwrap();
        let signature = TreasuryKey::read(&path).unwrap().sign(&statement).unwrap();
        let verdict =
            keys(&made.public_key()).verify((&vector.fields(), vector.version), &signature, statement.valid_from);
        assert_eq!(verdict, Ok(()));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
