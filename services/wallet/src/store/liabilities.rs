//! Proofs of liabilities and their Merkle sum trees. The trees are built in the database, level by level, so that no
//! process holds the leaves of all members.

use std::time::Duration;

use chassis::db::{self, Db, PgConnection};
use chassis::money::Cents;
use time::{Date, OffsetDateTime, UtcOffset};
use uuid::Uuid;

use crate::domain::liabilities::{Hash, Leaf, Liabilities, Sibling};
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

/// Begins a publication of this moment's balances; `None` while another is being built, unless that one has been
/// unfinished for an hour.
pub async fn begin(conn: &mut PgConnection, at: OffsetDateTime) -> Result<Option<i64>, sqlx::Error> {
    let unfinished = sqlx::query_scalar!(
        "SELECT id FROM liability_publications WHERE published_at IS NULL AND at < $1::timestamptz - interval '1 hour' FOR UPDATE",
        at
    )
    .fetch_optional(&mut *conn)
    .await?;
    if let Some(id) = unfinished {
        sqlx::query!("DELETE FROM liability_leaves WHERE publication_id = $1", id).execute(&mut *conn).await?;
        sqlx::query!("DELETE FROM liability_nodes WHERE publication_id = $1", id).execute(&mut *conn).await?;
        sqlx::query!("DELETE FROM liability_publications WHERE id = $1", id).execute(&mut *conn).await?;
    }
    sqlx::query_scalar!("INSERT INTO liability_publications (at) VALUES ($1) ON CONFLICT DO NOTHING RETURNING id", at)
        .fetch_optional(conn)
        .await
}

/// Splits what each member is owed into two to four random parts, and writes them as leaves in random order.
pub async fn insert_leaves(conn: &mut PgConnection, publication_id: i64) -> Result<u64, sqlx::Error> {
    let inserted = sqlx::query!(
        r"WITH totals AS MATERIALIZED (
            SELECT user_id, sum(balance_cents)::bigint AS total, 1 + floor(random() * 3)::int AS cuts FROM accounts
            WHERE user_id IS NOT NULL AND kind IN ('available', 'held', 'on_hold', 'invested', 'bonus')
            GROUP BY user_id HAVING sum(balance_cents) > 0
        ), bounds AS (
            SELECT user_id, 0::bigint AS bound FROM totals
            UNION ALL SELECT user_id, total FROM totals
            UNION ALL SELECT user_id, floor(random() * (total + 1))::bigint FROM totals, generate_series(1, cuts)
        ), parts AS (
            SELECT user_id, lead(bound) OVER (PARTITION BY user_id ORDER BY bound) - bound AS amount_cents FROM bounds
        ), salted AS (
            SELECT user_id, amount_cents, uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) AS salt
            FROM parts WHERE amount_cents IS NOT NULL
        ), leaves AS (
            INSERT INTO liability_leaves (publication_id, position, user_id, salt, amount_cents)
            SELECT $1, row_number() OVER (ORDER BY salt) - 1, user_id, salt, amount_cents FROM salted
            RETURNING position, user_id, salt, amount_cents
        )
        INSERT INTO liability_nodes (publication_id, level, position, digest, sum_cents)
        SELECT $1, 0, position, sha256('\x00'::bytea || salt || uuid_send(user_id) || int8send(amount_cents)), amount_cents
        FROM leaves",
        publication_id
    )
    .execute(conn)
    .await?;
    Ok(inserted.rows_affected())
}

/// Writes the level above another. Returns how many nodes it has.
pub async fn insert_level(conn: &mut PgConnection, publication_id: i64, below: i16) -> Result<u64, sqlx::Error> {
    let inserted = sqlx::query!(
        r"INSERT INTO liability_nodes (publication_id, level, position, digest, sum_cents)
        SELECT one.publication_id, one.level + 1, one.position / 2,
            CASE WHEN other.position IS NULL THEN one.digest
            ELSE sha256('\x01'::bytea || one.digest || int8send(one.sum_cents) || other.digest || int8send(other.sum_cents))
            END,
            one.sum_cents + coalesce(other.sum_cents, 0)
        FROM liability_nodes AS one
        LEFT JOIN liability_nodes AS other ON other.publication_id = one.publication_id AND other.level = one.level
            AND other.position = one.position + 1
        WHERE one.publication_id = $1 AND one.level = $2 AND one.position % 2 = 0",
        publication_id,
        below
    )
    .execute(conn)
    .await?;
    Ok(inserted.rows_affected())
}

