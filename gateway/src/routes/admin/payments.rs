//! Payments to the platform that no transaction accounts for.

use axum::extract::Query;
use axum::response::{IntoResponse, Response};
use chassis::grpc::Outgoing;
use proto::common::v1::{ChainPayment as ChainPaymentMessage, PageRequest};
use proto::wallet::v1 as wallet;
use proto::wallet::v1::ListUnclaimedPaymentsRequest;
use route_macros::{get, response};
use serde::Deserialize;

use crate::app::App;
use crate::extract::StaffMember;
use crate::http::convert::{from_proto, moment};
use crate::http::error::{ApiError, Errors};
use crate::http::json::{Dollars, inert, ok};
use crate::http::names::ListFormat;
use crate::peers::clients::call_retrying;
use crate::routes::admin::csv_file::{CsvFile, MOST_ROWS, PAGE, is_csv};
use crate::routes::admin::transactions::{StaffTransaction, named_by};
use crate::routes::money::transactions::payments::ChainPayment;

/// The page, or the file.
#[derive(Debug, Default, Deserialize)]
pub struct Filter {
    cursor: Option<String>,
    format: Option<String>,
}

/// A payment that no transaction accounts for.
#[response(from = ChainPaymentMessage)]
pub struct UnclaimedPayment {
    #[serde(flatten)]
    payment: ChainPayment,
    /// The platform's address.
    address: String,
    /// Id of the member whose own address it is. Missing if members share the address.
    member_id: Option<String>,
    /// Open transactions that were shown this address, newest first; at most 20.
    #[from(skip)]
    candidates: Vec<StaffTransaction>,
}

/// A page of payments, newest first.
#[response]
pub struct UnclaimedPayments {
    payments: Vec<UnclaimedPayment>,
    next_cursor: Option<String>,
}

/// List unclaimed payments
///
/// Payments to an address of the platform that no transaction was approved with, and that no open one claims by its hash or
/// matches by its quote. To attach one, approve a transaction with its hash and index. `format=csv` answers them as one file of
/// at most 100,000.
#[get("/admin/payments/unclaimed", "Back office",
    params(("cursor" = Option<String>, Query), ("format" = inline(Option<ListFormat>), Query)),
    responses((status = 200, content((UnclaimedPayments = "application/json"), (String = "text/csv"))), Errors))]
pub async fn unclaimed(caller: StaffMember, Query(filter): Query<Filter>) -> Result<Response, ApiError> {
    let cursor = filter.cursor.unwrap_or_default();
    if is_csv(filter.format.as_deref())? {
        return file(caller.app, caller.out, cursor).await;
    }
    let (found, next_cursor) = read(&caller.app, &caller.out, PageRequest { size: 0, cursor }).await?;
    let people = found.iter().flat_map(|one| &one.candidates).flat_map(named_by);
    let people = caller.app.profiles.look_up(people).await?;
    let mut payments = Vec::new();
    for one in found {
        let candidates = one.candidates.into_iter().map(|row| StaffTransaction::new(&caller.app, row, &people));
        let candidates = candidates.collect::<Result<_, _>>()?;
        payments.push(UnclaimedPayment { candidates, ..from_proto(one.payment.unwrap_or_default())? });
    }
    Ok(ok(UnclaimedPayments { payments, next_cursor: from_proto(next_cursor)? }).into_response())
}

/// A page of them, and the cursor of the next.
async fn read(
    app: &App,
    out: &Outgoing,
    page: PageRequest,
) -> Result<(Vec<wallet::UnclaimedPayment>, String), ApiError> {
    let message = ListUnclaimedPaymentsRequest { page: Some(page) };
    let answer = call_retrying!(app.clients.wallet_staff, list_unclaimed_payments, out, message)?.into_inner();
    Ok((answer.payments, answer.next_cursor))
}

async fn file(app: App, out: Outgoing, cursor: String) -> Result<Response, ApiError> {
    let file = CsvFile { name: "solvane-unclaimed".to_owned(), columns: COLUMNS.to_vec(), most: MOST_ROWS };
    let read = move |cursor| {
        let (app, out) = (app.clone(), out.clone());
        async move {
            let (found, next) = read(&app, &out, PageRequest { size: PAGE, cursor }).await?;
            Ok((found.into_iter().map(columns).collect(), next))
        }
    };
    file.respond(cursor, read).await
}

const COLUMNS: [&str; 11] =
    ["chain", "txid", "index", "asset", "units", "decimals", "value", "state", "seenAt", "address", "candidates"];

fn columns(one: wallet::UnclaimedPayment) -> Vec<String> {
    let payment = one.payment.unwrap_or_default();
    let candidates: Vec<_> = one.candidates.into_iter().map(|row| row.id).collect();
    vec![
        inert(payment.chain),
        inert(payment.txid),
        payment.index.to_string(),
        inert(payment.asset),
        inert(payment.units),
        payment.decimals.to_string(),
        payment.value_cents.map(|cents| Dollars::from_cents(cents).to_string()).unwrap_or_default(),
        inert(payment.state),
        moment(payment.seen_at.as_ref()).unwrap_or_default(),
        inert(payment.address),
        candidates.join(" "),
    ]
}
