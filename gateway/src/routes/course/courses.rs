//! The course. The service course keeps its content and the progress of members; wallet sells it.

use axum::extract::Path;
use chassis::clock::Timestamp;
use proto::course::v1 as course;
use proto::course::v1::{GetCourseRequest, GetLessonRequest, IssueCertificateRequest, PutProgressRequest};
use proto::wallet::v1::PurchaseCourseRequest;
use route_macros::{get, post, put, request, response};
use time::OffsetDateTime;

use crate::extract::{ActiveMember, MaybeSignedIn, VerifiedMember};
use crate::http::convert::{from_proto, required};
use crate::http::error::ApiError;
use crate::http::idempotency::Key;
use crate::http::json::{Answer, Field, Json, ToProto, ok};
use crate::peers::clients::{ask, keyed};
use crate::routes::course::course_media::VideoEntry;
use crate::routes::money::transactions::TransactionMade;
use crate::storage::media::Ticket;

/// How far a member has come in a lesson.
#[response(from = course::Progress)]
pub struct LessonProgress {
    /// Seconds into the video; 0 for a text.
    #[from(position_seconds)]
    position: i32,
    #[from(done_at, with = |at: Option<Timestamp>| at.is_some())]
    done: bool,
    /// When the lesson was done.
    done_at: Option<String>,
    /// When the device wrote it, by its own clock.
    at: String,
}

/// A lesson in the curriculum.
#[response(from = course::LessonOutline)]
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
    progress: Option<LessonProgress>,
}

/// A module of the curriculum.
#[response(from = course::Module)]
pub struct ModuleEntry {
    number: i32,
    title: String,
    summary: String,
    lessons: Vec<LessonEntry>,
}

/// The curriculum, with what the caller may read.
#[response(from = course::GetCourseResponse)]
pub struct CourseEntry {
    title: String,
    subtitle: String,
    purchased: bool,
    /// Whether a payment for the course waits for review.
    pending: bool,
    modules: Vec<ModuleEntry>,
    /// The caller's; left out until it is issued.
    certificate: Option<CertificateEntry>,
}

/// The caller's certificate.
#[response(from = course::Certificate)]
pub struct CertificateEntry {
    /// Everyone who knows it can read the certificate.
    number: String,
    issued_at: String,
}

/// The response with the course.
#[response]
pub struct CourseReply {
    course: CourseEntry,
}

/// Get the course
#[get("/courses", "Course")]
pub async fn get(caller: MaybeSignedIn) -> Answer<CourseReply> {
    Ok(ok(CourseReply { course: from_proto(ask!(caller.course.get_course(GetCourseRequest {}))?)? }))
}

/// A lesson to read.
#[response]
pub struct LessonText {
    id: String,
    title: String,
    module_number: i32,
    module_title: String,
    minutes: i32,
    /// The text of the lesson in Markdown.
    markdown: String,
    /// Left out for visitors, and until the member begins the lesson.
    progress: Option<LessonProgress>,
    video: Option<VideoEntry>,
    /// Left out if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    attachments: Vec<AttachmentEntry>,
}

/// A file to download with a lesson.
#[response]
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
#[response]
pub struct LessonReply {
    lesson: LessonText,
}

/// Read a lesson
#[get("/courses/lessons/{id}", "Course")]
pub async fn lesson(caller: MaybeSignedIn, Path(lesson_id): Path<String>) -> Answer<LessonReply> {
    let answer = ask!(caller.course.get_lesson(GetLessonRequest { lesson_id }))?;
    let lesson = required(answer.lesson, "a lesson")?;
    let (now, session) = (OffsetDateTime::now_utc(), caller.session.filter(|_| answer.member));
    let ticket = |media: &str| {
        let media = media.parse().map_err(ApiError::internal)?;
        Ok::<_, ApiError>(Ticket { session, lesson_id: lesson.id.clone(), media })
    };
    let video =
        |video: course::Video| Ok::<_, ApiError>(VideoEntry::new(&caller.app, &ticket(&video.media_id)?, video, now));
    let attachment = |file: course::Attachment| {
        let url = caller.app.media.link(&ticket(&file.media_id)?, "attachment", now);
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
        progress: from_proto(answer.progress)?,
        video,
        attachments,
    };
    Ok(ok(LessonReply { lesson }))
}

/// How far the member has come.
#[request(to = PutProgressRequest)]
pub struct ProgressBody {
    /// Seconds into the video; 0 for a text.
    #[to(position_seconds)]
    position: Field<i32>,
    /// Left out to leave it as it is.
    #[serde(default)]
    done: Field<Option<bool>>,
    /// The clock of the device, which orders reports of several devices; left out for now.
    #[serde(default)]
    #[schema(format = DateTime)]
    at: Field<Option<String>>,
}

/// The progress that is kept.
#[response]
pub struct ProgressReply {
    message: &'static str,
    progress: LessonProgress,
}

/// Keep the progress in a lesson
///
/// What a device wrote last is kept and answered, in any order of arrival. The last lesson earns the certificate.
#[put("/courses/lessons/{id}/progress", "Course")]
pub async fn put_progress(
    caller: VerifiedMember,
    Path(lesson_id): Path<String>,
    Json { value: body, .. }: Json<ProgressBody>,
) -> Answer<ProgressReply> {
    let mut message = PutProgressRequest { lesson_id, ..body.to_proto()? };
    if message.done == Some(true) {
        message.holder_name = caller.app.profiles.get(caller.session.user_id).await?.name;
    }
    let answer = ask!(caller.course.put_progress(message))?;
    Ok(ok(ProgressReply { message: "Your progress is saved.", progress: from_proto(answer.progress)? }))
}

/// The response with a certificate.
#[response]
pub struct CertificateIssued {
    message: &'static str,
    certificate: CertificateEntry,
}

/// Get the certificate of the course
///
/// The last lesson that is done issues it; `LESSONS_LEFT` before.
#[put("/courses/certificate", "Course")]
pub async fn issue_certificate(caller: VerifiedMember) -> Answer<CertificateIssued> {
    let message = IssueCertificateRequest { holder_name: caller.app.profiles.get(caller.session.user_id).await?.name };
    let answer = ask!(caller.course.issue_certificate(message))?;
    let message = "Here is your certificate.";
    Ok(ok(CertificateIssued { message, certificate: from_proto(answer.certificate)? }))
}

/// Buy the course from the balance
#[post("/courses/purchase", "Course")]
pub async fn purchase(caller: ActiveMember, key: Key) -> Answer<TransactionMade> {
    let message = PurchaseCourseRequest { idempotency: key.bodyless() };
    let kept = keyed!(caller.wallet.purchase_course(message))?;
    kept.reply(|answer| TransactionMade::new(answer.transaction, "The course is yours. Enjoy!"))
}
