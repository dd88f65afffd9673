//! Types, parsing and rules, without I/O.

pub mod account;

pub mod bridge;

pub mod bucket;

pub mod correction;

pub mod course_refund;

pub mod cursor;

pub mod destination;

pub mod disowning;

pub mod hold;

pub mod holding;

pub mod liabilities;

pub mod limits;

pub mod observed_payment;

pub mod payout_batch;
pub mod payout_correction;
pub mod posting_kind;

pub mod reason;

pub mod reference;

pub mod reversal;

pub mod search;

pub mod steps;

pub mod trade_funding;

pub mod treasury;

pub mod transaction;

pub mod txid;

pub mod wallet;
