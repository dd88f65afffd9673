//! Plans of the statements of every service.

use std::path::Path;

use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Connection, PgPool};

use crate::privileges::{provision, run, services};

/// Tables that a statement may read as a whole: with this in its text, and why.
const READ_AS_A_WHOLE: &[(&str, &str, &str)] = &[
    ("erasures", "", "one row"),
    ("ledger_checks", "", "one row"),
    ("drafts", "", "one row"),
    ("rate_polls", "", "one row"),
    ("plans", "", "few, by staff"),
    ("open_buckets", "", "one row"),
    ("plan_values", "gains_at", "one row for each plan"),
    ("claims", "DELETE FROM claims", "rows of an hour"),
    ("consumed_totals", "", "two rows for each asset"),
    ("treasury_addresses", "", "all are watched, as those of methods are"),
    ("address_proofs", "", "one a year for each address of the platform"),
    ("proposals", "", "few, by staff"),
    ("media", "", "few, by staff"),
    ("announcements", "", "few, by staff"),
    ("dead_letters", "", "until staff replay or remove the event"),
    ("liability_publications", "", "one a day"),
    ("mail_requests", "DELETE FROM mail_requests", "rows of an hour"),
    ("codes", "DELETE FROM codes", "rows of a week, once an hour"),
    ("reset_tokens", "DELETE FROM reset_tokens", "rows of a week, once an hour"),
    ("security_links", "DELETE FROM security_links", "rows of a week, when a closed account is erased"),
    ("accounts", "holdings!: Cents", "the sums of the books, which no request of a member asks for"),
];

/// [D-H5] [A16] An index can serve every statement of every service, the sweeps of old rows included: no plan reads a table
/// that grows when sequential scans are discouraged.
#[sqlx::test(migrations = false)]
async fn every_statement_of_every_service_has_an_index(pool: PgPool) {
    let mut conn = PgConnection::connect_with(&pool.connect_options()).await.unwrap();
    provision(&mut conn).await;
    run(&mut conn, "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off").await.unwrap();
    let (mut unserved, mut seen) = (Vec::new(), 0);
    for (schema, folder) in services() {
        run(&mut conn, &format!("SET search_path = {schema}")).await.unwrap();
        for (query, arguments) in ["chassis", folder].into_iter().flat_map(statements) {
            if !["SELECT", "INSERT", "UPDATE", "DELETE", "WITH"].iter().any(|verb| query.starts_with(verb)) {
                continue;
            }
            run(&mut conn, &format!("PREPARE one AS {query}")).await.unwrap();
            let nulls = vec!["NULL"; arguments].join(", ");
            let call = if arguments == 0 { "one".to_owned() } else { format!("one({nulls})") };
            let explain = AssertSqlSafe(format!("EXPLAIN EXECUTE {call}"));
            let plan: Vec<String> = sqlx::query_scalar(explain).fetch_all(&mut conn).await.unwrap();
            run(&mut conn, "DEALLOCATE one").await.unwrap();
            seen += 1;
            let tables = plan.iter().filter_map(|line| line.split_once("Seq Scan on ")?.1.split(' ').next());
            for table in tables {
                if !READ_AS_A_WHOLE.iter().any(|(name, part, _)| *name == table && query.contains(part)) {
                    unserved.push(format!("{schema}.{table}: {query}"));
                }
            }
        }
    }
    assert!(seen > 400, "{seen}");
    assert!(unserved.is_empty(), "{unserved:#?}");
}

/// The statements of a crate as the compiler checked them, and how many arguments each takes.
fn statements(folder: &str) -> Vec<(String, usize)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../services").join(folder).join(".sqlx");
    let files = std::fs::read_dir(folder).unwrap().map(|file| std::fs::read(file.unwrap().path()).unwrap());
    let statement = |bytes: Vec<u8>| {
        let known: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        let arguments = known["describe"]["parameters"]["Left"].as_array().map_or(0, Vec::len);
        (known["query"].as_str().unwrap().to_owned(), arguments)
    };
    files.map(statement).collect()
}
