//! Makes a video of the course from an uploaded file, with ffprobe and ffmpeg in processes of their own ([sandbox]).
//!
//! The result is HLS with fragmented MP4: one playlist and segments of four seconds for each quality, a poster, and a strip
//! of small pictures. Sound is brought to −16 LUFS, in two passes.

mod filters;
mod remote;
mod sandbox;

use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use anyhow::Context;
use tokio::io::AsyncReadExt;

use self::filters::{Loudness, filters, scaled};
pub use self::remote::{Remote, serve};
use self::sandbox::{Limits, Outcome};
pub use self::sandbox::{Sandbox, open};
use crate::domain::file_type::{Container, HEAD};
use crate::domain::media::{Preview, Video};
use crate::domain::probe::{Report, Source, millis};

/// The name of the source in the folder of a job.
pub const SOURCE: &str = "source";
/// The folder with the results in the folder of a job.
pub const RESULTS: &str = "results";
const SEGMENT_SECONDS: u32 = 4;
const PROBE_TIME: Duration = Duration::from_secs(120);
/// Small pictures of a preview strip, and in one of its rows.
const MOST_PICTURES: i64 = 100;
const PICTURES_IN_A_ROW: i64 = 10;
const PICTURE_HEIGHT: i64 = 90;
/// Maximum length of the shorter edge of a poster.
const POSTER_EDGE: i64 = 720;
const DAMAGED: &str = "The file is damaged or incomplete. Export it again, and upload it as a whole.";

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// Because of the file; a sentence for people.
    #[error("{0}")]
    Refused(String),
    /// Because of this worker.
    #[error(transparent)]
    Broken(#[from] anyhow::Error),
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::Broken(error.into())
    }
}

/// Called with the progress of the work, in percent.
pub type OnProgress<'a> = &'a (dyn Fn(i32) + Send + Sync);

/// Where programs run.
pub enum Place {
    Here(Sandbox),
    Elsewhere(Remote),
}

impl Place {
    fn give(&self, folder: &Path) -> std::io::Result<()> {
        match self {
            Self::Here(sandbox) => sandbox.give(folder),
            Self::Elsewhere(_) => Remote::give(folder),
        }
    }

    async fn run(
        &self,
        program: &str,
        args: &[String],
        folder: &Path,
        limits: Limits,
        told: &(dyn Fn(&str) + Send + Sync),
    ) -> anyhow::Result<Outcome> {
        match self {
            Self::Here(sandbox) => sandbox.run(program, args, folder, limits, told).await,
            Self::Elsewhere(remote) => remote.run(program, args, folder, limits, told).await,
        }
    }
}

pub struct Transcoder {
    place: Place,
    threads: u32,
}

impl Transcoder {
    /// With this many threads for each video.
    #[must_use]
    pub fn new(place: Place, threads: u32) -> Self {
        Self { place, threads }
    }

    /// Makes a video from the source in a folder.
    ///
    /// # Errors
    /// `Refused` if the file is not accepted.
    pub async fn transcode(&self, folder: &Path, on_progress: OnProgress<'_>) -> Result<Video, Failure> {
        let container = Container::of(&head(folder).await?).ok_or_else(|| {
            Failure::Refused("This is no video that we can read. Upload an MP4, MOV, MKV or WebM.".into())
        })?;
        let source = self.probe(folder, container).await?;
        on_progress(2);
        let results = folder.join(RESULTS);
        tokio::fs::create_dir(&results).await?;
        self.place.give(&results)?;
        let loudness = match source.sound {
            Some(sound) => self.loudness(folder, container, &source, sound).await?,
            None => None,
        };
        on_progress(10);
        self.segments(folder, container, &source, loudness.as_ref(), on_progress).await?;
        let duration_ms = self.played_ms(&results).await?;
        // What a file says about its length is not what is in it.
        if duration_ms < source.duration_ms - source.duration_ms / 10 - 1_000 {
            return Err(Failure::Refused("The file ends before its last picture. Upload it as a whole.".into()));
        }
        self.poster(folder, container, &source, duration_ms).await?;
        on_progress(93);
        let preview = self.preview(folder, &source, duration_ms).await?;
        on_progress(95);
        let (width, height) = source.size_of(source.best());
        let pixels = |length: i64| i32::try_from(length).map_err(anyhow::Error::from);
        Ok(Video { duration_ms, width: pixels(width)?, height: pixels(height)?, preview })
    }

