//! Refusals as gRPC statuses, and back.

use std::collections::HashMap;

use proto::common::v1::ErrorReason;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, FieldViolation, StatusExt};

use super::{Facts, Fault, Kind, Refusal, code};
use crate::log_limit::LogLimit;

/// The domain of the `ErrorInfo` detail.
const DOMAIN: &str = "solvane";

/// Metadata of an answer that was given before, with the id of the first request.
pub const REPLAYED: &str = "idempotency-replayed";

const CODES: [(Kind, Code); 8] = [
    (Kind::Invalid, Code::InvalidArgument),
    (Kind::Unauthenticated, Code::Unauthenticated),
    (Kind::Forbidden, Code::PermissionDenied),
    (Kind::NotFound, Code::NotFound),
    (Kind::Conflict, Code::FailedPrecondition),
    (Kind::RateLimited, Code::ResourceExhausted),
    (Kind::Unavailable, Code::Unavailable),
    (Kind::Internal, Code::Internal),
];

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
    let code = CODES.iter().find(|(kind, _)| *kind == refusal.kind).map_or(Code::Internal, |(_, code)| *code);
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
    let kind = CODES.iter().find(|(_, code)| *code == status.code()).map_or(Kind::Internal, |(kind, _)| *kind);
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

    use super::{CODES, Kind, Refusal, from_status, refusal_to_status};

    #[test]
    fn a_refusal_survives_the_wire() {
        for (kind, _) in CODES {
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
