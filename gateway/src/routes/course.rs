//! The course: its lessons, their files and notes, and certificates.

pub mod courses;

pub mod course_media;

pub mod notes;

pub mod certificates;
