//! Invariants across several databases.

use std::collections::{HashMap, HashSet};

use anyhow::Result;
use sqlx::PgConnection;
use uuid::Uuid;

use super::snapshots::Snapshots;
use super::verdict::Verdict;
use stack::Service;

/// The audit log of a database, verified with the code of the services.
pub async fn trail_is_unbroken(database: Service, connection: &mut PgConnection) -> Result<Verdict> {
    let broken = chassis::audit::broken_at(connection).await?;
    let offending = broken.map(|id| format!("row {id} does not follow the row before")).into_iter().collect();
    Ok(Verdict::new("D-O3", format!("{}: the trail of staff is an unbroken chain", database.name()), offending))
}

/// All of them.
pub async fn verdicts(snapshots: &mut Snapshots) -> Result<Vec<Verdict>> {
    Ok(vec![
        trades_and_fundings(snapshots).await?,
        accounts_have_members(snapshots).await?,
        deposits_went_where_they_were_told(snapshots).await?,
        no_payout_to_ourselves(snapshots).await?,
        payouts_have_withdrawals(snapshots).await?,
        consumed_payments_were_seen(snapshots).await?,
        credits_rest_on_known_payments(snapshots).await?,
        gains_come_from_their_plan(snapshots).await?,
        gains_are_published(snapshots).await?,
        events_arrived(snapshots).await?,
    ])
}

/// Trades are split by the last three digits of their id. The data of both services is compared by one hash per part,
/// and row by row only if the hashes differ, so that the audit does not hold all trades in memory.
const TRADE_PARTS: &str = r"
    SELECT right(id::text, 3), encode(sha256(string_agg(
        format('%s %s %s %s %s', id, user_id, amount_cents, status, settle_value_cents), ';' ORDER BY id)::bytea), 'hex')
    FROM (
        SELECT id, user_id, amount_cents, settle_value_cents, CASE status
            WHEN 'open' THEN 'funded' WHEN 'claimed' THEN 'settled' WHEN 'closed' THEN 'settled' WHEN 'failed' THEN 'refused'
            ELSE status END AS status
        FROM trades WHERE status <> 'opening'
    ) AS trades GROUP BY 1";

/// The money of trades, hashed as [`TRADE_PARTS`].
const FUNDING_PARTS: &str = r"
    SELECT right(trade_id::text, 3), encode(sha256(string_agg(
        format('%s %s %s %s %s', trade_id, user_id, amount_cents, status, value_cents), ';' ORDER BY trade_id)::bytea), 'hex')
    FROM trade_fundings GROUP BY 1";

/// Trades and their money agree. A saga in progress, or one that began after the first snapshot, may be ahead on either
/// side, so only trades that are finished or a minute old are compared.
async fn trades_and_fundings(snapshots: &mut Snapshots) -> Result<Verdict> {
    let (trade, wallet) = snapshots.pair(Service::Trade, Service::Wallet)?;
    let trades = sqlx::query_as(TRADE_PARTS).fetch_all(trade);
    let fundings = sqlx::query_as(FUNDING_PARTS).fetch_all(wallet);
    let (trades, fundings) = tokio::try_join!(trades, fundings)?;
    let trades: HashSet<(String, String)> = trades.into_iter().collect();
    let fundings: HashSet<(String, String)> = fundings.into_iter().collect();
    let parts: HashSet<String> = trades.symmetric_difference(&fundings).map(|(part, _)| part.clone()).collect();
    let parts: Vec<String> = parts.into_iter().collect();
    let offending = compare_trades(snapshots, &parts).await?;
    Ok(Verdict::new("T1 T2 T4", "every trade has exactly its money, and all money its trade", offending))
}

