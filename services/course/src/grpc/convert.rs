//! Conversion between proto messages and the types of this service.

use chassis::clock;
use chassis::error::Refusal;
use proto::course::v1::{
    GetCourseResponse, LessonOutline, LessonText, Module as ModuleMessage, Progress as ProgressMessage,
    PutProgressRequest,
};

use crate::app::get_course::Outline;
use crate::domain::course::Lesson;
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
        let Outline { course, access, mut progress } = outline;
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
