//! What each service's own role may write, tried statement by statement, and what it cannot do even where it may write.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "in a test, a panic and what is printed are the report")]

use std::fmt::Write as _;
use std::path::Path;

use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Connection, PgPool};

/// The services' roles, which are also the schemas here, each with the folder of its migrations.
const SERVICES: [(&str, &str); 5] = [
    ("auth", "auth"),
    ("wallet", "wallet"),
    ("trade", "trade"),
    ("payment_method", "payment-method"),
    ("mailer", "mailer"),
];

/// Where money or authority is decided: all that the role may do there beside reading.
const PROTECTED: &[(&str, &str, &str)] = &[
    // The columns for the version before can be changed by no update, and make nothing but an empty account.
    ("wallet", "accounts", "INSERT(kind,user_id) UPDATE(kind)"),
    ("wallet", "postings", ""),
    ("wallet", "entries", ""),
    ("wallet", "posting_kinds", ""),
    ("wallet", "trade_fundings", "INSERT UPDATE(trade_id)"),
    ("wallet", "transactions", "INSERT UPDATE"),
    ("wallet", "withdrawal_stops", "INSERT UPDATE"),
    ("wallet", "proposals", "INSERT UPDATE"),
    ("wallet", "audit_rows", "INSERT"),
    ("trade", "trades", "INSERT UPDATE"),
    ("trade", "plan_values", "INSERT"),
    ("trade", "proposals", "INSERT UPDATE"),
    ("trade", "audit_rows", "INSERT"),
    ("payment_method", "methods", "INSERT UPDATE"),
    ("payment_method", "method_versions", "INSERT"),
    ("payment_method", "proposals", "INSERT UPDATE"),
    ("payment_method", "audit_rows", "INSERT"),
    ("auth", "proposals", "INSERT UPDATE"),
    ("auth", "audit_rows", "INSERT"),
    ("auth", "member_notes", "INSERT"),
    ("mailer", "audit_rows", "INSERT"),
];

/// What the wallet's role tries although it may call the function, or write the table. The last word of each error.
const REFUSED: &[(&str, &str, &str)] = &[
    ("minting by a correction that nobody confirmed", MINT, "postings_cause"),
    (
        "minting with tables of its own in the function's way",
        "CREATE TEMP TABLE proposals AS SELECT 'f0000000-0000-0000-0000-000000000001'::uuid AS id, 'confirmed' AS status;",
        "",
    ),
    ("minting then", MINT, "postings_cause"),
    ("its own tables again", "DROP TABLE pg_temp.proposals", ""),
    (
        "a balance of its own choice",
        "UPDATE accounts SET balance_cents = 100 WHERE kind = 'available'",
        "permission denied for table accounts",
    ),
    (
        "an account that becomes another",
        "UPDATE accounts SET kind = 'bonus' WHERE kind = 'available'",
        "accounts_stay",
    ),
    (
        "an account with money",
        "INSERT INTO accounts (kind, user_id, balance_cents) VALUES ('available', gen_random_uuid(), 1)",
        "permission denied for table accounts",
    ),
    (
        "a proposal confirmed by invented people",
        "INSERT INTO proposals (id, kind, change, status, proposed_by, decided_by, decided_at)
         VALUES (gen_random_uuid(), 'bonus', '{}', 'confirmed', gen_random_uuid(), gen_random_uuid(), now())",
        "proposals_decided_once",
    ),
    (
        "another amount in a proposal",
        "INSERT INTO proposals (id, kind, change, proposed_by) VALUES (gen_random_uuid(), 'bonus', '{}', gen_random_uuid());
         UPDATE proposals SET change = '{\"amount_cents\": 5}'",
        "proposals_decided_once",
    ),
    (
        "a trade that was never paid for",
        "INSERT INTO trade_fundings (trade_id, user_id, amount_cents, status, created_at)
         VALUES (gen_random_uuid(), gen_random_uuid(), 1, 'funded', now())",
        "trade_fundings_by_the_ledger",
    ),
    (
        "withdrawals opened by invented people",
        "INSERT INTO withdrawal_stops (reason) VALUES ('test');
         UPDATE withdrawal_stops SET reopened_at = now(), reopened_by = gen_random_uuid(), reopening_proposed_by = gen_random_uuid()",
        "withdrawal_stops_as_proposed",
    ),
];

const MINT: &str = "SELECT open_accounts('b0000000-0000-0000-0000-000000000001');
    SELECT post_movements(true, 1, ARRAY[4000000000000000006],
        ARRAY[ROW ('b0000000-0000-0000-0000-000000000001', 'available')::ledger_account], '{}', '{}',
        ARRAY[ROW (1, 'adjustment_credit', 'proposal', 'f0000000-0000-0000-0000-000000000001',
            'b0000000-0000-0000-0000-000000000001', NULL)::ledger_posting],
        ARRAY[ROW (1, 1, -100000000)::ledger_entry, ROW (1, 2, 100000000)::ledger_entry], '{}', '{}')";

/// The databases of all services as schemas of one, owned by the administrator, with the rights that a provisioned one has.
async fn provision(admin: &mut PgConnection) {
    for (role, folder) in SERVICES {
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
    for (role, _) in SERVICES {
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

/// [A2] [D-B1] [D-B2] With full use of the wallet's role: no money is made, no decision invented, no stop lifted.
#[sqlx::test(migrations = false)]
async fn the_wallets_role_can_make_no_money(pool: PgPool) {
    let mut conn = PgConnection::connect_with(&pool.connect_options()).await.unwrap();
    provision(&mut conn).await;
    run(&mut conn, "SET search_path = wallet; SELECT open_accounts(gen_random_uuid()); SET ROLE wallet").await.unwrap();
    for (what, sql, expected) in REFUSED {
        match (run(&mut conn, sql).await, *expected) {
            (Ok(()), "") => {}
            (Ok(()), _) => panic!("{what}: it went through"),
            (Err(no), expected) => {
                let no = no.as_database_error().unwrap();
                let is_expected =
                    !expected.is_empty() && (no.constraint() == Some(expected) || no.message() == expected);
                assert!(is_expected, "{what}: {no}");
            }
        }
    }
    run(&mut conn, "RESET ROLE").await.unwrap();
    let moved: i64 = sqlx::query_scalar("SELECT count(*) FROM wallet.entries").fetch_one(&mut conn).await.unwrap();
    assert_eq!(moved, 0);
}
