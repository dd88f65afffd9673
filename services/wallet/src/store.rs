//! All SQL except that of the posting engine.

pub mod accounts;

pub mod approvals;

pub mod bridge_faults;

pub mod claims;

pub mod closed_wallets;

pub mod consumed_payments;

pub mod destinations;

pub mod ledger_checks;

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
