//! The course, bought from the balance and refunded to it.

pub mod propose_course_refund;
pub mod purchase_course;
