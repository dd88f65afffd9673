//! Conversion between proto messages and the domain.

mod request;

mod transaction;

mod wallet;

mod statement;

mod review;

mod ledger;

pub use self::request::{
    code_subject, confirmation_subject, correction_kind, destination, hold_reason, kind_filter, member_id, method,
    note, payout_outcome, purpose, quote_direction, quote_id, receipt, receipt_key, status_filter, transaction_id,
    txid, waits_for,
};
pub use self::statement::period;
pub use self::transaction::{chain, line};
pub use self::wallet::own_wallet;
