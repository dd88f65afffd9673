//! JSON-RPC of nodes over HTTP. The worst effect of a hostile response is that the result is unknown.

use std::time::Duration;

use futures::StreamExt;
use reqwest::redirect::Policy;
use reqwest::{Client, Url};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The deadline of a call, from the first byte sent to the last byte received.
const DEADLINE: Duration = Duration::from_secs(10);
const CONNECT: Duration = Duration::from_secs(2);
/// Bytes of an answer.
const LARGEST: usize = 32 * 1024 * 1024;

/// Why a node's response is not used. None of these means that a payment does not exist.
#[derive(Debug, thiserror::Error)]
pub enum ChainError {
    #[error("the node cannot be asked")]
    Unreachable(#[source] reqwest::Error),
    #[error("the node did not answer in time")]
    Late,
    #[error("the node answered with status {0}")]
    Status(u16),
    #[error("the node's answer is too long")]
    TooLong,
    #[error("the node's answer cannot be read: {0}")]
    Unreadable(String),
    /// A refusal with its code.
    #[error("the node refused: {code} {message}")]
    Refused { code: i64, message: String },
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
            Self::TooLong | Self::Unreadable(_) => "unreadable",
            Self::WrongChain => "wrong_chain",
            Self::Stale => "stale",
            Self::Contradiction(_) => "contradiction",
        }
    }
}

#[derive(Deserialize)]
struct Answer<'a> {
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(default)]
    error: Option<Refusal>,
}

#[derive(Deserialize)]
struct Refusal {
    code: i64,
    #[serde(default)]
    message: String,
}

/// A node.
#[derive(Debug, Clone)]
pub struct Rpc {
    url: Url,
    http: Client,
}

impl Rpc {
    /// The node at this address, which may contain a user and a password. Redirects are not followed: they could lead anywhere.
    ///
    /// # Errors
    /// If the client cannot be set up.
    pub fn new(url: Url) -> anyhow::Result<Self> {
        let http = Client::builder()
            .redirect(Policy::none())
            .connect_timeout(CONNECT)
            .timeout(DEADLINE)
            .user_agent("solvane")
            .build()?;
        Ok(Self { url, http })
    }

    /// The same node, at a path below its own.
    #[must_use]
    pub fn at(&self, path: &str) -> Self {
        let mut url = self.url.clone();
        url.set_path(path);
        Self { url, http: self.http.clone() }
    }

    /// The result of a call.
    ///
    /// # Errors
    /// If it cannot be had.
    pub async fn call<T: DeserializeOwned>(&self, method: &str, params: Value) -> Result<T, ChainError> {
        let asked = tokio::time::timeout(DEADLINE, self.body(method, params));
        let body = asked.await.map_err(|_| ChainError::Late)??;
        let unreadable = |error: serde_json::Error| ChainError::Unreadable(format!("{method}: {error}"));
        let answer: Answer<'_> = serde_json::from_slice(&body).map_err(unreadable)?;
        if let Some(Refusal { code, message }) = answer.error {
            return Err(ChainError::Refused { code, message: message.chars().take(200).collect() });
        }
        serde_json::from_str(answer.result.map_or("null", RawValue::get)).map_err(unreadable)
    }

    async fn body(&self, method: &str, params: Value) -> Result<Vec<u8>, ChainError> {
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        // The address may hold a password.
        let hidden = |error: reqwest::Error| ChainError::Unreachable(error.without_url());
        let answer = self.http.post(self.url.clone()).json(&call).send().await.map_err(hidden)?;
        let status = answer.status();
        // bitcoind says with 404 and 500 that it refuses a call; the body tells why.
        if !status.is_success() && !matches!(status.as_u16(), 404 | 500) {
            return Err(ChainError::Status(status.as_u16()));
        }
        let (mut body, mut chunks) = (Vec::new(), answer.bytes_stream());
        while let Some(chunk) = chunks.next().await {
            let chunk = chunk.map_err(hidden)?;
            if body.len() + chunk.len() > LARGEST {
                return Err(ChainError::TooLong);
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }
}
