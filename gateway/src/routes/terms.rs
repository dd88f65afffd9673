//! What holds here: the one place from which screens take limits, fee and prices.

use axum::extract::State;
use proto::wallet::v1::{self as wallet, GetTermsRequest};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::clients::call_retrying;
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
}

/// What holds for deposits.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DepositTerms {
    min: Dollars,
    max: Dollars,
    /// Payments of a member that may wait for review at once.
    pending_max: i32,
}

/// What holds for withdrawals.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WithdrawalTerms {
    min: Dollars,
    max: Dollars,
    /// Of the gross amount, in percent; rounded half up to the cent, taken out of the payout.
    fee_percent: Decimal,
    /// From here on a payout takes two people of staff.
    two_people_from: Dollars,
    /// What the withdrawals of a member may come to, by period.
    limits: Vec<PeriodLimit>,
    /// What is left to the caller now by these limits; only with a session.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    left: Option<Dollars>,
    /// From when on there is more; only if something was withdrawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    available_at: Option<String>,
}

/// What the withdrawals of a member within a period may come to; rejected ones do not count.
#[derive(Debug, Serialize, ToSchema)]
pub struct PeriodLimit {
    #[schema(example = 24)]
    hours: i32,
    amount: Dollars,
}

/// What holds for the course.
#[derive(Debug, Serialize, ToSchema)]
pub struct CourseTerms {
    price: Dollars,
}

/// Read limits, fee and prices
///
/// Needs no session; a verified member is also told what is left of their limits.
#[utoipa::path(get, path = "/terms", responses((status = 200, body = Terms), Errors), security(), tag = "Money")]
pub async fn get(
    State(app): State<App>,
    visitor: Visitor,
    MaybeVerifiedMember(reader): MaybeVerifiedMember,
) -> Result<Reply<Terms>, ApiError> {
    // A session that ended, or cannot be known now, takes nobody the public part.
    let out = reader.map_or(visitor.out, |VerifiedMember(caller)| caller.out);
    let terms = call_retrying!(app.clients.wallet, get_terms, out, GetTermsRequest {})?.into_inner();
    Ok(ok(Terms::from(terms)))
}

impl From<wallet::GetTermsResponse> for Terms {
    fn from(terms: wallet::GetTermsResponse) -> Self {
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
        }
    }
}
