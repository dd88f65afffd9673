//! Conversion between proto messages and the types of this service.

use chassis::clock;
use chassis::error::Refusal;
use proto::course::v1::{
    Certificate as CertificateMessage, Content, ContentLesson, ContentModule, DraftState, GetCourseResponse,
    GetStudioResponse, LessonOutline, LessonText, Module as ModuleMessage, Progress as ProgressMessage,
    PutProgressRequest, Version,
};

use crate::app::get_course::Outline;
use crate::app::get_studio::Studio;
use crate::domain::certificate::Certificate;
use crate::domain::course::{Course, Lesson, Module};
use crate::domain::draft::{Draft, VersionEntry};
use crate::domain::progress::{Progress, Report};
use crate::error::Error;
use crate::store::versions::PublishedLesson;

pub(super) fn report(message: PutProgressRequest) -> Result<Report, Error> {
    let no_moment = || Refusal::field("at", "Enter a date and time");
    let at = message.at.as_ref().map(|at| clock::from_proto(at).ok_or_else(no_moment)).transpose()?;
    Ok(Report { lesson_id: message.lesson_id, position_seconds: message.position_seconds, is_done: message.done, at })
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

impl From<Content> for Course {
    fn from(content: Content) -> Self {
        let lesson = |lesson: ContentLesson| Lesson {
            id: lesson.id,
            title: lesson.title,
            minutes: lesson.minutes,
            is_preview: lesson.preview,
            markdown: lesson.markdown,
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
        let lesson = |lesson: Lesson| ContentLesson {
            id: lesson.id,
            title: lesson.title,
            minutes: lesson.minutes,
            preview: lesson.is_preview,
            markdown: lesson.markdown,
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
            course_title: certificate.course_title,
            issued_at: Some(clock::to_proto(certificate.issued_at)),
        }
    }
}
