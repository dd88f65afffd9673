//! All SQL except that of the posting engine.

pub mod accounts;

pub mod approvals;

pub mod bridge_faults;

pub mod cash_transfers;

pub mod claims;

pub mod closed_wallets;

pub mod consumed_payments;

pub mod destinations;

pub mod ledger_checks;

pub mod member_buckets;

pub mod entries;

pub mod figures;

pub mod holds;

pub mod liabilities;

pub mod member_data;

pub mod postings;

pub mod receipts;

pub mod times;

pub mod trade_fundings;

pub mod transactions;

pub mod treasury;

pub mod viewings;

pub mod withdrawal_pauses;

pub mod withdrawals;

/// Rows that several buckets have of the same things, one for each thing.
fn merged<T, K: PartialEq>(all: Vec<Vec<T>>, key: impl Fn(&T) -> K, add: impl Fn(&mut T, T)) -> Vec<T> {
    let mut merged: Vec<T> = Vec::new();
    for row in all.into_iter().flatten() {
        match merged.iter_mut().find(|one| key(one) == key(&row)) {
            Some(one) => add(one, row),
            None => merged.push(row),
        }
    }
    merged
}

/// The first of the rows that several buckets have, as many as this.
fn first<T, K: Ord>(all: Vec<Vec<T>>, limit: i64, key: impl Fn(&T) -> K) -> Vec<T> {
    let mut rows: Vec<T> = all.into_iter().flatten().collect();
    rows.sort_by_key(key);
    rows.truncate(usize::try_from(limit).unwrap_or(0));
    rows
}
