//! The privileges of each service's role, tested statement by statement, the writes that are refused despite them, and the
//! indexes that statements need.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "in a test, a panic and what is printed are the report")]

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
        "INSERT UPDATE(state,owner_id,answer_due_at,first_answered_at,complaint_at,complaint_due_at,closed_at,closed_by,messages,updated_at) DELETE",
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
        "permission denied for table accounts",
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
        "permission denied for table trade_fundings",
    ),
    (
        "a hold of more than there is",
        "INSERT INTO holds (id, user_id, amount_cents, reason_code, placed_by)
         VALUES ('f0000000-0000-0000-0000-000000000002', 'b0000000-0000-0000-0000-000000000001', 5, 'OTHER', gen_random_uuid());
         SELECT open_accounts('b0000000-0000-0000-0000-000000000001'); SELECT open_on_hold('b0000000-0000-0000-0000-000000000001');
         SELECT post_movements(true, 1, ARRAY[4000000000000000006],
            ARRAY[ROW ('b0000000-0000-0000-0000-000000000001', 'on_hold')::ledger_account], '{}', '{}',
            ARRAY[ROW (1, 'hold', 'hold', 'f0000000-0000-0000-0000-000000000002',
                'b0000000-0000-0000-0000-000000000001', NULL)::ledger_posting],
            ARRAY[ROW (1, 1, -5)::ledger_entry, ROW (1, 2, 5)::ledger_entry], '{}', '{}')",
        "postings_accounts",
    ),
    (
        "a hold released by who placed it",
        "INSERT INTO holds (id, user_id, amount_cents, reason_code, placed_by)
         VALUES (gen_random_uuid(), gen_random_uuid(), 5, 'OTHER', 'f0000000-0000-0000-0000-000000000003');
         UPDATE holds SET status = 'released', released_at = now(), released_by = 'f0000000-0000-0000-0000-000000000003'",
        "holds_two_people",
    ),
    (
        "a hold of another amount",
        "UPDATE holds SET amount_cents = 1",
        "permission denied for table holds",
    ),
    (
        "money in what is owed",
        "SELECT open_accounts('b0000000-0000-0000-0000-000000000001');
         SELECT post_movements(true, 1, ARRAY[4000000000000000006],
            ARRAY[ROW ('b0000000-0000-0000-0000-000000000001', 'owed')::ledger_account], '{}', '{}',
            ARRAY[ROW (1, 'reversal', 'proposal', 'f0000000-0000-0000-0000-000000000001',
                'b0000000-0000-0000-0000-000000000001', NULL)::ledger_posting],
            ARRAY[ROW (1, 2, -5)::ledger_entry, ROW (1, 1, 5)::ledger_entry], '{}', '{}')",
        "",
    ),
    (
        "a total of liabilities of its own choice",
        "INSERT INTO liability_publications (at, root, total_cents, leaves, published_at) VALUES (now(), sha256(''), 1, 0, now())",
        "permission denied for table liability_publications",
    ),
    (
        "a member left out of the liabilities",
        "SELECT begin_liabilities(); DELETE FROM liability_leaves",
        "permission denied for table liability_leaves",
    ),
    (
        "withdrawals opened by invented people",
        "INSERT INTO withdrawal_pauses (reason) VALUES ('test');
         UPDATE withdrawal_pauses SET reopened_at = now(), reopened_by = gen_random_uuid(), reopening_proposed_by = gen_random_uuid()",
        "withdrawal_pauses_as_proposed",
    ),
];

