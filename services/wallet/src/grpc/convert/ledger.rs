//! The journal, balances and the integrity of the ledger.

use chassis::clock;
use chassis::money::Cents;
use proto::wallet::v1 as message;

use crate::app::account::get_balances::Balances;
use crate::app::ledger::get_integrity::Integrity;
use crate::store::entries::LedgerEntry;
use crate::store::ledger_checks::Fault;
use crate::store::postings::JournalPosting;

impl From<JournalPosting> for message::Posting {
    fn from(posting: JournalPosting) -> Self {
        let entry = |(account, amount): (String, Cents)| message::PostingEntry { account, amount_cents: amount.get() };
        Self {
            id: posting.place.id,
            kind: posting.kind,
            cause_type: posting.cause_type,
            cause_id: posting.cause_id.to_string(),
            member_id: posting.user_id.to_string(),
            at: Some(clock::to_proto(posting.at)),
            entries: posting.entries.into_iter().map(entry).collect(),
            reverses: posting.reverses.unwrap_or_default(),
        }
    }
}

pub(super) fn balance((account, amount): (String, Cents)) -> message::AccountBalance {
    message::AccountBalance { account, amount_cents: amount.get() }
}

impl From<Balances> for message::GetBalancesResponse {
    fn from(found: Balances) -> Self {
        Self { at: Some(clock::to_proto(found.at)), balances: found.accounts.into_iter().map(balance).collect() }
    }
}

impl From<LedgerEntry> for message::LedgerEntry {
    fn from(entry: LedgerEntry) -> Self {
        Self {
            posting_id: entry.posting_id,
            account: entry.account,
            amount_cents: entry.amount.get(),
            balance_cents: entry.balance.get(),
            kind: entry.kind,
            at: Some(clock::to_proto(entry.at)),
        }
    }
}

impl From<Integrity> for message::GetIntegrityResponse {
    fn from(found: Integrity) -> Self {
        Self {
            trial_balance_cents: found.books.trial_balance.get(),
            drift_cents: found.drift_cents(),
            available_cents: found.books.available.get(),
            held_cents: found.books.held.get(),
            invested_cents: found.books.invested.get(),
            bonus_cents: found.books.bonus.get(),
            on_hold_cents: found.books.on_hold.get(),
            owed_cents: found.books.owed.get(),
            solvency: None,
            holdings_cents: found.books.holdings.get(),
            pool_cents: found.books.pool.get(),
            outbox_oldest_seconds: found.outbox_oldest_seconds,
            dead_letters: found.dead_letters,
            ok: found.ok(),
            withdrawals_stopped: found.pause.is_some(),
            checked_at: found.check.checked_at.map(clock::to_proto),
            walked_at: found.check.walked_at.map(clock::to_proto),
            stopped_at: found.pause.as_ref().map(|pause| clock::to_proto(pause.stopped_at)),
            stop_reason: found.pause.map(|pause| pause.reason).unwrap_or_default(),
            faults: found.faults.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<Fault> for message::LedgerFault {
    fn from(fault: Fault) -> Self {
        Self {
            subject: fault.subject,
            subject_id: fault.subject_id,
            detail: fault.detail,
            found_at: Some(clock::to_proto(fault.found_at)),
        }
    }
}
