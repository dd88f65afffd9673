//! The table `notice_preferences`.

use chassis::db::PgConnection;
use chassis::id::UserId;

use crate::domain::notice::{Group, Preferences};

/// The groups that a member does not want.
pub async fn find(conn: &mut PgConnection, user_id: UserId) -> Result<Preferences, sqlx::Error> {
    let row = sqlx::query!("SELECT mail_off, push_off FROM notice_preferences WHERE user_id = $1", user_id.get())
        .fetch_optional(conn)
        .await?;
    let Some(row) = row else { return Ok(Preferences::default()) };
    Ok(Preferences { mail_off: groups(row.mail_off)?, push_off: groups(row.push_off)? })
}

fn groups(names: Vec<String>) -> Result<Vec<Group>, sqlx::Error> {
    let group =
        |name: String| name.parse().map_err(|_| sqlx::Error::Decode(format!("no group is called {name}").into()));
    names.into_iter().map(group).collect()
}

/// Replaces them.
pub async fn set(conn: &mut PgConnection, user_id: UserId, wanted: &Preferences) -> Result<(), sqlx::Error> {
    let names = |groups: &[Group]| groups.iter().map(|group| group.into_str().to_owned()).collect::<Vec<_>>();
    sqlx::query!(
        "INSERT INTO notice_preferences (user_id, mail_off, push_off) VALUES ($1, $2, $3)
         ON CONFLICT ON CONSTRAINT notice_preferences_pkey
         DO UPDATE SET mail_off = excluded.mail_off, push_off = excluded.push_off, changed_at = clock_timestamp()",
        user_id.get(),
        &names(&wanted.mail_off),
        &names(&wanted.push_off),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Forgets those of a closed account.
pub async fn remove(conn: &mut PgConnection, user_id: UserId) -> Result<(), sqlx::Error> {
    sqlx::query!("DELETE FROM notice_preferences WHERE user_id = $1", user_id.get()).execute(conn).await?;
    Ok(())
}
