//! What a download has of a member.

use sqlx::postgres::PgConnection;
use sqlx::{Connection, PgPool};

use crate::privileges::{provision, services};

/// Tables with a member's id that the member's download leaves out, and why.
const NOT_DOWNLOADED: &[(&str, &str)] = &[
    ("audit_rows", "records of what staff did"),
    ("idempotency_keys", "answers that the member has had"),
    ("auth.account_closures", "a request that lives for seconds"),
    ("auth.erased_members", "the members without data"),
    ("erasures", "the last of the members without data"),
    ("auth.codes", "hashes that live for minutes"),
    ("auth.destination_codes", "hashes that live for minutes"),
    ("auth.factor_resets", "a time that the account page shows"),
    ("auth.mail_requests", "counters of requests"),
    ("auth.member_notes", "notes of staff, given on request"),
    ("auth.payout_safeguards", "times that the activity has, too"),
    ("auth.recovery_codes", "hashes"),
    ("auth.reset_tokens", "hashes that live for minutes"),
    ("auth.security_links", "hashes that live for days"),
    ("course.streams", "rows that live for a minute"),
    ("wallet.closed_wallets", "the account, which is closed, has the time"),
    ("wallet.entries", "the statements have them"),
    ("wallet.liability_leaves", "balances that the statements have, too"),
    ("wallet.member_buckets", "a number that says nothing of the member"),
    ("wallet.postings", "the statements have them"),
    ("wallet.receipts", "the download has the files themselves"),
    ("wallet.trade_fundings", "the trades have them"),
];

/// [D-A12] A member's download has every table with a member's id, or leaves it out for a reason given here.
#[sqlx::test(migrations = false)]
async fn every_table_about_members_is_downloaded_or_named(pool: PgPool) {
    let mut conn = PgConnection::connect_with(&pool.connect_options()).await.unwrap();
    provision(&mut conn).await;
    let tables: Vec<(String, String)> = sqlx::query_as(
        "SELECT DISTINCT table_schema::text, table_name::text FROM information_schema.columns
         JOIN information_schema.tables USING (table_schema, table_name)
         WHERE column_name IN ('user_id', 'member_id') AND table_schema = ANY ($1) AND table_type = 'BASE TABLE'
         ORDER BY 1, 2",
    )
    .bind(services().map(|(schema, _)| schema).collect::<Vec<_>>())
    .fetch_all(&mut conn)
    .await
    .unwrap();
    let folder = |schema: &str| schema.replace('_', "-");
    for (schema, table) in tables {
        let path =
            format!("{}/../../services/{}/src/store/member_data.rs", env!("CARGO_MANIFEST_DIR"), folder(&schema));
        // A service that knows nothing of members has none.
        let source = std::fs::read_to_string(path).unwrap_or_default();
        let is_downloaded = source.contains(&format!("FROM {table} "));
        let full = format!("{schema}.{table}");
        let is_named = NOT_DOWNLOADED.iter().any(|(name, _)| *name == table || *name == full);
        assert!(is_downloaded != is_named, "{full}");
    }
}
