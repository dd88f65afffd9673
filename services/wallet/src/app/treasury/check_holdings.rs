//! Compares the holdings on chains with the ledger in units, and finds payouts without a withdrawal (D-Q8).

use chassis::across;
use chassis::id::TransactionId;
use std::collections::HashMap;

use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::money::{Cents, Conversion, Rate};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::domain::holding::{AssetHolding, Comparison, Movement, Observed, Outflow, SharedAddress, State, Undone};
use crate::domain::transaction::Transaction;
use crate::error::Error;
use crate::store::ledger_checks::Fault;
use crate::store::{consumed_payments, transactions};

/// Outflows that are listed.
const LISTED: usize = 500;
/// How long a payout may be on its way.
const FINAL_WITHIN: Duration = Duration::hours(1);

#[derive(Debug, Clone)]
pub struct Holdings {
    pub assets: Vec<(AssetHolding, Option<Comparison>)>,
    /// The newest payments from the platform that no withdrawal accounts for.
    pub outflows: Vec<Outflow>,
    /// How many older ones there are.
    pub older_outflows: usize,
    /// Approved transactions whose payment does not count any more.
    pub undone: Vec<(Transaction, Undone)>,
    /// Payouts that were sent long ago and are not final.
    pub unsettled: Vec<Transaction>,
    /// Outflows by number, each with the withdrawal that was paid with it, or the treasury movement that explains it.
    pub matched: Vec<(i64, Uuid)>,
    /// What all outflows are worth at the rates of now.
    pub unexplained: Cents,
    pub shared: Vec<SharedAddress>,
}

/// A withdrawal that was paid, a treasury movement, and a withdrawal of which two people say that it arrived with another amount
/// account for the payments that they consume. An approved withdrawal that may be being paid accounts for one payout to its
/// destination, too.
pub async fn check_holdings(db: &Db, observed: Observed) -> Result<Holdings, Error> {
    let mut conn = db.conn().await?;
    let paid = transactions::paid_with(&mut conn, &observed.outflows).await?;
    let mut open = transactions::open_payouts(&mut conn, &observed.outflows).await?;
    let payments: Vec<_> = observed.outflows.iter().map(|one| (&one.payment).into()).collect();
    let explained = consumed_payments::explained(&mut conn, &payments).await?;
    let (mut matched, mut outflows) = (Vec::new(), Vec::new());
    for ((outflow, paid), explained) in observed.outflows.into_iter().zip(paid).zip(explained) {
        if let Some(id) = paid.map(TransactionId::get).or(explained) {
            matched.push((outflow.number, id));
        } else if let Some(place) = open.iter().position(|one| one.is_paid_by(&outflow.payment)) {
            open.swap_remove(place);
        } else {
            outflows.push(outflow);
        }
    }
    let compare = |one: AssetHolding| {
        let comparison = one.compare(&outflows)?;
        Ok::<_, Error>((one, comparison))
    };
    let assets = observed.assets.into_iter().map(compare).collect::<Result<Vec<_>, _>>()?;
    let undone = undone(&mut conn, observed.undone).await?;
    let now = clock::now(&mut conn).await?;
    let sent = across!(conn, transactions::sent(&mut conn, LISTED as i64));
    let unsettled = sent.concat();
    let is_late = |one: &Transaction| one.sent().is_ok_and(|sent| now - sent.at >= FINAL_WITHIN);
    let unsettled = unsettled.into_iter().filter(is_late).collect();
    let unexplained = value_of(&assets, &outflows)?;
    let older_outflows = outflows.len().saturating_sub(LISTED);
    outflows.drain(..older_outflows);
    let shared = observed.shared;
    Ok(Holdings { assets, outflows, older_outflows, undone, unsettled, matched, unexplained, shared })
}

/// What payments are worth at the rates of now; what has no rate is worth nothing.
fn value_of(assets: &[(AssetHolding, Option<Comparison>)], outflows: &[Outflow]) -> Result<Cents, Error> {
    outflows.iter().try_fold(Cents::ZERO, |sum, outflow| {
        let payment = &outflow.payment;
        let asset = assets.iter().find(|(one, _)| (&one.chain, &one.asset) == (&payment.chain, &payment.asset));
        let Some((micros, _)) = asset.and_then(|(one, _)| one.rate) else { return Ok(sum) };
        let conversion = Conversion { rate: Rate::new(micros)?, spread_bps: 0, decimals: payment.decimals };
        Ok(sum.plus(conversion.value_received(payment.units)?)?)
    })
}

