//! The table `consumed_payments`: the payments on chains that transactions rest on, each at most once.

use chassis::db::PgConnection;
use chassis::id::{ProposalId, TransactionId};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::bridge::{Consumed, ConsumedSum, Span};
use crate::domain::observed_payment::{ObservedPayment, Output};
use crate::domain::transaction::{Kind, Transaction};
use crate::domain::treasury::Payment;

/// Consumes outputs of the blockchain transaction that a transaction is saved with afterwards. Those that it consumed before
/// stay.
///
/// # Errors
/// Of the database; `transactions_txid_in` or `transactions_txid_out` if one is consumed by another.
pub async fn consume(
    conn: &mut PgConnection,
    one: &Transaction,
    (txid, outputs): (&str, &[Output]),
    at: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    let network = one.method().map(|method| method.network.as_str());
    let direction = if one.kind() == Kind::Withdrawal { "out" } else { "in" };
    let indexes: Vec<_> = outputs.iter().map(|one| one.vout.map_or(-1, i64::from)).collect();
    let assets: Vec<_> = outputs.iter().map(|one| one.paid.as_ref().map(|(asset, _)| asset.clone())).collect();
    let units: Vec<_> = outputs.iter().map(|one| one.paid.as_ref().map(|(_, units)| units.to_string())).collect();
    sqlx::query!(
        "INSERT INTO consumed_payments (chain, txid, vout, direction, transaction_id, asset, units, consumed_at)
         SELECT payment_chain($1), $2, output.vout, $3, $4, output.asset, output.units::numeric, $5
         FROM unnest($6::bigint[], $7::text[], $8::text[]) AS output (vout, asset, units)
         WHERE NOT EXISTS (SELECT FROM consumed_payments AS own
            WHERE own.transaction_id = $4 AND own.txid = $2 AND own.vout = output.vout AND own.freed_at IS NULL)",
        network,
        txid,
        direction,
        one.id.get(),
        at,
        &indexes,
        &assets as &[Option<String>],
        &units as &[Option<String>],
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Consumes a payment that a treasury movement names, from or to the platform.
///
/// # Errors
/// Of the database; `transactions_txid_in` or `transactions_txid_out` if it is consumed by another.
pub async fn consume_for_movement(
    conn: &mut PgConnection,
    proposal_id: ProposalId,
    payment: &Payment,
    is_outgoing: bool,
    at: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO consumed_payments (chain, txid, vout, direction, transaction_id, consumed_at)
         VALUES (payment_chain($1), $2, $3, $4, $5, $6)",
        payment.network,
        payment.txid_key,
        payment.vout.map_or(-1, i64::from),
        if is_outgoing { "out" } else { "in" },
        proposal_id.get(),
        at
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Frees what a transaction consumes, so that another can consume it.
pub async fn free(
    conn: &mut PgConnection,
    transaction_id: TransactionId,
    at: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE consumed_payments SET freed_at = $2 WHERE transaction_id = $1 AND freed_at IS NULL",
        transaction_id.get(),
        at
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The outputs that a transaction consumes, in order; -1 for a whole blockchain transaction.
pub async fn outputs_of(conn: &mut PgConnection, transaction_id: TransactionId) -> Result<Vec<i64>, sqlx::Error> {
    sqlx::query_scalar!(
        "SELECT vout FROM consumed_payments WHERE transaction_id = $1 AND freed_at IS NULL ORDER BY vout",
        transaction_id.get()
    )
    .fetch_all(conn)
    .await
}

/// Whether another transaction consumes one of these outputs of a hash on a network, or any of them if none is named.
pub async fn is_used_by_another(
    conn: &mut PgConnection,
    one: &Transaction,
    (network, txid, outputs): (&str, &str, &[i64]),
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM consumed_payments
            WHERE chain = payment_chain($1) AND txid = $2 AND freed_at IS NULL AND transaction_id <> $3
                AND (vout = -1 OR cardinality($4::bigint[]) = 0 OR vout = ANY ($4))) AS "used!""#,
        network,
        txid,
        one.id.get(),
        outputs
    )
    .fetch_one(conn)
    .await
}

/// The oldest payments that were not reported to payment-method as consumed, as many as this, also those freed meanwhile: they may
/// have been reported just before the process ended.
pub async fn untold(conn: &mut PgConnection, limit: i64) -> Result<Vec<Consumed>, sqlx::Error> {
    sqlx::query_as!(
        Consumed,
        "SELECT chain, txid, vout, direction, consumed_at FROM consumed_payments
         WHERE told_at IS NULL AND units IS NOT NULL ORDER BY consumed_at LIMIT $1",
        limit
    )
    .fetch_all(conn)
    .await
}

/// Notes that payment-method knows these.
pub async fn note_told(conn: &mut PgConnection, told: &[Consumed], at: OffsetDateTime) -> Result<(), sqlx::Error> {
    let chains: Vec<_> = told.iter().map(|one| one.chain.clone()).collect();
    let hashes: Vec<_> = told.iter().map(|one| one.txid.clone()).collect();
    let outputs: Vec<_> = told.iter().map(|one| one.vout).collect();
    let moments: Vec<_> = told.iter().map(|one| one.consumed_at).collect();
    sqlx::query!(
        "UPDATE consumed_payments SET told_at = $5
         FROM unnest($1::text[], $2::text[], $3::bigint[], $4::timestamptz[]) AS told (chain, txid, vout, consumed_at)
         WHERE consumed_payments.chain = told.chain AND consumed_payments.txid = told.txid
            AND consumed_payments.vout = told.vout AND consumed_payments.consumed_at = told.consumed_at AND told_at IS NULL",
        &chains,
        &hashes,
        &outputs,
        &moments,
        at
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Sums of the payments that were reported to payment-method, by chain, asset and direction; `None` while some are not reported.
pub async fn told(conn: &mut PgConnection) -> Result<Option<Vec<ConsumedSum>>, sqlx::Error> {
    // One statement, so that both are of one moment.
    let rows = sqlx::query!(
        r#"SELECT chain AS "chain?", asset AS "asset?", direction AS "direction?", payments AS "payments?", units::text AS "units?",
            EXISTS (SELECT FROM consumed_payments WHERE told_at IS NULL AND units IS NOT NULL) AS "is_waiting!"
         FROM (SELECT) AS one LEFT JOIN consumed_totals ON true ORDER BY chain, asset, direction"#
    )
    .fetch_all(conn)
    .await?;
    if rows.iter().any(|row| row.is_waiting) {
        return Ok(None);
    }
    let sum = |text: String| text.parse().map_err(|error| sqlx::Error::Decode(Box::new(error)));
    let sums = rows.into_iter().filter_map(|row| {
        let (payments, units) = (row.payments?, row.units?);
        let span = Span { chain: row.chain?, asset: row.asset?, direction: row.direction? };
        Some(sum(units).map(|units| ConsumedSum { span, payments, units }))
    });
    Ok(Some(sums.collect::<Result<_, _>>()?))
}

/// Whether what a transaction consumes was not seen on its chain.
pub async fn lacks_units(conn: &mut PgConnection, transaction_id: TransactionId) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM consumed_payments
            WHERE transaction_id = $1 AND freed_at IS NULL AND units IS NULL) AS "lacks!""#,
        transaction_id.get()
    )
    .fetch_one(conn)
    .await
}

/// What two people said each of these payments is: a treasury movement, or a withdrawal that arrived otherwise than it was fixed.
pub async fn explained(
    conn: &mut PgConnection,
    payments: &[ObservedPayment],
) -> Result<Vec<Option<Uuid>>, sqlx::Error> {
    let consumers = consumers(conn, payments).await?;
    let ids: Vec<_> = consumers.iter().copied().flatten().collect();
    let known = sqlx::query_scalar!(
        r#"SELECT id AS "id!" FROM proposals WHERE id = ANY ($1) AND status = 'confirmed' AND is_treasury(kind)
         UNION
         SELECT (change ->> 'transaction_id')::uuid FROM proposals
         WHERE change ->> 'transaction_id' = ANY ($1::uuid[]::text[]) AND is_arrived_payout(kind, change) AND status = 'confirmed'"#,
        &ids
    )
    .fetch_all(conn)
    .await?;
    Ok(consumers.into_iter().map(|id| id.filter(|id| known.contains(id))).collect())
}

/// Which transaction consumes each of these payments to or from the platform.
pub async fn consumers(
    conn: &mut PgConnection,
    payments: &[ObservedPayment],
) -> Result<Vec<Option<Uuid>>, sqlx::Error> {
    let chains: Vec<_> = payments.iter().map(|one| one.chain.clone()).collect();
    let hashes: Vec<_> = payments.iter().map(|one| one.txid.clone()).collect();
    let outputs: Vec<_> = payments.iter().map(|one| i64::from(one.vout)).collect();
    sqlx::query_scalar!(
        r#"SELECT (SELECT transaction_id FROM consumed_payments AS consumed
            WHERE consumed.chain = observed.chain AND consumed.txid = observed.txid AND consumed.freed_at IS NULL
                AND (consumed.vout = observed.vout OR consumed.vout = -1) LIMIT 1) AS "id?"
         FROM unnest($1::text[], $2::text[], $3::bigint[])
            WITH ORDINALITY AS observed (chain, txid, vout, place) ORDER BY place"#,
        &chains,
        &hashes,
        &outputs,
    )
    .fetch_all(conn)
    .await
}
