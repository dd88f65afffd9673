//! A member makes a deposit of a payment that arrived at an own address before there was a request (D-N2).

use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::id::MemberId;
use chassis::idempotency::{self, Answer, Claim};

use crate::app::deposit::request_deposit::refuse_too_many;
use crate::domain::limits::Limits;
use crate::domain::observed_payment::ObservedPayment;
use crate::domain::transaction::{PaymentClaim, Purpose, Transaction};
use crate::error::Error;
use crate::events::published;
use crate::posting;
use crate::store::transactions;

#[derive(Debug, Clone)]
pub struct DepositArrived {
    pub user_id: MemberId,
    /// As it was seen on the chain.
    pub payment: ObservedPayment,
    /// What it was worth then, at the address that was paid, with its hash.
    pub claim: PaymentClaim,
    pub idempotency: Option<Claim>,
}

/// Records it as pending. It has arrived, so no minimum or maximum applies.
///
/// # Errors
/// `PaymentWaits` if a transaction claims it, was credited with it, or is open at its address; `TooManyPendingDeposits`.
pub async fn deposit_arrived(db: &Db, limits: &Limits, command: &DepositArrived) -> Result<Answer<Transaction>, Error> {
    idempotency::once(db, command.idempotency.clone(), async |conn| record(conn, limits, command).await).await
}

async fn record(conn: &mut PgConnection, limits: &Limits, command: &DepositArrived) -> Result<Transaction, Error> {
    let now = clock::now(conn).await?;
    posting::lock_member(conn, command.user_id).await?;
    let payment = &command.payment;
    let is_claimed = transactions::claimed(conn, std::slice::from_ref(payment)).await?.contains(&true);
    // One that names another hash is about another payment to the same address.
    let open = transactions::open_at(conn, (&payment.address, &payment.asset)).await?;
    let may_be_it = |one: &Transaction| one.as_payment().is_some_and(|payment| payment.claimed_txid.is_none());
    if is_claimed || open.iter().any(may_be_it) {
        return Err(Error::PaymentWaits);
    }
    refuse_too_many(conn, limits, command.user_id).await?;
    let transaction = Transaction::payment(command.user_id, Purpose::Deposit, command.claim.clone(), now);
    transactions::insert(conn, &transaction).await?;
    published::deposit_requested(&transaction).enqueue(conn).await?;
    Ok(transaction)
}
