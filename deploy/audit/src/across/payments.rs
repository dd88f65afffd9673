//! Payments of the chains, in wallet and payment-method.

use std::collections::{HashMap, HashSet};

use anyhow::Result;
use uuid::Uuid;

use crate::snapshots::Snapshots;
use crate::verdict::Verdict;
use stack::Service;

pub(super) async fn deposits_went_where_they_were_told(snapshots: &mut Snapshots) -> Result<Verdict> {
    let versions: HashSet<(Uuid, i32, String, String)> =
        sqlx::query_as("SELECT method_id, version, network, address FROM method_versions WHERE scope = 'platform'")
            .fetch_all(snapshots.of(Service::PaymentMethod)?)
            .await?
            .into_iter()
            .collect();
    let own: HashSet<(Uuid, String)> = sqlx::query_as("SELECT user_id, address FROM deposit_addresses")
        .fetch_all(snapshots.of(Service::PaymentMethod)?)
        .await?
        .into_iter()
        .collect();
    let copies: Vec<(Uuid, Uuid, Uuid, i32, String, String)> = sqlx::query_as(
        "SELECT id, user_id, method_id, method_version, network, method_address FROM transactions
         WHERE method_id IS NOT NULL AND kind <> 'withdrawal'",
    )
    .fetch_all(snapshots.of(Service::Wallet)?)
    .await?;
    let wrong = copies
        .into_iter()
        .filter(|(_, user, method, version, network, address)| {
            !own.contains(&(*user, address.clone()))
                && !versions.contains(&(*method, *version, network.clone(), address.clone()))
        })
        .map(|(id, _, method, version, ..)| format!("payment {id} names version {version} of method {method}"))
        .collect();
    Ok(Verdict::new("D-D3", "every payment names a platform method as it stood", wrong))
}

pub(super) async fn no_payout_to_ourselves(snapshots: &mut Snapshots) -> Result<Verdict> {
    let ours: HashSet<String> = sqlx::query_scalar(
        "SELECT address_key(address) FROM method_versions WHERE scope = 'platform'
            UNION SELECT address_key(address) FROM deposit_addresses",
    )
    .fetch_all(snapshots.of(Service::PaymentMethod)?)
    .await?
    .into_iter()
    .collect();
    let payouts: Vec<(Uuid, String, String)> = sqlx::query_as(
        "SELECT id, destination_address, address_key(destination_address) FROM transactions
         WHERE destination_address IS NOT NULL AND status <> 'failed'",
    )
    .fetch_all(snapshots.of(Service::Wallet)?)
    .await?;
    let wrong = payouts
        .into_iter()
        .filter(|(.., key)| ours.contains(key))
        .map(|(id, address, _)| format!("withdrawal {id} to {address}"))
        .collect();
    Ok(Verdict::new("D-W6", "no withdrawal goes to an address of the platform", wrong))
}

/// Payouts that have a withdrawal, or that two people explained: by a treasury movement, or as a payout that arrived with another
/// amount. A withdrawal may have been marked as paid after the
/// snapshot.
pub(super) async fn payouts_have_withdrawals(snapshots: &mut Snapshots) -> Result<Verdict> {
    type Paid = (String, String, Option<String>);
    let withdrawals: HashMap<Uuid, Paid> = sqlx::query_as::<_, (Uuid, String, String, Option<String>)>(
        "SELECT id, address_key(destination_address), currency, payout_units::text FROM transactions
         WHERE kind = 'withdrawal' AND status <> 'failed' AND approved_by IS NOT NULL AND destination_address IS NOT NULL",
    )
    .fetch_all(snapshots.of(Service::Wallet)?)
    .await?
    .into_iter()
    .map(|(id, to, asset, units)| (id, (to, asset, units)))
    .collect();
    let explained: HashSet<(Uuid, String, String, i64)> = sqlx::query_as(
        "SELECT id, chain, txid, vout FROM consumed_payments JOIN proposals ON proposals.id = transaction_id
         WHERE proposals.status = 'confirmed' AND is_treasury(proposals.kind) AND direction = 'out' AND freed_at IS NULL
         UNION ALL
         SELECT transaction_id, chain, consumed.txid, vout FROM consumed_payments AS consumed
         JOIN proposals ON change ->> 'transaction_id' = transaction_id::text
         WHERE proposals.status = 'confirmed' AND is_arrived_payout(proposals.kind, change)
            AND direction = 'out' AND freed_at IS NULL",
    )
    .fetch_all(snapshots.of(Service::Wallet)?)
    .await?
    .into_iter()
    .collect();
    type Payout = (Uuid, String, String, i64, String, String, String, bool);
    let payouts: Vec<Payout> = sqlx::query_as(
        "SELECT transaction_id, chain, txid, idx::bigint, address_key(counterparty), symbol, units::text,
            state IN ('seen', 'included', 'final')
         FROM chain_payments WHERE transaction_id IS NOT NULL",
    )
    .fetch_all(snapshots.of(Service::PaymentMethod)?)
    .await?;
    let mut accounted = HashSet::new();
    let mut wrong = Vec::new();
    for (id, chain, txid, index, to, asset, units, is_alive) in payouts {
        let mut consumed = [index, -1].map(|vout| (id, chain.clone(), txid.clone(), vout)).into_iter();
        if consumed.any(|payment| explained.contains(&payment)) {
            continue;
        }
        let is_right = withdrawals.get(&id).is_some_and(|(destination, currency, fixed)| {
            // What was paid before amounts were fixed has none.
            (destination, currency) == (&to, &asset) && fixed.as_ref().is_none_or(|fixed| *fixed == units)
        });
        if !is_right || is_alive && !accounted.insert(id) {
            wrong.push(format!("withdrawal {id} accounts for {units} of {asset} in {txid} to {to}"));
        }
    }
    Ok(Verdict::new("D-N4 D-Q8", "a withdrawal accounts for one payout of what was fixed to its destination", wrong))
}

