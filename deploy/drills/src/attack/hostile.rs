//! What hostile clients are made of: raw connections from many addresses, and a tally of how they ended.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use futures::future::join_all;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, timeout_at};

use crate::attack::members::address;
use play::client::Client;
use play::testing::Member;

/// How long a flood waits before it connects again.
const TICK: Duration = Duration::from_millis(50);
/// How long a client may take to end after the end of its case.
const GRACE: Duration = Duration::from_millis(300);
/// Outcomes in the table.
const SHOWN: usize = 4;

/// What all cases use.
pub struct Target {
    pub gateway: SocketAddr,
    /// Where its metrics are.
    pub ops: SocketAddr,
    /// Members who attack.
    pub accounts: Vec<Account>,
    /// The first account's transaction whose receipt has 5 MiB.
    pub document: String,
    /// The folder of stored files.
    pub files: PathBuf,
    /// A member who takes no part in the attacks.
    pub victim: Member,
    /// Two managers of the course.
    pub managers: [Client; 2],
    /// Where the product's mails are.
    pub mail_dir: PathBuf,
}

/// A verified member with a session.
pub struct Account {
    pub id: String,
    pub token: String,
    pub client: Client,
}

/// One case under way.
#[derive(Clone)]
pub struct Attack {
    pub target: Arc<Target>,
    number: u8,
    length: Duration,
    /// Set when the first client begins: a case may have to make its files first.
    ends: Arc<OnceLock<Instant>>,
    tally: Arc<Mutex<BTreeMap<String, u64>>>,
}

impl Attack {
    pub fn new(target: Arc<Target>, number: u8, length: Duration) -> Self {
        Self { target, number, length, ends: Arc::default(), tally: Arc::default() }
    }

    fn ends(&self) -> Instant {
        *self.ends.get_or_init(|| Instant::now() + self.length)
    }

    /// Whether there is time left.
    pub fn is_on(&self) -> bool {
        Instant::now() < self.ends()
    }

    /// One of the accounts; there are as many as wanted, but the same ones again.
    pub fn account(&self, number: usize) -> &Account {
        &self.target.accounts[number % self.target.accounts.len()]
    }

    /// A visitor at an address of this case.
    ///
    /// # Errors
    /// When there is no client for it.
    pub fn visitor(&self, from: usize) -> Result<Client> {
        Client::new(&format!("http://{}", self.target.gateway)).moved_to(address(100 + self.number, from))
    }

    /// Runs this many clients at once, until all have ended or the time is over.
    pub async fn clients<F: Future<Output = ()>>(&self, count: usize, client: impl Fn(usize) -> F) {
        // A moment more for those who see the end themselves, so that what became of them is counted.
        drop(timeout_at(self.ends() + GRACE, join_all((0..count).map(client))).await);
    }

    pub fn count(&self, outcome: &str) {
        let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        *tally.entry(outcome.to_owned()).or_default() += 1;
    }

