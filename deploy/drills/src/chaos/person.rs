//! A client that repeats a request under the same key until the answer is final.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, RwLock};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout};

use crate::chaos::model::{Call, Effect};
use play::client::{Answer, Client};
use play::mails;
use play::request::{self, DESTINATION, Request};

/// After this time a request is repeated.
const PATIENCE: Duration = Duration::from_secs(10);
/// After this time the client gives up. No fault lasts as long, but on a busy machine the next ones come before a process
/// has got anywhere.
const LIMIT: Duration = Duration::from_mins(5);

/// The calls of a run, counted by their outcome.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts(Arc<Mutex<BTreeMap<&'static str, Count>>>);

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Count {
    pub(super) acknowledged: u64,
    pub(super) refused: u64,
    /// Requests whose answer was not final: lost, or 5xx.
    pub(super) sent_again: u64,
    /// Acknowledged requests that were sent once more, to compare the answers.
    pub(super) replayed: u64,
}

impl Counts {
    fn add(&self, name: &'static str, change: impl FnOnce(&mut Count)) {
        change(self.0.lock().expect("no panic while held").entry(name).or_default());
    }

    pub(super) fn all(&self) -> BTreeMap<&'static str, Count> {
        self.0.lock().expect("no panic while held").clone()
    }
}

/// A final answer, and how long it took from the first request on.
#[derive(Clone, Debug)]
pub(super) struct Final {
    pub(super) answer: Answer,
    begun: Instant,
    ended: Instant,
}

impl Final {
    pub(super) fn is_success(&self) -> bool {
        (200..300).contains(&self.answer.status)
    }

    pub(super) fn call(&self, name: &str, effect: Effect) -> Call {
        Call { name: name.to_owned(), begun: self.begun, ended: self.ended, effect }
    }
}

/// A member or a member of staff with a session.
#[derive(Debug)]
pub(super) struct Person {
    pub(super) email: String,
    password: &'static str,
    client: RwLock<Client>,
    counts: Counts,
}

impl Person {
    pub(super) fn new(email: &str, password: &'static str, client: Client, counts: &Counts) -> Self {
        Self { email: email.to_owned(), password, client: RwLock::new(client), counts: counts.clone() }
    }

    fn client(&self) -> Client {
        self.client.read().expect("no panic while held").clone()
    }

    /// Sends a request until its answer is final, and counts it under a name. Calls without a key must be harmless to repeat.
    pub(super) async fn insist(&self, name: &'static str, request: &Request) -> Result<Final> {
        let begun = Instant::now();
        loop {
            let answer = timeout(PATIENCE, self.client().send(request)).await.context("no answer in time").flatten();
            let ended = Instant::now();
            let why = match answer {
                Ok(answer) if is_final(&answer) => {
                    let success = (200..300).contains(&answer.status);
                    self.counts.add(name, |count| {
                        *(if success { &mut count.acknowledged } else { &mut count.refused }) += 1;
                    });
                    return Ok(Final { answer, begun, ended });
                }
                Ok(answer) if answer.status == 401 => {
                    self.log_in().await?;
                    "the session had ended".to_owned()
                }
                Ok(answer) => format!("{} {}", answer.status, answer.body),
                Err(error) => format!("{error:#}"),
            };
            self.counts.add(name, |count| count.sent_again += 1);
            ensure!(begun.elapsed() < LIMIT, "no final answer to {name} {}, at last {why}", request.path);
            sleep(Duration::from_millis(100)).await;
        }
    }

    /// Repeats a request until it succeeds.
    pub(super) async fn succeed(&self, name: &'static str, request: &Request) -> Result<Final> {
        let answered = self.insist(name, request).await?;
        ensure!(answered.is_success(), "{name} {} was refused: {:?}", request.path, answered.answer);
        Ok(answered)
    }

    /// Checks that a repeated request gets the same answer.
    pub(super) async fn replay(&self, name: &'static str, request: &Request, first: &Final) -> Result<()> {
        let again = self.insist(name, request).await?.answer;
        self.counts.add(name, |count| {
            count.replayed += 1;
            *(if (200..300).contains(&again.status) { &mut count.acknowledged } else { &mut count.refused }) -= 1;
        });
        let first = &first.answer;
        if (again.status, &again.body) != (first.status, &first.body) {
            bail!("{name} {} answered {:?} and then {:?}", request.path, first.body, again.body);
        }
        let replayed = again.headers.get("idempotency-replayed");
        ensure!(replayed.is_some_and(|value| value == "true"), "{name} was carried out again: {again:?}");
        Ok(())
    }

    pub(super) async fn get(&self, path: &str) -> Result<Final> {
        self.succeed("read", &Request::new(Method::GET, path, Value::Null)).await
    }

