//! What managers write before it becomes a version.

use chassis::id::StaffId;
use time::OffsetDateTime;

use super::course::Course;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// Counts up with every change, so that nobody overwrites what they have not seen.
    pub revision: i32,
    /// Unset once it is published or discarded.
    pub course: Option<Course>,
    pub changed_by: StaffId,
    pub changed_at: OffsetDateTime,
}

/// A version in the list of versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionEntry {
    pub number: i32,
    /// Nil for a version that was imported on the command line.
    pub created_by: StaffId,
    pub created_at: OffsetDateTime,
    pub lessons: i64,
}
