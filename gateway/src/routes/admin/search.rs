//! One search over members, transactions and payments, for staff.

use std::time::Duration;

use axum::extract::Query;
use proto::auth::v1::ListMembersRequest;
use proto::common::v1::PageRequest;
use proto::payment_method::v1::{FoundPayment as FoundPaymentMessage, SearchPaymentsRequest};
use proto::wallet::v1::{ListStaffTransactionsRequest, Transaction as Row};
use route_macros::{get, response};
use serde::Deserialize;
use tokio::time::timeout;

use crate::extract::StaffMember;
use crate::http::convert::from_proto;
use crate::http::error::ApiError;
use crate::http::json::{Answer, field, ok};
use crate::peers::clients::ask;
use crate::routes::account::users::User;
use crate::routes::admin::transactions::{StaffTransaction, named_by};
use crate::routes::money::transactions::payments::ChainPayment;

/// Results of each kind.
const MOST: i32 = 8;
/// Characters of what is searched for: fewer find too much, more is no hash.
const LENGTH: std::ops::RangeInclusive<usize> = 2..=128;
/// How long a service may search. What it found later is left out.
const PATIENCE: Duration = Duration::from_secs(2);

/// What is searched for.
#[derive(Debug, Default, Deserialize)]
pub struct Asked {
    q: Option<String>,
}

/// A payment on a chain to or from the platform.
#[response(from = FoundPaymentMessage)]
pub struct FoundPayment {
    #[from(payment, default)]
    #[serde(flatten)]
    payment: ChainPayment,
    /// Whether the platform sent it.
    #[from(is_outgoing)]
    outgoing: bool,
    /// Payouts: the withdrawal that it belongs to.
    transaction_id: Option<String>,
}

/// Kind of what was searched for.
#[response]
#[schema(as = SearchKind)]
pub enum Kind {
    Members,
    Transactions,
    Payments,
}

/// What was found, at most 8 of each kind, the newest first.
#[response]
pub struct Found {
    members: Vec<User>,
    transactions: Vec<StaffTransaction>,
    payments: Vec<FoundPayment>,
    /// What could not be searched in time.
    missing: Vec<Kind>,
}

/// Search
///
/// Members by a part of their name, email or phone number or the start of their id, with two letters by the start of their name;
/// transactions by reference, hash, address or amount; payments on the chains by hash or address of the platform. What a service
/// does not answer within two seconds is `missing`, and the rest is answered.
#[get("/admin/search", "Back office", params(("q" = String, Query, description = "2 to 128 characters")))]
pub async fn search(caller: StaffMember, Query(asked): Query<Asked>) -> Answer<Found> {
    let text = asked.q.unwrap_or_default().trim().to_owned();
    if !LENGTH.contains(&text.chars().count()) {
        return Err(field("q", "Please search for 2 to 128 characters."));
    }
    let mut missing = Vec::new();
    let (members, transactions, payments) = tokio::join!(
        timeout(PATIENCE, members(&caller, &text)),
        timeout(PATIENCE, transactions(&caller, &text)),
        timeout(PATIENCE, payments(&caller, &text)),
    );
    let found = Found {
        members: or_missing(members, Kind::Members, &mut missing)?,
        transactions: or_missing(transactions, Kind::Transactions, &mut missing)?,
        payments: or_missing(payments, Kind::Payments, &mut missing)?,
        missing,
    };
    Ok(ok(found))
}

/// What was found, or nothing and the kind among what is missing. What the caller may not see, or that their session ended, is
/// an error.
fn or_missing<T>(
    found: Result<Result<Vec<T>, ApiError>, tokio::time::error::Elapsed>,
    kind: Kind,
    missing: &mut Vec<Kind>,
) -> Result<Vec<T>, ApiError> {
    match found {
        Ok(Ok(found)) => Ok(found),
        Ok(Err(error)) if error.status().is_client_error() => Err(error),
        Ok(Err(_)) | Err(_) => {
            missing.push(kind);
            Ok(Vec::new())
        }
    }
}

async fn members(caller: &StaffMember, text: &str) -> Result<Vec<User>, ApiError> {
    let page = Some(PageRequest { size: MOST, cursor: String::new() });
    let message = ListMembersRequest { search: text.to_owned(), page };
    from_proto(ask!(caller.auth_staff.list_members(message))?.members)
}

async fn transactions(caller: &StaffMember, text: &str) -> Result<Vec<StaffTransaction>, ApiError> {
    let page = Some(PageRequest { size: MOST, cursor: String::new() });
    let message = ListStaffTransactionsRequest { search: text.to_owned(), page, ..Default::default() };
    let answer = ask!(caller.wallet_staff.list_staff_transactions(message))?;
    let rows: Vec<Row> = answer.transactions;
    let people = caller.app.profiles.look_up(rows.iter().flat_map(named_by)).await?;
    rows.into_iter().map(|row| StaffTransaction::new(&caller.app, row, &people)).collect()
}

async fn payments(caller: &StaffMember, text: &str) -> Result<Vec<FoundPayment>, ApiError> {
    let message = SearchPaymentsRequest { text: text.to_owned() };
    let mut payments = ask!(caller.payment_method_staff.search_payments(message))?.payments;
    payments.truncate(MOST.unsigned_abs() as usize);
    from_proto(payments)
}
