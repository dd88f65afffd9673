//! The table `notice_preferences`.

use chassis::db::PgConnection;
use uuid::Uuid;

use crate::domain::notice::Group;

/// The groups whose mails a member does not want.
pub async fn mail_off(conn: &mut PgConnection, user_id: Uuid) -> Result<Vec<Group>, sqlx::Error> {
    let names = sqlx::query_scalar!("SELECT mail_off FROM notice_preferences WHERE user_id = $1", user_id)
        .fetch_optional(conn)
        .await?;
    let group = |name: String| name.parse().map_err(|error: String| sqlx::Error::Decode(error.into()));
    names.unwrap_or_default().into_iter().map(group).collect()
}

/// Replaces them.
pub async fn set(conn: &mut PgConnection, user_id: Uuid, mail_off: &[Group]) -> Result<(), sqlx::Error> {
    let names: Vec<String> = mail_off.iter().map(|group| group.as_str().to_owned()).collect();
    sqlx::query!(
        "INSERT INTO notice_preferences (user_id, mail_off) VALUES ($1, $2)
         ON CONFLICT ON CONSTRAINT notice_preferences_pkey
         DO UPDATE SET mail_off = excluded.mail_off, changed_at = clock_timestamp()",
        user_id,
        &names,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Forgets those of a closed account.
pub async fn remove(conn: &mut PgConnection, user_id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query!("DELETE FROM notice_preferences WHERE user_id = $1", user_id).execute(conn).await?;
    Ok(())
}
