//! Errors on the wire: one shape for everything that is not a success (D-G2, D-G3).

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use chassis::error::{Facts, Kind, Refusal, from_status};
use chassis::grpc::REPLAYED;
use chassis::log_limit::LogLimit;
use proto::common::v1::ErrorReason;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io;
use tonic::Status;
use utoipa::openapi as document;
use utoipa::{IntoResponses, ToSchema};

use crate::http::names::ErrorCode;
use crate::http::refusal_page::{self, Reader};

/// A request that was not carried out, and why.
#[derive(Debug, Clone)]
pub struct ApiError {
    status: StatusCode,
    refusal: Box<Refusal>,
    /// The id of the first request with the same key, if this refusal is replayed.
    replayed: Option<String>,
    /// The cause, for the log.
    cause: Option<&'static str>,
}

/// Marks a page of the web app, also the one of an unknown address: people read it.
#[derive(Debug, Clone, Copy)]
pub struct Page;

/// The body of every error.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ErrorReply {
    /// Always `false`.
    #[schema(example = false)]
    pub success: bool,
    /// A sentence to show to the person.
    #[schema(example = "Insufficient balance")]
    pub message: String,
    #[schema(value_type = ErrorCode)]
    pub code: String,
    /// Id of the request in the logs; support asks for it.
    pub request_id: String,
    /// What is wrong with each field, by its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub errors: Option<BTreeMap<String, String>>,
    /// Further facts about the refusal, e.g. `availableAt` of `LIMIT_REACHED`.
    #[serde(flatten)]
    #[schema(ignore)]
    pub facts: Facts,
}

/// The response that every operation may give instead of its own; the document holds it once.
pub enum Errors {}

impl Errors {
    /// Its name among the components of the document.
    pub const NAME: &str = "Error";

    /// The statuses and their meanings.
    const STATUSES: [(StatusCode, &str); 17] = [
        (StatusCode::BAD_REQUEST, "the request could not be read"),
        (StatusCode::UNAUTHORIZED, "no session, or one that has ended"),
        (StatusCode::FORBIDDEN, "not verified, frozen, or not permitted"),
        (StatusCode::NOT_FOUND, "unknown, or not yours"),
        (StatusCode::METHOD_NOT_ALLOWED, "the method is not known here"),
        (StatusCode::REQUEST_TIMEOUT, "the request came in too slowly"),
        (StatusCode::CONFLICT, "not in this state"),
        (StatusCode::PRECONDITION_FAILED, "a version of a protocol that is not known here"),
        (StatusCode::PAYLOAD_TOO_LARGE, "the body or the file is too large"),
        (StatusCode::URI_TOO_LONG, "the address is too long"),
        (StatusCode::UNSUPPORTED_MEDIA_TYPE, "the body or the file is of a kind that is not accepted"),
        (StatusCode::UNPROCESSABLE_ENTITY, "fields are missing or wrong, or the rules of the business refuse it"),
        (StatusCode::TOO_MANY_REQUESTS, "too often; Retry-After says when to come back"),
        (StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, "the headers are too large"),
        (StatusCode::INTERNAL_SERVER_ERROR, "a failure on our side"),
        (StatusCode::SERVICE_UNAVAILABLE, "something we need is away"),
        (StatusCode::GATEWAY_TIMEOUT, "it took too long; an Idempotency-Key tells what became of it"),
    ];

    pub fn response() -> document::Response {
        let meanings = Self::STATUSES.map(|(status, meaning)| format!("{}: {meaning}.", status.as_u16()));
        let body = document::Content::new(Some(document::Ref::from_schema_name("ErrorReply")));
        document::ResponseBuilder::new().description(meanings.join(" ")).content("application/json", body).build()
    }
}

impl IntoResponses for Errors {
    fn responses() -> BTreeMap<String, document::RefOr<document::Response>> {
        let reference = document::Ref::from_response_name(Self::NAME);
        BTreeMap::from([("default".to_owned(), document::RefOr::Ref(reference))])
    }
}

impl ApiError {
    /// An error of this status.
    #[must_use]
    pub fn new(status: StatusCode, reason: ErrorReason, message: &str) -> Self {
        let refusal = Box::new(Refusal::new(Kind::Invalid, reason, message));
        Self { status, refusal, replayed: None, cause: None }
    }

    /// A request that cannot be read.
    #[must_use]
    pub fn malformed(message: &str) -> Self {
        Self::new(StatusCode::BAD_REQUEST, ErrorReason::MalformedRequest, message)
    }

