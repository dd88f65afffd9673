//! What no role does alone: decide, publish a value, make money.

use sqlx::postgres::PgConnection;
use sqlx::{Connection, PgPool};

use crate::privileges::{UNRECORDED, provision, run};

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
        "SELECT count_liabilities(begin_liabilities()); DELETE FROM liability_leaves",
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

const MINT: &str = "SELECT open_accounts('b0000000-0000-0000-0000-000000000001');
    SELECT post_movements(true, 1, ARRAY[4000000000000000006],
        ARRAY[ROW ('b0000000-0000-0000-0000-000000000001', 'available')::ledger_account], '{}', '{}',
        ARRAY[ROW (1, 'adjustment_credit', 'proposal', 'f0000000-0000-0000-0000-000000000001',
            'b0000000-0000-0000-0000-000000000001', NULL)::ledger_posting],
        ARRAY[ROW (1, 1, -100000000)::ledger_entry, ROW (1, 2, 100000000)::ledger_entry], '{}', '{}')";

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
