//! The files of the course for managers: uploads by the protocol tus 1.0, and captions.
//!
//! An upload goes to the object store in chunks while it comes in, so that none is held whole, and what has arrived
//! before an interruption stays.

mod tus;

use std::time::Duration;

use axum::body::Body;
use axum::extract::Path;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use chassis::grpc::Outgoing;
use chassis::identity::Named;
use chassis::permission::Permission;
use http_body_util::BodyExt;
use proto::common::v1::ErrorReason;
use proto::course::v1 as course;
use proto::course::v1::{
    AppendMediaRequest, CreateMediaRequest, GetMediaRequest, ListMediaRequest, PutCaptionsRequest,
    RemoveCaptionsRequest, RemoveMediaRequest,
};
use route_macros::{delete, get, head, patch, post, put, request, response};
use time::OffsetDateTime;
use tokio::time::timeout;
use uuid::Uuid;

use self::tus::{UPLOAD_LENGTH, UPLOAD_METADATA, UPLOAD_OFFSET, at_offset, empty, metadatum, number, speaks_tus, text};
use crate::app::App;
use crate::extract::StaffMember;
use crate::http::convert::{Choice, from_proto, required};
use crate::http::error::{ApiError, Errors};
use crate::http::json::{Answer, Decimal, Field, Form, Json, ok};
use crate::peers::clients::{ask, call, call_retrying, send};
use crate::routes::course::course_media::{CaptionsEntry, PreviewStrip, VideoEntry};
use crate::storage::media::Ticket;

/// Bytes of a chunk; the last one of a request has what is left.
const CHUNK: usize = 4 * 1024 * 1024;
/// How long nothing may come.
const STALL: Duration = Duration::from_secs(30);

/// What a file of the course is for.
#[response(from = course::MediaKind)]
pub enum MediaKind {
    Video,
    Attachment,
}

/// How far a file of the course has come.
#[response(from = course::MediaState)]
pub enum MediaState {
    Uploading,
    Queued,
    Processing,
    Ready,
    Failed,
}

/// A file of the course.
#[response(from = course::Media)]
pub struct MediaEntry {
    id: String,
    kind: MediaKind,
    /// Of the file that was uploaded.
    name: String,
    /// Bytes.
    size: i64,
    state: MediaState,
    /// Bytes that have arrived.
    offset: i64,
    /// Of the processing, 0 to 100.
    progress: i32,
    /// Why it failed.
    reason: Option<String>,
    /// The media type that was found in the file.
    #[serde(rename = "type")]
    content_type: Option<String>,
    /// Seconds.
    #[from(skip)]
    duration: Option<Decimal>,
    #[from(skip)]
    width: Option<i32>,
    #[from(skip)]
    height: Option<i32>,
    #[from(skip)]
    poster: Option<String>,
    /// The HLS playlist.
    #[from(skip)]
    hls: Option<String>,
    /// Of an attachment that is ready.
    #[from(skip)]
    url: Option<String>,
    #[from(skip)]
    preview: Option<PreviewStrip>,
    #[from(skip)]
    captions: Vec<CaptionsEntry>,
    created_at: String,
}

impl MediaEntry {
    fn new(app: &App, session: Named, mut media: course::Media) -> Result<Self, ApiError> {
        let now = OffsetDateTime::now_utc();
        let ticket = ticket(session, &media.id)?;
        let video = media.video.take().map(|video| VideoEntry::new(app, &ticket, video, now));
        let mut entry: Self = from_proto(media)?;
        let is_file = entry.kind == MediaKind::Attachment && entry.state == MediaState::Ready;
        entry.url = is_file.then(|| app.media.link(&ticket, "attachment", now));
        if let Some(video) = video {
            entry.duration = Some(video.duration);
            (entry.width, entry.height) = (Some(video.width), Some(video.height));
            (entry.poster, entry.hls) = (Some(video.poster), Some(video.hls));
            (entry.preview, entry.captions) = (video.preview, video.captions);
        }
        Ok(entry)
    }
}

/// Staff open files without a lesson.
fn ticket(session: Named, media: &str) -> Result<Ticket, ApiError> {
    let media = media.parse().map_err(|_| ApiError::not_found())?;
    Ok(Ticket { session: Some(session), lesson_id: String::new(), media })
}

fn named(caller: &StaffMember) -> Named {
    let session = &caller.session;
    Named { user_id: session.user_id, session_id: session.id }
}

/// The response with a file.
#[response]
pub struct MediaReply {
    media: MediaEntry,
}

/// The response with files.
#[response]
pub struct MediaList {
    media: Vec<MediaEntry>,
}

/// List the files of the course
///
/// The newest 200, newest first.
#[get("/admin/course/media", "Back office")]
pub async fn list(caller: StaffMember) -> Answer<MediaList> {
    let answer = ask!(caller.course_media.list_media(ListMediaRequest {}))?;
    let entry = |media| MediaEntry::new(&caller.app, named(&caller), media);
    Ok(ok(MediaList { media: answer.media.into_iter().map(entry).collect::<Result<_, _>>()? }))
}

