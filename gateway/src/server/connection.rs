//! A client's connection. A write that makes no progress for 30 seconds ends it, and requests that cannot be read get the
//! same answer as every other error.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep_until};
use uuid::Uuid;

use crate::config::Config;
use crate::http::error::unparsed;
use crate::middleware::headers;
use crate::server::framing::Framing;

/// How long a write may make no progress.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);

/// A TCP stream with a write timeout and error bodies.
pub struct Connection {
    stream: TcpStream,
    stalled: Option<Pin<Box<Sleep>>>,
    config: Arc<Config>,
    framing: Framing,
    /// The status of a request that is refused although the parser would take it.
    fault: Option<StatusCode>,
    /// What replaces the parser's response, and how many bytes of it are written.
    refusal: Option<(Vec<u8>, usize)>,
}

impl Connection {
    pub fn new(stream: TcpStream, config: Arc<Config>) -> Self {
        Self { stream, stalled: None, config, framing: Framing::new(), fault: None, refusal: None }
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
        if let Err((at, status)) = self.framing.follow(&buf.filled()[before..]) {
            // No request has this byte, so that the parser refuses it, in its turn behind those before it.
            buf.filled_mut()[before + at] = 0;
            self.fault = Some(status);
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        if self.refusal.is_none() {
            let status = status_of_parser(buf, self.framing.is_in_first_line());
            self.refusal = status.map(|status| (refusal(self.fault.unwrap_or(status), &self.config), 0));
        }
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
fn status_of_parser(head: &[u8], is_in_first_line: bool) -> Option<StatusCode> {
    let status = match head.get(..13)? {
        b"HTTP/1.1 400 " => StatusCode::BAD_REQUEST,
        // All that was taken of the head is the request's line.
        b"HTTP/1.1 431 " if is_in_first_line => StatusCode::URI_TOO_LONG,
        b"HTTP/1.1 414 " => StatusCode::URI_TOO_LONG,
        b"HTTP/1.1 431 " => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
        _ => return None,
    };
    let text = std::str::from_utf8(head).ok()?;
    let is_bare = text.ends_with("\r\n\r\n") && text.to_ascii_lowercase().contains("\r\ncontent-length: 0\r\n");
    is_bare.then_some(status)
}

/// A whole response, with the headers that every other one has.
fn refusal(status: StatusCode, config: &Config) -> Vec<u8> {
    let id = Uuid::now_v7().to_string();
    let body = unparsed(status, id.clone());
    let mut fields = HeaderMap::new();
    fields.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    fields.insert(header::CONTENT_LENGTH, body.len().into());
    fields.insert(header::CONNECTION, HeaderValue::from_static("close"));
    fields.extend(HeaderValue::try_from(id).ok().map(|id| (HeaderName::from_static("x-request-id"), id)));
    headers::add(config, false, &mut fields);
    let mut response = format!("HTTP/1.1 {status}\r\n").into_bytes();
    for (name, value) in &fields {
        response.extend([name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
    }
    response.extend(b"\r\n");
    response.extend(body);
    response
}
