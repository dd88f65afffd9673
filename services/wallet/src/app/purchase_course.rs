//! A member buys the course from the balance.

use chassis::clock;
use chassis::db::Db;
use chassis::idempotency::{Answer, Claim, Work};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::app::request_deposit::refuse_second_course;
use crate::domain::account::{AccountRef, HouseAccount};
use crate::domain::limits::COURSE_PRICE;
use crate::domain::transaction::{Direction, Kind, Transaction};
use crate::error::Error;
use crate::events::published;
use crate::posting::{self, Posting};
use crate::store::transactions;

/// Takes the price from the balance and unlocks the course, at once.
///
/// # Errors
/// `InsufficientBalance`, `CourseAlreadyPurchased`, `CoursePaymentPending`, the database's.
pub async fn purchase_course(db: &Db, user_id: Uuid, claim: Option<Claim>) -> Result<Answer<Transaction>, Error> {
    let mut work = Work::begin::<Error>(db, claim).await?;
    if let Some(answer) = work.replay::<_, Error>()? {
        return Ok(answer);
    }
    let result = purchase(&mut work, user_id).await;
    work.settle(result).await
}

async fn purchase(conn: &mut PgConnection, user_id: Uuid) -> Result<Transaction, Error> {
    let now = clock::now(conn).await?;
    posting::lock_member(conn, user_id).await?;
    refuse_second_course(conn, user_id).await?;
    let transaction = Transaction::done(user_id, Kind::Course, Direction::Debit, COURSE_PRICE, now)
        .described("UGC course, paid from your balance");
    let (from, to) = (AccountRef::available(user_id), AccountRef::House(HouseAccount::CourseRevenue));
    posting::post(conn, &[Posting::transfer("course", user_id, transaction.id, from, to, COURSE_PRICE)?]).await?;
    transactions::insert(conn, &transaction).await?;
    published::course_unlocked(conn, &transaction).await?;
    Ok(transaction)
}
