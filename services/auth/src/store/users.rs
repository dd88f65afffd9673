use chassis::db::PgConnection;
use chassis::id::UserId;
use chassis::identity::Role;
use sqlx::FromRow;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::code::CHANGES_TO_ONE_ADDRESS;
use crate::domain::details::Details;
use crate::domain::user::User;

/// The accounts that a clause finds. Each column is named: a statement that is kept with its connection would fail after a
/// later version has added one.
macro_rules! select {
    ($clause:literal $(, $value:expr)* $(,)?) => {
        sqlx::query_as!(
            Row,
            "SELECT id, name, email, pending_email, phone, country, image_key, password_hash, role, created_at, \
             verified_at, frozen_at, disabled_at, closed_at, former_email, \
             (SELECT due_at FROM account_closures WHERE user_id = users.id) AS closes_at
             FROM users " + $clause
            $(, $value)*
        )
    };
}

#[derive(FromRow)]
struct Row {
    id: UserId,
    name: String,
    email: String,
    pending_email: Option<String>,
    phone: String,
    country: String,
    image_key: String,
    password_hash: Option<String>,
    role: Option<String>,
    created_at: OffsetDateTime,
    verified_at: Option<OffsetDateTime>,
    frozen_at: Option<OffsetDateTime>,
    disabled_at: Option<OffsetDateTime>,
    closed_at: Option<OffsetDateTime>,
    former_email: Option<String>,
    closes_at: Option<OffsetDateTime>,
}

impl TryFrom<Row> for User {
    type Error = sqlx::Error;

    fn try_from(row: Row) -> Result<Self, sqlx::Error> {
        Ok(Self {
            id: row.id,
            name: row.name,
            email: row.email,
            pending_email: row.pending_email,
            phone: row.phone,
            country: row.country,
            image_key: row.image_key,
            password_hash: row.password_hash,
            role: role(row.role.as_deref())?,
            created_at: row.created_at,
            verified_at: row.verified_at,
            frozen_at: row.frozen_at,
            disabled_at: row.disabled_at,
            closed_at: row.closed_at,
            former_email: row.former_email,
            closes_at: row.closes_at,
        })
    }
}

/// The role by its name in the database.
pub(super) fn role(name: Option<&str>) -> Result<Option<Role>, sqlx::Error> {
    let role = name.map(str::parse).transpose();
    role.map_err(|error: strum::ParseError| sqlx::Error::Decode(format!("users.role: {error}").into()))
}

fn one(row: Option<Row>) -> Result<Option<User>, sqlx::Error> {
    row.map(User::try_from).transpose()
}

fn all(rows: Vec<Row>) -> Result<Vec<User>, sqlx::Error> {
    rows.into_iter().map(User::try_from).collect()
}