/// What transactions consume was seen on the chain, with the same units.
pub(super) async fn consumed_payments_were_seen(snapshots: &mut Snapshots) -> Result<Verdict> {
    type Payment = (String, String, i64, String, String, String);
    let consumed: Vec<(Uuid, String, String, i64, String, String, String)> = sqlx::query_as(
        "SELECT transaction_id, chain, txid, vout, direction, asset, units::text FROM consumed_payments
         WHERE units IS NOT NULL AND freed_at IS NULL",
    )
    .fetch_all(snapshots.of(Service::Wallet)?)
    .await?;
    let seen: HashSet<Payment> = sqlx::query_as(
        "SELECT chain, txid, idx::bigint, way, symbol, units::text FROM chain_payments WHERE way <> 'fee'",
    )
    .fetch_all(snapshots.of(Service::PaymentMethod)?)
    .await?
    .into_iter()
    .collect();
    let wrong = consumed
        .into_iter()
        .map(|(id, chain, txid, vout, way, asset, units)| (id, (chain, txid, vout, way, asset, units)))
        .filter(|(_, payment)| !seen.contains(payment))
        .map(|(id, (chain, txid, vout, _, asset, units))| {
            format!("transaction {id} consumes {units} of {asset} on {chain}: {txid}, output {vout}")
        })
        .collect();
    Ok(Verdict::new("D-N1", "what transactions consume was seen on the chain with the same units", wrong))
}

/// The bridge between both databases, per chain and asset: what wallet credited and what payment-method knows to be credited are the
/// same payments, so that their units add up to the same. What wallet reported less than a minute ago may not be there yet.
pub(super) async fn credits_rest_on_known_payments(snapshots: &mut Snapshots) -> Result<Verdict> {
    type Payment = (String, String, String, String, i64, String);
    const CREDITED: &str = "SELECT direction, chain, asset, txid, vout, units::text FROM consumed_payments
        WHERE units IS NOT NULL AND (freed_at IS NULL AND told_at < clock_timestamp() - interval '60 seconds'
            OR NOT $1)";
    let settled: HashSet<Payment> =
        sqlx::query_as(CREDITED).bind(true).fetch_all(snapshots.of(Service::Wallet)?).await?.into_iter().collect();
    let known: HashSet<Payment> = sqlx::query_as(
        "SELECT way, chain, symbol, txid, idx::bigint, units::text FROM chain_payments WHERE is_consumed",
    )
    .fetch_all(snapshots.of(Service::PaymentMethod)?)
    .await?
    .into_iter()
    .collect();
    // What was credited since the snapshot of wallet is there now; what was reversed stays known.
    let mut now = snapshots.now(Service::Wallet).await?;
    let credited: HashSet<Payment> =
        sqlx::query_as(CREDITED).bind(false).fetch_all(&mut now).await?.into_iter().collect();
    let mut wrong = Vec::new();
    let done = |way: &str| if way == "in" { "credited" } else { "paid" };
    for (way, chain, asset, txid, vout, units) in settled.difference(&known) {
        wrong.push(format!(
            "{units} of {asset} on {chain} were {}, but payment-method has no consumed payment: {txid}, output {vout}",
            done(way)
        ));
    }
    for (way, chain, asset, txid, vout, units) in known.difference(&credited) {
        wrong.push(format!(
            "{units} of {asset} on {chain} count as {}, and no transaction is: {txid}, output {vout}",
            done(way)
        ));
    }
    for (database, counted) in [(Service::Wallet, COUNTED_CONSUMED), (Service::PaymentMethod, COUNTED_KNOWN)] {
        let miscounted: Vec<String> = sqlx::query_scalar(counted).fetch_all(snapshots.of(database)?).await?;
        wrong.extend(miscounted.into_iter().map(|sum| format!("{} counts wrongly: {sum}", database.name())));
    }
    Ok(Verdict::new("D-N1 D-N6", "per asset, the units credited and paid are the units of payments known to be", wrong))
}

/// Sums of the bridge that are not what the payments come to, in the database of wallet.
const COUNTED_CONSUMED: &str = "
    SELECT format('%s %s %s: %s', chain, asset, direction, units) FROM consumed_totals FULL JOIN (
        SELECT chain, asset, direction, count(*) AS payments, sum(units) AS units FROM (
            SELECT DISTINCT chain, txid, vout, direction, asset, units FROM consumed_payments
            WHERE told_at IS NOT NULL AND units IS NOT NULL) AS told
        GROUP BY chain, asset, direction) AS counted USING (chain, asset, direction, payments, units)
    WHERE consumed_totals.chain IS NULL OR counted.chain IS NULL";

/// The same in the database of payment-method.
const COUNTED_KNOWN: &str = "
    SELECT format('%s %s %s: %s', chain, symbol, way, units) FROM consumed_totals FULL JOIN (
        SELECT chain, symbol, way, count(*) AS payments, sum(units) AS units FROM chain_payments WHERE is_consumed
        GROUP BY chain, symbol, way) AS counted USING (chain, symbol, way, payments, units)
    WHERE consumed_totals.chain IS NULL OR counted.chain IS NULL";
