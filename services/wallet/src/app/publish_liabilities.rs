//! Publishes the proof of liabilities, each night or on request by staff.

use chassis::audit::{self, Act};
use chassis::clock;
use chassis::db::{Db, PgConnection, Tx};
use chassis::idempotency::{self, Answer};
use chassis::staff_call::StaffCall;
use serde_json::json;
use time::UtcOffset;

use crate::app::{Moment, answered_before};
use crate::domain::liabilities::{Liabilities, empty_root};
use crate::error::Error;
use crate::store::liabilities;

/// What the audit log calls it.
const ACTION: &str = "liabilities.publish";

/// A publication that staff asked for.
#[derive(Debug, Clone)]
pub struct PublishLiabilities {
    pub call: StaffCall,
}

/// A tree that is built but not published.
struct Tree {
    publication_id: i64,
    leaves: i64,
}

/// Publishes the balances of this moment for staff.
///
/// # Errors
/// `PublicationInProgress` while another is built.
pub async fn publish_liabilities(db: &Db, command: &PublishLiabilities) -> Result<Answer<Liabilities>, Error> {
    if let Some(answer) = answered_before(db, command.call.claim.as_ref()).await? {
        return Ok(answer);
    }
    let tree = build(db).await?;
    let answer =
        idempotency::once(db, command.call.claim.clone(), async |conn| complete_for(conn, &tree, command).await)
            .await?;
    liabilities::remove_old_trees(db).await?;
    Ok(answer)
}

/// Publishes if the newest publication is of an earlier day (UTC).
pub async fn publish_nightly(db: &Db) -> Result<(), Error> {
    let mut conn = db.conn().await?;
    let today = clock::now(&mut conn).await?.to_offset(UtcOffset::UTC).date();
    let is_due = liabilities::newest_day(&mut conn).await?.is_none_or(|day| day < today);
    drop(conn);
    if !is_due {
        return Ok(());
    }
    let tree = match build(db).await {
        Ok(tree) => tree,
        // Another process builds it.
        Err(Error::PublicationInProgress) => return Ok(()),
        Err(error) => return Err(error),
    };
    let mut tx = step(db).await?;
    let published = complete(&mut tx, &tree).await?;
    audit::append_own(&mut tx, ACTION, "liabilities", facts(&published)).await?;
    tx.commit().await?;
    liabilities::remove_old_trees(db).await?;
    Ok(())
}

/// Copies the leaves in one snapshot, and builds the tree above them in a transaction per level, so that no snapshot is
/// held for long.
async fn build(db: &Db) -> Result<Tree, Error> {
    let mut tx = step(db).await?;
    let at = clock::now(&mut tx).await?;
    let publication_id = liabilities::begin(&mut tx, at).await?.ok_or(Error::PublicationInProgress)?;
    let leaves = liabilities::insert_leaves(&mut tx, publication_id).await?;
    tx.commit().await?;
    let (mut level, mut nodes) = (0, leaves);
    while nodes > 1 {
        let mut tx = step(db).await?;
        nodes = liabilities::insert_level(&mut tx, publication_id, level).await?;
        tx.commit().await?;
        level += 1;
    }
    Ok(Tree { publication_id, leaves: i64::try_from(leaves).unwrap_or(i64::MAX) })
}

async fn step(db: &Db) -> Result<Tx, Error> {
    let mut tx = db.begin().await?;
    liabilities::allow_long_statements(&mut tx).await?;
    Ok(tx)
}

async fn complete(conn: &mut PgConnection, tree: &Tree) -> Result<Liabilities, Error> {
    let published = liabilities::complete(conn, tree.publication_id, tree.leaves, &empty_root()).await?;
    published.ok_or(Error::PublicationInProgress)
}

async fn complete_for(
    conn: &mut PgConnection,
    tree: &Tree,
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
    json!({ "at": Moment(published.at), "totalCents": published.total.get(), "leaves": published.leaves })
}
