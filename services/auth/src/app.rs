//! The use cases, one per file. Each reads the time once, opens at most one transaction and writes its events in it.
//! Passwords are hashed before the transaction begins.

use std::time::Duration;

use chassis::db::Db;
use chassis::keys::{SealingKey, SigningKey};
use serde::Serialize;
use tokio::sync::{Notify, Semaphore};

use crate::clients::Wallet;
use crate::error::Error;
use crate::hasher::Hasher;
use crate::passkeys::RelyingParty;
use crate::secrets::Secrets;
use crate::tokens::Tokens;

pub mod account;
pub mod factor;
pub mod mail;
pub mod password;
pub mod security;
pub mod session;
pub mod staff;

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
    /// Signs what staff decide, and which destinations members confirm.
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

impl App {
    /// Claims as a JWT of the key for decisions.
    ///
    /// # Errors
    /// If the key cannot sign.
    pub fn sign(&self, claims: &impl Serialize) -> Result<String, Error> {
        self.decision_key.sign(claims).map_err(|error| Error::Cryptography(error.to_string()))
    }
}
