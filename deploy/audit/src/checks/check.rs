//! What a check is.

use stack::Service;

/// An invariant and the query for the rows that violate it.
pub struct Check {
    /// The invariants it belongs to.
    pub ids: &'static str,
    /// What must hold, as a sentence.
    pub promise: &'static str,
    /// Where; ignored for those of every database.
    pub database: Service,
    /// Returns one text per violating row.
    pub offending: &'static str,
}

pub(super) const fn wallet(ids: &'static str, promise: &'static str, offending: &'static str) -> Check {
    Check { ids, promise, database: Service::Wallet, offending }
}

pub(super) const fn trade(ids: &'static str, promise: &'static str, offending: &'static str) -> Check {
    Check { ids, promise, database: Service::Trade, offending }
}

pub(super) const fn auth(ids: &'static str, promise: &'static str, offending: &'static str) -> Check {
    Check { ids, promise, database: Service::Auth, offending }
}
