//! Calls to other services: their metadata, and when they may be retried.

use std::error::Error;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::{Code, ConnectError, Request, Response, Status};
use tonic_types::StatusExt;

use super::metadata::REQUEST_ID;
use crate::error::refusal_to_status;
use crate::identity::{Credential, Named};
use crate::telemetry;

/// How long a call between services may take unless the caller says less.
pub const DEADLINE: Duration = Duration::from_secs(5);
/// How often a call that may have reached the service is sent again.
const REPETITIONS: u32 = 2;
/// The longest pause a service may ask for; what takes longer is answered.
const PAUSE: Duration = Duration::from_secs(1);

/// What a call to another service carries besides its message.
#[derive(Debug, Clone)]
pub struct Outgoing {
    caller: Option<Caller>,
    request_id: Option<MetadataValue<Ascii>>,
    deadline: Duration,
}

impl Outgoing {
    /// Without a token or credential.
    #[must_use]
    pub fn anonymous() -> Self {
        Self { caller: None, request_id: None, deadline: DEADLINE }
    }

    /// On behalf of a session, as only the gateway may call.
    #[must_use]
    pub fn session(credential: &Credential, named: Named) -> Self {
        Self { caller: Some(Caller { credential: credential.clone(), named: Some(named) }), ..Self::anonymous() }
    }

    /// On this process's own behalf.
    #[must_use]
    pub fn service(credential: &Credential) -> Self {
        Self { caller: Some(Caller { credential: credential.clone(), named: None }), ..Self::anonymous() }
    }

    /// Names the request it belongs to.
    #[must_use]
    pub fn request_id(mut self, id: &str) -> Self {
        self.request_id = secret(id);
        self
    }

    /// Allows another time than [`DEADLINE`].
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// A request with all of it, the current trace context and the deadline included. The [channel](super::Channel) signs
    /// for the service that it leads to.
    #[must_use]
    pub fn request<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        request.set_timeout(self.deadline);
        if let Some(caller) = &self.caller {
            request.extensions_mut().insert(caller.clone());
        }
        let metadata = request.metadata_mut();
        if let Some(value) = &self.request_id {
            metadata.insert(REQUEST_ID, value.clone());
        }
        telemetry::inject(metadata);
        request
    }

    /// A message that takes effect as often as it arrives.
    #[must_use]
    pub fn once<T>(self, message: T) -> Call<T> {
        Call { outgoing: self, message, is_idempotent: false }
    }

    /// A message without effect, or with one effect however often it arrives, as under a key.
    #[must_use]
    pub fn idempotent<T>(self, message: T) -> Call<T> {
        Call { outgoing: self, message, is_idempotent: true }
    }
}

/// Who calls: a process, or a session for which it calls.
#[derive(Debug, Clone)]
struct Caller {
    credential: Credential,
    named: Option<Named>,
}

/// Signs every call for the service with this name.
#[derive(Debug, Clone, Copy)]
pub struct Callee(pub(super) &'static str);

impl Interceptor for Callee {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(Caller { credential, named }) = request.extensions_mut().remove::<Caller>() {
            let shown = credential.authorization(self.0, named).map_err(|refusal| refusal_to_status(&refusal))?;
            request.metadata_mut().insert("authorization", shown);
        }
        Ok(request)
    }
}

