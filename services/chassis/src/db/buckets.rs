//! Buckets: schemas of one database with the same tables, each for a part of the members. What is rare, or unique over all, is
//! in the schema of the first bucket alone, where the others find it, because their search path ends there.

use sqlx::{AssertSqlSafe, Error, PgPool};

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
pub(super) async fn show_all(pool: &PgPool, name: &str, shared: &[&str]) -> Result<(), Error> {
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
    script += &format!(
        "DO $$ BEGIN IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'auditor') THEN
            GRANT USAGE ON SCHEMA {name}_all TO auditor;
            GRANT SELECT ON ALL TABLES IN SCHEMA {name}_all TO auditor;
        END IF; END $$"
    );
    // Several statements in one query are one transaction.
    sqlx::raw_sql(AssertSqlSafe(script)).execute(pool).await?;
    Ok(())
}

/// The schemas of the buckets that there are, with the bytes that their tables and indexes take up.
pub(super) async fn sizes(pool: &PgPool, name: &str) -> Result<Vec<(String, i64)>, Error> {
    let rows = sqlx::query!(
        r#"SELECT nspname::text AS "schema!", coalesce(sum(pg_total_relation_size(pg_class.oid)), 0)::bigint AS "bytes!"
         FROM pg_namespace LEFT JOIN pg_class ON relnamespace = pg_namespace.oid AND relkind = 'r'
         WHERE nspname = 'public' OR nspname::text ~ ('^' || $1 || '_[0-9]{2}$')
         GROUP BY nspname ORDER BY nspname"#,
        name
    )
    .fetch_all(pool)
    .await?;
    Ok(rows.into_iter().map(|row| (row.schema, row.bytes)).collect())
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
