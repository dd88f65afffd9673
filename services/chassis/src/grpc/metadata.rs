//! The metadata of calls and responses.

use tonic::metadata::MetadataMap;
use tonic::{Response, Status};

use crate::error::REPLAYED;
use crate::idempotency::Answer;

/// Metadata: the id of the request as the gateway named it.
pub const REQUEST_ID: &str = "x-request-id";

/// The id of the request as the gateway named it.
#[must_use]
pub fn request_id(metadata: &MetadataMap) -> &str {
    metadata.get(REQUEST_ID).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// What a handler of gRPC returns.
pub type Reply<T> = Result<Response<T>, Status>;

/// A response that says whether it was given before.
pub fn answer<T>(answer: Answer<T>) -> Response<T> {
    let mut response = Response::new(answer.result);
    if let Some(value) = answer.replayed.and_then(|id| id.parse().ok()) {
        response.metadata_mut().insert(REPLAYED, value);
    }
    response
}
