//! The lists and searches of transactions.

use chassis::across;
use chassis::db::PgConnection;
use chassis::id::MemberId;
use chassis::money::Cents;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::cursor::Cursor;
use crate::domain::search::Search;
use crate::domain::transaction::record::Record;
use crate::domain::transaction::{Kind, Status, Transaction};
use crate::store::transactions::newest;
use crate::store::{first, merged};

/// What an open transaction waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitsFor {
    Decision,
    /// It is approved, and its payment is not final.
    Payout,
}

/// What staff looks for; unset parts match everything.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Only what waits for this, the longest waiting first; the other parts do not count then.
    pub waits_for: Option<WaitsFor>,
    pub status: Option<Status>,
    pub kind: Option<Kind>,
    pub user_id: Option<MemberId>,
    /// The first and last id of a reference.
    pub ids: Option<(Uuid, Uuid)>,
    /// An address or a hash; matches beside `ids`.
    pub text: Option<String>,
    /// The text in the form in which equal hashes are equal.
    pub txid_key: Option<String>,
    /// The text as an amount.
    pub amount: Option<Cents>,
}

/// The page behind a cursor of the lines that a condition on an index selects, and that match the rest of a filter.
macro_rules! page {
    ($condition:literal, $value:expr, $filter:ident, $after:ident, $limit:ident) => {
        select!(
            "WHERE " $condition " AND ($2::text IS NULL OR status = $2) AND ($3::text IS NULL OR kind = $3)
                AND ($4::timestamptz IS NULL OR (created_at, id) < ($4, $5::uuid))
             ORDER BY created_at DESC, id DESC LIMIT $6",
            $value,
            $filter.status.map(<&str>::from),
            $filter.kind.map(<&str>::from),
            $after.map(|cursor| cursor.created_at),
            $after.map(|cursor| cursor.id.get()),
            $limit
        )
    };
}

/// A member's lines behind a cursor, newest first.
pub async fn history(
    conn: &mut PgConnection,
    user_id: MemberId,
    after: Option<Cursor>,
    limit: i64,
) -> Result<Vec<Transaction>, sqlx::Error> {
    // The member is hidden from the planner: of one who has most lines it expects to meet 50 among everybody's newest,
    // and reads all that came since.
    select!(
        "WHERE user_id = (SELECT $1::uuid) AND ($2::timestamptz IS NULL OR (created_at, id) < ($2, $3::uuid))
         ORDER BY created_at DESC, id DESC LIMIT $4",
        user_id.get(),
        after.map(|cursor| cursor.created_at),
        after.map(|cursor| cursor.id.get()),
        limit
    )
    .fetch_all(conn)
    .await
}

/// Those of a member that are looked for, newest first, found along the member's history.
pub async fn search_history(
    conn: &mut PgConnection,
    user_id: MemberId,
    search: &Search,
    after: Option<Cursor>,
    limit: i64,
) -> Result<Vec<Transaction>, sqlx::Error> {
    select!(
        "WHERE user_id = (SELECT $1::uuid) AND ($2::timestamptz IS NULL OR (created_at, id) < ($2, $3::uuid))
            AND ($5::timestamptz IS NULL OR created_at >= $5) AND ($6::timestamptz IS NULL OR created_at < $6)
            AND ($7 = '' OR id BETWEEN $8::uuid AND $9::uuid
                OR $10::bigint IN (amount_cents, claimed_amount_cents, fee_cents, net_amount_cents)
                OR strpos(lower(concat_ws(' ', kind, description, currency, network, txid, txid_key, claimed_txid,
                    destination_address, method_address)), $7) > 0)
         ORDER BY created_at DESC, id DESC LIMIT $4",
        user_id.get(),
        after.map(|cursor| cursor.created_at),
        after.map(|cursor| cursor.id.get()),
        limit,
        search.from,
        search.to,
        &search.text,
        search.ids.map(|ids| ids.0),
        search.ids.map(|ids| ids.1),
        search.amount.map(Cents::get),
    )
    .fetch_all(conn)
    .await
}

