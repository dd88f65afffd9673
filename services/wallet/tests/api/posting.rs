//! Many movements in one commit: the database decides each as if they came one after another.

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
use wallet::domain::account::{AccountRef, HouseAccount, MemberAccount, PlanAccount};
use wallet::domain::limits::{COURSE_PRICE, Limits};
use wallet::domain::posting_kind::{Cause, PostingKind};
use wallet::domain::transaction::record::Record;
use wallet::domain::transaction::{Details, MethodCopy, TradePart, Transaction};
use wallet::error::Error;
use wallet::events::published;
use wallet::posting::{Movement, Outcome, Posting, Precondition};

use crate::fixture::World;
use crate::treasury::{PLAN, fund_plan};

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

/// What is known of a trade: whose, how much, and where it stands.
type Trade = (MemberId, Cents, &'static str);

/// The rules in a few lines, for movements one after another.
#[derive(Default)]
struct Model {
    cents: HashMap<AccountRef, i64>,
    trades: HashMap<TradeId, Trade>,
    withdrawals: HashSet<MemberId>,
    courses: HashSet<MemberId>,
    lines: BTreeMap<TransactionId, (MemberId, i64)>,
    events: Vec<String>,
}

impl Model {
    fn decide(&mut self, movement: &Movement) -> Outcome {
        let user_id = movement.user_id;
        let stands_in_the_way = match movement.precondition {
            Some(Precondition::WithdrawalAllowed { .. }) if self.withdrawals.contains(&user_id) => {
                Some(Outcome::WithdrawalPending)
            }
            Some(Precondition::NoCourse) if self.courses.contains(&user_id) => Some(Outcome::CourseOwned),
            Some(Precondition::TradeUnknown { trade_id, .. }) if self.trades.contains_key(&trade_id) => {
                Some(Outcome::TradeKnown)
            }
            Some(Precondition::TradeFunded { trade_id, amount, .. })
                if self.trades.get(&trade_id) != Some(&(user_id, amount, "funded")) =>
            {
                Some(Outcome::TradeNotFunded)
            }
            _ => None,
        };
        if let Some(outcome) = stands_in_the_way {
            return outcome;
        }
        let mut cents = self.cents.clone();
        for (kind, (account, amount)) in
            movement.postings.iter().flat_map(|posting| posting.entries.iter().map(|entry| (posting.kind, *entry)))
        {
            let mut amount = amount.get();
            let before = cents.get(&account).copied().unwrap_or_default();
            let mut owes = false;
            if let AccountRef::Member(owner, MemberAccount::Available) = account {
                // Credits settle what is owed; what a reversal lacks is owed.
                let owed = cents.entry(AccountRef::Member(owner, MemberAccount::Owed)).or_default();
                let part = match kind {
                    PostingKind::Reversal => (before + amount).min(0),
                    _ => amount.min(-*owed).max(0),
                };
                owes = *owed < 0;
                *owed += part;
                amount -= part;
            }
            cents.insert(account, before + amount);
            if matches!(account, AccountRef::Member(..)) && before + amount < 0 {
                if let Some(Precondition::TradeUnknown { trade_id, amount, .. }) = movement.precondition {
                    self.trades.insert(trade_id, (user_id, amount, "refused"));
                }
                let spends = !matches!(movement.precondition, None | Some(Precondition::TradeFunded { .. }));
                return if owes && spends { Outcome::AmountOwed } else { Outcome::InsufficientFunds };
            }
        }
        self.cents = cents;
        match movement.precondition {
            Some(Precondition::WithdrawalAllowed { .. }) => drop(self.withdrawals.insert(user_id)),
            Some(Precondition::NoCourse) => drop(self.courses.insert(user_id)),
            Some(Precondition::TradeUnknown { trade_id, amount, .. }) => {
                self.trades.insert(trade_id, (user_id, amount, "funded"));
            }
            Some(Precondition::TradeFunded { trade_id, amount, .. }) => {
                self.trades.insert(trade_id, (user_id, amount, "settled"));
            }
            None => {}
        }
        self.lines.extend(movement.lines.iter().map(|line| (line.id, (line.user_id, line.amount.get()))));
        self.events.extend(movement.events.iter().map(|event| event.id.to_string()));
        Outcome::Applied
    }
}

fn transfer(user_id: MemberId, way: (AccountRef, AccountRef), cents: i64) -> Posting {
    let cause = Cause::Unchecked(Uuid::new_v4());
    Posting::transfer(PostingKind::Transfer, cause, user_id, way, Cents::new(cents)).unwrap()
}

pub fn one_transfer(user_id: MemberId, way: (AccountRef, AccountRef), cents: i64) -> Movement {
    Movement { user_id, postings: vec![transfer(user_id, way, cents)], ..Movement::default() }
}

/// Gives the plan all the cash that gains take; transfers have to be allowed.
pub async fn fill_plan(world: &World) {
    let way = (AccountRef::House(HouseAccount::Capital), AccountRef::Plan(PLAN, PlanAccount::Cash));
    assert_eq!(
        world.home().ledger.apply(one_transfer(PLAN.get().into(), way, 1 << 40)).await.unwrap(),
        Outcome::Applied
    );
}

pub fn withdrawal(user_id: MemberId, amount: Cents, now: OffsetDateTime) -> Movement {
    let method = MethodCopy {
        id: Uuid::new_v4().into(),
        currency: "USDT".into(),
        network: "TRC20".into(),
        address: String::new(),
        memo: String::new(),
        version: 1,
    };
    let line = Transaction::withdrawal(user_id, amount, method, (None, None), now).unwrap();
    let way = (AccountRef::available(user_id), AccountRef::held(user_id));
    let cause = Cause::Transaction(line.id);
    Movement {
        user_id,
        precondition: Some(Precondition::WithdrawalAllowed {
            amount,
            min: amount,
            allowances: Limits::default().allowances,
            at: now,
        }),
        postings: vec![Posting::transfer(PostingKind::WithdrawalHold, cause, user_id, way, amount).unwrap()],
        events: vec![published::withdrawal_requested(&line)],
        lines: vec![line],
    }
}

fn course(user_id: MemberId, now: OffsetDateTime) -> Movement {
    let line = Transaction::done(user_id, Details::Purchase, COURSE_PRICE, now);
    let way = (AccountRef::available(user_id), AccountRef::House(HouseAccount::CourseRevenue));
    let cause = Cause::Purchase(line.id);
    Movement {
        user_id,
        precondition: Some(Precondition::NoCourse),
        postings: vec![Posting::transfer(PostingKind::Course, cause, user_id, way, COURSE_PRICE).unwrap()],
        events: vec![published::course_unlocked(&line)],
        lines: vec![line],
    }
}

pub fn fund(user_id: MemberId, trade_id: TradeId, amount: Cents, at: OffsetDateTime) -> Movement {
    let line = Transaction::done(user_id, Details::Trade { part: TradePart::Invested, trade_id }, amount, at);
    let way = (AccountRef::available(user_id), AccountRef::invested(user_id));
    let cause = Cause::Trade(trade_id);
    let posting = Posting::transfer(PostingKind::TradeFund, cause, user_id, way, amount).unwrap();
    Movement {
        user_id,
        precondition: Some(Precondition::TradeUnknown { trade_id, amount, at }),
        postings: vec![posting.shown_as(line.id)],
        events: vec![published::trade_funded(trade_id, user_id)],
        lines: vec![line],
    }
}

/// What the balance lacks is owed.
fn reversal(user_id: MemberId, cents: i64) -> Movement {
    let way = (AccountRef::available(user_id), AccountRef::House(HouseAccount::Adjustments));
    let cause = Cause::Unchecked(Uuid::new_v4());
    let posting = Posting::transfer(PostingKind::Reversal, cause, user_id, way, Cents::new(cents)).unwrap();
    Movement { user_id, postings: vec![posting], ..Movement::default() }
}

/// With a gain of as much as was invested.
pub fn settle(user_id: MemberId, trade_id: TradeId, amount: Cents, at: OffsetDateTime) -> Movement {
    let (available, invested) = (AccountRef::available(user_id), AccountRef::invested(user_id));
    let cash = AccountRef::Plan(PLAN, PlanAccount::Cash);
    let parts = [
        (PostingKind::TradeSettle, TradePart::Returned, (invested, available)),
        (PostingKind::TradeGain, TradePart::Profit, (cash, available)),
    ];
    let mut movement = Movement {
        user_id,
        precondition: Some(Precondition::TradeFunded { trade_id, amount, value: amount.plus(amount).unwrap(), at }),
        events: vec![published::trade_settled(trade_id, user_id)],
        ..Movement::default()
    };
    for (kind, part, way) in parts {
        let line = Transaction::done(user_id, Details::Trade { part, trade_id }, amount, at);
        let posting = Posting::transfer(kind, Cause::Trade(trade_id), user_id, way, amount).unwrap();
        movement.postings.push(posting.shown_as(line.id));
        movement.lines.push(line);
    }
    movement
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

/// [D-B1] [D-B2] The function refuses what no cause allows: another kind of cause, one that is not decided, of another
/// amount or member, already posted, or between other accounts.
#[sqlx::test(migrations = false)]
async fn nothing_moves_without_its_cause(pool: PgPool) {
    let world = World::in_buckets(pool, 1).await;
    let member = world.member_with(10_000).await;
    let other = world.member_with(10_000).await;
    let pending = world.deposit(&member, crate::fixture::deposit(20_000)).await.unwrap();
    let pending: Uuid = pending.id.parse().unwrap();
    fund_plan(&world, 100).await;
    let settlement = AccountRef::House(HouseAccount::Settlement);
    let available = AccountRef::available(member.id);
    let deposit = |cause, way, cents| (PostingKind::Deposit, cause, way, cents);
    let attempts = [
        deposit(Cause::Transaction(Uuid::new_v4().into()), (settlement, available), 100),
        deposit(Cause::Transaction(pending.into()), (settlement, available), 20_000),
        deposit(Cause::Proposal(pending.into()), (settlement, available), 20_000),
        (
            PostingKind::AdjustmentCredit,
            Cause::Proposal(Uuid::new_v4().into()),
            (AccountRef::House(HouseAccount::Adjustments), available),
            100,
        ),
        (
            PostingKind::Bonus,
            Cause::Proposal(Uuid::new_v4().into()),
            (AccountRef::House(HouseAccount::BonusExpense), AccountRef::bonus(member.id)),
            100,
        ),
        (
            PostingKind::TradeGain,
            Cause::Trade(Uuid::new_v4().into()),
            (AccountRef::Plan(PLAN, PlanAccount::Cash), available),
            100,
        ),
        (PostingKind::FeeCredit, Cause::Transaction(pending.into()), (settlement, available), 20_000),
        (PostingKind::WithdrawalHold, Cause::Transaction(Uuid::new_v4().into()), (settlement, available), 100),
        (
            PostingKind::WithdrawalHold,
            Cause::Transaction(Uuid::new_v4().into()),
            (AccountRef::available(other.id), AccountRef::held(member.id)),
            100,
        ),
        (PostingKind::Transfer, Cause::Unchecked(Uuid::new_v4()), (settlement, available), 100),
    ];
    for (kind, cause, way, cents) in attempts {
        let posting = Posting::transfer(kind, cause, member.id, way, Cents::new(cents)).unwrap();
        let movement = Movement { user_id: member.id, postings: vec![posting], ..Movement::default() };
        let no = world.home().ledger.apply(movement).await.unwrap_err();
        let Error::Database(no) = no else { panic!("{kind:?}: {no:?}") };
        let constraint = chassis::db::constraint(&no).unwrap_or_default();
        assert!(["postings_cause", "postings_kind", "postings_accounts"].contains(&constraint), "{kind:?}: {no}");
    }
    assert_eq!(world.count("SELECT count(*) FROM postings").await, 4);
    world.assert_books().await;
}

/// [D-B5] The chain covers the posting's header: who changes kind, cause, member, line or time breaks it.
#[sqlx::test(migrations = false)]
async fn a_rewritten_header_breaks_the_chain(pool: PgPool) {
    const BROKEN: &str = "SELECT count(*) FROM entries JOIN postings ON postings.id = posting_id
        WHERE hash <> entry_hash('', account_id, posting_id, amount_cents, balance_after_cents, posting_header(postings))";
    let world = World::new(pool).await;
    world.member_with(10_000).await;
    assert_eq!(world.count(BROKEN).await, 0);
    for change in [
        "kind = 'course'",
        "cause_type = 'purchase'",
        "business_id = gen_random_uuid()",
        "user_id = gen_random_uuid()",
        "transaction_id = NULL",
        "created_at = created_at - interval '400 days'",
    ] {
        let mut tx = world.home().db.begin().await.unwrap();
        sqlx::raw_sql("ALTER TABLE postings DISABLE TRIGGER ALL").execute(&mut *tx).await.unwrap();
        sqlx::raw_sql(sqlx::AssertSqlSafe(format!("UPDATE postings SET {change}"))).execute(&mut *tx).await.unwrap();
        let broken: i64 = sqlx::query_scalar(BROKEN).fetch_one(&mut *tx).await.unwrap();
        assert_eq!(broken, 2, "{change}");
        tx.rollback().await.unwrap();
    }
}

/// The kinds of postings and the accounts of the house in code are those of the reference table and the ledger.
#[sqlx::test(migrations = false)]
async fn kinds_and_accounts_are_those_of_the_database(pool: PgPool) {
    let world = World::new(pool).await;
    let kinds: Vec<String> =
        sqlx::query_scalar("SELECT DISTINCT kind FROM posting_kinds").fetch_all(&world.pool).await.unwrap();
    let known = PostingKind::VARIANTS
        .iter()
        .filter(|kind| **kind != PostingKind::Transfer)
        .map(|kind| kind.into_str().to_owned());
    assert_eq!(kinds.into_iter().collect::<HashSet<_>>(), known.collect());
    let accounts: Vec<(i64, String)> =
        sqlx::query_as("SELECT id - 100 * bucket(), kind FROM accounts WHERE user_id IS NULL")
            .fetch_all(&world.pool)
            .await
            .unwrap();
    let known = HouseAccount::VARIANTS.iter().map(|one| (one.id(), one.into_str().to_owned()));
    assert_eq!(accounts.into_iter().collect::<HashSet<_>>(), known.collect());
}

/// [D-B1] Every account of a rule has an amount that `named_amount` knows, unless the posting reverses another: without one, the
/// check of the ledger would expect no posting, and a fault pauses withdrawals.
#[sqlx::test(migrations = false)]
async fn every_rule_says_what_each_account_moves(pool: PgPool) {
    let world = World::new(pool).await;
    let wrong: Vec<String> = sqlx::query_scalar(
        "SELECT format('%s (%s)', kind, cause_type) FROM posting_kinds
         WHERE CASE WHEN debit_amounts IS NULL THEN reverses IS NULL OR credit_amounts IS NOT NULL
            ELSE cardinality(debits) <> cardinality(debit_amounts) OR cardinality(credits) <> cardinality(credit_amounts)
                OR cardinality(debits) = 0 OR EXISTS (SELECT FROM unnest(debit_amounts || credit_amounts) AS name
                    WHERE num_nonnulls(named_amount(name, 5, 3), named_amount(name, 3, 5)) = 0) END",
    )
    .fetch_all(&world.pool)
    .await
    .unwrap();
    assert_eq!(wrong, Vec::<String>::new());
}

/// The README's table states every rule as the database has it.
#[sqlx::test(migrations = false)]
async fn the_readme_states_every_rule(pool: PgPool) {
    const RULES: &str = "SELECT format('| `%s` | %s, %s | %s → %s |', kind, cause_type, cause_status,
            (SELECT string_agg(account || coalesce(' (' || nullif(debit_amounts[n], 'amount') || ')', ''), ', ' ORDER BY n)
                FROM unnest(debits) WITH ORDINALITY AS one (account, n)),
            (SELECT string_agg(account || coalesce(' (' || nullif(credit_amounts[n], 'amount') || ')', ''), ', ' ORDER BY n)
                FROM unnest(credits) WITH ORDINALITY AS one (account, n)))
        FROM posting_kinds";
    let world = World::new(pool).await;
    let rules: HashSet<String> = sqlx::query_scalar(RULES).fetch_all(&world.pool).await.unwrap().into_iter().collect();
    let written =
        include_str!("../../README.md").lines().filter(|line| line.starts_with("| `") && line.contains(" → "));
    let written: HashSet<String> = written.map(|line| line.split_inclusive(" |").take(3).collect::<String>()).collect();
    assert_eq!(written, rules);
}

/// [L9] A transaction is sent by the positions of its fields: the type in the database has the same ones in the same order.
#[sqlx::test(migrations = false)]
async fn the_type_of_a_transaction_has_the_fields_of_its_record(pool: PgPool) {
    const FIELDS: &str = "SELECT attname FROM pg_attribute JOIN pg_type ON typrelid = attrelid
        WHERE pg_type.oid = 'ledger_transaction'::regtype ORDER BY attnum";
    let world = World::new(pool).await;
    let fields: Vec<String> = sqlx::query_scalar(FIELDS).fetch_all(&world.pool).await.unwrap();
    assert_eq!(fields, Record::FIELDS);
}

/// [A16] [D-H5] A commit reads a few rows of its own members, by plans that its connection made while the tables were empty:
/// they hold until the tables are analyzed, which may be much later.
#[sqlx::test(migrations = false)]
async fn plans_of_empty_tables_read_no_rows_of_others(pool: PgPool) {
    const READ: &str = "SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint FROM pg_stat_xact_user_tables
        WHERE relname IN ('accounts', 'transactions', 'trade_fundings', 'postings', 'idempotency_keys')";
    let world = World::new(pool).await;
    world.allow_transfers().await;
    fill_plan(&world).await;
    let now = world.home().ledger.now().await.unwrap();
    let mut tx = world.home().ledger.db().begin().await.unwrap();
    let mut reads = Vec::new();
    for _ in 0..300 {
        let (user_id, trade_id, amount) = (Uuid::new_v4().into(), Uuid::new_v4().into(), Cents::new(1_000));
        let way = (AccountRef::House(HouseAccount::Adjustments), AccountRef::available(user_id));
        let before: i64 = sqlx::query_scalar(READ).fetch_one(&mut *tx).await.unwrap();
        for movement in [
            one_transfer(user_id, way, 5_000),
            fund(user_id, trade_id, amount, now),
            settle(user_id, trade_id, amount, now),
            withdrawal(user_id, amount, now),
        ] {
            movement.apply(&mut tx).await.unwrap();
        }
        let after: i64 = sqlx::query_scalar(READ).fetch_one(&mut *tx).await.unwrap();
        reads.push(after - before);
    }
    assert!(reads[299] <= reads[9], "{} rows for the 10th member, {} for the 300th", reads[9], reads[299]);
}

/// [A16] [D-H5] A commit reads as little for a member with a long history, by plans that its connection made before.
#[sqlx::test(migrations = false)]
async fn a_long_history_costs_a_commit_nothing(pool: PgPool) {
    const LINES: &str =
        "INSERT INTO transactions (id, user_id, kind, description, status, direction, amount_cents, related_id,
            decided_at, created_at)
        SELECT gen_random_uuid(), $1, 'trade', 'x', 'success', 'debit', 100, gen_random_uuid(), now(),
            now() - number * interval '1 minute'
        FROM generate_series(1, 20000) AS number";
    const BLOCKS: &str = "SELECT sum(pg_stat_get_xact_blocks_fetched(indexrelid))::bigint FROM pg_index
        WHERE indrelid = 'transactions'::regclass";
    let world = World::new(pool).await;
    world.allow_transfers().await;
    fill_plan(&world).await;
    let now = world.home().ledger.now().await.unwrap();
    let mut tx = world.home().ledger.db().begin().await.unwrap();
    let user_id = Uuid::new_v4().into();
    let mut reads = Vec::new();
    for round in 0..12 {
        if round == 10 {
            sqlx::query(LINES).bind(user_id).execute(&mut *tx).await.unwrap();
        }
        let (trade_id, amount) = (Uuid::new_v4().into(), Cents::new(1_000));
        let way = (AccountRef::House(HouseAccount::Adjustments), AccountRef::available(user_id));
        let before: i64 = sqlx::query_scalar(BLOCKS).fetch_one(&mut *tx).await.unwrap();
        for movement in [
            one_transfer(user_id, way, 5_000),
            fund(user_id, trade_id, amount, now),
            settle(user_id, trade_id, amount, now),
        ] {
            movement.apply(&mut tx).await.unwrap();
        }
        let after: i64 = sqlx::query_scalar(BLOCKS).fetch_one(&mut *tx).await.unwrap();
        reads.push(after - before);
    }
    assert!(reads[11] <= 3 * reads[9], "{} blocks before, {} with 20,000 lines more", reads[9], reads[11]);
}
