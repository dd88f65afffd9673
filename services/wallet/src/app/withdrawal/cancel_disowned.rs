//! A member reported, with a link of a security email, that someone else used the account: what was done with the money lately
//! is taken back (D-A6, D-M10).

use chassis::audit;
use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::hex::to_hex;
use chassis::id::{MemberId, TransactionId};
use serde_json::json;
use time::OffsetDateTime;

use crate::app::review::reject_transaction::release;
use crate::clients::Chains;
use crate::domain::disowning::Report;
use crate::domain::transaction::Transaction;
use crate::error::Error;
use crate::events::published;
use crate::posting;
use crate::store::{destinations, member_buckets, transactions};

/// Whether the chain shows that the member's approved withdrawal was paid, although nobody has recorded it: a network call,
/// so before the transaction.
///
/// # Errors
/// Unavailable if payment-method cannot be asked.
pub async fn paid_unrecorded(db: &Db, chains: &Chains, user_id: MemberId) -> Result<Option<TransactionId>, Error> {
    let mut conn = db.conn().await?;
    member_buckets::enter(&mut conn, user_id).await?;
    let open = transactions::open_withdrawal(&mut conn, user_id).await?;
    conn.enter(db.home().bucket).await?;
    drop(conn);
    let Some(approved) = open.filter(Transaction::is_approved) else { return Ok(None) };
    Ok(chains.is_seen(&approved).await?.then_some(approved.id))
}

/// Cancels the open withdrawal that the report covers, releases its hold, and forgets the destinations that became known in
/// the time that it covers. A withdrawal that may be on its way is not cancelled: while somebody pays it only the lease ends,
/// and one that the chain shows as paid stays as it is. Staff decide about both, and see the report.
pub async fn cancel_disowned(
    conn: &mut PgConnection,
    user_id: MemberId,
    report: Report,
    paid: Option<TransactionId>,
) -> Result<(), Error> {
    let now = clock::now(conn).await?;
    posting::lock_member(conn, user_id).await?;
    let open = transactions::lock_open_withdrawal(conn, user_id).await?;
    if let Some(mut disowned) = open.filter(|one| report.covers(one)) {
        if disowned.is_sent() {
            // It was paid.
        } else if disowned.as_withdrawal().is_some_and(|withdrawal| withdrawal.paying.is_some()) {
            transactions::end_lease(conn, disowned.id, now).await?;
            note(conn, "withdrawal.end_lease", &disowned).await?;
        } else if paid != Some(disowned.id) {
            cancel(conn, &mut disowned, now).await?;
        }
    }
    for key in destinations::disown(conn, user_id, (report.since(), report.at)).await? {
        let after = json!({ "userId": user_id, "destination": to_hex(&key), "cause": CAUSE });
        audit::append_own(conn, "destination.disown", &user_id.to_string(), after).await?;
    }
    Ok(())
}

const CAUSE: &str = "ACTIVITY_DISOWNED";

async fn cancel(conn: &mut PgConnection, withdrawal: &mut Transaction, now: OffsetDateTime) -> Result<(), Error> {
    withdrawal.cancel(now);
    transactions::save(conn, withdrawal).await?;
    release(conn, withdrawal, now).await?;
    published::withdrawal_rejected(withdrawal).enqueue(conn).await?;
    note(conn, "withdrawal.cancel", withdrawal).await
}

async fn note(conn: &mut PgConnection, action: &str, one: &Transaction) -> Result<(), Error> {
    let after = json!({ "status": one.status, "userId": one.user_id, "cause": CAUSE });
    Ok(audit::append_own(conn, action, &one.id.to_string(), after).await?)
}
