//! What things are: types, parsing and rules; no database, wire or broker.

pub mod account;

pub mod correction;

pub mod cursor;

pub mod limits;

pub mod reason;

pub mod reference;

pub mod transaction;

pub mod txid;

pub mod wallet;
