//! The requests of members and staff, each spelled once. A client sends one as it is ([`Client::send`]), or until it succeeds
//! ([`Client::make`]); drills repeat one under its key until the answer is final.
//!
//! [`Client::send`]: crate::client::Client::send
//! [`Client::make`]: crate::client::Client::make

use anyhow::{Context, Result};
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

/// A PNG of one pixel as a data URL: the smallest proof of payment.
pub const PROOF: &str = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
/// How a payment was verified that is on no chain.
pub const NOTE: &str = "Verified in an explorer.";
/// A payout address that the platform does not own, and whose private key is unknown.
pub const DESTINATION: &str = "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8";

/// A request to a path under `/v1`.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: Method,
    pub path: String,
    pub body: Value,
    /// The same key again returns the first answer.
    pub key: Option<String>,
}

impl Request {
    /// A request without a key.
    #[must_use]
    pub fn new(method: Method, path: impl Into<String>, body: Value) -> Self {
        Self { method, path: path.into(), body, key: None }
    }

    /// A POST without a key.
    #[must_use]
    pub fn post(path: impl Into<String>, body: Value) -> Self {
        Self::new(Method::POST, path, body)
    }

    /// The same request under this key.
    #[must_use]
    pub fn with_key(self, key: impl Into<String>) -> Self {
        Self { key: Some(key.into()), ..self }
    }

    /// The same request under a fresh key.
    #[must_use]
    pub fn keyed(self) -> Self {
        self.with_key(Uuid::new_v4())
    }
}

/// A visitor becomes a member.
#[must_use]
pub fn register(name: &str, email: &str, password: &str, country: &str) -> Request {
    let body =
        json!({ "name": name, "email": email, "password": password, "phone": "+1 555 0100", "country": country });
    Request::post("/auth/register", body)
}

#[must_use]
pub fn log_in(email: &str, password: &str) -> Request {
    Request::post("/auth/login", json!({ "email": email, "password": password }))
}

/// Confirms the address by the code that was mailed to it.
#[must_use]
pub fn verify_email(email: &str, code: &str) -> Request {
    Request::post("/auth/verify", json!({ "email": email, "otp": code }))
}

/// Asks for a link to set a new password.
#[must_use]
pub fn forget_password(email: &str) -> Request {
    Request::post("/auth/forgot-password", json!({ "email": email }))
}

/// Sets a password by the secret of a mailed link.
#[must_use]
pub fn set_password(secret: &str, password: &str) -> Request {
    let body = json!({ "token": secret, "password": password, "confirmPassword": password });
    Request::post("/auth/reset-password", body)
}

/// A deposit to a method of the platform, with proof.
#[must_use]
pub fn deposit(amount: &str, method: &str) -> Request {
    let body = json!({ "amount": amount, "method": method, "receipt": PROOF, "type": "deposit" });
    Request::post("/transactions/deposit", body)
}

/// A withdrawal to [`DESTINATION`].
#[must_use]
pub fn withdraw(amount: &str, method: &str) -> Request {
    withdraw_to(DESTINATION, amount, method)
}

#[must_use]
pub fn withdraw_to(address: &str, amount: &str, method: &str) -> Request {
    Request::post("/transactions/withdraw", json!({ "amount": amount, "method": method, "address": address }))
}

/// Confirms where a withdrawal goes, by the mailed code.
#[must_use]
pub fn confirm_destination(withdrawal: &str, code: &str) -> Request {
    Request::post(format!("/transactions/{withdrawal}/confirm"), json!({ "code": code }))
}

/// A payment method of the member's own at [`DESTINATION`].
#[must_use]
pub fn save_destination(label: &str) -> Request {
    Request::post("/payment-methods", destination(label))
}

/// Another label for it.
#[must_use]
pub fn relabel_destination(method: &str, label: &str) -> Request {
    Request::new(Method::PUT, format!("/payment-methods/{method}"), destination(label))
}

fn destination(label: &str) -> Value {
    json!({ "currency": "USDT", "network": "TRC20", "address": DESTINATION, "label": label })
}

#[must_use]
pub fn open_trade(plan: &str, amount: &str) -> Request {
    Request::post("/trades/create", json!({ "planId": plan, "amount": amount }))
}

/// Ends a trade that is in profit.
#[must_use]
pub fn claim_trade(id: &str) -> Request {
    Request::new(Method::PUT, format!("/trades/claim/{id}"), json!({}))
}

/// Ends a trade that is not in profit.
#[must_use]
pub fn close_trade(id: &str) -> Request {
    Request::new(Method::DELETE, format!("/trades/close/{id}"), Value::Null)
}

#[must_use]
pub fn buy_course() -> Request {
    Request::post("/courses/purchase", json!({}))
}

/// The second person's yes to a proposal.
#[must_use]
pub fn confirm_proposal(id: &str) -> Request {
    Request::post(format!("/admin/proposals/{id}/confirm"), json!({}))
}

/// A new value of a plan, which a second person has to confirm.
#[must_use]
pub fn propose_value(plan: &str, value: &str) -> Request {
    Request::post(format!("/admin/plans/{plan}/values"), json!({ "value": value, "source": "Exchange close" }))
}

/// What staff decide about a transaction.
#[derive(Clone, Copy, Debug)]
pub enum Decision<'a> {
    /// Approves a payment to the platform, of which this much arrived in this transaction of the blockchain.
    Received {
        amount: &'a str,
        txid: &'a str,
    },
    /// Approves a withdrawal.
    Approve,
    Reject {
        reason: &'a str,
        note: &'a str,
    },
    /// Takes a payout, which nobody else then pays.
    Take,
    /// A payout was sent.
    Paid {
        txid: &'a str,
    },
}

impl Decision<'_> {
    /// The decision about the transaction as it stood at this revision.
    #[must_use]
    pub fn about(&self, id: &str, revision: &Value) -> Request {
        let (verb, body) = match self {
            Self::Received { amount, txid } => {
                ("approve", json!({ "revision": revision, "receivedAmount": amount, "txid": txid, "note": NOTE }))
            }
            Self::Approve => ("approve", json!({ "revision": revision })),
            Self::Reject { reason, note } => {
                ("reject", json!({ "revision": revision, "reasonCode": reason, "note": note }))
            }
            Self::Take => ("paying", json!({ "revision": revision })),
            Self::Paid { txid } => ("paid", json!({ "revision": revision, "txid": txid })),
        };
        Request::post(format!("/admin/transactions/{id}/{verb}"), body)
    }
}

/// A hash of a blockchain transaction that nothing else has.
#[must_use]
pub fn txid() -> String {
    format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple())
}

/// The id of what an answer is about.
///
/// # Errors
/// If it is about nothing with an id.
pub fn id(body: &Value) -> Result<String> {
    let nouns = ["transaction", "trade", "paymentMethod", "user"];
    let named = nouns.into_iter().find_map(|noun| body[noun]["id"].as_str()).or_else(|| body["proposalId"].as_str());
    Ok(named.with_context(|| format!("no id in {body}"))?.to_owned())
}
