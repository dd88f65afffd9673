//! Passkeys (D-A3): what is kept of them, and what a challenge may be answered for.

use chassis::id::{SessionId, UserId};
use chassis::validate::visible;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::device::Device;

chassis::id! {
    /// A passkey of an account.
    PasskeyId,
}

/// Passkeys of one account.
pub const MOST_PASSKEYS: usize = 10;
/// How long a challenge may be answered.
pub const CHALLENGE_LIFE: Duration = Duration::minutes(5);
/// Characters of a name.
const NAME: usize = 60;

#[derive(Debug, Clone)]
pub struct Passkey {
    pub id: PasskeyId,
    pub user_id: UserId,
    /// As its owner named it.
    pub name: String,
    pub key: Key,
    pub created_at: OffsetDateTime,
    pub last_used_at: Option<OffsetDateTime>,
}

/// The public half of a passkey.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// As the authenticator chose it.
    pub credential_id: Vec<u8>,
    /// COSE_Key.
    pub public_key: Vec<u8>,
    /// COSE algorithm of the key.
    pub algorithm: i32,
    /// The last signature counter; 0 for authenticators that do not count.
    pub sign_count: i64,
    /// How a browser reaches it, e.g. `internal`.
    pub transports: Vec<String>,
}

/// What a passkey signed, with what verifies it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// COSE_Key.
    pub public_key: Vec<u8>,
    pub authenticator_data: Vec<u8>,
    /// JSON that names the challenge.
    pub client_data: Vec<u8>,
    pub signature: Vec<u8>,
}

/// What the answer to a challenge is for. A challenge for one of them is worth nothing for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ceremony {
    /// Adding a passkey in this session.
    Registration(SessionId),
    SignIn,
    /// Giving a second factor again in this session.
    StepUp(SessionId),
    /// The same, and signing what has this digest.
    Decision(SessionId, [u8; 32]),
}

impl Ceremony {
    /// What a challenge is signed for: a name, and the session, nil for a visitor.
    #[must_use]
    pub const fn subject(self) -> (&'static [u8], Uuid) {
        match self {
            Self::Registration(session_id) => (b"registration", session_id.get()),
            Self::SignIn => (b"login", Uuid::nil()),
            Self::StepUp(session_id) => (b"step-up", session_id.get()),
            Self::Decision(session_id, _) => (b"decision", session_id.get()),
        }
    }

    /// What the passkey signs besides; empty if nothing.
    #[must_use]
    pub fn digest(&self) -> &[u8] {
        match self {
            Self::Decision(_, digest) => digest,
            Self::Registration(_) | Self::SignIn | Self::StepUp(_) => &[],
        }
    }
}

/// Reads the name of a passkey; the device's where none was given.
///
/// # Errors
/// The sentence for the field.
pub fn name(text: &str, device: &Device) -> Result<String, &'static str> {
    let name = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if name.is_empty() {
        return Ok(device.family.clone());
    }
    let name = visible(&name).ok_or("The name has characters that are not allowed")?;
    if name.chars().count() > NAME { Err("The name can have at most 60 characters") } else { Ok(name) }
}

#[cfg(test)]
mod tests {
    use super::name;
    use crate::domain::device::Device;

    /// [D-A3] A passkey has a short name, else that of the browser it was made in.
    #[test]
    fn a_passkey_has_a_short_name() {
        let device = Device::of("", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0");
        assert_eq!(name("  My \t phone ", &device), Ok("My phone".to_owned()));
        assert_eq!(name(" ", &device), Ok("Firefox on Linux".to_owned()));
        assert_eq!(name(&"é".repeat(60), &device), Ok("é".repeat(60)));
        assert!(name(&"é".repeat(61), &device).is_err());
        assert!(name("a\u{7}b", &device).is_err());
        assert!(name("a\u{200b}b", &device).is_err());
    }
}
