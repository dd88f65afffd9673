//! Many movements in one commit: the database decides each as if they came one after another.

use std::collections::{HashMap, HashSet};

use chassis::idempotency::Claim;
use chassis::money::Cents;
use futures::future::join_all;
use proto::common::v1::Idempotency;
use sqlx::PgPool;
use uuid::Uuid;
use wallet::domain::account::{AccountRef, HouseAccount, MemberAccount};
use wallet::posting::{Guard, Movement, Posting};

use crate::fixture::World;

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

/// The rules in a few lines: movements one after another, those that share a key or trade with one before them later.
#[derive(Default)]
struct Model {
    cents: HashMap<AccountRef, i64>,
    known: HashSet<Uuid>,
    keys: HashSet<(Uuid, String)>,
    trades: HashSet<Uuid>,
}

impl Model {
    /// Whether each is applied.
    fn apply(&mut self, movements: &[(Movement, Option<String>)]) -> Vec<bool> {
        let mut applied = vec![false; movements.len()];
        let mut waiting: Vec<usize> = (0..movements.len()).collect();
        while !waiting.is_empty() {
            let mut seen = HashSet::new();
            let (now, later) = waiting.into_iter().partition(|place| {
                let (movement, key) = &movements[*place];
                let subjects = [key.clone(), trade(movement).map(|id| id.to_string())];
                let is_first = subjects.iter().flatten().all(|one| !seen.contains(one));
                if is_first {
                    seen.extend(subjects.into_iter().flatten());
                }
                is_first
            });
            waiting = later;
            let batch: Vec<usize> = now;
            for place in batch {
                let (movement, key) = &movements[place];
                applied[place] = self.one(movement, key.clone());
            }
        }
        applied
    }

    fn one(&mut self, movement: &Movement, key: Option<String>) -> bool {
        let key = key.map(|key| (movement.user_id, key));
        if key.as_ref().is_some_and(|key| self.keys.contains(key))
            || trade(movement).is_some_and(|trade| self.trades.contains(&trade))
        {
            return false;
        }
        let mut cents = self.cents.clone();
        for (account, amount) in movement.postings.iter().flat_map(|posting| &posting.legs) {
            let balance = cents.entry(*account).or_default();
            *balance += amount.get();
            if let AccountRef::Member(owner, _) = account
                && (*balance < 0 || !self.known.contains(owner))
            {
                return false;
            }
        }
        self.cents = cents;
        self.keys.extend(key);
        self.trades.extend(trade(movement));
        true
    }
}

fn trade(movement: &Movement) -> Option<Uuid> {
    match movement.guard {
        Some(Guard::Fund { trade_id, .. }) => Some(trade_id),
        _ => None,
    }
}

/// [L1] [L2] [L3] [L4] [L5] [L7] [L8] Random commits with duplicates, overdrafts, unknown accounts and several postings
/// on one account: the same verdicts and balances as a model that knows no commits, and every chain whole.
#[sqlx::test(migrations = false)]
async fn commits_of_many_decide_as_one_after_another(pool: PgPool) {
    decide_as_the_model(pool, 40, 60, 3).await;
}

/// [L1] [L2] [L3] [L4] [L5] [L7] [L8] The same for transfers that come alone, which the database has a function of its own
/// for.
#[sqlx::test(migrations = false)]
async fn transfers_alone_decide_as_the_model(pool: PgPool) {
    decide_as_the_model(pool, 600, 1, 1).await;
}