    async fn probe(&self, folder: &Path, container: Container) -> Result<Source, Failure> {
        let mut args = input(container);
        args.splice(0..0, ["-v", "error", "-show_streams", "-show_format", "-of", "json"].map(str::to_owned));
        let limits = self.limits(PROBE_TIME / 4);
        let Outcome { status, stdout, .. } = self.place.run("ffprobe", &args, folder, limits, &|_| {}).await?;
        let report = match serde_json::from_slice::<Report>(&stdout) {
            Ok(report) if status.is_some_and(|status| status.success()) => report,
            _ => return Err(refused(status.is_none())),
        };
        let counted_ms = match report.stated_ms() {
            Some(_) => None,
            None => self.counted_ms(folder, container).await.ok(),
        };
        report.source(counted_ms).map_err(Failure::Refused)
    }

    /// The length of a picture whose file does not state it, as browsers record them, by reading it without decoding.
    async fn counted_ms(&self, folder: &Path, container: Container) -> Result<i64, Failure> {
        let mut args = input(container);
        args.extend(["-map", "0:v:0", "-c", "copy", "-f", "null", "-"].map(str::to_owned));
        let last = AtomicI64::new(0);
        self.ffmpeg(&args, folder, 0, &|done_ms| last.store(done_ms, Ordering::Relaxed)).await?;
        Ok(last.into_inner())
    }

    /// The first pass over the sound; `None` if it is silent.
    async fn loudness(
        &self,
        folder: &Path,
        container: Container,
        source: &Source,
        sound: usize,
    ) -> Result<Option<Loudness>, Failure> {
        let mut args = input(container);
        let filter = "loudnorm=I=-16:TP=-1.5:LRA=11:print_format=json";
        args.extend(["-map".to_owned(), format!("0:{sound}")]);
        args.extend(["-vn", "-sn", "-dn", "-af", filter, "-f", "null", "-"].map(str::to_owned));
        let stderr = self.ffmpeg(&args, folder, source.duration_ms, &|_| {}).await?;
        let text = String::from_utf8_lossy(&stderr);
        let json = text.rfind('{').and_then(|begin| text[begin..].rfind('}').map(|end| &text[begin..=begin + end]));
        let loudness: Loudness = json.and_then(|json| serde_json::from_str(json).ok()).context("no loudness")?;
        Ok((!loudness.is_silent()).then_some(loudness))
    }

