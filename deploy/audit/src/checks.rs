//! Invariants of a single database, each as a query for the rows that violate it.

mod check;

mod ledger;

mod transactions;

mod trades;

mod accounts;

mod liabilities;

mod payment_methods;

mod mails;

use self::accounts::ACCOUNTS;
use self::check::wallet;
use self::ledger::LEDGER;
use self::liabilities::LIABILITIES;
use self::mails::MAILS;
use self::payment_methods::PAYMENT_METHODS;
use self::trades::TRADES;
use self::transactions::TRANSACTIONS;

pub use self::check::Check;

/// Invariants of the tables that every database has.
pub const EVERYWHERE: &[Check] = &[
    wallet(
        "Q3",
        "no event waits for more than a minute",
        "SELECT format('outbox %s %s since %s', id, key, created_at) FROM outbox
         WHERE published_at IS NULL AND created_at < clock_timestamp() - interval '60 seconds' ORDER BY id",
    ),
    wallet("Q6", "no event is a dead letter", "SELECT format('%s %s: %s', event_id, key, cause) FROM dead_letters"),
    wallet(
        "L9",
        "every claimed key has its answer",
        "SELECT format('key %s of %s on %s', key, user_id, route) FROM idempotency_keys WHERE outcome IS NULL",
    ),
    wallet(
        "D-O4",
        "every proposal was confirmed by another person than its proposer",
        "SELECT format('proposal %s by %s', id, proposed_by) FROM proposals
         WHERE status = 'confirmed' AND decided_by IS NOT DISTINCT FROM proposed_by",
    ),
    wallet(
        "D-O3",
        "the trail of staff can only grow",
        "SELECT 'trigger ' || name FROM unnest(ARRAY['audit_rows_append_only', 'audit_rows_not_truncated']) AS name
         WHERE NOT EXISTS (SELECT FROM pg_trigger WHERE tgname = name AND tgrelid = to_regclass('audit_rows') AND tgenabled <> 'D')",
    ),
];

/// Invariants of the tables of a single service.
pub fn checks() -> impl Iterator<Item = &'static Check> {
    [LEDGER, TRANSACTIONS, TRADES, ACCOUNTS, LIABILITIES, PAYMENT_METHODS, MAILS].into_iter().flatten()
}
