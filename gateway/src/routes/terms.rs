//! Limits, fees and prices: the only source from which screens take them.

use std::collections::BTreeMap;

use axum::extract::State;
use proto::wallet::v1::{self as wallet, GetTermsRequest};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::clients::call_retrying;
use crate::config::Explorer;
use crate::error::{ApiError, Errors};
use crate::extract::{MaybeVerifiedMember, VerifiedMember, Visitor};
use crate::json::{Decimal, Dollars, Reply, moment, ok};

/// Limits, fee and prices; amounts in dollars.
#[derive(Debug, Serialize, ToSchema)]
pub struct Terms {
    success: bool,
    deposit: DepositTerms,
    withdrawal: WithdrawalTerms,
    course: CourseTerms,
    /// Pages of block explorers by network, with `{txid}` in place of a transaction's hash. Only if there are some.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = json!({ "Bitcoin": "https://explorer.example/tx/{txid}" }))]
    explorers: Option<BTreeMap<String, String>>,
}

/// Limits of deposits.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DepositTerms {
    min: Dollars,
    max: Dollars,
    /// Deposits of a member that may wait for review at the same time.
    pending_max: i32,
}

/// Limits and fee of withdrawals.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WithdrawalTerms {
    /// Less is accepted once in 30 days, as the whole balance.
    min: Dollars,
    max: Dollars,
    /// Fee in percent of the gross amount, rounded half up to the cent and deducted from the payout.
    fee_percent: Decimal,
    /// Payouts from this amount on need two staff members.
    two_people_from: Dollars,
    /// Largest sums of a member's withdrawals, by period.
    limits: Vec<PeriodLimit>,
    /// What the caller can withdraw now within these limits. Only with a session.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    left: Option<Dollars>,
    /// When more becomes available. Only if something was withdrawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    available_at: Option<String>,
}

/// The largest sum of a member's withdrawals in a period. Rejected withdrawals do not count.
#[derive(Debug, Serialize, ToSchema)]
pub struct PeriodLimit {
    #[schema(example = 24)]
    hours: i32,
    amount: Dollars,
}

/// Price of the course.
#[derive(Debug, Serialize, ToSchema)]
pub struct CourseTerms {
    price: Dollars,
}

/// Read limits, fee and prices
///
/// Needs no session. For a verified member the response also contains what is left of their limits.
#[utoipa::path(get, path = "/terms", responses((status = 200, body = Terms), Errors), security(), tag = "Money")]
pub async fn get(
    State(app): State<App>,
    visitor: Visitor,
    MaybeVerifiedMember(reader): MaybeVerifiedMember,
) -> Result<Reply<Terms>, ApiError> {
    // A session that ended or cannot be checked still gets the public part.
    let out = reader.map_or(visitor.out, |VerifiedMember(caller)| caller.out);
    let terms = call_retrying!(app.clients.wallet, get_terms, out, GetTermsRequest {})?.into_inner();
    Ok(ok(Terms::new(terms, &app.config.explorers)))
}

impl Terms {
    fn new(terms: wallet::GetTermsResponse, explorers: &[Explorer]) -> Self {
        let limits = terms
            .withdrawal_allowances
            .into_iter()
            .map(|one| PeriodLimit { hours: one.period_hours, amount: Dollars::from_cents(one.amount_cents) });
        Self {
            success: true,
            deposit: DepositTerms {
                min: Dollars::from_cents(terms.deposit_min_cents),
                max: Dollars::from_cents(terms.deposit_max_cents),
                pending_max: terms.pending_deposits_max,
            },
            withdrawal: WithdrawalTerms {
                min: Dollars::from_cents(terms.withdrawal_min_cents),
                max: Dollars::from_cents(terms.withdrawal_max_cents),
                fee_percent: Decimal::new(terms.fee_basis_points.into(), 2),
                two_people_from: Dollars::from_cents(terms.two_people_from_cents),
                limits: limits.collect(),
                left: terms.rest.as_ref().map(|rest| Dollars::from_cents(rest.left_cents)),
                available_at: terms.rest.and_then(|rest| moment(rest.available_at.as_ref())),
            },
            course: CourseTerms { price: Dollars::from_cents(terms.course_price_cents) },
            explorers: (!explorers.is_empty())
                .then(|| explorers.iter().map(|one| (one.network.clone(), one.url.clone())).collect()),
        }
    }
}
