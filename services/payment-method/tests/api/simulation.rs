//! Years of deposits, payouts, thieves, mistyped hashes, payouts that were sent twice, replacements, replaced keys, reorganisations,
//! outages and rate jumps, after which what is held is explained to the satoshi.

#![expect(clippy::print_stdout, reason = "a failure is repeated with its seed")]

mod checks;
mod payments;

use chassis::id::MemberId;
use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;
use std::time::{Duration, Instant};

use miniscript::bitcoin::NetworkKind;
use miniscript::bitcoin::bip32::{DerivationPath, Xpriv, Xpub};
use miniscript::bitcoin::secp256k1::Secp256k1;
use payment_method::app::list_payment_methods::list_payment_methods;
use payment_method::clients::chain::Chain;
use payment_method::domain::address;
use payment_method::domain::network::Format;
use proto::common::v1::Quote;
use sqlx::PgPool;
use uuid::Uuid;

use crate::chain::rate;
use crate::fixture::{BITCOIN, World};
use crate::scripted::{Scripted, THEIRS};

const TAPROOT: &str = "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0";
/// The address of [`THEIRS`].
const DESTINATION: &str = "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa";
const DAYS: u32 = 1_000;
/// After this many days, two treasurers explain a payout that was sent twice.
const EXPLAINED: u32 = 20;
/// Own addresses of members that a key gets at once.
const OWN: u8 = 100;
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

/// A deposit that a member requested at a shared address.
struct Requested {
    member: MemberId,
    quote: Quote,
    satoshi: u64,
    /// The payment: transaction and output.
    paid: (String, u32),
    is_checked: bool,
}

/// The extended public key of the account of this number, of a wallet that anybody can open.
fn key(number: u32) -> String {
    let curve = Secp256k1::new();
    let path = DerivationPath::from_str(&format!("m/84'/0'/{number}'")).unwrap();
    let master = Xpriv::new_master(NetworkKind::Main, b"the simulated years").unwrap();
    Xpub::from_priv(&curve, &master.derive_priv(&curve, &path).unwrap()).to_string()
}

/// How often each happened.
#[derive(Debug, Default)]
struct Counts {
    sweeps: u32,
    batches: u32,
    /// Several members paid by one transaction of an exchange.
    exchanges: u32,
    /// Less than the quote, because an exchange took its fee.
    short: u32,
    /// Claims of somebody else's payment, which failed.
    thieves: u32,
    /// Payments of members that another transaction replaced after they were sent.
    doubled: u32,
    /// Payouts that were marked as paid with another hash at first.
    mistyped: u32,
    /// Payouts that a treasurer sent twice.
    blind: u32,
    replaced: u32,
    undone: u32,
    outages: u32,
    /// Keys of own addresses that another one replaced.
    keys: u32,
    /// Payments to own addresses of replaced keys.
    late: u32,
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
    /// The ids of their methods.
    methods: BTreeMap<String, String>,
    /// Open deposits.
    requested: Vec<Requested>,
    /// Quotes whose deposits are decided.
    settled: Vec<String>,
    /// The method of own addresses.
    own: String,
    /// Own addresses of the newest key that no deposit was made to.
    unused: Vec<String>,
    /// Own addresses of replaced keys, paid to before or not.
    old: Vec<String>,
    /// All own addresses, by their scripts, with their members.
    members: BTreeMap<String, Uuid>,
    /// What was sent late: transactions to own addresses of keys that were replaced before.
    late: BTreeSet<String>,
    /// What the wallet credited and paid, by payment, in satoshi: what a payment is consumed for.
    books: BTreeMap<(String, u32, bool), u64>,
    counts: Counts,
    /// The rate, in millionths of a dollar, and when sources said it.
    rated: (i64, Instant),
    /// Transactions that no withdrawal accounts for.
    thefts: BTreeSet<String>,
    /// Payouts of withdrawals that were paid before, with the day, until they are explained.
    twice: BTreeMap<String, u32>,
}

impl Simulation {
    async fn new(pool: PgPool, seed: u64) -> Self {
        let mut world = World::new(pool).await;
        let mut methods = BTreeMap::new();
        for one in [BITCOIN, TAPROOT] {
            let id = world.platform("BTC", "Bitcoin", one).await;
            methods.insert(address::script(Format::Bitcoin, one).unwrap(), id);
        }
        let ours: BTreeSet<_> = methods.keys().cloned().collect();
        let rated = (100_000_000_000, Instant::now());
        rate(&world.pool, "BTC", rated.0).await;
        let shared: Vec<_> = ours.iter().cloned().collect();
        let own = world.platform("BTC", "Bitcoin", &key(0)).await;
        let node = Scripted::default();
        let chain = node.serve().await;
        world.grpc.chains = [chain.clone()].into();
        let mut simulation = Self {
            world,
            node,
            chain,
            dice: Dice(seed),
            ours,
            shared,
            methods,
            requested: Vec::new(),
            settled: Vec::new(),
            own,
            unused: Vec::new(),
            old: Vec::new(),
            members: BTreeMap::new(),
            late: BTreeSet::new(),
            books: BTreeMap::new(),
            counts: Counts::default(),
            rated,
            thefts: BTreeSet::new(),
            twice: BTreeMap::new(),
        };
        simulation.visit().await;
        simulation
    }

