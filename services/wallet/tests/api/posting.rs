//! Many movements in one commit: the database decides each as if they came one after another.

mod causes;
mod model;
mod movements;
mod reads;
mod rules;

use chassis::id::{MemberId, TradeId, TransactionId};
use std::collections::{BTreeMap, HashMap, HashSet};

use chassis::idempotency::Claim;
use chassis::money::Cents;
use futures::future::join_all;
use proto::common::v1::Idempotency;
use sqlx::PgPool;
use sqlx::types::time::OffsetDateTime;
use strum::VariantArray;
use uuid::Uuid;
use wallet::domain::account::{AccountRef, HouseAccount, MemberAccount};
use wallet::error::Error;
use wallet::posting::{Movement, Outcome};

use crate::fixture::World;
use crate::posting::model::Model;
use crate::posting::movements::{course, fill_plan, fund, one_transfer, reversal, settle, transfer, withdrawal};

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    fn of<T: Copy>(&mut self, some: &[T]) -> T {
        some[usize::try_from(self.below(some.len() as u64)).unwrap()]
    }
}

/// Members with money, and the model of them.
async fn members(world: &World) -> (Vec<MemberId>, Model) {
    let (mut members, mut model) = (Vec::new(), Model::default());
    for cents in [5_000, 17_000, 9_000, 21_000, 13_000, 40_000] {
        let member = world.member_with(cents).await.id;
        model.cents.insert(AccountRef::available(member), cents);
        members.push(member);
    }
    world.allow_transfers().await;
    fill_plan(world).await;
    (members, model)
}

/// Any of all movements there are.
fn movement(numbers: &mut Numbers, members: &[MemberId], trades: &[TradeId], now: OffsetDateTime) -> Movement {
    let user_id = numbers.of(members);
    let trade = numbers.of(trades);
    // Most of the time the same terms for the same trade.
    let amount = Cents::new(i64::from(trade.get().as_bytes()[0]) + 1 + i64::from(numbers.below(10) == 0));
    match numbers.below(9) {
        8 => reversal(user_id, numbers.below(9_000).cast_signed() + 1),
        0 => withdrawal(user_id, Cents::new(numbers.below(9_000).cast_signed() + 100), now),
        1 => course(user_id, now),
        2 => fund(user_id, trade, amount, now),
        3 => settle(user_id, trade, amount, now),
        _ => {
            let mut postings = Vec::new();
            for _ in 0..=numbers.below(3) {
                let accounts = [
                    AccountRef::available(user_id),
                    AccountRef::Member(user_id, MemberAccount::Bonus),
                    AccountRef::available(numbers.of(members)),
                    AccountRef::House(HouseAccount::Adjustments),
                ];
                let (from, to) = (numbers.of(&accounts), numbers.of(&accounts));
                if from != to {
                    postings.push(transfer(user_id, (from, to), numbers.below(3_000).cast_signed() + 1));
                }
            }
            if postings.is_empty() {
                postings.push(transfer(user_id, (AccountRef::available(user_id), AccountRef::bonus(user_id)), 1));
            }
            Movement { user_id, postings, ..Movement::default() }
        }
    }
}

/// What is there is what the model has: balances, trades, lines of histories, events, and no more.
async fn assert_same(world: &World, model: &Model, members: &[MemberId]) {
    for (member, kind) in
        members.iter().flat_map(|member| MemberAccount::VARIANTS.iter().map(move |kind| (member, *kind)))
    {
        let expected = model.cents.get(&AccountRef::Member(*member, kind)).copied().unwrap_or_default();
        let stored: i64 = sqlx::query_scalar("SELECT balance_cents FROM accounts WHERE user_id = $1 AND kind = $2")
            .bind(member)
            .bind(kind.into_str())
            .fetch_optional(&world.pool)
            .await
            .unwrap()
            .unwrap_or_default();
        assert_eq!(stored, expected, "{kind:?} of {member}");
    }
    let trades: Vec<(TradeId, MemberId, i64, String)> =
        sqlx::query_as("SELECT trade_id, user_id, amount_cents, status FROM trade_fundings")
            .fetch_all(&world.pool)
            .await
            .unwrap();
    let trades: HashMap<TradeId, (MemberId, Cents, &str)> =
        trades.iter().map(|(id, user, cents, status)| (*id, (*user, Cents::new(*cents), status.as_str()))).collect();
    assert_eq!(trades, model.trades);
    let lines: Vec<(TransactionId, MemberId, i64)> =
        sqlx::query_as("SELECT id, user_id, amount_cents FROM transactions WHERE kind <> 'deposit'")
            .fetch_all(&world.pool)
            .await
            .unwrap();
    let lines: BTreeMap<TransactionId, (MemberId, i64)> =
        lines.into_iter().map(|(id, user, cents)| (id, (user, cents))).collect();
    assert_eq!(lines, model.lines);
    let mut events: Vec<String> =
        sqlx::query_scalar("SELECT event_id::text FROM outbox WHERE key NOT LIKE '%.deposit%'")
            .fetch_all(&world.pool)
            .await
            .unwrap();
    let mut expected = model.events.clone();
    events.sort_unstable();
    expected.sort_unstable();
    assert_eq!(events, expected);
    world.assert_books().await;
}