    /// A visitor registers, confirms the email and a payout address, asks for a new password, and closes the account.
    pub(super) async fn register_and_close(&self, mails: &Path, number: u64) -> Result<()> {
        let register = request::register("Vera Visitor", &self.email, self.password, "Germany");
        let registered = self.succeed("register", &register.with_key(format!("visitor {number}"))).await?;
        let token = registered.answer.body["token"].as_str().context("registration gives a token")?.to_owned();
        self.go_on_with(self.client().with_token(&token));
        // The mailer may be down for a while.
        let begun = Instant::now();
        let code = loop {
            match mails::wait_for_code(mails, &self.email).await {
                Err(error) if begun.elapsed() > LIMIT => return Err(error),
                Err(_) => {}
                Ok(code) => break code,
            }
        };
        // The code is used up if the first answer was lost.
        let verify = request::verify_email(&self.email, &code);
        if !self.insist("verify email", &verify).await?.is_success() {
            let check = self.get("/auth/check").await?.answer.body;
            ensure!(check["user"]["isVerified"] == true, "a fresh code was refused: {check}");
        }
        self.confirm_destination(mails, number).await?;
        let forgot = Request::post("/auth/forgot-password", json!({ "email": self.email }));
        self.succeed("forget password", &forgot).await?;
        self.close().await
    }

    async fn confirm_destination(&self, mails: &Path, number: u64) -> Result<()> {
        let save = request::save_destination("Own").with_key(format!("method {number}"));
        let id = request::id(&self.succeed("create method", &save).await?.answer.body)?;
        let begun = Instant::now();
        let code = loop {
            // A second code within a minute is refused; then the first one is on its way.
            let _ = self.client().post(&format!("/payment-methods/{id}/confirm/resend"), Value::Null).await;
            match mails::wait_for_destination_code(mails, &self.email, DESTINATION).await {
                Err(error) if begun.elapsed() > LIMIT => return Err(error),
                Err(_) => {}
                Ok(code) => break code,
            }
        };
        let confirm = Request::post(format!("/payment-methods/{id}/confirm"), json!({ "code": code }));
        self.succeed("confirm address", &confirm).await.map(drop)
    }

    /// Closing may have taken effect though its answer was lost: then the session has ended, and nobody can log in.
    async fn close(&self) -> Result<()> {
        let begun = Instant::now();
        let body = json!({ "password": self.password });
        loop {
            let answer = timeout(PATIENCE, self.client().post("/users/close", body.clone())).await;
            let status = answer.ok().and_then(Result::ok).map(|answer| answer.status);
            let is_closed = match status {
                Some(200) => true,
                Some(401) => {
                    let (visitor, log_in) =
                        (self.client().without_token(), request::log_in(&self.email, self.password));
                    let login = timeout(PATIENCE, visitor.send(&log_in)).await;
                    login.is_ok_and(|login| login.is_ok_and(|login| login.status == 401))
                }
                _ => false,
            };
            if is_closed {
                self.counts.add("close account", |count| count.acknowledged += 1);
                return Ok(());
            }
            self.counts.add("close account", |count| count.sent_again += 1);
            ensure!(begun.elapsed() < LIMIT, "the account is not closed: {status:?}");
            sleep(Duration::from_millis(200)).await;
        }
    }

    fn go_on_with(&self, client: Client) {
        *self.client.write().expect("no panic while held") = client;
    }

    /// Opens a new session. A login during which auth dies counts as a wrong password of its address, so a person who is
    /// throttled tries again from another address.
    pub(super) async fn log_in(&self) -> Result<()> {
        let mut visitor = self.client().without_token();
        let log_in = request::log_in(&self.email, self.password);
        let begun = Instant::now();
        loop {
            let answer = timeout(PATIENCE, visitor.send(&log_in)).await;
            let answer = answer.context("no answer in time").flatten();
            match &answer {
                Ok(answer) if answer.status == 200 => {
                    self.counts.add("log in", |count| count.acknowledged += 1);
                    let token = answer.body["token"].as_str().context("login gave no token")?;
                    self.go_on_with(visitor.with_token(token));
                    return Ok(());
                }
                Ok(answer) if answer.status == 429 => visitor = visitor.moved_to(next_address())?,
                _ => {}
            }
            self.counts.add("log in", |count| count.sent_again += 1);
            ensure!(begun.elapsed() < LIMIT, "{} cannot log in: {answer:?}", self.email);
            sleep(Duration::from_millis(200)).await;
        }
    }
}

/// The next loopback address that no client has used.
fn next_address() -> Ipv4Addr {
    static USED: AtomicU32 = AtomicU32::new(0);
    Ipv4Addr::from_bits(Ipv4Addr::new(127, 1, 0, 0).to_bits() + USED.fetch_add(1, Ordering::Relaxed))
}

fn is_final(answer: &Answer) -> bool {
    answer.status < 500 && !matches!(answer.status, 401 | 429) && answer.code() != Some("IDEMPOTENCY_KEY_IN_FLIGHT")
}
