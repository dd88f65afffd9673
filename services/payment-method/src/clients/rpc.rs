//! JSON-RPC of nodes over HTTP. The worst effect of a hostile response is that the result is unknown.

use std::collections::BTreeMap;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Context;
use futures::StreamExt;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Client, StatusCode, Url};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The deadline of a call, from the first byte sent to the last byte received.
const DEADLINE: Duration = Duration::from_secs(10);
const CONNECT: Duration = Duration::from_secs(2);
/// Bytes of an answer.
const LARGEST: usize = 32 * 1024 * 1024;
/// How long a provider is left alone that says it is asked too often, at first and at most.
const PAUSE: Duration = Duration::from_secs(30);
const LONGEST_PAUSE: Duration = Duration::from_secs(600);

/// Why a node's response is not used. None of these means that a payment does not exist.
#[derive(Debug, thiserror::Error)]
pub enum ChainError {
    #[error("the node cannot be asked")]
    Unreachable(#[source] reqwest::Error),
    #[error("the node did not answer in time")]
    Late,
    #[error("the node answered with status {0}")]
    Status(u16),
    /// The provider's limit; nothing is asked until the pause is over.
    #[error("the node is asked too often")]
    Limited,
    #[error("the node's answer is too long")]
    TooLong,
    #[error("the node's answer cannot be read: {0}")]
    Unreadable(String),
    /// A refusal with its code.
    #[error("the node refused: {code} {message}")]
    Refused { code: i64, message: String },
    #[error("the transaction index of the node is missing or being built")]
    Unindexed,
    #[error("too many hashes of this member were looked up")]
    TooOften,
    #[error("the node is on another chain")]
    WrongChain,
    #[error("the node's newest block is too old")]
    Stale,
    #[error("the node contradicts itself: {0}")]
    Contradiction(&'static str),
}

impl ChainError {
    /// As metrics name it.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Unreachable(_) | Self::Late => "unreachable",
            Self::Status(_) | Self::Refused { .. } => "refused",
            Self::Limited => "limited",
            Self::TooLong | Self::Unreadable(_) => "unreadable",
            Self::Unindexed => "no transaction index",
            Self::TooOften => "too many hashes of this member",
            Self::WrongChain => "wrong_chain",
            Self::Stale => "stale",
            Self::Contradiction(_) => "contradiction",
        }
    }

    /// Whether the node refused what was asked, and might answer to something smaller or older.
    #[must_use]
    pub const fn is_refusal(&self) -> bool {
        matches!(self, Self::Refused { .. } | Self::Status(_))
    }
}

#[derive(Deserialize)]
struct Refusal {
    #[serde(default)]
    code: i64,
    #[serde(default)]
    message: String,
}

/// Where a node is asked, with what its provider wants in the headers: `https://host/path|NAME=value|NAME=value`.
#[derive(Clone)]
pub struct Endpoint {
    url: Url,
    headers: HeaderMap,
}

impl FromStr for Endpoint {
    type Err = anyhow::Error;

    /// The error stays vague: the text may hold a password.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut parts = text.split('|').map(str::trim);
        let url = parts.next().and_then(|url| url.parse().ok()).context("no URL")?;
        let mut headers = HeaderMap::new();
        for part in parts {
            let (name, value) = part.split_once('=').context("a header is NAME=value")?;
            let mut value = HeaderValue::from_str(value).map_err(|_| anyhow::anyhow!("no value of a header"))?;
            value.set_sensitive(true);
            headers.insert(HeaderName::from_str(name).map_err(|_| anyhow::anyhow!("no name of a header"))?, value);
        }
        Ok(Self { url, headers })
    }
}

/// A node.
#[derive(Debug, Clone)]
pub struct Rpc {
    /// The chain, as metrics name it.
    chain: &'static str,
    url: Url,
    http: Client,
    pause: Arc<Mutex<Pause>>,
}

/// While it lasts, nothing is asked.
#[derive(Debug, Default)]
struct Pause {
    until: Option<Instant>,
    /// How many followed each other.
    count: u32,
}

impl Rpc {
    /// The node of a chain at this address, which may contain a user and a password. Redirects are not followed: they
    /// could lead anywhere.
    ///
    /// # Errors
    /// If the client cannot be set up.
    pub fn new(chain: &'static str, endpoint: Endpoint) -> anyhow::Result<Self> {
        let http = Client::builder()
            .redirect(Policy::none())
            .connect_timeout(CONNECT)
            .timeout(DEADLINE)
            .user_agent("solvane")
            .default_headers(endpoint.headers)
            .build()?;
        Ok(Self { chain, url: endpoint.url, http, pause: Arc::default() })
    }

