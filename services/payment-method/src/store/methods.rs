//! The tables `methods` and `method_versions`.

use chassis::db::PgConnection;
use chassis::id::{MemberId, MethodId};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::method::{Fields, Method, Scope, SignedMethod};
use crate::error::Error;

/// The active methods in their version in force that a clause finds.
macro_rules! select {
    ($clause:literal $(, $value:expr)* $(,)?) => {
        sqlx::query_as!(
            Row,
            "SELECT m.id, m.scope, m.version, v.currency, v.network, v.address, v.memo, v.label, v.image_key
             FROM methods m JOIN method_versions v ON v.method_id = m.id AND v.version = m.version
             WHERE m.archived_at IS NULL AND " + $clause
            $(, $value)*
        )
        .map(Method::from)
    };
}

struct Row {
    id: MethodId,
    scope: String,
    version: i32,
    currency: String,
    network: String,
    address: String,
    memo: String,
    label: String,
    image_key: String,
}

impl From<Row> for Method {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            scope: if row.scope == "platform" { Scope::Platform } else { Scope::Personal },
            version: row.version,
            fields: Fields {
                currency: row.currency,
                network: row.network,
                address: row.address,
                memo: row.memo,
                label: row.label,
                image_key: row.image_key,
            },
        }
    }
}

struct SignedRow {
    id: MethodId,
    scope: String,
    version: i32,
    currency: String,
    network: String,
    address: String,
    memo: String,
    label: String,
    image_key: String,
    signature: Option<String>,
}

impl From<SignedRow> for SignedMethod {
    fn from(row: SignedRow) -> Self {
        let SignedRow { id, scope, version, currency, network, address, memo, label, image_key, signature } = row;
        let method = Row { id, scope, version, currency, network, address, memo, label, image_key }.into();
        Self { method, signature, proof: None }
    }
}

/// Active platform methods and the member's own, the platform's first, each in the order they were made.
pub async fn visible_to(conn: &mut PgConnection, user_id: MemberId) -> Result<Vec<SignedMethod>, Error> {
    let rows = sqlx::query_as!(
        SignedRow,
        r#"SELECT m.id, m.scope, m.version, v.currency, v.network, v.address, v.memo, v.label, v.image_key,
                  (SELECT s.signature FROM method_signatures s WHERE s.method_id = m.id AND s.version = m.version
                   ORDER BY s.id DESC LIMIT 1) AS "signature?"
         FROM methods m JOIN method_versions v ON v.method_id = m.id AND v.version = m.version
         WHERE m.archived_at IS NULL AND (m.scope = 'platform' OR m.user_id = $1)
         ORDER BY m.scope = 'personal', m.created_at, m.id"#,
        user_id.get(),
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(SignedMethod::from).collect())
}

/// The active methods that `user_id` may name: a platform method, or one of the member's own, by id.
pub async fn active(conn: &mut PgConnection, id: MethodId, user_id: Option<MemberId>) -> Result<Option<Method>, Error> {
    Ok(select!("m.id = $1 AND (m.scope = 'platform' OR m.user_id = $2)", id.get(), user_id as _)
        .fetch_optional(conn)
        .await?)
}

/// A version of an active platform method.
pub async fn platform_version(conn: &mut PgConnection, id: MethodId, version: i32) -> Result<Option<Method>, Error> {
    let row = sqlx::query_as!(
        Row,
        "SELECT m.id, m.scope, v.version, v.currency, v.network, v.address, v.memo, v.label, v.image_key
         FROM methods m JOIN method_versions v ON v.method_id = m.id
         WHERE m.id = $1 AND v.version = $2 AND m.archived_at IS NULL AND m.scope = 'platform'",
        id.get(),
        version,
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(Method::from))
}

/// For each of these ids and addresses the active platform method, if the id is of one, and whether
/// [`is_platform_address`] holds for the address.
pub async fn platform_for(
    conn: &mut PgConnection,
    ids: &[MethodId],
    addresses: &[String],
) -> Result<Vec<Option<(Method, bool)>>, Error> {
    let rows = sqlx::query!(
        r#"SELECT wanted.place AS "place!", m.id, m.version, v.currency, v.network, v.address, v.memo, v.label, v.image_key,
            EXISTS (SELECT FROM method_versions AS ours WHERE ours.scope = 'platform' AND address_key(ours.address) = address_key(wanted.address))
            OR EXISTS (SELECT FROM deposit_addresses AS ours WHERE address_key(ours.address) = address_key(wanted.address)) AS "is_ours!"
         FROM unnest($1::uuid[], $2::text[]) WITH ORDINALITY AS wanted (id, address, place)
         JOIN methods m ON m.id = wanted.id JOIN method_versions v ON v.method_id = m.id AND v.version = m.version
         WHERE m.archived_at IS NULL AND m.scope = 'platform'"#,
        ids as _,
        addresses,
    )
    .fetch_all(conn)
    .await?;
    let mut found: Vec<Option<(Method, bool)>> = ids.iter().map(|_| None).collect();
    for row in rows {
        let fields = Fields {
            currency: row.currency,
            network: row.network,
            address: row.address,
            memo: row.memo,
            label: row.label,
            image_key: row.image_key,
        };
        let method = Method { id: row.id.into(), scope: Scope::Platform, version: row.version, fields };
        let place = usize::try_from(row.place - 1).ok();
        if let Some(one) = place.and_then(|place| found.get_mut(place)) {
            *one = Some((method, row.is_ours));
        }
    }
    Ok(found)
}

