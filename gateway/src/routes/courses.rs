//! The course. Its content is files of the gateway; wallet knows whether a member has bought it.

use axum::extract::{Path, State};
use axum::response::Response;
use proto::wallet::v1::{GetCourseAccessRequest, GetCourseAccessResponse, PurchaseCourseRequest};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::clients::{call_keyed, call_retrying};
use crate::course::Lesson;
use crate::error::{ApiError, Errors};
use crate::extract::{ActiveMember, MaybeVerifiedMember, VerifiedMember};
use crate::idempotency::{Key, marked};
use crate::json::{Reply, ok};
use crate::routes::transactions::TransactionMade;

async fn access(app: &App, reader: Option<&VerifiedMember>) -> Result<GetCourseAccessResponse, ApiError> {
    match reader {
        None => Ok(GetCourseAccessResponse { purchased: false, pending: false }),
        Some(VerifiedMember(caller)) => {
            Ok(call_retrying!(app.clients.wallet, get_course_access, caller.out, GetCourseAccessRequest {})?
                .into_inner())
        }
    }
}

/// A lesson in the curriculum.
#[derive(Debug, Serialize, ToSchema)]
pub struct LessonEntry {
    id: String,
    title: String,
    minutes: u32,
    /// Whether everybody may read it.
    preview: bool,
    /// Whether the caller has to buy the course to read it.
    locked: bool,
}

/// A module of the curriculum.
#[derive(Debug, Serialize, ToSchema)]
pub struct ModuleEntry {
    number: u32,
    title: String,
    summary: String,
    lessons: Vec<LessonEntry>,
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
}

/// The response with the course.
#[derive(Debug, Serialize, ToSchema)]
pub struct CourseReply {
    success: bool,
    course: CourseEntry,
}

/// Get the course
#[utoipa::path(get, path = "/courses", responses((status = 200, body = CourseReply), Errors), security(), tag = "Course")]
pub async fn get(
    State(app): State<App>,
    MaybeVerifiedMember(reader): MaybeVerifiedMember,
) -> Result<Reply<CourseReply>, ApiError> {
    let access = access(&app, reader.as_ref().ok()).await?;
    let lesson = |lesson: &Lesson| LessonEntry {
        id: lesson.id.clone(),
        title: lesson.title.clone(),
        minutes: lesson.minutes,
        preview: lesson.preview,
        locked: !lesson.preview && !access.purchased,
    };
    let modules = app.course.modules.iter().map(|module| ModuleEntry {
        number: module.number,
        title: module.title.clone(),
        summary: module.summary.clone(),
        lessons: module.lessons.iter().map(lesson).collect(),
    });
    Ok(ok(CourseReply {
        success: true,
        course: CourseEntry {
            title: app.course.title.clone(),
            subtitle: app.course.subtitle.clone(),
            purchased: access.purchased,
            pending: access.pending,
            modules: modules.collect(),
        },
    }))
}

/// A lesson to read.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LessonText {
    id: String,
    title: String,
    module_number: u32,
    module_title: String,
    minutes: u32,
    /// The text of the lesson in Markdown.
    markdown: String,
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
    MaybeVerifiedMember(reader): MaybeVerifiedMember,
    Path(id): Path<String>,
) -> Result<Reply<LessonReply>, ApiError> {
    let (module, lesson) = app.course.lesson(&id).ok_or_else(ApiError::not_found)?;
    if !lesson.preview && !access(&app, Some(&reader?)).await?.purchased {
        return Err(ApiError::new(
            http::StatusCode::FORBIDDEN,
            proto::common::v1::ErrorReason::PermissionDenied,
            "This lesson comes with the course.",
        ));
    }
    let lesson = LessonText {
        id: lesson.id.clone(),
        title: lesson.title.clone(),
        module_number: module.number,
        module_title: module.title.clone(),
        minutes: lesson.minutes,
        markdown: app.course.texts.get(&lesson.id).cloned().unwrap_or_default(),
    };
    Ok(ok(LessonReply { success: true, lesson }))
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
