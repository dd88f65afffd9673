//! The SQL of this service.

pub mod certificates;
pub mod drafts;
pub mod member_data;
pub mod progress;
pub mod versions;
