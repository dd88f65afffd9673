//! The course as managers write it: the draft, versions, and what is published.

use axum::extract::Path;
use proto::course::v1 as course;
use proto::course::v1::{
    ContentAttachment, ContentLesson, ContentModule, GetStudioRequest, GetVersionRequest, PublishDraftRequest,
    RestoreVersionRequest, SaveDraftRequest,
};
use route_macros::{get, post, put, response};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::extract::StaffMember;
use crate::http::convert::from_proto;
use crate::http::error::ApiError;
use crate::http::idempotency::Keyed;
use crate::http::json::{Answer, Json, ok, reply};
use crate::peers::clients::{ask, keyed, send};

/// The content of the course.
#[response(from = course::Content)]
#[derive(Deserialize)]
pub struct CourseContent {
    title: String,
    subtitle: String,
    modules: Vec<ModuleContent>,
}

/// A module of the content.
#[response(from = ContentModule)]
#[derive(Deserialize)]
pub struct ModuleContent {
    title: String,
    summary: String,
    lessons: Vec<LessonContent>,
}

/// A lesson of the content.
#[response(from = ContentLesson)]
#[derive(Deserialize)]
pub struct LessonContent {
    /// The same in every version: progress is kept by it.
    id: String,
    title: String,
    minutes: i32,
    /// Whether everybody may read it.
    preview: bool,
    markdown: String,
    /// A file of the kind video.
    video: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    attachments: Vec<LessonAttachment>,
}

/// A file to download with a lesson.
#[response(from = ContentAttachment)]
#[derive(Deserialize)]
pub struct LessonAttachment {
    /// A file of the kind attachment.
    media: String,
    /// As members see it.
    name: String,
}

impl From<CourseContent> for course::Content {
    fn from(content: CourseContent) -> Self {
        let attachment = |one: LessonAttachment| ContentAttachment { media: one.media, name: one.name };
        let lesson = |lesson: LessonContent| ContentLesson {
            id: lesson.id,
            title: lesson.title,
            minutes: lesson.minutes,
            preview: lesson.preview,
            markdown: lesson.markdown,
            video: lesson.video.unwrap_or_default(),
            attachments: lesson.attachments.into_iter().map(attachment).collect(),
        };
        let module = |module: ModuleContent| ContentModule {
            title: module.title,
            summary: module.summary,
            lessons: module.lessons.into_iter().map(lesson).collect(),
        };
        let modules = content.modules.into_iter().map(module).collect();
        Self { title: content.title, subtitle: content.subtitle, modules }
    }
}

/// A version in the list of versions.
#[response(from = course::Version)]
pub struct CourseVersion {
    number: i32,
    lessons: i32,
    created_at: String,
    /// Left out for a version that was imported on the command line.
    #[from(skip)]
    created_by_name: Option<String>,
}

/// The draft, or the published version while there is none, and the versions.
#[response]
pub struct Studio {
    /// The version that members see.
    published: i32,
    /// Sent back with the next change of the draft.
    revision: i32,
    /// When the draft was changed; left out while there is none.
    changed_at: Option<String>,
    changed_by_name: Option<String>,
    content: CourseContent,
    /// The newest fifty, newest first.
    versions: Vec<CourseVersion>,
}

/// Get the draft of the course
#[get("/admin/course", "Back office")]
pub async fn get(caller: StaffMember) -> Answer<Studio> {
    let answer = ask!(caller.course_staff.get_studio(GetStudioRequest {}))?;
    let draft = answer.draft.unwrap_or_default();
    let people = answer.versions.iter().map(|version| version.created_by.clone()).chain([draft.changed_by.clone()]);
    let people = caller.app.profiles.look_up(people).await?;
    let version = |version: course::Version| {
        let created_by_name = people.name(&version.created_by);
        Ok::<_, ApiError>(CourseVersion { created_by_name, ..from_proto(version)? })
    };
    Ok(ok(Studio {
        published: answer.published,
        revision: draft.revision,
        changed_at: from_proto(draft.changed_at)?,
        changed_by_name: people.name(&draft.changed_by),
        content: from_proto(answer.content)?,
        versions: answer.versions.into_iter().map(version).collect::<Result<_, _>>()?,
    }))
}

/// A version of the course.
#[response(from = course::GetVersionResponse)]
pub struct VersionReply {
    content: CourseContent,
}

/// Get a version of the course
#[get("/admin/course/versions/{number}", "Back office", params(("number" = i32, Path)))]
pub async fn version(caller: StaffMember, Path(number): Path<String>) -> Answer<VersionReply> {
    let message = GetVersionRequest { number: known(&number)? };
    reply(ask!(caller.course_staff.get_version(message))?)
}

/// A malformed number counts as unknown.
fn known(number: &str) -> Result<i32, ApiError> {
    number.parse().map_err(|_| ApiError::not_found())
}

/// The draft as it should be.
#[derive(Debug, Deserialize, ToSchema)]
pub struct DraftBody {
    /// Of the draft that was read.
    revision: i32,
    /// `null` discards the draft.
    content: Option<CourseContent>,
}

/// The draft that is kept.
#[response]
pub struct DraftReply {
    message: &'static str,
    revision: i32,
    /// Left out once the draft is discarded.
    changed_at: Option<String>,
}

/// Save or discard the draft of the course
///
/// A draft may be unfinished. `STALE_REVISION` if somebody else changed it.
#[put("/admin/course/draft", "Back office")]
pub async fn save(caller: StaffMember, Json { value, .. }: Json<DraftBody>) -> Answer<DraftReply> {
    let message = SaveDraftRequest { revision: value.revision, content: value.content.map(Into::into) };
    // Not repeated: the revision would be out of date then.
    let answer = send!(caller.course_staff.save_draft(message))?;
    let draft = answer.draft.unwrap_or_default();
    let changed_at: Option<String> = from_proto(draft.changed_at)?;
    let message = if changed_at.is_some() { "The draft is saved." } else { "The draft is discarded." };
    Ok(ok(DraftReply { message, revision: draft.revision, changed_at }))
}

/// What is published.
#[derive(Debug, Deserialize, ToSchema)]
pub struct Publication {
    /// Of the draft that was read.
    revision: i32,
    /// The version that was published then.
    published: i32,
}

/// What is replaced.
#[derive(Debug, Deserialize, ToSchema)]
pub struct Restoration {
    /// The version that was published when the caller looked.
    published: i32,
}

/// What members see now.
#[response]
pub struct Published {
    message: String,
    /// The number of the version.
    number: i32,
}

/// Publish the draft of the course
#[post("/admin/course/publish", "Back office")]
pub async fn publish(caller: StaffMember, Keyed { value, claim }: Keyed<Publication>) -> Answer<Published> {
    let message = PublishDraftRequest {
        revision: value.revision,
        published: value.published,
        client_address: caller.client.address,
        idempotency: claim,
    };
    keyed!(caller.course_staff.publish_draft(message))?.reply(|answer| Ok(published(answer.number)))
}

/// Go back to a version of the course
#[post("/admin/course/versions/{number}/restore", "Back office", params(("number" = i32, Path)))]
pub async fn restore(caller: StaffMember, Path(number): Path<String>, body: Keyed<Restoration>) -> Answer<Published> {
    let message = RestoreVersionRequest {
        number: known(&number)?,
        published: body.value.published,
        client_address: caller.client.address,
        idempotency: body.claim,
    };
    keyed!(caller.course_staff.restore_version(message))?.reply(|answer| Ok(published(answer.number)))
}

fn published(number: i32) -> Published {
    Published { message: format!("Members see version {number} now."), number }
}