    /// The HTTP status of the response.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// The sentence for the person.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.refusal.message
    }

    /// Whether the request certainly has no effect: not if the response was lost, or if a call with
    /// the same key is running.
    #[must_use]
    pub fn is_final(&self) -> bool {
        self.status.is_client_error() && self.refusal.reason() != ErrorReason::IdempotencyKeyInFlight
    }

    /// A file or body that is too large.
    #[must_use]
    pub fn too_large(message: &str) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, ErrorReason::PayloadTooLarge, message)
    }

    /// A body or file of the wrong kind.
    #[must_use]
    pub fn unsupported(message: &str) -> Self {
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, ErrorReason::UnsupportedMediaType, message)
    }

    /// Nothing exists at this address.
    #[must_use]
    pub fn not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, ErrorReason::NotFound, "We could not find what you asked for.")
    }

    /// A failure on our side, logged with its cause.
    pub fn internal(cause: impl std::fmt::Display) -> Self {
        static LIMIT: LogLimit = LogLimit::new();
        LIMIT.log(|left_out| tracing::error!(error = %cause, left_out, "request failed"));
        Self::of_status(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// The end of a download that has begun and cannot go on.
    pub fn broken_off(self, what: &str) -> io::Error {
        tracing::warn!(error = ?self, what, "a download broke off");
        io::Error::other("the download broke off")
    }

    /// Wrong fields, at least one.
    #[must_use]
    pub fn fields(fields: Vec<(String, String)>) -> Self {
        let message = fields.first().map(|(_, sentence)| sentence.clone()).unwrap_or_default();
        let mut refusal = Refusal::new(Kind::Invalid, ErrorReason::ValidationFailed, message);
        refusal.fields = fields;
        Self::from(refusal)
    }

    /// A fact about the refusal by its name.
    #[must_use]
    pub fn fact(&self, name: &str) -> Option<&Value> {
        self.refusal.facts.as_ref()?.get(name)
    }

    /// The same error with another sentence and one more fact.
    #[must_use]
    pub fn with_fact(mut self, message: String, name: &str, fact: Value) -> Self {
        self.refusal.message = message;
        self.refusal.facts.get_or_insert_default().insert(name.to_owned(), fact);
        self
    }

    /// The same error with another status, if it has this reason.
    #[must_use]
    pub fn with_status_of(mut self, reason: ErrorReason, status: StatusCode) -> Self {
        if self.refusal.reason() == reason {
            self.status = status;
        }
        self
    }

    /// The error for a bare status that a library responded with.
    #[must_use]
    pub fn of_status(status: StatusCode) -> Self {
        let (reason, message) = match status {
            StatusCode::BAD_REQUEST => (ErrorReason::MalformedRequest, "The request could not be read."),
            StatusCode::NOT_FOUND => (ErrorReason::RouteNotFound, "There is nothing at this address."),
            StatusCode::METHOD_NOT_ALLOWED => (ErrorReason::MethodNotAllowed, "This cannot be done at this address."),
            StatusCode::REQUEST_TIMEOUT => (ErrorReason::RequestTimeout, "The request came in too slowly."),
            StatusCode::PAYLOAD_TOO_LARGE => (ErrorReason::PayloadTooLarge, "The request is too large."),
            StatusCode::URI_TOO_LONG => (ErrorReason::UriTooLong, "The address of the request is too long."),
            StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => {
                (ErrorReason::HeadersTooLarge, "The headers of the request are too large.")
            }
            StatusCode::UNSUPPORTED_MEDIA_TYPE => {
                (ErrorReason::UnsupportedMediaType, "This kind of content is not accepted here.")
            }
            StatusCode::UNPROCESSABLE_ENTITY => (ErrorReason::ValidationFailed, "Please check what you entered."),
            StatusCode::TOO_MANY_REQUESTS => {
                (ErrorReason::TooManyRequests, "Too many requests. Please wait a moment and try again.")
            }
            StatusCode::SERVICE_UNAVAILABLE => {
                (ErrorReason::Unavailable, "We can't answer right now. Please try again in a moment.")
            }
            StatusCode::GATEWAY_TIMEOUT => (
                ErrorReason::DeadlineExceeded,
                "This is taking longer than it should. Please check before you try again.",
            ),
            _ => (ErrorReason::Internal, "Something went wrong on our side. Please try again."),
        };
        Self::new(status, reason, message)
    }

    /// Adds a cause to the log line of a request that could not be answered.
    #[must_use]
    pub fn because(mut self, cause: &'static str) -> Self {
        self.cause = Some(cause);
        self
    }

    /// Says when the client may to try again.
    #[must_use]
    pub fn retry_after(mut self, delay: std::time::Duration) -> Self {
        self.refusal.retry_after = Some(delay);
        self
    }
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        let status = match refusal.kind {
            Kind::Invalid => StatusCode::UNPROCESSABLE_ENTITY,
            Kind::Unauthenticated => StatusCode::UNAUTHORIZED,
            Kind::Forbidden => StatusCode::FORBIDDEN,
            Kind::NotFound => StatusCode::NOT_FOUND,
            Kind::Conflict => StatusCode::CONFLICT,
            Kind::RateLimited => StatusCode::TOO_MANY_REQUESTS,
            Kind::Unavailable if refusal.reason() == ErrorReason::DeadlineExceeded => StatusCode::GATEWAY_TIMEOUT,
            Kind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            Kind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        };
        if status == StatusCode::GATEWAY_TIMEOUT {
            return Self::of_status(status);
        }
        Self { status, refusal: Box::new(refusal), replayed: None, cause: None }
    }
}

