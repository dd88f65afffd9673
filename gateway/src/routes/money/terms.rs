//! Limits, fees and prices: the only source from which screens take them.

use std::collections::BTreeMap;

use proto::wallet::v1::{self as wallet, GetTermsRequest};
use route_macros::{get, response};

use crate::config::Explorer;
use crate::extract::{MaybeVerifiedMember, Visitor};
use crate::http::convert::{from_proto, percent};
use crate::http::error::ApiError;
use crate::http::json::{Answer, Decimal, Dollars, ok};
use crate::peers::clients::call_retrying;

/// Limits, fee and prices; amounts in dollars.
#[response]
pub struct Terms {
    deposit: DepositTerms,
    withdrawal: WithdrawalTerms,
    course: CourseTerms,
    /// Pages of block explorers by network, with `{txid}` in place of a transaction's hash. Only if there are some.
    #[schema(example = json!({ "Bitcoin": "https://explorer.example/tx/{txid}" }))]
    explorers: Option<BTreeMap<String, String>>,
}

/// Limits of deposits.
#[response]
pub struct DepositTerms {
    min: Dollars,
    max: Dollars,
    /// Deposits of a member that may wait for review at the same time.
    pending_max: i32,
}

/// Limits and fee of withdrawals.
#[response]
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
    left: Option<Dollars>,
    /// When more becomes available. Only if something was withdrawn.
    available_at: Option<String>,
}

/// The largest sum of a member's withdrawals in a period. Rejected withdrawals do not count.
#[response(from = wallet::Allowance)]
pub struct PeriodLimit {
    #[from(period_hours)]
    #[schema(example = 24)]
    hours: i32,
    amount: Dollars,
}

/// Price of the course.
#[response]
pub struct CourseTerms {
    price: Dollars,
}

/// Read limits, fee and prices
///
/// Needs no session. For a verified member the response also contains what is left of their limits.
#[get("/terms", "Money")]
pub async fn get(visitor: Visitor, MaybeVerifiedMember(reader): MaybeVerifiedMember) -> Answer<Terms> {
    // A session that ended or cannot be checked still gets the public part.
    let out = reader.map_or(visitor.out, |caller| caller.out);
    let terms = call_retrying!(visitor.app.clients.wallet, get_terms, out, GetTermsRequest {})?.into_inner();
    Ok(ok(Terms::new(terms, &visitor.app.config.explorers)?))
}

impl Terms {
    fn new(terms: wallet::GetTermsResponse, explorers: &[Explorer]) -> Result<Self, ApiError> {
        let (left, available_at) = terms.rest.map(|rest| (rest.left_cents, rest.available_at)).unzip();
        Ok(Self {
            deposit: DepositTerms {
                min: from_proto(terms.deposit_min_cents)?,
                max: from_proto(terms.deposit_max_cents)?,
                pending_max: terms.pending_deposits_max,
            },
            withdrawal: WithdrawalTerms {
                min: from_proto(terms.withdrawal_min_cents)?,
                max: from_proto(terms.withdrawal_max_cents)?,
                fee_percent: percent(terms.fee_basis_points),
                two_people_from: from_proto(terms.two_people_from_cents)?,
                limits: from_proto(terms.withdrawal_allowances)?,
                left: from_proto(left)?,
                available_at: from_proto(available_at.flatten())?,
            },
            course: CourseTerms { price: from_proto(terms.course_price_cents)? },
            explorers: (!explorers.is_empty())
                .then(|| explorers.iter().map(|one| (one.network.clone(), one.url.clone())).collect()),
        })
    }
}
