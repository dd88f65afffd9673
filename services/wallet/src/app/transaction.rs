//! What happened in a wallet: lists, statements, the year, the journal.

pub mod get_statement;
pub mod get_transaction;
pub mod get_year_report;
pub mod list_postings;
pub mod list_transactions;
