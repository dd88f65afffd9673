//! Years of deposits, payouts, replacements, reorganisations, outages and rate jumps, after which what is held is explained to
//! the satoshi.

#![expect(clippy::print_stdout, reason = "a failure is repeated with its seed")]

use std::collections::{BTreeMap, BTreeSet};

use chassis::testing::with_token;
use payment_method::app::get_holdings::{AssetHolding, Holdings, get_holdings};
use payment_method::app::observe_chain::observe_chain;
use payment_method::clients::chain::Chain;
use payment_method::domain::address;
use payment_method::domain::network::Format;
use proto::payment_method::v1::evidence_service_server::EvidenceService;
use proto::payment_method::v1::{
    ConsumedPayment, GetConsumedRequest, MatchPayoutsRequest, NoteConsumedRequest, PayoutMatch,
};
use sqlx::PgPool;
use uuid::Uuid;

use crate::chain::rate;
use crate::fixture::{BITCOIN, World};
use crate::own_addresses::{derive, vector};
use crate::scripted::{Scripted, THEIRS, Tx};

const TAPROOT: &str = "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0";
const DAYS: u32 = 1_000;
/// Own addresses of members, enough for all days.
const OWN: u32 = 600;
const SEED: u64 = 20_261_125;

/// Numbers that look random and are the same for the same seed (splitmix64).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % sides
    }

    /// One in this many.
    fn hits(&mut self, of: u64) -> bool {
        self.roll(of) == 0
    }
}

struct Simulation {
    world: World,
    node: Scripted,
    chain: Chain,
    dice: Dice,
    /// The scripts of the platform, those of members' own addresses included.
    ours: BTreeSet<String>,
    /// Those that members share.
    shared: Vec<String>,
    /// Own addresses that no deposit was made to.
    unused: Vec<String>,
    /// What the wallet credited and paid, by payment, in satoshi: what a payment is consumed for.
    books: BTreeMap<(String, u32, bool), u64>,
    sweeps: u32,
    batches: u32,
    /// Transactions that no withdrawal accounts for.
    thefts: BTreeSet<String>,
    replaced: u32,
    undone: u32,
    outages: u32,
}

impl Simulation {
    async fn new(pool: PgPool, seed: u64) -> Self {
        let world = World::new(pool).await;
        let mut ours = BTreeSet::new();
        for one in [BITCOIN, TAPROOT] {
            world.platform("BTC", "Bitcoin", one).await;
            ours.insert(address::script(Format::Bitcoin, one).unwrap());
        }
        rate(&world.pool, "BTC", 100_000_000_000).await;
        let shared: Vec<_> = ours.iter().cloned().collect();
        world.platform("BTC", "Bitcoin", &vector("Bitcoin").key).await;
        let own = derive(&world, ("bitcoin", "Bitcoin"), OWN).await;
        let unused: Vec<_> = own.iter().map(|one| address::script(Format::Bitcoin, one).unwrap()).collect();
        ours.extend(unused.iter().cloned());
        let node = Scripted::default();
        let chain = node.serve().await;
        Self {
            world,
            node,
            chain,
            dice: Dice(seed),
            ours,
            shared,
            unused,
            books: BTreeMap::new(),
            sweeps: 0,
            batches: 0,
            thefts: BTreeSet::new(),
            replaced: 0,
            undone: 0,
            outages: 0,
        }
    }

    fn own_script(&mut self) -> String {
        let place = usize::try_from(self.dice.roll(2)).unwrap();
        self.shared[place].clone()
    }

    /// To a shared address, or to one that only this deposit has; an exchange may have taken its fee on the way.
    fn deposit(&mut self) -> Tx {
        let outs = 1 + self.dice.roll(2);
        let mut to = || match self.dice.hits(2).then(|| self.unused.pop()).flatten() {
            Some(own) => own,
            None => self.own_script(),
        };
        let places: Vec<_> = (0..outs).map(|_| to()).collect();
        let outs = places.into_iter().map(|to| (to, 100_000 + self.dice.roll(20_000_000))).collect();
        Tx { spends: Vec::new(), outs, fee: 0, conflicts: BTreeSet::new() }
    }

