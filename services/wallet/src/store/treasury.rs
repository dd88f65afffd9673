//! Confirmed movements of the treasury, the accounts of plans, and what trade reports of open trades.

use chassis::across;
use chassis::id::{PlanId, ProposalId, TradeId, TransactionId};
use std::collections::HashMap;

use chassis::db::PgConnection;
use chassis::money::Cents;
use chassis::proposal::Proposal;
use serde_json::Value;
use time::OffsetDateTime;

use crate::domain::account::HouseAccount;
use crate::domain::steps::Return;
use crate::domain::treasury::{Confirmed, HOUSE, MovementKind, OpenTrades};
use crate::error::Error;

struct Row {
    kind: MovementKind,
    change: Value,
    decided_at: OffsetDateTime,
}

impl TryFrom<Row> for Confirmed {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self, Error> {
        let movement = serde_json::from_value(row.change).map_err(Error::unreadable_change)?;
        Ok(Self { kind: row.kind, movement, at: row.decided_at })
    }
}

/// The movements of a plan, or those that concern none, that say something of what is owned or held elsewhere, without this one;
/// oldest first.
pub async fn of_subject(
    conn: &mut PgConnection,
    plan_id: Option<PlanId>,
    without: ProposalId,
) -> Result<Vec<Confirmed>, Error> {
    let rows = sqlx::query_as!(
        Row,
        r#"SELECT kind AS "kind: _", change, decided_at AS "decided_at!" FROM proposals
         WHERE subject_id = $1 AND status = 'confirmed' AND is_treasury(kind) AND change ? 'asset' AND id <> $2
         ORDER BY decided_at, id"#,
        plan_id.map_or(HOUSE, PlanId::get),
        without.get()
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter().map(TryInto::try_into).collect()
}

/// What went back of each of these rejected payments, oldest first.
pub async fn returns_of(
    conn: &mut PgConnection,
    rejected: &[TransactionId],
) -> Result<Vec<(TransactionId, Return)>, Error> {
    let rows = sqlx::query_as!(
        Row,
        r#"SELECT kind AS "kind: _", change, decided_at AS "decided_at!" FROM proposals
         WHERE change ->> 'transaction_id' = ANY ($1::uuid[]::text[]) AND kind = 'refund' AND status = 'confirmed'
         ORDER BY decided_at, id"#,
        rejected as _
    )
    .fetch_all(conn)
    .await?;
    let mut all = Vec::new();
    for row in rows {
        let Confirmed { movement, at, .. } = row.try_into()?;
        let of = movement.returned.as_ref().map(|returned| returned.transaction_id);
        all.extend(of.zip(movement.returned(at)));
    }
    Ok(all)
}

/// The newest movements, as proposals.
pub async fn newest(conn: &mut PgConnection, limit: i64) -> Result<Vec<Proposal>, sqlx::Error> {
    sqlx::query_as!(
        Proposal,
        r#"SELECT id, kind, subject_id, change, before, status, proposed_by, proposed_at,
            decided_by AS "decided_by: _", decided_at,
            proposed_at + interval '7 days' AS expires_at
         FROM proposals WHERE status = 'confirmed' AND is_treasury(kind) ORDER BY decided_at DESC, id DESC LIMIT $1"#,
        limit
    )
    .fetch_all(conn)
    .await
}

/// The name of a plan in its newest movement, before trade has reported it.
pub async fn title_of(conn: &mut PgConnection, plan_id: PlanId) -> Result<Option<String>, sqlx::Error> {
    let title = sqlx::query_scalar!(
        "SELECT change ->> 'plan_title' FROM proposals
         WHERE subject_id = $1 AND status = 'confirmed' AND is_treasury(kind) ORDER BY decided_at DESC, id DESC LIMIT 1",
        plan_id.get()
    )
    .fetch_optional(conn)
    .await?;
    Ok(title.flatten())
}

/// The balances of all accounts of the house, by kind: the sums of the buckets, in which they arise.
pub async fn house_balances(conn: &mut PgConnection) -> Result<HashMap<String, Cents>, sqlx::Error> {
    let mut balances: HashMap<String, Cents> = HashMap::new();
    for (kind, balance) in across!(conn, house_balances_here(conn)).into_iter().flatten() {
        let sum = balances.entry(kind).or_default();
        *sum = Cents::new(sum.get() + balance.get());
    }
    Ok(balances)
}

async fn house_balances_here(conn: &mut PgConnection) -> Result<HashMap<String, Cents>, sqlx::Error> {
    let rows = sqlx::query!(r#"SELECT kind, balance_cents AS "balance: Cents" FROM accounts WHERE user_id IS NULL"#);
    Ok(rows.fetch_all(conn).await?.into_iter().map(|row| (row.kind, row.balance)).collect())
}

/// The balance of an account of the house, the sum of the buckets.
pub async fn house_balance(conn: &mut PgConnection, account: HouseAccount) -> Result<Cents, sqlx::Error> {
    let each = across!(conn, house_balance_here(conn, account));
    Ok(Cents::new(each.into_iter().map(Cents::get).sum()))
}

async fn house_balance_here(conn: &mut PgConnection, account: HouseAccount) -> Result<Cents, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT balance_cents AS "balance: Cents" FROM accounts WHERE id = $1 + 100 * bucket()"#,
        account.id()
    )
    .fetch_one(conn)
    .await
}

