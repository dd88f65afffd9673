//! The check of the ledger: its steps, progress and findings. The steps are database functions, because the service's
//! role may not write their tables.

use chassis::across;
use chassis::db::PgConnection;
use chassis::id::ProposalId;
use time::OffsetDateTime;

use crate::store::first;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerCheck {
    /// End of the last check that left no complete posting unchecked; `None` in a ledger that was never checked.
    pub checked_at: Option<OffsetDateTime>,
    /// End of the last walk over everything.
    pub walked_at: Option<OffsetDateTime>,
    /// Entries that walk read.
    pub walked_entries: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// `account`, `posting`, `member` or `cause`; of what is held `holding` or `payment`.
    pub subject: String,
    pub subject_id: String,
    /// What is wrong, as a sentence.
    pub detail: String,
    /// What an account says above its entries, in cents.
    pub drift_cents: i64,
    pub found_at: OffsetDateTime,
}

pub async fn state(conn: &mut PgConnection) -> Result<LedgerCheck, sqlx::Error> {
    sqlx::query_as!(LedgerCheck, "SELECT checked_at, walked_at, walked_entries FROM ledger_checks")
        .fetch_one(conn)
        .await
}

/// That of all buckets: each is checked at least since then.
pub async fn state_of_all(conn: &mut PgConnection) -> Result<LedgerCheck, sqlx::Error> {
    let each = across!(conn, state(conn));
    Ok(LedgerCheck {
        checked_at: each.iter().map(|one| one.checked_at).min().flatten(),
        walked_at: each.iter().map(|one| one.walked_at).min().flatten(),
        walked_entries: each.iter().map(|one| one.walked_entries).sum(),
    })
}

/// What does not verify in any bucket, oldest first, at most this many.
pub async fn all_open_faults(conn: &mut PgConnection, limit: i64) -> Result<Vec<Fault>, sqlx::Error> {
    let each = across!(conn, open_faults(conn, limit));
    Ok(first(each, limit, |one| one.found_at))
}

/// What does not verify, oldest first, at most this many.
pub async fn open_faults(conn: &mut PgConnection, limit: i64) -> Result<Vec<Fault>, sqlx::Error> {
    sqlx::query_as!(
        Fault,
        "SELECT subject, subject_id, detail, drift_cents, found_at FROM ledger_faults WHERE verified_at IS NULL
         ORDER BY id LIMIT $1",
        limit
    )
    .fetch_all(conn)
    .await
}

/// Checks the next postings that are complete, at most this many, and the accounts they moved. Returns how many there were;
/// `None` while another process checks.
pub async fn check_new_postings(conn: &mut PgConnection, most: i32) -> Result<Option<i32>, sqlx::Error> {
    sqlx::query_scalar!("SELECT check_new_postings($1)", most).fetch_one(conn).await
}

/// Continues the walk over all entries by about `most` of them. Returns whether it reached the end; `None` while another
/// process is checking.
pub async fn walk(conn: &mut PgConnection, most: i32) -> Result<Option<bool>, sqlx::Error> {
    sqlx::query_scalar!("SELECT walk_ledger($1)", most).fetch_one(conn).await
}

/// When the first thing in `[since, until)` was decided that has to be posted.
pub async fn next_cause(
    conn: &mut PgConnection,
    since: OffsetDateTime,
    until: OffsetDateTime,
) -> Result<Option<OffsetDateTime>, sqlx::Error> {
    sqlx::query_scalar!(
        "SELECT least(
            (SELECT min(greatest(approved_at, decided_at)) FROM transactions WHERE greatest(approved_at, decided_at) >= $1
                AND greatest(approved_at, decided_at) < $2 AND kind IN ('deposit', 'course', 'fee', 'withdrawal')),
            (SELECT min(created_at) FROM transactions WHERE created_at >= $1 AND created_at < $2),
            (SELECT min(created_at) FROM trade_fundings WHERE created_at >= $1 AND created_at < $2),
            (SELECT min(settled_at) FROM trade_fundings WHERE settled_at >= $1 AND settled_at < $2),
            (SELECT min(placed_at) FROM holds WHERE placed_at >= $1 AND placed_at < $2),
            (SELECT min(released_at) FROM holds WHERE released_at >= $1 AND released_at < $2),
            (SELECT min(decided_at) FROM proposals WHERE status = 'confirmed' AND decided_at >= $1 AND decided_at < $2),
            (SELECT min(transferred_at) FROM cash_transfers WHERE transferred_at >= $1 AND transferred_at < $2))",
        since,
        until
    )
    .fetch_one(conn)
    .await
}

/// Checks that the first `most` things decided in `[since, until)` were posted. Returns where to continue, `until` at the
/// end.
pub async fn check_causes(
    conn: &mut PgConnection,
    since: OffsetDateTime,
    until: OffsetDateTime,
    most: i32,
) -> Result<OffsetDateTime, sqlx::Error> {
    sqlx::query_scalar!(r#"SELECT check_causes($1, $2, $3) AS "next!""#, since, until, most).fetch_one(conn).await
}

/// Checks again what does not verify, and ends the faults that do; at most this many entries of an account.
pub async fn recheck(conn: &mut PgConnection, most: i32) -> Result<(), sqlx::Error> {
    sqlx::query!("SELECT recheck_faults($1)", most).execute(conn).await?;
    Ok(())
}

/// Records that every complete posting is checked.
pub async fn end(conn: &mut PgConnection) -> Result<(), sqlx::Error> {
    sqlx::query!("SELECT end_check()").execute(conn).await?;
    Ok(())
}

/// What an account says, and what its entries say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// The balance that is stored.
    pub stored_balance_cents: i64,
    /// The number of entries that is stored.
    pub stored_entries: i64,
    /// The sum of its entries.
    pub balance_cents: i64,
    pub entries: i64,
}

/// Compares an account that does not verify with its entries; `None` if no fault names it.
pub async fn faulty_account(conn: &mut PgConnection, account_id: i64) -> Result<Option<Comparison>, sqlx::Error> {
    sqlx::query_as!(
        Comparison,
        r#"SELECT stored_balance_cents AS "stored_balance_cents!", stored_entry_count AS "stored_entries!",
            balance_cents AS "balance_cents!", entry_count AS "entries!"
        FROM compare_account($1)
        WHERE EXISTS (SELECT FROM ledger_faults
            WHERE subject = 'account' AND subject_id = $1::bigint::text AND verified_at IS NULL)"#,
        account_id
    )
    .fetch_optional(conn)
    .await
}

/// Makes an account say what its entries say, by a confirmed proposal.
///
/// # Errors
/// Of the database, also if the proposal says something else or the account verifies.
pub async fn rebuild(
    conn: &mut PgConnection,
    account_id: i64,
    proposal_id: ProposalId,
) -> Result<Comparison, sqlx::Error> {
    sqlx::query_as!(
        Comparison,
        r#"SELECT stored_balance_cents AS "stored_balance_cents!", stored_entry_count AS "stored_entries!",
            balance_cents AS "balance_cents!", entry_count AS "entries!"
        FROM rebuild_account($1, $2)"#,
        account_id,
        proposal_id.get()
    )
    .fetch_one(conn)
    .await
}
