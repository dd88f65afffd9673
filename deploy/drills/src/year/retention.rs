//! How long each table keeps its rows: every table of every service is listed, so that a new one without a decision is
//! found. [D-H5]

use anyhow::{Result, bail, ensure};
use sqlx::{AssertSqlSafe, Connection, PgConnection};

use stack::Service;
use stack::Stack;

/// For tests, auth removes the personal data of closed accounts after this many days instead of five years.
pub(super) const PERSONAL_DATA_DAYS: u16 = 45;
/// For tests, wallet forgets receipts after this many days instead of five years.
pub(super) const RECEIPT_DAYS: u16 = 60;

/// What becomes of the rows of a table.
enum Kept {
    /// They stay, and why, or which bound they have.
    For(#[expect(dead_code, reason = "for the reader of the list")] &'static str),
    /// A row leaves when this moment of it (an SQL expression, null for a row that stays) is so long ago.
    Since(&'static str, &'static str),
    /// No row matches this condition, and why.
    Never(&'static str, &'static str),
}

use Kept::{For, Never, Since};

const BOOKS: Kept = For("the books are kept");
const CONTENT: Kept = For("content of the platform, changed by staff");
const CASES: Kept = For("until the personal data of the account is removed; complaints are kept");
const ACCOUNT: Kept = For("a bounded number for each account, removed with it");

/// The tables of every database.
const SHARED: [(&str, Kept); 9] = [
    ("_chassis_migrations", For("the schema")),
    ("_sqlx_migrations", For("the schema")),
    ("audit_rows", For("the audit log is kept")),
    ("dead_letters", For("until a member of staff replays or removes the event")),
    ("erasures", For("one row: how far personal data has been removed")),
    ("idempotency_keys", Since("25 hours", "created_at")),
    ("inbox", Since("90 days", "handled_at")),
    ("outbox", Since("7 days", "published_at")),
    ("proposals", For("decisions of staff are kept")),
];

const TABLES: [(Service, &str, Kept); 99] = [
    (Service::Auth, "account_closures", Since("1 hour", "due_at")),
    (Service::Auth, "authenticators", ACCOUNT),
    (Service::Auth, "codes", Since("7 days", "expires_at")),
    (Service::Auth, "decision_signatures", Since("1 hour", "created_at")),
    (Service::Auth, "destination_codes", Since("7 days", "expires_at")),
    (Service::Auth, "erased_members", For("ids of erased members, for the other services")),
    (Service::Auth, "factor_resets", Since("1 hour", "due_at")),
    (Service::Auth, "known_devices", ACCOUNT),
    (Service::Auth, "known_keys", ACCOUNT),
    (Service::Auth, "login_throttles", Since("1 day", "last_try_at")),
    (Service::Auth, "mail_requests", Since("1 hour", "requested_at")),
    (Service::Auth, "member_notes", For("until the personal data of the account is removed")),
    (Service::Auth, "passkeys", ACCOUNT),
    (Service::Auth, "payout_safeguards", ACCOUNT),
    (Service::Auth, "recovery_codes", ACCOUNT),
    (Service::Auth, "reset_tokens", Since("7 days", "expires_at")),
    (Service::Auth, "security_events", Since("396 days", "at")),
    (Service::Auth, "security_links", Since("7 days", "expires_at")),
    (Service::Auth, "sessions", Since("30 days", "expires_at")),
    (Service::Auth, "used_challenges", Since("1 hour", "used_at")),
    // PERSONAL_DATA_DAYS.
    (Service::Auth, "users", Since("45 days", "CASE WHEN erased_at IS NULL THEN closed_at END")),
    (Service::Wallet, "bridge_faults", BOOKS),
    (Service::Wallet, "consumed_payments", BOOKS),
    (Service::Wallet, "consumed_totals", BOOKS),
    (Service::Wallet, "account_checkpoints", BOOKS),
    (Service::Wallet, "account_rebuilds", BOOKS),
    (Service::Wallet, "accounts", BOOKS),
    (Service::Wallet, "closed_wallets", BOOKS),
    (Service::Wallet, "cash_transfers", BOOKS),
    (Service::Wallet, "claims", For("unlogged; swept whenever staff claim a transaction")),
    (Service::Wallet, "destinations", For("until the personal data of the account is removed")),
    (Service::Wallet, "disowned_destinations", For("until the personal data of the account is removed")),
    (Service::Wallet, "entries", BOOKS),
    (Service::Wallet, "holds", BOOKS),
    (Service::Wallet, "ledger_checks", For("one row: the last check")),
    (Service::Wallet, "ledger_faults", BOOKS),
    (Service::Wallet, "liability_counts", For("one row for each publication and bucket")),
    (Service::Wallet, "liability_gains", Never(OLD_PUBLICATION, "only the two newest publications keep their tree")),
    (Service::Wallet, "liability_leaves", Never(OLD_PUBLICATION, "only the two newest publications keep their tree")),
    (Service::Wallet, "liability_nodes", Never(OLD_PUBLICATION, "only the two newest publications keep their tree")),
    (Service::Wallet, "liability_publications", For("one root a day, which members can compare")),
    (Service::Wallet, "member_buckets", BOOKS),
    (Service::Wallet, "open_buckets", For("one row: how many take new members")),
    (Service::Wallet, "open_gains", For("until the night after the trade ends")),
    (Service::Wallet, "plan_values", For("one row for each plan")),
    (Service::Wallet, "posting_kinds", For("the schema")),
    (Service::Wallet, "postings", BOOKS),
    // RECEIPT_DAYS.
    (Service::Wallet, "receipts", Since("60 days", RECEIPT)),
    (Service::Wallet, "trade_fundings", BOOKS),
    (Service::Wallet, "transactions", BOOKS),
    (Service::Wallet, "viewings", For("unlogged; swept whenever staff open a transaction")),
    (Service::Wallet, "withdrawal_pauses", For("decisions of staff are kept")),
    (Service::Trade, "plan_values", BOOKS),
    (Service::Trade, "plans", CONTENT),
    (Service::Trade, "risk_answers", For("that a member has read the page about risk is kept")),
    (Service::Trade, "trades", BOOKS),
    (Service::Course, "captions", CONTENT),
    (Service::Course, "certificates", For("until the personal data of the account is removed")),
    (Service::Course, "drafts", CONTENT),
    (Service::Course, "lesson_attachments", CONTENT),
    (Service::Course, "lessons", CONTENT),
    (Service::Course, "media", Since("2 days", "CASE WHEN state IN ('uploading', 'removed') THEN changed_at END")),
    (Service::Course, "media_chunks", For("with their file; those of a source for 14 days")),
    (Service::Course, "modules", CONTENT),
    (
        Service::Course,
        "notes",
        For("a bounded number for each lesson, until the personal data of the account is removed"),
    ),
    (Service::Course, "progress", For("until the personal data of the account is removed")),
    (Service::Course, "publications", CONTENT),
    (Service::Course, "streams", Since("1 hour", "seen_at")),
    (Service::Course, "versions", CONTENT),
    (Service::Cases, "case_messages", CASES),
    (Service::Cases, "cases", CASES),
    (Service::Cases, "case_files", CASES),
    (Service::PaymentMethod, "assets", CONTENT),
    (Service::PaymentMethod, "chain_cursors", For("one row for each chain")),
    (Service::PaymentMethod, "chain_payments", BOOKS),
    (Service::PaymentMethod, "consumed_totals", BOOKS),
    (Service::PaymentMethod, "treasury_addresses", BOOKS),
    (Service::PaymentMethod, "deposit_addresses", For("an address can be paid to for ever")),
    (Service::PaymentMethod, "deposit_keys", For("one row for each key of a method")),
    (Service::PaymentMethod, "holdings", For("one row for each address and asset")),
    (Service::PaymentMethod, "method_signatures", CONTENT),
    (Service::PaymentMethod, "address_proofs", CONTENT),
    (
        Service::PaymentMethod,
        "method_versions",
        For("where money was sent is kept; personal ones until the account is removed"),
    ),
    (
        Service::PaymentMethod,
        "methods",
        For("where money was sent is kept; personal ones until the account is removed"),
    ),
    (Service::PaymentMethod, "quotes", Since("400 days", "expires_at")),
    (Service::PaymentMethod, "rate_points", Since("31 days", "CASE WHEN proposal_id IS NULL THEN read_at END")),
    (Service::PaymentMethod, "rate_polls", For("one row: the last poll")),
    (Service::PaymentMethod, "signed_payouts", Since("31 days", "kept_at")),
    (Service::Mailer, "announcements", CONTENT),
    (Service::Mailer, "mails", Since("90 days", "coalesce(ended_at, created_at)")),
    (Service::Mailer, "notice_preferences", For("one row for each account, removed when it is closed")),
    (Service::Mailer, "notices", Since("180 days", "created_at")),
    (Service::Mailer, "push_subscriptions", Since("30 days", "renewed_at")),
    (Service::Mailer, "pushes", Since("2 days", "created_at")),
    // What is kept about members leaves with the personal data of their account.
    (Service::Auth, "security_events", Never(ERASED, "of a member whose personal data is removed")),
    (Service::Auth, "sessions", Never(ERASED, "of a member whose personal data is removed")),
    (Service::Auth, "member_notes", Never(ERASED, "of a member whose personal data is removed")),
    (Service::Auth, "security_links", Never(ERASED, "of a member whose personal data is removed")),
    (Service::Auth, "codes", Never(ERASED, "of a member whose personal data is removed")),
];

const OLD_PUBLICATION: &str = "publication_id < (SELECT id FROM liability_publications
    WHERE published_at IS NOT NULL ORDER BY at DESC OFFSET 1 LIMIT 1)";
