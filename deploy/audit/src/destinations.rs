//! Verifies that auth signed the confirmations of the destinations for which withdrawals were approved (D-A4): the rows were
//! written by the wallet alone.

use anyhow::Result;
use chassis::destination::ConfirmedDestination;
use chassis::id::MemberId;
use chassis::keys::TrustedKeys;
use futures::TryStreamExt;
use sqlx::FromRow;
use time::OffsetDateTime;

use super::snapshots::Snapshots;
use super::verdict::Verdict;
use stack::Service;

/// Each of them once.
const APPROVED: &str = "
    SELECT user_id, key, address, cause, known_at, assertion FROM (
        SELECT user_id, key, address, cause, known_at, assertion FROM destinations
        UNION ALL SELECT user_id, key, address, cause, known_at, assertion FROM disowned_destinations) AS known
    WHERE (user_id, key) IN (
        SELECT user_id, destination_key(currency, network, destination_address, destination_memo) FROM transactions
        WHERE kind = 'withdrawal' AND approved_by IS NOT NULL)
    ORDER BY user_id, key, known_at";

#[derive(FromRow)]
struct Known {
    user_id: MemberId,
    key: Vec<u8>,
    address: String,
    cause: String,
    known_at: OffsetDateTime,
    assertion: String,
}

/// The destinations of approved withdrawals whose confirmation auth did not sign.
pub(super) async fn verdict(snapshots: &mut Snapshots, keys: &TrustedKeys) -> Result<Verdict> {
    let mut offending = Vec::new();
    let mut rows = sqlx::query_as::<_, Known>(APPROVED).fetch(snapshots.of(Service::Wallet)?);
    while let Some(one) = rows.try_next().await? {
        let stored = ConfirmedDestination::new(one.user_id, &one.key, &one.cause, one.known_at);
        if !stored.is_signed_by(&one.assertion, keys) {
            offending.push(format!("{} of member {}, by {} at {}", one.address, one.user_id, one.cause, one.known_at));
        }
    }
    let promise = "auth signed that members confirmed the destinations that withdrawals were approved for";
    Ok(Verdict::new("D-A4 D-N4", promise, offending))
}
