//! Certificates of members who have done all lessons.

use chassis::id::MemberId;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::course::Course;
use crate::domain::progress::Progress;

/// Characters of the name of a holder; as long as a member's.
pub const LONGEST_NAME: usize = 100;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Certificate {
    /// Random, so that no other can be guessed from it.
    pub number: Uuid,
    pub user_id: MemberId,
    /// The member's name then; not known of certificates that are older than this field.
    pub holder_name: Option<String>,
    /// As the course was called then.
    pub course_title: String,
    pub issued_at: OffsetDateTime,
}

/// Whether every lesson of the course is done.
#[must_use]
pub fn is_earned(course: &Course, progress: &[Progress]) -> bool {
    course.lessons().all(|lesson| progress.iter().any(|one| one.lesson_id == lesson.id && one.done_at.is_some()))
}
