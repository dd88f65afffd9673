//! Trades with their money and gains, in trade and wallet.

use std::collections::{HashMap, HashSet};

use anyhow::Result;
use uuid::Uuid;

use crate::snapshots::Snapshots;
use crate::verdict::Verdict;
use stack::Service;

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
pub(super) async fn trades_and_fundings(snapshots: &mut Snapshots) -> Result<Verdict> {
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
pub(super) async fn gains_come_from_their_plan(snapshots: &mut Snapshots) -> Result<Verdict> {
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
pub(super) async fn gains_are_published(snapshots: &mut Snapshots) -> Result<Verdict> {
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