/// The trades of these parts whose money differs.
async fn compare_trades(snapshots: &mut Snapshots, parts: &[String]) -> Result<Vec<String>> {
    let (trade, wallet) = snapshots.pair(Service::Trade, Service::Wallet)?;
    type Trade = (Uuid, Uuid, i64, String, Option<i64>, bool);
    let trades = sqlx::query_as::<_, Trade>(
        "SELECT id, user_id, amount_cents, status, settle_value_cents, created_at < clock_timestamp() - interval '60 seconds'
         FROM trades WHERE right(id::text, 3) = ANY ($1)",
    )
    .bind(parts)
    .fetch_all(trade);
    type Funding = (Uuid, Uuid, i64, String, Option<i64>, bool);
    let fundings = sqlx::query_as::<_, Funding>(
        "SELECT trade_id, user_id, amount_cents, status, value_cents, created_at < clock_timestamp() - interval '60 seconds'
         FROM trade_fundings WHERE right(trade_id::text, 3) = ANY ($1)",
    )
    .bind(parts)
    .fetch_all(wallet);
    let (trades, fundings) = tokio::try_join!(trades, fundings)?;
    let known: HashSet<Uuid> = trades.iter().map(|trade| trade.0).collect();
    let money: HashMap<Uuid, &Funding> = fundings.iter().map(|funding| (funding.0, funding)).collect();
    let mut offending = Vec::new();
    for (id, user_id, amount, status, value, old) in &trades {
        let funding = money.get(id).map(|one| (one.1 == *user_id && one.2 == *amount, one.3.as_str(), one.4));
        let kept = match (status.as_str(), funding) {
            (_, Some((false, ..))) => false,
            ("open", Some((_, "funded", _))) => true,
            ("settling", Some((_, "funded" | "settled", _))) => true,
            ("claimed" | "closed", Some((_, "settled", paid))) => paid == *value,
            ("failed", Some((_, "refused", _)) | None) => true,
            ("opening", _) => true,
            _ => !old,
        };
        if !kept {
            offending.push(format!("trade {id} is {status} with {amount} and {value:?}, its money is {funding:?}"));
        }
    }
    for (id, _, amount, status, _, old) in &fundings {
        if *old && status != "refused" && !known.contains(id) {
            offending.push(format!("{amount} of trade {id} are {status}, but there is no such trade"));
        }
    }
    Ok(offending)
}

/// A gain comes from the cash of the trade's own plan, and a loss goes to it. [D-T1]
async fn gains_come_from_their_plan(snapshots: &mut Snapshots) -> Result<Verdict> {
    let posted: Vec<(Uuid, Option<Uuid>, String)> = sqlx::query_as(
        "SELECT business_id, accounts.user_id, accounts.kind FROM postings JOIN entries ON posting_id = postings.id
         JOIN accounts ON accounts.id = account_id
         WHERE postings.kind IN ('trade_gain', 'trade_loss') AND accounts.kind NOT IN ('available', 'owed', 'invested')",
    )
    .fetch_all(snapshots.of(Service::Wallet)?)
    .await?;
    let ids: Vec<Uuid> = posted.iter().map(|(trade, ..)| *trade).collect();
    let plans: HashMap<Uuid, Uuid> = sqlx::query_as("SELECT id, plan_id FROM trades WHERE id = ANY ($1)")
        .bind(ids)
        .fetch_all(snapshots.of(Service::Trade)?)
        .await?
        .into_iter()
        .collect();
    let is_of_plan = |trade, owner: &Option<Uuid>| owner.is_some() && plans.get(trade) == owner.as_ref();
    let wrong = posted.iter().filter(|(trade, owner, kind)| kind != "plan_cash" || !is_of_plan(trade, owner));
    let wrong = wrong
        .map(|(trade, owner, kind)| {
            format!("trade {trade} moved {kind} of {}", owner.map_or("the house".into(), |id| id.to_string()))
        })
        .collect();
    Ok(Verdict::new("D-T1 D-T2", "gains come from the cash of their plan, and losses go to it", wrong))
}

/// How long trade may take to tell wallet the gains at a new value.
const TOLD_WITHIN: time::Duration = time::Duration::minutes(15);

