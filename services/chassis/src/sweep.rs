//! Work that a process looks for again and again.

use std::fmt::Display;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

/// Does `batch` at once and after every pause until shutdown, each time until it returns zero or `false`: nothing was
/// left. What fails is tried again after the pause. A shutdown drops the batch at work: its transaction is rolled back, and
/// the next process does it.
pub async fn every<N, E, Done>(pause: Duration, what: &str, shutdown: CancellationToken, batch: impl Fn() -> Done)
where
    N: Default + Display + PartialEq,
    E: Display,
    Done: Future<Output = Result<N, E>>,
{
    while !shutdown.is_cancelled() {
        loop {
            let Some(swept) = shutdown.run_until_cancelled(batch()).await else { return };
            crate::crash_point!("sweep.after_batch");
            match swept {
                Ok(done) if done == N::default() => break,
                Ok(done) => tracing::debug!(%done, what, "swept"),
                Err(error) => {
                    tracing::warn!(%error, what, "sweep failed");
                    break;
                }
            }
        }
        let _ = shutdown.run_until_cancelled(tokio::time::sleep(pause)).await;
    }
}
