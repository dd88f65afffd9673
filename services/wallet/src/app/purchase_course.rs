//! A member buys the course from the balance.

use chassis::clock;
use chassis::idempotency::{Answer, Claim, Work};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::app::request_deposit::refuse_second_course;
use crate::domain::account::{AccountRef, HouseAccount};
use crate::domain::limits::COURSE_PRICE;
use crate::domain::transaction::{Direction, Kind, Transaction};
use crate::error::Error;
use crate::events::published;
use crate::posting::ledger::Ledger;
use crate::posting::{self, Guard, Movement, Posting};

/// Takes the price from the balance and unlocks the course, at once.
///
/// # Errors
/// `InsufficientBalance`, `CourseAlreadyPurchased`, `CoursePaymentPending`, Unavailable, the database's.
pub async fn purchase_course(
    ledger: &Ledger,
    user_id: Uuid,
    claim: Option<Claim>,
) -> Result<Answer<Transaction>, Error> {
    let (movement, transaction) = movement(user_id, ledger.now().await?)?;
    if let Some(answer) = ledger.apply(movement, claim.as_ref(), transaction).await? {
        return Ok(answer);
    }
    let mut work = Work::begin::<Error>(ledger.db(), claim).await?;
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
    let (movement, transaction) = movement(user_id, now)?;
    movement.apply(conn).await?;
    Ok(transaction)
}

fn movement(user_id: Uuid, now: OffsetDateTime) -> Result<(Movement, Transaction), Error> {
    let transaction = Transaction::done(user_id, Kind::Course, Direction::Debit, COURSE_PRICE, now)
        .described("UGC course, paid from your balance");
    let (from, to) = (AccountRef::available(user_id), AccountRef::House(HouseAccount::CourseRevenue));
    let movement = Movement {
        user_id,
        guard: Some(Guard::Course),
        postings: vec![Posting::transfer("course", user_id, transaction.id, from, to, COURSE_PRICE)?],
        lines: vec![transaction.clone()],
        events: vec![published::course_unlocked(&transaction)],
    };
    Ok((movement, transaction))
}