/// The approved transactions of payments that do not count.
async fn undone(conn: &mut PgConnection, payments: Vec<Undone>) -> Result<Vec<(Transaction, Undone)>, Error> {
    let ids = consumed_payments::consumers(conn, &payments.iter().map(|one| (&one.payment).into()).collect::<Vec<_>>())
        .await?;
    let wanted: Vec<_> = ids.iter().flatten().copied().map(TransactionId::new).collect();
    let found = across!(conn, transactions::find_all(conn, &wanted));
    let mut found: HashMap<_, _> = found.into_iter().flatten().map(|one| (one.id, one)).collect();
    let undone = payments.into_iter().zip(ids);
    Ok(undone.filter_map(|(payment, id)| Some((found.remove(&id?.into())?, payment))).collect())
}

impl Holdings {
    /// What is held at the rates of now; `None` unless every asset is observed, known and has a rate.
    #[must_use]
    pub fn value(&self) -> Option<Cents> {
        let known = self.assets.iter().map(|(one, comparison)| one.value_cents.filter(|_| comparison.is_some()));
        let sum = known.sum::<Option<i64>>()?;
        (!self.assets.is_empty()).then_some(Cents::new(sum))
    }

    /// Updates the metrics.
    pub fn record_metrics(&self) {
        for (one, comparison) in &self.assets {
            let state = State::of(*comparison);
            let labels = [("chain", one.chain.clone()), ("asset", one.asset.clone())];
            metrics::gauge!("holdings_missing", &labels).set(u8::from(state == State::Fail));
            // Without a node, no payments are observed.
            let is_stale = state == State::Unknown && one.at.is_some();
            metrics::gauge!("holdings_unknown", &labels).set(u8::from(is_stale));
        }
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        metrics::gauge!("holdings_outflows_unexplained").set(count(self.older_outflows + self.outflows.len()));
        metrics::gauge!("holdings_approvals_undone").set(count(self.undone.len()));
        metrics::gauge!("holdings_payouts_unsettled").set(count(self.unsettled.len()));
    }

    /// What staff has to look into, as the integrity report lists it.
    #[must_use]
    pub fn faults(&self) -> Vec<Fault> {
        let missing = self.assets.iter().filter(|(_, comparison)| State::of(*comparison) == State::Fail);
        let missing = missing.filter_map(|(one, comparison)| {
            let units = comparison.as_ref()?.difference.magnitude().whole(one.decimals);
            let detail = format!("{units} {} less are held on {} than the books say.", one.asset, title(&one.chain));
            Some(fault("holding", format!("{} {}", one.chain, one.asset), detail, one.at?))
        });
        let outflows = self.outflows.iter().map(|one| {
            let Movement { chain, txid, vout, .. } = &one.payment;
            let detail = format!(
                "{} went from {} to {} on {}, and neither a withdrawal nor a treasury movement accounts for it. Transaction {txid}, \
                 output {vout}.",
                amount(&one.payment),
                one.payment.address,
                one.payment.counterparty,
                title(chain),
            );
            fault("holding", format!("{chain} {txid} {vout}"), detail, one.payment.seen_at)
        });
        let undone = self.undone.iter().map(|(transaction, one)| {
            let what = if one.is_deposit { "credited" } else { "paid" };
            let detail = format!(
                "{} of {} on {} do not count any more ({}), although the transaction was {what}. Consider a reversal.",
                amount(&one.payment),
                transaction.reference(),
                title(&one.payment.chain),
                one.payment.state,
            );
            fault("payment", transaction.id.to_string(), detail, one.changed_at)
        });
        let unsettled = self.unsettled.iter().filter_map(|one| {
            let withdrawal = one.as_withdrawal()?;
            let price = withdrawal.price.as_ref()?;
            let detail = format!(
                "{} {} of {} were sent, and the chain does not show exactly that at the destination for good. Transaction {}. \
                 Look it up, and propose a correction.",
                price.units.whole(price.conversion.decimals),
                price.asset,
                one.reference(),
                withdrawal.txid.as_ref()?.text,
            );
            Some(fault("payment", one.id.to_string(), detail, withdrawal.sent?.at))
        });
        let first = self.outflows.first().filter(|_| self.older_outflows > 0);
        let older = first.map(|first| {
            let detail = format!(
                "{} older payments from the platform are not listed, and no withdrawal accounts for them.",
                self.older_outflows
            );
            fault("holding", "older".to_owned(), detail, first.payment.seen_at)
        });
        missing.chain(outflows).chain(older).chain(undone).chain(unsettled).collect()
    }
}

/// The name of a chain in texts: `Bitcoin`.
fn title(chain: &str) -> String {
    let mut letters = chain.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn amount(payment: &Movement) -> String {
    format!("{} {}", payment.units.whole(payment.decimals), payment.asset)
}

fn fault(subject: &str, subject_id: String, detail: String, found_at: OffsetDateTime) -> Fault {
    Fault { subject: subject.to_owned(), subject_id, detail, drift_cents: 0, found_at }
}