    /// The playlists and segments of all qualities.
    async fn segments(
        &self,
        folder: &Path,
        container: Container,
        source: &Source,
        loudness: Option<&Loudness>,
        on_progress: OnProgress<'_>,
    ) -> Result<(), Failure> {
        let renditions = source.renditions();
        let mut args = input(container);
        args.extend(["-filter_complex".to_owned(), filters(source, loudness)]);
        let mut streams = Vec::new();
        for (number, rendition) in renditions.iter().enumerate() {
            let kilobits = rendition.kilobits;
            args.extend(["-map".to_owned(), format!("[v{number}]")]);
            args.extend([format!("-maxrate:v:{number}"), format!("{kilobits}k")]);
            args.extend([format!("-bufsize:v:{number}"), format!("{}k", kilobits * 2)]);
            let sound = source.sound.map_or_else(String::new, |_| format!(",a:{number}"));
            streams.push(format!("v:{number}{sound},name:{}", rendition.name));
        }
        if source.sound.is_some() {
            args.extend((0..renditions.len()).flat_map(|number| ["-map".to_owned(), format!("[a{number}]")]));
            args.extend(["-c:a", "aac", "-b:a", "128k", "-ac", "2"].map(str::to_owned));
        }
        args.extend(["-c:v", "libx264", "-preset", "veryfast", "-crf", "23", "-profile:v", "high"].map(str::to_owned));
        args.extend(["-threads".to_owned(), self.threads.to_string(), "-sc_threshold".to_owned(), "0".to_owned()]);
        args.extend(["-force_key_frames".to_owned(), format!("expr:gte(t,n_forced*{SEGMENT_SECONDS})")]);
        args.extend(["-map_metadata", "-1", "-map_chapters", "-1", "-t"].map(str::to_owned));
        args.push(format!("{}ms", source.duration_ms + 1_000));
        args.extend(["-f", "hls", "-hls_playlist_type", "vod", "-hls_segment_type", "fmp4"].map(str::to_owned));
        // ffmpeg puts no name there if there is only one quality.
        let init = if renditions.len() == 1 { "360p-init.mp4" } else { "%v-init.mp4" };
        args.extend(["-hls_flags", "independent_segments", "-hls_fmp4_init_filename", init].map(str::to_owned));
        args.extend(["-hls_time".to_owned(), SEGMENT_SECONDS.to_string()]);
        args.extend(
            ["-hls_segment_filename", "results/%v-%05d.m4s", "-master_pl_name", "master.m3u8"].map(str::to_owned),
        );
        args.extend(["-var_stream_map".to_owned(), streams.join(" "), "results/%v.m3u8".to_owned()]);
        let total = source.duration_ms.max(1);
        let told = |done_ms: i64| on_progress(10 + i32::try_from(done_ms.clamp(0, total) * 80 / total).unwrap_or(0));
        self.ffmpeg(&args, folder, source.duration_ms, &told).await?;
        Ok(())
    }

    /// How long the result is, by its first playlist.
    async fn played_ms(&self, results: &Path) -> Result<i64, Failure> {
        let playlist = read(&results.join("360p.m3u8")).await.map_err(|_| refused(false))?;
        let lengths = playlist.lines().filter_map(|line| line.strip_prefix("#EXTINF:"));
        Ok(lengths.filter_map(|length| millis(length.trim_end_matches(','))).sum())
    }

    /// One picture from the first tenth.
    async fn poster(
        &self,
        folder: &Path,
        container: Container,
        source: &Source,
        duration_ms: i64,
    ) -> Result<(), Failure> {
        let mut args = vec!["-ss".to_owned(), format!("{}ms", duration_ms / 10)];
        args.extend(input(container));
        let rendition = source.renditions().into_iter().rfind(|one| one.edge <= POSTER_EDGE).unwrap_or(source.best());
        args.extend(["-map".to_owned(), format!("0:{}", source.picture)]);
        args.extend(["-vf".to_owned(), scaled(source, rendition)]);
        args.extend(["-frames:v", "1"].map(str::to_owned));
        args.extend(["-q:v", "4", "-map_metadata", "-1", "-f", "image2", "results/poster.jpg"].map(str::to_owned));
        self.ffmpeg(&args, folder, duration_ms, &|_| {}).await?;
        self.exists(folder, "poster.jpg").await
    }

    /// The strip, from the smallest quality, which is quick to decode.
    async fn preview(&self, folder: &Path, source: &Source, duration_ms: i64) -> Result<Preview, Failure> {
        let joined = folder.join("joined.mp4");
        join(&folder.join(RESULTS), &joined).await?;
        let seconds = (duration_ms + 999) / 1_000;
        let interval = (seconds + MOST_PICTURES - 1) / MOST_PICTURES;
        let pictures = (seconds + interval - 1) / interval;
        let columns = pictures.min(PICTURES_IN_A_ROW);
        let rows = (pictures + columns - 1) / columns;
        let (width, height) = source.size_of(source.renditions()[0]);
        let width = (width * PICTURE_HEIGHT / height / 2 * 2).max(2);
        let filter = format!("fps=1/{interval}:round=up,scale={width}:{PICTURE_HEIGHT},tile={columns}x{rows}");
        let mut args = vec!["-f".to_owned(), "mov".to_owned(), "-i".to_owned(), "joined.mp4".to_owned()];
        args.extend(["-map", "0:v:0", "-vf", &filter, "-frames:v", "1", "-q:v", "5"].map(str::to_owned));
        args.extend(["-f", "image2", "results/preview.jpg"].map(str::to_owned));
        self.ffmpeg(&args, folder, duration_ms, &|_| {}).await?;
        self.exists(folder, "preview.jpg").await?;
        let number = |number: i64| i32::try_from(number).map_err(anyhow::Error::from);
        Ok(Preview {
            interval_seconds: number(interval)?,
            columns: number(columns)?,
            rows: number(rows)?,
            width: number(width)?,
            height: number(PICTURE_HEIGHT)?,
        })
    }

