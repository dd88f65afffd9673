//! All errors of this service.

use std::time::Duration;

use chassis::error::{Facts, Fault, Kind, Meaning, Refusal};
use chassis::hex::to_hex;
use chassis::{db, identity};
use proto::common::v1::ErrorReason;

use crate::domain::fields::FieldErrors;

/// Why a call was not done.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{0}")]
    Fields(#[from] FieldErrors),
    #[error("an account with this email already exists")]
    EmailTaken,
    /// Unknown account or wrong password; the response is the same (D-A13).
    #[error("wrong email or password")]
    InvalidCredentials,
    /// The account has an authenticator: login takes a code.
    #[error("enter the code from your authenticator app")]
    TotpRequired,
    /// The account has passkeys and no authenticator: login takes a passkey.
    #[error("log in with your passkey, or enter a recovery code")]
    PasskeyRequired,
    /// An unknown passkey, a used or old challenge, or a wrong signature; the cause is for the log.
    #[error("this passkey was not accepted, please try again")]
    PasskeyRefused(String),
    /// Staff whose second factor is a passkey sign this digest with it.
    #[error("confirm this decision with your passkey")]
    PasskeySignatureRequired([u8; 32]),
    #[error("you can have 10 passkeys, please remove one first")]
    TooManyPasskeys,
    /// A wrong or used code of it, in this field.
    #[error("this code is wrong or has already been used")]
    WrongTotp(&'static str),
    /// 20 wrong codes: the second factor is locked for this long.
    #[error("too many wrong codes were entered, so codes are not accepted for {} more minutes", minutes(*.0))]
    FactorLocked(Duration),
    /// Too many vain tries.
    #[error("too many attempts, please wait a moment")]
    TooManyTries(Duration),
    /// More passwords to hash than the machine can.
    #[error("too many logins at the moment, please try again shortly")]
    Overloaded,
    /// More codes than an hour allows.
    #[error("too many codes were sent, please try again later")]
    TooManyCodes,
    /// A code for the same destination was sent within the last minute.
    #[error("we have just sent you a code, please wait a minute before requesting another")]
    CodeJustSent(Duration),
    /// A wrong, used, superseded or expired code.
    #[error("this code is wrong or has expired")]
    InvalidCode,
    /// The same of a destination's code.
    #[error("this code is wrong or has expired")]
    WrongDestinationCode,
    /// A wrong, used, superseded or expired link.
    #[error("this link is invalid or has expired, please request a new one")]
    InvalidResetToken,
    /// A used, replaced or expired link of a security mail.
    #[error("this link has already been used or has expired")]
    InvalidLink,
    /// A change that takes the password again.
    #[error("please enter your password to change your email address")]
    ReauthenticationRequired,
    /// The password in force was another than in this field.
    #[error("{}", if *.0 == "oldPassword" { "the old password is wrong" } else { "this password is wrong" })]
    WrongPassword(&'static str),
    #[error("your account is frozen, please contact support")]
    AccountFrozen,
    /// Unknown, or not the caller's.
    #[error("{0} not found")]
    NotFound(&'static str),
    /// Staff change neither the end nor the role of their own account.
    #[error("you cannot decide about your own account")]
    OwnAccount,
    /// The account a proposal is about is not what it was.
    #[error("this account has changed in the meantime, please propose the change again")]
    Stale,
    /// A mail that must not be sent any more.
    #[error("this mail must no longer be sent")]
    MailOutlived,
    /// Refused before the use case.
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error("database")]
    Database(#[source] sqlx::Error),
    /// A key or hash could not be made.
    #[error("cryptography: {0}")]
    Cryptography(String),
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        match db::constraint(&error) {
            Some("users_email_key") => Self::EmailTaken,
            _ => Self::Database(error),
        }
    }
}

impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        Self::Database(sqlx::Error::Decode(Box::new(error)))
    }
}

impl Error {
    #[must_use]
    pub fn field(field: &'static str, sentence: &'static str) -> Self {
        Self::Fields(FieldErrors::one(field, sentence))
    }
}

