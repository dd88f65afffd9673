//! All SQL of this service, one module per table.

pub mod account_closures;
pub mod authenticators;
pub mod closed_accounts;
pub mod codes;
pub mod decision_signatures;
pub mod destination_codes;
pub mod factor_resets;
pub mod known_devices;
pub mod login_throttles;
pub mod mail_requests;
pub mod member_data;
pub mod member_notes;
pub mod passkeys;
pub mod payout_safeguards;
pub mod recovery_codes;
pub mod reset_tokens;
pub mod security_events;
pub mod security_links;
pub mod sessions;
pub mod used_challenges;
pub mod users;
