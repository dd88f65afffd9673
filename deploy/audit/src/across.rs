//! Invariants across several databases.

mod trades;

mod payments;

mod events;

use std::collections::HashSet;

use anyhow::Result;
use sqlx::PgConnection;
use uuid::Uuid;

use self::events::events_arrived;
use self::payments::{
    consumed_payments_were_seen, credits_rest_on_known_payments, deposits_went_where_they_were_told,
    no_payout_to_ourselves, payouts_have_withdrawals,
};
use self::trades::{gains_are_published, gains_come_from_their_plan, trades_and_fundings};
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
