//! A model of the ledger that applies one movement at a time.

use chassis::id::{MemberId, TradeId, TransactionId};
use std::collections::{BTreeMap, HashMap, HashSet};

use chassis::money::Cents;
use wallet::domain::account::{AccountRef, MemberAccount};
use wallet::domain::posting_kind::PostingKind;
use wallet::posting::{Movement, Outcome, Precondition};

/// What is known of a trade: whose, how much, and where it stands.
type Trade = (MemberId, Cents, &'static str);

/// The rules in a few lines, for movements one after another.
#[derive(Default)]
pub struct Model {
    pub cents: HashMap<AccountRef, i64>,
    pub trades: HashMap<TradeId, Trade>,
    pub withdrawals: HashSet<MemberId>,
    pub courses: HashSet<MemberId>,
    pub lines: BTreeMap<TransactionId, (MemberId, i64)>,
    pub events: Vec<String>,
}

impl Model {
    pub fn decide(&mut self, movement: &Movement) -> Outcome {
        let user_id = movement.user_id;
        let stands_in_the_way = match movement.precondition {
            Some(Precondition::WithdrawalAllowed { .. }) if self.withdrawals.contains(&user_id) => {
                Some(Outcome::WithdrawalPending)
            }
            Some(Precondition::NoCourse) if self.courses.contains(&user_id) => Some(Outcome::CourseOwned),
            Some(Precondition::TradeUnknown { trade_id, .. }) if self.trades.contains_key(&trade_id) => {
                Some(Outcome::TradeKnown)
            }
            Some(Precondition::TradeFunded { trade_id, amount, .. })
                if self.trades.get(&trade_id) != Some(&(user_id, amount, "funded")) =>
            {
                Some(Outcome::TradeNotFunded)
            }
            _ => None,
        };
        if let Some(outcome) = stands_in_the_way {
            return outcome;
        }
        let mut cents = self.cents.clone();
        for (kind, (account, amount)) in
            movement.postings.iter().flat_map(|posting| posting.entries.iter().map(|entry| (posting.kind, *entry)))
        {
            let mut amount = amount.get();
            let before = cents.get(&account).copied().unwrap_or_default();
            let mut owes = false;
            if let AccountRef::Member(owner, MemberAccount::Available) = account {
                // Credits settle what is owed; what a reversal lacks is owed.
                let owed = cents.entry(AccountRef::Member(owner, MemberAccount::Owed)).or_default();
                let part = match kind {
                    PostingKind::Reversal => (before + amount).min(0),
                    _ => amount.min(-*owed).max(0),
                };
                owes = *owed < 0;
                *owed += part;
                amount -= part;
            }
            cents.insert(account, before + amount);
            if matches!(account, AccountRef::Member(..)) && before + amount < 0 {
                if let Some(Precondition::TradeUnknown { trade_id, amount, .. }) = movement.precondition {
                    self.trades.insert(trade_id, (user_id, amount, "refused"));
                }
                let spends = !matches!(movement.precondition, None | Some(Precondition::TradeFunded { .. }));
                return if owes && spends { Outcome::AmountOwed } else { Outcome::InsufficientFunds };
            }
        }
        self.cents = cents;
        match movement.precondition {
            Some(Precondition::WithdrawalAllowed { .. }) => drop(self.withdrawals.insert(user_id)),
            Some(Precondition::NoCourse) => drop(self.courses.insert(user_id)),
            Some(Precondition::TradeUnknown { trade_id, amount, .. }) => {
                self.trades.insert(trade_id, (user_id, amount, "funded"));
            }
            Some(Precondition::TradeFunded { trade_id, amount, .. }) => {
                self.trades.insert(trade_id, (user_id, amount, "settled"));
            }
            None => {}
        }
        self.lines.extend(movement.lines.iter().map(|line| (line.id, (line.user_id, line.amount.get()))));
        self.events.extend(movement.events.iter().map(|event| event.id.to_string()));
        Outcome::Applied
    }
}
