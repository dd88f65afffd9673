//! What the triggers of transactions refuse, no matter which statement writes them.

use chassis::id::StaffId;
use chassis::identity::Role;
use sqlx::PgPool;
use uuid::Uuid;

use crate::fixture::{World, deposit, withdrawal};

/// A decision that regards no output, no lease and no first approval. `$4` is the received amount.
const DECIDE: &str =
    "UPDATE transactions SET status = $2, decided_by = $3, decided_at = now(), txid = coalesce($5, txid),
        txid_key = coalesce($5, txid_key), amount_cents = coalesce($4, amount_cents),
        reason_code = CASE $2 WHEN 'failed' THEN 'OTHER' END, revision = revision + 1
     WHERE id = $1::uuid";

/// Decides; the error is the name of the constraint that refused it.
async fn decide(
    pool: &PgPool,
    id: &str,
    (status, by): (&str, StaffId),
    (cents, txid): (Option<i64>, Option<&str>),
) -> Result<(), String> {
    let done = sqlx::query(DECIDE).bind(id).bind(status).bind(by).bind(cents).bind(txid).execute(pool).await;
    done.map(|_| ()).map_err(|error| chassis::db::constraint(&error).unwrap_or("none").to_owned())
}

/// [D-B7] Without a lease a withdrawal can be paid, but what somebody else is paying is neither paid nor rejected.
#[sqlx::test(migrations = false)]
async fn a_decision_respects_leases(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    let (holder, token) = world.realm.staff(Role::Treasurer);
    let other = Uuid::new_v4().into();
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

/// [D-B8] [D-B12] A decision neither uses a reserved hash nor differs from what the first reviewer approved, and a rejection
/// ends the reservation.
#[sqlx::test(migrations = false)]
async fn a_decision_respects_first_approvals(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    let (first, token) = world.realm.staff(Role::Reviewer);
    let other = Uuid::new_v4().into();
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
