//! Accounts from registration to erasure.

pub mod close_account;
pub mod disown_activity;
pub mod erase_closed;
pub mod get_users;
pub mod list_erased_members;
pub mod list_member_data;
pub mod list_owned_files;
pub mod register;
pub mod resend_code;
pub mod undo_email_change;
pub mod update_image;
pub mod update_profile;
pub mod verify_email;
