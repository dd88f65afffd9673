//! What has to hold after each day.

use chassis::id::MemberId;
use std::collections::BTreeMap;

use chassis::testing::with_token;
use payment_method::app::get_holdings::{AssetHolding, Holdings, get_holdings};
use payment_method::app::observe_chain::observe_chain;
use proto::common::v1::{ChainEvidence, Quote};
use proto::payment_method::v1::evidence_service_server::EvidenceService;
use proto::payment_method::v1::{
    ConsumedPayment, GetConsumedRequest, GetEvidenceRequest, GetPayoutRequest, MatchPayoutsRequest,
    NoteConsumedRequest, PayoutMatch, PayoutOnChain,
};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::evidence::{ask, state};
use crate::simulation::{DESTINATION, EXPLAINED, Requested, Simulation};

impl Simulation {
    /// What arrived late and was not replaced by another transaction is credited, and known to be its member's.
    pub(super) async fn check_late(&self) {
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

    pub(super) async fn look(&self) {
        for statement in [
            "UPDATE chain_cursors SET leased_until = '-infinity'",
            "UPDATE holdings SET read_at = read_at - interval '2 minutes'",
        ] {
            sqlx::query(statement).execute(&self.world.pool).await.unwrap();
        }
        observe_chain(&self.world.grpc.db, &self.chain, 0).await.unwrap();
    }

    /// What a checklist says of a claim to a hash.
    pub(super) async fn claim(
        &self,
        member: MemberId,
        (quote, address): (Option<&Quote>, &str),
        txid: &str,
    ) -> ChainEvidence {
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

    pub(super) async fn held(&self) -> (Holdings, AssetHolding) {
        let found = get_holdings(&self.world.grpc.db).await.unwrap();
        let bitcoin = found.assets.iter().find(|one| one.asset.symbol == "BTC").unwrap().clone();
        (found, bitcoin)
    }

    /// What is held is what the payments explain, at every moment at which the node answers.
    pub(super) async fn check(&mut self, day: u32) {
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
