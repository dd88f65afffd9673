//! A member reads the movements of their balance in a period.

use chassis::db::Db;
use chassis::money::Cents;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::error::Error;
use crate::store::entries::{self, Movement};

/// Movements with the balances before and after them.
#[derive(Debug, Clone)]
pub struct Statement {
    /// Before the first.
    pub opening: Cents,
    /// After the last.
    pub closing: Cents,
    /// Oldest first.
    pub movements: Vec<Movement>,
}

/// The movements in `[from, to)`.
///
/// # Errors
/// The database's.
pub async fn get_statement(
    db: &Db,
    user_id: Uuid,
    from: OffsetDateTime,
    to: OffsetDateTime,
) -> Result<Statement, Error> {
    let mut conn = db.conn().await?;
    let opening = entries::balance_before(&mut conn, user_id, from).await?;
    let movements = entries::movements(&mut conn, user_id, from, to).await?;
    let closing = movements.last().map_or(opening, |last| last.balance);
    Ok(Statement { opening, closing, movements })
}
