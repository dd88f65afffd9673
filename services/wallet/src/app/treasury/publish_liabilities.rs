//! Publishes the proof of liabilities with what is held for them, each night or on request by staff.

use std::time::Duration;

use chassis::audit::{self, Act};
use chassis::clock;
use chassis::db::{Db, PgConnection, Tx};
use chassis::idempotency::{self, Answer};
use chassis::staff_call::StaffCall;
use serde_json::json;
use time::{OffsetDateTime, UtcOffset};

use crate::app::{Moment, answered_before};
use crate::domain::liabilities::{HeldForMembers, Liabilities};
use crate::error::Error;
use crate::store::{liabilities, treasury};

/// How long ago trade may have reported for its gains to count as known.
const REPORTED_WITHIN: Duration = Duration::from_secs(600);

/// What the audit log calls it.
const ACTION: &str = "liabilities.publish";

/// A publication that staff asked for.
#[derive(Debug, Clone)]
pub struct PublishLiabilities {
    pub call: StaffCall,
}

/// Publishes the balances of this moment for staff. What is held is asked once they are counted.
///
/// # Errors
/// `PublicationInProgress` while another is built, `GainsUnknown` until trade has reported the gains of open trades.
pub async fn publish_liabilities(
    db: &Db,
    command: &PublishLiabilities,
    held: impl AsyncFnOnce() -> Result<HeldForMembers, Error>,
) -> Result<Answer<Liabilities>, Error> {
    if let Some(answer) = answered_before(db, command.call.claim.as_ref()).await? {
        return Ok(answer);
    }
    let publication_id = build(db).await?;
    let held = held().await?;
    let answer = idempotency::once(db, command.call.claim.clone(), async |conn| {
        complete_for(conn, (publication_id, &held), command).await
    })
    .await?;
    liabilities::remove_old_trees(db).await?;
    Ok(answer)
}

/// Publishes if the newest publication is of an earlier day (UTC).
pub async fn publish_nightly(db: &Db, held: impl AsyncFnOnce() -> Result<HeldForMembers, Error>) -> Result<(), Error> {
    let mut conn = db.conn().await?;
    let (now, newest) = (clock::now(&mut conn).await?, liabilities::newest_at(&mut conn).await?);
    drop(conn);
    if let Some(at) = newest {
        metrics::gauge!("liabilities_published_at").set(u32::try_from(at.unix_timestamp()).unwrap_or_default());
    }
    let day = |at: OffsetDateTime| at.to_offset(UtcOffset::UTC).date();
    if newest.is_some_and(|at| day(at) >= day(now)) {
        return Ok(());
    }
    let publication_id = match build(db).await {
        Ok(publication_id) => publication_id,
        // Another process builds it, or it is too early.
        Err(Error::PublicationInProgress | Error::GainsUnknown) => return Ok(()),
        Err(error) => return Err(error),
    };
    let held = held().await?;
    let mut tx = step(db).await?;
    let published = complete(&mut tx, (publication_id, &held)).await?;
    audit::append_own(&mut tx, ACTION, "liabilities", facts(&published)).await?;
    tx.commit().await?;
    liabilities::remove_old_trees(db).await?;
    Ok(())
}

/// Has the database count all members and build the tree above them, in a transaction per level, so that no snapshot is held
/// for long.
async fn build(db: &Db) -> Result<i64, Error> {
    // Several buckets are counted one after the other.
    let mut tx = if db.home().buckets.count == 1 { db.begin().await? } else { db.begin_snapshot().await? };
    liabilities::allow_long_statements(&mut tx).await?;
    // While trade cannot be asked, its members are not owed less.
    let since = clock::now(&mut tx).await? - REPORTED_WITHIN;
    if !treasury::gains_are_known(&mut tx, since).await? {
        return Err(Error::GainsUnknown);
    }
    let publication_id = liabilities::begin(&mut tx).await?.ok_or(Error::PublicationInProgress)?;
    tx.commit().await?;
    loop {
        let mut tx = step(db).await?;
        let nodes = liabilities::raise(&mut tx, publication_id).await?;
        tx.commit().await?;
        if nodes <= 1 {
            return Ok(publication_id);
        }
    }
}

async fn step(db: &Db) -> Result<Tx, Error> {
    let mut tx = db.begin().await?;
    liabilities::allow_long_statements(&mut tx).await?;
    Ok(tx)
}

async fn complete(conn: &mut PgConnection, (id, held): (i64, &HeldForMembers)) -> Result<Liabilities, Error> {
    liabilities::complete(conn, id, held).await?.ok_or(Error::PublicationInProgress)
}

async fn complete_for(
    conn: &mut PgConnection,
    tree: (i64, &HeldForMembers),
    command: &PublishLiabilities,
) -> Result<Liabilities, Error> {
    let published = complete(conn, tree).await?;
    let act = Act {
        staff: &command.call.staff,
        action: ACTION,
        subject_id: "liabilities".to_owned(),
        member_id: None,
        before: None,
        after: Some(facts(&published)),
        address: &command.call.address,
    };
    audit::append(conn, act).await?;
    Ok(published)
}

fn facts(published: &Liabilities) -> serde_json::Value {
    json!({ "countedAt": Moment(published.at), "totalCents": published.total.get(), "leaves": published.leaves })
}
