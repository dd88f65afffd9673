//! The balances of a member as of a moment.

use axum::extract::Query;
use chassis::clock;
use proto::wallet::v1::{self as wallet, GetBalancesRequest};
use route_macros::{get, response};
use serde::Deserialize;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::clients::ask;
use crate::extract::VerifiedMember;
use crate::json::{Answer, Dollars, field, moment, ok};

/// The moment of the balances.
#[derive(Debug, Default, Deserialize)]
pub struct Moment {
    at: Option<String>,
}

/// The balances of a member as of a moment, in dollars.
#[response]
pub struct Balances {
    #[nullable]
    at: Option<String>,
    /// Available balance in dollars.
    balance: Dollars,
    /// Amount reserved for an open withdrawal, in dollars.
    held: Dollars,
    bonus: Dollars,
    /// Amount in open trades, in dollars.
    invested: Dollars,
    /// Amount held by staff, in dollars.
    on_hold: Dollars,
    /// What the member owes, in dollars.
    owed: Dollars,
}

/// Read the balances as of a moment
///
/// By the ledger, at the end of the moment `at` (RFC 3339, not in the future); without it, now.
#[get("/wallet", "Money", params(("at" = Option<String>, Query, example = "2026-01-31T12:00:00Z")))]
pub async fn get(caller: VerifiedMember, Query(query): Query<Moment>) -> Answer<Balances> {
    let malformed = |_| field("at", "Enter a date and time like 2026-01-31T12:00:00Z");
    let at = query.at.map(|at| OffsetDateTime::parse(&at, &Rfc3339).map_err(malformed)).transpose()?;
    let message = GetBalancesRequest { at: at.map(clock::to_proto) };
    let found = ask!(caller.wallet.get_balances(message))?;
    Ok(ok(Balances::from(found)))
}

impl From<wallet::GetBalancesResponse> for Balances {
    fn from(found: wallet::GetBalancesResponse) -> Self {
        let of = |account| in_account(&found, account);
        Self {
            at: moment(found.at.as_ref()),
            balance: of("available"),
            held: of("held"),
            bonus: of("bonus"),
            invested: of("invested"),
            on_hold: of("on_hold"),
            owed: of("owed"),
        }
    }
}

/// What stands in an account of the member; in `owed`, which is never above zero, as a positive amount.
pub(super) fn in_account(found: &wallet::GetBalancesResponse, account: &str) -> Dollars {
    let cents = found.balances.iter().find(|one| one.account == account).map_or(0, |one| one.amount_cents);
    Dollars::from_cents(if account == "owed" { cents.saturating_neg() } else { cents })
}
