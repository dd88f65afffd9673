//! Compares trades with their money in both directions, and proposes a repair for each difference. Two services keep
//! them in two databases, so a lost or edited row, or backups of different times, can make them disagree.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::{self, Write};

use anyhow::{Context, Result};
use sqlx::{Connection, FromRow, PgConnection};
use uuid::Uuid;

use crate::snapshots::connect;

/// A trade as trade has it.
#[derive(Debug, Clone, FromRow)]
struct Trade {
    id: Uuid,
    user_id: Uuid,
    amount_cents: i64,
    status: String,
    settle_value_cents: Option<i64>,
    under_way: bool,
}

/// Its money as wallet has it.
#[derive(Debug, Clone, FromRow)]
struct Funding {
    trade_id: Uuid,
    user_id: Uuid,
    amount_cents: i64,
    status: String,
    value_cents: Option<i64>,
    under_way: bool,
}

/// A difference and its repair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Break {
    pub trade_id: Uuid,
    /// What each side says.
    pub difference: String,
    /// The repair, through the product, never by hand in the ledger.
    pub repair: &'static str,
}

impl fmt::Display for Break {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "trade {}: {}\n  repair: {}", self.trade_id, self.difference, self.repair)
    }
}

/// The saga resumes due trades and calls wallet again, which returns the same response each time.
const RESUME: &str = "as trade_owner: UPDATE trades SET status = 'settling', resume_at = clock_timestamp() WHERE id = …; \
    the saga asks wallet again, whose answer is the same each time";
const OPEN_AGAIN: &str = "the trade ended but was not paid out: as trade_owner set status 'settling' and resume_at \
    clock_timestamp(), and the saga pays settle_value_cents out, once";
const CREDIT: &str = "there is no trade for this money: confirm with the member, then return the principal by a correction \
    of two people (POST /v1/admin/adjustments, debited from house:adjustments) that names this trade";
const DEBIT: &str = "the trade has no money behind it: as trade_owner set status 'failed'; what was paid out for it is \
    claimed back by a correction of two people";
const LOOK: &str = "the two name different members or amounts: withdrawals stay closed until an engineer has compared \
    both with the audit log and the mails of the trade";

/// Compares all trades with all fundings. Read one after the other: what is under way, or younger than a minute, may be
/// ahead on either side and is left out.
///
/// # Errors
/// When a database cannot be read.
pub async fn reconcile(trade_url: &str, wallet_url: &str) -> Result<Vec<Break>> {
    let mut trade = PgConnection::connect(trade_url).await.context("trade")?;
    let trades: Vec<Trade> = sqlx::query_as(
        "SELECT id, user_id, amount_cents, status, settle_value_cents,
                status = 'opening' OR created_at > clock_timestamp() - interval '60 seconds' AS under_way
         FROM trades",
    )
    .fetch_all(&mut trade)
    .await?;
    let mut wallet = connect(wallet_url).await.context("wallet")?;
    let fundings: Vec<Funding> = sqlx::query_as(
        "SELECT trade_id, user_id, amount_cents, status, value_cents,
                created_at > clock_timestamp() - interval '60 seconds' AS under_way
         FROM trade_fundings",
    )
    .fetch_all(&mut wallet)
    .await?;
    Ok(compare(&trades, &fundings))
}

/// Writes the differences and their number. Returns whether there are none.
///
/// # Errors
/// When the output is closed.
pub fn report(output: &mut impl Write, breaks: &[Break]) -> io::Result<bool> {
    for found in breaks {
        writeln!(output, "{found}")?;
    }
    writeln!(output, "{} differences between trade and wallet", breaks.len())?;
    Ok(breaks.is_empty())
}

fn compare(trades: &[Trade], fundings: &[Funding]) -> Vec<Break> {
    let trades: BTreeMap<Uuid, &Trade> = trades.iter().map(|trade| (trade.id, trade)).collect();
    let known: BTreeSet<Uuid> = fundings.iter().map(|funding| funding.trade_id).collect();
    let without_money = trades.values().filter(|trade| !known.contains(&trade.id));
    // Each bucket of members may have money of a trade: that of another member than the trade's differs.
    let with_money = fundings.iter().map(|one| (one.trade_id, trades.get(&one.trade_id).copied(), Some(one)));
    let mut pairs: Vec<_> = without_money.map(|&trade| (trade.id, Some(trade), None)).chain(with_money).collect();
    pairs.sort_by_key(|(id, ..)| *id);
    pairs.into_iter().filter_map(|(id, trade, funding)| difference(id, trade, funding)).collect()
}

