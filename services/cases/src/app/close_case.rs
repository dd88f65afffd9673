//! A member closes a case of their own.

use chassis::clock;
use chassis::db::Db;
use chassis::id::MemberId;

use crate::domain::case::{Case, CaseId, State};
use crate::domain::message::Party;
use crate::error::Error;
use crate::store::cases;

/// The case; one that is closed stays as it is.
///
/// # Errors
/// `CaseNotFound`.
pub async fn close_case(db: &Db, user_id: MemberId, id: CaseId) -> Result<Case, Error> {
    let mut tx = db.begin().await?;
    let case = cases::lock(&mut tx, id).await?.filter(|case| case.user_id == user_id);
    let mut case = case.ok_or(Error::CaseNotFound)?;
    if case.state != State::Closed {
        case.close(Party::Member, clock::now(&mut tx).await?);
        cases::update(&mut tx, &case).await?;
    }
    tx.commit().await?;
    Ok(case)
}