    /// Pays one or two people from up to three coins, with a fee, and the rest comes back.
    fn payout(&mut self) -> Option<Tx> {
        let coins = self.node.history().unspent(&self.ours);
        let first = usize::try_from(self.dice.roll(coins.len().max(1) as u64)).unwrap();
        let coins: Vec<_> = coins.into_iter().skip(first).take(3).collect();
        let total: u64 = coins.iter().map(|(.., satoshi)| satoshi).sum();
        let fee = 200 + self.dice.roll(5_000);
        if total < 50_000 {
            return None;
        }
        let share = (total - fee) / (3 + self.dice.roll(4));
        let mut outs = vec![(THEIRS.to_owned(), share)];
        if self.dice.hits(3) {
            outs.push((THEIRS.to_owned(), share / 2));
        }
        if self.dice.hits(6) {
            // A batch.
            outs.extend((1..=5).map(|part| (THEIRS.to_owned(), share / (20 + part))));
            self.batches += 1;
        }
        let back = total - fee - outs.iter().map(|(_, satoshi)| satoshi).sum::<u64>();
        outs.push((self.own_script(), back));
        Some(Tx { spends: coins.into_iter().map(|(place, ..)| place).collect(), outs, fee, conflicts: BTreeSet::new() })
    }

    /// Moves what own addresses hold to a shared one.
    fn sweep(&mut self) -> Option<Tx> {
        let coins = self.node.history().unspent(&self.ours);
        let coins: Vec<_> = coins.into_iter().filter(|(_, script, _)| !self.shared.contains(script)).take(30).collect();
        let total: u64 = coins.iter().map(|(.., satoshi)| satoshi).sum();
        let fee = 500 + 100 * coins.len() as u64;
        let outs = vec![(self.own_script(), total.checked_sub(fee)?)];
        self.sweeps += 1;
        Some(Tx { spends: coins.into_iter().map(|(place, ..)| place).collect(), outs, fee, conflicts: BTreeSet::new() })
    }

    /// Replaces a transaction that waits: one of ours with a higher fee, another one with another amount.
    fn replace(&mut self) {
        let waiting = self.node.history().waiting.clone();
        let place = usize::try_from(self.dice.roll(waiting.len().max(1) as u64)).unwrap();
        let Some(txid) = waiting.get(place).cloned() else { return };
        let before = self.node.history().txs[&txid].clone();
        let mut instead = if before.spends.is_empty() { self.deposit() } else { before.clone() };
        if !before.spends.is_empty() {
            instead.fee += 1_000;
            instead.outs.last_mut().unwrap().1 -= 1_000;
            instead.conflicts.clear();
        }
        let by = self.node.history().replace(&txid, instead);
        if self.thefts.contains(&txid) {
            self.thefts.insert(by);
        }
        self.replaced += 1;
    }

    /// What happens on a day, before anybody looks.
    async fn day(&mut self) {
        if self.dice.hits(2) {
            let deposit = self.deposit();
            self.node.history().send(deposit);
        }
        if self.dice.hits(3)
            && let Some(payout) = self.payout()
        {
            let txid = self.node.history().send(payout);
            if self.dice.hits(40) {
                self.thefts.insert(txid);
            }
        }
        if self.dice.hits(30)
            && let Some(sweep) = self.sweep()
        {
            self.node.history().send(sweep);
        }
        if self.dice.hits(8) {
            self.replace();
        }
        if self.dice.hits(15) {
            let depth = usize::try_from(1 + self.dice.roll(4)).unwrap();
            self.node.history().undo(depth);
            if self.dice.hits(3) {
                self.replace();
            }
            (0..=depth).for_each(|_| self.node.history().mine(false));
            self.undone += 1;
        }
        for _ in 0..1 + self.dice.roll(3) {
            let is_full = !self.dice.hits(4);
            self.node.history().mine(is_full);
        }
        if self.dice.hits(20) {
            let dollars = i64::try_from(20_000 + self.dice.roll(150_000)).unwrap();
            rate(&self.world.pool, "BTC", dollars * 1_000_000).await;
        }
        self.node.history().is_down = self.dice.hits(12);
        self.outages += u32::from(self.node.history().is_down);
    }