/// Lines of all members behind a cursor that match, newest first, or the longest waiting first.
pub async fn search(
    conn: &mut PgConnection,
    filter: &Filter,
    after: Option<Cursor>,
    limit: i64,
) -> Result<Vec<Transaction>, sqlx::Error> {
    if let Some(what) = filter.waits_for {
        let found = across!(conn, waiting_for_here(conn, what, after, limit));
        return Ok(first(found, limit, |one| (one.created_at, one.id)));
    }
    let found = across!(conn, search_here(conn, filter, after, limit));
    Ok(first(found, limit, newest))
}

async fn waiting_for_here(
    conn: &mut PgConnection,
    what: WaitsFor,
    after: Option<Cursor>,
    limit: i64,
) -> Result<Vec<Transaction>, sqlx::Error> {
    select!(
        "WHERE status = 'pending' AND (approved_at IS NOT NULL) = $1
            AND ($2::timestamptz IS NULL OR (created_at, id) > ($2, $3::uuid))
         ORDER BY created_at, id LIMIT $4",
        what == WaitsFor::Payout,
        after.map(|cursor| cursor.created_at),
        after.map(|cursor| cursor.id.get()),
        limit
    )
    .fetch_all(conn)
    .await
}

/// Each statement has one plan for every value, on an index that leaves little to filter. What waits has an index of its own.
async fn search_here(
    conn: &mut PgConnection,
    filter: &Filter,
    after: Option<Cursor>,
    limit: i64,
) -> Result<Vec<Transaction>, sqlx::Error> {
    let status = filter.status.map(<&str>::from);
    if filter.text.is_some() {
        with_text(conn, filter, after, limit).await
    } else if let Some(user_id) = filter.user_id {
        page!("user_id = (SELECT $1::uuid)", user_id.get(), filter, after, limit).fetch_all(conn).await
    } else if matches!(filter.status, Some(Status::Pending | Status::Failed)) {
        page!("status = $1::text AND status <> 'success'", status, filter, after, limit).fetch_all(conn).await
    } else if let Some(kind) = filter.kind {
        page!(
            "id IN (
                (SELECT id FROM transactions WHERE status = 'pending' AND kind = $1 AND ($2::text IS NULL OR status = $2)
                    AND ($4::timestamptz IS NULL OR (created_at, id) < ($4, $5::uuid))
                    ORDER BY created_at DESC, id DESC LIMIT $6)
                UNION ALL
                (SELECT id FROM transactions WHERE status <> 'pending' AND kind = $1 AND ($2::text IS NULL OR status = $2)
                    AND ($4::timestamptz IS NULL OR (created_at, id) < ($4, $5::uuid))
                    ORDER BY created_at DESC, id DESC LIMIT $6))",
            kind.into_str(),
            filter,
            after,
            limit
        )
        .fetch_all(conn)
        .await
    } else {
        page!("($1::text IS NULL OR status = $1)", status, filter, after, limit).fetch_all(conn).await
    }
}