/// What no service's role can do by itself although it may write the table: the role, what it tries, and the last word of the
/// error. Plan and platform method `…e1`, and two stops, are there.
const NOT_ALONE: &[(&str, &str, &str, &str)] = &[
    (
        "trade",
        "a value other than the one confirmed",
        "INSERT INTO proposals (id, kind, subject_id, change, proposed_by) VALUES ('f0000000-0000-0000-0000-000000000002', 'plan.value',
            'e0000000-0000-0000-0000-000000000001', '{\"valueMicros\": 1, \"source\": \"x\"}', gen_random_uuid());
         UPDATE proposals SET status = 'confirmed', decided_by = gen_random_uuid(), decided_at = clock_timestamp()
         WHERE id = 'f0000000-0000-0000-0000-000000000002';
         INSERT INTO plan_values VALUES ('e0000000-0000-0000-0000-000000000001', now(), 2, 'x', 'f0000000-0000-0000-0000-000000000002')",
        "plan_values_as_proposed",
    ),
    (
        "mailer",
        "an announcement without a confirmation",
        "INSERT INTO proposals (id, kind, change, proposed_by) VALUES ('f0000000-0000-0000-0000-000000000003',
            'announcement.publish', '{\"text\": \"x\", \"hours\": 1}', gen_random_uuid());
         INSERT INTO announcements VALUES ('f0000000-0000-0000-0000-000000000003', 'x', now(), now() + interval '1 hour')",
        "announcements_as_proposed",
    ),
    ("trade", "other terms of a plan", "UPDATE plans SET roi_basis_points = 1, version = version + 1", "plans_as_proposed"),
    (
        "trade",
        "a plan that nobody proposed",
        "INSERT INTO plans VALUES (gen_random_uuid(), 1, 'x', '', 1, 2, 3, 4, true, now())",
        "plans_as_proposed",
    ),
    (
        "payment_method",
        "another deposit address",
        "INSERT INTO method_versions VALUES ('e0000000-0000-0000-0000-000000000001', 2, 'platform', 'USDT', 'TRC20', 'TATTACKERxx', '', '', '', now());
         UPDATE methods SET version = 2",
        "methods_as_proposed",
    ),
    (
        "payment_method",
        "a deposit address as if it were a member's",
        "INSERT INTO method_versions VALUES ('e0000000-0000-0000-0000-000000000001', 2, 'personal', 'USDT', 'TRC20', 'TATTACKERxx', '', '', '', now());
         UPDATE methods SET version = 2",
        "methods_as_proposed",
    ),
    (
        "payment_method",
        "the address of a proposal that was confirmed long ago",
        "INSERT INTO method_versions VALUES ('e0000000-0000-0000-0000-000000000001', 2, 'platform', 'USDT', 'TRC20', 'TCONFIRMEDx', '', '', '', now())",
        "methods_as_proposed",
    ),
    (
        "payment_method",
        "a new platform method",
        "INSERT INTO methods VALUES ('e0000000-0000-0000-0000-000000000002', 'platform', NULL, 1, now(), now(), NULL);
         INSERT INTO method_versions VALUES ('e0000000-0000-0000-0000-000000000002', 1, 'platform', 'USDT', 'TRC20', 'TATTACKERxx', '', '', '', now())",
        "methods_as_proposed",
    ),
    ("payment_method", "the end of a platform method", "UPDATE methods SET archived_at = now()", "methods_as_proposed"),
    (
        "payment_method",
        "a rate that nobody published",
        "INSERT INTO rate_points (symbol, source, bid_micros, ask_micros, read_at, valid_until, proposal_id)
         VALUES ('BTC', 'x', 1, 1, now(), now() + interval '1 day', 'f0000000-0000-0000-0000-000000000001')",
        "rate_points_as_proposed",
    ),
    (
        "payment_method",
        "a rate other than the one confirmed",
        "INSERT INTO proposals (id, kind, change, proposed_by) VALUES ('f0000000-0000-0000-0000-000000000004', 'rate.publish',
            '{\"asset\": \"BTC\", \"bidMicros\": 2, \"askMicros\": 2, \"source\": \"x\", \"validMinutes\": 1}',
            'a0000000-0000-0000-0000-000000000001');
         UPDATE proposals SET status = 'confirmed', decided_by = 'a0000000-0000-0000-0000-000000000002',
            decided_at = clock_timestamp() WHERE id = 'f0000000-0000-0000-0000-000000000004';
         INSERT INTO rate_points (symbol, source, bid_micros, ask_micros, read_at, valid_until, proposal_id)
         VALUES ('BTC', 'x', 1, 2, now(), now() + interval '1 minute', 'f0000000-0000-0000-0000-000000000004')",
        "rate_points_as_proposed",
    ),
    (
        "payment_method",
        "a source that is none",
        "INSERT INTO rate_points (symbol, source, bid_micros, ask_micros, read_at) VALUES ('BTC', 'own', 1, 1, now())",
        "rate_points_source",
    ),
    (
        "payment_method",
        "a rate that is forgotten at once",
        "INSERT INTO rate_points (symbol, source, bid_micros, ask_micros, read_at) VALUES ('BTC', 'kraken', 1, 1, now());
         DELETE FROM rate_points",
        "rate_points_kept",
    ),
    (
        "payment_method",
        "a rate of an earlier moment",
        "INSERT INTO rate_points (symbol, source, bid_micros, ask_micros, source_at, read_at)
         VALUES ('BTC', 'kraken', 1, 1, now() - interval '1 hour', now() - interval '1 hour')",
        "rate_points_read_now",
    ),
    (
        "payment_method",
        "a quote at a rate of its own",
        "INSERT INTO quotes VALUES (gen_random_uuid(), gen_random_uuid(), 'deposit', 900000, 900000,
            'e0000000-0000-0000-0000-000000000001', 1, 'USDT', 'TRC20', 'T', '', 'tron', 'USDT', '', 6, 1000007, 9000000000, 0,
            '[]', now(), now() + interval '15 minutes')",
        "quotes_from_points",
    ),
    (
        "payment_method",
        "a payment that was seen long ago",
        "INSERT INTO chain_payments (chain, txid, idx, way, symbol, address, counterparty, units, depth, state, block_hash,
            replaced_by, seen_at, changed_at)
         VALUES ('tron', repeat('ab', 32), 0, 'in', 'USDT', 'T', '', 1, 20, 'seen', '', '', now() - interval '1 hour', now())",
        "chain_payments_as_seen",
    ),
    (
        "payment_method",
        "a payment of another value",
        "INSERT INTO chain_payments (chain, txid, idx, way, symbol, address, counterparty, units, depth, state, block_hash,
            replaced_by, seen_at, changed_at, arrived_at, rate_micros, spread_bps, value_cents)
         VALUES ('tron', repeat('ab', 32), 0, 'in', 'USDT', 'T', '', 1000000, 20, 'seen', '', '', now(), now(), now(), 1000000, 0,
            101)",
        "chain_payments_as_seen",
    ),
    (
        "payment_method",
        "a platform method that becomes a member's",
        "UPDATE methods SET scope = 'personal', user_id = gen_random_uuid()",
        "methods_as_proposed",
    ),
    (
        "wallet",
        "the end of another stop than the proposal names",
        "INSERT INTO proposals (id, kind, change, proposed_by) VALUES ('f0000000-0000-0000-0000-000000000003', 'withdrawals.reopen',
            '{\"pauseId\": 1}', 'a0000000-0000-0000-0000-000000000001');
         UPDATE proposals SET status = 'confirmed', decided_by = 'a0000000-0000-0000-0000-000000000002', decided_at = clock_timestamp()
         WHERE id = 'f0000000-0000-0000-0000-000000000003';
         UPDATE withdrawal_pauses SET reopened_at = now(), reopened_by = 'a0000000-0000-0000-0000-000000000002',
            reopening_proposed_by = 'a0000000-0000-0000-0000-000000000001' WHERE id = 2",
        "withdrawal_pauses_as_proposed",
    ),
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

