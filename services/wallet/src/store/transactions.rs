//! The table `transactions`.

use chassis::across;
use chassis::db::PgConnection;
use chassis::id::{MemberId, StaffId, TransactionId};
use chassis::money::Cents;
use std::cmp::Reverse;
use time::OffsetDateTime;

use crate::domain::limits::{APPROVED_ALONE_PERIOD, ApprovedAlone};
use crate::domain::transaction::Transaction;
use crate::domain::transaction::record::Record;

/// The transactions that a clause finds. Each column is named: a statement that is kept with its connection would fail after a
/// later version has added one.
macro_rules! select {
    ($($clause:literal)+ $(, $value:expr)* $(,)?) => {
        sqlx::query_as!(
            Record,
            r#"SELECT id, user_id, kind AS "kind: _", description, status AS "status: _", direction AS "direction: _",
                amount_cents AS "amount_cents: _", claimed_amount_cents AS "claimed_amount_cents: _",
                fee_cents AS "fee_cents: _", net_amount_cents AS "net_amount_cents: _", fee_paid,
                method_id AS "method_id: _", currency, network, method_address, method_memo, method_version, destination_address, destination_memo,
                CASE WHEN kind = 'withdrawal' AND status = 'pending' THEN (SELECT known_at FROM destinations
                    WHERE destinations.user_id = transactions.user_id AND key = destination_key(
                        transactions.currency, transactions.network, destination_address, destination_memo)) END AS known_at,
                receipt_key, receipt_content_type, receipt_digest::text, claimed_txid, txid, txid_key, vout,
                first_approved_by AS "first_approved_by: _", first_approved_at, received_cents AS "received_cents: _", reason_code,
                approved_by AS "approved_by: _", approved_at,
                CASE WHEN paying_until > transaction_timestamp() THEN paying_by END AS "paying_by: _", paying_until,
                decided_by AS "decided_by: _", decided_at, related_id, revision, created_at, quote_id AS "quote_id: _",
                asset, asset_decimals, units::text, rate_micros,
                spread_bps::integer, quoted_at, quote_expires_at, payout_contract, payout_decimals, payout_units::text,
                payout_rate_micros, payout_spread_bps::integer, payout_priced_at,
                sent_by AS "sent_by: _", sent_at
            FROM transactions "# $(+ $clause)+
            $(, $value)*
        )
        .try_map(crate::store::transactions::read)
    };
}

mod chain;
mod member;
mod search;

pub use self::chain::{
    OpenPayout, PaidTo, TxidUse, claimed, is_quote_used, open_at, open_payouts, paid_to, paid_with, settled_quotes,
    used_quotes, with_receipt, with_txid,
};
pub use self::member::{Track, fees_paid, has_pending_fee, pending_deposits, sum_payments, track};
pub use self::search::{Filter, Waiting, WaitsFor, history, queue, search, search_history, waiting};

/// The order of lists: newest first.
fn newest(one: &Transaction) -> Reverse<(OffsetDateTime, TransactionId)> {
    Reverse((one.created_at, one.id))
}

/// Reads a row.
fn read(row: Record) -> Result<Transaction, sqlx::Error> {
    row.try_into().map_err(|missing: String| sqlx::Error::Decode(missing.into()))
}

pub async fn insert(conn: &mut PgConnection, one: &Transaction) -> Result<(), sqlx::Error> {
    let row = [Record::from(one)];
    sqlx::query!("SELECT FROM write_transactions($1)", &row as _).execute(conn).await?;
    Ok(())
}

/// Writes the columns that may change, and increments the revision.
///
/// # Errors
/// Of the database, also if the transaction was decided before.
pub async fn save(conn: &mut PgConnection, transaction: &mut Transaction) -> Result<(), sqlx::Error> {
    let row = [Record::from(&*transaction)];
    transaction.revision = sqlx::query_scalar!(
        "UPDATE transactions SET description = new.description, status = new.status, amount_cents = new.amount_cents,
            claimed_amount_cents = new.claimed_amount_cents, net_amount_cents = new.net_amount_cents,
            fee_paid = new.fee_paid, destination_address = new.destination_address,
            destination_memo = new.destination_memo, txid = new.txid, txid_key = new.txid_key, vout = new.vout,
            reason_code = new.reason_code, approved_by = new.approved_by, approved_at = new.approved_at,
            decided_by = new.decided_by, decided_at = new.decided_at, first_approved_by = new.first_approved_by,
            first_approved_at = new.first_approved_at, received_cents = new.received_cents, paying_by = new.paying_by,
            paying_until = new.paying_until, units = new.units::numeric, payout_contract = new.payout_contract,
            payout_decimals = new.payout_decimals, payout_units = new.payout_units::numeric,
            payout_rate_micros = new.payout_rate_micros, payout_spread_bps = new.payout_spread_bps,
            payout_priced_at = new.payout_priced_at, sent_by = new.sent_by, sent_at = new.sent_at,
            revision = transactions.revision + 1
         FROM unnest($2::ledger_transaction[]) AS new
         WHERE transactions.id = $1 RETURNING transactions.revision",
        transaction.id.get(),
        &row as _
    )
    .fetch_one(conn)
    .await?;
    Ok(())
}

pub async fn find(conn: &mut PgConnection, id: TransactionId) -> Result<Option<Transaction>, sqlx::Error> {
    select!("WHERE id = $1", id.get()).fetch_optional(conn).await
}

