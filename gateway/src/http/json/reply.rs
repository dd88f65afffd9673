//! Bodies of successes.

use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use route_macros::response;
use serde::Serialize;

use crate::http::convert::{FromProto, from_proto};
use crate::http::error::ApiError;

/// A success, with its body as JSON beside `"success": true`.
#[derive(Debug)]
pub struct Reply<T, const STATUS: u16 = 200> {
    body: T,
    is_replay: bool,
}

/// What most handlers return: 200 with this body.
pub type Answer<T> = Result<Reply<T>, ApiError>;

/// 201 with this body.
pub type Created<T> = Result<Reply<T, 201>, ApiError>;

/// What every success has in common.
#[derive(Serialize)]
pub struct Success<T> {
    success: bool,
    #[serde(flatten)]
    body: T,
}

impl<T> Success<T> {
    /// A success with this body.
    pub const fn with(body: T) -> Self {
        Self { success: true, body }
    }
}

impl<T: Serialize, const STATUS: u16> IntoResponse for Reply<T, STATUS> {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(STATUS).unwrap_or_default();
        let body = axum::Json(Success::with(self.body));
        let mut response = (status, body).into_response();
        if self.is_replay {
            response.headers_mut().insert("idempotency-replayed", HeaderValue::from_static("true"));
        }
        response
    }
}

/// 200 with this body.
pub fn ok<T>(body: T) -> Reply<T> {
    Reply { body, is_replay: false }
}

/// 201 with this body.
pub fn created<T>(body: T) -> Reply<T, 201> {
    Reply { body, is_replay: false }
}

/// The reply with the sign of a replay, if the service repeated an earlier response.
pub fn marked<T, const STATUS: u16>(is_replay: bool, reply: Reply<T, STATUS>) -> Reply<T, STATUS> {
    Reply { is_replay, ..reply }
}

/// A reply made of what a service sent.
pub fn reply<M, T: FromProto<M>, const STATUS: u16>(sent: M) -> Result<Reply<T, STATUS>, ApiError> {
    Ok(Reply { body: from_proto(sent)?, is_replay: false })
}

/// A success without data.
#[response]
pub struct Done {
    /// A sentence to show to the person.
    pub message: String,
}

/// A success without data, with this sentence.
pub fn done(message: &str) -> Answer<Done> {
    Ok(ok(Done { message: message.to_owned() }))
}

/// What a service sent for a change with an idempotency key.
pub struct Kept<M> {
    pub sent: M,
    /// Whether it repeats an earlier response.
    pub is_replay: bool,
}

impl<M> Kept<M> {
    /// The reply made of it.
    pub fn reply<T, const STATUS: u16>(
        self,
        make: impl FnOnce(M) -> Result<T, ApiError>,
    ) -> Result<Reply<T, STATUS>, ApiError> {
        Ok(Reply { body: make(self.sent)?, is_replay: self.is_replay })
    }

    /// A success without data, with this sentence.
    pub fn done(self, message: &str) -> Answer<Done> {
        self.reply(|_| Ok(Done { message: message.to_owned() }))
    }
}
