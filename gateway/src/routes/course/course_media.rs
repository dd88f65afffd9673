//! Videos and attachments of the course, by the tickets in their links.

use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use proto::course::v1 as course;
use proto::course::v1::GetCaptionsRequest;
use route_macros::{get, response};
use serde::Deserialize;
use time::OffsetDateTime;

use crate::app::App;
use crate::extract::bearer;
use crate::http::error::{ApiError, ErrorReply, Errors};
use crate::http::json::Decimal;
use crate::peers::clients::call_retrying;
use crate::routes::public::files::{range, streamed};
use crate::storage::media::Ticket;

const PLAYLIST: &str = "application/vnd.apple.mpegurl";
/// No browser keeps what was paid for when its session has ended.
const NOT_KEPT: &str = "no-store";

/// The small pictures for the time line of a player, in one picture, row by row.
#[response]
pub struct PreviewStrip {
    url: String,
    /// Seconds from one picture to the next.
    interval: i32,
    columns: i32,
    rows: i32,
    /// Width of a small picture.
    width: i32,
    /// Height of a small picture.
    height: i32,
}

/// Captions of a video.
#[response]
pub struct CaptionsEntry {
    /// A language tag such as `en` or `pt-BR`.
    language: String,
    label: String,
    /// WebVTT.
    url: String,
}

/// A video to play. Its links live six hours, and end with the session that they were made for.
#[response]
pub struct VideoEntry {
    /// The HLS playlist.
    pub hls: String,
    pub poster: String,
    /// Seconds.
    pub duration: Decimal,
    pub width: i32,
    pub height: i32,
    pub preview: Option<PreviewStrip>,
    pub captions: Vec<CaptionsEntry>,
}

impl VideoEntry {
    /// A video as the user named by the ticket may play it.
    pub fn new(app: &App, ticket: &Ticket, video: course::Video, now: OffsetDateTime) -> Self {
        let link = |name: &str| app.media.link(ticket, name, now);
        let preview = video.preview.map(|strip| PreviewStrip {
            url: link("preview.jpg"),
            interval: strip.interval_seconds,
            columns: strip.columns,
            rows: strip.rows,
            width: strip.width,
            height: strip.height,
        });
        Self {
            hls: link("master.m3u8"),
            poster: link("poster.jpg"),
            duration: Decimal::new(video.duration_ms, 3),
            width: video.width,
            height: video.height,
            preview,
            captions: CaptionsEntry::all(app, ticket, video.captions, now),
        }
    }
}

impl CaptionsEntry {
    /// The captions of the file of a ticket.
    pub fn all(app: &App, ticket: &Ticket, captions: Vec<course::Captions>, now: OffsetDateTime) -> Vec<Self> {
        let entry = |captions: course::Captions| Self {
            url: app.media.link(ticket, &format!("captions-{}.vtt", captions.language), now),
            language: captions.language,
            label: captions.label,
        };
        captions.into_iter().map(entry).collect()
    }
}

/// Read a part of a video, or an attachment
///
/// The playlists `master.m3u8` and those that it names, `poster.jpg`, `preview.jpg`, `captions-{language}.vtt`, or
/// `attachment`. 404 when the link or its session has ended, 403 without access any more, 429 for a fourth video at once.
#[get("/course-media/{ticket}/{file}", "Course",
    responses((status = 200, description = "The file", content_type = "application/octet-stream", body = String),
        (status = 206, description = "The range of the file that was asked for", content_type = "application/octet-stream", body = String),
        (status = 416, description = "The range lies outside the file", body = ErrorReply), Errors))]
pub async fn get(
    State(app): State<App>,
    Path((text, file)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let ticket = known(&app, &text, &headers)?;
    if let Some(language) = file.strip_prefix("captions-").and_then(|rest| rest.strip_suffix(".vtt")) {
        return captions(&app, &ticket, language).await;
    }
    let is_playlist = file.ends_with(".m3u8");
    let opened = app.media.open(&app.clients, &app.credential, &ticket, is_playlist).await?;
    match file.as_str() {
        "poster.jpg" | "preview.jpg" => {
            let picture = app.media.read(&opened.folder, &file, range(&headers)).await?;
            Ok(marked(streamed(picture)?, "image/jpeg", NOT_KEPT))
        }
        "attachment" => {
            let read = app.media.read(&opened.folder, &file, range(&headers)).await?;
            let mut response = marked(streamed(read)?, "application/octet-stream", NOT_KEPT);
            let content_type = HeaderValue::try_from(&opened.content_type).map_err(ApiError::internal)?;
            response.headers_mut().insert(header::CONTENT_TYPE, content_type);
            let disposition = HeaderValue::try_from(disposition(&opened.name)).map_err(ApiError::internal)?;
            response.headers_mut().insert(header::CONTENT_DISPOSITION, disposition);
            Ok(response)
        }
        _ if is_playlist && is_plain(&file) => {
            let playlist = app.media.read_text(&opened.folder, &file).await?;
            Ok(marked(signed(&playlist, &opened.folder, &text).into_response(), PLAYLIST, NOT_KEPT))
        }
        _ => Err(ApiError::not_found()),
    }
}

/// The ticket of a segment.
#[derive(Debug, Default, Deserialize)]
pub struct SegmentQuery {
    #[serde(default)]
    ticket: String,
}

/// Read a segment of a video
///
/// The path is the same for everybody, so that a cache of the operator that asks here about every request may keep it by the
/// path.
#[get("/course-media/segments/{folder}/{file}", "Course",
    params(("ticket" = String, Query)),
    responses((status = 200, description = "The segment", content_type = "application/octet-stream", body = String),
        (status = 206, description = "The range of the segment that was asked for", content_type = "application/octet-stream", body = String),
        (status = 416, description = "The range lies outside the segment", body = ErrorReply), Errors))]
