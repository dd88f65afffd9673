//! Sample videos for the lessons of a local product: made with ffmpeg from the logo and the texts of the lessons, with
//! captions, and uploaded, processed and published as a manager does it. Each says that it is a sample.

use std::{
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use anyhow::{Context, Result, bail, ensure};
use base64::{Engine, engine::general_purpose::STANDARD};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::{
    client::{self, Answer, Client},
    seed::STAFF_PASSWORD,
};

const SECONDS: usize = 8;
const LIMIT: Duration = Duration::from_secs(300);

/// Gives each lesson a video and publishes them, unless a lesson has one.
///
/// # Errors
/// When ffmpeg or the product refuses a step.
pub async fn make(url: &str) -> Result<()> {
    let manager = Client::new(url).patient().login("manager@solvane.test", STAFF_PASSWORD).await?;
    let mut studio = manager.get("/admin/course").await?.success()?;
    let modules = studio["content"]["modules"].as_array_mut().context("modules")?;
    let mut all: Vec<&mut Value> =
        modules.iter_mut().flat_map(|module| module["lessons"].as_array_mut().into_iter().flatten()).collect();
    if all.iter().any(|lesson| lesson["video"].is_string()) {
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let mut ids = Vec::new();
    for lesson in &all {
        let film = film(folder.path(), text(lesson, "title")?).await?;
        let name = format!("sample-{}.mp4", text(lesson, "id")?);
        let id = upload(&manager, "video", &name, &film).await?;
        let captions =
            json!({ "label": "English", "vtt": captions(text(lesson, "title")?, text(lesson, "markdown")?) });
        manager.put(&format!("/admin/course/media/{id}/captions/en"), captions).await?.success()?;
        ids.push(id);
    }
    for (lesson, id) in all.iter_mut().zip(&ids) {
        wait_until_ready(&manager, id).await?;
        lesson["video"] = json!(id);
    }
    let draft = json!({ "revision": studio["revision"], "content": studio["content"] });
    let draft = manager.put("/admin/course/draft", draft).await?.success()?;
    let publication = json!({ "revision": draft["revision"], "published": studio["published"] });
    manager.post("/admin/course/publish", publication).await?.success()?;
    Ok(())
}

/// Uploads a file by tus in one part. Returns its id.
///
/// # Errors
/// When the product refuses it.
pub async fn upload(manager: &Client, kind: &str, name: &str, bytes: &[u8]) -> Result<String> {
    let id = begin(manager, kind, name, bytes.len()).await?;
    let answer = append(manager, &id, 0, bytes.to_owned()).await?;
    ensure!(answer.status == 204, "{} {}", answer.status, answer.body);
    Ok(id)
}

/// Begins an upload. Returns its id.
///
/// # Errors
/// When the product refuses it.
pub async fn begin(manager: &Client, kind: &str, name: &str, size: usize) -> Result<String> {
    let metadata = format!("filename {},kind {}", STANDARD.encode(name), STANDARD.encode(kind));
    let request = manager.request(Method::POST, "/admin/course/media").header("tus-resumable", "1.0.0");
    let answer = client::send(request.header("upload-length", size).header("upload-metadata", metadata)).await?;
    ensure!(answer.status == 201, "{} {}", answer.status, answer.body);
    let location = answer.headers.get("location").context("no location")?.to_str()?;
    Ok(location.rsplit('/').next().unwrap_or_default().to_owned())
}

/// Continues an upload.
///
/// # Errors
/// When there is no answer.
pub async fn append(manager: &Client, id: &str, offset: usize, body: impl Into<reqwest::Body>) -> Result<Answer> {
    let request = manager.request(Method::PATCH, &format!("/admin/course/media/{id}"));
    let request = request.header("tus-resumable", "1.0.0").header("upload-offset", offset);
    client::send(request.header("content-type", "application/offset+octet-stream").body(body)).await
}

/// Waits until a file is processed. Returns it.
///
/// # Errors
/// When it is refused, or takes too long.
pub async fn wait_until_ready(manager: &Client, id: &str) -> Result<Value> {
    let limit = Instant::now() + LIMIT;
    loop {
        let media = manager.get(&format!("/admin/course/media/{id}")).await?.success()?["media"].take();
        match media["state"].as_str() {
            Some("ready") => return Ok(media),
            Some("failed") => bail!("{} failed: {}", media["name"], media["reason"]),
            _ => ensure!(Instant::now() < limit, "not processed in time: {media}"),
        }
        sleep(Duration::from_millis(200)).await;
    }
}

/// A short film with the logo and a title.
///
/// # Errors
/// When ffmpeg is missing or fails.
pub async fn film(folder: &Path, title: &str) -> Result<Vec<u8>> {
    let (folder, title) = (folder.to_owned(), wrapped(title));
    tokio::task::spawn_blocking(move || {
        std::fs::write(folder.join("title.txt"), title)?;
        let repository = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        let logo = repository.join("web/public/icon-192.png").display().to_string();
        let font = repository.join("gateway/assets/DejaVuSans-Bold.ttf").display().to_string();
        let text = |text: &str, size: u32, y: &str| {
            format!("drawtext=fontfile={font}:{text}:fontsize={size}:fontcolor=white:line_spacing=10:x=48:y={y}")
        };
        let filter = format!(
            "[1:v]scale=96:96[logo];[0:v][logo]overlay=x=48:y=48,{},{},format=yuv420p",
            text("textfile=title.txt", 34, "250-th/2"),
            text("text='Sample video'", 18, "316"),
        );
        let picture = format!("gradients=size=640x360:rate=15:duration={SECONDS}:c0=0x12203a:c1=0x2c5f6f:speed=0.02");
        let sound = format!("sine=frequency=196:duration={SECONDS},volume=0.2");
        let mut command = Command::new("ffmpeg");
        command.current_dir(&folder).args(["-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i", &picture]);
        command.args(["-i", &logo, "-f", "lavfi", "-i", &sound, "-filter_complex", &filter, "-map", "2:a"]);
        command
            .args(["-c:v", "libx264", "-preset", "veryfast", "-crf", "30", "-c:a", "aac", "-b:a", "48k", "film.mp4"]);
        let done = command.output().context("ffmpeg is not installed: deploy/setup.sh installs it")?;
        ensure!(done.status.success(), "ffmpeg: {}", String::from_utf8_lossy(&done.stderr));
        Ok(std::fs::read(folder.join("film.mp4"))?)
    })
    .await?
}

/// Lines that fit into the picture.
fn wrapped(title: &str) -> String {
    let mut lines = vec![String::new()];
    for word in title.split(' ') {
        let line = lines.last_mut().map_or(0, |line| line.len());
        if line > 0 && line + word.len() > 26 {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines.join("\n")
}

/// The title and the first sentences of a lesson, two seconds each.
fn captions(title: &str, markdown: &str) -> String {
    let plain = |letter: &char| !matches!(letter, '*' | '<' | '>' | '#' | '`' | '|' | '[' | ']');
    let first = markdown.split("\n\n").next().unwrap_or_default().replace('\n', " ");
    let first: String = first.chars().filter(plain).collect();
    let sentences = first.split_inclusive(". ").map(|sentence| sentence.trim().to_owned());
    let mut text = "WEBVTT\n".to_owned();
    for (number, sentence) in
        std::iter::once(format!("Sample video: {title}")).chain(sentences).take(SECONDS / 2).enumerate()
    {
        let (from, to) = (number * 2, number * 2 + 2);
        text.push_str(&format!("\n00:{from:02}.000 --> 00:{to:02}.000\n{sentence}\n"));
    }
    text
}

fn text<'a>(lesson: &'a Value, name: &str) -> Result<&'a str> {
    lesson[name].as_str().with_context(|| format!("a lesson without {name}"))
}
