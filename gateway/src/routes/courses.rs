//! The course. The service course keeps its content and the progress of members; wallet sells it.

use axum::extract::{Path, State};
use axum::response::Response;
use chassis::clock;
use proto::course::v1 as course;
use proto::course::v1::{GetCourseRequest, GetLessonRequest, IssueCertificateRequest, PutProgressRequest};
use proto::wallet::v1::PurchaseCourseRequest;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::app::App;
use crate::clients::{call_keyed, call_retrying};
use crate::error::{ApiError, Errors};
use crate::extract::{ActiveMember, MaybeSignedIn, VerifiedMember};
use crate::idempotency::{Key, marked};
use crate::json::{Field, Form, Json, Reply, known_moment, moment, ok};
use crate::media::Ticket;
use crate::routes::course_media::VideoEntry;
use crate::routes::transactions::TransactionMade;

/// How far a member has come in a lesson.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LessonProgress {
    /// Seconds into the video; 0 for a text.
    position: i32,
    done: bool,
    /// When the lesson was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    done_at: Option<String>,
    /// When the device wrote it, by its own clock.
    at: String,
}

impl TryFrom<course::Progress> for LessonProgress {
    type Error = ApiError;

    fn try_from(progress: course::Progress) -> Result<Self, ApiError> {
        let done_at = moment(progress.done_at.as_ref());
        let at = known_moment(progress.at.as_ref())?;
        Ok(Self { position: progress.position_seconds, done: done_at.is_some(), done_at, at })
    }
}

/// A lesson in the curriculum.
#[derive(Debug, Serialize, ToSchema)]
pub struct LessonEntry {
    id: String,
    title: String,
    minutes: i32,
    /// Whether everybody may read it.
    preview: bool,
    /// Whether the caller has to buy the course to read it.
    locked: bool,
    /// Whether it has a video.
    video: bool,
    /// Left out until the member begins the lesson.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    progress: Option<LessonProgress>,
}

impl TryFrom<course::LessonOutline> for LessonEntry {
    type Error = ApiError;

    fn try_from(lesson: course::LessonOutline) -> Result<Self, ApiError> {
        Ok(Self {
            id: lesson.id,
            title: lesson.title,
            minutes: lesson.minutes,
            preview: lesson.preview,
            locked: lesson.locked,
            video: lesson.video,
            progress: lesson.progress.map(LessonProgress::try_from).transpose()?,
        })
    }
}

/// A module of the curriculum.
#[derive(Debug, Serialize, ToSchema)]
pub struct ModuleEntry {
    number: i32,
    title: String,
    summary: String,
    lessons: Vec<LessonEntry>,
}

impl TryFrom<course::Module> for ModuleEntry {
    type Error = ApiError;

    fn try_from(module: course::Module) -> Result<Self, ApiError> {
        let lessons = module.lessons.into_iter().map(LessonEntry::try_from).collect::<Result<_, _>>()?;
        Ok(Self { number: module.number, title: module.title, summary: module.summary, lessons })
    }
}

/// The curriculum, with what the caller may read.
#[derive(Debug, Serialize, ToSchema)]
pub struct CourseEntry {
    title: String,
    subtitle: String,
    purchased: bool,
    /// Whether a payment for the course waits for review.
    pending: bool,
    modules: Vec<ModuleEntry>,
    /// The caller's; left out until it is issued.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    certificate: Option<CertificateEntry>,
}

/// The caller's certificate.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CertificateEntry {
    /// Everyone who knows it can read the certificate.
    number: String,
    issued_at: String,
}

impl TryFrom<course::Certificate> for CertificateEntry {
    type Error = ApiError;

    fn try_from(certificate: course::Certificate) -> Result<Self, ApiError> {
        Ok(Self { number: certificate.number, issued_at: known_moment(certificate.issued_at.as_ref())? })
    }
}

/// The response with the course.
#[derive(Debug, Serialize, ToSchema)]
pub struct CourseReply {
    success: bool,
    course: CourseEntry,
}

/// Get the course
#[utoipa::path(get, path = "/courses", responses((status = 200, body = CourseReply), Errors), security(), tag = "Course")]
pub async fn get(State(app): State<App>, MaybeSignedIn(caller): MaybeSignedIn) -> Result<Reply<CourseReply>, ApiError> {
    let answer = call_retrying!(app.clients.course, get_course, caller.out, GetCourseRequest {})?.into_inner();
    let course = CourseEntry {
        title: answer.title,
        subtitle: answer.subtitle,
        purchased: answer.purchased,
        pending: answer.pending,
        modules: answer.modules.into_iter().map(ModuleEntry::try_from).collect::<Result<_, _>>()?,
        certificate: answer.certificate.map(CertificateEntry::try_from).transpose()?,
    };
    Ok(ok(CourseReply { success: true, course }))
}

/// A lesson to read.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LessonText {
    id: String,
    title: String,
    module_number: i32,
    module_title: String,
    minutes: i32,
    /// The text of the lesson in Markdown.
    markdown: String,
    /// Left out for visitors, and until the member begins the lesson.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    progress: Option<LessonProgress>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    video: Option<VideoEntry>,
    /// Left out if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    attachments: Vec<AttachmentEntry>,
}

/// A file to download with a lesson.
#[derive(Debug, Serialize, ToSchema)]
pub struct AttachmentEntry {
    /// Id of the file: the text shows it where it has `![words](media:id)`.
    media: String,
    name: String,
    /// Bytes.
    size: i64,
    #[serde(rename = "type")]
    content_type: String,
    url: String,
}

/// The response with a lesson.
#[derive(Debug, Serialize, ToSchema)]
pub struct LessonReply {
    success: bool,
    lesson: LessonText,
}

