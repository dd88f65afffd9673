//! What members, the platform and a thief do.

use chassis::id::MemberId;
use std::collections::BTreeSet;

use proto::common::v1::{Quote, QuoteDirection};
use proto::payment_method::v1::CreateQuoteRequest;
use uuid::Uuid;

use crate::evidence::state;
use crate::fixture::fields;
use crate::quotes::create;
use crate::scripted::{THEIRS, Tx};
use crate::simulation::{Requested, Simulation, key};

impl Simulation {
    /// Two treasurers replace the key of own addresses. Those of the old one are still paid to.
    pub(super) async fn replace_key(&mut self) {
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
    pub(super) fn pay_late(&mut self) {
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

    fn own_script(&mut self) -> String {
        let place = usize::try_from(self.dice.roll(2)).unwrap();
        self.shared[place].clone()
    }

    /// Requests a deposit at a shared address, at a quote that no open one is near to.
    async fn request(&mut self, member: MemberId, cents: i64) -> Option<(Quote, u64, String)> {
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
    pub(super) async fn exchange(&mut self) {
        let members = if self.dice.hits(3) { 3 + self.dice.roll(3) } else { 1 };
        let (first, mut outs) = (self.requested.len(), Vec::new());
        for _ in 0..members {
            let (member, cents) = (Uuid::now_v7().into(), i64::try_from(10_000 + self.dice.roll(3_000_000)).unwrap());
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
    pub(super) fn deposit(&mut self) -> Tx {
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
    pub(super) fn payout(&mut self) -> Option<Tx> {
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
    pub(super) fn again(&mut self, paid: &Tx) -> Option<Tx> {
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
    pub(super) fn sweep(&mut self) -> Option<Tx> {
        let coins = self.node.history().unspent(&self.ours);
        let coins: Vec<_> = coins.into_iter().filter(|(_, script, _)| !self.shared.contains(script)).take(30).collect();
        let total: u64 = coins.iter().map(|(.., satoshi)| satoshi).sum();
        let fee = 500 + 100 * coins.len() as u64;
        let outs = vec![(self.own_script(), total.checked_sub(fee)?)];
        self.counts.sweeps += 1;
        Some(Tx { spends: coins.into_iter().map(|(place, ..)| place).collect(), outs, fee, conflicts: BTreeSet::new() })
    }

    /// Replaces a transaction that waits: one of ours with a higher fee, another one with another amount.
    pub(super) fn replace(&mut self) {
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

    pub(super) async fn steal(&mut self, one: &Requested, day: u32) {
        let (thief, txid) = (Uuid::now_v7().into(), &one.paid.0);
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
}
