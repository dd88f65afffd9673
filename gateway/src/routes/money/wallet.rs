//! The balances of a member as of a moment.

use axum::extract::Query;
use chassis::clock;
use proto::wallet::v1::{self as wallet, GetBalancesRequest};
use route_macros::{get, response};
use serde::Deserialize;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::extract::VerifiedMember;
use crate::http::convert::{FromProto, from_proto};
use crate::http::error::ApiError;
use crate::http::json::{Answer, Dollars, field, reply};
use crate::peers::clients::ask;

/// The moment of the balances.
#[derive(Debug, Default, Deserialize)]
pub struct Moment {
    at: Option<String>,
}

/// The balances of a member as of a moment, in dollars.
#[response]
pub struct Balances {
    #[nullable]
    pub at: Option<String>,
    /// Available balance in dollars.
    pub balance: Dollars,
    /// Amount reserved for an open withdrawal, in dollars.
    pub held: Dollars,
    pub bonus: Dollars,
    /// Amount in open trades, in dollars.
    pub invested: Dollars,
    /// Amount held by staff, in dollars.
    pub on_hold: Dollars,
    /// What the member owes, in dollars.
    pub owed: Dollars,
}

/// Read the balances as of a moment
///
/// By the ledger, at the end of the moment `at` (RFC 3339, not in the future); without it, now.
#[get("/wallet", "Money", params(("at" = Option<String>, Query, example = "2026-01-31T12:00:00Z")))]
pub async fn get(caller: VerifiedMember, Query(query): Query<Moment>) -> Answer<Balances> {
    let malformed = |_| field("at", "Enter a date and time like 2026-01-31T12:00:00Z");
    let at = query.at.map(|at| OffsetDateTime::parse(&at, &Rfc3339).map_err(malformed)).transpose()?;
    let message = GetBalancesRequest { at: at.map(clock::to_proto) };
    reply(ask!(caller.wallet.get_balances(message))?)
}

impl FromProto<wallet::GetBalancesResponse> for Balances {
    fn from_proto(found: wallet::GetBalancesResponse) -> Result<Self, ApiError> {
        let of = |account| in_account(&found.balances, account);
        Ok(Self {
            at: from_proto(found.at)?,
            balance: of("available"),
            held: of("held"),
            bonus: of("bonus"),
            invested: of("invested"),
            on_hold: of("on_hold"),
            owed: of("owed"),
        })
    }
}

/// What stands in an account of the member; in `owed`, which is never above zero, as a positive amount.
fn in_account(balances: &[wallet::AccountBalance], account: &str) -> Dollars {
    let cents = balances.iter().find(|one| one.account == account).map_or(0, |one| one.amount_cents);
    Dollars::from_cents(if account == "owed" { cents.saturating_neg() } else { cents })
}
