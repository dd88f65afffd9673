//! Transactions as a list and as a file.

use axum::extract::Query;
use axum::response::{IntoResponse, Response};
use chassis::grpc::Outgoing;
use proto::common::v1::PageRequest;
use proto::wallet::v1::ListStaffTransactionsRequest;
use route_macros::{get, response};
use serde::Deserialize;

use super::{StaffTransaction, named_by};
use crate::app::App;
use crate::extract::StaffMember;
use crate::http::convert::{choice, from_proto};
use crate::http::error::{ApiError, Errors};
use crate::http::json::{inert, ok};
use crate::http::names::ListFormat;
use crate::peers::clients::call_retrying;
use crate::routes::admin::csv_file::{CsvFile, MOST_ROWS, PAGE, is_csv, word};
use crate::routes::money::transactions::PageQuery;
use crate::routes::money::transactions::model::{TransactionKind, TransactionStatus};

/// The filter and the page.
#[derive(Debug, Default, Deserialize)]
pub struct Filter {
    status: Option<String>,
    kind: Option<String>,
    member: Option<String>,
    search: Option<String>,
    cursor: Option<String>,
    /// Transactions on the page, 1 to 1,000; 50 by default.
    size: Option<String>,
    format: Option<String>,
}

/// A page of transactions, newest first.
#[response]
pub struct StaffTransactions {
    transactions: Vec<StaffTransaction>,
    next_cursor: Option<String>,
    /// When this was current, if it was read from a standby that is behind.
    as_of: Option<String>,
}

/// List transactions
///
/// `format=csv` answers those that match as one file of at most 100,000.
#[get("/admin/transactions", "Back office",
    params(("status" = Option<TransactionStatus>, Query), ("kind" = Option<TransactionKind>, Query), ("member" = Option<String>, Query), ("search" = Option<String>, Query, description = "A TNX reference, address, txid or amount"), ("cursor" = Option<String>, Query), ("size" = Option<u16>, Query, minimum = 1, maximum = 1_000), ("format" = inline(Option<ListFormat>), Query)),
    responses((status = 200, content((StaffTransactions = "application/json"), (String = "text/csv"))), Errors))]
pub async fn list(caller: StaffMember, Query(filter): Query<Filter>) -> Result<Response, ApiError> {
    let status = choice::<TransactionStatus>("status", filter.status.as_deref())?;
    let kind = choice::<TransactionKind>("kind", filter.kind.as_deref())?;
    let message = ListStaffTransactionsRequest {
        status: status.into(),
        kind: kind.into(),
        member_id: filter.member.unwrap_or_default(),
        search: filter.search.unwrap_or_default(),
        ..Default::default()
    };
    if is_csv(filter.format.as_deref())? {
        return file(caller.app, caller.out, message, filter.cursor.unwrap_or_default()).await;
    }
    let page = PageQuery { cursor: filter.cursor, size: filter.size }.request()?;
    let found = read(&caller.app, &caller.out, message, page).await?;
    Ok(ok(found).into_response())
}

/// A page of those that match.
async fn read(
    app: &App,
    out: &Outgoing,
    matching: ListStaffTransactionsRequest,
    page: PageRequest,
) -> Result<StaffTransactions, ApiError> {
    let message = ListStaffTransactionsRequest { page: Some(page), ..matching };
    let answer = call_retrying!(app.clients.wallet_staff, list_staff_transactions, out, message)?.into_inner();
    let people = app.profiles.look_up(answer.transactions.iter().flat_map(named_by)).await?;
    let transactions = answer.transactions.into_iter().map(|row| StaffTransaction::new(app, row, &people));
    Ok(StaffTransactions {
        transactions: transactions.collect::<Result<_, _>>()?,
        next_cursor: from_proto(answer.next_cursor)?,
        as_of: from_proto(answer.as_of)?,
    })
}

async fn file(
    app: App,
    out: Outgoing,
    matching: ListStaffTransactionsRequest,
    cursor: String,
) -> Result<Response, ApiError> {
    let file = CsvFile { name: "solvane-transactions".to_owned(), columns: COLUMNS.to_vec(), most: MOST_ROWS };
    let read = move |cursor| {
        let (app, out, matching) = (app.clone(), out.clone(), matching.clone());
        async move {
            let page = read(&app, &out, matching, PageRequest { size: PAGE, cursor }).await?;
            let rows = page.transactions.into_iter().map(columns).collect();
            Ok((rows, page.next_cursor.unwrap_or_default()))
        }
    };
    file.respond(cursor, read).await
}

const COLUMNS: [&str; 16] = [
    "id",
    "reference",
    "createdAt",
    "decidedAt",
    "memberId",
    "memberName",
    "memberEmail",
    "kind",
    "type",
    "status",
    "amount",
    "fee",
    "currency",
    "network",
    "address",
    "txid",
];

fn columns(StaffTransaction { transaction: row, member_id, .. }: StaffTransaction) -> Vec<String> {
    let fee = row.fee.as_ref().map(ToString::to_string).unwrap_or_default();
    let (currency, network, shown) =
        row.method.map(|method| (method.currency, method.network, method.address)).unwrap_or_default();
    // A withdrawal goes to its destination; a payment came to the address that was shown.
    let address = row.destination.map_or(shown, |to| to.address);
    vec![
        row.id,
        row.reference,
        row.created_at,
        row.decided_at.unwrap_or_default(),
        member_id,
        inert(row.user.name),
        inert(row.user.email),
        word(row.kind),
        word(row.r#type),
        word(row.status),
        row.amount.to_string(),
        fee,
        inert(currency),
        inert(network),
        inert(address),
        inert(row.txid.unwrap_or_default()),
    ]
}