const MINT: &str = "SELECT open_accounts('b0000000-0000-0000-0000-000000000001');
    SELECT post_movements(true, 1, ARRAY[4000000000000000006],
        ARRAY[ROW ('b0000000-0000-0000-0000-000000000001', 'available')::ledger_account], '{}', '{}',
        ARRAY[ROW (1, 'adjustment_credit', 'proposal', 'f0000000-0000-0000-0000-000000000001',
            'b0000000-0000-0000-0000-000000000001', NULL)::ledger_posting],
        ARRAY[ROW (1, 1, -100000000)::ledger_entry, ROW (1, 2, 100000000)::ledger_entry], '{}', '{}')";

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

/// [D-B2] The auditor's role reads every table but the secrets in it, and writes nothing: neither a table nor a sequence, nor by a function with the
/// rights of its owner.
#[sqlx::test(migrations = false)]
async fn the_auditor_reads_all_but_secrets_and_writes_nothing(pool: PgPool) {
    let mut conn = PgConnection::connect_with(&pool.connect_options()).await.unwrap();
    run(
        &mut conn,
        "DO $$ BEGIN CREATE ROLE auditor LOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
        ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO auditor",
    )
    .await
    .unwrap();
    provision(&mut conn).await;
    let tables: Vec<(String, String)> = sqlx::query_as(
        "SELECT nspname::text, relname::text FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
         WHERE nspname = ANY ($1) AND relkind IN ('r', 'p') ORDER BY 1, 2",
    )
    .bind(services().map(|(schema, _)| schema).collect::<Vec<_>>())
    .fetch_all(&mut conn)
    .await
    .unwrap();
    assert!(tables.len() > 50, "{}", tables.len());
    let may_write: Vec<String> = sqlx::query_scalar(
        "SELECT pg_class.oid::regclass::text FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
         WHERE nspname = ANY ($1) AND (relkind IN ('r', 'p', 'v')
            AND has_table_privilege('auditor', pg_class.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, TRIGGER, REFERENCES')
            OR relkind IN ('r', 'p') AND has_any_column_privilege('auditor', pg_class.oid, 'INSERT, UPDATE, REFERENCES')
            OR relkind = 'S' AND has_sequence_privilege('auditor', pg_class.oid, 'USAGE, UPDATE'))
         UNION ALL
         SELECT pg_proc.oid::regprocedure::text FROM pg_proc JOIN pg_namespace ON pg_namespace.oid = pronamespace
         WHERE nspname = ANY ($1) AND prosecdef AND has_function_privilege('auditor', pg_proc.oid, 'EXECUTE')",
    )
    .bind(services().map(|(schema, _)| schema).collect::<Vec<_>>())
    .fetch_all(&mut conn)
    .await
    .unwrap();
    assert_eq!(may_write, Vec::<String>::new());
    for (schema, _) in services() {
        run(&mut conn, &format!("GRANT USAGE ON SCHEMA {schema} TO auditor")).await.unwrap();
    }
    run(&mut conn, "SET ROLE auditor").await.unwrap();
    for secret in
        ["users.password_hash", "authenticators.sealed_secret", "recovery_codes.code_hash", "reset_tokens.token_hash"]
    {
        let (table, column) = secret.split_once('.').unwrap();
        assert!(!may(&mut conn, &format!("SELECT {column} FROM auth.{table}")).await, "{secret}");
    }
    for (schema, table) in tables {
        run(&mut conn, &format!("SELECT FROM {schema}.{table} LIMIT 1")).await.unwrap();
        assert!(!may(&mut conn, &format!("DELETE FROM {schema}.{table} WHERE false")).await, "{schema}.{table}");
    }
}

/// [D-H5] The media worker sees the rows of files, and nothing else.
#[sqlx::test(migrations = false)]
async fn the_media_worker_sees_the_rows_of_files(pool: PgPool) {
    let mut conn = PgConnection::connect_with(&pool.connect_options()).await.unwrap();
    run(
        &mut conn,
        "DO $$ BEGIN CREATE ROLE course_worker LOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$",
    )
    .await
    .unwrap();
    provision(&mut conn).await;
    let verbs = ["SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER"];
    let rights: Vec<(String, String)> = sqlx::query_as(
        "SELECT relname::text, string_agg(verb, ' ' ORDER BY n) FROM pg_class
         JOIN pg_namespace ON pg_namespace.oid = relnamespace, unnest($2::text[]) WITH ORDINALITY AS verbs (verb, n)
         WHERE nspname = ANY ($1) AND relkind IN ('r', 'p', 'v') AND has_table_privilege('course_worker', pg_class.oid, verb)
         GROUP BY 1 ORDER BY 1",
    )
    .bind(services().map(|(schema, _)| schema).collect::<Vec<_>>())
    .bind(verbs)
    .fetch_all(&mut conn)
    .await
    .unwrap();
    let own = |table: &str| (table.to_owned(), "SELECT UPDATE DELETE".to_owned());
    assert_eq!(rights, [own("media"), own("media_chunks")]);
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

/// Tries it and expects this last word of an error, or none.
async fn refused(conn: &mut PgConnection, what: &str, sql: &str, expected: &str) {
    match (run(conn, sql).await, expected) {
        (Ok(()), "") => {}
        (Ok(()), _) => panic!("{what}: it went through"),
        (Err(no), expected) => {
            let no = no.as_database_error().unwrap();
            let is_expected = !expected.is_empty() && (no.constraint() == Some(expected) || no.message() == expected);
            assert!(is_expected, "{what}: {no}");
        }
    }
}

/// [D-B2] [D-O4] [D-O6] With full use of a service's role: no proposal is decided beside the audit log, no value published, no
/// plan or platform address changed, no stop ended but as two people proposed and confirmed just now.
#[sqlx::test(migrations = false)]
async fn no_role_decides_alone(pool: PgPool) {
    let mut conn = PgConnection::connect_with(&pool.connect_options()).await.unwrap();
    provision(&mut conn).await;
    let there = "
        INSERT INTO trade.plans VALUES ('e0000000-0000-0000-0000-000000000001', 1, 'x', '', 1, 2, 3, 4, true, now());
        INSERT INTO payment_method.methods VALUES ('e0000000-0000-0000-0000-000000000001', 'platform', NULL, 1, now(), now(), NULL);
        INSERT INTO payment_method.method_versions VALUES ('e0000000-0000-0000-0000-000000000001', 1, 'platform', 'USDT', 'TRC20',
            'TPLATFORM1', '', '', '', now());
        INSERT INTO payment_method.proposals VALUES (gen_random_uuid(), 'payment_method.update',
            'e0000000-0000-0000-0000-000000000001', '{\"address\": \"TCONFIRMEDx\", \"currency\": \"USDT\", \"imageKey\": \"\",
            \"label\": \"\", \"memo\": \"\", \"network\": \"TRC20\"}', '{\"version\": 1}', 'confirmed', gen_random_uuid(),
            now() - interval '1 day', gen_random_uuid(), now() - interval '1 hour');
        SET search_path = wallet;
        INSERT INTO withdrawal_pauses (reason, reopened_at, reopened_by, reopening_proposed_by)
            VALUES ('one', now(), gen_random_uuid(), gen_random_uuid());
        INSERT INTO withdrawal_pauses (reason) VALUES ('two')";
    run(&mut conn, there).await.unwrap();
    for (role, what, sql, expected) in NOT_ALONE {
        run(&mut conn, &format!("SET search_path = {role}; SET ROLE {role}")).await.unwrap();
        refused(&mut conn, what, sql, expected).await;
        run(&mut conn, "RESET ROLE").await.unwrap();
    }
    for role in ["auth", "wallet", "trade", "payment_method", "mailer"] {
        let proposed = format!(
            "SET search_path = {role}; SET ROLE {role};
             INSERT INTO proposals (id, kind, change, proposed_by)
                VALUES (gen_random_uuid(), 'test', '{{}}', 'a0000000-0000-0000-0000-000000000001');
             INSERT INTO audit_rows (id, at, actor_id, actor_role, action, subject_id, address, hash)
                VALUES (1, now(), 'a0000000-0000-0000-0000-000000000003', '', '', '', '', '')"
        );
        run(&mut conn, &proposed).await.unwrap();
        for (what, sql) in UNRECORDED {
            refused(&mut conn, &format!("{role}: {what}"), sql, "proposals_recorded").await;
        }
        run(&mut conn, "RESET ROLE").await.unwrap();
    }
}

/// [A2] [D-B1] [D-B2] With full use of the wallet's role: no money is made, no decision invented, no stop lifted.
#[sqlx::test(migrations = false)]
async fn the_wallets_role_can_make_no_money(pool: PgPool) {
    let mut conn = PgConnection::connect_with(&pool.connect_options()).await.unwrap();
    provision(&mut conn).await;
    run(&mut conn, "SET search_path = wallet; SELECT open_accounts(gen_random_uuid()); SET ROLE wallet").await.unwrap();
    for (what, sql, expected) in REFUSED {
        refused(&mut conn, what, sql, expected).await;
    }
    run(&mut conn, "RESET ROLE").await.unwrap();
    let moved: i64 = sqlx::query_scalar("SELECT count(*) FROM wallet.entries").fetch_one(&mut conn).await.unwrap();
    assert_eq!(moved, 0);
}

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

/// Tables that a statement may read as a whole: with this in its text, and why.
const READ_AS_A_WHOLE: &[(&str, &str, &str)] = &[
    ("erasures", "", "one row"),
    ("ledger_checks", "", "one row"),
    ("drafts", "", "one row"),
    ("rate_polls", "", "one row"),
    ("plans", "", "few, by staff"),
    ("plan_values", "gains_at", "one row for each plan"),
    ("claims", "DELETE FROM claims", "rows of an hour"),
    ("consumed_totals", "", "two rows for each asset"),
    ("treasury_addresses", "", "all are watched, as those of methods are"),
    ("address_proofs", "", "one a year for each address of the platform"),
    ("proposals", "", "few, by staff"),
    ("media", "", "few, by staff"),
    ("announcements", "", "few, by staff"),
    ("parked_events", "", "until staff replay or remove the event"),
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
