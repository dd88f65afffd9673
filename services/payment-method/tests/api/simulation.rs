//! Years of deposits, payouts, replacements, reorganisations, outages and rate jumps, after which what is held is explained to
//! the satoshi.

#![expect(clippy::print_stdout, reason = "a failure is repeated with its seed")]

use std::collections::BTreeSet;

use chassis::testing::with_token;
use payment_method::app::get_holdings::{AssetHolding, Holdings, get_holdings};
use payment_method::app::observe_chain::observe_chain;
use payment_method::clients::chain::Chain;
use payment_method::domain::address;
use payment_method::domain::network::Format;
use proto::payment_method::v1::evidence_service_server::EvidenceService;
use proto::payment_method::v1::{MatchPayoutsRequest, PayoutMatch};
use sqlx::PgPool;
use uuid::Uuid;

use crate::chain::rate;
use crate::fixture::{BITCOIN, World};
use crate::scripted::{Scripted, THEIRS, Tx};

const TAPROOT: &str = "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0";
const DAYS: u32 = 1_000;
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
    /// The scripts of the platform.
    ours: BTreeSet<String>,
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
        let node = Scripted::default();
        let chain = node.serve().await;
        let (thefts, dice) = (BTreeSet::new(), Dice(seed));
        Self { world, node, chain, dice, ours, thefts, replaced: 0, undone: 0, outages: 0 }
    }

    fn own_script(&mut self) -> String {
        let place = usize::try_from(self.dice.roll(2)).unwrap();
        self.ours.iter().nth(place).unwrap().clone()
    }

    fn deposit(&mut self) -> Tx {
        let outs = 1 + self.dice.roll(2);
        let outs = (0..outs).map(|_| (self.own_script(), 100_000 + self.dice.roll(20_000_000))).collect();
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
        let back = total - fee - outs.iter().map(|(_, satoshi)| satoshi).sum::<u64>();
        outs.push((self.own_script(), back));
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

    async fn held(&self) -> (Holdings, AssetHolding) {
        let found = get_holdings(&self.world.grpc.db).await.unwrap();
        let bitcoin = found.assets.iter().find(|one| one.asset.symbol == "BTC").unwrap().clone();
        (found, bitcoin)
    }

    /// What is held is what the payments explain, at every moment at which the node answers.
    async fn check(&self, day: u32) {
        let (found, bitcoin) = self.held().await;
        let held: u64 = self.node.history().unspent(&self.ours).iter().map(|(.., satoshi)| satoshi).sum();
        let (units, recorded) = bitcoin.sums.unwrap();
        assert_eq!((units.get(), recorded.get()), (i128::from(held), i128::from(held)), "day {day}");
        self.account(&found).await;
    }
}

/// [D-Q8] Case 20, for 1,000 days: after every look the balances are what the payments explain, in units, no matter what is replaced,
/// undone or down, and no matter what the rate does. In the end the outflows that no withdrawal accounts for are exactly the thefts.
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
        simulation.look().await;
        if !simulation.node.history().is_down {
            simulation.check(day).await;
        }
    }
    simulation.node.history().is_down = false;
    (0..7).for_each(|_| simulation.node.history().mine(true));
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
    let Simulation { replaced, undone, outages, .. } = &simulation;
    println!(
        "{} transactions, {replaced} replacements, {undone} reorganisations, {outages} outages, {} thefts, {} satoshi held",
        history.len(),
        simulation.thefts.len(),
        bitcoin.sums.unwrap().0,
    );
    assert!(*replaced > 50 && *undone > 30 && *outages > 40 && !expected.is_empty(), "the days were too quiet");
}
