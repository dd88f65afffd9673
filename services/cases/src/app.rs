//! The use cases.

pub mod add_case_message;
pub mod answer_case;
pub mod assign_case;
pub mod claim_case;
pub mod close_case;
pub mod close_staff_case;
pub mod erase_members;
pub mod get_case;
pub mod list_cases;
pub mod list_owned_files;
pub mod open_case;
pub mod register_complaint;
pub mod release_case;