/// Adds an account unless another has the address; `false` then.
///
/// # Errors
/// A violation of `users_email_key` also if another account could still take the address back by an undo.
pub async fn insert(conn: &mut PgConnection, user: &User) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!(
        "INSERT INTO users (id, name, email, phone, country, image_key, password_hash, role, created_at, verified_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
         ON CONFLICT ((lower(email))) DO NOTHING",
        user.id.get(),
        user.name,
        user.email,
        user.phone,
        user.country,
        user.image_key,
        user.password_hash,
        user.role.map(Role::as_str),
        user.created_at,
        user.verified_at,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

pub async fn find(conn: &mut PgConnection, id: UserId) -> Result<Option<User>, sqlx::Error> {
    one(select!("WHERE id = $1", id.get()).fetch_optional(conn).await?)
}

/// The same, locked until the transaction ends.
pub async fn lock(conn: &mut PgConnection, id: UserId) -> Result<Option<User>, sqlx::Error> {
    one(select!("WHERE id = $1 FOR NO KEY UPDATE", id.get()).fetch_optional(conn).await?)
}

/// The account with this address in force.
pub async fn find_by_email(conn: &mut PgConnection, email: &str) -> Result<Option<User>, sqlx::Error> {
    one(select!("WHERE lower(email) = lower($1)", email).fetch_optional(conn).await?)
}

/// The accounts that wait for a code to this address: the unverified one first, then those that change to it, the one
/// with the newest code first.
pub async fn awaiting_code(conn: &mut PgConnection, email: &str) -> Result<Vec<User>, sqlx::Error> {
    let rows = select!(
        "WHERE disabled_at IS NULL AND closed_at IS NULL
           AND (lower(email) = lower($1) AND verified_at IS NULL AND role IS NULL OR lower(pending_email) = lower($1))
         ORDER BY lower(email) = lower($1) DESC,
            (SELECT max(created_at) FROM codes WHERE user_id = users.id AND purpose = 'email_change') DESC NULLS LAST
         LIMIT $2",
        email,
        CHANGES_TO_ONE_ADDRESS,
    )
    .fetch_all(conn)
    .await?;
    all(rows)
}

/// The accounts with these ids, in no order.
pub async fn find_all(conn: &mut PgConnection, ids: &[UserId]) -> Result<Vec<User>, sqlx::Error> {
    // As in `sessions::live`.
    all(select!("WHERE id = ANY ((SELECT $1::uuid[])::uuid[])", ids as _).fetch_all(conn).await?)
}

/// Staff accounts that have not ended, by name.
pub async fn staff(conn: &mut PgConnection) -> Result<Vec<User>, sqlx::Error> {
    let rows =
        select!("WHERE role IS NOT NULL AND disabled_at IS NULL ORDER BY lower(name), id").fetch_all(conn).await?;
    all(rows)
}

/// Members before a cursor, newest first, whose name or address contains the text, whose id begins with it, or whose phone
/// number contains the digits. However the letters of names are composed, and whichever apostrophe they have. A text without three
/// letters is looked for only where names and ids begin.
pub async fn members(
    conn: &mut PgConnection,
    (text, digits, ids): (&str, &str, Option<(Uuid, Uuid)>),
    before: Option<UserId>,
    limit: i64,
) -> Result<Vec<User>, sqlx::Error> {
    // Ids are UUIDv7: their order is the order of registration.
    if text.is_empty() {
        let rows = select!(
            "WHERE role IS NULL AND ($1::uuid IS NULL OR id < $1) ORDER BY id DESC LIMIT $2",
            before as _,
            limit
        )
        .fetch_all(conn)
        .await?;
        return all(rows);
    }
    if !has_trigram(text) {
        return beginning_with(conn, (text, ids), before, limit).await;
    }
    let escaped = text.replace('\\', r"\\").replace('%', r"\%").replace('_', r"\_");
    // The order is behind each search: expecting many matches, the planner would read all members from the newest on.
    let rows = select!(
        "WHERE id IN (
            (SELECT id FROM (SELECT id FROM users WHERE role IS NULL AND ($2::uuid IS NULL OR id < $2)
                AND search_key(name) LIKE '%' || search_key($1) || '%' OFFSET 0) AS named
                ORDER BY id DESC LIMIT $3)
            UNION ALL
            (SELECT id FROM (SELECT id FROM users WHERE role IS NULL AND ($2::uuid IS NULL OR id < $2)
                AND lower(coalesce(former_email, email)) LIKE '%' || lower($1) || '%' OFFSET 0) AS addressed
                ORDER BY id DESC LIMIT $3)
            UNION ALL
            (SELECT id FROM (SELECT id FROM users WHERE role IS NULL AND ($2::uuid IS NULL OR id < $2) AND $4 <> ''
                AND translate(phone, '+ ()-', '') LIKE '%' || $4 || '%' OFFSET 0) AS called
                ORDER BY id DESC LIMIT $3)
            UNION ALL
            (SELECT id FROM users WHERE role IS NULL AND id BETWEEN $5 AND $6 AND ($2::uuid IS NULL OR id < $2)
                ORDER BY id DESC LIMIT $3))
         ORDER BY id DESC LIMIT $3",
        escaped,
        before as _,
        limit,
        digits,
        ids.map(|ids| ids.0),
        ids.map(|ids| ids.1),
    )
    .fetch_all(conn)
    .await?;
    all(rows)
}

/// Whether three signs that follow each other in the text are in the indexes: three letters, two and the end of their word, or the
/// beginning of a word and a letter. A text may begin and end within a word.
fn has_trigram(text: &str) -> bool {
    let mut words = text.split(|char: char| !char.is_alphanumeric());
    let first = words.next().unwrap_or_default();
    first.chars().count() + usize::from(first.len() < text.len()) > 2 || words.any(|word| !word.is_empty())
}

/// Members before a cursor, newest first, whose name or id begins with the text.
async fn beginning_with(
    conn: &mut PgConnection,
    (text, ids): (&str, Option<(Uuid, Uuid)>),
    before: Option<UserId>,
    limit: i64,
) -> Result<Vec<User>, sqlx::Error> {
    // In the order of an index of exactly these letters: many members have each.
    let rows = if text.chars().count() == 1 {
        select!(
            "WHERE id IN (
                (SELECT id FROM users WHERE role IS NULL AND left(search_key(name), 1) = search_key($1)
                    AND id < coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff') ORDER BY id DESC LIMIT $3)
                UNION ALL
                (SELECT id FROM users WHERE role IS NULL AND id BETWEEN $4 AND $5 AND ($2::uuid IS NULL OR id < $2)
                    ORDER BY id DESC LIMIT $3))
             ORDER BY id DESC LIMIT $3",
            text,
            before as _,
            limit,
            ids.map(|ids| ids.0),
            ids.map(|ids| ids.1),
        )
        .fetch_all(conn)
        .await?
    } else {
        select!(
            "WHERE id IN (
                (SELECT id FROM users WHERE role IS NULL AND left(search_key(name), 2) = left(search_key($1), 2)
                    AND starts_with(search_key(name), search_key($1))
                    AND id < coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff') ORDER BY id DESC LIMIT $3)
                UNION ALL
                (SELECT id FROM users WHERE role IS NULL AND id BETWEEN $4 AND $5 AND ($2::uuid IS NULL OR id < $2)
                    ORDER BY id DESC LIMIT $3))
             ORDER BY id DESC LIMIT $3",
            text,
            before as _,
            limit,
            ids.map(|ids| ids.0),
            ids.map(|ids| ids.1),
        )
        .fetch_all(conn)
        .await?
    };
    all(rows)
}