    /// New members look at their own addresses, which come from the newest key.
    async fn visit(&mut self) {
        for _ in 0..OWN {
            let member = Uuid::now_v7();
            let (shown, _) = list_payment_methods(&self.world.grpc.db, member.into()).await.unwrap();
            let own = shown.into_iter().find_map(|one| Some((one.derivation?, one.signed.method.fields.address)));
            let (derivation, address) = own.unwrap();
            assert_eq!(derivation.key, key(self.counts.keys));
            let script = address::script(Format::Bitcoin, &address).unwrap();
            assert_eq!(self.members.insert(script.clone(), member), None, "{address} is shown to two");
            self.ours.insert(script.clone());
            self.unused.push(script);
        }
    }

    async fn rate_at(&mut self, micros: i64) {
        rate(&self.world.pool, "BTC", micros).await;
        self.rated = (micros, Instant::now());
    }

    /// What happens on a day, before anybody looks.
    async fn day(&mut self, day: u32) {
        // Days may take long; what sources said counts for two minutes.
        if self.rated.1.elapsed() > Duration::from_secs(20) {
            self.rate_at(self.rated.0).await;
        }
        if self.dice.hits(3) {
            self.exchange().await;
        }
        if self.dice.hits(3) {
            let deposit = self.deposit();
            self.node.history().send(deposit);
        }
        if self.dice.hits(3)
            && let Some(payout) = self.payout()
        {
            let txid = self.node.history().send(payout.clone());
            if self.dice.hits(40) {
                self.thefts.insert(txid);
            } else if self.dice.hits(20)
                && let Some(again) = self.again(&payout)
            {
                let txid = self.node.history().send(again);
                self.twice.insert(txid, day);
            }
        }
        if self.dice.hits(10) {
            self.pay_late();
        }
        if self.dice.hits(150) {
            self.replace_key().await;
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
            self.counts.undone += 1;
        }
        for _ in 0..1 + self.dice.roll(3) {
            let is_full = !self.dice.hits(4);
            self.node.history().mine(is_full);
        }
        if self.dice.hits(20) {
            let dollars = i64::try_from(20_000 + self.dice.roll(150_000)).unwrap();
            self.rate_at(dollars * 1_000_000).await;
        }
        self.node.history().is_down = self.dice.hits(12);
        self.counts.outages += u32::from(self.node.history().is_down);
    }
}

/// [D-Q8] [D-N1] [D-N2] [D-N4] [M2] [M5] [M7] [M10] [M12] [M14] Case 20, for 1,000 days with own addresses, replaced keys whose addresses are
/// paid to later, sweeps, batches of exchanges that take fees, thieves, double spends, mistyped hashes and payouts that were sent twice: after every look the balances are what the payments
/// explain, in units, no matter what is replaced, undone or down, and no matter what the rate does; what the wallet credited and
/// paid is what is known to be consumed; and each payment is offered to the member who requested it, and to no thief. In the end the
/// outflows that no withdrawal accounts for are exactly the thefts, and what was sent twice and is not explained yet.
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
        simulation.day(day).await;
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
    simulation.check_late().await;
    let (found, bitcoin) = simulation.held().await;
    let mut stolen: Vec<_> =
        found.outflows.iter().map(|one| (one.payment.key.txid.clone(), one.payment.units.get())).collect();
    stolen.sort();
    let alive: BTreeSet<_> = simulation.node.history().blocks.iter().flat_map(|(_, txs)| txs).cloned().collect();
    let history = simulation.node.history().txs.clone();
    let mut expected: Vec<_> = simulation
        .thefts
        .iter()
        .chain(simulation.twice.keys())
        .filter(|txid| alive.contains(*txid))
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
    let counts = &simulation.counts;
    println!(
        "{} transactions, {counts:?}, {} thefts, {} payments in the books, {} satoshi held",
        history.len(),
        simulation.thefts.len(),
        simulation.books.len(),
        bitcoin.sums.unwrap().0,
    );
    let Counts {
        sweeps,
        batches,
        exchanges,
        short,
        thieves,
        doubled,
        mistyped,
        blind,
        replaced,
        undone,
        outages,
        keys,
        late,
    } = counts;
    for (often, least) in [
        (sweeps, 10),
        (batches, 10),
        (exchanges, 30),
        (short, 100),
        (thieves, 50),
        (doubled, 3),
        (mistyped, 30),
        (blind, 3),
        (replaced, 50),
        (undone, 30),
        (outages, 40),
        (keys, 3),
        (late, 50),
    ] {
        assert!(*often > least, "the days were too quiet: {counts:?}");
    }
    assert!(simulation.books.len() > 300 && !expected.is_empty(), "the days were too quiet");
}
