//! Codes and links that verify an email address: their validity and how often they are sent.

use chassis::id::UserId;
use strum::IntoStaticStr;
use time::Duration;
use uuid::Uuid;

chassis::id! {
    /// A code that is mailed.
    CodeId,
}

/// Life of a code.
pub const CODE_LIFE: Duration = Duration::minutes(10);
/// Submissions of one code, right or wrong.
pub const CODE_ATTEMPTS: i16 = 5;
/// Codes are not asked for more often: by the account, or from one address block.
pub const PAUSE: Duration = Duration::minutes(1);
/// Codes an hour: the first and five more.
pub const CODES_AN_HOUR: i64 = 6;
/// Codes that the account asked for and that can be used: the oldest makes room for a new one.
pub const OWN_CODES: i64 = 3;
/// Codes that strangers asked for and that can be used. While there are this many, the owner has them in the mailbox, and
/// strangers get no more.
pub const STRANGERS_CODES: i64 = 3;
/// Accounts that may wait at the same time to change to one address.
pub const CHANGES_TO_ONE_ADDRESS: i64 = 3;
/// Reset links an hour from one address block.
pub const RESETS_AN_HOUR: i64 = 5;
/// Reset links that strangers asked for and that can be used; as [`STRANGERS_CODES`].
pub const STRANGERS_RESETS: i64 = 5;

#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Purpose {
    /// The address of a new account.
    Registration,
    /// The new address of an account.
    EmailChange,
}

/// Binds a code to the session or handle that it was requested with, so that the tries of strangers do not count (D-A2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Handle {
    /// A session of the account: all codes of the account.
    Account(UserId),
    /// A visitor: the codes that were asked for with this request.
    Request(Uuid),
}

impl Handle {
    /// The request of a visitor.
    #[must_use]
    pub const fn request(self) -> Option<Uuid> {
        match self {
            Self::Account(_) => None,
            Self::Request(id) => Some(id),
        }
    }

    #[must_use]
    pub const fn account(self) -> Option<UserId> {
        match self {
            Self::Account(id) => Some(id),
            Self::Request(_) => None,
        }
    }
}

/// What a visitor asked for.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// From this address block.
    pub block: &'a str,
    /// From one that the account does not know.
    pub is_strangers: bool,
    /// With this handle; unset for links.
    pub id: Option<Uuid>,
}

#[derive(Debug, Clone, Copy)]
pub struct NewCode<'a> {
    pub user_id: UserId,
    pub purpose: Purpose,
    /// To which address.
    pub email: &'a str,
    /// Of a visitor; unset if the account asked for it.
    pub request: Option<Request<'a>>,
}

/// Where payouts may go once a member has confirmed it, as the wallet names and shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Destination {
    /// The wallet's name for it.
    pub key: [u8; 32],
    pub currency: String,
    pub network: String,
    pub address: String,
    /// Empty if the network has none.
    pub memo: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum LinkPurpose {
    /// A forgotten password.
    Reset,
    /// The first password of invited staff.
    Invitation,
}

impl LinkPurpose {
    #[must_use]
    pub const fn life(self) -> Duration {
        match self {
            Self::Reset => Duration::minutes(30),
            Self::Invitation => Duration::hours(72),
        }
    }
}

/// Reads a code as typed: exactly six digits.
///
/// # Errors
/// The sentence for the field.
pub fn parse(text: &str) -> Result<&str, &'static str> {
    let text = text.trim();
    if text.len() == 6 && text.bytes().all(|byte| byte.is_ascii_digit()) {
        Ok(text)
    } else {
        Err("OTP must be 6 digits")
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    /// [AUTH-10] [D-S5] A code has exactly six digits.
    #[test]
    fn a_code_has_six_digits() {
        assert_eq!(parse(" 012345 "), Ok("012345"));
        for text in ["", "12345", "1234567", "12345a", "-12345", "１２３４５６", "12 345"] {
            assert_eq!(parse(text), Err("OTP must be 6 digits"), "{text:?}");
        }
    }
}