/// Get a file of the course
#[get("/admin/course/media/{id}", "Back office")]
pub async fn get(caller: StaffMember, Path(id): Path<String>) -> Answer<MediaReply> {
    let (media, _) = find(&caller.app, &caller.out, id).await?;
    Ok(ok(MediaReply { media: MediaEntry::new(&caller.app, named(&caller), media)? }))
}

/// A file, and the folder of its chunks.
async fn find(app: &App, out: &Outgoing, id: String) -> Result<(course::Media, String), ApiError> {
    let answer = call_retrying!(app.clients.course_media, get_media, out, GetMediaRequest { id })?.into_inner();
    Ok((required(answer.media, "a file")?, answer.chunks_folder))
}

/// Begin an upload
///
/// By tus 1.0. `Upload-Metadata` has `filename` and `kind` (`video` or `attachment`) in base64.
#[post("/admin/course/media", "Back office",
    params(("Tus-Resumable" = String, Header), ("Upload-Length" = i64, Header), ("Upload-Metadata" = String, Header)),
    responses((status = 201, description = "Location has the address of the upload"), Errors))]
pub async fn create(caller: StaffMember, headers: HeaderMap) -> Result<Response, ApiError> {
    speaks_tus(&headers)?;
    let mut form = Form::new();
    let size = number(&headers, &UPLOAD_LENGTH).unwrap_or_default();
    if size < 1 {
        form.wrong("length", "Upload-Length is the size of the file in bytes.");
    }
    let metadata = text(&headers, &UPLOAD_METADATA);
    let name = metadatum(metadata, "filename").unwrap_or_default();
    let kind = metadatum(metadata, "kind").and_then(|name| MediaKind::named(&name));
    if kind.is_none() {
        form.wrong("kind", "A file is a video or an attachment.");
    }
    form.finish()?;
    let message = CreateMediaRequest { kind: kind.unwrap_or_default().into(), name, size };
    let id = send!(caller.course_media.create_media(message)).map_err(sized)?.id;
    let location = HeaderValue::try_from(format!("/v1/admin/course/media/{id}")).map_err(ApiError::internal)?;
    let mut response = at_offset(StatusCode::CREATED, 0);
    response.headers_mut().insert(header::LOCATION, location);
    Ok(response)
}

/// Ask where an upload continues
#[head("/admin/course/media/{id}", "Back office",
    params(("Tus-Resumable" = String, Header)),
    responses((status = 200, description = "Upload-Offset has the bytes that have arrived"), Errors))]
pub async fn offset(caller: StaffMember, Path(id): Path<String>, headers: HeaderMap) -> Result<Response, ApiError> {
    speaks_tus(&headers)?;
    let (media, _) = find(&caller.app, &caller.out, id).await?;
    if media.state() == course::MediaState::Failed {
        return Err(ApiError::not_found());
    }
    let mut response = at_offset(StatusCode::OK, media.offset);
    response.headers_mut().insert(UPLOAD_LENGTH, HeaderValue::from(media.size));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

/// Continue an upload
///
/// The body is the next part of the file, of any length. `UPLOAD_OFFSET_MISMATCH` if the upload continues elsewhere.
#[patch("/admin/course/media/{id}", "Back office",
    params(("Tus-Resumable" = String, Header), ("Upload-Offset" = i64, Header)),
    request_body(content = String, content_type = "application/offset+octet-stream"),
    responses((status = 204, description = "Upload-Offset has the bytes that have arrived"), Errors))]
pub async fn append(
    caller: StaffMember,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    speaks_tus(&headers)?;
    if text(&headers, &header::CONTENT_TYPE) != "application/offset+octet-stream" {
        return Err(ApiError::unsupported("The part of a file is sent as application/offset+octet-stream."));
    }
    // Before a byte is stored; course checks it again for each chunk.
    caller.session.clone().staff(Permission::EditCourse)?;
    let offset = number(&headers, &UPLOAD_OFFSET).ok_or_else(|| ApiError::malformed("Upload-Offset is missing."))?;
    let _place = caller.app.media.upload()?;
    let (media, folder) = find(&caller.app, &caller.out, id).await?;
    if media.state() == course::MediaState::Failed {
        return Err(ApiError::not_found());
    }
    if media.offset != offset || media.state() != course::MediaState::Uploading {
        let sentence = "The upload continues at another place.";
        return Err(ApiError::new(StatusCode::CONFLICT, ErrorReason::UploadOffsetMismatch, sentence));
    }
    let mut upload = Upload { app: &caller.app, out: &caller.out, id: media.id, folder, offset, size: media.size };
    upload.receive(body).await?;
    Ok(at_offset(StatusCode::NO_CONTENT, upload.offset))
}

