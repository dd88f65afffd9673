//! A step of a transaction, and what is known beside the transaction.

use chassis::identity::PayoutState;
use chassis::money::Units;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};
use time::{Duration, OffsetDateTime};

use crate::domain::transaction::Transaction;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, sqlx::Type, EnumString, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum StepKey {
    Requested,
    /// The chain shows the payment.
    Seen,
    /// The payment is final on its chain.
    Confirmed,
    /// Where a payout goes is named and confirmed.
    Address,
    /// After a change of the account payouts wait.
    Waiting,
    Reviewed,
    Sent,
    /// A payout is at its destination.
    Arrived,
    Credited,
    Debited,
    /// The course is open.
    Unlocked,
    /// The fee of a withdrawal is settled.
    Settled,
    /// Ended before a decision.
    Ended,
    /// A rejected payment went back.
    Returned,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepState {
    Done,
    Current,
    Next,
    Failed,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub key: StepKey,
    pub state: StepState,
    /// When it was done, or failed; unset where that is not recorded.
    pub at: Option<OffsetDateTime>,
    /// By when it is expected; unset where nothing supports a time.
    pub expected_by: Option<OffsetDateTime>,
    /// A sentence or figures for the member.
    pub note: Option<String>,
}

/// The newest payment that the chain shows.
#[derive(Debug, Clone)]
pub struct Shown {
    pub asset: String,
    pub units: Units,
    pub decimals: u8,
    /// `seen`, `included`, `final`, `orphaned`, `replaced` or `failed`.
    pub state: String,
    pub confirmations: i32,
    pub confirmations_needed: i32,
    pub seen_at: Option<OffsetDateTime>,
}

/// What a chain shows of a payment.
#[derive(Debug, Clone, Default)]
pub struct Chain {
    /// When it was last observed.
    pub observed_at: Option<OffsetDateTime>,
    pub shown: Option<Shown>,
}

/// A rejected payment that went back to its member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Return {
    pub at: OffsetDateTime,
    /// E.g. `199.5 USDT`.
    pub what: String,
    pub address: String,
    /// Of the return, as the network writes it.
    pub txid: String,
}

/// What is known beside the transaction.
#[derive(Debug, Default)]
pub struct Known {
    pub now: Option<OffsetDateTime>,
    /// Of an open withdrawal; unset while auth cannot tell.
    pub payouts: Option<PayoutState>,
    /// Withdrawals of all members are stopped.
    pub is_stopped: bool,
    /// 90th percentile of recent handling times of this kind.
    pub usual: Option<Duration>,
    /// Unset where the chain is not observed, or was not asked.
    pub chain: Option<Chain>,
    /// Of a rejected payment.
    pub returns: Vec<Return>,
}

const fn step(key: StepKey, state: StepState) -> Step {
    Step { key, state, at: None, expected_by: None, note: None }
}

pub(super) fn done(key: StepKey, at: Option<OffsetDateTime>) -> Step {
    Step { at, ..step(key, StepState::Done) }
}

pub(super) const fn open(key: StepKey) -> Step {
    step(key, StepState::Next)
}

/// The first step that is not done is the current one; a time and a note of what comes later would mislead.
pub(super) fn in_order(mut way: Vec<Step>) -> Vec<Step> {
    let mut open = way.iter_mut().filter(|step| step.state == StepState::Next);
    if let Some(current) = open.next() {
        current.state = StepState::Current;
    }
    for later in open {
        later.note = None;
    }
    way
}

/// The step at which it ended; the description is then the reason.
pub(super) fn failed(key: StepKey, one: &Transaction) -> Step {
    let key = if one.reason_code.as_deref() == Some("MEMBER_REQUEST") { StepKey::Ended } else { key };
    let note = Some(one.description.clone()).filter(|note| !note.is_empty());
    Step { at: one.decided_at, note, ..step(key, StepState::Failed) }
}

/// A payment that went back.
#[must_use]
pub fn returned(one: &Return) -> Step {
    // Nothing stands beside an address or a hash that could be copied with it.
    let note = format!("{} to {} by transaction {}", one.what, one.address, one.txid);
    Step { note: Some(note), ..done(StepKey::Returned, Some(one.at)) }
}

/// By when its kind is usually over, unless that has passed.
pub(super) fn expected(one: &Transaction, known: &Known) -> Option<OffsetDateTime> {
    let by = one.created_at.checked_add(known.usual?)?;
    Some(by).filter(|by| known.now.is_some_and(|now| now < *by))
}
