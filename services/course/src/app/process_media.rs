//! The media worker: makes what members are served of an uploaded file (D-C5). A worker owns a file by a lease. One that dies
//! leaves its lease behind, and the next attempt begins with what the first left in the store.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

use anyhow::Context;
use chassis::clock;
use chassis::db::Db;
use tokio::time::interval;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::domain::file_type::attachment_type;
use crate::domain::media::{Job, Kind, MOST_ATTEMPTS, Processed, results_folder};
use crate::objects::Objects;
use crate::store::media;
use crate::transcoder::{Failure, RESULTS, SOURCE, Transcoder, head};

/// How often the queue is looked at while it is empty.
const PAUSE: Duration = Duration::from_secs(1);
/// How often the progress is kept, and with it the lease.
const REPORT: Duration = Duration::from_secs(2);
const PREFIX: &str = "solvane-course-";

pub struct Worker {
    pub db: Db,
    pub objects: Objects,
    pub transcoder: Transcoder,
    /// Where files are while they are processed.
    pub folder: PathBuf,
    pub shutdown: CancellationToken,
}

/// How an attempt ended.
enum End {
    Processed(Processed),
    Refused(String),
    /// Somebody removed the file, or another worker has it.
    Lost,
    Stopped,
}

/// A folder on disk that is deleted on drop, and locked as long as its worker lives.
struct Workplace {
    folder: PathBuf,
    _lock: fs::File,
}

impl Worker {
    /// Processes one file after another until shutdown.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub async fn run(self) -> anyhow::Result<()> {
        fs::create_dir_all(&self.folder)?;
        clear_abandoned(&self.folder)?;
        while !self.shutdown.is_cancelled() {
            match self.process_next().await {
                Ok(true) => continue,
                Ok(false) => {}
                Err(error) => tracing::warn!(error = %format!("{error:#}"), "a file could not be processed now"),
            }
            let _ = self.shutdown.run_until_cancelled(tokio::time::sleep(PAUSE)).await;
        }
        Ok(())
    }

    /// Processes the file that has waited longest. Returns false if none waits.
    ///
    /// # Errors
    /// If the database, the store or the disk fails; the file waits for another attempt then.
    pub async fn process_next(&self) -> anyhow::Result<bool> {
        let mut tx = self.db.begin().await?;
        let now = clock::now(&mut tx).await?;
        let job = media::lease(&mut tx, Uuid::new_v4(), now).await?;
        tx.commit().await?;
        let Some(job) = job else { return Ok(false) };
        tracing::info!(media = %job.media, attempt = job.attempts, "processing a file");
        if let Some(abandoned) = job.abandoned {
            self.objects.clear(&results_folder(job.media, abandoned)).await?;
        }
        let end = if job.attempts > MOST_ATTEMPTS {
            End::Refused("We could not process this file. Export it again as MP4, and upload it again.".to_owned())
        } else {
            match self.attempt(&job).await {
                Ok(end) => end,
                Err(error) => {
                    self.objects.clear(&results_folder(job.media, job.attempt)).await?;
                    return Err(error);
                }
            }
        };
        self.end(&job, end).await?;
        Ok(true)
    }

    async fn attempt(&self, job: &Job) -> anyhow::Result<End> {
        let place = Workplace::new(&self.folder, job.attempt)?;
        let progress = AtomicI32::new(0);
        let work = async {
            match self.work(job, &place.folder, &|percent| progress.store(percent, Ordering::Relaxed)).await {
                Ok(processed) => Ok(End::Processed(processed)),
                Err(Failure::Refused(reason)) => Ok(End::Refused(reason)),
                Err(Failure::Broken(error)) => Err(error),
            }
        };
        tokio::select! {
            end = work => end,
            () = self.shutdown.cancelled() => Ok(End::Stopped),
            () = self.keep_lease(job, &progress) => Ok(End::Lost),
        }
    }

    async fn work(&self, job: &Job, folder: &Path, told: &(dyn Fn(i32) + Send + Sync)) -> Result<Processed, Failure> {
        let chunks = media::chunks(&mut *self.db.conn().await.context("database")?, job.media).await;
        let chunks = chunks.context("cannot read the chunks")?;
        let source = folder.join(SOURCE);
        self.objects.fetch(job.media, &chunks, &source).await?;
        told(1);
        let results = results_folder(job.media, job.attempt);
        if job.kind == Kind::Attachment {
            let content_type = attachment_type(&head(folder).await?, &job.name).map_err(Failure::Refused)?;
            self.objects.put(&results, "attachment", &source).await?;
            return Ok(Processed { content_type: content_type.to_owned(), video: None });
        }
        let video = self.transcoder.transcode(folder, told).await?;
        self.objects.put_all(&results, &folder.join(RESULTS)).await?;
        Ok(Processed { content_type: "application/vnd.apple.mpegurl".to_owned(), video: Some(video) })
    }

    /// Reports the progress; returns when the file is no longer this worker's.
    async fn keep_lease(&self, job: &Job, progress: &AtomicI32) {
        let mut ticks = interval(REPORT);
        loop {
            ticks.tick().await;
            match self.report(job, progress.load(Ordering::Relaxed)).await {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => tracing::warn!(%error, "the progress of a file is not kept"),
            }
        }
    }

    async fn report(&self, job: &Job, progress: i32) -> Result<bool, crate::error::Error> {
        let mut conn = self.db.conn().await?;
        let now = clock::now(&mut conn).await?;
        media::report(&mut conn, job, progress, now).await
    }

    /// Keeps how an attempt ended. What is not served goes from the store.
    async fn end(&self, job: &Job, end: End) -> anyhow::Result<()> {
        let mut tx = self.db.begin().await?;
        let now = clock::now(&mut tx).await?;
        let (result, is_served) = match &end {
            End::Processed(processed) => ("ready", media::finish(&mut tx, job, processed, now).await?),
            End::Refused(reason) => {
                tracing::info!(media = %job.media, reason, "a file was refused");
                media::fail(&mut tx, job, reason, now).await?;
                ("refused", false)
            }
            End::Lost => ("lost", false),
            End::Stopped => {
                media::give_back(&mut tx, job).await?;
                ("stopped", false)
            }
        };
        tx.commit().await?;
        metrics::counter!("media_processed_total", "result" => result).increment(1);
        if !is_served {
            self.objects.clear(&results_folder(job.media, job.attempt)).await?;
        }
        Ok(())
    }
}

impl Workplace {
    fn new(parent: &Path, attempt: Uuid) -> anyhow::Result<Self> {
        let folder = parent.join(format!("{PREFIX}{}", attempt.simple()));
        fs::create_dir(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let lock = fs::File::create(folder.join("lock"))?;
        lock.lock()?;
        Ok(Self { folder, _lock: lock })
    }
}

impl Drop for Workplace {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.folder) {
            tracing::warn!(%error, folder = %self.folder.display(), "a folder of the worker stays");
        }
    }
}

/// Deletes the folders of workers that died.
fn clear_abandoned(parent: &Path) -> anyhow::Result<()> {
    for entry in fs::read_dir(parent)? {
        let entry = entry?;
        let is_ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        let is_free = || fs::File::open(entry.path().join("lock")).is_ok_and(|lock| lock.try_lock().is_ok());
        if is_ours && is_free() {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}