impl Fault for Error {
    fn meaning(&self) -> Meaning<'_> {
        match self {
            Self::Fields(_) => Meaning::Own(Kind::Invalid, ErrorReason::ValidationFailed),
            Self::EmailTaken => Meaning::Own(Kind::Conflict, ErrorReason::EmailTaken),
            Self::InvalidCredentials => Meaning::Own(Kind::Unauthenticated, ErrorReason::InvalidCredentials),
            Self::TotpRequired => Meaning::Own(Kind::Unauthenticated, ErrorReason::TotpRequired),
            Self::PasskeyRequired => Meaning::Own(Kind::Unauthenticated, ErrorReason::PasskeyRequired),
            Self::PasskeyRefused(_) => Meaning::Own(Kind::Invalid, ErrorReason::PasskeyRefused),
            Self::TooManyPasskeys => Meaning::Own(Kind::Conflict, ErrorReason::TooManyPasskeys),
            Self::PasskeySignatureRequired(_) => Meaning::Own(Kind::Forbidden, ErrorReason::PasskeySignatureRequired),
            Self::FactorLocked(_)
            | Self::TooManyTries(_)
            | Self::Overloaded
            | Self::TooManyCodes
            | Self::CodeJustSent(_) => Meaning::Own(Kind::RateLimited, ErrorReason::TooManyRequests),
            Self::InvalidCode | Self::WrongDestinationCode | Self::WrongTotp(_) => {
                Meaning::Own(Kind::Invalid, ErrorReason::InvalidCode)
            }
            Self::InvalidResetToken => Meaning::Own(Kind::Invalid, ErrorReason::InvalidResetToken),
            Self::InvalidLink => Meaning::Own(Kind::Invalid, ErrorReason::InvalidLink),
            Self::ReauthenticationRequired => Meaning::Own(Kind::Forbidden, ErrorReason::ReauthenticationRequired),
            Self::WrongPassword(_) => Meaning::Own(Kind::Invalid, ErrorReason::WrongPassword),
            Self::AccountFrozen => Meaning::Own(Kind::Forbidden, ErrorReason::AccountFrozen),
            Self::OwnAccount => Meaning::Own(Kind::Forbidden, ErrorReason::PermissionDenied),
            Self::Stale => Meaning::Own(Kind::Conflict, ErrorReason::StaleRevision),
            Self::NotFound(_) | Self::MailOutlived => Meaning::Own(Kind::NotFound, ErrorReason::NotFound),
            Self::Cryptography(_) => Meaning::Own(Kind::Internal, ErrorReason::Internal),
            Self::Refused(refusal) => Meaning::Refused(refusal),
            Self::Database(error) => Meaning::Database(error),
        }
    }

    fn fields(&self) -> Vec<(String, String)> {
        match self {
            Self::Fields(errors) => errors.iter().map(|(field, text)| (field.to_owned(), text.to_owned())).collect(),
            Self::EmailTaken => vec![("email".to_owned(), self.sentence())],
            Self::InvalidCode => vec![("otp".to_owned(), self.sentence())],
            Self::WrongDestinationCode => vec![("code".to_owned(), self.sentence())],
            Self::WrongTotp(field) => vec![((*field).to_owned(), self.sentence())],
            Self::WrongPassword(field) => vec![((*field).to_owned(), self.sentence())],
            _ => Vec::new(),
        }
    }

    fn facts(&self) -> Facts {
        match self {
            Self::PasskeySignatureRequired(digest) => [("digest".to_owned(), to_hex(digest).into())].into(),
            _ => Facts::new(),
        }
    }

    fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::FactorLocked(delay) | Self::TooManyTries(delay) | Self::CodeJustSent(delay) => Some(*delay),
            Self::Overloaded => Some(Duration::from_secs(2)),
            Self::TooManyCodes => Some(Duration::from_mins(10)),
            _ => None,
        }
    }
}

/// No live session.
#[must_use]
pub fn unauthenticated() -> Error {
    Error::Refused(identity::unauthenticated())
}

fn minutes(wait: Duration) -> u64 {
    wait.as_secs().div_ceil(60)
}
