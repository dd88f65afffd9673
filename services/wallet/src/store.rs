//! All SQL but the posting engine's.

pub mod accounts;

pub mod book_checks;

pub mod entries;

pub mod times;

pub mod trade_fundings;

pub mod transactions;

pub mod viewings;

pub mod withdrawal_stops;
