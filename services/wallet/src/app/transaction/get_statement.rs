//! Returns the statement of a member for a period.

use chassis::clock;
use chassis::db::{PgConnection, Reads};
use chassis::id::MemberId;
use chassis::money::Cents;
use time::OffsetDateTime;

use crate::app::wait_until_over;
use crate::domain::cursor::StatementCursor;
use crate::error::Error;
use crate::store::entries::{self, Movement};

/// Movements with the balances before and after the period.
#[derive(Debug, Clone, Default)]
pub struct Statement {
    /// Before the first.
    pub opening: Cents,
    /// After the last.
    pub closing: Cents,
    pub movements: Vec<Movement>,
    /// Where the next page begins; unset on the last.
    pub next: Option<StatementCursor>,
}

#[derive(Debug, Clone, Copy)]
pub struct StatementPage {
    /// Where it begins; unset for the first.
    pub after: Option<StatementCursor>,
    pub size: u16,
}

/// The movements in `[from, to)`, a page of them or all. What is posted while pages are read is in none of them. The statement of
/// a period that is over never changes.
///
/// # Errors
/// Unavailable while something may still be posted in the period.
pub async fn get_statement(
    reads: &Reads,
    user_id: MemberId,
    within: (OffsetDateTime, OffsetDateTime),
    page: Option<StatementPage>,
) -> Result<Statement, Error> {
    let db = reads.primary();
    if within.1 <= clock::now(&mut *db.conn().await?).await? {
        wait_until_over(db, within.1).await?;
    }
    reads.read_current(|conn| read(conn, user_id, within, page)).await
}

async fn read(
    mut conn: Box<PgConnection>,
    user_id: MemberId,
    within: (OffsetDateTime, OffsetDateTime),
    page: Option<StatementPage>,
) -> Result<Statement, Error> {
    let cursor = page.and_then(|page| page.after);
    let most = cursor.map_or(i64::MAX, |cursor| cursor.until);
    let Some(period) = entries::period(&mut conn, user_id, within, most).await? else {
        return Ok(Statement::default());
    };
    let after = cursor.map_or(period.after, |cursor| cursor.after.max(period.after));
    // One more than wanted shows whether there is another page.
    let limit = page.map_or(i64::MAX, |page| i64::from(page.size) + 1);
    let mut movements = entries::movements(&mut conn, &period.account_ids, after, period.until, limit).await?;
    let size = page.map_or(usize::MAX, |page| usize::from(page.size));
    let more = movements.len() > size;
    movements.truncate(size);
    let last = movements.last().filter(|_| more);
    let next = last.map(|last| StatementCursor { after: last.posting_id, until: period.until });
    Ok(Statement { opening: period.opening, closing: period.closing, movements, next })
}
