//! Removes stored files that nothing refers to: what a request left that ended in between (D-V3).
//!
//! The services say which files they refer to. A file is looked at 30 minutes after it was written: what is being stored
//! has an owner long before. So any number of gateways may sweep at once.

use std::time::Duration;

use chassis::grpc::Outgoing;
use chassis::identity::Credential;
use futures::{StreamExt, TryStreamExt};
use proto::common::v1::ListOwnedFilesRequest;
use proto::common::v1::file_owner_service_client::FileOwnerServiceClient;
use time::OffsetDateTime;
use tokio_util::sync::CancellationToken;
use tonic::transport::Channel;

use crate::clients::{FileOwners, call_retrying};
use crate::error::ApiError;
use crate::files::{Files, Purpose};

/// How old a file is before it is looked at.
const AGE: time::Duration = time::Duration::minutes(30);
/// Between two passes, in seconds; gateways that started together do not stay so.
const PAUSE: std::ops::Range<u64> = 500..800;
/// Files that a service is asked about at once.
const BATCH: usize = 500;
/// How many files a pass removes of a folder in any case; beyond them no more than a tenth of what is there.
const FEW: usize = 100;

/// What a pass over one folder found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Swept {
    /// Files without an owner.
    pub orphans: usize,
    /// Those of them that are gone.
    pub removed: usize,
}

/// Sweeps until shutdown.
///
/// # Errors
/// Never.
pub async fn run(
    files: Files,
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

/// Removes the files of a purpose that nothing refers to, unless they are so many that the services must be wrong.
///
/// # Errors
/// The store's and the services'; then nothing more is removed.
pub async fn sweep(
    files: &Files,
    owners: &FileOwners,
    credential: &Credential,
    purpose: Purpose,
    now: OffsetDateTime,
) -> Result<Swept, ApiError> {
    let owner = match purpose {
        Purpose::Receipt => &owners.receipts,
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
        tracing::error!(folder, seen, orphans, "more stored files are without owner than can be: none is removed");
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
    let out = Outgoing::service(credential)?;
    let message = ListOwnedFilesRequest { keys: keys.clone() };
    let mut owned = call_retrying!(owner, list_owned_files, out, message)?.into_inner().keys;
    owned.sort_unstable();
    keys.retain(|key| owned.binary_search(key).is_err());
    Ok(keys)
}
