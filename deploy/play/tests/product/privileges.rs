//! The privileges of each service's role, tested statement by statement, the writes that are refused despite them, and the
//! indexes that statements need.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "in a test, a panic and what is printed are the report")]

mod authority;
mod downloads;
mod plans;
mod readers;

use std::fmt::Write as _;
use std::path::Path;

use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Connection, PgPool};
use stack::Service;

/// The services as schema, which is also the role, and folder of the migrations.
fn services() -> impl Iterator<Item = (&'static str, &'static str)> {
    Service::services().filter_map(|service| Some((service.database()?, service.name())))
}

/// Where money or authority is decided: all that the role may do there beside reading.
const PROTECTED: &[(&str, &str, &str)] = &[
    ("wallet", "accounts", ""),
    ("wallet", "member_buckets", ""),
    ("wallet", "open_buckets", ""),
    ("wallet", "cash_transfers", "INSERT"),
    ("wallet", "postings", ""),
    ("wallet", "entries", ""),
    ("wallet", "posting_kinds", ""),
    ("wallet", "trade_fundings", ""),
    ("wallet", "transactions", "INSERT UPDATE"),
    ("wallet", "consumed_payments", "INSERT UPDATE(freed_at,told_at)"),
    // The bridge is counted by triggers alone.
    ("wallet", "consumed_totals", ""),
    ("wallet", "bridge_faults", "INSERT UPDATE(consumed_units,known_units,verified_at)"),
    ("payment_method", "consumed_totals", ""),
    ("payment_method", "treasury_addresses", "INSERT"),
    ("payment_method", "address_proofs", "INSERT"),
    // Those of wallets that were closed a month ago are forgotten, and disowned ones are kept by a trigger.
    ("wallet", "destinations", "INSERT DELETE"),
    ("wallet", "disowned_destinations", "DELETE"),
    ("wallet", "holds", "INSERT UPDATE(status,released_by,released_at)"),
    ("wallet", "closed_wallets", "INSERT"),
    ("wallet", "withdrawal_pauses", "INSERT UPDATE"),
    ("wallet", "proposals", "INSERT UPDATE"),
    // Publications are made by functions alone; gains are what trade reports.
    ("wallet", "liability_publications", ""),
    ("wallet", "liability_counts", ""),
    ("wallet", "liability_leaves", ""),
    ("wallet", "liability_nodes", ""),
    ("wallet", "liability_gains", ""),
    ("wallet", "open_gains", "INSERT UPDATE(plan_id,gain_cents,value_at)"),
    ("wallet", "audit_rows", "INSERT"),
    ("trade", "trades", "INSERT UPDATE"),
    // What each may be is what two people proposed and confirmed: see NOT_ALONE.
    ("trade", "plans", "INSERT UPDATE"),
    ("trade", "plan_values", "INSERT"),
    ("trade", "risk_answers", "INSERT"),
    ("trade", "proposals", "INSERT UPDATE"),
    ("trade", "audit_rows", "INSERT"),
    ("course", "versions", "INSERT"),
    ("course", "modules", "INSERT"),
    ("course", "lessons", "INSERT"),
    ("course", "publications", "INSERT"),
    ("course", "drafts", "INSERT UPDATE"),
    // Those of members are forgotten after they closed their account.
    ("course", "certificates", "INSERT DELETE"),
    ("course", "lesson_attachments", "INSERT"),
    ("course", "media", "INSERT UPDATE DELETE"),
    ("course", "audit_rows", "INSERT"),
    // Those of members are forgotten after they closed their account; complaints are kept by triggers.
    (
        "cases",
        "cases",
        "INSERT UPDATE(state,owner_id,assigned_by,answer_due_at,first_answered_at,complaint_at,complaint_due_at,closed_at,closed_by,messages,updated_at) DELETE",
    ),
    ("cases", "case_files", "INSERT DELETE"),
    ("cases", "case_messages", "INSERT DELETE"),
    ("cases", "audit_rows", "INSERT"),
    // Those of members are forgotten after they closed their account.
    ("payment_method", "methods", "INSERT UPDATE DELETE"),
    ("payment_method", "method_versions", "INSERT DELETE"),
    ("payment_method", "assets", ""),
    // Those of sources are forgotten after a month; a published one is what two people confirmed.
    ("payment_method", "rate_points", "INSERT DELETE"),
    // Those that expired long ago are forgotten.
    ("payment_method", "quotes", "INSERT DELETE"),
    // Indexes are taken one by one, and what is derived stays: triggers.
    ("payment_method", "deposit_keys", "INSERT UPDATE(next_index)"),
    ("payment_method", "deposit_addresses", "INSERT UPDATE(is_current,paid_at,read_at)"),
    ("payment_method", "proposals", "INSERT UPDATE"),
    ("payment_method", "audit_rows", "INSERT"),
    ("auth", "proposals", "INSERT UPDATE"),
    ("auth", "audit_rows", "INSERT"),
    // Those of accounts that were closed a month ago are forgotten.
    ("auth", "member_notes", "INSERT DELETE"),
    ("auth", "erased_members", "INSERT"),
    ("auth", "payout_safeguards", "INSERT UPDATE"),
    // Old ones are forgotten; what happened lately cannot be rewritten.
    ("auth", "security_events", "INSERT DELETE"),
    // What it may be is what two people proposed and confirmed: see NOT_ALONE.
    ("mailer", "announcements", "INSERT UPDATE(ends_at)"),
    ("mailer", "proposals", "INSERT UPDATE"),
    ("mailer", "audit_rows", "INSERT"),
];

