//! The transactions of a member.

use axum::extract::{Path, Query};
use chassis::clock::{self, Timestamp};
use proto::wallet::v1::{GetTransactionRequest, ListTransactionsRequest};
use route_macros::{get, response};
use serde::Deserialize;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::{PageQuery, Transaction};
use crate::extract::VerifiedMember;
use crate::http::convert::{from_proto, non_empty};
use crate::http::error::ApiError;
use crate::http::json::{Answer, field, ok};
use crate::peers::clients::ask;

/// A page of transactions, newest first.
#[response]
pub struct Transactions {
    transactions: Vec<Transaction>,
    next_cursor: Option<String>,
}

/// The page of a search.
#[derive(Debug, Default, Deserialize)]
pub struct SearchQuery {
    q: Option<String>,
    from: Option<String>,
    to: Option<String>,
    #[serde(flatten)]
    page: PageQuery,
}

/// A moment of a period: an instant, or a day in UTC, of which a period begins with the start and ends with the end.
fn boundary(name: &str, text: Option<&str>, is_end: bool) -> Result<Option<Timestamp>, ApiError> {
    let Some(text) = text.and_then(non_empty) else { return Ok(None) };
    if let Ok(at) = OffsetDateTime::parse(text, &Rfc3339) {
        return Ok(Some(clock::to_proto(at)));
    }
    let sentence = "Enter a date like 2026-01-31 or a time like 2026-01-31T12:00:00Z";
    let day = crate::http::json::day(name, Some(text)).map_err(|_| field(name, sentence))?;
    let day = if is_end { day.next_day().ok_or_else(|| field(name, sentence))? } else { day };
    Ok(Some(clock::to_proto(day.midnight().assume_utc())))
}

/// List the transactions
///
/// `q` finds a reference, an amount, or a part of a description, hash or address. `from` and `to` are instants, or days in UTC;
/// the day of `to` is part of the period.
#[get("/transactions/user", "Transactions",
    params(("q" = Option<String>, Query, example = "TNX-1a2b3c"), ("from" = Option<String>, Query, example = "2026-01-01"), ("to" = Option<String>, Query, example = "2026-01-31"), ("cursor" = Option<String>, Query), ("size" = Option<u16>, Query, minimum = 1, maximum = 500)))]
pub async fn list(caller: VerifiedMember, Query(query): Query<SearchQuery>) -> Answer<Transactions> {
    let message = ListTransactionsRequest {
        q: query.q.unwrap_or_default(),
        from: boundary("from", query.from.as_deref(), false)?,
        to: boundary("to", query.to.as_deref(), true)?,
        page: Some(query.page.request()?),
    };
    let request = async { ask!(caller.wallet.list_transactions(message)) };
    let (answer, owner) = futures::try_join!(request, caller.app.profiles.get(caller.session.user_id))?;
    let rows = answer.transactions.into_iter();
    Ok(ok(Transactions {
        transactions: rows.map(|row| Transaction::new(&caller.app, row, owner.clone())).collect::<Result<_, _>>()?,
        next_cursor: from_proto(answer.next_cursor)?,
    }))
}

/// The response with a transaction.
#[response]
pub struct TransactionReply {
    transaction: Transaction,
}

/// Get a transaction
#[get("/transactions/{id}", "Transactions")]
pub async fn get(caller: VerifiedMember, Path(id): Path<String>) -> Answer<TransactionReply> {
    let request = async { ask!(caller.wallet.get_transaction(GetTransactionRequest { id })) };
    let (answer, owner) = futures::try_join!(request, caller.app.profiles.get(caller.session.user_id))?;
    let row = answer.transaction.ok_or_else(ApiError::not_found)?;
    Ok(ok(TransactionReply { transaction: Transaction::new(&caller.app, row, owner)? }))
}