/// An upload that is being received.
struct Upload<'a> {
    app: &'a App,
    out: &'a Outgoing,
    id: String,
    folder: String,
    offset: i64,
    size: i64,
}

impl Upload<'_> {
    /// Stores a body chunk by chunk. What has arrived before it breaks off is kept.
    async fn receive(&mut self, mut body: Body) -> Result<(), ApiError> {
        let mut buffer = Vec::new();
        let ended = loop {
            let frame = match timeout(STALL, body.frame()).await {
                Err(_) => break Err(ApiError::of_status(StatusCode::REQUEST_TIMEOUT)),
                Ok(None) => break Ok(()),
                Ok(Some(Err(_))) => break Err(ApiError::malformed("The request ended too early.")),
                Ok(Some(Ok(frame))) => frame,
            };
            let Ok(data) = frame.into_data() else { continue };
            let length = i64::try_from(buffer.len() + data.len()).map_err(ApiError::internal)?;
            if length > self.size - self.offset {
                return Err(ApiError::too_large("There is more than the file has."));
            }
            buffer.extend_from_slice(&data);
            if buffer.len() >= CHUNK {
                self.keep(std::mem::take(&mut buffer)).await?;
            }
        };
        if !buffer.is_empty() {
            self.keep(buffer).await?;
        }
        ended
    }

    async fn keep(&mut self, bytes: Vec<u8>) -> Result<(), ApiError> {
        let (chunk, length) = (Uuid::new_v4(), i64::try_from(bytes.len()).map_err(ApiError::internal)?);
        self.app.media.put(&self.folder, chunk, bytes.into()).await?;
        let message = AppendMediaRequest {
            id: self.id.clone(),
            offset: self.offset,
            bytes: length,
            chunk: chunk.simple().to_string(),
        };
        match call!(self.app.clients.course_media, append_media, self.out, message) {
            Ok(answer) => self.offset = answer.into_inner().offset,
            Err(error) => {
                // Unless it is certain that the chunk is no part of the file, it stays.
                if error.is_final() {
                    self.app.media.discard(&self.folder, chunk).await;
                }
                return Err(sized(error));
            }
        }
        Ok(())
    }
}

/// End an upload, or remove a file
///
/// `MEDIA_IN_USE` if a lesson has it, in the draft or in a version.
#[delete("/admin/course/media/{id}", "Back office", responses((status = 204, description = "Removed"), Errors))]
pub async fn remove(caller: StaffMember, Path(id): Path<String>) -> Result<Response, ApiError> {
    let message = RemoveMediaRequest { id, client_address: caller.client.address };
    send!(caller.course_media.remove_media(message))?;
    Ok(empty(StatusCode::NO_CONTENT))
}

/// Captions as they should be.
#[request]
pub struct CaptionsBody {
    /// As members see it.
    label: Field<String>,
    /// WebVTT or SRT, up to 500 kB.
    vtt: Field<String>,
}

/// All captions of a video.
#[response]
pub struct CaptionsReply {
    message: &'static str,
    captions: Vec<CaptionsEntry>,
}

/// Set the captions of a video
#[put("/admin/course/media/{id}/captions/{language}", "Back office")]
pub async fn put_captions(
    caller: StaffMember,
    Path((id, language)): Path<(String, String)>,
    Json { value, .. }: Json<CaptionsBody>,
) -> Answer<CaptionsReply> {
    let mut form = Form::new();
    let (label, vtt) = (form.text("label", &value.label), form.file("vtt", value.vtt));
    form.finish()?;
    let ticket = ticket(named(&caller), &id)?;
    let client_address = caller.client.address.clone();
    let message = PutCaptionsRequest { id, language, label, vtt, client_address };
    let answer = ask!(caller.course_media.put_captions(message))?;
    let captions = CaptionsEntry::all(&caller.app, &ticket, answer.captions, OffsetDateTime::now_utc());
    Ok(ok(CaptionsReply { message: "The captions are saved.", captions }))
}

/// Remove the captions of a video
#[delete("/admin/course/media/{id}/captions/{language}", "Back office")]
pub async fn remove_captions(
    caller: StaffMember,
    Path((id, language)): Path<(String, String)>,
) -> Answer<CaptionsReply> {
    let ticket = ticket(named(&caller), &id)?;
    let client_address = caller.client.address.clone();
    let message = RemoveCaptionsRequest { id, language, client_address };
    let answer = send!(caller.course_media.remove_captions(message))?;
    let captions = CaptionsEntry::all(&caller.app, &ticket, answer.captions, OffsetDateTime::now_utc());
    Ok(ok(CaptionsReply { message: "The captions are removed.", captions }))
}

/// A file that is too large is 413.
fn sized(error: ApiError) -> ApiError {
    error.with_status_of(ErrorReason::PayloadTooLarge, StatusCode::PAYLOAD_TOO_LARGE)
}
