//! Table `mail_requests`.

use chassis::db::PgConnection;
use uuid::Uuid;

/// What was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// A new code.
    Code,
    /// A reset link.
    Reset,
}

impl Wanted {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Reset => "reset",
        }
    }
}

/// Notes a request for an address, known or not.
///
/// # Errors
/// The database's.
pub async fn insert(conn: &mut PgConnection, wanted: Wanted, email: &str) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO mail_requests (id, kind, email) VALUES ($1, $2, $3)",
        Uuid::now_v7(),
        wanted.as_str(),
        email
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Takes the oldest request that nobody else takes.
///
/// # Errors
/// The database's.
pub async fn take(conn: &mut PgConnection) -> Result<Option<(Wanted, String)>, sqlx::Error> {
    let row = sqlx::query!(
        "DELETE FROM mail_requests
         WHERE id = (SELECT id FROM mail_requests ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING kind, email"
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| (if row.kind == "reset" { Wanted::Reset } else { Wanted::Code }, row.email)))
}

/// Forgets requests that nobody could answer in time.
///
/// # Errors
/// The database's.
pub async fn sweep(conn: &mut PgConnection) -> Result<u64, sqlx::Error> {
    let done = sqlx::query!("DELETE FROM mail_requests WHERE requested_at < clock_timestamp() - interval '1 hour'")
        .execute(conn)
        .await?;
    Ok(done.rows_affected())
}
