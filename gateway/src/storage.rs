//! Uploaded files, photos and media of the course in the object store.

pub mod files;

pub mod media;

pub mod pictures;