/// What each trade that was live when the liabilities were counted had gained: at the value of that moment, of a while before, and
/// if it ends as it is paid.
const GAINS: &str = r"
    SELECT trades.id, floor(amount_cents::numeric * now.value / opening_value_micros)::bigint - amount_cents,
        floor(amount_cents::numeric * before.value / opening_value_micros)::bigint - amount_cents,
        settle_value_cents - amount_cents
    FROM trades CROSS JOIN LATERAL (SELECT coalesce((SELECT value_micros FROM plan_values
        WHERE plan_id = trades.plan_id AND at <= least($1, matures_at) ORDER BY at DESC LIMIT 1), opening_value_micros) AS value) AS now
    CROSS JOIN LATERAL (SELECT coalesce((SELECT value_micros FROM plan_values
        WHERE plan_id = trades.plan_id AND at <= least(greatest($2, created_at), matures_at) ORDER BY at DESC LIMIT 1), opening_value_micros) AS value) AS before
    WHERE right(trades.id::text, 1) = $3 AND created_at <= $1 AND status <> 'failed' AND (ended_at IS NULL OR ended_at >= $1)";

/// The gains that the newest publication counted of the trades that were funded then.
const PUBLISHED_GAINS: &str = r"
    SELECT trade_id, coalesce(gain_cents, 0) FROM trade_fundings LEFT JOIN liability_gains USING (trade_id)
    WHERE right(trade_id::text, 1) = $2 AND coalesce(publication_id, $1) = $1
        AND EXISTS (SELECT FROM postings WHERE kind = 'trade_fund' AND business_id = trade_id
            AND (xid IS NULL OR pg_visible_in_snapshot(xid, (SELECT snapshot FROM liability_publications WHERE id = $1))))
        AND NOT EXISTS (SELECT FROM postings WHERE kind IN ('trade_settle', 'trade_loss') AND business_id = trade_id
            AND (xid IS NULL OR pg_visible_in_snapshot(xid, (SELECT snapshot FROM liability_publications WHERE id = $1))))";

/// The newest proof of liabilities has the gain of every trade that was open, and no others. [D-T5]
async fn gains_are_published(snapshots: &mut Snapshots) -> Result<Verdict> {
    const PROMISE: &str = "the published liabilities have what every open trade gained by its plan's values";
    let newest: Option<(i64, time::OffsetDateTime)> = sqlx::query_as(
        "SELECT id, at FROM liability_publications WHERE published_at IS NOT NULL AND snapshot IS NOT NULL
         ORDER BY at DESC LIMIT 1",
    )
    .fetch_optional(snapshots.of(Service::Wallet)?)
    .await?;
    let Some((id, at)) = newest else { return Ok(Verdict::new("D-T5", PROMISE, Vec::new())) };
    let mut offending = Vec::new();
    // A part of the trades at a time, so that the audit does not hold all of them in memory.
    for digit in "0123456789abcdef".chars().map(String::from) {
        let (trade, wallet) = snapshots.pair(Service::Trade, Service::Wallet)?;
        type Gained = (Uuid, i64, i64, Option<i64>);
        let gained = sqlx::query_as::<_, Gained>(GAINS).bind(at).bind(at - TOLD_WITHIN).bind(&digit).fetch_all(trade);
        let told = sqlx::query_as::<_, (Uuid, i64)>(PUBLISHED_GAINS).bind(id).bind(&digit).fetch_all(wallet);
        let (gained, told) = tokio::try_join!(gained, told)?;
        let gained: HashMap<Uuid, [i64; 3]> = gained
            .into_iter()
            .map(|(id, now, before, paid)| (id, [now, before, paid.unwrap_or(now)].map(|gain| gain.max(0))))
            .collect();
        for (trade, cents) in told {
            // A trade that is missing here ended while the publication was made.
            let Some(possible) = gained.get(&trade) else { continue };
            if !possible.contains(&cents) {
                offending.push(format!("trade {trade} gained {}, and {cents} is published", possible[0]));
            }
        }
    }
    Ok(Verdict::new("D-T5", PROMISE, offending))
}

