//! Reversals of credits: a posting names the one it reverses.

use chassis::money::Cents;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::domain::account::{AccountRef, HouseAccount};
use crate::domain::posting_kind::PostingKind;

/// The kind of the proposal.
pub const REVERSAL: &str = "reversal";

/// What a proposal says, as its change and for people to read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reversal {
    /// The line whose effect is taken back.
    pub transaction_id: Uuid,
    /// Its reference, for people.
    pub reference: String,
    pub reverses: i64,
    pub posting_kind: PostingKind,
    pub amount_cents: Cents,
    pub note: String,
}

/// Where the money of a posting came from that added to a member's balance and may be reversed; `None` for any other.
#[must_use]
pub const fn source(kind: PostingKind, user_id: Uuid) -> Option<AccountRef> {
    match kind {
        PostingKind::Deposit | PostingKind::FeeCredit => Some(AccountRef::House(HouseAccount::Settlement)),
        PostingKind::AdjustmentCredit => Some(AccountRef::House(HouseAccount::Adjustments)),
        PostingKind::Release => Some(AccountRef::bonus(user_id)),
        _ => None,
    }
}
