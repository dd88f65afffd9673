//! Searches transactions for staff.

use chassis::db::{Aged, PgConnection, Reads};
use chassis::page::{Listed, Page};

use crate::domain::cursor::Cursor;
use crate::domain::transaction::{Status, Transaction};
use crate::error::Error;
use crate::store::transactions::{self, Filter};

/// A page of the transactions that match, newest first or the longest waiting first, and the cursor of the next page.
pub async fn list_staff_transactions(
    reads: &Reads,
    filter: &Filter,
    page: &Page<Cursor>,
) -> Result<Aged<Listed<Transaction>>, Error> {
    let search = move |mut conn: Box<PgConnection>| async move {
        Ok::<_, Error>(transactions::search(&mut conn, filter, page.after, page.limit()).await?)
    };
    // Staff decide from the pending list, with the other transactions of the member beside it: both have to be current.
    let is_of_open = filter.waits_for.is_some() || filter.status == Some(Status::Pending);
    let is_for_decisions = is_of_open || filter.user_id.is_some();
    let Aged { value, as_of } = if is_for_decisions {
        Aged { value: search(reads.primary().conn().await?).await?, as_of: None }
    } else {
        reads.read(search).await?
    };
    Ok(Aged { value: page.cut(value, Cursor::of), as_of })
}