/// The cash of a plan, the sum of the buckets; zero before it has accounts.
pub async fn plan_cash(conn: &mut PgConnection, plan_id: PlanId) -> Result<Cents, sqlx::Error> {
    let each = across!(conn, plan_cash_here(conn, plan_id));
    Ok(Cents::new(each.into_iter().map(Cents::get).sum()))
}

async fn plan_cash_here(conn: &mut PgConnection, plan_id: PlanId) -> Result<Cents, sqlx::Error> {
    let cash = sqlx::query_scalar!(
        r#"SELECT balance_cents AS "balance: Cents" FROM accounts WHERE user_id = $1 AND kind = 'plan_cash'"#,
        plan_id.get()
    )
    .fetch_optional(conn)
    .await?;
    Ok(cash.unwrap_or_default())
}

/// Plans that have accounts or open trades.
pub async fn plans(conn: &mut PgConnection) -> Result<Vec<PlanId>, sqlx::Error> {
    let mut plans = across!(conn, plans_here(conn)).concat();
    plans.sort_unstable();
    plans.dedup();
    Ok(plans)
}

async fn plans_here(conn: &mut PgConnection) -> Result<Vec<PlanId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT plan_id AS "plan_id!: _" FROM (SELECT user_id AS plan_id FROM accounts WHERE kind = 'plan_cash'
            UNION SELECT plan_id FROM plan_values) AS known ORDER BY 1"#
    )
    .fetch_all(conn)
    .await
}

/// What trade said last of the open trades of a plan.
pub async fn open_trades(
    conn: &mut PgConnection,
    plan_id: PlanId,
) -> Result<Option<(String, OpenTrades)>, sqlx::Error> {
    let row = sqlx::query!(
        r#"SELECT title, cost_cents AS "cost: Cents", value_cents AS "value: Cents", at FROM plan_values WHERE plan_id = $1"#,
        plan_id.get()
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| (row.title, OpenTrades { cost: row.cost, value: row.value, at: row.at })))
}

