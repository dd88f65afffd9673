//! Work on large bodies, on other threads than those that answer requests: parsing several megabytes would delay every
//! request that waits for the same thread.

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use crate::http::error::ApiError;

/// Bytes up to which work is done at once.
const SMALL: usize = 256 * 1024;
/// Large pieces of work at once.
static PLACES: Semaphore = Semaphore::const_new(2);

/// Does some work on this many bytes. Responds with 500 if it panics.
pub async fn work<T: Send + 'static>(bytes: usize, work: impl FnOnce() -> T + Send + 'static) -> Result<T, ApiError> {
    if bytes <= SMALL {
        return Ok(work());
    }
    let place = PLACES.acquire().await.map_err(ApiError::internal)?;
    spawn_blocking(move || {
        // Held until the work is done, even when its client was answered long ago.
        let _place = place;
        work()
    })
    .await
    .map_err(ApiError::internal)
}