/// So many times up to so many movements at once, each of up to so many postings.
async fn decide_as_the_model(pool: PgPool, times: usize, most: u64, most_postings: u64) {
    let world = World::new(pool).await;
    let ledger = &world.doors.ledger;
    let (mut numbers, mut model) = (Numbers(0x5eed), Model::default());
    let mut members = Vec::new();
    for cents in [500, 700, 900, 1_100, 1_300] {
        let member = world.member_with(cents).await.id;
        model.cents.insert(AccountRef::available(member), cents);
        model.known.insert(member);
        members.push(member);
    }
    let settlement = -model.cents.values().sum::<i64>();
    model.cents.insert(AccountRef::House(HouseAccount::Settlement), settlement);
    members.push(Uuid::new_v4());
    let trades: Vec<Uuid> = (0..40).map(|_| Uuid::new_v4()).collect();
    let now = ledger.now().await.unwrap();
    for _ in 0..times {
        let mut movements = Vec::new();
        for _ in 0..numbers.below(most) + 1 {
            let user_id = numbers.of(&members);
            let mut postings = Vec::new();
            for _ in 0..numbers.below(most_postings) + 1 {
                let accounts = [
                    AccountRef::available(user_id),
                    AccountRef::invested(user_id),
                    AccountRef::available(numbers.of(&members)),
                    AccountRef::House(HouseAccount::InvestmentPool),
                ];
                let (from, to) = (numbers.of(&accounts), numbers.of(&accounts));
                if from != to {
                    let amount = Cents::new(numbers.below(300).cast_signed() + 1);
                    postings.push(Posting::transfer("move", user_id, Uuid::new_v4(), from, to, amount).unwrap());
                }
            }
            let trade_id = numbers.of(&trades);
            let is_trade = numbers.below(5) == 0;
            let guard = is_trade.then_some(Guard::Fund { trade_id, amount: Cents::new(1), at: now });
            let key = (numbers.below(2) == 0).then(|| format!("{user_id} {}", numbers.below(50)));
            if !postings.is_empty() {
                movements.push((Movement { user_id, guard, postings, ..Movement::default() }, key));
            }
        }
        let expected = model.apply(&movements);
        let results = join_all(movements.into_iter().map(|(movement, key)| async move {
            let message = key.map(|key| Idempotency { key, route: "POST /v1/test".into(), fingerprint: vec![1] });
            let claim = Claim::of(movement.user_id, message.as_ref(), "test").unwrap();
            ledger.apply(movement, claim.as_ref(), ()).await.unwrap().is_some()
        }));
        assert_eq!(results.await, expected);
    }
    for member in &members[..5] {
        for kind in MemberAccount::ALL {
            let expected = model.cents.get(&AccountRef::Member(*member, kind)).copied().unwrap_or_default();
            let stored: i64 = sqlx::query_scalar("SELECT balance_cents FROM accounts WHERE user_id = $1 AND kind = $2")
                .bind(member)
                .bind(kind.as_str())
                .fetch_one(&world.pool)
                .await
                .unwrap();
            assert_eq!(stored, expected);
        }
    }
    let pool_cents = model.cents.get(&AccountRef::House(HouseAccount::InvestmentPool)).copied().unwrap_or_default();
    assert_eq!(world.house("investment_pool").await, pool_cents);
    assert_eq!(world.count("SELECT count(*) FROM idempotency_keys").await, i64::try_from(model.keys.len()).unwrap());
    assert_eq!(world.count("SELECT count(*) FROM trade_fundings").await, i64::try_from(model.trades.len()).unwrap());
    world.assert_books().await;
}

/// [L8] What the database refuses as a whole harms no neighbour: each finds out alone.
#[sqlx::test(migrations = false)]
async fn a_posting_that_cannot_be_harms_no_neighbour(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member_with(10_000).await.id;
    let (from, to) = (AccountRef::available(member), AccountRef::invested(member));
    let movement = |cents, business_id| Movement {
        user_id: member,
        postings: vec![
            Posting::transfer("move", member, business_id, from, to, Cents::new(cents)).unwrap().settling(business_id),
        ],
        ..Movement::default()
    };
    let ledger = &world.doors.ledger;
    let posted = Uuid::new_v4();
    assert!(ledger.apply(movement(10, posted), None, ()).await.unwrap().is_some());
    let results =
        join_all([movement(10, Uuid::new_v4()), movement(10, posted)].map(|one| ledger.apply(one, None, ()))).await;
    assert!(results.into_iter().all(|result| result.unwrap().is_none()));
    assert_eq!(world.count("SELECT count(*) FROM postings WHERE kind = 'move'").await, 1);
    assert!(ledger.apply(movement(10, Uuid::new_v4()), None, ()).await.unwrap().is_some());
    world.assert_books().await;
}