/// What a movement moves by kind of account, as the check of the ledger expects it.
pub async fn moves(
    conn: &mut PgConnection,
    kind: MovementKind,
    change: &Value,
) -> Result<Vec<(String, Cents)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"SELECT key AS "account!", value::bigint AS "cents!: Cents" FROM posting_kinds AS rule
        CROSS JOIN LATERAL named_moves(rule, ($2::jsonb ->> 'amount_cents')::bigint, ($2 ->> 'book_cents')::bigint,
            $2 ->> 'source') AS named
        CROSS JOIN LATERAL jsonb_each_text(named.moves)
        WHERE rule.cause_type = 'proposal' AND rule.cause_kind = $1"#,
        kind.into_str(),
        change
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|row| (row.account, row.cents)).collect())
}

/// Notes what trade says of the open trades of a plan, unless something newer is known.
pub async fn report(
    conn: &mut PgConnection,
    (plan_id, title): (PlanId, &str),
    open: OpenTrades,
    value_at: Option<OffsetDateTime>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO plan_values (plan_id, title, cost_cents, value_cents, at, value_at) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (plan_id) DO UPDATE SET title = excluded.title, cost_cents = excluded.cost_cents,
            value_cents = excluded.value_cents, at = excluded.at, value_at = excluded.value_at
            WHERE plan_values.at <= excluded.at",
        plan_id.get(),
        title,
        open.cost.get(),
        open.value.get(),
        open.at,
        value_at
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Up to which value of each plan the gains of its open trades are known.
pub async fn known_gains(conn: &mut PgConnection) -> Result<Vec<(PlanId, Option<OffsetDateTime>)>, sqlx::Error> {
    let rows = sqlx::query!("SELECT plan_id, gains_at FROM plan_values").fetch_all(conn).await?;
    Ok(rows.into_iter().map(|row| (row.plan_id.into(), row.gains_at)).collect())
}

/// Whether the gains of all plans are known at the newest value of each, as trade reported it since a moment. Before its
/// first report nothing is known, unless there is no trade.
pub async fn gains_are_known(conn: &mut PgConnection, since: OffsetDateTime) -> Result<bool, sqlx::Error> {
    let each = across!(conn, gains_are_known_here(conn, since));
    Ok(each.into_iter().all(|known| known))
}

async fn gains_are_known_here(conn: &mut PgConnection, since: OffsetDateTime) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT (EXISTS (SELECT FROM plan_values) OR (SELECT trade_id FROM trade_fundings ORDER BY trade_id LIMIT 1) IS NULL)
            AND NOT EXISTS (SELECT FROM plan_values
                WHERE at < $1 OR (value_at IS NOT NULL AND (gains_at IS NULL OR gains_at < value_at))) AS "known!""#,
        since
    )
    .fetch_one(conn)
    .await
}

/// Notes gains of open trades at a value of their plan. What is known of a later value stays.
pub async fn note_gains(
    conn: &mut PgConnection,
    plan_id: PlanId,
    value_at: OffsetDateTime,
    gains: &[(TradeId, Cents)],
) -> Result<(), sqlx::Error> {
    let (trades, cents): (Vec<TradeId>, Vec<i64>) = gains.iter().map(|(trade, gain)| (*trade, gain.get())).unzip();
    sqlx::query!(
        "INSERT INTO open_gains (trade_id, plan_id, gain_cents, value_at)
         SELECT trade_id, $1, gain_cents, $2 FROM unnest($3::uuid[], $4::bigint[]) AS told (trade_id, gain_cents)
         ORDER BY trade_id
         ON CONFLICT (trade_id) DO UPDATE SET plan_id = excluded.plan_id, gain_cents = excluded.gain_cents,
            value_at = excluded.value_at WHERE open_gains.value_at <= excluded.value_at",
        plan_id.get(),
        value_at,
        &trades as _,
        &cents
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Notes that the gains of a plan are known up to a value.
pub async fn complete_gains(
    conn: &mut PgConnection,
    plan_id: PlanId,
    value_at: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE plan_values SET gains_at = $2 WHERE plan_id = $1 AND (gains_at IS NULL OR gains_at < $2)",
        plan_id.get(),
        value_at
    )
    .execute(conn)
    .await?;
    Ok(())
}