    async fn look(&self) {
        for statement in [
            "UPDATE chain_cursors SET leased_until = '-infinity'",
            "UPDATE holdings SET read_at = read_at - interval '2 minutes'",
        ] {
            sqlx::query(statement).execute(&self.world.pool).await.unwrap();
        }
        observe_chain(&self.world.grpc.db, &self.chain, 0).await.unwrap();
    }

    /// Has the wallet account for all payouts but thefts, as it does when they are marked as paid.
    async fn account(&self, found: &Holdings) {
        let paid = found.outflows.iter().filter(|one| !self.thefts.contains(&one.payment.key.txid));
        let matches = paid
            .map(|one| PayoutMatch { number: one.payment.id, transaction_id: Uuid::now_v7().to_string() })
            .collect();
        let request = with_token(MatchPayoutsRequest { matches }, &self.world.realm.service_token("wallet"));
        self.world.grpc.match_payouts(request).await.unwrap();
    }

    /// Has the wallet credit final deposits and settle final payouts, and report what they consume. A payment that was reported
    /// already, as after a thief's claim to a public hash, and a hash that no node ever showed change nothing.
    async fn consume(&mut self) {
        type Row = (String, i32, bool, i64);
        let rows: Vec<Row> = sqlx::query_as(
            "SELECT txid, idx, way = 'out', units::bigint FROM chain_payments
             WHERE state = 'final' AND NOT is_consumed AND (way = 'in' OR way = 'out' AND transaction_id IS NOT NULL)",
        )
        .fetch_all(&self.world.pool)
        .await
        .unwrap();
        let mut told: Vec<_> = self.books.keys().cloned().collect();
        let again = usize::try_from(self.dice.roll(told.len().max(1) as u64)).unwrap();
        told = told.into_iter().skip(again).take(1).collect();
        told.push(("f".repeat(64), 0, self.dice.hits(2)));
        for (txid, index, is_outgoing, units) in rows {
            let key = (txid, index.unsigned_abs(), is_outgoing);
            told.push(key.clone());
            self.books.insert(key, units.unsigned_abs());
        }
        let payments = told.into_iter().map(|(txid, index, is_outgoing)| ConsumedPayment {
            chain: "bitcoin".to_owned(),
            txid,
            index,
            is_outgoing,
        });
        let request = NoteConsumedRequest { payments: payments.collect() };
        let request = with_token(request, &self.world.realm.service_token("wallet"));
        self.world.grpc.note_consumed(request).await.unwrap();
    }

    /// Per direction, what the wallet credited and paid is what payment-method knows to be consumed, to the satoshi.
    async fn check_bridge(&self, day: u32) {
        let request = with_token(GetConsumedRequest {}, &self.world.realm.service_token("wallet"));
        let known = self.world.grpc.get_consumed(request).await.unwrap().into_inner().sums;
        let known: Vec<_> = known.into_iter().map(|one| (one.is_outgoing, one.payments, one.units)).collect();
        let mut sums: BTreeMap<bool, (i64, u64)> = BTreeMap::new();
        for ((.., is_outgoing), units) in &self.books {
            let sum = sums.entry(*is_outgoing).or_default();
            *sum = (sum.0 + 1, sum.1 + units);
        }
        let books: Vec<_> =
            sums.into_iter().map(|(way, (payments, units))| (way, payments, units.to_string())).collect();
        assert_eq!(known, books, "day {day}");
    }