/// Read a lesson
#[utoipa::path(get, path = "/courses/lessons/{id}", params(("id" = String, Path)),
    responses((status = 200, body = LessonReply), Errors), tag = "Course")]
pub async fn lesson(
    State(app): State<App>,
    MaybeSignedIn(caller): MaybeSignedIn,
    Path(lesson_id): Path<String>,
) -> Result<Reply<LessonReply>, ApiError> {
    let answer =
        call_retrying!(app.clients.course, get_lesson, caller.out, GetLessonRequest { lesson_id })?.into_inner();
    let lesson = answer.lesson.ok_or_else(|| ApiError::internal("an answer without a lesson"))?;
    let (now, session) = (OffsetDateTime::now_utc(), caller.session.filter(|_| answer.member));
    let ticket = |media: &str| {
        let media = media.parse().map_err(ApiError::internal)?;
        Ok::<_, ApiError>(Ticket { session, lesson_id: lesson.id.clone(), media })
    };
    let video = |video: course::Video| Ok::<_, ApiError>(VideoEntry::new(&app, &ticket(&video.media_id)?, video, now));
    let attachment = |file: course::Attachment| {
        let url = app.media.link(&ticket(&file.media_id)?, "attachment", now);
        let course::Attachment { media_id: media, name, size, content_type } = file;
        Ok::<_, ApiError>(AttachmentEntry { media, name, size, content_type, url })
    };
    let (video, attachments) = (
        answer.video.map(video).transpose()?,
        answer.attachments.into_iter().map(attachment).collect::<Result<_, _>>()?,
    );
    let lesson = LessonText {
        id: lesson.id,
        title: lesson.title,
        module_number: lesson.module_number,
        module_title: lesson.module_title,
        minutes: lesson.minutes,
        markdown: lesson.markdown,
        progress: answer.progress.map(LessonProgress::try_from).transpose()?,
        video,
        attachments,
    };
    Ok(ok(LessonReply { success: true, lesson }))
}

/// How far the member has come.
#[derive(Debug, Deserialize, ToSchema)]
pub struct ProgressBody {
    /// Seconds into the video; 0 for a text.
    #[schema(value_type = i32)]
    position: Field,
    /// Left out to leave it as it is.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    done: Field,
    /// The clock of the device, which orders reports of several devices; left out for now.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = DateTime)]
    at: Field,
}

/// The progress that is kept.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProgressReply {
    success: bool,
    message: &'static str,
    progress: LessonProgress,
}

/// Keep the progress in a lesson
///
/// What a device wrote last is kept and answered, in any order of arrival. The last lesson earns the certificate.
#[utoipa::path(put, path = "/courses/lessons/{id}/progress", params(("id" = String, Path)), request_body = ProgressBody,
    responses((status = 200, body = ProgressReply), Errors), tag = "Course")]
pub async fn put_progress(
    State(app): State<App>,
    VerifiedMember(caller): VerifiedMember,
    Path(lesson_id): Path<String>,
    Json { value: body, .. }: Json<ProgressBody>,
) -> Result<Reply<ProgressReply>, ApiError> {
    let mut form = Form::new();
    let position_seconds = form.integer("position", &body.position);
    let done = body.done.is_given().then(|| form.flag("done", &body.done, false));
    let at = form.moment("at", &body.at).map(clock::to_proto);
    form.finish()?;
    let holder_name = match done {
        Some(true) => app.profiles.get(caller.session.user_id).await?.name,
        _ => String::new(),
    };
    let message = PutProgressRequest { lesson_id, position_seconds, done, at, holder_name };
    let answer = call_retrying!(app.clients.course, put_progress, caller.out, message)?.into_inner();
    let progress = answer.progress.ok_or_else(|| ApiError::internal("an answer without progress"))?;
    Ok(ok(ProgressReply { success: true, message: "Your progress is saved.", progress: progress.try_into()? }))
}

/// The response with a certificate.
#[derive(Debug, Serialize, ToSchema)]
pub struct CertificateIssued {
    success: bool,
    message: &'static str,
    certificate: CertificateEntry,
}

/// Get the certificate of the course
///
/// The last lesson that is done issues it; `LESSONS_LEFT` before.
#[utoipa::path(put, path = "/courses/certificate", responses((status = 200, body = CertificateIssued), Errors), tag = "Course")]
pub async fn issue_certificate(
    State(app): State<App>,
    VerifiedMember(caller): VerifiedMember,
) -> Result<Reply<CertificateIssued>, ApiError> {
    let message = IssueCertificateRequest { holder_name: app.profiles.get(caller.session.user_id).await?.name };
    let answer = call_retrying!(app.clients.course, issue_certificate, caller.out, message)?.into_inner();
    let certificate = answer.certificate.ok_or_else(|| ApiError::internal("an answer without a certificate"))?;
    let message = "Here is your certificate.";
    Ok(ok(CertificateIssued { success: true, message, certificate: certificate.try_into()? }))
}

/// Buy the course from the balance
#[utoipa::path(post, path = "/courses/purchase", params(Key),
    responses((status = 200, body = TransactionMade), Errors), tag = "Course")]
pub async fn purchase(
    State(app): State<App>,
    ActiveMember(caller): ActiveMember,
    key: Key,
) -> Result<Response, ApiError> {
    let claim = key.bodyless();
    let message = PurchaseCourseRequest { idempotency: claim.clone() };
    let (metadata, answer, _) =
        call_keyed!(app.clients.wallet, purchase_course, caller.out, claim, message)?.into_parts();
    Ok(marked(&metadata, ok(TransactionMade::new(answer.transaction, "The course is yours. Enjoy!")?)))
}
