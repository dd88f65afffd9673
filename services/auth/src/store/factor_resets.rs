use chassis::db::PgConnection;
use chassis::id::{ProposalId, UserId};
use time::OffsetDateTime;

/// Writes when an account's factors go; an agreement that is there already stays.
pub async fn insert(
    conn: &mut PgConnection,
    user_id: UserId,
    proposal_id: ProposalId,
    due_at: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!(
        "INSERT INTO factor_resets (user_id, proposal_id, due_at) VALUES ($1, $2, $3) ON CONFLICT (user_id) DO NOTHING",
        user_id.get(),
        proposal_id.get(),
        due_at,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// When an account's factors go; unset if they stay.
pub async fn due_at(conn: &mut PgConnection, user_id: UserId) -> Result<Option<OffsetDateTime>, sqlx::Error> {
    sqlx::query_scalar!("SELECT due_at FROM factor_resets WHERE user_id = $1", user_id.get()).fetch_optional(conn).await
}

/// An account whose factors are to go now.
pub async fn next_due(conn: &mut PgConnection) -> Result<Option<UserId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT user_id AS "user_id: _" FROM factor_resets WHERE due_at <= now() ORDER BY due_at LIMIT 1"#
    )
    .fetch_optional(conn)
    .await
}

/// Takes an account's row, if it is due; returns the proposal.
pub async fn take_due(conn: &mut PgConnection, user_id: UserId) -> Result<Option<ProposalId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"DELETE FROM factor_resets WHERE user_id = $1 AND due_at <= clock_timestamp() RETURNING proposal_id AS "proposal_id: _""#,
        user_id.get(),
    )
    .fetch_optional(conn)
    .await
}

/// Calls an account's off; returns the proposal if there was one.
pub async fn call_off(conn: &mut PgConnection, user_id: UserId) -> Result<Option<ProposalId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"DELETE FROM factor_resets WHERE user_id = $1 RETURNING proposal_id AS "proposal_id: _""#,
        user_id.get(),
    )
    .fetch_optional(conn)
    .await
}
