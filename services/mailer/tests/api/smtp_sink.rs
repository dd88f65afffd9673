//! An SMTP server that keeps the mails it receives and answers as the test scripts it.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Behaviour {
    /// Answers 250 to the data.
    Accept,
    /// 451 to the recipient.
    Later,
    /// 550 to the recipient.
    Never,
    /// Keeps the mail, and hangs up instead of saying so.
    HangUpAfterData,
}

#[derive(Clone)]
pub struct Sink {
    pub address: SocketAddr,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    script: Mutex<VecDeque<Behaviour>>,
    closed: Mutex<bool>,
    received: Mutex<Vec<String>>,
}

impl Sink {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, state) = (listener.local_addr().unwrap(), Arc::new(State::default()));
        let serving = Arc::clone(&state);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let state = Arc::clone(&serving);
                tokio::spawn(async move { converse(stream, &state).await });
            }
        });
        Self { address, state }
    }

    pub fn url(&self) -> String {
        format!("smtp://{}", self.address)
    }

    /// What it does with the next mails; it accepts all further ones.
    pub fn next(&self, behaviours: &[Behaviour]) {
        self.state.script.lock().unwrap().extend(behaviours);
    }

    /// Whether it refuses every connection.
    pub fn close(&self, closed: bool) {
        *self.state.closed.lock().unwrap() = closed;
    }

    pub fn received(&self) -> Vec<String> {
        self.state.received.lock().unwrap().clone()
    }
}

/// One connection; ends when the client or the script does.
async fn converse(stream: TcpStream, state: &State) -> Option<()> {
    let (read, mut write) = stream.into_split();
    let mut lines = BufReader::new(read).lines();
    if *state.closed.lock().unwrap() {
        write.write_all(b"554 nobody is served here\r\n").await.ok()?;
        return None;
    }
    write.write_all(b"220 sink ESMTP\r\n").await.ok()?;
    let mut behaviour = Behaviour::Accept;
    while let Some(line) = lines.next_line().await.ok()? {
        let verb = line.split([' ', ':']).next().unwrap_or_default().to_uppercase();
        let answer = match (verb.as_str(), behaviour) {
            ("EHLO", _) => "250-sink\r\n250 8BITMIME",
            ("MAIL", _) => {
                behaviour = state.script.lock().unwrap().pop_front().unwrap_or(Behaviour::Accept);
                "250 ok"
            }
            ("RCPT", Behaviour::Later) => "451 come back later",
            ("RCPT", Behaviour::Never) => "550 no such mailbox",
            ("DATA", _) => {
                write.write_all(b"354 go on\r\n").await.ok()?;
                let mut mail = String::new();
                loop {
                    match lines.next_line().await.ok()??.as_str() {
                        "." => break,
                        line => {
                            mail.push_str(line.strip_prefix('.').unwrap_or(line));
                            mail.push('\n');
                        }
                    }
                }
                state.received.lock().unwrap().push(mail);
                if behaviour == Behaviour::HangUpAfterData {
                    return None;
                }
                "250 taken"
            }
            ("QUIT", _) => "221 bye",
            _ => "250 ok",
        };
        write.write_all(format!("{answer}\r\n").as_bytes()).await.ok()?;
    }
    None
}
