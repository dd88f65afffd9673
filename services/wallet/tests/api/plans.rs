//! How the database finds what the statements of this service ask for.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;
use sqlx::{Executor, PgPool};
use wallet::SCHEMA;

/// Tables that grow with members and what they do.
const GROWING: [&str; 9] = [
    "accounts",
    "postings",
    "entries",
    "transactions",
    "trade_fundings",
    "idempotency_keys",
    "outbox",
    "inbox",
    "account_checkpoints",
];

/// Statements that read everything, and why they may.
const READS_EVERYTHING: [(&str, &str); 2] = [
    ("holdings!: Cents", "the sums of the books, which no request of a member asks for"),
    ("WITH totals AS MATERIALIZED", "the proof of liabilities, once a night"),
];

/// Fills the growing tables of a wallet with 20,000 members, without what its triggers check.
const FILL: &str = "
    SET session_replication_role = replica;
    CREATE TEMPORARY TABLE members AS SELECT gen_random_uuid() AS id, number FROM generate_series(1, 20000) AS number;
    CREATE INDEX ON members (number);
    INSERT INTO accounts (kind, user_id) SELECT kind, members.id
        FROM members, unnest('{available,held,bonus,invested}'::text[]) AS kind;
    INSERT INTO transactions (id, user_id, kind, description, status, direction, amount_cents, fee_cents, net_amount_cents,
            method_id, method_address, destination_address, claimed_txid, txid, txid_key, receipt_key, receipt_digest,
            reason_code, approved_by, approved_at, decided_by, decided_at, related_id, created_at)
        SELECT gen_random_uuid(), members.id, kind, 'x', status, 'debit', 10000, 250, 9750, gen_random_uuid(),
            CASE kind WHEN 'deposit' THEN 'T' || number % 7 END, CASE kind WHEN 'withdrawal' THEN md5(number::text) END,
            md5(number || 'claimed'), CASE status WHEN 'success' THEN md5(number || 'txid' || kind) END,
            CASE status WHEN 'success' THEN md5(number || 'txid' || kind) END, 'x', sha256(number::text::bytea),
            CASE status WHEN 'failed' THEN 'OTHER' END,
            CASE status WHEN 'success' THEN gen_random_uuid() END,
            CASE status WHEN 'success' THEN now() - number * interval '1 minute' END,
            CASE status WHEN 'pending' THEN NULL ELSE gen_random_uuid() END,
            CASE status WHEN 'pending' THEN NULL ELSE now() - number * interval '1 minute' END,
            gen_random_uuid(), now() - number * interval '1 minute'
        FROM (SELECT number, (ARRAY['deposit','withdrawal','trade','profit','trade','profit'])[number % 6 + 1] AS kind,
            CASE WHEN number % 500 = 0 THEN 'pending' WHEN number % 100 = 0 THEN 'failed' ELSE 'success' END AS status
            FROM generate_series(1, 120000) AS number) AS one
        JOIN members USING (number) WHERE number <= 20000
        UNION ALL
        SELECT gen_random_uuid(), members.id, 'trade', 'x', 'success', 'debit', 10000, NULL, NULL, NULL, NULL, NULL, NULL,
            NULL, NULL, NULL, NULL, NULL, NULL, NULL, gen_random_uuid(), now(), gen_random_uuid(),
            now() - one * interval '1 minute'
        FROM generate_series(1, 100000) AS one JOIN members ON number = one % 20000 + 1;
    INSERT INTO postings (kind, cause_type, business_id, user_id, transaction_id, created_at)
        SELECT 'trade_fund', 'trade', gen_random_uuid(), user_id, id, created_at FROM transactions ORDER BY created_at;
    INSERT INTO entries (account_id, posting_id, amount_cents, balance_after_cents, hash)
        SELECT accounts.id, postings.id, 1, 1, sha256('x') FROM postings
        JOIN accounts ON accounts.user_id = postings.user_id AND accounts.kind IN ('available', 'invested')
        ORDER BY postings.id;
    INSERT INTO trade_fundings (trade_id, user_id, amount_cents, status, value_cents, created_at, settled_at)
        SELECT business_id, user_id, 100, 'settled', 100, created_at, created_at FROM postings;
    INSERT INTO idempotency_keys (user_id, route, key, fingerprint, request_id, created_at)
        SELECT user_id, 'POST /v1/x', business_id::text, 'x', 'x', created_at FROM postings;
    INSERT INTO outbox (event_id, key, aggregate_id, payload, trace_context, published_at)
        SELECT gen_random_uuid(), 'x', user_id, 'x', '{}', created_at FROM postings;
    INSERT INTO inbox (event_id, key, handled_at) SELECT gen_random_uuid(), 'x', created_at FROM postings;
    INSERT INTO account_checkpoints SELECT id, 1, 1, 1, 'x' FROM accounts;
    SET session_replication_role = DEFAULT;
    VACUUM (ANALYZE);";

