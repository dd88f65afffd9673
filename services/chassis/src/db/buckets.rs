//! Buckets: schemas of one database with the same tables, each for a part of the members. What is rare, or unique over all, is
//! in the schema of the first bucket alone, where the others find it, because their search path ends there.

use sha2::{Digest, Sha256};
use sqlx::{AssertSqlSafe, Error, PgConnection, PgPool};

use super::migrations::{self, What, Work};
use crate::hex::to_hex;

/// The schema of the first bucket.
const FIRST: &str = "public";

/// The buckets of a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Buckets {
    /// Every further bucket is the schema `<name>_<number>`.
    pub name: &'static str,
    /// How many there are; with one, the URL says which schema it is.
    pub count: u16,
}

impl Buckets {
    /// A single one.
    pub const ONE: Self = Self { name: FIRST, count: 1 };

    /// The schema of a bucket.
    #[must_use]
    pub fn schema(&self, bucket: u16) -> String {
        if bucket == 0 { FIRST.to_owned() } else { format!("{}_{bucket:02}", self.name) }
    }

    /// Where a bucket finds its tables.
    #[must_use]
    pub fn search_path(&self, bucket: u16) -> String {
        if bucket == 0 { FIRST.to_owned() } else { format!("{}, {FIRST}", self.schema(bucket)) }
    }

    /// The schemas of these buckets that do not exist.
    pub(super) async fn missing(&self, pool: &PgPool) -> Result<Vec<String>, Error> {
        let existing = Self::existing(self.name, pool).await?;
        Ok((1..self.count).map(|bucket| self.schema(bucket)).filter(|schema| !existing.contains(schema)).collect())
    }

    /// Those of these schemas that are its buckets, by number.
    pub(super) async fn existing(name: &str, pool: &PgPool) -> Result<Vec<String>, Error> {
        sqlx::query_scalar!(
            r#"SELECT nspname::text AS "schema!" FROM pg_namespace WHERE nspname::text ~ ('^' || $1 || '_[0-9]{2}$') ORDER BY nspname"#,
            name
        )
        .fetch_all(pool)
        .await
    }
}

/// How many buckets take new members.
async fn open_count(conn: &mut PgConnection) -> Result<u16, Error> {
    // unchecked: a table of divided services alone, whose schemas this crate is not checked against
    let open: i16 = sqlx::query_scalar("SELECT count FROM open_buckets").fetch_one(conn).await?;
    u16::try_from(open).map_err(|error| Error::Decode(error.into()))
}

/// Refuses a process that reads fewer buckets than take new members.
///
/// # Errors
/// Of the database, or `Configuration`.
pub(super) async fn make_sure(conn: &mut PgConnection, count: u16) -> Result<(), Error> {
    let open = open_count(conn).await?;
    if open <= count {
        return Ok(());
    }
    Err(Error::Configuration(format!("members are in {open} buckets, and this process reads {count}").into()))
}

/// Lets this many buckets take new members, unless more do.
pub(super) async fn open(pool: &PgPool, count: u16) -> Result<(), Error> {
    // unchecked: as above
    sqlx::query("UPDATE open_buckets SET count = $1 WHERE count < $1").bind(i32::from(count)).execute(pool).await?;
    Ok(())
}

/// The tables of the first schema that this one lacks, and those that it has though they are shared: each would be taken for
/// another bucket's.
pub(super) async fn differing_tables(pool: &PgPool, shared: &[&str]) -> Result<Vec<String>, Error> {
    let shared: Vec<_> = shared.iter().map(|&name| name.to_owned()).collect();
    sqlx::query_scalar!(
        r#"SELECT relname::text AS "table!" FROM pg_class AS first
         WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v') AND EXISTS (
            SELECT FROM pg_class AS own WHERE own.relname = first.relname AND own.relnamespace = current_schema()::regnamespace)
            = (first.relname::text = ANY ($1))
         ORDER BY relname"#,
        &shared
    )
    .fetch_all(pool)
    .await
}