/// The active platform methods, in the order they were made.
pub async fn active_platform(conn: &mut PgConnection) -> Result<Vec<Method>, Error> {
    Ok(select!("m.scope = 'platform' ORDER BY m.created_at, m.id").fetch_all(conn).await?)
}

/// The active platform methods of a currency.
pub async fn platform_of_currency(conn: &mut PgConnection, currency: &str) -> Result<Vec<Method>, Error> {
    Ok(select!("m.scope = 'platform' AND v.currency = $1 LIMIT 2", currency).fetch_all(conn).await?)
}

/// The member's active methods, the one changed last first.
pub async fn personal(conn: &mut PgConnection, user_id: MemberId) -> Result<Vec<Method>, Error> {
    Ok(select!(
        "m.scope = 'personal' AND m.user_id = $1
         ORDER BY m.updated_at DESC, m.id DESC",
        user_id.get(),
    )
    .fetch_all(conn)
    .await?)
}

/// An active method of any owner by id, with its owner; locked until the end of the transaction.
pub async fn lock(conn: &mut PgConnection, id: MethodId) -> Result<Option<(Method, Option<MemberId>)>, Error> {
    let locked = sqlx::query_scalar!(
        r#"SELECT user_id AS "user_id: _" FROM methods WHERE id = $1 AND archived_at IS NULL FOR UPDATE"#,
        id.get()
    )
    .fetch_optional(&mut *conn)
    .await?;
    let Some(user_id) = locked else { return Ok(None) };
    Ok(active(conn, id, user_id).await?.map(|method| (method, user_id)))
}

/// The member's active methods whose version in force was made in a period, locked until the end of the transaction.
pub async fn changed_between(
    conn: &mut PgConnection,
    user_id: MemberId,
    (since, until): (OffsetDateTime, OffsetDateTime),
) -> Result<Vec<Method>, Error> {
    Ok(select!(
        "m.scope = 'personal' AND m.user_id = $1 AND v.created_at BETWEEN $2 AND $3
         ORDER BY m.id FOR UPDATE OF m",
        user_id.get(),
        since,
        until,
    )
    .fetch_all(conn)
    .await?)
}

/// What a method was before a moment; `None` if it was added afterwards.
pub async fn version_before(
    conn: &mut PgConnection,
    id: MethodId,
    at: OffsetDateTime,
) -> Result<Option<Fields>, Error> {
    let found = sqlx::query_as!(
        Fields,
        "SELECT currency, network, address, memo, label, image_key FROM method_versions
         WHERE method_id = $1 AND created_at < $2 ORDER BY version DESC LIMIT 1",
        id.get(),
        at,
    )
    .fetch_optional(conn)
    .await?;
    Ok(found)
}

/// Every platform method's versions, the active methods first, each method's newest version first; with whether the
/// method is active.
pub async fn platform_history(conn: &mut PgConnection) -> Result<Vec<(SignedMethod, bool)>, Error> {
    let rows = sqlx::query!(
        r#"SELECT m.id, m.archived_at IS NULL AS "active!", v.version, v.currency, v.network, v.address, v.memo, v.label,
                  v.image_key, (SELECT s.signature FROM method_signatures s
                   WHERE s.method_id = v.method_id AND s.version = v.version ORDER BY s.id DESC LIMIT 1) AS "signature?"
           FROM methods m JOIN method_versions v ON v.method_id = m.id
           WHERE m.scope = 'platform'
           ORDER BY m.archived_at IS NOT NULL, m.created_at DESC, m.id, v.version DESC"#,
    )
    .fetch_all(conn)
    .await?;
    let history = rows.into_iter().map(|row| {
        let fields = Fields {
            currency: row.currency,
            network: row.network,
            address: row.address,
            memo: row.memo,
            label: row.label,
            image_key: row.image_key,
        };
        let method = Method { id: row.id.into(), scope: Scope::Platform, version: row.version, fields };
        (SignedMethod { method, signature: row.signature, proof: None }, row.active)
    });
    Ok(history.collect())
}

/// Every address at which the platform receives, or once received, deposits: its network, the address, and since when.
pub async fn platform_addresses(conn: &mut PgConnection) -> Result<Vec<(String, String, OffsetDateTime)>, Error> {
    let rows = sqlx::query!(
        r#"SELECT network AS "network!", address AS "address!", min(since) AS "since!" FROM (
            SELECT network, address, created_at AS since FROM method_versions WHERE scope = 'platform'
            UNION ALL SELECT network, address, found_at FROM treasury_addresses) AS ours
           GROUP BY network, address ORDER BY 3, 2"#,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|row| (row.network, row.address, row.since)).collect())
}

