//! Processes of the version before, which run on our schema while a deployment changes them one by one.

use sqlx::PgPool;

use crate::fixture::World;

/// What they call, as they call it: a correction, a trade funded under a key with its line and event, a repetition, a course
/// that is too dear, and a settlement with a gain. The verdicts are those they know.
const CALLS: [(&str, i32); 5] = [
    (
        "SELECT move_one(4000000000000000006, NULL, NULL, NULL, $1, 'available', 5000, NULL, NULL, NULL, NULL, NULL, NULL,
            NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'adjustment_credit', $2, $1, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
        0,
    ),
    (
        "SELECT move_one(NULL, $1, 'available', NULL, $1, 'invested', 2000, $1, 'r', 'k', '\\x01', 'req', '{}', NULL, NULL,
            $2, $1, 2000, NULL, now(), 'trade_fund', $2, $1, $2, jsonb_build_object('id', $2, 'user_id', $1, 'kind', 'trade',
            'description', '', 'status', 'success', 'direction', 'debit', 'amount_cents', 2000, 'fee_paid', false,
            'decided_at', now(), 'revision', 1, 'created_at', now()), $2, 'wallet.v1.trade_funded', $2, '\\x00', '{}')",
        0,
    ),
    (
        "SELECT move_one(NULL, $1, 'available', NULL, $1, 'invested', 2000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
            $2, $1, 2000, NULL, now(), 'trade_fund', $2, $1, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
        1,
    ),
    (
        "SELECT move_one(NULL, $1, 'available', 4000000000000000002, NULL, NULL, 8700, NULL, NULL, NULL, NULL, NULL, NULL,
            'course', $1, NULL, NULL, NULL, NULL, NULL, 'course', $2, $1, $2, NULL, NULL, NULL, NULL, NULL, NULL)",
        2,
    ),
    (
        "SELECT (move_money(1, ARRAY[4000000000000000004], ARRAY[$1, $1], ARRAY['invested', 'available'], '{}', '{}', '{}',
            '{}', '{}', '{}', '{}', '{}', '{}', '{}', ARRAY[1], ARRAY[$2], ARRAY[$1], ARRAY[2000::bigint],
            ARRAY[2500::bigint], ARRAY[now()], ARRAY[1, 1], ARRAY['trade_settle', 'trade_gain'], ARRAY[$2, $2],
            ARRAY[$1, $1], ARRAY[NULL::uuid, NULL], ARRAY[1, 1, 1, 1], ARRAY[1, 1, 2, 2], ARRAY[2, 3, 1, 3],
            ARRAY[-2000, 2000, -500, 500]::bigint[], '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}'))[1]",
        0,
    ),
];

/// [D-H2] The calls of the version before move money by our rules, and name the causes that they do not say.
#[sqlx::test(migrations = false)]
async fn the_version_before_moves_money_on_our_schema(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    let (member, id) = (uuid::Uuid::new_v4(), uuid::Uuid::new_v4());
    sqlx::query(
        "INSERT INTO proposals (id, kind, subject_id, change, status, proposed_by, decided_by, decided_at)
         VALUES ($1, 'adjustment_credit', $2, '{\"amount_cents\": 5000}', 'confirmed', $1, $2, now())",
    )
    .bind(id)
    .bind(member)
    .execute(&pool)
    .await
    .unwrap();
    sqlx::query(
        "INSERT INTO accounts (kind, user_id) SELECT kind, $1 FROM unnest('{available,held,bonus,invested}'::text[]) AS kind
         ON CONFLICT DO NOTHING",
    )
    .bind(member)
    .execute(&pool)
    .await
    .unwrap();
    for (call, expected) in CALLS {
        let verdict: i32 = sqlx::query_scalar(call).bind(member).bind(id).fetch_one(&pool).await.unwrap();
        assert_eq!(verdict, expected, "{call}");
    }
    let causes: Vec<String> = sqlx::query_scalar("SELECT kind || ' ' || cause_type FROM postings ORDER BY id")
        .fetch_all(&pool)
        .await
        .unwrap();
    assert_eq!(causes, ["adjustment_credit proposal", "trade_fund trade", "trade_settle trade", "trade_gain trade"]);
    assert_eq!(
        world.count("SELECT count(*) FROM trade_fundings WHERE status = 'settled' AND value_cents = 2500").await,
        1
    );
    assert_eq!(world.count("SELECT count(*) FROM idempotency_keys").await, 1);
    assert_eq!(world.count("SELECT count(*) FROM outbox").await, 1);
    world.assert_books().await;
}
