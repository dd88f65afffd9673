//! An SMTP server that stores every email as a file, for tests of its outages.

use std::{
    net::Ipv4Addr,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use anyhow::Result;
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    task::{JoinHandle, JoinSet},
};

use crate::host::ports;

/// An SMTP server for one stack.
#[derive(Debug)]
pub struct SmtpServer {
    port: u16,
    folder: PathBuf,
    count: Arc<AtomicU32>,
    running: Option<JoinHandle<()>>,
}

impl SmtpServer {
    /// Starts a server that writes to `folder`.
    ///
    /// # Errors
    /// When it cannot listen.
    pub async fn start(folder: &Path) -> Result<Self> {
        let (port, folder) = (ports::free()?, folder.to_owned());
        let mut server = Self { port, folder, count: Arc::default(), running: None };
        server.resume().await?;
        Ok(server)
    }

    #[must_use]
    pub fn url(&self) -> String {
        format!("smtp://127.0.0.1:{}", self.port)
    }

    /// Stops, and closes all its connections.
    pub async fn stop(&mut self) {
        if let Some(running) = self.running.take() {
            running.abort();
            drop(running.await);
        }
    }

    /// Comes back on the same port.
    ///
    /// # Errors
    /// When it cannot listen.
    pub async fn resume(&mut self) -> Result<()> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, self.port)).await?;
        let (folder, count) = (self.folder.clone(), Arc::clone(&self.count));
        self.running = Some(tokio::spawn(async move {
            // Aborting this task drops the set, and with it every connection.
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                connections.spawn(converse(stream, folder.clone(), Arc::clone(&count)));
            }
        }));
        Ok(())
    }
}

async fn converse(stream: TcpStream, folder: PathBuf, count: Arc<AtomicU32>) -> Result<()> {
    let (read, mut write) = stream.into_split();
    let mut lines = BufReader::new(read).split(b'\n');
    write.write_all(b"220 127.0.0.1 ESMTP\r\n").await?;
    while let Some(line) = lines.next_segment().await? {
        let verb = String::from_utf8_lossy(&line).trim().to_ascii_uppercase();
        let answer: &[u8] = match verb.split([' ', ':']).next().unwrap_or_default() {
            "EHLO" => b"250-127.0.0.1\r\n250-8BITMIME\r\n250 SMTPUTF8\r\n",
            "HELO" | "MAIL" | "RCPT" | "RSET" | "NOOP" => b"250 ok\r\n",
            "DATA" => {
                write.write_all(b"354 go on\r\n").await?;
                let mut mail = Vec::new();
                while let Some(line) = lines.next_segment().await? {
                    if line == b".\r" {
                        break;
                    }
                    // A leading dot was doubled on the way.
                    mail.extend_from_slice(line.strip_prefix(b".").unwrap_or(&line));
                    mail.push(b'\n');
                }
                keep(&folder, count.fetch_add(1, Ordering::Relaxed) + 1, &mail)?;
                b"250 kept\r\n"
            }
            "QUIT" => {
                write.write_all(b"221 bye\r\n").await?;
                return Ok(());
            }
            _ => b"502 not known\r\n",
        };
        write.write_all(answer).await?;
    }
    Ok(())
}

/// Renamed only when it is complete, because a test may be reading the folder.
fn keep(folder: &Path, number: u32, mail: &[u8]) -> Result<()> {
    let partial = folder.join(format!("{number:06}.partial"));
    std::fs::write(&partial, mail)?;
    Ok(std::fs::rename(partial, folder.join(format!("{number:06}.eml")))?)
}
