//! A member buys the course from the balance.

use chassis::id::MemberId;
use chassis::idempotency::{Answer, Claim};
use time::OffsetDateTime;

use crate::domain::account::{AccountRef, HouseAccount};
use crate::domain::limits::COURSE_PRICE;
use crate::domain::posting_kind::{Cause, PostingKind};
use crate::domain::transaction::{Details, Transaction};
use crate::error::Error;
use crate::events::published;
use crate::posting::ledger::Ledger;
use crate::posting::{Movement, Posting, Precondition};

/// Takes the price from the balance and unlocks the course, at once.
///
/// # Errors
/// `InsufficientBalance`, `AmountOwed`, `CourseAlreadyPurchased`, `CoursePaymentPending`, Unavailable.
pub async fn purchase_course(
    ledger: &Ledger,
    user_id: MemberId,
    claim: Option<Claim>,
) -> Result<Answer<Transaction>, Error> {
    let (movement, transaction) = movement(user_id, ledger.now().await?)?;
    ledger.post(movement, claim, transaction).await
}

fn movement(user_id: MemberId, now: OffsetDateTime) -> Result<(Movement, Transaction), Error> {
    let transaction = Transaction::done(user_id, Details::Purchase, COURSE_PRICE, now)
        .described("UGC course, paid from your balance");
    let way = (AccountRef::available(user_id), AccountRef::House(HouseAccount::CourseRevenue));
    let cause = Cause::Purchase(transaction.id);
    let movement = Movement {
        user_id,
        precondition: Some(Precondition::NoCourse),
        postings: vec![Posting::transfer(PostingKind::Course, cause, user_id, way, COURSE_PRICE)?],
        lines: vec![transaction.clone()],
        events: vec![published::course_unlocked(&transaction)],
    };
    Ok((movement, transaction))
}
