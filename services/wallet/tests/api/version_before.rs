//! Processes of the version before, which run on our schema while a deployment changes them one by one.

use chassis::identity::Role;
use chassis::testing::with_token;
use proto::wallet::v1::ProposeReversalRequest;
use proto::wallet::v1::staff_service_server::StaffService;
use sqlx::PgPool;
use uuid::Uuid;

use crate::corrections::confirm;
use crate::fixture::{World, deposit, withdrawal};

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
            ARRAY[2000::bigint], ARRAY[now()], ARRAY[1], ARRAY['trade_settle'], ARRAY[$2],
            ARRAY[$1], ARRAY[NULL::uuid], ARRAY[1, 1], ARRAY[1, 1], ARRAY[2, 3],
            ARRAY[-2000, 2000]::bigint[], '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}'))[1]",
        0,
    ),
];

/// [D-H2] The calls of the version before move money by our rules, and name the causes that they do not say. A gain, which they take
/// from the pool of all plans, waits for our version.
#[sqlx::test(migrations = false)]
async fn the_version_before_moves_money_on_our_schema(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    let (member, id) = (Uuid::new_v4(), Uuid::new_v4());
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
    assert_eq!(causes, ["adjustment_credit proposal", "trade_fund trade", "trade_settle trade"]);
    assert_eq!(
        world.count("SELECT count(*) FROM trade_fundings WHERE status = 'settled' AND value_cents = 2000").await,
        1
    );
    assert_eq!(world.count("SELECT count(*) FROM idempotency_keys").await, 1);
    assert_eq!(world.count("SELECT count(*) FROM outbox").await, 1);
    world.assert_books().await;
}

/// How they write a decision: they know no output, no lease and no first approval. `$4` is the received amount.
const DECIDE: &str =
    "UPDATE transactions SET status = $2, decided_by = $3, decided_at = now(), txid = coalesce($5, txid),
        txid_key = coalesce($5, txid_key), amount_cents = coalesce($4, amount_cents),
        reason_code = CASE $2 WHEN 'failed' THEN 'OTHER' END, revision = revision + 1
     WHERE id = $1::uuid";

/// What became of a decision of theirs: the name of the constraint that refused it, which they know.
async fn decide(
    pool: &PgPool,
    id: &str,
    (status, by): (&str, Uuid),
    (cents, txid): (Option<i64>, Option<&str>),
) -> Result<(), String> {
    let done = sqlx::query(DECIDE).bind(id).bind(status).bind(by).bind(cents).bind(txid).execute(pool).await;
    done.map(|_| ()).map_err(|error| chassis::db::constraint(&error).unwrap_or("none").to_owned())
}

/// [D-H2] [D-B7] The version before pays without a lease as it always did, but neither pays nor rejects what somebody else
/// is paying, and is answered by a constraint that it knows.
#[sqlx::test(migrations = false)]
async fn the_version_before_respects_leases(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    let (holder, token) = world.realm.staff(Role::Treasurer);
    let other = Uuid::new_v4();
    for (number, leases) in [false, true].into_iter().enumerate() {
        let member = world.member_with(100_000).await;
        let made = world.withdraw(&member, withdrawal(100_000)).await.unwrap();
        let approved = world.approve(&made).await.unwrap();
        let hash = format!("hash-{number}");
        let paid = (None, Some(hash.as_str()));
        if leases {
            world.lease_as(&token, &approved).await.unwrap();
            for (decision, txid) in [(("success", other), paid), (("failed", other), (None, None))] {
                let refused = decide(&pool, &made.id, decision, txid).await;
                assert_eq!(refused, Err("transactions_two_people".to_owned()));
            }
        }
        let by = if leases { holder } else { other };
        assert_eq!(decide(&pool, &made.id, ("success", by), paid).await, Ok(()));
    }
}

/// [D-H2] [D-B8] [D-B12] The version before respects outputs and first approvals: it neither uses a reserved hash nor decides
/// otherwise than the first reviewer approved, and its rejection ends the reservation.
#[sqlx::test(migrations = false)]
async fn the_version_before_respects_first_approvals(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    let (first, token) = world.realm.staff(Role::Reviewer);
    let other = Uuid::new_v4();
    let deposits = [("hash-1", Some(3)), ("hash-2", None)];
    let mut waiting = Vec::new();
    for (hash, vout) in deposits {
        let made = world.deposit(&world.member(), deposit(1_000_000)).await.unwrap();
        waiting.push(world.approve_as(&token, &made, 1_000_000, (&crate::fixture::hash(hash), vout)).await.unwrap().id);
    }
    let small = world.deposit(&world.member(), deposit(10_000)).await.unwrap();
    for (hash, _) in deposits {
        let used =
            decide(&pool, &small.id, ("success", other), (Some(10_000), Some(&crate::fixture::hash(hash)))).await;
        assert_eq!(used, Err("transactions_txid_in".to_owned()));
    }
    let two_people = Err("transactions_two_people".to_owned());
    for (by, cents, hash) in [(first, 1_000_000, "hash-1"), (other, 999_999, "hash-1"), (other, 1_000_000, "hash-3")] {
        assert_eq!(
            decide(&pool, &waiting[0], ("success", by), (Some(cents), Some(&crate::fixture::hash(hash)))).await,
            two_people
        );
    }
    assert_eq!(
        decide(&pool, &waiting[0], ("success", other), (Some(1_000_000), Some(&crate::fixture::hash("hash-1")))).await,
        Ok(())
    );
    assert_eq!(decide(&pool, &waiting[1], ("failed", first), (None, None)).await, Ok(()));
    assert_eq!(
        decide(&pool, &small.id, ("success", other), (Some(10_000), Some(&crate::fixture::hash("hash-2")))).await,
        Ok(())
    );
}

/// [D-H2] [D-B9] Their credits settle what is owed, and who owes something reads of too little balance: they do
/// not know more.
#[sqlx::test(migrations = false)]
async fn the_version_before_settles_what_is_owed(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    let member = world.member_with(10_000).await;
    let deposited = world.history(&member).await.remove(0);
    let paid = world.approve(&world.withdraw(&member, withdrawal(10_000)).await.unwrap()).await.unwrap();
    world.pay(&paid).await.unwrap();
    let request =
        ProposeReversalRequest { transaction_id: deposited.id, note: "charged back".into(), ..Default::default() };
    let proposed = world.grpc.propose_reversal(with_token(request, &world.reviewer)).await.unwrap();
    confirm(&world, &world.treasurer, &proposed.into_inner().proposal.unwrap()).await.unwrap();
    assert_eq!(world.wallet(&member).await.owed_cents, 10_000);
    let (id, fund) = (Uuid::new_v4(), CALLS[2].0);
    let funded =
        async |id: Uuid| sqlx::query_scalar::<_, i32>(fund).bind(member.id).bind(id).fetch_one(&pool).await.unwrap();
    assert_eq!(funded(id).await, 2);
    for settled in [5_000, 10_000] {
        let id = Uuid::new_v4();
        sqlx::query(
            "INSERT INTO proposals (id, kind, subject_id, change, status, proposed_by, decided_by, decided_at)
             VALUES ($1, 'adjustment_credit', $2, '{\"amount_cents\": 5000}', 'confirmed', $1, $2, now())",
        )
        .bind(id)
        .bind(member.id)
        .execute(&pool)
        .await
        .unwrap();
        let verdict: i32 = sqlx::query_scalar(CALLS[0].0).bind(member.id).bind(id).fetch_one(&pool).await.unwrap();
        assert_eq!((verdict, world.wallet(&member).await.owed_cents), (0, 10_000 - settled));
    }
    world.assert_books().await;
}
