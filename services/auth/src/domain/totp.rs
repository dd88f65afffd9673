//! The second factor (D-O1, D-A3): authenticator codes (RFC 6238), and recovery codes in case the authenticator is
//! lost.

use std::fmt;

use time::{Duration, OffsetDateTime};
use totp_rs::{Builder, Secret, Totp};

use super::brand;

/// Bytes of an authenticator's secret, as RFC 4226 recommends.
pub const SECRET_BYTES: usize = 20;
/// How long a second factor counts for what needs a fresh one.
pub const STEP_UP_LIFE: Duration = Duration::minutes(5);
/// How long a secret waits for its first code.
pub const PENDING_LIFE: Duration = Duration::minutes(15);
/// How long a member whose factors are to be removed by staff can call it off by using one.
pub const RESET_DELAY: Duration = Duration::hours(72);
/// Recovery codes that are handed out at once.
pub const RECOVERY_CODES: usize = 10;
/// Characters of a recovery code, 5 bits each.
pub const RECOVERY_CHARACTERS: usize = 10;

/// Without those that are taken for others.
const ALPHABET: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/// What somebody typed as their second factor.
#[derive(Clone, PartialEq, Eq)]
pub enum Typed {
    /// Six digits from an authenticator.
    Code(String),
    /// A recovery code without its dash.
    Recovery(String),
}

impl fmt::Debug for Typed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Typed(…)")
    }
}

impl Typed {
    /// Reads it; blanks, dashes and case do not matter.
    ///
    /// # Errors
    /// The sentence for the field.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let plain = text.chars().filter(|one| !one.is_whitespace() && *one != '-');
        let plain: String = plain.take(RECOVERY_CHARACTERS + 1).collect::<String>().to_ascii_uppercase();
        if plain.len() == 6 && plain.bytes().all(|byte| byte.is_ascii_digit()) {
            Ok(Self::Code(plain))
        } else if plain.len() == RECOVERY_CHARACTERS && plain.bytes().all(|byte| ALPHABET.contains(&byte)) {
            Ok(Self::Recovery(plain))
        } else {
            Err("Enter the 6 digits from your authenticator app, or a recovery code")
        }
    }
}

/// An authenticator's secret with its owner's address.
pub struct Authenticator(Totp);

impl Authenticator {
    /// With this secret of [`SECRET_BYTES`].
    ///
    /// # Errors
    /// If the secret is shorter, or the address cannot stand in a link.
    pub fn new(secret: &[u8], email: &str) -> Result<Self, String> {
        // A colon would end the name in the link.
        let name = email.replace(':', " ");
        let built = Builder::new()
            .with_secret(Secret::new(secret.into()))
            .with_account_name(name)
            .with_issuer(Some(brand::name()))
            .build();
        built.map(Self).map_err(|error| error.to_string())
    }

    /// The secret in base32, to be typed.
    #[must_use]
    pub fn secret(&self) -> String {
        self.0.secret().to_base32()
    }

    /// The link that authenticators scan.
    ///
    /// # Errors
    /// If the address cannot stand in it.
    pub fn uri(&self) -> Result<String, String> {
        self.0.to_url().map_err(|error| error.to_string())
    }

    /// The 30 seconds that this code belongs to, if they are the present ones or their neighbours. In constant time.
    #[must_use]
    pub fn step_of(&self, code: &str, now: OffsetDateTime) -> Option<i64> {
        let now = u64::try_from(now.unix_timestamp()).ok()?;
        self.0.check(code, now).and_then(|step| i64::try_from(step).ok())
    }
}

/// A recovery code of random bytes, without its dash.
#[must_use]
pub fn recovery_code(random: [u8; RECOVERY_CHARACTERS]) -> String {
    random.iter().map(|byte| char::from(ALPHABET[usize::from(byte % 32)])).collect()
}

/// A recovery code as it is shown.
#[must_use]
pub fn shown(code: &str) -> String {
    let (first, last) = code.split_at(code.len() / 2);
    format!("{first}-{last}")
}

#[cfg(test)]
mod tests {
    use time::{Duration, OffsetDateTime};

    use super::{Authenticator, RECOVERY_CHARACTERS, Typed, recovery_code, shown};

    /// [D-O1] Codes are those of RFC 6238 (its test vectors, cut to six digits), a step early or late, not two.
    #[test]
    fn codes_are_those_of_the_standard() {
        let authenticator = Authenticator::new(b"12345678901234567890", "ada@solvane.test").unwrap();
        for (at, code) in [(59, "287082"), (1_111_111_109, "081804"), (1_234_567_890, "005924")] {
            let at = OffsetDateTime::from_unix_timestamp(at).unwrap();
            let step = at.unix_timestamp() / 30;
            assert_eq!(authenticator.step_of(code, at), Some(step));
            assert_eq!(authenticator.step_of(code, at + Duration::seconds(30)), Some(step));
            assert_eq!(authenticator.step_of(code, at - Duration::seconds(30)), Some(step));
            assert_eq!(authenticator.step_of(code, at + Duration::seconds(60)), None);
            assert_eq!(authenticator.step_of(code, at - Duration::seconds(60)), None);
        }
        assert_eq!(authenticator.step_of("+87082", OffsetDateTime::UNIX_EPOCH), None);
    }

    /// [D-O1] The link names product and owner, and carries the secret that is shown.
    #[test]
    fn the_link_is_understood_by_authenticators() {
        let authenticator = Authenticator::new(b"12345678901234567890", "ada:x@solvane.test").unwrap();
        let uri = authenticator.uri().unwrap();
        assert!(uri.starts_with("otpauth://totp/Solvane:ada%20x%40solvane.test?"), "{uri}");
        assert!(uri.contains("issuer=Solvane") && uri.contains(&format!("secret={}", authenticator.secret())), "{uri}");
        assert_eq!(authenticator.secret(), "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
        assert!(Authenticator::new(b"short", "ada@solvane.test").is_err());
    }

    /// [D-O1] Blanks, dashes and case do not matter; anything else is an error of the field.
    #[test]
    fn what_is_typed_is_read_kindly() {
        let code = recovery_code([0, 31, 32, 63, 255, 7, 8, 9, 10, 11]);
        assert_eq!((code.len(), shown(&code).as_str()), (RECOVERY_CHARACTERS, "A9A99-HJKLM"));
        assert!(Typed::parse(&shown(&code).to_lowercase()) == Ok(Typed::Recovery(code)));
        assert!(Typed::parse(" 012 345 ") == Ok(Typed::Code("012345".to_owned())));
        for text in ["", "12345", "1234567", "０１２３４５", "A9A99-HJKL0", "A9A99-HJKLMN"] {
            assert!(Typed::parse(text).is_err(), "{text:?}");
        }
    }
}
