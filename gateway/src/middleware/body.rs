//! Bodies are received completely before any work begins: short ones in memory, longer ones in a temporary file, so that
//! slow clients hold neither memory nor a place.

use std::io;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, StatusCode, header};
use http_body_util::BodyExt;
use tokio::fs::File;
use tokio::io::{AsyncReadExt, AsyncSeekExt, AsyncWriteExt};
use tokio::time::{Instant, timeout};

use crate::http::error::ApiError;
use crate::middleware::rate::block;
use crate::middleware::shares::{Share, Shares};

/// Bytes of a body that are kept in memory.
const IN_MEMORY: usize = 16 * 1024;
/// Bytes of all temporary files together.
const SPACE: u64 = 1024 * 1024 * 1024;
/// How long every body may take.
const TIME: Duration = Duration::from_secs(15);
/// Bytes that buy a further second.
const LEAST_RATE: u64 = 32 * 1024;
/// How long nothing may come.
const STALL: Duration = Duration::from_secs(10);

/// Where bodies are received.
pub struct Spool {
    folder: PathBuf,
    space: Arc<Shares<IpAddr>>,
}

/// A complete body.
pub struct Received {
    memory: Vec<u8>,
    file: Option<Spooled>,
}

struct Spooled {
    file: File,
    bytes: u64,
    space: Share<IpAddr>,
}

impl Spool {
    /// Temporary files in this folder.
    #[must_use]
    pub fn new(folder: PathBuf) -> Self {
        Self { folder, space: Shares::new(SPACE, SPACE) }
    }

    /// Receives a body of at most `limit` bytes.
    ///
    /// # Errors
    /// 413, 408 if it comes too slowly, 415 if it is compressed, 400 if it ends early, 503 without space.
    pub async fn receive(
        &self,
        mut body: Body,
        headers: &HeaderMap,
        limit: usize,
        ip: Option<IpAddr>,
    ) -> Result<Received, ApiError> {
        if headers.get(header::CONTENT_ENCODING).is_some_and(|value| value != "identity") {
            return Err(ApiError::unsupported("Compressed requests are not accepted."));
        }
        let announced = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
        let too_large = || ApiError::of_status(StatusCode::PAYLOAD_TOO_LARGE);
        if announced.is_some_and(|bytes| bytes > limit as u64) {
            return Err(too_large());
        }
        let mut received = Received { memory: Vec::new(), file: None };
        let (begun, mut total) = (Instant::now(), 0usize);
        loop {
            let end = begun + TIME + Duration::from_secs(total as u64 / LEAST_RATE);
            let wait = STALL.min(end.saturating_duration_since(Instant::now()));
            let slow = |_| ApiError::of_status(StatusCode::REQUEST_TIMEOUT);
            let Some(frame) = timeout(wait, body.frame()).await.map_err(slow)? else { return Ok(received) };
            let frame = frame.map_err(|_| ApiError::malformed("The request ended too early."))?;
            let Ok(data) = frame.into_data() else { continue };
            total = total.saturating_add(data.len());
            if total > limit {
                return Err(too_large());
            }
            self.keep(&mut received, &data, ip).await?;
        }
    }

    async fn keep(&self, received: &mut Received, data: &[u8], ip: Option<IpAddr>) -> Result<(), ApiError> {
        if received.file.is_none() && received.memory.len() + data.len() <= IN_MEMORY {
            received.memory.extend_from_slice(data);
            return Ok(());
        }
        let amount = data.len() as u64;
        let full = || ApiError::of_status(StatusCode::SERVICE_UNAVAILABLE).because("no space is free for a body");
        let mut spooled = match received.file.take() {
            Some(mut spooled) => {
                spooled.space.grow(amount).then_some(()).ok_or_else(full)?;
                spooled
            }
            None => {
                let space = self.space.take(ip.map(block), amount).ok_or_else(full)?;
                Spooled { file: self.create().await.map_err(ApiError::internal)?, bytes: 0, space }
            }
        };
        spooled.file.write_all(data).await.map_err(ApiError::internal)?;
        spooled.bytes += amount;
        received.file = Some(spooled);
        Ok(())
    }

    /// A file without a name, which is gone when it is closed.
    async fn create(&self) -> io::Result<File> {
        let folder = self.folder.clone();
        let file = tokio::task::spawn_blocking(move || tempfile::tempfile_in(folder)).await??;
        Ok(File::from_std(file))
    }
}

impl Received {
    /// Its length.
    pub fn bytes(&self) -> u64 {
        self.memory.len() as u64 + self.file.as_ref().map_or(0, |spooled| spooled.bytes)
    }

    /// The body in memory.
    ///
    /// # Errors
    /// 500 if the temporary file cannot be read.
    pub async fn into_body(self) -> Result<Body, ApiError> {
        let Some(mut spooled) = self.file else { return Ok(Body::from(self.memory)) };
        let mut bytes = Vec::with_capacity(self.memory.len() + usize::try_from(spooled.bytes).unwrap_or_default());
        bytes.extend_from_slice(&self.memory);
        let read = async {
            spooled.file.flush().await?;
            spooled.file.rewind().await?;
            spooled.file.read_to_end(&mut bytes).await
        };
        read.await.map_err(ApiError::internal)?;
        Ok(Body::from(Bytes::from(bytes)))
    }
}