/// Whether the platform receives, or once received, deposits at this address, on any network; also for one member.
pub async fn is_platform_address(conn: &mut PgConnection, address: &str) -> Result<bool, Error> {
    let found = sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM method_versions WHERE scope = 'platform' AND address_key(address) = address_key($1))
            OR EXISTS (SELECT FROM deposit_addresses WHERE address_key(address) = address_key($1)) AS "found!""#,
        address,
    )
    .fetch_one(conn)
    .await?;
    Ok(found)
}

/// Which of these files are in use: by a personal method in force, any version of a platform method, or an open
/// proposal.
pub async fn images_among(conn: &mut PgConnection, keys: &[String]) -> Result<Vec<String>, Error> {
    let found = sqlx::query_scalar!(
        r#"SELECT v.image_key AS "key!" FROM method_versions v JOIN methods m ON m.id = v.method_id
           WHERE v.image_key <> '' AND v.image_key = ANY ($1)
             AND (m.scope = 'platform' OR m.archived_at IS NULL AND m.version = v.version)
           UNION
           SELECT change ->> 'imageKey' FROM proposals
           WHERE status = 'open' AND change ->> 'imageKey' = ANY ($1)"#,
        keys,
    )
    .fetch_all(conn)
    .await?;
    Ok(found)
}

/// Makes one member's changes wait for each other, so that the limit holds.
pub async fn lock_member(conn: &mut PgConnection, user_id: MemberId) -> Result<(), Error> {
    sqlx::query_scalar!(
        r#"SELECT pg_advisory_xact_lock(hashtextextended('methods of ' || $1::text, 0)) IS NULL AS "locked!""#,
        user_id.to_string(),
    )
    .fetch_one(conn)
    .await?;
    Ok(())
}

/// How many active methods the member has.
pub async fn count_personal(conn: &mut PgConnection, user_id: MemberId) -> Result<i64, Error> {
    let count = sqlx::query_scalar!(
        r#"SELECT count(*) AS "count!" FROM methods WHERE scope = 'personal' AND user_id = $1 AND archived_at IS NULL"#,
        user_id.get(),
    )
    .fetch_one(conn)
    .await?;
    Ok(count)
}

/// Writes a new method in its first version; a platform method has no owner.
pub async fn insert(
    conn: &mut PgConnection,
    user_id: Option<MemberId>,
    fields: Fields,
    at: OffsetDateTime,
) -> Result<Method, Error> {
    let scope = if user_id.is_some() { Scope::Personal } else { Scope::Platform };
    let method = Method { id: Uuid::now_v7().into(), scope, version: 1, fields };
    sqlx::query!(
        "INSERT INTO methods (id, scope, user_id, version, created_at, updated_at) VALUES ($1, $2, $3, 1, $4, $4)",
        method.id.get(),
        scope.into_str(),
        user_id as _,
        at,
    )
    .execute(&mut *conn)
    .await?;
    insert_version(conn, &method, at).await?;
    Ok(method)
}

/// Gives a locked method a new version.
pub async fn change(
    conn: &mut PgConnection,
    before: &Method,
    fields: Fields,
    at: OffsetDateTime,
) -> Result<Method, Error> {
    let method = Method { id: before.id, scope: before.scope, version: before.version + 1, fields };
    insert_version(&mut *conn, &method, at).await?;
    sqlx::query!("UPDATE methods SET version = $2, updated_at = $3 WHERE id = $1", method.id.get(), method.version, at)
        .execute(conn)
        .await?;
    Ok(method)
}

/// Ends a locked method; its versions stay.
pub async fn archive(conn: &mut PgConnection, id: MethodId, at: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!("UPDATE methods SET archived_at = $2, updated_at = $2 WHERE id = $1", id.get(), at)
        .execute(conn)
        .await?;
    Ok(())
}

async fn insert_version(conn: &mut PgConnection, method: &Method, at: OffsetDateTime) -> Result<(), Error> {
    let fields = &method.fields;
    sqlx::query!(
        "INSERT INTO method_versions (method_id, version, scope, currency, network, address, memo, label, image_key,
                                      created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        method.id.get(),
        method.version,
        method.scope.into_str(),
        fields.currency,
        fields.network,
        fields.address,
        fields.memo,
        fields.label,
        fields.image_key,
        at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Forgets all methods of these members, with every version.
pub async fn forget(conn: &mut PgConnection, members: &[MemberId]) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "DELETE FROM method_versions WHERE scope = 'personal'
            AND method_id IN (SELECT id FROM methods WHERE user_id = ANY ($1))",
        members as _,
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!("DELETE FROM methods WHERE scope = 'personal' AND user_id = ANY ($1)", members as _)
        .execute(conn)
        .await?;
    Ok(())
}