/// What no role of these does with a proposal, each in a transaction of its own.
const UNRECORDED: &[(&str, &str)] = &[
    (
        "a decision without a row of the audit log",
        "UPDATE proposals SET status = 'confirmed', decided_by = 'a0000000-0000-0000-0000-000000000002', decided_at = clock_timestamp()
         WHERE kind = 'test'",
    ),
    (
        "a decision in the past, where there is a row",
        "UPDATE proposals SET status = 'confirmed', decided_by = 'a0000000-0000-0000-0000-000000000003',
            decided_at = now() - interval '1 hour' WHERE kind = 'test'",
    ),
    (
        "a decision with an audit log of its own",
        "CREATE TEMP TABLE audit_rows AS SELECT 1::bigint AS id, 'a0000000-0000-0000-0000-000000000002'::uuid AS actor_id,
            now() + interval '1 hour' AS at;
         UPDATE proposals SET status = 'rejected', decided_by = 'a0000000-0000-0000-0000-000000000002', decided_at = clock_timestamp()
         WHERE kind = 'test'",
    ),
];

/// The databases of all services as schemas of one, owned by the administrator, with the rights that a provisioned one has.
async fn provision(admin: &mut PgConnection) {
    for (role, folder) in services() {
        run(
            admin,
            &format!(
                "DO $$ BEGIN CREATE ROLE {role} LOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
                 CREATE SCHEMA {role}; GRANT USAGE ON SCHEMA {role} TO {role};
                 ALTER DEFAULT PRIVILEGES IN SCHEMA {role} GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {role};
                 ALTER DEFAULT PRIVILEGES IN SCHEMA {role} GRANT USAGE, SELECT ON SEQUENCES TO {role};
                 ALTER DEFAULT PRIVILEGES IN SCHEMA {role} GRANT EXECUTE ON FUNCTIONS TO {role};
                 SET search_path = {role}"
            ),
        )
        .await
        .unwrap();
        for part in ["chassis/migrations", &format!("{folder}/migrations"), &format!("{folder}/sql")] {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../services").join(part);
            let Ok(files) = std::fs::read_dir(folder) else { continue };
            let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
            files.sort();
            for file in files {
                run(admin, &std::fs::read_to_string(file).unwrap()).await.unwrap();
            }
        }
    }
}

async fn run(conn: &mut PgConnection, sql: &str) -> Result<(), sqlx::Error> {
    sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(conn).await.map(drop)
}

/// Whether the role of this connection may do this; nothing is changed by it.
async fn may(conn: &mut PgConnection, sql: &str) -> bool {
    let tried = run(conn, &format!("BEGIN; {sql}; ROLLBACK")).await;
    let code = tried.as_ref().err().and_then(|error| error.as_database_error()?.code().map(Into::<String>::into));
    if tried.is_err() {
        run(conn, "ROLLBACK").await.unwrap();
    }
    code.as_deref() != Some("42501")
}

/// What the role may do with a table, e.g. `INSERT UPDATE(kind)`.
async fn rights(conn: &mut PgConnection, table: &str, columns: &[String]) -> String {
    let mut rights = Vec::new();
    for verb in ["INSERT", "UPDATE"] {
        let mut allowed = Vec::new();
        for column in columns {
            let sql = match verb {
                "INSERT" => format!(
                    "INSERT INTO {table} ({column}) OVERRIDING SYSTEM VALUE SELECT {column} FROM {table} WHERE false"
                ),
                _ => format!("UPDATE {table} SET {column} = DEFAULT WHERE false"),
            };
            if may(conn, &sql).await {
                allowed.push(column.as_str());
            }
        }
        if allowed.len() == columns.len() {
            rights.push(verb.to_owned());
        } else if !allowed.is_empty() {
            rights.push(format!("{verb}({})", allowed.join(",")));
        }
    }
    for (verb, sql) in
        [("DELETE", format!("DELETE FROM {table} WHERE false")), ("TRUNCATE", format!("TRUNCATE {table}"))]
    {
        if may(conn, &sql).await {
            rights.push(verb.to_owned());
        }
    }
    rights.join(" ")
}

/// [D-B2] [L5] [D-O3] Every privilege of every service's role on every table is tried; where money or authority is decided
/// each has only what is listed. Read the table with `--nocapture`.
#[sqlx::test(migrations = false)]
async fn each_role_may_write_what_it_must_and_no_more(pool: PgPool) {
    let mut conn = PgConnection::connect_with(&pool.connect_options()).await.unwrap();
    provision(&mut conn).await;
    let (mut table, mut wrong) = (String::new(), Vec::new());
    for (role, _) in services() {
        let columns: Vec<(String, Vec<String>)> = sqlx::query_as(
            "SELECT table_name::text, array_agg(column_name::text ORDER BY ordinal_position) FROM information_schema.columns
             JOIN information_schema.tables USING (table_schema, table_name)
             WHERE table_schema = $1 AND table_type = 'BASE TABLE' GROUP BY 1 ORDER BY 1",
        )
        .bind(role)
        .fetch_all(&mut conn)
        .await
        .unwrap();
        run(&mut conn, &format!("SET search_path = {role}; SET ROLE {role}")).await.unwrap();
        for (name, columns) in &columns {
            let found = rights(&mut conn, name, columns).await;
            writeln!(table, "{role:15} {name:22} {found}").unwrap();
            let protected = PROTECTED.iter().find(|(of, table, _)| *of == role && table == name);
            if protected.is_some_and(|(_, _, expected)| found != *expected) {
                wrong.push(format!("{role} {name}: {found}"));
            }
        }
        run(&mut conn, "RESET ROLE").await.unwrap();
        for (_, name, _) in PROTECTED.iter().filter(|(of, ..)| *of == role) {
            assert!(columns.iter().any(|(table, _)| table == name), "{role} has no {name}");
        }
    }
    println!("{table}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