impl From<Status> for ApiError {
    fn from(status: Status) -> Self {
        let mut error = Self::from(from_status(&status));
        error.replayed = status.metadata().get(REPLAYED).and_then(|value| value.to_str().ok()).map(ToOwned::to_owned);
        error
    }
}

impl IntoResponse for ApiError {
    /// Has no body yet: [`render`] adds it, because it knows the request.
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

/// The body of an error that the HTTP parser answers by itself, before there is a request.
#[must_use]
pub fn unparsed(status: StatusCode, request_id: String) -> Vec<u8> {
    let refusal = ApiError::of_status(status).refusal;
    let body = ErrorReply {
        success: false,
        message: refusal.message,
        code: refusal.code,
        request_id,
        errors: None,
        facts: Facts::new(),
    };
    serde_json::to_vec(&body).unwrap_or_default()
}

/// Gives every error response its body, also those of libraries.
#[must_use]
pub fn render(request_id: &str, reader: Reader, response: Response) -> Response {
    let status = response.status();
    let is_error = status.is_client_error() || status.is_server_error();
    if !is_error || response.extensions().get::<Page>().is_some() {
        return response;
    }
    let error = response.extensions().get::<ApiError>().cloned().unwrap_or_else(|| ApiError::of_status(status));
    let refusal = *error.refusal;
    if matches!(status, StatusCode::SERVICE_UNAVAILABLE | StatusCode::GATEWAY_TIMEOUT) {
        let cause = error.cause.unwrap_or("a service could not answer");
        static LIMIT: LogLimit = LogLimit::new();
        LIMIT.log(|left_out| {
            tracing::warn!(
                status = status.as_u16(),
                code = refusal.code,
                cause,
                left_out,
                "request could not be answered"
            );
        });
    }
    let fields: BTreeMap<_, _> = refusal.fields.into_iter().collect();
    let body = ErrorReply {
        success: false,
        message: refusal.message,
        code: refusal.code,
        request_id: error.replayed.clone().unwrap_or_else(|| request_id.to_owned()),
        errors: (!fields.is_empty()).then_some(fields),
        facts: refusal.facts.map(|facts| *facts).unwrap_or_default(),
    };
    let mut rendered = match reader {
        Reader::Program => (status, Json(body)).into_response(),
        Reader::Person => refusal_page::page(status, &body.message, &body.request_id),
    };
    for name in [header::ALLOW, header::RETRY_AFTER, header::VARY] {
        if let Some(value) = response.headers().get(&name) {
            rendered.headers_mut().insert(name, value.clone());
        }
    }
    let busy = matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE);
    if let Some(delay) = refusal.retry_after.or(busy.then_some(std::time::Duration::from_secs(1))) {
        rendered.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(delay.as_secs().max(1)));
    }
    if error.replayed.is_some() {
        rendered.headers_mut().insert("idempotency-replayed", HeaderValue::from_static("true"));
    }
    rendered
}

#[cfg(test)]
mod tests {
    use axum::http::StatusCode;
    use chassis::error::{Kind, Refusal};
    use proto::common::v1::ErrorReason;

    use super::{ApiError, Errors};

    /// [D-G3] The document describes each status that an error can have.
    #[test]
    fn every_status_of_an_error_is_documented() {
        let documented = |status: StatusCode| Errors::STATUSES.iter().any(|(one, _)| *one == status);
        let kinds = [
            (Kind::Invalid, ErrorReason::ValidationFailed),
            (Kind::Unauthenticated, ErrorReason::Unauthenticated),
            (Kind::Forbidden, ErrorReason::PermissionDenied),
            (Kind::NotFound, ErrorReason::NotFound),
            (Kind::Conflict, ErrorReason::AlreadyDecided),
            (Kind::RateLimited, ErrorReason::TooManyRequests),
            (Kind::Unavailable, ErrorReason::Unavailable),
            (Kind::Unavailable, ErrorReason::DeadlineExceeded),
            (Kind::Internal, ErrorReason::Internal),
        ];
        for (kind, reason) in kinds {
            let status = ApiError::from(Refusal::new(kind, reason, "")).status;
            assert!(documented(status), "{status}");
        }
        let libraries = (400..600).filter_map(|code| StatusCode::from_u16(code).ok());
        for status in libraries.filter(|status| ApiError::of_status(*status).refusal.reason() != ErrorReason::Internal)
        {
            assert!(documented(status), "{status}");
        }
    }
}
