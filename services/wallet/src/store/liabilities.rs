//! Proofs of liabilities and their Merkle sum trees. The database counts the members and builds the trees
//! (sql/50_liabilities.sql).

use chassis::across;
use chassis::id::MemberId;
use std::time::Duration;

use chassis::db::{Db, PgConnection};
use chassis::money::Cents;
use time::OffsetDateTime;

use crate::domain::liabilities::{Hash, HeldForMembers, Leaf, Liabilities, PastPublication, Sibling};
use crate::error::Error;

/// How long one statement may take: the leaves, or a level of the tree, of all members.
const STATEMENT: Duration = Duration::from_secs(600);

/// Gives the statements of this transaction the time that the leaves of all members take.
pub async fn allow_long_statements(conn: &mut PgConnection) -> Result<(), sqlx::Error> {
    conn.allow(STATEMENT + Duration::from_secs(5));
    sqlx::query!("SELECT set_config('statement_timeout', $1, true)", format!("{}s", STATEMENT.as_secs()))
        .fetch_one(conn)
        .await?;
    Ok(())
}

/// Counts what every member is owed now, in all buckets at the moment of the transaction's snapshot, as the leaves of a
/// publication; `None` while another is being built.
pub async fn begin(conn: &mut PgConnection) -> Result<Option<i64>, sqlx::Error> {
    let begun = sqlx::query_scalar!("SELECT begin_liabilities()").fetch_one(&mut *conn).await?;
    if let Some(id) = begun {
        across!(conn, count(conn, id));
    }
    Ok(begun)
}

async fn count(conn: &mut PgConnection, publication_id: i64) -> Result<(), sqlx::Error> {
    sqlx::query!("SELECT count_liabilities($1)", publication_id).execute(conn).await?;
    Ok(())
}

/// Writes the next level of its tree. Returns how many nodes the highest level has: the root is alone.
pub async fn raise(conn: &mut PgConnection, publication_id: i64) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(r#"SELECT raise_liabilities($1) AS "nodes!""#, publication_id).fetch_one(conn).await
}

/// Publishes its root with what was held then; `None` if it is not being built.
pub async fn complete(
    conn: &mut PgConnection,
    publication_id: i64,
    held: &HeldForMembers,
) -> Result<Option<Liabilities>, Error> {
    let row = sqlx::query_as!(
        Row,
        r#"SELECT at AS "at!", root AS "root!", total_cents AS "total!: Cents", leaves AS "leaves!",
            gains_cents AS "gains: Cents"
        FROM complete_liabilities($1, $2)"#,
        publication_id,
        sqlx::types::Json(held) as _
    )
    .fetch_optional(conn)
    .await?;
    row.map(Liabilities::try_from).transpose()
}

/// Removes the trees of all but the two newest publications, in batches of a transaction each. Their roots stay.
pub async fn remove_old_trees(db: &Db) -> Result<(), sqlx::Error> {
    loop {
        // Which gains are over, the trades of each bucket say.
        let mut conn = db.conn().await?;
        if across!(conn, forget(&mut conn)).iter().all(|rows| *rows == 0) {
            return Ok(());
        }
    }
}

async fn forget(conn: &mut PgConnection) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(r#"SELECT forget_liabilities(10000) AS "gone!""#).fetch_one(conn).await
}

pub async fn newest(conn: &mut PgConnection) -> Result<Option<Liabilities>, Error> {
    let row = sqlx::query_as!(
        Row,
        r#"SELECT at, root AS "root!", total_cents AS "total!: Cents", leaves AS "leaves!", gains_cents AS "gains: Cents"
        FROM liability_publications WHERE published_at IS NOT NULL ORDER BY at DESC LIMIT 1"#
    )
    .fetch_optional(conn)
    .await?;
    row.map(Liabilities::try_from).transpose()
}