    async fn exists(&self, folder: &Path, name: &str) -> Result<(), Failure> {
        let is_there = tokio::fs::try_exists(folder.join(RESULTS).join(name)).await?;
        if is_there { Ok(()) } else { Err(refused(false)) }
    }

    /// Runs ffmpeg for a video of this length, which may compute twenty times as long. Returns what it wrote about it.
    async fn ffmpeg(
        &self,
        args: &[String],
        folder: &Path,
        duration_ms: i64,
        told: &(dyn Fn(i64) + Send + Sync),
    ) -> Result<Vec<u8>, Failure> {
        let mut all: Vec<String> =
            ["-nostdin", "-hide_banner", "-nostats", "-y", "-progress", "pipe:1"].map(str::to_owned).into();
        all.extend(
            ["-max_error_rate", "0.1", "-filter_threads", "1", "-filter_complex_threads", "1"].map(str::to_owned),
        );
        all.extend_from_slice(args);
        let cpu = Duration::from_secs(60) + Duration::from_millis(duration_ms.unsigned_abs()) * 20;
        let told = |line: &str| {
            let micros = line.strip_prefix("out_time_us=").and_then(|micros| micros.parse::<i64>().ok());
            if let Some(micros) = micros {
                told(micros / 1_000);
            }
        };
        let Outcome { status, stderr, .. } = self.place.run("ffmpeg", &all, folder, self.limits(cpu), &told).await?;
        if status.is_some_and(|status| status.success()) {
            return Ok(stderr);
        }
        tracing::info!(?status, stderr = %tail(&stderr), "ffmpeg refused a file");
        Err(refused(status.is_none()))
    }

    /// The time on the clock only ends what hangs: other programs may take the processor away for long.
    fn limits(&self, cpu: Duration) -> Limits {
        Limits { time: cpu * 4, cpu: cpu * self.threads.max(1) }
    }
}

fn refused(is_late: bool) -> Failure {
    Failure::Refused(if is_late {
        "The file takes too long to process. Export it again as MP4.".into()
    } else {
        DAMAGED.into()
    })
}

/// The last of what a program wrote, for the log.
fn tail(text: &[u8]) -> String {
    String::from_utf8_lossy(&text[text.len().saturating_sub(600)..]).replace('\n', " | ")
}

/// The options that open the source: with the demuxer of its first bytes, and from nowhere but this file.
fn input(container: Container) -> Vec<String> {
    let options = ["-protocol_whitelist", "file,pipe", "-f", container.demuxer(), "-i", SOURCE];
    options.map(str::to_owned).into()
}

/// The first bytes of the source.
pub async fn head(folder: &Path) -> std::io::Result<Vec<u8>> {
    let file = tokio::fs::File::open(folder.join(SOURCE)).await?;
    let mut head = Vec::with_capacity(HEAD);
    file.take(HEAD as u64).read_to_end(&mut head).await?;
    Ok(head)
}

async fn read(playlist: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    open(playlist).await?.read_to_string(&mut text).await?;
    Ok(text)
}

/// Joins the segments of the smallest quality to one file.
async fn join(results: &Path, file: &Path) -> std::io::Result<()> {
    let mut out = tokio::fs::File::create(file).await?;
    let playlist = read(&results.join("360p.m3u8")).await?;
    let names = playlist.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    for name in std::iter::once("360p-init.mp4").chain(names) {
        tokio::io::copy(&mut open(&results.join(name)).await?, &mut out).await?;
    }
    out.sync_data().await
}