/// [L1] [L2] [L3] [L4] [L5] [L8] [T2] [T5] [Q2] [D-B9] Random commits of everything that moves money, with every
/// precondition, overdrafts, reversals that are owed and settled, and several postings on one account: the same outcomes, balances, trades, histories and events as a model
/// that knows no commits.
#[sqlx::test(migrations = false)]
async fn commits_of_many_decide_as_one_after_another(pool: PgPool) {
    let world = World::new(pool).await;
    let ledger = &world.home().ledger;
    let (members, mut model) = members(&world).await;
    let (mut numbers, mut seen) = (Numbers(0x5eed), HashSet::new());
    let trades: Vec<TradeId> = (0..30).map(|_| Uuid::new_v4().into()).collect();
    let now = ledger.now().await.unwrap();
    for _ in 0..25 {
        let count = numbers.below(60) + 1;
        let movements: Vec<Movement> = (0..count).map(|_| movement(&mut numbers, &members, &trades, now)).collect();
        let expected: Vec<Outcome> = movements.iter().map(|movement| model.decide(movement)).collect();
        let outcomes = join_all(movements.into_iter().map(|movement| ledger.apply(movement))).await;
        let outcomes: Vec<Outcome> = outcomes.into_iter().map(Result::unwrap).collect();
        assert_eq!(outcomes, expected);
        seen.extend(outcomes);
    }
    assert_same(&world, &model, &members).await;
    assert_eq!(seen.len(), 7, "{seen:?}");
}

/// [L7] [L8] [L9] [D-G4] [D-R10] The same one at a time under keys, of which some repeat: the answer that was given, a
/// refusal too, and no second effect.
#[sqlx::test(migrations = false)]
async fn movements_under_keys_decide_as_the_model(pool: PgPool) {
    let world = World::new(pool).await;
    let ledger = &world.home().ledger;
    let (members, mut model) = members(&world).await;
    let (mut numbers, mut answers) = (Numbers(0xfeed), HashMap::<(MemberId, u64), String>::new());
    let trades: Vec<TradeId> = (0..30).map(|_| Uuid::new_v4().into()).collect();
    let now = ledger.now().await.unwrap();
    for _ in 0..200 {
        let movement = movement(&mut numbers, &members, &trades, now);
        let slot = (movement.user_id, numbers.below(30));
        let message = Idempotency { key: slot.1.to_string(), route: "POST /v1/test".into(), fingerprint: vec![1] };
        let claim = Claim::of(movement.user_id, Some(&message), "test").unwrap();
        let known = answers.get(&slot).cloned();
        let expected = known.clone().unwrap_or_else(|| match model.decide(&movement).into_result() {
            Ok(()) => "ok".to_owned(),
            Err(error) => error.to_string().to_lowercase(),
        });
        let is_replay = known.is_some();
        let said = match ledger.post(movement, claim, ()).await {
            Ok(answer) => {
                assert_eq!(answer.replayed.is_some(), is_replay);
                "ok".to_owned()
            }
            Err(error) => error.to_string().to_lowercase(),
        };
        assert_eq!(said.trim_end_matches('.'), expected.trim_end_matches('.'));
        answers.insert(slot, expected);
    }
    let kept = i64::try_from(answers.len()).unwrap();
    assert_eq!(world.count("SELECT count(*) FROM idempotency_keys").await, kept);
    assert_same(&world, &model, &members).await;
}

/// [A5] [L8] What the database refuses as a whole harms no neighbour, and says what is wrong with the one.
#[sqlx::test(migrations = false)]
async fn a_posting_that_cannot_be_harms_no_neighbour(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(10_000).await.id;
    world.allow_transfers().await;
    let way = (AccountRef::available(member), AccountRef::invested(member));
    let ledger = &world.home().ledger;
    let posted = one_transfer(member, way, 10);
    assert_eq!(ledger.apply(posted.clone()).await.unwrap(), Outcome::Applied);
    let fresh = || one_transfer(member, way, 10);
    let results = join_all([fresh(), posted, fresh()].map(|one| ledger.apply(one))).await;
    assert!(matches!(results[..], [Ok(Outcome::Applied), Err(Error::AlreadyPosted), Ok(Outcome::Applied)]));
    assert_eq!(world.count("SELECT count(*) FROM postings WHERE kind = 'transfer'").await, 3);
    world.assert_books().await;
}
