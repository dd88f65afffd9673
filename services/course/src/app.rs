//! The use cases.

mod access;
pub mod erase_members;
pub mod export_course;
pub mod get_certificate;
pub mod get_course;
pub mod get_lesson;
pub mod get_studio;
pub mod get_version;
pub mod import_course;
pub mod issue_certificate;
pub mod publish_draft;
pub mod publish_first_version;
pub mod put_progress;
pub mod restore_version;
pub mod save_draft;
