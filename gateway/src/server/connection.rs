//! A client's connection. A write that makes no progress for 30 seconds ends it, and requests that the HTTP parser
//! refuses get the same body as every other error.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::http::StatusCode;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep_until};
use uuid::Uuid;

use crate::error::unparsed;

/// How long a write may make no progress.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);

/// A TCP stream with a write timeout and error bodies.
pub struct Connection {
    stream: TcpStream,
    stalled: Option<Pin<Box<Sleep>>>,
    /// Whether the first line of the current request is complete.
    has_line: bool,
    /// What replaces the parser's response, and how many bytes of it are written.
    refusal: Option<(Vec<u8>, usize)>,
}

impl Connection {
    pub fn new(stream: TcpStream) -> Self {
        Self { stream, stalled: None, has_line: false, refusal: None }
    }

    /// Passes a write on, or ends the connection after the timeout.
    fn watch<T>(&mut self, cx: &mut Context<'_>, result: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if result.is_ready() {
            self.stalled = None;
            return result;
        }
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep_until(Instant::now() + WRITE_TIMEOUT)));
        ready!(stalled.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    fn write_refusal(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while let Some((bytes, written)) = &mut self.refusal {
            if *written == bytes.len() {
                break;
            }
            let result = Pin::new(&mut self.stream).poll_write(cx, &bytes[*written..]);
            let count = match result {
                Poll::Ready(count) => count?,
                Poll::Pending => return self.watch(cx, Poll::Pending),
            };
            *written += count;
        }
        self.stalled = None;
        Poll::Ready(Ok(()))
    }
}

impl AsyncRead for Connection {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buf))?;
        self.has_line = self.has_line || buf.filled()[before..].contains(&b'\n');
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        if self.refusal.is_none() {
            self.refusal = refusal_of_parser(buf, self.has_line).map(|bytes| (bytes, 0));
        }
        self.has_line = false;
        if self.refusal.is_some() {
            ready!(self.write_refusal(cx))?;
            return Poll::Ready(Ok(buf.len()));
        }
        let result = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.watch(cx, result)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if let [only] = bufs {
            return self.poll_write(cx, only);
        }
        self.has_line = false;
        let result = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.watch(cx, result)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// hyper answers malformed HTTP, long heads and long addresses with a bare status before any handler runs, so nothing
/// else can add a body. Responses of handlers have a body, so their length is never 0.
fn refusal_of_parser(head: &[u8], has_line: bool) -> Option<Vec<u8>> {
    let status = match head.get(..13)? {
        b"HTTP/1.1 400 " => StatusCode::BAD_REQUEST,
        // All that was taken of the head is the request's line.
        b"HTTP/1.1 431 " if !has_line => StatusCode::URI_TOO_LONG,
        b"HTTP/1.1 414 " => StatusCode::URI_TOO_LONG,
        b"HTTP/1.1 431 " => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
        _ => return None,
    };
    let text = std::str::from_utf8(head).ok()?;
    if !text.ends_with("\r\n\r\n") || !text.to_ascii_lowercase().contains("\r\ncontent-length: 0\r\n") {
        return None;
    }
    let body = unparsed(status, Uuid::now_v7().to_string());
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nx-content-type-options: nosniff\r\n\
         cache-control: no-store\r\nconnection: close\r\n\r\n",
        body.len()
    );
    Some([head.into_bytes(), body].concat())
}
