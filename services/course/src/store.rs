//! The SQL of this service.

pub mod captions;
pub mod certificates;
pub mod drafts;
pub mod media;
pub mod member_data;
pub mod notes;
pub mod progress;
pub mod streams;
pub mod versions;
