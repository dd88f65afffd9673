//! The use cases, one per file. Each reads the time once, opens at most one transaction and writes its events in it.
//! Passwords are hashed before the transaction begins.

use std::time::Duration;

use chassis::db::Db;
use chassis::keys::{SealingKey, SigningKey};
use tokio::sync::{Notify, Semaphore};

use crate::clients::Wallet;
use crate::hasher::Hasher;
use crate::passkeys::RelyingParty;
use crate::secrets::Secrets;
use crate::tokens::Tokens;

pub mod factor_proof;
pub mod issuing;
pub mod opening;
pub mod password_proof;
pub mod recovery;
pub mod safeguards;
pub mod second_factor;
pub mod securing;
pub mod security_log;

pub mod begin_passkey_login;
pub mod bootstrap_staff;
pub mod change_password;
pub mod check_session;
pub mod close_account;
pub mod disown_activity;
pub mod end_session;
pub mod forgot_password;
pub mod list_activity;
pub mod list_member_data;
pub mod list_sessions;
pub mod login;
pub mod login_by_passkey;
pub mod logout;
pub mod register;
pub mod resend_code;
pub mod reset_password;
pub mod undo_email_change;
pub mod update_image;
pub mod update_profile;
pub mod verify_email;

pub mod check_destination_code;
pub mod get_mail_secret;
pub mod get_payout_state;
pub mod get_session;
pub mod get_users;
pub mod issue_destination_code;
pub mod list_erased_members;
pub mod list_owned_files;
pub mod note_destination;
pub mod sign_decision;

pub mod begin_passkey;
pub mod begin_step_up;
pub mod begin_totp;
pub mod confirm_totp;
pub mod finish_passkey;
pub mod get_factors;
pub mod get_me;
pub mod list_passkeys;
pub mod remove_passkey;
pub mod remove_totp;
pub mod replace_recovery_codes;
pub mod step_up;

pub mod add_member_note;
pub mod add_staff;
pub mod decide_proposal;
pub mod end_member_sessions;
pub mod freeze_member;
pub mod get_member;
pub mod list_members;
pub mod list_staff;
pub mod propose_factor_reset;
pub mod propose_staff_change;
pub mod reset_factors;
pub mod reset_totp;

pub mod answer_mail_requests;
pub mod erase_closed;
pub mod forget_expired;

/// What may be asked for by id in one call.
const MOST_IDS: usize = 500;

/// Logins at the database at once: they wait for each other at the counter of their address, and a storm of them must
/// leave connections to everybody else.
pub const SIGN_INS: usize = 3;

/// Whether staff need a second factor to log in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecondFactor {
    /// Everywhere but in the local stack.
    Required,
    /// Every session of staff counts as stepped up.
    Waived,
}

/// What the use cases work with.
pub struct App {
    pub db: Db,
    pub hasher: Hasher,
    /// Turns of logins at the database.
    pub sign_ins: Semaphore,
    /// Derives the secrets of mails.
    pub secrets: Secrets,
    /// Verifies passkeys.
    pub relying_party: RelyingParty,
    /// Closes the wallets of closed accounts.
    pub wallet: Wallet,
    /// Signs members' tokens.
    pub tokens: Tokens,
    /// Signs what staff decide.
    pub decision_key: SigningKey,
    /// Seals the secrets of authenticators.
    pub totp_key: SealingKey,
    /// Whether staff need a second factor.
    pub second_factor: SecondFactor,
    /// How long new reviewers, treasurers and managers wait before they may decide.
    pub new_staff_wait: Duration,
    /// How long payouts wait after a change of email, password or second factors.
    pub cooling_off: Duration,
    /// How long the mailbox of an account can call its closing off.
    pub closing_delay: Duration,
    /// How many days the personal data of closed accounts is kept.
    pub retention_days: i32,
    /// Rung when a code or link was asked for.
    pub mail_requested: Notify,
}
