//! The types of this service, without I/O.

pub mod captions;

pub mod certificate;

pub mod course;

pub mod draft;

pub mod file_type;

pub mod files;

pub mod media;

pub mod note;

pub mod probe;

pub mod progress;
