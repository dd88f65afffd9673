//! A client of the REST interface, for seeds and tests.

use std::{net::Ipv4Addr, time::Duration};

use anyhow::{Context, Result, bail};
use reqwest::{
    Method, RequestBuilder,
    header::{HeaderMap, RETRY_AFTER},
};
use serde_json::Value;
use tokio::{
    sync::mpsc::UnboundedSender,
    time::{Instant, sleep},
};

use crate::request::{self, Decision, Request};

/// A client of the product; has a session after [`Client::login`].
#[derive(Clone, Debug)]
pub struct Client {
    http: reqwest::Client,
    url: String,
    token: Option<String>,
    patient: bool,
    observer: Option<UnboundedSender<Observation>>,
}

/// One request, as its client saw it.
#[derive(Clone, Debug)]
pub struct Observation {
    /// Its method and path.
    pub request: String,
    pub took: Duration,
    /// Why it did not succeed.
    pub failure: Option<String>,
}

/// What came back.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    pub headers: HeaderMap,
    /// The JSON body; null when it was none.
    pub body: Value,
}

// === impl Client ===

impl Client {
    /// A visitor at this origin.
    #[must_use]
    pub fn new(url: &str) -> Self {
        Self { http: reqwest::Client::new(), url: url.to_owned(), token: None, patient: false, observer: None }
    }

    /// The same client, whose connections come from this local address, and who gives up after 30 seconds.
    ///
    /// # Errors
    /// When the client cannot be built.
    pub fn moved_to(&self, address: Ipv4Addr) -> Result<Self> {
        let http = reqwest::Client::builder().local_address(std::net::IpAddr::V4(address));
        Ok(Self { http: http.timeout(Duration::from_secs(30)).build()?, ..self.clone() })
    }

    /// The same client, reporting every request.
    #[must_use]
    pub fn observed_by(&self, observer: &UnboundedSender<Observation>) -> Self {
        Self { observer: Some(observer.clone()), ..self.clone() }
    }

    /// The same client, retrying requests that are refused with 429.
    #[must_use]
    pub fn patient(&self) -> Self {
        Self { patient: true, ..self.clone() }
    }

    /// The same client with this session.
    #[must_use]
    pub fn with_token(&self, token: &str) -> Self {
        Self { token: Some(token.to_owned()), ..self.clone() }
    }

    /// The same client as a visitor.
    #[must_use]
    pub fn without_token(&self) -> Self {
        Self { token: None, ..self.clone() }
    }

    /// Its session's token.
    #[must_use]
    pub fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// # Errors
    /// When the product refuses.
    pub async fn login(&self, email: &str, password: &str) -> Result<Self> {
        let answer = self.make(request::log_in(email, password)).await?;
        Ok(self.with_token(answer["token"].as_str().context("login gave no token")?))
    }

