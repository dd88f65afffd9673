//! Errors of calls: one trait for the errors of all services, one conversion to gRPC and back.

mod status;

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use proto::common::v1::ErrorReason;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::db;

pub use self::status::{REPLAYED, from_status, refusal_to_status, to_status};

/// What kind of refusal or failure it is; decides the gRPC code and the HTTP status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The caller sent something that can never be accepted as it is: 422.
    Invalid,
    /// No session, or a dead one: 401.
    Unauthenticated,
    /// The caller may not: 403.
    Forbidden,
    /// Unknown, or not the caller's: 404.
    NotFound,
    /// Not in this state: 409.
    Conflict,
    /// Too often: 429.
    RateLimited,
    /// A dependency is away: 503.
    Unavailable,
    /// A bug or a broken invariant: 500.
    Internal,
}

/// What a refusal carries besides its sentence, by name: shown in an error answer beside its code.
pub type Facts = BTreeMap<String, Value>;

/// What an error means to the caller.
pub enum Meaning<'e> {
    /// An error of the service itself.
    Own(Kind, ErrorReason),
    /// A refusal that the service passes on unchanged.
    Refused(&'e Refusal),
    /// A failed statement or commit.
    Database(&'e sqlx::Error),
}

/// Every service's error enum. Fields, facts and delay are asked for only where the error means [`Meaning::Own`]; a refusal
/// that is passed on keeps its own.
pub trait Fault: std::error::Error + Send + Sync {
    /// How the error is reported: own kind and reason, a passed-on refusal, or a database error.
    fn meaning(&self) -> Meaning<'_>;

    /// What is wrong by field, as (field, sentence).
    fn fields(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// What it carries besides, by name.
    fn facts(&self) -> Facts {
        Facts::new()
    }

    /// When another try makes sense.
    fn retry_after(&self) -> Option<Duration> {
        None
    }

    /// Whether its own words are meant for the caller.
    fn is_worded(&self) -> bool {
        !matches!(self.kind(), Kind::Internal | Kind::Unavailable)
    }

    /// What kind it is.
    fn kind(&self) -> Kind {
        match self.meaning() {
            Meaning::Own(kind, _) => kind,
            Meaning::Refused(refusal) => refusal.kind,
            Meaning::Database(error) => database_kind(error),
        }
    }

    /// Why, for programs.
    fn reason(&self) -> ErrorReason {
        match self.meaning() {
            Meaning::Own(_, reason) => reason,
            Meaning::Refused(refusal) => refusal.reason(),
            Meaning::Database(error) if database_kind(error) == Kind::Unavailable => ErrorReason::Unavailable,
            Meaning::Database(_) => ErrorReason::Internal,
        }
    }

    /// The database's error, if it is one: decides whether a transaction is tried again.
    fn database(&self) -> Option<&sqlx::Error> {
        match self.meaning() {
            Meaning::Database(error) => Some(error),
            _ => None,
        }
    }

    /// The sentence a member reads.
    fn sentence(&self) -> String {
        match (self.meaning(), self.kind()) {
            (Meaning::Refused(refusal), _) => refusal.message.clone(),
            _ if self.is_worded() => capitalised(&self.to_string()),
            (_, Kind::Internal) => Refusal::internal().message,
            _ => Refusal::unavailable().message,
        }
    }
}

impl Fault for sqlx::Error {
    fn meaning(&self) -> Meaning<'_> {
        Meaning::Database(self)
    }
}

/// What kind of failure a database error is to a caller.
fn database_kind(error: &sqlx::Error) -> Kind {
    match error {
        // A proxy that finds no server for it closes a connection in its handshake, which is an error of the protocol.
        sqlx::Error::Io(_)
        | sqlx::Error::Protocol(_)
        | sqlx::Error::Tls(_)
        | sqlx::Error::PoolTimedOut
        | sqlx::Error::PoolClosed
        | sqlx::Error::WorkerCrashed => Kind::Unavailable,
        sqlx::Error::Database(database) => match database.code().as_deref() {
            // Lock and statement timeouts, lost races, too many connections, a full disk.
            Some("55P03" | "57014" | "40001" | "40P01" | "53300" | "53100" | "25P03") => Kind::Unavailable,
            Some(code) if db::is_changing_over(code) => Kind::Unavailable,
            _ => Kind::Internal,
        },
        _ => Kind::Internal,
    }
}

/// A refusal without its service's type: as stored for a replay, or as received from another service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// What kind it is.
    pub kind: Kind,
    /// The name of the [`ErrorReason`] without its prefix.
    pub code: String,
    /// The sentence a member reads.
    pub message: String,
    /// What is wrong by field.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<(String, String)>,
    /// What it carries besides, by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub facts: Option<Box<Facts>>,
    /// When another try makes sense.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<Duration>,
    /// The id of the first request, if the refusal was given before under the same key.
    #[serde(skip)]
    pub replayed: Option<Box<str>>,
}

impl Refusal {
    /// A refusal of this kind and reason.
    #[must_use]
    pub fn new(kind: Kind, reason: ErrorReason, message: impl Into<String>) -> Self {
        Self {
            kind,
            code: code(reason),
            message: message.into(),
            fields: Vec::new(),
            facts: None,
            retry_after: None,
            replayed: None,
        }
    }

    /// One field that is wrong.
    #[must_use]
    pub fn field(name: &str, sentence: impl Into<String>) -> Self {
        let sentence = sentence.into();
        let mut refusal = Self::new(Kind::Invalid, ErrorReason::ValidationFailed, sentence.clone());
        refusal.fields = vec![(name.to_owned(), sentence)];
        refusal
    }

    /// A dependency is away.
    #[must_use]
    pub fn unavailable() -> Self {
        Self::new(
            Kind::Unavailable,
            ErrorReason::Unavailable,
            "We can't answer right now. Please try again in a moment.",
        )
    }

    /// The refusal of a call that failed for a reason of our own.
    #[must_use]
    pub fn internal() -> Self {
        Self::new(Kind::Internal, ErrorReason::Internal, "Something went wrong on our side. Please try again.")
    }

    /// What a fault says to its caller.
    #[must_use]
    pub fn of(fault: &impl Fault) -> Self {
        let retry_after = match fault.meaning() {
            Meaning::Refused(refusal) => return refusal.clone(),
            Meaning::Database(error) if db::is_unstorable(error) => {
                let sentence = "The character U+0000 can't be used here.";
                return Self::new(Kind::Invalid, ErrorReason::ValidationFailed, sentence);
            }
            Meaning::Database(error) => db::retry_after(error),
            Meaning::Own(..) => fault.retry_after(),
        };
        Self {
            kind: fault.kind(),
            code: code(fault.reason()),
            message: fault.sentence(),
            fields: fault.fields(),
            facts: Some(fault.facts()).filter(|facts| !facts.is_empty()).map(Box::new),
            retry_after,
            replayed: None,
        }
    }

    /// The reason, [`ErrorReason::Unspecified`] if this build does not know it.
    #[must_use]
    pub fn reason(&self) -> ErrorReason {
        ErrorReason::from_str_name(&format!("ERROR_REASON_{}", self.code)).unwrap_or(ErrorReason::Unspecified)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.code)
    }
}

impl std::error::Error for Refusal {}

impl Fault for Refusal {
    fn meaning(&self) -> Meaning<'_> {
        Meaning::Refused(self)
    }
}

/// The reason's name without its prefix: the `code` of an error answer.
#[must_use]
pub fn code(reason: ErrorReason) -> String {
    let name = reason.as_str_name();
    name.strip_prefix("ERROR_REASON_").unwrap_or(name).to_owned()
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