    pub fn counted(&self, outcome: &str) -> u64 {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner).get(outcome).copied().unwrap_or_default()
    }

    /// The most frequent outcomes.
    pub fn outcome(&self) -> String {
        let tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        let mut counts: Vec<_> = tally.iter().collect();
        counts.sort_unstable_by_key(|(_, count)| std::cmp::Reverse(**count));
        let shown: Vec<_> = counts.iter().take(SHOWN).map(|(outcome, count)| format!("{count} {outcome}")).collect();
        shown.join(", ")
    }

    /// A connection from an address of this case.
    pub async fn open(&self, from: usize) -> Option<TcpStream> {
        self.open_with_buffer(from, None).await
    }

    /// A connection that takes only this many bytes before it is read.
    pub async fn open_with_buffer(&self, from: usize, buffer: Option<u32>) -> Option<TcpStream> {
        let connect = async {
            let socket = TcpSocket::new_v4()?;
            if let Some(bytes) = buffer {
                socket.set_recv_buffer_size(bytes)?;
            }
            socket.bind(SocketAddr::from((address(100 + self.number, from), 0)))?;
            socket.connect(self.target.gateway).await
        };
        let opened: io::Result<_> = connect.await;
        if opened.is_err() {
            self.count("not connected");
        }
        opened.ok()
    }

    /// Sends something on a new connection and counts how the gateway answers.
    pub async fn send(&self, from: usize, bytes: &[u8]) {
        let Some(mut stream) = self.open(from).await else { return };
        // An answer may come before everything is sent.
        let (mut reader, mut writer) = stream.split();
        let answer = async {
            let mut head = Vec::new();
            while !head.contains(&b'\n') && reader.read_buf(&mut head).await? > 0 {}
            io::Result::Ok(head)
        };
        let send = async {
            drop(writer.write_all(bytes).await);
            std::future::pending::<()>().await;
        };
        let answer = tokio::select! { answer = answer => answer, () = send => return };
        self.count(&outcome_of(answer));
    }

    /// Sends something, and holds the connection until the gateway ends it or the time is over.
    pub async fn hold(&self, from: usize, bytes: &[u8]) {
        let Some(mut stream) = self.open(from).await else { return };
        if stream.write_all(bytes).await.is_err() {
            return self.count("reset");
        }
        self.wait_for_end(stream).await;
    }

    /// Reads until the gateway ends the connection.
    pub async fn wait_for_end(&self, mut stream: TcpStream) {
        let mut head = Vec::new();
        let answer = async {
            while !head.contains(&b'\n') && stream.read_buf(&mut head).await? > 0 {}
            let mut rest = [0; 4_096];
            while stream.read(&mut rest).await? > 0 {}
            io::Result::Ok(())
        };
        match timeout_at(self.ends(), answer).await {
            Err(_) => self.count("open"),
            Ok(answer) => self.count(&outcome_of(answer.map(|()| head))),
        }
    }

    /// Sends requests at this rate on one connection, opened again whenever it ends, without waiting for the answers.
    pub async fn flood(&self, from: usize, per_second: u32, request: impl Fn(u64) -> Vec<u8>) {
        let (mut number, batch_size) = (0, (per_second / 20).max(1));
        while self.is_on() {
            let Some(stream) = self.open(from).await else {
                sleep(TICK).await;
                continue;
            };
            let (mut reader, mut writer) = stream.into_split();
            let read = async {
                let mut buffer = vec![0; 64 * 1_024];
                while let Ok(count @ 1..) = reader.read(&mut buffer).await {
                    self.count_answers(&buffer[..count]);
                }
            };
            let write = async {
                let mut ticks = interval(Duration::from_secs(1) * batch_size / per_second);
                ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
                loop {
                    ticks.tick().await;
                    let mut batch = Vec::new();
                    for _ in 0..batch_size {
                        batch.extend(request(number));
                        number += 1;
                    }
                    if writer.write_all(&batch).await.is_err() {
                        return;
                    }
                }
            };
            tokio::select! { () = read => {}, () = write => {} }
            // A connection that is refused at once would be opened again as fast as the machine can.
            sleep(TICK).await;
        }
    }

    fn count_answers(&self, bytes: &[u8]) {
        for part in bytes.windows(13).filter(|part| part.starts_with(b"HTTP/1.1 ") && part[12] == b' ') {
            self.count(&String::from_utf8_lossy(&part[9..12]));
        }
    }

    /// The path of a file of 5 MiB, with a signature that lives for 15 minutes.
    ///
    /// # Errors
    /// When the product does not tell it.
    pub async fn document(&self) -> Result<String> {
        let path = format!("/transactions/{}", self.target.document);
        let answer = self.account(0).client.get(&path).await?.success()?;
        let url = answer["transaction"]["receipt"]["url"].as_str();
        Ok(url.with_context(|| format!("no link in {answer}"))?.to_owned())
    }

    /// The metrics of the gateway.
    ///
    /// # Errors
    /// When they cannot be read.
    pub async fn metrics(&self) -> Result<String> {
        let answer = reqwest::get(format!("http://{}/metrics", self.target.ops)).await?;
        ensure!(answer.status().is_success(), "/metrics answered {}", answer.status());
        Ok(answer.text().await?)
    }
}

fn outcome_of(answer: io::Result<Vec<u8>>) -> String {
    match answer {
        Err(_) => "reset".to_owned(),
        Ok(head) if head.is_empty() => "closed".to_owned(),
        Ok(head) => String::from_utf8_lossy(head.get(9..12).unwrap_or(b"not HTTP")).into_owned(),
    }
}

/// A request without a body.
pub fn get(path: &str, headers: &str) -> Vec<u8> {
    request("GET", path, headers)
}

/// A request without a body by any method. The headers end in CR LF each.
pub fn request(method: &str, path: &str, headers: &str) -> Vec<u8> {
    format!("{method} {path} HTTP/1.1\r\nhost: solvane\r\n{headers}\r\n").into_bytes()
}

/// A request with a JSON body.
pub fn post(method: &str, path: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let announced = announced(method, path, headers, body.len());
    [announced.as_slice(), body].concat()
}

/// The head of a request with a JSON body of this length.
pub fn announced(method: &str, path: &str, headers: &str, length: usize) -> Vec<u8> {
    request(method, path, &format!("{headers}content-type: application/json\r\ncontent-length: {length}\r\n"))
}

/// The header of a session.
pub fn bearer(account: &Account) -> String {
    format!("authorization: Bearer {}\r\n", account.token)
}
