//! Throttling of password attempts (D-S8): a growing delay by account and by address of at most half a minute, so that
//! the owner is never locked out. A place that the account knows has a counter of its own, by which the right password
//! passes while the others are closed. A second factor has few codes and is requested only after the password, so it is
//! eventually locked for an hour (D-A9).

use chassis::hex::to_hex;
use chassis::id::UserId;
use sha2::{Digest, Sha256};
use time::Duration;

use super::device::Device;
use super::passkey::PasskeyId;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counter {
    /// What it counts.
    pub key: String,
    /// Tries before the delay begins.
    pub free: i32,
    /// Rest after which the tries are forgotten.
    pub rest: Duration,
    /// Tries that close it for [`LOCKED`]; unset if none do.
    pub most: Option<i32>,
    /// One try is forgotten each time this has passed; unset if only a rest forgets them.
    pub fade: Option<Duration>,
}

/// How long a counter that reached its most is closed.
pub const LOCKED: Duration = Duration::HOUR;
/// Wrong second factors before they are locked.
const MOST_FACTORS: i32 = 20;
/// A guesser must not gain by pausing: the day that counters are kept for.
const REST_FACTORS: Duration = Duration::DAY;
const REST: Duration = Duration::minutes(15);

/// Tries on one account before the delay begins.
const FREE_ACCOUNT: i32 = 5;
/// The same from one place, where its owner may log in several times at once.
const FREE_PLACE: i32 = 20;
/// Tries from one address before the delay begins: many people may share it, and as many tries as wait for their hash
/// count while they wait.
const FREE_ADDRESS: i32 = 100;
/// An address shared by many people always has some failed attempts. A guesser gains nothing: the longest delay lets a try
/// through as often.
const FADE_ADDRESS: Duration = Duration::seconds(30);

impl Counter {
    /// Of an address block, because one client can have many addresses.
    #[must_use]
    pub fn address(device: &Device) -> Self {
        Self::of_many(format!("address:{}", device.block))
    }

    /// Of an account by the folded email, whether it exists or not.
    #[must_use]
    pub fn account(folded_email: &str) -> Self {
        Self::delaying(format!("account:{}", fingerprint(folded_email)), FREE_ACCOUNT)
    }

    /// Of an account from one place, whether the account exists and knows it or not.
    #[must_use]
    pub fn place(folded_email: &str, device: &Device) -> Self {
        let key = format!("place:{}:{}", fingerprint(folded_email), fingerprint(&device.place()));
        Self::delaying(key, FREE_PLACE)
    }

    /// Of a passkey that an account has.
    #[must_use]
    pub fn passkey(id: PasskeyId) -> Self {
        Self::delaying(format!("passkey:{id}"), FREE_PLACE)
    }

    /// Of registrations from an address block with an address that is taken.
    #[must_use]
    pub fn registrations(device: &Device) -> Self {
        Self::of_many(format!("registrations:{}", device.block))
    }

    /// Of passwords set by a link of an account.
    #[must_use]
    pub fn resets(user_id: UserId) -> Self {
        Self::delaying(format!("resets:{user_id}"), FREE_ACCOUNT)
    }

    /// Of codes submitted from an address without session or handle.
    #[must_use]
    pub fn codes_from(device: &Device) -> Self {
        Self::of_many(format!("codes-from:{}", device.block))
    }

    /// Of codes submitted without session or handle for the folded email, whether an account waits for one or not.
    #[must_use]
    pub fn codes_to(folded_email: &str) -> Self {
        Self::delaying(format!("codes-to:{}", fingerprint(folded_email)), FREE_ACCOUNT)
    }

    /// Of the second factor of an account.
    #[must_use]
    pub fn second_factor(user_id: UserId) -> Self {
        let delaying = Self::delaying(format!("totp:{user_id}"), FREE_ACCOUNT);
        Self { rest: REST_FACTORS, most: Some(MOST_FACTORS), ..delaying }
    }

    /// Of the password asked for inside a session.
    #[must_use]
    pub fn inside(user_id: UserId) -> Self {
        Self::delaying(format!("inside:{user_id}"), FREE_ACCOUNT)
    }

    fn of_many(key: String) -> Self {
        Self { fade: Some(FADE_ADDRESS), ..Self::delaying(key, FREE_ADDRESS) }
    }

    const fn delaying(key: String, free: i32) -> Self {
        Self { key, free, rest: REST, most: None, fade: None }
    }
}

fn fingerprint(text: &str) -> String {
    to_hex(&Sha256::digest(text)[..16])
}
