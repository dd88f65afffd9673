//! What staff do: members, staff, proposals.

pub mod add_member_note;
pub mod add_staff;
pub mod bootstrap_staff;
pub mod decide_proposal;
pub mod end_member_sessions;
pub mod freeze_member;
pub mod get_me;
pub mod get_member;
pub mod list_members;
pub mod list_staff;
pub mod propose_factor_reset;
pub mod propose_staff_change;
pub mod reset_factors;