    /// The same node, at a path below its own.
    #[must_use]
    pub fn at(&self, path: &str) -> Self {
        let mut url = self.url.clone();
        url.set_path(path);
        Self { url, ..self.clone() }
    }

    /// Whether a pause lasts, during which every call fails.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.pause.lock().unwrap_or_else(PoisonError::into_inner).until.is_some_and(|until| Instant::now() < until)
    }

    /// The result of a call.
    ///
    /// # Errors
    /// If it cannot be had.
    pub async fn call<T: DeserializeOwned>(&self, method: &str, params: Value) -> Result<T, ChainError> {
        if self.is_paused() {
            return Err(ChainError::Limited);
        }
        // What providers count, and sell.
        metrics::counter!("chain_calls_total", "chain" => self.chain).increment(1);
        let asked = tokio::time::timeout(DEADLINE, self.body(method, params));
        let (status, retry_after, body) = asked.await.map_err(|_| ChainError::Late)??;
        // Nodes and providers refuse with any status, also with 200; the body says why.
        let answer: Result<BTreeMap<String, &RawValue>, _> = serde_json::from_slice(&body);
        let part = |name: &str| answer.as_ref().ok().and_then(|answer| answer.get(name).copied());
        let refusal = part("error").filter(|error| error.get() != "null").map(refusal);
        // As TronGrid says that it suspended a key.
        let is_suspended = part("Error").is_some_and(|error| error.get().contains("rate exceeded"));
        let is_limited = is_suspended
            || matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::FORBIDDEN)
            || refusal
                .as_ref()
                .is_some_and(|refusal| refusal.code == i64::from(StatusCode::TOO_MANY_REQUESTS.as_u16()));
        if is_limited && !refusal.as_ref().is_some_and(Refusal::is_about_size) {
            self.begin_pause(retry_after);
            return Err(ChainError::Limited);
        }
        if let Some(Refusal { code, message }) = refusal {
            return Err(ChainError::Refused { code, message: message.chars().take(200).collect() });
        }
        if !status.is_success() {
            return Err(ChainError::Status(status.as_u16()));
        }
        self.end_pause();
        let unreadable = |error: serde_json::Error| ChainError::Unreadable(format!("{method}: {error}"));
        // Without a result it is no answer: what is missing is not the same as `null`.
        let no_result = || ChainError::Unreadable(format!("{method}: no result"));
        let result = part("result");
        answer.map_err(unreadable)?;
        serde_json::from_str(result.ok_or_else(no_result)?.get()).map_err(unreadable)
    }

    fn begin_pause(&self, retry_after: Option<Duration>) {
        let mut pause = self.pause.lock().unwrap_or_else(PoisonError::into_inner);
        let doubled = PAUSE.saturating_mul(1 << pause.count.min(5));
        let length = retry_after.unwrap_or(doubled).max(PAUSE).min(LONGEST_PAUSE);
        pause.count += 1;
        pause.until = Some(Instant::now() + length);
    }

    fn end_pause(&self) {
        *self.pause.lock().unwrap_or_else(PoisonError::into_inner) = Pause::default();
    }

    async fn body(&self, method: &str, params: Value) -> Result<(StatusCode, Option<Duration>, Vec<u8>), ChainError> {
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        // The address may hold a password.
        let hidden = |error: reqwest::Error| ChainError::Unreachable(error.without_url());
        let answer = self.http.post(self.url.clone()).json(&call).send().await.map_err(hidden)?;
        let status = answer.status();
        let seconds = answer.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
        let retry_after = seconds.map(Duration::from_secs);
        let (mut body, mut chunks) = (Vec::new(), answer.bytes_stream());
        while let Some(chunk) = chunks.next().await {
            let chunk = chunk.map_err(hidden)?;
            if body.len() + chunk.len() > LARGEST {
                return Err(ChainError::TooLong);
            }
            body.extend_from_slice(&chunk);
        }
        Ok((status, retry_after, body))
    }
}

/// The error of an answer: an object with a code, or a sentence.
fn refusal(error: &RawValue) -> Refusal {
    let text = || serde_json::from_str(error.get()).unwrap_or_else(|_| error.get().to_owned());
    serde_json::from_str(error.get()).unwrap_or_else(|_| Refusal { code: 0, message: text() })
}

impl Refusal {
    /// Whether a smaller question would be answered. Providers say so with codes and statuses that others use for limits on the
    /// number of calls.
    fn is_about_size(&self) -> bool {
        let message = self.message.to_ascii_lowercase();
        ["range", "too many results", "more than", "response size", "too large", "too big"]
            .iter()
            .any(|words| message.contains(words))
    }
}
