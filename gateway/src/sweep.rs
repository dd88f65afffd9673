//! Removes stored files that nothing refers to, which requests leave behind when they end halfway (D-V3).
//!
//! The services know which files they refer to. A file is examined 30 minutes after it was written, long after a
//! pending request would have an owner for it, so any number of gateways may sweep at the same time.

use std::sync::Arc;
use std::time::Duration;

use chassis::grpc::{Channel, Outgoing};
use chassis::identity::Credential;
use futures::{StreamExt, TryStreamExt};
use proto::common::v1::ListOwnedFilesRequest;
use proto::common::v1::file_owner_service_client::FileOwnerServiceClient;
use time::OffsetDateTime;
use tokio_util::sync::CancellationToken;

use crate::http::error::ApiError;
use crate::peers::clients::{FileOwners, call_retrying};
use crate::storage::files::{Files, Purpose};

/// How old a file must be before it is examined.
const AGE: time::Duration = time::Duration::minutes(30);
/// Seconds between two passes. They vary so that gateways which started together drift apart.
const PAUSE: std::ops::Range<u64> = 500..800;
/// Files in one question to a service.
const BATCH: usize = 500;
/// How many files of a folder a pass always may remove. Beyond them it removes at most a tenth of the folder.
const FEW: usize = 100;

/// The result of a pass over one folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Swept {
    /// Files without an owner.
    pub orphans: usize,
    /// How many of the orphans are removed.
    pub removed: usize,
}

/// Sweeps until shutdown.
pub async fn run(
    files: Arc<Files>,
    owners: FileOwners,
    credential: Credential,
    shutdown: CancellationToken,
) -> anyhow::Result<()> {
    loop {
        for purpose in Purpose::ALL {
            let now = OffsetDateTime::now_utc();
            let folder = purpose.folder();
            match sweep(&files, &owners, &credential, purpose, now).await {
                Ok(swept) => note(folder, swept, now),
                Err(error) => tracing::warn!(?error, folder, "stored files could not be swept"),
            }
        }
        tokio::select! {
            () = shutdown.cancelled() => return Ok(()),
            () = tokio::time::sleep(Duration::from_secs(rand::random_range(PAUSE))) => {}
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "for the metrics alone")]
fn note(folder: &'static str, swept: Swept, at: OffsetDateTime) {
    metrics::counter!("files_removed_total", "folder" => folder).increment(swept.removed as u64);
    metrics::gauge!("files_without_owner", "folder" => folder).set((swept.orphans - swept.removed) as f64);
    metrics::gauge!("files_swept_at_seconds", "folder" => folder).set(at.unix_timestamp() as f64);
}

/// Removes the files of a purpose that nothing refers to. If their number shows that the services must be wrong, it
/// removes none. It stops at the first error of the store or a service.
pub async fn sweep(
    files: &Files,
    owners: &FileOwners,
    credential: &Credential,
    purpose: Purpose,
    now: OffsetDateTime,
) -> Result<Swept, ApiError> {
    let owner = match purpose {
        Purpose::Receipt | Purpose::Document => &owners.papers,
        Purpose::Case => &owners.cases,
        Purpose::Photo => &owners.photos,
        Purpose::Method => &owners.methods,
    };
    let (mut seen, mut orphans) = (0, Vec::new());
    let mut batches = files.unchanged_since(purpose, now - AGE).try_chunks(BATCH).boxed();
    while let Some(keys) = batches.try_next().await.map_err(ApiError::internal)? {
        seen += keys.len();
        orphans.extend(orphans_among(owner, credential, keys).await?);
    }
    if orphans.len() > FEW.max(seen / 10) {
        let (folder, orphans) = (purpose.folder(), orphans.len());
        tracing::error!(folder, seen, orphans, "implausibly many stored files have no owner: no file is removed");
        return Ok(Swept { orphans, removed: 0 });
    }
    let mut swept = Swept { orphans: orphans.len(), removed: 0 };
    for key in orphans {
        files.remove(&key).await.map_err(ApiError::internal)?;
        tracing::info!(key, "a stored file without owner is removed");
        swept.removed += 1;
    }
    Ok(swept)
}

async fn orphans_among(
    owner: &FileOwnerServiceClient<Channel>,
    credential: &Credential,
    mut keys: Vec<String>,
) -> Result<Vec<String>, ApiError> {
    let out = Outgoing::service(credential);
    let message = ListOwnedFilesRequest { keys: keys.clone() };
    let mut owned = call_retrying!(owner, list_owned_files, out, message)?.into_inner().keys;
    owned.sort_unstable();
    keys.retain(|key| owned.binary_search(key).is_err());
    Ok(keys)
}