fn difference(trade_id: Uuid, trade: Option<&Trade>, funding: Option<&Funding>) -> Option<Break> {
    let repair = match (trade, funding) {
        (Some(trade), _) if trade.under_way => return None,
        (None, Some(funding)) if funding.under_way || funding.status == "refused" => return None,
        (None, None) => return None,
        (None, Some(_)) => CREDIT,
        (Some(trade), Some(funding))
            if trade.user_id != funding.user_id || trade.amount_cents != funding.amount_cents =>
        {
            LOOK
        }
        (Some(trade), funding) => match (trade.status.as_str(), funding.map(|funding| funding.status.as_str())) {
            ("open", Some("funded"))
            | ("settling", Some("funded" | "settled"))
            | ("failed", Some("refused") | None) => return None,
            ("claimed" | "closed", Some("settled"))
                if funding.and_then(|funding| funding.value_cents) == trade.settle_value_cents =>
            {
                return None;
            }
            ("open", Some("settled")) => RESUME,
            ("claimed" | "closed", Some("funded")) => OPEN_AGAIN,
            ("failed", Some("funded")) => CREDIT,
            ("open" | "settling" | "claimed" | "closed", None | Some("refused")) => DEBIT,
            _ => LOOK,
        },
    };
    let trade = trade.map_or("no such trade".to_owned(), |trade| {
        format!("{} of {} with {:?}", trade.status, trade.amount_cents, trade.settle_value_cents)
    });
    let funding = funding.map_or("no money".to_owned(), |funding| {
        format!("{} of {} with {:?}", funding.status, funding.amount_cents, funding.value_cents)
    });
    Some(Break { trade_id, difference: format!("trade says {trade}, wallet says {funding}"), repair })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEMBER: Uuid = Uuid::from_u128(1);

    fn trade(id: u128, status: &str, value: Option<i64>) -> Trade {
        let status = status.to_owned();
        let id = Uuid::from_u128(id);
        Trade { id, user_id: MEMBER, amount_cents: 500, status, settle_value_cents: value, under_way: false }
    }

    fn funding(id: u128, status: &str, value: Option<i64>) -> Funding {
        let status = status.to_owned();
        let trade_id = Uuid::from_u128(id);
        Funding { trade_id, user_id: MEMBER, amount_cents: 500, status, value_cents: value, under_way: false }
    }

    /// [A4] What a saga leaves behind, finished or in the middle, is no difference.
    #[test]
    fn sagas_are_no_differences() {
        let trades = [
            trade(1, "open", None),
            trade(2, "settling", Some(510)),
            trade(3, "settling", Some(510)),
            trade(4, "claimed", Some(510)),
            trade(5, "failed", None),
            trade(6, "failed", None),
            Trade { under_way: true, ..trade(7, "opening", None) },
        ];
        let fundings = [
            funding(1, "funded", None),
            funding(2, "funded", None),
            funding(3, "settled", Some(510)),
            funding(4, "settled", Some(510)),
            funding(5, "refused", None),
            funding(8, "refused", None),
            Funding { under_way: true, ..funding(9, "funded", None) },
        ];
        assert_eq!(compare(&trades, &fundings), []);
    }

    /// [A4] Each tear between the two databases is found from either side, with its repair.
    #[test]
    fn each_difference_has_its_repair() {
        let cases = [
            (Some(trade(1, "claimed", Some(510))), Some(funding(1, "funded", None)), OPEN_AGAIN),
            (Some(trade(1, "open", None)), Some(funding(1, "settled", Some(510))), RESUME),
            (Some(trade(1, "open", None)), None, DEBIT),
            (Some(trade(1, "open", None)), Some(funding(1, "refused", None)), DEBIT),
            (None, Some(funding(1, "funded", None)), CREDIT),
            (None, Some(funding(1, "settled", Some(510))), CREDIT),
            (Some(trade(1, "failed", None)), Some(funding(1, "funded", None)), CREDIT),
            (Some(trade(1, "claimed", Some(511))), Some(funding(1, "settled", Some(510))), LOOK),
            (
                Some(trade(1, "open", None)),
                Some(Funding { user_id: Uuid::from_u128(2), ..funding(1, "funded", None) }),
                LOOK,
            ),
        ];
        for (trade, funding, repair) in cases {
            let trades: Vec<_> = trade.into_iter().collect();
            let fundings: Vec<_> = funding.into_iter().collect();
            let found = compare(&trades, &fundings);
            assert_eq!(found.iter().map(|found| found.repair).collect::<Vec<_>>(), [repair], "{trades:?} {fundings:?}");
        }
    }

    /// [A4] [D-H6] A trade that is funded for a second member, in another bucket, is found.
    #[test]
    fn money_of_a_second_member_is_found() {
        let own = funding(1, "funded", None);
        let second = Funding { user_id: Uuid::from_u128(2), ..own.clone() };
        for fundings in [[own.clone(), second.clone()], [second, own]] {
            let found = compare(&[trade(1, "open", None)], &fundings);
            assert_eq!(found.iter().map(|found| found.repair).collect::<Vec<_>>(), [LOOK]);
        }
    }
}
