//! Empty databases to measure in.

use anyhow::{Context, Result};
use sqlx::{Connection, PgConnection};

/// Makes an empty database; its url.
pub async fn create(server_url: &str, name: &str) -> Result<String> {
    let mut conn = PgConnection::connect(server_url).await?;
    sqlx::raw_sql(sqlx::AssertSqlSafe(format!("CREATE DATABASE {name}"))).execute(&mut conn).await?;
    conn.close().await?;
    let (server, _) = server_url.rsplit_once('/').context("a url names a database")?;
    Ok(format!("{server}/{name}"))
}
