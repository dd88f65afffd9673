//! The files of the course in the object store.

use std::path::Path as FsPath;
use std::sync::Arc;

use anyhow::Context;
use futures::{StreamExt, TryStreamExt};
use object_store::buffered::BufWriter;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt};
use tokio::fs::File;
use tokio::io::{AsyncWriteExt, copy};

use crate::domain::media::{Chunk, MediaId, chunks_folder, folder};
use crate::transcoder::open;

/// Bytes of an upload to the store that are in memory at once.
const BUFFER: usize = 5 * 1024 * 1024;

#[derive(Clone)]
pub struct Objects(Arc<dyn ObjectStore>);

impl Objects {
    #[must_use]
    pub fn new(store: Arc<dyn ObjectStore>) -> Self {
        Self(store)
    }

    /// Writes the chunks of an upload into a file, one after another.
    ///
    /// # Errors
    /// If a chunk is missing or has another length.
    pub async fn fetch(&self, media: MediaId, chunks: &[Chunk], file: &FsPath) -> anyhow::Result<()> {
        let mut out = File::create(file).await?;
        let mut written = 0;
        for chunk in chunks {
            anyhow::ensure!(chunk.begins_at == written, "a chunk is missing at {written}");
            let path = Path::from(format!("{}/{}", chunks_folder(media), chunk.name.simple()));
            let mut bytes = self.0.get(&path).await.with_context(|| format!("cannot read {path}"))?.into_stream();
            while let Some(part) = bytes.try_next().await? {
                written += i64::try_from(part.len())?;
                out.write_all(&part).await?;
            }
            anyhow::ensure!(chunk.begins_at + chunk.bytes == written, "{path} has another length");
        }
        out.sync_data().await?;
        Ok(())
    }

    /// Stores a file under a name in a folder.
    ///
    /// # Errors
    /// If the store does not take it.
    pub async fn put(&self, folder: &str, name: &str, file: &FsPath) -> anyhow::Result<()> {
        let path = Path::from(format!("{folder}/{name}"));
        let mut writer = BufWriter::with_capacity(Arc::clone(&self.0), path, BUFFER);
        copy(&mut open(file).await?, &mut writer).await?;
        writer.shutdown().await?;
        Ok(())
    }

    /// Stores all files of a folder on disk in a folder of the store.
    ///
    /// # Errors
    /// If the store does not take one.
    pub async fn put_all(&self, folder: &str, files: &FsPath) -> anyhow::Result<()> {
        let mut entries = tokio::fs::read_dir(files).await?;
        while let Some(entry) = entries.next_entry().await? {
            let name = entry.file_name().into_string().ok().context("a file with an unreadable name")?;
            self.put(folder, &name, &entry.path()).await?;
        }
        Ok(())
    }

    /// Deletes everything in a folder. Returns how many objects that were.
    ///
    /// # Errors
    /// If the store does not answer.
    pub async fn clear(&self, folder: &str) -> anyhow::Result<usize> {
        let found = self.0.list(Some(&Path::from(folder))).map_ok(|object| object.location).boxed();
        let (mut deleted, mut count) = (self.0.delete_stream(found), 0);
        while let Some(result) = deleted.next().await {
            match result {
                Ok(_) | Err(object_store::Error::NotFound { .. }) => count += 1,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(count)
    }

    /// Deletes the objects of a file. Returns how many there were.
    ///
    /// # Errors
    /// If the store does not answer.
    pub async fn clear_media(&self, media: MediaId) -> anyhow::Result<usize> {
        self.clear(&folder(media)).await
    }

    /// The files that have objects in the store.
    ///
    /// # Errors
    /// If the store does not answer.
    pub async fn media(&self) -> anyhow::Result<Vec<MediaId>> {
        let folders = self.0.list_with_delimiter(Some(&Path::from("course"))).await?.common_prefixes;
        Ok(folders.iter().filter_map(|folder| folder.filename()?.parse().ok()).collect())
    }
}
