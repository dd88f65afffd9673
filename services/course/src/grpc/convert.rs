//! Conversion between proto messages and the types of this service.

use chassis::clock;
use chassis::error::Refusal;
use chassis::validate::is_text;
use proto::course::v1::{
    Attachment as AttachmentMessage, Captions as CaptionsMessage, Certificate as CertificateMessage, Content,
    ContentAttachment, ContentLesson, ContentModule, DraftState, GetCourseResponse, GetLessonResponse,
    GetStudioResponse, LessonOutline, LessonText, Media as MediaMessage, MediaKind, MediaState,
    Module as ModuleMessage, Note as NoteMessage, PreviewStrip, Progress as ProgressMessage, PutProgressRequest,
    Version, Video as VideoMessage,
};

use crate::app::get_course::Outline;
use crate::app::get_lesson::ReadLesson;
use crate::app::get_studio::Studio;
use crate::domain::certificate::{Certificate, LONGEST_NAME};
use crate::domain::course::{Attachment, Course, Lesson, Module};
use crate::domain::draft::{Draft, VersionEntry};
use crate::domain::media::{Captions, Kind, Media, MediaId, State, Video};
use crate::domain::note::Note;
use crate::domain::progress::{Progress, Report};
use crate::error::Error;
use crate::store::versions::PublishedLesson;

pub(super) fn report(message: PutProgressRequest) -> Result<Report, Error> {
    let no_moment = || Refusal::field("at", "Enter a date and time");
    let at = message.at.as_ref().map(|at| clock::from_proto(at).ok_or_else(no_moment)).transpose()?;
    Ok(Report {
        lesson_id: message.lesson_id,
        position_seconds: message.position_seconds,
        is_done: message.done,
        at,
        holder_name: Some(message.holder_name).filter(|name| is_text(name, 1, LONGEST_NAME)),
    })
}

impl From<Outline> for GetCourseResponse {
    fn from(outline: Outline) -> Self {
        let Outline { course, access, mut progress, certificate } = outline;
        let mut lesson = |lesson: Lesson| {
            let place = progress.iter().position(|one| one.lesson_id == lesson.id);
            LessonOutline {
                locked: !lesson.is_preview && !access.has_purchased,
                progress: place.map(|place| progress.swap_remove(place).into()),
                id: lesson.id,
                title: lesson.title,
                minutes: lesson.minutes,
                preview: lesson.is_preview,
                video: lesson.video.is_some(),
            }
        };
        let modules = (1..).zip(course.modules).map(|(number, module)| ModuleMessage {
            number,
            title: module.title,
            summary: module.summary,
            lessons: module.lessons.into_iter().map(&mut lesson).collect(),
        });
        Self {
            title: course.title,
            subtitle: course.subtitle,
            modules: modules.collect(),
            purchased: access.has_purchased,
            pending: access.is_pending,
            certificate: certificate.map(Into::into),
        }
    }
}

impl From<PublishedLesson> for LessonText {
    fn from(found: PublishedLesson) -> Self {
        Self {
            id: found.lesson.id,
            title: found.lesson.title,
            module_number: found.module_number,
            module_title: found.module_title,
            minutes: found.lesson.minutes,
            markdown: found.lesson.markdown,
        }
    }
}

impl From<Progress> for ProgressMessage {
    fn from(progress: Progress) -> Self {
        Self {
            position_seconds: progress.position_seconds,
            done_at: progress.done_at.map(clock::to_proto),
            at: Some(clock::to_proto(progress.at)),
        }
    }
}

/// A malformed id counts as unknown.
fn media_id(text: &str) -> MediaId {
    text.parse().unwrap_or_default()
}

impl From<Content> for Course {
    fn from(content: Content) -> Self {
        let attachment = |one: ContentAttachment| Attachment { media: media_id(&one.media), name: one.name };
        let lesson = |lesson: ContentLesson| Lesson {
            id: lesson.id,
            title: lesson.title,
            minutes: lesson.minutes,
            is_preview: lesson.preview,
            markdown: lesson.markdown,
            video: (!lesson.video.is_empty()).then(|| media_id(&lesson.video)),
            attachments: lesson.attachments.into_iter().map(attachment).collect(),
        };
        let module = |module: ContentModule| Module {
            title: module.title,
            summary: module.summary,
            lessons: module.lessons.into_iter().map(lesson).collect(),
        };
        Self {
            title: content.title,
            subtitle: content.subtitle,
            modules: content.modules.into_iter().map(module).collect(),
        }
    }
}

