//! A node's JSON-RPC.

use std::{path::Path, time::Duration};

use anyhow::{Context, Result, bail, ensure};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::host::process::{Process, tail};

pub(super) const READY_LIMIT: Duration = Duration::from_secs(30);

/// How long a call may take. Mining the first hundred blocks takes the longest.
const CALL_LIMIT: Duration = Duration::from_secs(30);

/// A node's JSON-RPC.
#[derive(Clone, Debug)]
pub struct Rpc {
    pub url: String,
    http: reqwest::Client,
}

impl Rpc {
    /// The JSON-RPC at this address, which may hold a user and a password.
    ///
    /// # Errors
    /// When the client cannot be set up.
    pub fn new(url: String) -> Result<Self> {
        Ok(Self { url, http: reqwest::Client::builder().timeout(CALL_LIMIT).build()? })
    }

    /// The first node that a setting of payment-method names: its URL, and behind bars the headers that its provider wants.
    ///
    /// # Errors
    /// When there is none, or a header is malformed.
    pub fn of_setting(text: &str) -> Result<Self> {
        let mut parts = text.split_whitespace().next().context("no node is named")?.split('|');
        let url = parts.next().unwrap_or_default().to_owned();
        let mut headers = HeaderMap::new();
        for part in parts {
            let (name, value) = part.split_once('=').context("a header is NAME=VALUE")?;
            headers.insert(HeaderName::from_bytes(name.as_bytes())?, HeaderValue::from_str(value)?);
        }
        Ok(Self { url, http: reqwest::Client::builder().timeout(CALL_LIMIT).default_headers(headers).build()? })
    }

    /// The same node, at a path below its own.
    ///
    /// # Errors
    /// When the client cannot be set up.
    pub fn below(&self, path: &str) -> Result<Self> {
        Self::new(format!("{}{path}", self.url))
    }

    /// The result of a call.
    ///
    /// # Errors
    /// When the node cannot be asked, or refuses.
    pub async fn call(&self, method: &str, params: Value) -> Result<Value> {
        self.call_at(&self.url, method, params).await
    }

    pub(super) async fn call_at(&self, url: &str, method: &str, params: Value) -> Result<Value> {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let answer: Value = self.http.post(url).json(&body).send().await?.json().await?;
        ensure!(answer["error"].is_null(), "{method}: {}", answer["error"]);
        Ok(answer["result"].clone())
    }

    pub(super) async fn wait(&self, method: &str, process: &Process, log: &Path) -> Result<()> {
        let limit = Instant::now() + READY_LIMIT;
        while self.call(method, json!([])).await.is_err() {
            if !process.is_running() || Instant::now() > limit {
                bail!("{} did not start\n{}", process.name(), tail(log));
            }
            sleep(Duration::from_millis(20)).await;
        }
        Ok(())
    }
}