async fn accounts_have_members(snapshots: &mut Snapshots) -> Result<Verdict> {
    let members: HashSet<Uuid> = sqlx::query_scalar("SELECT id FROM users WHERE role IS NULL")
        .fetch_all(snapshots.of(Service::Auth)?)
        .await?
        .into_iter()
        .collect();
    let owners: Vec<Uuid> = sqlx::query_scalar(
        "SELECT DISTINCT user_id FROM accounts WHERE user_id IS NOT NULL AND kind NOT IN ('plan_cash', 'plan_assets')
         UNION SELECT user_id FROM transactions",
    )
    .fetch_all(snapshots.of(Service::Wallet)?)
    .await?;
    let nobody = owners.iter().filter(|id| !members.contains(id)).map(|id| format!("wallet of {id}")).collect();
    Ok(Verdict::new("S3", "every wallet belongs to a member, none to staff", nobody))
}

async fn deposits_went_where_they_were_told(snapshots: &mut Snapshots) -> Result<Verdict> {
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

async fn no_payout_to_ourselves(snapshots: &mut Snapshots) -> Result<Verdict> {
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
async fn payouts_have_withdrawals(snapshots: &mut Snapshots) -> Result<Verdict> {
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
async fn consumed_payments_were_seen(snapshots: &mut Snapshots) -> Result<Verdict> {
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
async fn credits_rest_on_known_payments(snapshots: &mut Snapshots) -> Result<Verdict> {
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

/// The number of events looked up at once.
const EVENTS: i64 = 10_000;

/// Every event published more than a minute ago is in the inboxes of its consumers.
async fn events_arrived(snapshots: &mut Snapshots) -> Result<Verdict> {
    let mut lost = Vec::new();
    for database in Service::services() {
        let mut after = 0;
        loop {
            let sent: Vec<(i64, Uuid, String)> = sqlx::query_as(
                "SELECT id, event_id, key FROM outbox WHERE id > $1 AND published_at < clock_timestamp() - interval '60 seconds'
                 ORDER BY id LIMIT $2",
            )
            .bind(after)
            .bind(EVENTS)
            .fetch_all(snapshots.of(database)?)
            .await?;
            let Some((last, ..)) = sent.last() else { break };
            after = *last;
            let registered = sent.iter().filter(|(_, _, key)| key == "auth.v1.user_registered");
            let registered: Vec<Uuid> = registered.map(|(_, id, _)| *id).collect();
            let all: Vec<Uuid> = sent.iter().map(|(_, id, _)| *id).collect();
            let missing = [
                ("mailer", missing(snapshots.of(Service::Mailer)?, all).await?),
                ("wallet", missing(snapshots.of(Service::Wallet)?, registered).await?),
            ];
            for (consumer, missing) in missing {
                let told = sent.iter().filter(|(_, id, _)| missing.contains(id));
                lost.extend(told.map(|(_, id, key)| format!("{key} {id} never reached {consumer}")));
            }
        }
    }
    Ok(Verdict::new("Q4", "every event took effect at its consumers", lost))
}

/// The events that a consumer neither processed nor dead-lettered.
async fn missing(consumer: &mut PgConnection, events: Vec<Uuid>) -> Result<HashSet<Uuid>> {
    let missing: Vec<Uuid> = sqlx::query_scalar(
        "SELECT id FROM unnest($1::uuid[]) AS id WHERE NOT EXISTS (SELECT FROM inbox WHERE inbox.event_id = id)
            AND NOT EXISTS (SELECT FROM parked_events WHERE parked_events.event_id = id::text)",
    )
    .bind(events)
    .fetch_all(consumer)
    .await?;
    Ok(missing.into_iter().collect())
}