/// Lines that a text names: a reference, an address, a hash or an amount, but not one that a trade moved. Only an address of the
/// platform and an amount are named by many. A withdrawal is found by its amount and by what it sends, and by where it goes, not by
/// the address of the platform that its member was shown.
async fn with_text(
    conn: &mut PgConnection,
    filter: &Filter,
    after: Option<Cursor>,
    limit: i64,
) -> Result<Vec<Transaction>, sqlx::Error> {
    select!(
        "WHERE id IN (
                SELECT id FROM transactions WHERE id BETWEEN $4 AND $5
                UNION ALL SELECT id FROM transactions WHERE status = 'pending'
                    AND (address_key(destination_address) = address_key($6) OR $11 IN (amount_cents, net_amount_cents))
                UNION ALL SELECT id FROM transactions WHERE status <> 'pending' AND destination_address IS NOT NULL
                    AND address_key(destination_address) = address_key($6)
                UNION ALL SELECT id FROM transactions WHERE claimed_txid = $6
                UNION ALL SELECT id FROM transactions WHERE txid_key = $7
                UNION ALL (SELECT id FROM transactions WHERE method_address IS NOT NULL AND kind <> 'withdrawal'
                    AND address_key(method_address) = address_key($6)
                    AND ($1::text IS NULL OR status = $1) AND ($2::text IS NULL OR kind = $2)
                    AND ($3::uuid IS NULL OR user_id = $3)
                    AND ($8::timestamptz IS NULL OR (created_at, id) < ($8, $9::uuid))
                    ORDER BY created_at DESC, id DESC LIMIT $10)
                UNION ALL (SELECT id FROM transactions WHERE status <> 'pending' AND kind <> 'trade' AND kind <> 'profit'
                    AND amount_cents = $11
                    AND ($1::text IS NULL OR status = $1) AND ($2::text IS NULL OR kind = $2)
                    AND ($3::uuid IS NULL OR user_id = $3)
                    AND ($8::timestamptz IS NULL OR (created_at, id) < ($8, $9::uuid))
                    ORDER BY created_at DESC, id DESC LIMIT $10)
                UNION ALL (SELECT id FROM transactions WHERE status <> 'pending' AND kind = 'withdrawal'
                    AND net_amount_cents = $11
                    AND ($1::text IS NULL OR status = $1) AND ($2::text IS NULL OR kind = $2)
                    AND ($3::uuid IS NULL OR user_id = $3)
                    AND ($8::timestamptz IS NULL OR (created_at, id) < ($8, $9::uuid))
                    ORDER BY created_at DESC, id DESC LIMIT $10))
            AND ($1::text IS NULL OR status = $1) AND ($2::text IS NULL OR kind = $2)
            AND ($3::uuid IS NULL OR user_id = $3)
            AND ($8::timestamptz IS NULL OR (created_at, id) < ($8, $9::uuid))
         ORDER BY created_at DESC, id DESC LIMIT $10",
        filter.status.map(<&str>::from),
        filter.kind.map(<&str>::from),
        filter.user_id as _,
        filter.ids.map(|ids| ids.0),
        filter.ids.map(|ids| ids.1),
        filter.text,
        filter.txid_key,
        after.map(|cursor| cursor.created_at),
        after.map(|cursor| cursor.id.get()),
        limit,
        filter.amount.map(Cents::get)
    )
    .fetch_all(conn)
    .await
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// `deposit`, `course`, `fee`, `withdrawal` (to decide) or `payout` (to pay).
    pub kind: String,
    pub count: i64,
    pub oldest_at: Option<OffsetDateTime>,
}

/// What waits for staff, of all members; every kind is named.
pub async fn queue(conn: &mut PgConnection) -> Result<Vec<Waiting>, sqlx::Error> {
    let found = across!(conn, queue_here(conn));
    Ok(merged(
        found,
        |one| one.kind.clone(),
        |all, one| {
            all.count += one.count;
            all.oldest_at = all.oldest_at.into_iter().chain(one.oldest_at).min();
        },
    ))
}

async fn queue_here(conn: &mut PgConnection) -> Result<Vec<Waiting>, sqlx::Error> {
    sqlx::query_as!(
        Waiting,
        r#"SELECT kinds.kind AS "kind!", count(waiting.id) AS "count!", min(waiting.created_at) AS oldest_at
        FROM unnest(ARRAY['deposit', 'course', 'fee', 'withdrawal', 'payout']) WITH ORDINALITY AS kinds (kind, place)
        LEFT JOIN transactions AS waiting ON waiting.status = 'pending' AND waiting.sent_at IS NULL
            AND CASE WHEN waiting.approved_at IS NULL THEN waiting.kind ELSE 'payout' END = kinds.kind
        GROUP BY kinds.kind, kinds.place ORDER BY kinds.place"#
    )
    .fetch_all(conn)
    .await
}

/// The transactions of all members that wait for staff, the longest waiting first; as many as this.
pub async fn waiting(conn: &mut PgConnection, limit: i64) -> Result<Vec<Transaction>, sqlx::Error> {
    let found = across!(conn, waiting_here(conn, limit));
    Ok(first(found, limit, |one| (one.created_at, one.id)))
}

async fn waiting_here(conn: &mut PgConnection, limit: i64) -> Result<Vec<Transaction>, sqlx::Error> {
    select!("WHERE status = 'pending' AND sent_at IS NULL ORDER BY created_at, id LIMIT $1", limit)
        .fetch_all(conn)
        .await
}
