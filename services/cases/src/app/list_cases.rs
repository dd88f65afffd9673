//! Lists of cases, for members and staff.

use chassis::clock;
use chassis::db::Db;
use chassis::id::UserId;
use chassis::page::{Listed, Page};

use crate::domain::case::{Case, Filter, Place};
use crate::error::Error;
use crate::store::cases;

/// A page of the cases that the filter names, for this person.
///
/// # Errors
/// Of the database.
pub async fn list_cases(db: &Db, filter: Filter, caller: UserId, page: &Page<Place>) -> Result<Listed<Case>, Error> {
    let mut conn = db.conn().await?;
    let now = clock::now(&mut conn).await?;
    let rows = cases::list(&mut conn, filter, caller, page, now).await?;
    Ok(page.cut(rows, |case| {
        let at = match filter {
            Filter::Open | Filter::Mine | Filter::Unowned | Filter::Member(_) => Some(case.created_at),
            Filter::Complaints => case.complaint_at,
            Filter::Due => case.answer_due_at.into_iter().chain(case.complaint_due_at).min(),
        };
        Place { at: at.unwrap_or(case.created_at), id: case.id }
    }))
}
