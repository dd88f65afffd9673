//! A lightweight client: one connection, one request at a time, raw bytes in and out.

use anyhow::{Context, Result, ensure};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A persistent connection.
pub struct Connection {
    stream: TcpStream,
    received: Vec<u8>,
}

impl Connection {
    /// To a port of this machine.
    pub async fn open(port: u16) -> Result<Self> {
        let stream = TcpStream::connect(("127.0.0.1", port)).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, received: Vec::with_capacity(4_096) })
    }

    /// Sends a complete request and returns the status; [`Self::body`] is the body of the response.
    pub async fn exchange(&mut self, request: &[u8]) -> Result<u16> {
        self.stream.write_all(request).await?;
        self.received.clear();
        loop {
            ensure!(self.stream.read_buf(&mut self.received).await? > 0, "the connection was closed");
            let Some(head) = head(&self.received) else { continue };
            let length = content_length(&self.received[..head]).context("an answer without length")?;
            while self.received.len() < head + length {
                ensure!(self.stream.read_buf(&mut self.received).await? > 0, "the connection was closed");
            }
            let status = self.received.get(9..12).and_then(|digits| std::str::from_utf8(digits).ok());
            return status.and_then(|digits| digits.parse().ok()).context("an answer without status");
        }
    }

    /// The body of the last response.
    pub fn body(&self) -> &[u8] {
        &self.received[head(&self.received).unwrap_or_default()..]
    }
}

/// Where the body begins.
fn head(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|four| four == b"\r\n\r\n").map(|at| at + 4)
}

fn content_length(head: &[u8]) -> Option<usize> {
    let lines = head.split(|byte| *byte == b'\n');
    let value = lines.filter_map(|line| {
        let (name, value) = line.split_at_checked(16)?;
        name.eq_ignore_ascii_case(b"content-length: ").then_some(value)
    });
    std::str::from_utf8(value.last()?).ok()?.trim().parse().ok()
}