const ERASED: &str = "user_id IN (SELECT user_id FROM erased_members)";
/// A receipt of an open payment stays.
const RECEIPT: &str = "CASE WHEN NOT EXISTS (SELECT FROM transactions
    WHERE id = transaction_id AND status = 'pending') THEN reserved_at END";

/// The first table with rows beyond their retention: its name, the oldest row, and the retention.
///
/// # Errors
/// Also when a table is not listed, or a listed one does not exist.
pub(super) async fn check(stack: &Stack) -> Result<()> {
    for service in Service::services() {
        let mut database = audit::connect(&stack.databases().owner_url(service)?).await?;
        let names: Vec<String> = sqlx::query_scalar(
            "SELECT table_name::text FROM information_schema.tables
             WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1",
        )
        .fetch_all(&mut database)
        .await?;
        let own = TABLES.iter().filter(|(of, ..)| *of == service).map(|(_, table, kept)| (*table, kept));
        let listed: Vec<_> = SHARED.iter().map(|(table, kept)| (*table, kept)).chain(own).collect();
        for name in &names {
            let is_listed = listed.iter().any(|(table, _)| table == name);
            ensure!(is_listed, "{}.{name} has no retention: list it in year/retention.rs", service.name());
        }
        for (table, kept) in listed {
            ensure!(names.iter().any(|name| name == table), "{}.{table} does not exist", service.name());
            check_table(&mut database, service, table, kept).await?;
        }
    }
    Ok(())
}

