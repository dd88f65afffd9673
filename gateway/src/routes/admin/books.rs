//! Whether the books are right, and withdrawals that stopped because they were not.

use axum::extract::State;
use axum::response::Response;
use proto::wallet::v1 as wallet;
use serde::Serialize;
use utoipa::ToSchema;

use crate::caller::StaffMember;
use crate::clients::{fetch, mutate};
use crate::error::{ApiError, Errors};
use crate::idempotency::{Key, marked};
use crate::json::{Number, Reply, created, moment, ok};
use crate::router::App;
use crate::routes::admin::proposals::{Owner, Proposed};

/// What is owed to members, in dollars.
#[derive(Debug, Serialize, ToSchema)]
pub struct Liabilities {
    #[schema(value_type = f64)]
    available: Number,
    #[schema(value_type = f64)]
    held: Number,
    #[schema(value_type = f64)]
    invested: Number,
    #[schema(value_type = f64)]
    bonus: Number,
    #[schema(value_type = f64)]
    total: Number,
}

/// Whether withdrawals are stopped because the books did not add up.
#[derive(Debug, Serialize, ToSchema)]
pub struct Withdrawals {
    stopped: bool,
    since: Option<String>,
    /// What was wrong.
    reason: Option<String>,
}

/// Whether the books are right.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Integrity {
    success: bool,
    /// Sum of all entries; 0 when right.
    #[schema(value_type = f64)]
    trial_balance: Number,
    /// Differences between balances and their entries; 0 when right.
    #[schema(value_type = f64)]
    drift: Number,
    liabilities: Liabilities,
    /// What the platform holds according to the ledger.
    #[schema(value_type = f64)]
    holdings: Number,
    /// The investment pool.
    #[schema(value_type = f64)]
    pool: Number,
    outbox_oldest_seconds: i64,
    dead_letters: i64,
    withdrawals: Withdrawals,
    /// When all entries were read last; the trial balance and the drift are of then.
    checked_at: Option<String>,
    ok: bool,
}

/// Check the books
#[utoipa::path(get, path = "/admin/integrity", responses((status = 200, body = Integrity), Errors),
    security(("bearer" = [])), tag = "Back office")]
pub async fn integrity(State(app): State<App>, StaffMember(caller): StaffMember) -> Result<Reply<Integrity>, ApiError> {
    let message = wallet::GetIntegrityRequest {};
    let books = fetch!(app.clients.wallet_staff, get_integrity, caller.out, message)?.into_inner();
    let total = books
        .available_cents
        .saturating_add(books.held_cents)
        .saturating_add(books.invested_cents)
        .saturating_add(books.bonus_cents);
    Ok(ok(Integrity {
        success: true,
        trial_balance: Number::dollars(books.trial_balance_cents),
        drift: Number::dollars(books.drift_cents),
        liabilities: Liabilities {
            available: Number::dollars(books.available_cents),
            held: Number::dollars(books.held_cents),
            invested: Number::dollars(books.invested_cents),
            bonus: Number::dollars(books.bonus_cents),
            total: Number::dollars(total),
        },
        holdings: Number::dollars(books.holdings_cents),
        pool: Number::dollars(books.pool_cents),
        outbox_oldest_seconds: books.outbox_oldest_seconds,
        dead_letters: books.dead_letters,
        withdrawals: Withdrawals {
            stopped: books.withdrawals_stopped,
            since: moment(books.stopped_at.as_ref()),
            reason: Some(books.stop_reason).filter(|reason| !reason.is_empty()),
        },
        checked_at: moment(books.checked_at.as_ref()),
        ok: books.ok,
    }))
}

/// Propose to open withdrawals again
///
/// After they stopped by themselves. A treasurer or admin other than the proposer confirms, once the books add up.
#[utoipa::path(post, path = "/admin/withdrawals/reopen", params(("Idempotency-Key" = Option<String>, Header)),
    responses((status = 201, body = Proposed), Errors), security(("bearer" = [])), tag = "Back office")]
pub async fn reopen(State(app): State<App>, StaffMember(caller): StaffMember, key: Key) -> Result<Response, ApiError> {
    let claim = key.bodyless();
    let message = wallet::ProposeReopeningRequest { client_address: caller.client.address, idempotency: claim.clone() };
    let (metadata, answer, _) =
        mutate!(app.clients.wallet_staff, propose_reopening, caller.out, claim, message)?.into_parts();
    Ok(marked(&metadata, created(Proposed::new(Owner::Wallet, answer.proposal)?)))
}
