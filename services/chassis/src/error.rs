//! Errors of calls: one trait for the errors of all services, one conversion to gRPC and back.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::time::Duration;

use proto::common::v1::ErrorReason;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, FieldViolation, StatusExt};

use crate::db;
use crate::log_limit::LogLimit;

/// The domain of the `ErrorInfo` detail.
const DOMAIN: &str = "solvane";

/// Metadata of an answer that was given before, with the id of the first request.
pub const REPLAYED: &str = "idempotency-replayed";

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
    /// What it means to the caller.
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

/// Converts a service error to a gRPC status; the only place where failures are logged.
#[must_use]
pub fn to_status(fault: &impl Fault) -> Status {
    let refusal = Refusal::of(fault);
    match refusal.kind {
        Kind::Internal => {
            static LIMIT: LogLimit = LogLimit::new();
            LIMIT.log(|left_out| tracing::error!(error = %chain(fault), left_out, "call failed"));
        }
        Kind::Unavailable => {
            static LIMIT: LogLimit = LogLimit::new();
            LIMIT.log(|left_out| tracing::warn!(error = %chain(fault), left_out, "call could not be answered"));
        }
        _ => tracing::debug!(error = %fault, "call refused"),
    }
    refusal_to_status(&refusal)
}

impl From<Refusal> for Status {
    fn from(refusal: Refusal) -> Self {
        to_status(&refusal)
    }
}

/// A refusal as a gRPC status with details, and in its metadata whether it was given before.
#[must_use]
pub fn refusal_to_status(refusal: &Refusal) -> Status {
    let facts: HashMap<_, _> = refusal
        .facts
        .iter()
        .flat_map(|facts| facts.iter())
        .map(|(name, fact)| (name.clone(), fact.to_string()))
        .collect();
    let mut details = ErrorDetails::with_error_info(refusal.code.clone(), DOMAIN, facts);
    if !refusal.fields.is_empty() {
        let violations: Vec<_> =
            refusal.fields.iter().map(|(field, sentence)| FieldViolation::new(field, sentence)).collect();
        details.set_bad_request(violations);
    }
    if let Some(delay) = refusal.retry_after {
        details.set_retry_info(Some(delay));
    }
    let code = match refusal.kind {
        Kind::Invalid => Code::InvalidArgument,
        Kind::Unauthenticated => Code::Unauthenticated,
        Kind::Forbidden => Code::PermissionDenied,
        Kind::NotFound => Code::NotFound,
        Kind::Conflict => Code::FailedPrecondition,
        Kind::RateLimited => Code::ResourceExhausted,
        Kind::Unavailable => Code::Unavailable,
        Kind::Internal => Code::Internal,
    };
    let mut status = Status::with_error_details(code, refusal.message.clone(), details);
    if let Some(id) = refusal.replayed.as_deref().and_then(|id| id.parse().ok()) {
        status.metadata_mut().insert(REPLAYED, id);
    }
    status
}

/// Converts the gRPC status of another service. A status that none of our servers made, such as a broken connection or
/// a missed deadline, becomes [`Kind::Unavailable`].
#[must_use]
pub fn from_status(status: &Status) -> Refusal {
    let details = status.get_error_details();
    let ours = details.error_info().filter(|info| info.domain == DOMAIN);
    let Some(info) = ours else {
        // A status with a source is made on this side, of a connection that failed.
        let was_answered = std::error::Error::source(status).is_none();
        if was_answered && matches!(status.code(), Code::Internal | Code::Unimplemented | Code::InvalidArgument) {
            static LIMIT: LogLimit = LogLimit::new();
            LIMIT.log(|left_out| {
                let (code, message) = (status.code(), status.message());
                tracing::error!(?code, message, left_out, "unexpected status from a service");
            });
            return Refusal::internal();
        }
        static LIMIT: LogLimit = LogLimit::new();
        LIMIT.log(|left_out| {
            tracing::warn!(code = ?status.code(), message = status.message(), left_out, "service could not be reached");
        });
        let mut refusal = Refusal::unavailable();
        if matches!(status.code(), Code::DeadlineExceeded | Code::Cancelled) {
            refusal.code = code(ErrorReason::DeadlineExceeded);
        }
        return refusal;
    };
    let kind = match status.code() {
        Code::InvalidArgument => Kind::Invalid,
        Code::Unauthenticated => Kind::Unauthenticated,
        Code::PermissionDenied => Kind::Forbidden,
        Code::NotFound => Kind::NotFound,
        Code::FailedPrecondition => Kind::Conflict,
        Code::ResourceExhausted => Kind::RateLimited,
        Code::Unavailable => Kind::Unavailable,
        _ => Kind::Internal,
    };
    let fields = details
        .bad_request()
        .map(|bad| bad.field_violations.iter().map(|one| (one.field.clone(), one.description.clone())).collect())
        .unwrap_or_default();
    let facts: Facts = info
        .metadata
        .iter()
        .filter_map(|(name, fact)| Some((name.clone(), serde_json::from_str(fact).ok()?)))
        .collect();
    Refusal {
        kind,
        code: info.reason.clone(),
        message: status.message().to_owned(),
        fields,
        facts: Some(facts).filter(|facts| !facts.is_empty()).map(Box::new),
        retry_after: details.retry_info().and_then(|info| info.retry_delay),
        // Given before to this process, which may well give it for the first time.
        replayed: None,
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

fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proto::common::v1::ErrorReason;
    use tonic::Status;

    use super::{Kind, Refusal, from_status, refusal_to_status};

    #[test]
    fn a_refusal_survives_the_wire() {
        for kind in [
            Kind::Invalid,
            Kind::Unauthenticated,
            Kind::Forbidden,
            Kind::NotFound,
            Kind::Conflict,
            Kind::RateLimited,
            Kind::Unavailable,
            Kind::Internal,
        ] {
            let mut refusal = Refusal::new(kind, ErrorReason::EmailTaken, "That email is taken");
            refusal.fields = vec![("email".to_owned(), "That email is taken".to_owned())];
            refusal.facts = Some(Box::new([("left".to_owned(), 3.into())].into()));
            refusal.retry_after = Some(Duration::from_secs(3));
            assert_eq!(from_status(&refusal_to_status(&refusal)), refusal);
        }
    }

    /// [D-G2] Nothing a library says reaches a member.
    #[test]
    fn a_foreign_status_says_nothing_of_its_cause() {
        let refusal = from_status(&Status::unavailable("tcp connect error: 10.0.0.3:5432"));
        assert_eq!(refusal.kind, Kind::Unavailable);
        assert!(!refusal.message.contains("tcp"));
        let refusal = from_status(&Status::deadline_exceeded("timeout"));
        assert_eq!(refusal.reason(), ErrorReason::DeadlineExceeded);
    }
}