pub async fn verify(conn: &mut PgConnection, id: UserId, at: OffsetDateTime) -> Result<(), sqlx::Error> {
    sqlx::query!("UPDATE users SET verified_at = coalesce(verified_at, $2) WHERE id = $1", id.get(), at)
        .execute(conn)
        .await?;
    Ok(())
}

/// Puts an address in force.
///
/// # Errors
/// A violation of `users_email_key` if another account has it, or could still take it back by an undo.
pub async fn set_email(conn: &mut PgConnection, id: UserId, email: &str) -> Result<(), sqlx::Error> {
    sqlx::query!("UPDATE users SET email = $2, pending_email = NULL WHERE id = $1", id.get(), email)
        .execute(conn)
        .await?;
    Ok(())
}

/// Puts an earlier address in force again, unless another account has it; `false` then.
pub async fn restore_email(conn: &mut PgConnection, id: UserId, email: &str) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!(
        "UPDATE users SET email = $2, pending_email = NULL
         WHERE id = $1 AND NOT EXISTS (SELECT FROM users AS other WHERE lower(other.email) = lower($2) AND other.id <> $1)",
        id.get(),
        email,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Notes the address a change waits for, or that none does.
pub async fn set_pending_email(conn: &mut PgConnection, id: UserId, email: Option<&str>) -> Result<(), sqlx::Error> {
    sqlx::query!("UPDATE users SET pending_email = $2 WHERE id = $1", id.get(), email).execute(conn).await?;
    Ok(())
}

/// Sets everything of the details but the address.
pub async fn set_details(conn: &mut PgConnection, id: UserId, details: &Details) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE users SET name = $2, phone = $3, country = $4 WHERE id = $1",
        id.get(),
        details.name,
        details.phone,
        details.country,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Those of these files that are an account's photo.
pub async fn images_among(conn: &mut PgConnection, keys: &[String]) -> Result<Vec<String>, sqlx::Error> {
    sqlx::query_scalar!("SELECT image_key FROM users WHERE image_key <> '' AND image_key = ANY ($1)", keys)
        .fetch_all(conn)
        .await
}

pub async fn set_image(conn: &mut PgConnection, id: UserId, image_key: &str) -> Result<(), sqlx::Error> {
    sqlx::query!("UPDATE users SET image_key = $2 WHERE id = $1", id.get(), image_key).execute(conn).await?;
    Ok(())
}

pub async fn set_password(conn: &mut PgConnection, id: UserId, hash: &str) -> Result<(), sqlx::Error> {
    sqlx::query!("UPDATE users SET password_hash = $2 WHERE id = $1", id.get(), hash).execute(conn).await?;
    Ok(())
}

/// Freezes, or lifts the freeze.
pub async fn set_frozen(conn: &mut PgConnection, id: UserId, at: Option<OffsetDateTime>) -> Result<(), sqlx::Error> {
    sqlx::query!("UPDATE users SET frozen_at = $2 WHERE id = $1", id.get(), at).execute(conn).await?;
    Ok(())
}

/// Gives a staff account another role.
pub async fn set_role(conn: &mut PgConnection, id: UserId, role: Role, at: OffsetDateTime) -> Result<(), sqlx::Error> {
    sqlx::query!("UPDATE users SET role = $2, role_since = $3 WHERE id = $1", id.get(), role.as_str(), at)
        .execute(conn)
        .await?;
    Ok(())
}

pub async fn disable(conn: &mut PgConnection, id: UserId, at: OffsetDateTime) -> Result<(), sqlx::Error> {
    sqlx::query!("UPDATE users SET disabled_at = $2 WHERE id = $1", id.get(), at).execute(conn).await?;
    Ok(())
}

/// Closes a member's account: nobody logs in to it any more, and its photo goes.
pub async fn close(
    conn: &mut PgConnection,
    id: UserId,
    impossible_hash: &str,
    at: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE users SET closed_at = $3, password_hash = $2, image_key = '' WHERE id = $1",
        id.get(),
        impossible_hash,
        at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::has_trigram;

    /// [D-O2] [D-H5] A text that the index of three letters cannot find is known before the search.
    #[test]
    fn a_text_without_three_signs_is_known() {
        for text in ["ada", "li wu", "jo@", "-1", "m%x", "(30) 55", "李明华"] {
            assert!(has_trigram(text), "{text}");
        }
        for text in ["a", "李明", "jo", "a.", "...", "%", "\\"] {
            assert!(!has_trigram(text), "{text}");
        }
    }
}
