//! Payments are known by transaction hash and output.

use proto::wallet::v1::*;
use sqlx::PgPool;

use crate::fixture::{World, code, deposit, refusal, withdrawal};

const HASH: &str = "abcdefabcdefabcdefabcdefabcdefabcdefabcdefabcdefabcdefabcdefabcd";

async fn confirm(world: &World, vout: Option<u32>) -> Result<Transaction, tonic::Status> {
    let made = world.deposit(&world.member(), deposit(10_000)).await.unwrap();
    world.approve_as(&world.reviewer, &made, 10_000, (HASH, vout)).await
}

async fn pay(world: &World, vout: Option<u32>) -> Result<Transaction, tonic::Status> {
    let member = world.member_with(20_000).await;
    let made = world.withdraw(&member, withdrawal(10_000)).await.unwrap();
    let approved = world.approve(&made).await.unwrap();
    world.pay_as(&world.treasurer, &approved, (&HASH.to_uppercase(), vout)).await
}

/// [D-N1] [D-B8] One blockchain transaction settles several deposits, and several payouts, when each names its output; no
/// output counts twice, whichever way the money goes, and nothing counts beside a use of the whole.
#[sqlx::test(migrations = false)]
async fn each_output_counts_once(pool: PgPool) {
    let world = World::new(pool).await;
    for (vout, is_free) in [(Some(0), true), (Some(u32::MAX), true), (Some(0), false), (None, false), (Some(1), true)] {
        let (first, second) = if vout == Some(1) {
            (pay(&world, vout).await, confirm(&world, vout).await)
        } else {
            (confirm(&world, vout).await, pay(&world, vout).await)
        };
        match first {
            Ok(done) => assert_eq!((done.vout, is_free), (vout, true)),
            no => assert_eq!((code(no).as_str(), is_free), ("TXID_USED", false)),
        }
        assert_eq!(code(second), "TXID_USED");
    }
    world.assert_books().await;
}

/// [D-N1] A hash belongs to a chain: the same one on another chain is another payment. A network is on one chain under every
/// name that it has.
#[sqlx::test(migrations = false)]
async fn the_chain_is_part_of_the_identity(pool: PgPool) {
    let world = World::new(pool).await;
    for (name, chain) in chassis::network::names() {
        let found: String = sqlx::query_scalar("SELECT payment_chain($1)")
            .bind(name.to_uppercase())
            .fetch_one(&world.pool)
            .await
            .unwrap();
        assert_eq!(found, chain);
    }
    sqlx::query(
        "INSERT INTO consumed_payments (chain, txid, vout, direction, transaction_id, consumed_at)
         VALUES ('bitcoin', $1, 0, 'in', gen_random_uuid(), now())",
    )
    .bind(HASH)
    .execute(&world.pool)
    .await
    .unwrap();
    confirm(&world, Some(0)).await.unwrap();
    assert_eq!(code(confirm(&world, Some(0)).await), "TXID_USED");
    let consumed: Vec<(String, i64)> = sqlx::query_as("SELECT chain, vout FROM consumed_payments ORDER BY chain")
        .fetch_all(&world.pool)
        .await
        .unwrap();
    assert_eq!(consumed, [("bitcoin".to_owned(), 0), ("tron".to_owned(), 0)]);
}

/// [D-N1] [D-D4] The link of an explorer is the hash in it, and what only looks like a hash is refused: one payment is credited
/// once, no matter what is pasted.
#[sqlx::test(migrations = false)]
async fn one_payment_has_one_spelling(pool: PgPool) {
    let world = World::new(pool).await;
    confirm(&world, None).await.unwrap();
    let made = world.deposit(&world.member(), deposit(10_000)).await.unwrap();
    let again = |text: String| {
        let (world, made) = (&world, &made);
        async move { code(world.approve_as(&world.reviewer, made, 10_000, (&text, None)).await) }
    };
    for text in [format!("https://tronscan.org/#/transaction/{HASH}"), format!("0x{HASH}\u{200b}"), HASH.to_uppercase()]
    {
        assert_eq!(again(text).await, "TXID_USED");
    }
    for text in
        [format!("{HASH},"), format!("{HASH}:0"), format!("txid:{HASH}"), format!("https://example.com/tx/{HASH}")]
    {
        assert_eq!(again(text).await, "VALIDATION_FAILED");
    }
    let claim = RequestDepositRequest { txid: format!("https://tronscan.org/#/transaction/{HASH}"), ..deposit(10_000) };
    assert_eq!(world.deposit(&world.member(), claim).await.unwrap().txid, HASH);
    world.assert_books().await;
}

/// [D-B8] Without an output the whole blockchain transaction is meant: it leaves nothing for others.
#[sqlx::test(migrations = false)]
async fn a_hash_without_output_counts_for_all_of_it(pool: PgPool) {
    let world = World::new(pool).await;
    confirm(&world, None).await.unwrap();
    for vout in [None, Some(0), Some(1)] {
        assert_eq!(code(confirm(&world, vout).await), "TXID_USED");
        assert_eq!(code(pay(&world, vout).await), "TXID_USED");
    }
    world.assert_books().await;
}

/// [D-B8] Two payments that take all of a hash, and an output of it, at once: one does.
#[sqlx::test(migrations = false)]
async fn a_whole_and_an_output_at_once_are_one(pool: PgPool) {
    let world = World::new(pool).await;
    let uses = [None, Some(3), None, Some(3), None, Some(3)];
    let results = futures::future::join_all(uses.map(|vout| confirm(&world, vout))).await;
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
    for no in results.into_iter().filter(Result::is_err) {
        assert!(["TXID_USED", "UNAVAILABLE"].contains(&code(no).as_str()));
    }
    world.assert_books().await;
}

/// [D-B8] [D-R16] The checklist shows which outputs are used, and that a hash belongs to a payment of the other direction.
#[sqlx::test(migrations = false)]
async fn the_checklist_tells_the_uses_of_a_hash(pool: PgPool) {
    let world = World::new(pool).await;
    let used = async |id: &str| {
        let checks = world.review(id).await.checks;
        checks.into_iter().find(|check| check.name == "txid_used_before").unwrap()
    };
    let first = confirm(&world, Some(2)).await.unwrap();
    assert!(used(&first.id).await.ok);
    let paid = pay(&world, Some(3)).await.unwrap();
    let check = used(&paid.id).await;
    assert!(!check.ok && check.transaction_ids == [first.id.clone()]);
    assert!(check.detail.ends_with("Output 2 is used. It is the hash of a payment from outside."), "{}", check.detail);
    let claim = RequestDepositRequest { txid: HASH.to_owned(), ..deposit(10_000) };
    let claimed = world.deposit(&world.member(), claim).await.unwrap();
    let check = used(&claimed.id).await;
    assert!(!check.ok && check.transaction_ids.len() == 2);
    assert!(check.detail.ends_with("It is the hash of one of our payouts."), "{}", check.detail);
}

/// [D-B8] An output without its hash means nothing, and an approval of a withdrawal has neither.
#[sqlx::test(migrations = false)]
async fn an_output_needs_its_hash(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(20_000).await;
    let made = world.deposit(&member, deposit(10_000)).await.unwrap();
    let out = world.withdraw(&member, withdrawal(10_000)).await.unwrap();
    for (one, received) in [(&made, 10_000), (&out, 0)] {
        let no = refusal(world.approve_as(&world.reviewer, one, received, ("", Some(1))).await);
        assert_eq!((no.code.as_str(), no.fields[0].0.as_str()), ("VALIDATION_FAILED", "txid"));
    }
}
