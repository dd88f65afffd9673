//! What the chain shows about a deposit or payout.

use axum::extract::Path;
use proto::common::v1 as common;
use proto::wallet::v1::{GetPaymentsRequest, GetPaymentsResponse};
use route_macros::{get, response};

use crate::extract::VerifiedMember;
use crate::http::json::{Answer, Dollars, reply};
use crate::peers::clients::ask;
use crate::routes::money::transactions::model::Step;

/// A payment on a chain.
#[response(from = common::ChainPayment)]
pub struct ChainPayment {
    /// `bitcoin`, `ethereum` or `tron`.
    chain: String,
    /// Hash of the transaction.
    txid: String,
    /// Of the output, or of the transfer within the transaction.
    index: u32,
    asset: String,
    /// In the smallest unit of the asset.
    units: String,
    decimals: u32,
    /// `seen` (in no block yet), `included`, `final`, `orphaned` (its block is gone), `replaced` or `failed`.
    state: String,
    confirmations: i32,
    /// How many are expected to make it final.
    confirmations_needed: i32,
    #[nullable]
    seen_at: Option<String>,
    /// Time of its block.
    block_at: Option<String>,
    /// Hash of the transaction that replaced it.
    replaced_by: Option<String>,
    /// What it was worth when it arrived, in dollars. Missing without a rate.
    #[schema(value_type = f64)]
    value: Option<Dollars>,
}

/// What a chain shows.
#[response(from = common::ChainEvidence)]
pub struct Evidence {
    /// When the chain was last observed.
    #[nullable]
    at: Option<String>,
    payments: Vec<ChainPayment>,
    /// Deposits: what the payments are worth at the rate that applies, in dollars.
    #[from(suggested_cents)]
    #[schema(value_type = f64)]
    suggested_amount: Option<Dollars>,
}

/// The payments of a transaction.
#[response(from = GetPaymentsResponse)]
pub struct Payments {
    /// Missing where the chain is not observed.
    evidence: Option<Evidence>,
    /// The steps of the transaction with those that the chain shows.
    steps: Vec<Step>,
}

/// Get what the chain shows of a transaction
///
/// The payments whose hash was given, whose amount is exactly that of the quote, or to the own address of the member.
#[get("/transactions/{id}/payments", "Transactions")]
pub async fn payments(caller: VerifiedMember, Path(id): Path<String>) -> Answer<Payments> {
    reply(ask!(caller.wallet.get_payments(GetPaymentsRequest { id }))?)
}
