//! The journal as lines of JSON, one posting a line.

use std::io;

use axum::body::{Body, Bytes};
use axum::extract::Query;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use chassis::grpc::Outgoing;
use futures::stream::try_unfold;
use proto::common::v1::PageRequest;
use proto::wallet::v1::{self as wallet, ListPostingsRequest, ListPostingsResponse};
use route_macros::{get, response};
use serde::Deserialize;

use crate::app::App;
use crate::extract::StaffMember;
use crate::http::convert::FromProto;
use crate::http::error::{ApiError, Errors};
use crate::http::json::Dollars;
use crate::peers::clients::call_retrying;

/// Header with the cursor of the next part of the journal.
pub const NEXT_CURSOR: HeaderName = HeaderName::from_static("x-next-cursor");

/// The part of the journal to read.
#[derive(Debug, Default, Deserialize)]
pub struct Part {
    cursor: Option<String>,
}

/// A posting. Its entries sum to zero.
#[response(from = wallet::Posting)]
pub struct Posting {
    id: i64,
    kind: String,
    #[from(self, with = cause)]
    cause: Cause,
    /// Id of the posting that it reverses.
    reverses: Option<i64>,
    member_id: Option<String>,
    #[nullable]
    at: Option<String>,
    entries: Vec<PostingEntry>,
}

/// What caused a posting.
#[response]
pub struct Cause {
    /// `transaction`, `purchase`, `trade`, `proposal`, ….
    r#type: String,
    id: String,
}

fn cause(posting: &wallet::Posting) -> Cause {
    Cause { r#type: posting.cause_type.clone(), id: posting.cause_id.clone() }
}

/// The change of one account.
#[response(from = wallet::PostingEntry)]
pub struct PostingEntry {
    /// Of a member: `available`, `held`, `bonus`, `invested`, …. Of the platform: `settlement`, `fee_revenue`, ….
    account: String,
    /// Change of the balance, signed, in dollars.
    amount: Dollars,
}

/// Read the journal
///
/// At most 10,000 postings, one a line, in the order in which they were committed: an id may be lower than the one before.
/// The header `X-Next-Cursor` names where the next part begins, also after the last posting so far; an answer without a line
/// says that there is nothing new.
#[get("/admin/journal", "Back office",
    params(("cursor" = Option<String>, Query, description = "`X-Next-Cursor` of the part before")),
    responses((status = 200, body = Posting, content_type = "application/x-ndjson",
        headers(("X-Next-Cursor" = String))), Errors))]
pub async fn journal(caller: StaffMember, Query(part): Query<Part>) -> Result<Response, ApiError> {
    // The first page is read before the answer begins, so that a refusal is still an error; when a later one cannot be
    // read, the answer breaks off and the download fails.
    let first = read(&caller.app, &caller.out, part.cursor.unwrap_or_default(), String::new()).await?;
    let next = HeaderValue::from_str(&first.end_cursor).map_err(ApiError::internal)?;
    let end = first.end_cursor.clone();
    let lines = try_unfold((Some(first), String::new()), move |(page, cursor)| {
        let (app, out, end) = (caller.app.clone(), caller.out.clone(), end.clone());
        async move {
            let page = match page {
                Some(page) => page,
                None if cursor.is_empty() => return Ok(None),
                None => read(&app, &out, cursor, end).await.map_err(|error| error.broken_off("the journal"))?,
            };
            let lines = lines(page.postings).map_err(|error| error.broken_off("the journal"))?;
            Ok::<_, io::Error>(Some((lines, (None, page.next_cursor))))
        }
    });
    let headers = [(header::CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson")), (NEXT_CURSOR, next)];
    Ok((headers, Body::from_stream(lines)).into_response())
}

async fn read(app: &App, out: &Outgoing, cursor: String, end: String) -> Result<ListPostingsResponse, ApiError> {
    let message = ListPostingsRequest { page: Some(PageRequest { size: 0, cursor }), end_cursor: end };
    Ok(call_retrying!(app.clients.wallet_staff, list_postings, out, message)?.into_inner())
}

fn lines(postings: Vec<wallet::Posting>) -> Result<Bytes, ApiError> {
    let mut text = Vec::new();
    for posting in postings {
        serde_json::to_writer(&mut text, &Posting::from_proto(posting)?).map_err(ApiError::internal)?;
        text.push(b'\n');
    }
    Ok(text.into())
}
