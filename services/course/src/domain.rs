//! The types of this service, without I/O.

pub mod certificate;

pub mod course;

pub mod draft;

pub mod files;

pub mod progress;
