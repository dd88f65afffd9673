//! The table `signed_payouts`.

use chassis::db::{self, Db, PgConnection};

use crate::error::Error;

/// Keeps a signed transaction; one that is kept already stays.
pub async fn keep(conn: &mut PgConnection, txid: &str, raw: &[u8]) -> Result<(), Error> {
    sqlx::query!("INSERT INTO signed_payouts (txid, raw) VALUES ($1, $2) ON CONFLICT DO NOTHING", txid, raw)
        .execute(conn)
        .await?;
    Ok(())
}

/// A transaction that was kept.
pub async fn find(conn: &mut PgConnection, txid: &str) -> Result<Option<Vec<u8>>, Error> {
    Ok(sqlx::query_scalar!("SELECT raw FROM signed_payouts WHERE txid = $1", txid).fetch_optional(conn).await?)
}

/// Deletes what was kept a month ago.
pub async fn sweep(db: &Db) -> Result<u64, sqlx::Error> {
    db::sweep(db, || {
        sqlx::query!(
            "DELETE FROM signed_payouts WHERE txid = ANY (ARRAY(
                SELECT txid FROM signed_payouts WHERE kept_at < now() - interval '30 days' LIMIT 1000))"
        )
    })
    .await
}
