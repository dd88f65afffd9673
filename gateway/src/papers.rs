//! What members keep as files: PDFs with their numbers, and archives.

pub mod archive;

pub mod documents;

pub mod pdf;

pub mod paper;