/// Completes a publication by its root.
pub async fn complete(
    conn: &mut PgConnection,
    publication_id: i64,
    leaves: i64,
    empty_root: &Hash,
) -> Result<Option<Liabilities>, Error> {
    let row = sqlx::query_as!(
        Row,
        r#"UPDATE liability_publications AS publication
        SET root = coalesce(top.digest, $3), total_cents = coalesce(top.sum_cents, 0), leaves = $2,
            published_at = clock_timestamp()
        FROM (VALUES (1)) AS one LEFT JOIN (
            SELECT digest, sum_cents FROM liability_nodes WHERE publication_id = $1 ORDER BY level DESC LIMIT 1
        ) AS top ON true
        WHERE publication.id = $1 AND published_at IS NULL
        RETURNING at, root AS "root!", total_cents AS "total!: Cents", publication.leaves AS "leaves!""#,
        publication_id,
        leaves,
        empty_root
    )
    .fetch_optional(conn)
    .await?;
    row.map(Liabilities::try_from).transpose()
}

/// Removes the trees of all but the two newest publications, in batches of a transaction each. Their roots stay.
pub async fn remove_old_trees(db: &Db) -> Result<(), sqlx::Error> {
    db::sweep(db, || {
        sqlx::query!(
            "DELETE FROM liability_nodes WHERE ctid = ANY (ARRAY (
                SELECT ctid FROM liability_nodes WHERE publication_id < (
                    SELECT id FROM liability_publications WHERE published_at IS NOT NULL ORDER BY at DESC OFFSET 1 LIMIT 1)
                LIMIT 10000))"
        )
    })
    .await?;
    db::sweep(db, || {
        sqlx::query!(
            "DELETE FROM liability_leaves WHERE ctid = ANY (ARRAY (
                SELECT ctid FROM liability_leaves WHERE publication_id < (
                    SELECT id FROM liability_publications WHERE published_at IS NOT NULL ORDER BY at DESC OFFSET 1 LIMIT 1)
                LIMIT 10000))"
        )
    })
    .await?;
    Ok(())
}

pub async fn newest(conn: &mut PgConnection) -> Result<Option<Liabilities>, Error> {
    let row = sqlx::query_as!(
        Row,
        r#"SELECT at, root AS "root!", total_cents AS "total!: Cents", leaves AS "leaves!" FROM liability_publications
        WHERE published_at IS NOT NULL ORDER BY at DESC LIMIT 1"#
    )
    .fetch_optional(conn)
    .await?;
    row.map(Liabilities::try_from).transpose()
}

/// The day of the newest publication.
pub async fn newest_day(conn: &mut PgConnection) -> Result<Option<Date>, sqlx::Error> {
    let at = sqlx::query_scalar!("SELECT at FROM liability_publications ORDER BY at DESC LIMIT 1");
    Ok(at.fetch_optional(conn).await?.map(|at| at.to_offset(UtcOffset::UTC).date()))
}

/// A member's leaves in the newest publication, with their paths.
pub async fn leaves_of(conn: &mut PgConnection, user_id: Uuid) -> Result<Vec<Leaf>, Error> {
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
        user_id
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
}

impl TryFrom<Row> for Liabilities {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self, Error> {
        Ok(Self { at: row.at, root: hash(row.root)?, total: row.total, leaves: row.leaves })
    }
}

fn hash(bytes: Vec<u8>) -> Result<Hash, Error> {
    bytes.try_into().map_err(|_| sqlx::Error::Decode("a digest is not 32 bytes long".into()).into())
}