impl From<Course> for Content {
    fn from(course: Course) -> Self {
        let attachment = |one: Attachment| ContentAttachment { media: one.media.to_string(), name: one.name };
        let lesson = |lesson: Lesson| ContentLesson {
            id: lesson.id,
            title: lesson.title,
            minutes: lesson.minutes,
            preview: lesson.is_preview,
            markdown: lesson.markdown,
            video: lesson.video.map(|id| id.to_string()).unwrap_or_default(),
            attachments: lesson.attachments.into_iter().map(attachment).collect(),
        };
        let module = |module: Module| ContentModule {
            title: module.title,
            summary: module.summary,
            lessons: module.lessons.into_iter().map(lesson).collect(),
        };
        Self {
            title: course.title,
            subtitle: course.subtitle,
            modules: course.modules.into_iter().map(module).collect(),
        }
    }
}

impl From<Draft> for DraftState {
    /// Without people and times once the draft is published or discarded.
    fn from(draft: Draft) -> Self {
        let is_open = draft.course.is_some();
        Self {
            revision: draft.revision,
            changed_by: if is_open { draft.changed_by.to_string() } else { String::new() },
            changed_at: is_open.then(|| clock::to_proto(draft.changed_at)),
        }
    }
}

impl From<VersionEntry> for Version {
    fn from(version: VersionEntry) -> Self {
        Self {
            number: version.number,
            created_by: version.created_by.to_string(),
            created_at: Some(clock::to_proto(version.created_at)),
            lessons: i32::try_from(version.lessons).unwrap_or(i32::MAX),
        }
    }
}

impl From<Studio> for GetStudioResponse {
    fn from(studio: Studio) -> Self {
        Self {
            published: studio.published,
            draft: Some(studio.draft.map(DraftState::from).unwrap_or_default()),
            content: Some(studio.course.into()),
            versions: studio.versions.into_iter().map(Version::from).collect(),
        }
    }
}

impl From<Certificate> for CertificateMessage {
    fn from(certificate: Certificate) -> Self {
        Self {
            number: certificate.number.to_string(),
            holder_name: certificate.holder_name.unwrap_or_default(),
            course_title: certificate.course_title,
            issued_at: Some(clock::to_proto(certificate.issued_at)),
        }
    }
}

impl From<ReadLesson> for GetLessonResponse {
    fn from(read: ReadLesson) -> Self {
        let video = read.video.and_then(|(media, captions)| Some(video(media.id, media.video?, captions)));
        let attachment = |(name, media): (String, Media)| AttachmentMessage {
            media_id: media.id.to_string(),
            name,
            size: media.size,
            content_type: media.content_type.unwrap_or_default(),
        };
        Self {
            lesson: Some(read.lesson.into()),
            progress: read.progress.map(Into::into),
            video,
            attachments: read.attachments.into_iter().map(attachment).collect(),
            member: read.is_member,
        }
    }
}

fn video(id: MediaId, video: Video, captions: Vec<Captions>) -> VideoMessage {
    let preview = video.preview;
    VideoMessage {
        media_id: id.to_string(),
        duration_ms: video.duration_ms,
        width: video.width,
        height: video.height,
        preview: Some(PreviewStrip {
            interval_seconds: preview.interval_seconds,
            columns: preview.columns,
            rows: preview.rows,
            width: preview.width,
            height: preview.height,
        }),
        captions: captions.into_iter().map(Into::into).collect(),
    }
}

impl From<Captions> for CaptionsMessage {
    fn from(captions: Captions) -> Self {
        Self { language: captions.language, label: captions.label }
    }
}

/// A file, for staff.
pub(super) fn media((media, captions): (Media, Vec<Captions>)) -> MediaMessage {
    let state = match media.state {
        State::Uploading => MediaState::Uploading,
        State::Queued => MediaState::Queued,
        State::Processing => MediaState::Processing,
        State::Ready => MediaState::Ready,
        State::Failed => MediaState::Failed,
        State::Removed => MediaState::Unspecified,
    };
    let kind = match media.kind {
        Kind::Video => MediaKind::Video,
        Kind::Attachment => MediaKind::Attachment,
    };
    MediaMessage {
        id: media.id.to_string(),
        kind: kind.into(),
        name: media.name,
        size: media.size,
        state: state.into(),
        offset: media.received,
        progress: media.progress,
        reason: media.reason.unwrap_or_default(),
        content_type: media.content_type.unwrap_or_default(),
        video: media.video.map(|one| video(media.id, one, captions)),
        created_at: Some(clock::to_proto(media.created_at)),
    }
}

impl From<Note> for NoteMessage {
    fn from(note: Note) -> Self {
        Self {
            id: note.id.to_string(),
            position_seconds: note.position_seconds,
            text: note.text,
            created_at: Some(clock::to_proto(note.created_at)),
            updated_at: Some(clock::to_proto(note.updated_at)),
        }
    }
}

/// The kind of a new file.
pub(super) fn kind(kind: i32) -> Result<Kind, Error> {
    match MediaKind::try_from(kind) {
        Ok(MediaKind::Video) => Ok(Kind::Video),
        Ok(MediaKind::Attachment) => Ok(Kind::Attachment),
        _ => Err(Refusal::field("kind", "A file is a video or an attachment.").into()),
    }
}