/// A row that should be gone is found, and named with its table.
pub(super) async fn finds_an_old_row(stack: &Stack) -> Result<()> {
    let mut auth = PgConnection::connect(&stack.databases().owner_url(Service::Auth)?).await?;
    sqlx::raw_sql("INSERT INTO used_challenges VALUES (gen_random_uuid(), clock_timestamp() - interval '2 hours')")
        .execute(&mut auth)
        .await?;
    let found = check(stack).await.err().map(|error| error.to_string()).unwrap_or_default();
    ensure!(
        found.starts_with("auth.used_challenges keeps 1 rows beyond 1 hour"),
        "an old row was not found: {found:?}"
    );
    sqlx::raw_sql("DELETE FROM used_challenges").execute(&mut auth).await?;
    Ok(())
}

async fn check_table(database: &mut PgConnection, service: Service, table: &str, kept: &Kept) -> Result<()> {
    let name = format!("{}.{table}", service.name());
    match kept {
        For(_) => {}
        Since(limit, moment) => {
            let statement = format!(
                "SELECT count(*), min(moment)::text FROM (SELECT {moment} AS moment FROM {table}) AS kept
                 WHERE moment < clock_timestamp() - interval '{limit}'"
            );
            let (rows, oldest): (i64, Option<String>) =
                sqlx::query_as(AssertSqlSafe(statement)).fetch_one(database).await?;
            if let Some(oldest) = oldest {
                bail!("{name} keeps {rows} rows beyond {limit}; the oldest is of {oldest}");
            }
        }
        Never(condition, why) => {
            let statement = format!("SELECT count(*) FROM {table} WHERE {condition}");
            let rows: i64 = sqlx::query_scalar(AssertSqlSafe(statement)).fetch_one(database).await?;
            ensure!(rows == 0, "{name} keeps {rows} rows that should be gone: {why}");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortened_retentions_are_those_that_services_get() {
        let has = |limit: &str| TABLES.iter().any(|(.., kept)| matches!(kept, Since(of, _) if *of == limit));
        assert!(has(&format!("{PERSONAL_DATA_DAYS} days")) && has(&format!("{RECEIPT_DAYS} days")));
    }
}