/// Makes the schema `<name>_all`, in which the tables of all buckets are one: for the audit, which reads everything anyway. The
/// service has no right to it.
///
/// The views are made again only if they change: an audit that reads them holds up who does it.
pub(super) async fn show_all(pool: &PgPool, name: &str, shared: &[&str]) -> anyhow::Result<()> {
    let mut schemas = vec![FIRST.to_owned()];
    schemas.extend(Buckets::existing(name, pool).await?);
    // Types of rows differ between the buckets.
    let tables = sqlx::query!(
        r#"SELECT relname::text AS "name!", string_agg(quote_ident(attname), ', ' ORDER BY attnum) AS "columns!"
         FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
         JOIN pg_type ON pg_type.oid = atttypid AND typtype <> 'c'
         WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v') GROUP BY relname ORDER BY relname"#
    );
    let mut script = format!("DROP SCHEMA IF EXISTS {name}_all CASCADE; CREATE SCHEMA {name}_all;");
    for table in tables.fetch_all(pool).await?.iter().filter(|table| !shared.contains(&&*table.name)) {
        let from = |schema: &String| format!("SELECT {} FROM {schema}.{}", table.columns, table.name);
        let each: Vec<_> = schemas.iter().map(from).collect();
        script += &format!("CREATE VIEW {name}_all.{} AS {};", table.name, each.join(" UNION ALL "));
    }
    let digest = to_hex(&Sha256::digest(&script));
    let made =
        sqlx::query_scalar!("SELECT obj_description(to_regnamespace($1), 'pg_namespace')", format!("{name}_all"));
    if made.fetch_one(pool).await?.as_deref() != Some(&*digest) {
        script += &format!("COMMENT ON SCHEMA {name}_all IS '{digest}';");
        migrations::run(pool, Work { what: What::Definitions(&[&script]), without: &[] }).await?;
    }
    for schema in schemas.into_iter().chain([format!("{name}_all")]) {
        let rights = format!(
            "DO $$ BEGIN IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'auditor') THEN
                GRANT USAGE ON SCHEMA {schema} TO auditor;
                GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO auditor;
            END IF; END $$"
        );
        sqlx::raw_sql(AssertSqlSafe(rights)).execute(pool).await?;
    }
    Ok(())
}

/// A bucket, as an operator sees it.
#[derive(Debug)]
pub struct BucketSize {
    /// `public` for the first.
    pub schema: String,
    /// Of its tables with their indexes.
    pub bytes: i64,
    /// Whether new members are put there.
    pub is_open: bool,
}

/// The buckets that there are, by number.
pub(super) async fn sizes(pool: &PgPool, name: &str) -> Result<Vec<BucketSize>, Error> {
    let rows = sqlx::query!(
        r#"SELECT nspname::text AS "schema!", coalesce(sum(pg_total_relation_size(pg_class.oid)), 0)::bigint AS "bytes!"
         FROM pg_namespace LEFT JOIN pg_class ON relnamespace = pg_namespace.oid AND relkind = 'r'
         WHERE nspname = 'public' OR nspname::text ~ ('^' || $1 || '_[0-9]{2}$')
         GROUP BY nspname ORDER BY nspname <> 'public', nspname"#,
        name
    );
    let rows = rows.fetch_all(pool).await?;
    let open = usize::from(open_count(&mut *pool.acquire().await?).await?);
    let sizes = rows.into_iter().enumerate().map(|(number, row)| {
        let is_open = number < open;
        BucketSize { schema: row.schema, bytes: row.bytes, is_open }
    });
    Ok(sizes.collect())
}

/// Evaluates a read in every bucket, one after the other, in the transaction that is open if there is one, and yields what each
/// found. With one bucket it is the read. An error leaves the connection where it is, which closes it.
#[macro_export]
macro_rules! across {
    ($conn:ident, $read:expr $(,)?) => {{
        let mut found = Vec::new();
        for bucket in 0..$conn.buckets() {
            $conn.enter(bucket).await?;
            found.push($read.await?);
        }
        $conn.enter($conn.home()).await?;
        found
    }};
}

/// A bucket among all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Home {
    /// All of them.
    pub buckets: Buckets,
    /// This one.
    pub bucket: u16,
}

impl Home {
    /// The only bucket.
    pub const ONLY: Self = Self { buckets: Buckets::ONE, bucket: 0 };
}
