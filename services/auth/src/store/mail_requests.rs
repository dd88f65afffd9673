use chassis::db::PgConnection;
use strum::IntoStaticStr;
use uuid::Uuid;

use crate::domain::code::Handle;

#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Wanted {
    Code,
    Reset,
}

pub struct MailRequest {
    pub wanted: Wanted,
    /// To this address, known or not.
    pub email: String,
    pub asker: Option<Handle>,
    /// From this address block.
    pub block: String,
}

pub async fn insert(conn: &mut PgConnection, request: &MailRequest) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO mail_requests (id, kind, email, user_id, request_id, block) VALUES ($1, $2, $3, $4, $5, $6)",
        Uuid::now_v7(),
        request.wanted.into_str(),
        request.email,
        request.asker.and_then(Handle::account) as _,
        request.asker.and_then(Handle::request),
        request.block,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Takes the oldest request that nobody else takes.
pub async fn take(conn: &mut PgConnection) -> Result<Option<MailRequest>, sqlx::Error> {
    let row = sqlx::query!(
        "DELETE FROM mail_requests
         WHERE id = (SELECT id FROM mail_requests ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
         RETURNING kind, email, user_id, request_id, block"
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| MailRequest {
        wanted: if row.kind == "reset" { Wanted::Reset } else { Wanted::Code },
        email: row.email,
        asker: row.user_id.map(|id| Handle::Account(id.into())).or(row.request_id.map(Handle::Request)),
        block: row.block,
    }))
}

/// Forgets requests that nobody could answer in time.
pub async fn sweep(conn: &mut PgConnection) -> Result<u64, sqlx::Error> {
    let done =
        sqlx::query!("DELETE FROM mail_requests WHERE requested_at < now() - interval '1 hour'").execute(conn).await?;
    Ok(done.rows_affected())
}