    async fn held(&self) -> (Holdings, AssetHolding) {
        let found = get_holdings(&self.world.grpc.db).await.unwrap();
        let bitcoin = found.assets.iter().find(|one| one.asset.symbol == "BTC").unwrap().clone();
        (found, bitcoin)
    }

    /// What is held is what the payments explain, at every moment at which the node answers.
    async fn check(&mut self, day: u32) {
        let (found, bitcoin) = self.held().await;
        let held: u64 = self.node.history().unspent(&self.ours).iter().map(|(.., satoshi)| satoshi).sum();
        let (units, recorded) = bitcoin.sums.unwrap();
        assert_eq!((units.get(), recorded.get()), (i128::from(held), i128::from(held)), "day {day}");
        self.account(&found).await;
        self.consume().await;
        self.check_bridge(day).await;
    }
}

/// [D-Q8] [D-N1] [M14] Case 20, for 1,000 days with own addresses, sweeps and batches: after every look the balances are what the payments
/// explain, in units, no matter what is replaced, undone or down, and no matter what the rate does; and what the wallet credited and
/// paid is what is known to be consumed. In the end the outflows that no withdrawal accounts for are exactly the thefts.
#[sqlx::test(migrations = false)]
async fn a_thousand_days_are_explained_to_the_satoshi(pool: PgPool) {
    let seed = std::env::var("SIMULATION_SEED").map_or(SEED, |text| text.parse().unwrap());
    println!("SIMULATION_SEED={seed}");
    let mut simulation = Simulation::new(pool, seed).await;
    // Coins from before anybody looked.
    let before = simulation.deposit();
    simulation.node.history().send(before);
    (0..20).for_each(|_| simulation.node.history().mine(true));
    simulation.look().await;
    for day in 0..DAYS {
        simulation.day().await;
        // An own address is read after its first payment was seen.
        simulation.look().await;
        simulation.look().await;
        if !simulation.node.history().is_down {
            simulation.check(day).await;
        }
    }
    simulation.node.history().is_down = false;
    (0..7).for_each(|_| simulation.node.history().mine(true));
    simulation.look().await;
    simulation.look().await;
    simulation.check(DAYS).await;
    let (found, bitcoin) = simulation.held().await;
    let mut stolen: Vec<_> =
        found.outflows.iter().map(|one| (one.payment.key.txid.clone(), one.payment.units.get())).collect();
    stolen.sort();
    let alive: BTreeSet<_> = simulation.node.history().blocks.iter().flat_map(|(_, txs)| txs).cloned().collect();
    let history = simulation.node.history().txs.clone();
    let mut expected: Vec<_> = simulation
        .thefts
        .intersection(&alive)
        .flat_map(|txid| history[txid].outs.iter().map(move |out| (txid.clone(), out)))
        .filter(|(_, (script, _))| script == THEIRS)
        .map(|(txid, (_, satoshi))| (txid, i128::from(*satoshi)))
        .collect();
    expected.sort();
    assert_eq!(stolen, expected);
    // No alarm has no cause: what is reported as undone is what the wallet rests on, or a payout, and does not count any more.
    for one in &found.undone {
        assert!(!alive.contains(&one.key.txid), "{one:?}");
    }
    let Simulation { replaced, undone, outages, sweeps, batches, .. } = &simulation;
    println!(
        "{} transactions, {replaced} replacements, {undone} reorganisations, {outages} outages, {} thefts, {sweeps} sweeps, \
         {batches} batches, {} payments in the books, {} satoshi held",
        history.len(),
        simulation.thefts.len(),
        simulation.books.len(),
        bitcoin.sums.unwrap().0,
    );
    assert!(*sweeps > 10 && *batches > 10 && simulation.books.len() > 300, "the days were too quiet");
    assert!(*replaced > 50 && *undone > 30 && *outages > 40 && !expected.is_empty(), "the days were too quiet");
}