/// [D-H5] [A16] Every statement of the service finds its rows by an index, in tables of 100,000 rows, by the plan that the
/// database keeps for all values.
#[sqlx::test(migrations = false)]
async fn every_statement_is_served_by_an_index(pool: PgPool) {
    let db = chassis::testing::database(pool.clone(), SCHEMA).await;
    drop(db);
    let mut conn = pool.acquire().await.unwrap();
    for statement in FILL.split_inclusive(';') {
        conn.execute(sqlx::AssertSqlSafe(statement)).await.unwrap();
    }
    conn.execute("SET plan_cache_mode = force_generic_plan").await.unwrap();
    let (mut scans, mut seen) = (Vec::new(), 0);
    for (number, (query, arguments)) in statements().into_iter().enumerate() {
        if READS_EVERYTHING.iter().any(|(part, _)| query.contains(part)) {
            continue;
        }
        let prepare = format!("PREPARE s{number} AS {query}");
        conn.execute(sqlx::AssertSqlSafe(prepare)).await.unwrap_or_else(|error| panic!("{query}: {error}"));
        let nulls = vec!["NULL"; arguments].join(", ");
        let call = if arguments == 0 { format!("s{number}") } else { format!("s{number}({nulls})") };
        let explain = sqlx::AssertSqlSafe(format!("EXPLAIN EXECUTE {call}"));
        let plan: Vec<String> = sqlx::query_scalar(explain).fetch_all(&mut *conn).await.unwrap();
        seen += 1;
        let scanned = |line: &&String| {
            let table = line.split_once("Seq Scan on ").map(|(_, rest)| rest.split(' ').next().unwrap_or_default());
            table.is_some_and(|table| GROWING.contains(&table))
        };
        if plan.iter().find(scanned).is_some() {
            scans.push(format!("{query}\n{}", plan.join("\n")));
        }
    }
    assert!(seen > 40, "{seen}");
    assert!(scans.is_empty(), "{} statements read a whole table:\n{}", scans.len(), scans.join("\n\n"));
}

/// The statements of the service as the compiler checked them, and how many arguments each takes.
fn statements() -> BTreeSet<(String, usize)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(".sqlx");
    let files = std::fs::read_dir(folder).unwrap().map(|file| std::fs::read(file.unwrap().path()).unwrap());
    let statement = |bytes: Vec<u8>| {
        let known: Value = serde_json::from_slice(&bytes).unwrap();
        let arguments = known["describe"]["parameters"]["Left"].as_array().map_or(0, Vec::len);
        (known["query"].as_str().unwrap().to_owned(), arguments)
    };
    files.map(statement).collect()
}

/// [D-O2] [A16] Staff's search finds the same by its indexes as by a look at every line.
#[sqlx::test(migrations = false)]
async fn staff_find_a_line_by_every_name_it_has(pool: PgPool) {
    use crate::fixture::{PLATFORM_ADDRESS, World, deposit, withdrawal};
    use chassis::testing::with_token;
    use proto::wallet::v1::staff_service_server::StaffService;
    use proto::wallet::v1::*;
    let world = World::new(pool).await;
    let (member, other) = (world.member_with(50_000).await, world.member_with(20_000).await);
    let hash = "Ab".repeat(32);
    let claimed =
        world.deposit(&member, RequestDepositRequest { txid: "cd".repeat(32), ..deposit(10_000) }).await.unwrap();
    let confirmed = world.deposit(&other, deposit(11_000)).await.unwrap();
    world.approve_with(&confirmed, 11_000, &hash).await.unwrap();
    let out = world.withdraw(&member, withdrawal(10_000)).await.unwrap();
    let address = out.destination.clone().unwrap().address;
    let search = async |request: ListStaffTransactionsRequest| {
        let answer = world.grpc.list_staff_transactions(with_token(request, &world.reviewer)).await.unwrap();
        answer.into_inner().transactions.into_iter().map(|one| one.id).collect::<Vec<_>>()
    };
    let by =
        async |text: &str| search(ListStaffTransactionsRequest { search: text.into(), ..Default::default() }).await;
    assert_eq!(by(&"cd".repeat(32)).await, std::slice::from_ref(&claimed.id));
    assert_eq!(by(&hash).await, std::slice::from_ref(&confirmed.id));
    assert_eq!(by(&format!("0x{}", hash.to_uppercase())).await, std::slice::from_ref(&confirmed.id));
    assert_eq!(by(&address).await, std::slice::from_ref(&out.id));
    assert_eq!(by(&format!("TNX-{}", &out.id[..6])).await, std::slice::from_ref(&out.id));
    assert_eq!(by("nothing-of-it").await, Vec::<String>::new());
    let deposits = by(PLATFORM_ADDRESS).await;
    assert_eq!(deposits[..2], [confirmed.id.clone(), claimed.id.clone()]);
    assert_eq!(deposits.len(), 4);
    let pending = ListStaffTransactionsRequest {
        search: PLATFORM_ADDRESS.into(),
        status: TransactionStatus::Pending.into(),
        ..Default::default()
    };
    assert_eq!(search(pending).await, std::slice::from_ref(&claimed.id));
    let status = TransactionStatus::Pending.into();
    assert_eq!(
        search(ListStaffTransactionsRequest { status, ..Default::default() }).await,
        [out.id.clone(), claimed.id.clone()]
    );
    let kind = TransactionKind::Withdrawal.into();
    assert_eq!(
        search(ListStaffTransactionsRequest { kind, ..Default::default() }).await,
        std::slice::from_ref(&out.id)
    );
    let member_id = other.id.to_string();
    let of_other =
        ListStaffTransactionsRequest { member_id, kind: TransactionKind::Deposit.into(), ..Default::default() };
    assert_eq!(search(of_other).await.len(), 2);
    let success = ListStaffTransactionsRequest { status: TransactionStatus::Success.into(), ..Default::default() };
    assert_eq!(search(success).await.len(), 3);
}
