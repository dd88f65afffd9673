//! All SQL of this service.

pub mod cases;

pub mod files;
pub mod member_data;

pub mod messages;
