//! What happens to closed accounts later.

use chassis::db::PgConnection;
use chassis::id::UserId;

/// Whether this process may work on them now: one at a time does, until its transaction ends.
pub async fn lead(conn: &mut PgConnection) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(r#"SELECT pg_try_advisory_xact_lock(hashtext('closed accounts')) AS "leads!""#)
        .fetch_one(conn)
        .await
}

/// Frees the addresses of accounts that were closed 30 days ago; returns how many.
pub async fn free_addresses(conn: &mut PgConnection) -> Result<u64, sqlx::Error> {
    let done = sqlx::query!(
        "UPDATE users SET former_email = email, email = id || '@closed.invalid' WHERE id = ANY (ARRAY(
            SELECT id FROM users WHERE closed_at IS NOT NULL AND erased_at IS NULL
                AND closed_at < now() - interval '30 days' AND former_email IS NULL LIMIT 500))"
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}

/// Accounts that were closed this many days ago and still have personal data, oldest first.
pub async fn due(conn: &mut PgConnection, days: i32) -> Result<Vec<UserId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT id AS "id: _" FROM users WHERE closed_at IS NOT NULL AND erased_at IS NULL
            AND closed_at < now() - make_interval(days => $1) ORDER BY closed_at LIMIT 100"#,
        days,
    )
    .fetch_all(conn)
    .await
}

/// Removes the personal data of closed accounts. What is left are ids and times, which the books refer to.
pub async fn erase(conn: &mut PgConnection, ids: &[UserId]) -> Result<(), sqlx::Error> {
    sqlx::query!("DELETE FROM member_notes WHERE user_id = ANY ($1)", ids as _).execute(&mut *conn).await?;
    sqlx::query!("DELETE FROM security_events WHERE user_id = ANY ($1)", ids as _).execute(&mut *conn).await?;
    sqlx::query!("DELETE FROM security_links WHERE user_id = ANY ($1)", ids as _).execute(&mut *conn).await?;
    sqlx::query!("DELETE FROM destination_codes WHERE user_id = ANY ($1)", ids as _).execute(&mut *conn).await?;
    sqlx::query!("DELETE FROM codes WHERE user_id = ANY ($1)", ids as _).execute(&mut *conn).await?;
    sqlx::query!("DELETE FROM reset_tokens WHERE user_id = ANY ($1)", ids as _).execute(&mut *conn).await?;
    sqlx::query!("DELETE FROM sessions WHERE user_id = ANY ($1)", ids as _).execute(&mut *conn).await?;
    sqlx::query!(
        "UPDATE users SET name = 'Closed account', email = id || '@closed.invalid', former_email = NULL,
            pending_email = NULL, phone = '', country = '', image_key = '', erased_at = clock_timestamp()
         WHERE id = ANY ($1)",
        ids as _,
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!("INSERT INTO erased_members (user_id) SELECT unnest($1::uuid[])", ids as _).execute(conn).await?;
    Ok(())
}

/// The members after this one, in the order of the removal; from the first one without it.
pub async fn erased_after(
    conn: &mut PgConnection,
    after: Option<UserId>,
    limit: i64,
) -> Result<Vec<UserId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT user_id AS "user_id: _" FROM erased_members
         WHERE id > coalesce((SELECT id FROM erased_members WHERE user_id = $1), 0) ORDER BY id LIMIT $2"#,
        after as _,
        limit,
    )
    .fetch_all(conn)
    .await
}