pub async fn segment(
    State(app): State<App>,
    Path((folder, file)): Path<(String, String)>,
    Query(query): Query<SegmentQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let ticket = known(&app, &query.ticket, &headers)?;
    let opened = app.media.open(&app.clients, &app.credential, &ticket, true).await?;
    let is_segment = file.ends_with(".m4s") || file.ends_with(".mp4");
    if !is_segment || !is_plain(&file) || name_of(&opened.folder) != folder {
        return Err(ApiError::not_found());
    }
    let segment = app.media.read(&opened.folder, &file, range(&headers)).await?;
    Ok(marked(streamed(segment)?, "video/mp4", NOT_KEPT))
}

/// The ticket, which has to be one of the session whose token is sent, if any is.
fn known(app: &App, text: &str, headers: &HeaderMap) -> Result<Ticket, ApiError> {
    let ticket = app.media.ticket(text, OffsetDateTime::now_utc())?;
    let is_others =
        bearer(headers).is_some_and(|token| ticket.session.is_some() && app.verifier.named(token) != ticket.session);
    if is_others { Err(ApiError::not_found()) } else { Ok(ticket) }
}

async fn captions(app: &App, ticket: &Ticket, language: &str) -> Result<Response, ApiError> {
    let (lesson_id, media_id) = (ticket.lesson_id.clone(), ticket.media.to_string());
    let message = GetCaptionsRequest { lesson_id, media_id, language: language.to_owned() };
    let answer = call_retrying!(app.clients.course, get_captions, ticket.out(&app.credential), message);
    let vtt = answer.map_err(crate::storage::media::hide_session)?.into_inner().vtt;
    Ok(marked(vtt.into_response(), "text/vtt; charset=utf-8", NOT_KEPT))
}

/// The random part of a folder in the store.
fn name_of(folder: &str) -> &str {
    folder.rsplit('/').next().unwrap_or_default()
}

/// Names that the worker gives.
fn is_plain(name: &str) -> bool {
    name.bytes().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || matches!(letter, b'-' | b'.'))
}

/// A playlist whose segments carry the ticket. Playlists that it names are found next to it, below the same ticket.
fn signed(playlist: &str, folder: &str, ticket: &str) -> String {
    let address = |name: &str| format!("/v1/course-media/segments/{}/{name}?ticket={ticket}", name_of(folder));
    let mut text = String::with_capacity(playlist.len() * 4);
    for line in playlist.lines() {
        match line.strip_prefix("#EXT-X-MAP:URI=\"").and_then(|rest| rest.split_once('"')) {
            Some((name, rest)) => text.push_str(&format!("#EXT-X-MAP:URI=\"{}\"{rest}", address(name))),
            None if line.is_empty() || line.starts_with('#') || line.ends_with(".m3u8") => text.push_str(line),
            None => text.push_str(&address(line)),
        }
        text.push('\n');
    }
    text
}

/// The name that a file is saved under.
fn disposition(name: &str) -> String {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    let encoded =
        name.bytes().map(|byte| if is_plain(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") });
    format!("attachment; filename*=UTF-8''{}", encoded.collect::<String>())
}

fn marked(mut response: Response, content_type: &'static str, cache: &'static str) -> Response {
    for (name, value) in [
        (header::CONTENT_TYPE, content_type),
        (header::CACHE_CONTROL, cache),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CONTENT_SECURITY_POLICY, "sandbox; default-src 'none'; frame-ancestors 'none'"),
        // The address has the ticket.
        (header::REFERRER_POLICY, "no-referrer"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::{disposition, signed};

    /// [D-C7] Every segment carries the ticket, and other playlists are found below it.
    #[test]
    fn playlists_are_signed() {
        let master = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n360p.m3u8\n";
        assert_eq!(signed(master, "course/1/2", "T"), master);
        let media = "#EXTM3U\n#EXT-X-MAP:URI=\"360p-init.mp4\"\n#EXTINF:4.0,\n360p-00000.m4s\n#EXT-X-ENDLIST\n";
        let expected = "#EXTM3U\n#EXT-X-MAP:URI=\"/v1/course-media/segments/2/360p-init.mp4?ticket=T\"\n#EXTINF:4.0,\n\
                        /v1/course-media/segments/2/360p-00000.m4s?ticket=T\n#EXT-X-ENDLIST\n";
        assert_eq!(signed(media, "course/1/2", "T"), expected);
    }

    #[test]
    fn names_are_encoded() {
        assert_eq!(disposition("Ü b\".pdf"), "attachment; filename*=UTF-8''%C3%9C%20b%22.pdf");
    }
}
