//! The last look at the books.

use chassis::money::Cents;
use sqlx::PgConnection;
use time::OffsetDateTime;

/// What the books looked like when all entries were read last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BookCheck {
    /// When.
    pub checked_at: OffsetDateTime,
    /// Sum of all entries.
    pub trial_balance: Cents,
    /// Sum of the absolute differences between stored balances and their entries.
    pub drift: Cents,
    /// What was wrong, a sentence each.
    pub complaints: Vec<String>,
}

/// The last one; none in a ledger that was never looked at.
///
/// # Errors
/// The database's.
pub async fn last(conn: &mut PgConnection) -> Result<Option<BookCheck>, sqlx::Error> {
    sqlx::query_as!(
        BookCheck,
        r#"SELECT checked_at, trial_balance_cents AS "trial_balance: Cents", drift_cents AS "drift: Cents", complaints
        FROM book_checks"#
    )
    .fetch_optional(conn)
    .await
}

/// Keeps it in place of the one before.
///
/// # Errors
/// The database's.
pub async fn keep(conn: &mut PgConnection, check: &BookCheck) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO book_checks (checked_at, trial_balance_cents, drift_cents, complaints) VALUES ($1, $2, $3, $4)
         ON CONFLICT (is_last) DO UPDATE SET checked_at = excluded.checked_at, drift_cents = excluded.drift_cents,
            trial_balance_cents = excluded.trial_balance_cents, complaints = excluded.complaints",
        check.checked_at,
        check.trial_balance.get(),
        check.drift.get(),
        &check.complaints
    )
    .execute(conn)
    .await?;
    Ok(())
}
