//! Errors on the wire: one shape for everything that is not a success (D-G2, D-G3).

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use chassis::error::{Facts, Kind, Refusal, from_status};
use chassis::grpc::REPLAYED;
use proto::common::v1::ErrorReason;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use tonic::Status;
use utoipa::{IntoResponses, ToSchema};

use crate::refusal_page::{self, Reader};

/// A request that was not carried out, and why.
#[derive(Debug, Clone)]
pub struct ApiError {
    status: StatusCode,
    refusal: Box<Refusal>,
    /// The id of the request that was refused first, if this is a replay.
    replayed: Option<String>,
    /// Why, for the log.
    cause: Option<&'static str>,
}

/// Marks an answer that is a page of the web app: people read it, also where it says that there is nothing.
#[derive(Debug, Clone, Copy)]
pub struct Page;

/// The body of every error.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ErrorReply {
    /// Always false.
    #[schema(example = false)]
    pub success: bool,
    /// A sentence for people.
    #[schema(example = "Insufficient balance")]
    pub message: String,
    /// Why, for programs; see ErrorReason of the gRPC contract.
    #[schema(example = "INSUFFICIENT_BALANCE")]
    pub code: String,
    /// Names the request in the logs.
    pub request_id: String,
    /// What is wrong by field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errors: Option<BTreeMap<String, String>>,
    /// What else it tells, by name.
    #[serde(flatten)]
    #[schema(ignore)]
    pub facts: Facts,
}

/// The errors that any operation may answer.
#[derive(IntoResponses)]
pub enum Errors {
    /// The request could not be read.
    #[response(status = 400)]
    Malformed(ErrorReply),
    /// No session, or a dead one.
    #[response(status = 401)]
    Unauthenticated(ErrorReply),
    /// Not verified, frozen, or not permitted.
    #[response(status = 403)]
    Forbidden(ErrorReply),
    /// Unknown, or not yours.
    #[response(status = 404)]
    NotFound(ErrorReply),
    /// The method is not known here.
    #[response(status = 405)]
    MethodNotAllowed(ErrorReply),
    /// The request came in too slowly.
    #[response(status = 408)]
    Timeout(ErrorReply),
    /// Not in this state.
    #[response(status = 409)]
    Conflict(ErrorReply),
    /// The body or the file is too large.
    #[response(status = 413)]
    TooLarge(ErrorReply),
    /// The body or the file is of a kind that is not accepted.
    #[response(status = 415)]
    UnsupportedMediaType(ErrorReply),
    /// Fields are missing or wrong, or the rules of the business refuse it.
    #[response(status = 422)]
    Invalid(ErrorReply),
    /// Too often; Retry-After says when to come back.
    #[response(status = 429)]
    TooMany(ErrorReply),
    /// A failure on our side.
    #[response(status = 500)]
    Internal(ErrorReply),
    /// Something we need is away.
    #[response(status = 503)]
    Unavailable(ErrorReply),
    /// It took too long; an Idempotency-Key tells what became of it.
    #[response(status = 504)]
    DeadlineExceeded(ErrorReply),
}

impl ApiError {
    /// An error of this status.
    #[must_use]
    pub fn new(status: StatusCode, reason: ErrorReason, message: &str) -> Self {
        let refusal = Box::new(Refusal::new(Kind::Invalid, reason, message));
        Self { status, refusal, replayed: None, cause: None }
    }

    /// The request could not be read.
    #[must_use]
    pub fn malformed(message: &str) -> Self {
        Self::new(StatusCode::BAD_REQUEST, ErrorReason::MalformedRequest, message)
    }

    /// Whether nothing was done and nothing will be: not so when the answer was lost, or a call with the same key still
    /// runs.
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

    /// Nothing here.
    #[must_use]
    pub fn not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, ErrorReason::NotFound, "We could not find what you asked for.")
    }

    /// A failure on our side, logged with its cause.
    pub fn internal(cause: impl std::fmt::Display) -> Self {
        tracing::error!(error = %cause, "request failed");
        Self::of_status(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// Fields that are wrong, at least one.
    #[must_use]
    pub fn fields(fields: Vec<(String, String)>) -> Self {
        let message = fields.first().map(|(_, sentence)| sentence.clone()).unwrap_or_default();
        let mut refusal = Refusal::new(Kind::Invalid, ErrorReason::ValidationFailed, message);
        refusal.fields = fields;
        Self::from(refusal)
    }

    /// A fact that the refusal tells.
    #[must_use]
    pub fn fact(&self, name: &str) -> Option<&Value> {
        self.refusal.facts.as_ref()?.get(name)
    }

    /// The same with other words and another fact.
    #[must_use]
    pub fn with_fact(mut self, message: String, name: &str, fact: Value) -> Self {
        self.refusal.message = message;
        self.refusal.facts.get_or_insert_default().insert(name.to_owned(), fact);
        self
    }

    /// What a bare status means: for answers that a library made.
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

    /// Says why in the log, where a request that could not be answered leaves a line.
    #[must_use]
    pub fn because(mut self, cause: &'static str) -> Self {
        self.cause = Some(cause);
        self
    }

    /// Asks the client to come back after this many seconds.
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
    /// Without a body: [`render`] writes it, since it knows the request.
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

/// Gives every error its body, those made by libraries too.
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
        tracing::warn!(status = status.as_u16(), code = refusal.code, cause, "request could not be answered");
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