/// What was held when the newest publication was counted; `None` from before it was noted.
pub async fn newest_held(conn: &mut PgConnection) -> Result<Option<HeldForMembers>, Error> {
    let held = sqlx::query_scalar!(
        "SELECT held FROM liability_publications WHERE published_at IS NOT NULL ORDER BY at DESC LIMIT 1"
    );
    let held = held.fetch_optional(conn).await?.flatten();
    Ok(held.map(serde_json::from_value).transpose().map_err(|error| sqlx::Error::Decode(error.into()))?)
}

/// The newest publications, newest first.
pub async fn past(conn: &mut PgConnection, limit: i64) -> Result<Vec<PastPublication>, Error> {
    let rows = sqlx::query!(
        r#"SELECT at, root AS "root!", total_cents AS "total!: Cents", gains_cents AS "gains: Cents",
            (held ->> 'total_cents')::bigint AS "held: Cents"
        FROM liability_publications WHERE published_at IS NOT NULL ORDER BY at DESC LIMIT $1"#,
        limit
    );
    let rows = rows.fetch_all(conn).await?.into_iter().map(|row| {
        let (root, gains) = (hash(row.root)?, row.gains.unwrap_or_default());
        Ok(PastPublication { at: row.at, root, total: row.total, gains, held: row.held })
    });
    rows.collect()
}

/// When the newest publication was counted. An unfinished one does not count: its process may have ended.
pub async fn newest_at(conn: &mut PgConnection) -> Result<Option<OffsetDateTime>, sqlx::Error> {
    let at = sqlx::query_scalar!(
        "SELECT at FROM liability_publications WHERE published_at IS NOT NULL ORDER BY at DESC LIMIT 1"
    );
    at.fetch_optional(conn).await
}

/// A member's leaves in the newest publication, with their paths.
pub async fn leaves_of(conn: &mut PgConnection, user_id: MemberId) -> Result<Vec<Leaf>, Error> {
    let rows = sqlx::query!(
        r#"SELECT leaf.position, leaf.salt, leaf.amount_cents AS "amount: Cents",
            (leaf.position >> node.level) % 2 = 1 AS "is_left?",
            node.digest AS "digest?", node.sum_cents AS "sum?: Cents"
        FROM liability_leaves AS leaf
        LEFT JOIN LATERAL (
            SELECT node.level, node.digest, node.sum_cents FROM generate_series(0, 62) AS up (steps)
            JOIN liability_nodes AS node ON node.publication_id = leaf.publication_id AND node.level = up.steps
                AND node.position = (leaf.position >> up.steps) # 1
        ) AS node ON true
        WHERE leaf.user_id = $1 AND leaf.publication_id = (
            SELECT id FROM liability_publications WHERE published_at IS NOT NULL ORDER BY at DESC LIMIT 1)
        ORDER BY leaf.position, node.level"#,
        user_id.get()
    )
    .fetch_all(conn)
    .await?;
    let mut leaves: Vec<(i64, Leaf)> = Vec::new();
    for row in rows {
        if leaves.last().is_none_or(|(position, _)| *position != row.position) {
            leaves.push((row.position, Leaf { salt: hash(row.salt)?, amount: row.amount, path: Vec::new() }));
        }
        if let (Some(is_left), Some(digest), Some(sum), Some((_, leaf))) =
            (row.is_left, row.digest, row.sum, leaves.last_mut())
        {
            leaf.path.push(Sibling { is_left, digest: hash(digest)?, sum });
        }
    }
    Ok(leaves.into_iter().map(|(_, leaf)| leaf).collect())
}

struct Row {
    at: OffsetDateTime,
    root: Vec<u8>,
    total: Cents,
    leaves: i64,
    gains: Option<Cents>,
}

impl TryFrom<Row> for Liabilities {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self, Error> {
        Ok(Self {
            at: row.at,
            root: hash(row.root)?,
            total: row.total,
            leaves: row.leaves,
            gains: row.gains.unwrap_or_default(),
        })
    }
}

fn hash(bytes: Vec<u8>) -> Result<Hash, Error> {
    bytes.try_into().map_err(|_| sqlx::Error::Decode("a digest is not 32 bytes long".into()).into())
}
