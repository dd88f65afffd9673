//! Empty databases to measure in.

use std::time::Duration;

use anyhow::{Context, Result};
use chassis::db::Db;
use sqlx::{Connection, PgConnection};

/// Makes an empty database; its url.
pub async fn create(server_url: &str, name: &str) -> Result<String> {
    let mut conn = PgConnection::connect(server_url).await?;
    sqlx::raw_sql(sqlx::AssertSqlSafe(format!("CREATE DATABASE {name}"))).execute(&mut conn).await?;
    conn.close().await?;
    url(server_url, name)
}

/// The url of another database of the server.
pub fn url(server_url: &str, name: &str) -> Result<String> {
    let (server, _) = server_url.rsplit_once('/').context("a url names a database")?;
    Ok(format!("{server}/{name}"))
}

/// How long a statement that prepares or checks a measurement may take.
pub const PATIENCE: Duration = Duration::from_mins(10);

/// A connection for statements over whole tables.
pub async fn patient(db: &Db) -> Result<Box<chassis::db::PgConnection>> {
    let mut conn = db.conn().await?;
    conn.allow(PATIENCE);
    sqlx::raw_sql("SET statement_timeout = 0").execute(&mut *conn).await?;
    Ok(conn)
}
