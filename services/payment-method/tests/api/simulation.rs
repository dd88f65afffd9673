//! Years of deposits, payouts, thieves, mistyped hashes, payouts that were sent twice, replacements, replaced keys, reorganisations,
//! outages and rate jumps, after which what is held is explained to the satoshi.

#![expect(clippy::print_stdout, reason = "a failure is repeated with its seed")]

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;
use std::time::{Duration, Instant};

use chassis::testing::with_token;
use miniscript::bitcoin::NetworkKind;
use miniscript::bitcoin::bip32::{DerivationPath, Xpriv, Xpub};
use miniscript::bitcoin::secp256k1::Secp256k1;
use payment_method::app::get_holdings::{AssetHolding, Holdings, get_holdings};
use payment_method::app::list_payment_methods::list_payment_methods;
use payment_method::app::observe_chain::observe_chain;
use payment_method::clients::chain::Chain;
use payment_method::domain::address;
use payment_method::domain::network::Format;
use proto::common::v1::{ChainEvidence, Quote, QuoteDirection};
use proto::payment_method::v1::evidence_service_server::EvidenceService;
use proto::payment_method::v1::{
    ConsumedPayment, CreateQuoteRequest, GetConsumedRequest, GetEvidenceRequest, GetPayoutRequest, MatchPayoutsRequest,
    NoteConsumedRequest, PayoutMatch, PayoutOnChain,
};
use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::chain::rate;
use crate::evidence::{ask, state};
use crate::fixture::{BITCOIN, World, fields};
use crate::quotes::create;
use crate::scripted::{Scripted, THEIRS, Tx};

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
    member: Uuid,
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
            let (shown, _) = list_payment_methods(&self.world.grpc.db, member).await.unwrap();
            let own = shown.into_iter().find_map(|one| Some((one.derivation?, one.signed.method.fields.address)));
            let (derivation, address) = own.unwrap();
            assert_eq!(derivation.key, key(self.counts.keys));
            let script = address::script(Format::Bitcoin, &address).unwrap();
            assert_eq!(self.members.insert(script.clone(), member), None, "{address} is shown to two");
            self.ours.insert(script.clone());
            self.unused.push(script);
        }
    }

    /// Two treasurers replace the key of own addresses. Those of the old one are still paid to.
    async fn replace_key(&mut self) {
        self.counts.keys += 1;
        let typed = fields("BTC", "Bitcoin", &key(self.counts.keys));
        let proposal = self.world.propose(&self.own, Some(typed)).await.unwrap();
        self.world.confirm(&proposal.id, 1).await.unwrap();
        self.unused.clear();
        let current = self.members.keys();
        self.old = current.cloned().collect();
        self.visit().await;
    }

    /// A payment to an own address of a replaced key, which the member has kept.
    fn pay_late(&mut self) {
        if self.old.is_empty() {
            return;
        }
        let place = usize::try_from(self.dice.roll(self.old.len() as u64)).unwrap();
        let outs = vec![(self.old[place].clone(), 100_000 + self.dice.roll(20_000_000))];
        let tx = Tx { spends: Vec::new(), outs, fee: 0, conflicts: BTreeSet::new() };
        let txid = self.node.history().send(tx);
        self.late.insert(txid);
        self.counts.late += 1;
    }

    /// What arrived late and was not replaced by another transaction is credited, and known to be its member's.
    async fn check_late(&self) {
        let rows: Vec<(String, Uuid)> = sqlx::query_as(
            "SELECT txid, user_id FROM chain_payments JOIN deposit_addresses USING (chain, address) WHERE way = 'in'",
        )
        .fetch_all(&self.world.pool)
        .await
        .unwrap();
        let owners: BTreeMap<_, _> = rows.into_iter().collect();
        let mut credited = 0;
        for txid in &self.late {
            let (script, satoshi) = {
                let history = self.node.history();
                if !history.is_alive(txid) {
                    continue;
                }
                history.txs[txid].outs[0].clone()
            };
            assert_eq!(self.books.get(&(txid.clone(), 0, false)), Some(&satoshi), "{txid} arrived late");
            assert_eq!(owners.get(txid), self.members.get(&script), "{txid} arrived late");
            credited += 1;
        }
        println!("{credited} payments to addresses of {} replaced keys are credited", self.counts.keys);
        assert!(credited > 30, "the days were too quiet");
    }

    fn own_script(&mut self) -> String {
        let place = usize::try_from(self.dice.roll(2)).unwrap();
        self.shared[place].clone()
    }

    /// Requests a deposit at a shared address, at a quote that no open one is near to.
    async fn request(&mut self, member: Uuid, cents: i64) -> Option<(Quote, u64, String)> {
        let script = self.own_script();
        let message = CreateQuoteRequest {
            user_id: member.to_string(),
            direction: QuoteDirection::Deposit.into(),
            amount_cents: cents,
            priced_cents: cents,
            method: self.methods[&script].clone(),
            idempotency: None,
            used_quote_ids: Vec::new(),
        };
        let quote = create(&self.world, message).await.unwrap();
        let satoshi: u64 = quote.units.parse().unwrap();
        if self.requested.iter().any(|one| one.satoshi.abs_diff(satoshi) * 8 < one.satoshi.max(satoshi)) {
            self.settled.push(quote.id);
            return None;
        }
        Some((quote, satoshi, script))
    }

    /// An exchange pays one or several members at once, and may take its fee from what they get.
    async fn exchange(&mut self) {
        let members = if self.dice.hits(3) { 3 + self.dice.roll(3) } else { 1 };
        let (first, mut outs) = (self.requested.len(), Vec::new());
        for _ in 0..members {
            let (member, cents) = (Uuid::now_v7(), i64::try_from(10_000 + self.dice.roll(3_000_000)).unwrap());
            let Some((quote, satoshi, script)) = self.request(member, cents).await else { continue };
            let fee = if self.dice.hits(2) { 1 + satoshi / 250 } else { 0 };
            self.counts.short += u32::from(fee > 0);
            let paid = (String::new(), u32::try_from(outs.len()).unwrap());
            outs.push((script, satoshi - fee));
            self.requested.push(Requested { member, quote, satoshi, paid, is_checked: false });
        }
        if outs.is_empty() {
            return;
        }
        self.counts.exchanges += u32::from(outs.len() > 1);
        let tx = Tx { spends: Vec::new(), outs, fee: 0, conflicts: BTreeSet::new() };
        let txid = self.node.history().send(tx);
        self.requested.iter_mut().skip(first).for_each(|one| one.paid.0.clone_from(&txid));
    }

    /// To a shared address, or to one that only this deposit has.
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
            self.counts.batches += 1;
        }
        let back = total - fee - outs.iter().map(|(_, satoshi)| satoshi).sum::<u64>();
        outs.push((self.own_script(), back));
        Some(Tx { spends: coins.into_iter().map(|(place, ..)| place).collect(), outs, fee, conflicts: BTreeSet::new() })
    }

    /// Pays the same once more, from other coins.
    fn again(&mut self, paid: &Tx) -> Option<Tx> {
        let mut outs: Vec<_> = paid.outs.iter().filter(|(to, _)| to == THEIRS).cloned().collect();
        let (due, fee) = (outs.iter().map(|(_, satoshi)| satoshi).sum::<u64>(), 1_000);
        let (mut spends, mut total) = (Vec::new(), 0);
        for (place, _, satoshi) in self.node.history().unspent(&self.ours) {
            if total <= due + fee {
                spends.push(place);
                total += satoshi;
            }
        }
        outs.push((self.own_script(), total.checked_sub(due + fee).filter(|rest| *rest > 0)?));
        self.counts.blind += 1;
        Some(Tx { spends, outs, fee, conflicts: BTreeSet::new() })
    }

    /// Moves what own addresses hold to a shared one.
    fn sweep(&mut self) -> Option<Tx> {
        let coins = self.node.history().unspent(&self.ours);
        let coins: Vec<_> = coins.into_iter().filter(|(_, script, _)| !self.shared.contains(script)).take(30).collect();
        let total: u64 = coins.iter().map(|(.., satoshi)| satoshi).sum();
        let fee = 500 + 100 * coins.len() as u64;
        let outs = vec![(self.own_script(), total.checked_sub(fee)?)];
        self.counts.sweeps += 1;
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
        } else if let Some(day) = self.twice.remove(&txid) {
            self.twice.insert(by, day);
        }
        self.counts.replaced += 1;
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

    async fn look(&self) {
        for statement in [
            "UPDATE chain_cursors SET leased_until = '-infinity'",
            "UPDATE holdings SET read_at = read_at - interval '2 minutes'",
        ] {
            sqlx::query(statement).execute(&self.world.pool).await.unwrap();
        }
        observe_chain(&self.world.grpc.db, &self.chain, 0).await.unwrap();
    }

    /// What a checklist says of a claim to a hash.
    async fn claim(&self, member: Uuid, (quote, address): (Option<&Quote>, &str), txid: &str) -> ChainEvidence {
        let message = GetEvidenceRequest {
            user_id: member.to_string(),
            currency: "BTC".to_owned(),
            network: "Bitcoin".to_owned(),
            address: address.to_owned(),
            txid: txid.to_owned(),
            quote_id: quote.map(|quote| quote.id.clone()).unwrap_or_default(),
            requested_at: Some(chassis::clock::to_proto(OffsetDateTime::now_utc())),
            settled_quotes: self.settled.clone(),
            ..Default::default()
        };
        ask(&self.world, message).await.unwrap()
    }

    /// What members requested is offered to them, with or without its hash; a thief who claims the public hash fails, even with
    /// a quote that was made for it. A payment that was double spent counts for nobody.
    async fn review(&mut self, day: u32) {
        for mut one in std::mem::take(&mut self.requested) {
            let (txid, address) = (one.paid.0.clone(), one.quote.address.clone());
            let (is_alive, is_paid) = {
                let history = self.node.history();
                (history.is_alive(&txid), history.txs[&txid].outs[usize::try_from(one.paid.1).unwrap()].1)
            };
            if !is_alive {
                let gone = self.claim(one.member, (Some(&one.quote), &address), &txid).await;
                let is_refused = gone.checks.iter().any(|check| ["fail", "unknown"].contains(&check.state.as_str()));
                assert!(is_refused, "day {day}: {gone:?}");
                self.settled.push(one.quote.id);
                self.counts.doubled += 1;
                continue;
            }
            if !one.is_checked {
                let expected = if is_paid == one.satoshi { "ok" } else { "warn" };
                for hash in ["", &txid] {
                    let own = self.claim(one.member, (Some(&one.quote), &address), hash).await;
                    let is_theirs =
                        |seen: &proto::common::v1::ChainPayment| seen.txid == txid && seen.index == one.paid.1;
                    assert!(own.payments.iter().any(is_theirs), "day {day}: {own:?}");
                    assert_ne!(state(&own, "payment_quote"), "fail", "day {day}: {own:?}");
                    if own.payments.len() == 1 {
                        assert_eq!(state(&own, "payment_quote"), expected, "day {day}: {own:?}");
                    }
                }
                if self.dice.hits(2) {
                    self.steal(&one, day).await;
                }
                one.is_checked = true;
            }
            self.requested.push(one);
        }
    }

    async fn steal(&mut self, one: &Requested, day: u32) {
        let (thief, txid) = (Uuid::now_v7(), &one.paid.0);
        let plain = self.claim(thief, (None, &one.quote.address), txid).await;
        assert_eq!(state(&plain, "payment_quote"), "fail", "day {day}: {plain:?}");
        let message = CreateQuoteRequest {
            user_id: thief.to_string(),
            direction: QuoteDirection::Deposit.into(),
            amount_cents: one.quote.amount_cents,
            priced_cents: one.quote.amount_cents,
            method: one.quote.method_id.clone(),
            idempotency: None,
            used_quote_ids: Vec::new(),
        };
        let late = create(&self.world, message).await.unwrap();
        let quoted = self.claim(thief, (Some(&late), &one.quote.address), txid).await;
        assert_eq!(state(&quoted, "payment_quote"), "fail", "day {day}: {quoted:?}");
        self.settled.push(late.id);
        self.counts.thieves += 1;
    }

    /// What the chain shows of a payout that was marked as paid with this hash.
    async fn payout_of(&self, txid: &str) -> PayoutOnChain {
        let message = GetPayoutRequest {
            currency: "BTC".to_owned(),
            network: "Bitcoin".to_owned(),
            address: DESTINATION.to_owned(),
            txid: txid.to_owned(),
            amount_cents: 100_000,
        };
        let request = with_token(message, &self.world.realm.service_token("wallet"));
        self.world.grpc.get_payout(request).await.unwrap().into_inner().payout.unwrap()
    }

    /// Has the wallet account for all payouts but thefts, as it does when they are marked as paid, and for those that were sent
    /// twice when two treasurers have explained them. A hash that was mistyped at first shows no payout.
    async fn account(&mut self, found: &Holdings, day: u32) {
        let mut matches = Vec::new();
        for one in &found.outflows {
            let txid = &one.payment.key.txid;
            if self.thefts.contains(txid) || self.twice.get(txid).is_some_and(|sent| day < sent + EXPLAINED) {
                continue;
            }
            if self.dice.hits(4) {
                assert_eq!(self.payout_of(&"e".repeat(64)).await.state, "missing", "day {day}");
                let right = self.payout_of(txid).await;
                let units = one.payment.units.to_string();
                assert!(
                    right.outputs.iter().any(|shown| shown.units == units && shown.observed),
                    "day {day}: {right:?}"
                );
                self.counts.mistyped += 1;
            }
            matches.push(PayoutMatch { number: one.payment.id, transaction_id: Uuid::now_v7().to_string() });
        }
        self.twice.retain(|_, sent| day < *sent + EXPLAINED);
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
            let is_it = |one: &Requested| !is_outgoing && (&one.paid.0, one.paid.1) == (&key.0, key.1);
            self.settled.extend(self.requested.iter().filter(|one| is_it(one)).map(|one| one.quote.id.clone()));
            self.requested.retain(|one| !is_it(one));
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
        self.review(day).await;
        self.account(&found, day).await;
        self.consume().await;
        self.check_bridge(day).await;
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
