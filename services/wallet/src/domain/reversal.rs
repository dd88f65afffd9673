//! Reversals of what came in: a posting names the one it reverses.

use chassis::id::{MemberId, TransactionId};
use chassis::money::Cents;
use serde::{Deserialize, Serialize};

use crate::domain::account::{AccountRef, HouseAccount};
use crate::domain::posting_kind::PostingKind;

/// The kind of the proposal.
pub const REVERSAL: &str = "reversal";

/// What a proposal says, as its change and for people to read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reversal {
    /// The line whose effect is taken back.
    pub transaction_id: TransactionId,
    /// Its reference, for people.
    pub reference: String,
    pub reverses: i64,
    pub posting_kind: PostingKind,
    pub amount_cents: Cents,
    pub note: String,
}

/// From which account a reversal of a posting takes the money, and to which it goes back; `None` for a posting that cannot be
/// reversed. What was bought stays bought, and is paid from the balance: but access to the course ends.
#[must_use]
pub const fn way(kind: PostingKind, user_id: MemberId) -> Option<(AccountRef, AccountRef)> {
    let settlement = AccountRef::House(HouseAccount::Settlement);
    let (from, to) = match kind {
        PostingKind::Course => (AccountRef::House(HouseAccount::CourseRevenue), settlement),
        PostingKind::Deposit | PostingKind::Fee | PostingKind::FeeCredit | PostingKind::CourseCredit => {
            (AccountRef::available(user_id), settlement)
        }
        PostingKind::AdjustmentCredit => (AccountRef::available(user_id), AccountRef::House(HouseAccount::Adjustments)),
        PostingKind::Release => (AccountRef::available(user_id), AccountRef::bonus(user_id)),
        _ => return None,
    };
    Some((from, to))
}