/// The line with this id, of any member.
pub async fn find_anywhere(conn: &mut PgConnection, id: TransactionId) -> Result<Option<Transaction>, sqlx::Error> {
    match find(conn, id).await? {
        None if conn.buckets() > 1 => Ok(across!(conn, find(conn, id)).into_iter().flatten().next()),
        found => Ok(found),
    }
}

/// The lines with these ids, in no order.
pub async fn find_all(conn: &mut PgConnection, ids: &[TransactionId]) -> Result<Vec<Transaction>, sqlx::Error> {
    // The number of ids is hidden from the planner, which would plan a lookup of one id again each time.
    select!("WHERE id = ANY ((SELECT $1::uuid[])::uuid[])", ids as _).fetch_all(conn).await
}

/// The line with this id, locked until the transaction ends. The member is to be locked before.
pub async fn lock(conn: &mut PgConnection, id: TransactionId) -> Result<Option<Transaction>, sqlx::Error> {
    select!("WHERE id = $1 FOR UPDATE", id.get()).fetch_optional(conn).await
}

/// The member's open withdrawal.
pub async fn open_withdrawal(conn: &mut PgConnection, user_id: MemberId) -> Result<Option<Transaction>, sqlx::Error> {
    select!("WHERE user_id = $1 AND kind = 'withdrawal' AND status = 'pending'", user_id.get())
        .fetch_optional(conn)
        .await
}

/// The member's open withdrawal, locked until the transaction ends. The member is to be locked before.
pub async fn lock_open_withdrawal(
    conn: &mut PgConnection,
    user_id: MemberId,
) -> Result<Option<Transaction>, sqlx::Error> {
    select!("WHERE user_id = $1 AND kind = 'withdrawal' AND status = 'pending' FOR UPDATE", user_id.get())
        .fetch_optional(conn)
        .await
}

/// The withdrawals that are on their way, from the oldest on; as many as this.
pub async fn sent(conn: &mut PgConnection, limit: i64) -> Result<Vec<Transaction>, sqlx::Error> {
    select!("WHERE sent_at IS NOT NULL AND status = 'pending' ORDER BY sent_at LIMIT $1", limit).fetch_all(conn).await
}

/// Ends the lease of a payout at this moment: its holder cannot pay any more.
pub async fn end_lease(conn: &mut PgConnection, id: TransactionId, now: OffsetDateTime) -> Result<(), sqlx::Error> {
    sqlx::query!("UPDATE transactions SET paying_until = $2, revision = revision + 1 WHERE id = $1", id.get(), now)
        .execute(conn)
        .await?;
    Ok(())
}

/// The fee payment that counts for this withdrawal, if one was confirmed while it was open.
pub async fn confirmed_fee(
    conn: &mut PgConnection,
    withdrawal_id: TransactionId,
) -> Result<Option<Transaction>, sqlx::Error> {
    select!(
        "WHERE related_id = $1 AND kind = 'fee' AND status = 'success'
            AND EXISTS (SELECT FROM postings WHERE postings.kind = 'fee' AND business_id = transactions.id)",
        withdrawal_id.get()
    )
    .fetch_optional(conn)
    .await
}

/// What was approved by one person within the last day: for a member, and by a reviewer, whose approvals wait for each other.
pub async fn approved_alone(
    conn: &mut PgConnection,
    (reviewer, member): (StaffId, MemberId),
    now: OffsetDateTime,
) -> Result<ApprovedAlone, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT pg_advisory_xact_lock(hashtextextended('approvals by ' || $1::text, 0)) IS NULL AS "locked!""#,
        reviewer.to_string(),
    )
    .fetch_one(&mut *conn)
    .await?;
    let since = now - APPROVED_ALONE_PERIOD;
    let each = across!(conn, approved_here(conn, (reviewer, member), since));
    let sum = |part: fn(&ApprovedAlone) -> Cents| Cents::new(each.iter().map(|here| part(here).get()).sum());
    Ok(ApprovedAlone {
        member: sum(|here| here.member),
        member_unproven: sum(|here| here.member_unproven),
        reviewer_unproven: sum(|here| here.reviewer_unproven),
    })
}

async fn approved_here(
    conn: &mut PgConnection,
    (reviewer, member): (StaffId, MemberId),
    since: OffsetDateTime,
) -> Result<ApprovedAlone, sqlx::Error> {
    let row = sqlx::query!(
        r#"SELECT (SELECT coalesce(sum(amount_cents), 0)::bigint FROM transactions
                WHERE user_id = $2 AND is_proven IS NOT NULL AND status = 'success' AND first_approved_by IS NULL
                    AND decided_at > $3) AS "member!",
            coalesce(sum(amount_cents) FILTER (WHERE user_id = $2), 0)::bigint AS "member_unproven!",
            coalesce(sum(amount_cents) FILTER (WHERE decided_by = $1), 0)::bigint AS "reviewer_unproven!"
         FROM transactions
         WHERE NOT is_proven AND status = 'success' AND first_approved_by IS NULL AND decided_at > $3"#,
        reviewer.get(),
        member.get(),
        since,
    )
    .fetch_one(conn)
    .await?;
    Ok(ApprovedAlone {
        member: Cents::new(row.member),
        member_unproven: Cents::new(row.member_unproven),
        reviewer_unproven: Cents::new(row.reviewer_unproven),
    })
}

/// Notes whether the chain proves a payment that is being approved.
pub async fn note_proof(conn: &mut PgConnection, id: TransactionId, is_proven: bool) -> Result<(), sqlx::Error> {
    sqlx::query!("UPDATE transactions SET is_proven = $2 WHERE id = $1", id.get(), is_proven).execute(conn).await?;
    Ok(())
}