    /// Sends a request, under its key if it has one.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn send(&self, request: &Request) -> Result<Answer> {
        let mut builder = self.request(request.method.clone(), &request.path);
        if let Some(key) = &request.key {
            builder = builder.header("Idempotency-Key", key);
        }
        if !request.body.is_null() {
            builder = builder.json(&request.body);
        }
        self.send_patiently(builder).await
    }

    /// Sends a request that has to succeed; the body of the answer.
    ///
    /// # Errors
    /// When there is no answer, or the product refuses.
    pub async fn make(&self, request: Request) -> Result<Value> {
        let answer = self.send(&request).await?.success();
        answer.with_context(|| format!("{} {}", request.method, request.path))
    }

    /// A decision of staff about a transaction as it stands now.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn decide(&self, id: &str, decision: Decision<'_>) -> Result<Answer> {
        let review = self.get(&format!("/admin/transactions/{id}")).await?.success()?;
        self.send(&decision.about(id, &review["transaction"]["revision"])).await
    }

    /// Ends a trade: claims it if it is in profit, otherwise closes it.
    ///
    /// # Errors
    /// When the product refuses both.
    pub async fn end_trade(&self, id: &str) -> Result<()> {
        if self.send(&request::claim_trade(id)).await?.status == 200 {
            return Ok(());
        }
        self.make(request::close_trade(id)).await.map(drop)
    }

    /// The id of the platform's deposit address on a network.
    ///
    /// # Errors
    /// When there is none.
    pub async fn platform_method(&self, network: &str) -> Result<String> {
        let methods = self.get("/payment-methods").await?.success()?;
        let mut methods = methods["paymentMethods"].as_array().into_iter().flatten();
        let found = methods.find(|method| method["network"] == network && method["scope"] == "platform");
        Ok(found.and_then(|method| method["id"].as_str()).with_context(|| format!("no method {network}"))?.to_owned())
    }

    /// The id of a plan.
    ///
    /// # Errors
    /// When there is none of this title.
    pub async fn plan(&self, title: &str) -> Result<String> {
        let plans = self.get("/plans").await?.success()?;
        let found = plans["plans"].as_array().into_iter().flatten().find(|plan| plan["title"] == title);
        Ok(found.and_then(|plan| plan["id"].as_str()).with_context(|| format!("no plan {title}"))?.to_owned())
    }

    /// A request to a path under `/v1` that the methods below do not cover.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.http.request(method, format!("{}/v1{path}", self.url));
        match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }

    async fn send_patiently(&self, request: RequestBuilder) -> Result<Answer> {
        let mut answer = self.send_once(request.try_clone().context("a request with a plain body")?).await?;
        while self.patient && answer.status == 429 {
            let after = answer.headers.get(RETRY_AFTER).and_then(|after| after.to_str().ok());
            sleep(Duration::from_secs(after.and_then(|after| after.parse().ok()).unwrap_or(1))).await;
            answer = self.send_once(request.try_clone().context("a request with a plain body")?).await?;
        }
        Ok(answer)
    }

    async fn send_once(&self, request: RequestBuilder) -> Result<Answer> {
        let Some(observer) = &self.observer else { return send(request).await };
        let (http, request) = request.build_split();
        let request = request?;
        let (name, begun) = (format!("{} {}", request.method(), request.url().path()), Instant::now());
        let answer = send(RequestBuilder::from_parts(http, request)).await;
        let failure = match &answer {
            Ok(answer) if answer.status < 400 => None,
            Ok(answer) => Some(format!("{} {}", answer.status, answer.body)),
            Err(error) => Some(format!("{error:#}")),
        };
        // The receiver is gone when the observation is over.
        drop(observer.send(Observation { request: name, took: begun.elapsed(), failure }));
        answer
    }

    /// # Errors
    /// When there is no answer.
    pub async fn get(&self, path: &str) -> Result<Answer> {
        self.send_patiently(self.request(Method::GET, path)).await
    }

    /// # Errors
    /// When there is no answer.
    pub async fn post(&self, path: &str, body: Value) -> Result<Answer> {
        self.send(&Request::post(path, body)).await
    }

    /// POST with an Idempotency-Key.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn post_keyed(&self, path: &str, key: &str, body: Value) -> Result<Answer> {
        self.send(&Request::post(path, body).with_key(key)).await
    }

    /// # Errors
    /// When there is no answer.
    pub async fn put(&self, path: &str, body: Value) -> Result<Answer> {
        self.send(&Request::new(Method::PUT, path, body)).await
    }

    /// # Errors
    /// When there is no answer.
    pub async fn delete(&self, path: &str) -> Result<Answer> {
        self.send(&Request::new(Method::DELETE, path, Value::Null)).await
    }
}

/// Sends a request and reads the response.
///
/// # Errors
/// When there is no answer.
pub async fn send(request: RequestBuilder) -> Result<Answer> {
    let response = request.send().await?;
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let body = response.bytes().await?;
    Ok(Answer { status, headers, body: serde_json::from_slice(&body).unwrap_or(Value::Null) })
}

/// An amount of dollars in a JSON answer, in cents.
///
/// # Errors
/// When it is not JSON.
pub fn cents(dollars: &Value) -> Result<i64> {
    let text = dollars.to_string();
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let digits = format!("{whole}{fraction:0<2}");
    let known = dollars.is_number() && fraction.trim_end_matches('0').len() <= 2;
    let cents = if known { digits[..whole.len() + 2].parse().ok() } else { None };
    cents.with_context(|| format!("{text} is no amount"))
}

// === impl Answer ===

impl Answer {
    /// The body of a success.
    ///
    /// # Errors
    /// For any other answer, with its message.
    pub fn success(self) -> Result<Value> {
        if (200..300).contains(&self.status) && self.body["success"] == true {
            return Ok(self.body);
        }
        bail!("answered {}: {}", self.status, self.body)
    }

    /// The machine-readable code of a refusal.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        self.body["code"].as_str()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn amounts_are_read_to_the_cent() {
        let read = |value: Value| cents(&value).ok();
        assert_eq!(read(json!(310)), Some(31_000));
        assert_eq!(read(json!(0.5)), Some(50));
        assert_eq!(read(json!(-12.34)), Some(-1_234));
        assert_eq!(read(json!(-0.01)), Some(-1));
        assert_eq!((read(json!(0.001)), read(json!("1")), read(Value::Null)), (None, None, None));
    }
}