/// Changes with every call; marked sensitive, so it is neither logged nor put into the HPACK table.
fn secret(text: &str) -> Option<MetadataValue<Ascii>> {
    let mut value: MetadataValue<Ascii> = text.parse().ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// A message to another service: see [`Outgoing::once`] and [`Outgoing::idempotent`].
#[derive(Debug, Clone)]
pub struct Call<T> {
    outgoing: Outgoing,
    message: T,
    is_idempotent: bool,
}

/// Calls a method of a client as [`call_with_retry`](crate::grpc::call_with_retry) does.
#[macro_export]
macro_rules! call {
    ($client:expr, $method:ident, $call:expr) => {
        $crate::grpc::call_with_retry(
            || $client.clone(),
            $call,
            |mut client, request| async move { client.$method(request).await },
        )
    };
}

/// Sends a call, and again until its deadline: every call that certainly never reached the service, and at most twice
/// an idempotent one whose fate is unknown or whose service asks for it.
///
/// # Errors
/// The last status.
pub async fn call_with_retry<C, T: Clone, R, F>(
    client: impl Fn() -> C,
    call: Call<T>,
    send: impl Fn(C, Request<T>) -> F,
) -> Result<Response<R>, Status>
where
    F: Future<Output = Result<Response<R>, Status>>,
{
    let end = Instant::now() + call.outgoing.deadline;
    let mut outgoing = call.outgoing;
    let mut repetitions = 0;
    loop {
        let sent = send(client(), outgoing.request(call.message.clone()));
        // The channel counts a call's time only from when it is connected.
        let result =
            timeout_at(end, sent).await.unwrap_or_else(|_| Err(Status::deadline_exceeded("no answer in time")));
        let Err(status) = result else { return result };
        let pause = match retry_of(&status) {
            Retry::Unsent => jitter(10),
            Retry::IfIdempotent(pause) if call.is_idempotent && repetitions < REPETITIONS => {
                repetitions += 1;
                pause
            }
            _ => return Err(status),
        };
        if Instant::now() + pause >= end {
            return Err(status);
        }
        tracing::debug!(code = ?status.code(), message = status.message(), "call is sent again");
        metrics::counter!("rpc_client_retries_total").increment(1);
        tokio::time::sleep(pause).await;
        outgoing.deadline = end.saturating_duration_since(Instant::now());
    }
}

/// What a failed call allows.
#[derive(Debug, PartialEq, Eq)]
enum Retry {
    /// It never reached the service: it may be sent again no matter what it does.
    Unsent,
    /// It may have taken effect: it may be sent again, after this pause, if that is harmless.
    IfIdempotent(Duration),
    /// The service answered and meant it, or cannot be reached: the channel has waited for it.
    Never,
}

fn retry_of(status: &Status) -> Retry {
    if causes(status).any(|cause| cause.is::<ConnectError>()) {
        return Retry::Never;
    }
    if causes(status).any(was_unsent) {
        return Retry::Unsent;
    }
    if let Some(pause) = status.get_error_details().retry_info().and_then(|info| info.retry_delay) {
        let asks = status.code() == Code::Unavailable && pause <= PAUSE;
        return if asks { Retry::IfIdempotent(pause) } else { Retry::Never };
    }
    // Statuses of our services carry details, those that came over the wire have no source.
    let is_lost = status.source().is_some() || status.code() == Code::Unavailable;
    if is_lost && status.details().is_empty() { Retry::IfIdempotent(jitter(50)) } else { Retry::Never }
}

fn causes(status: &Status) -> impl Iterator<Item = &(dyn Error + 'static)> {
    std::iter::successors(status.source(), |cause| (*cause).source())
}

/// Whether a call ended before its connection took it up, as one does that meets a GOAWAY: it was still queued, or its
/// stream is above the last that the service has seen.
fn was_unsent(cause: &(dyn Error + 'static)) -> bool {
    if let Some(hyper) = cause.downcast_ref::<hyper::Error>() {
        return hyper.is_canceled();
    }
    cause.downcast_ref::<h2::Error>().is_some_and(|error| {
        error.is_remote()
            && (error.is_go_away() && error.reason() == Some(h2::Reason::NO_ERROR)
                || error.is_reset() && error.reason() == Some(h2::Reason::REFUSED_STREAM))
    })
}

fn jitter(most_ms: u64) -> Duration {
    Duration::from_millis(rand::random_range(most_ms / 2..=most_ms))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proto::common::v1::ErrorReason;
    use tonic::Status;

    use super::{Retry, retry_of};
    use crate::error::{Kind, Refusal, refusal_to_status};

    /// [K9] What a service answered stands, unless it asks for another try.
    #[test]
    fn an_answer_of_a_service_is_not_asked_for_again() {
        let mut refusal = Refusal::new(Kind::Conflict, ErrorReason::EmailTaken, "taken");
        assert_eq!(retry_of(&refusal_to_status(&refusal)), Retry::Never);
        refusal = Refusal::unavailable();
        assert_eq!(retry_of(&refusal_to_status(&refusal)), Retry::Never);
        refusal.retry_after = Some(Duration::from_millis(200));
        assert_eq!(retry_of(&refusal_to_status(&refusal)), Retry::IfIdempotent(Duration::from_millis(200)));
        refusal.retry_after = Some(Duration::from_secs(60));
        assert_eq!(retry_of(&refusal_to_status(&refusal)), Retry::Never);
        assert_eq!(retry_of(&Status::internal("a bug")), Retry::Never);
        assert!(matches!(retry_of(&Status::unavailable("a proxy")), Retry::IfIdempotent(_)));
    }
}
