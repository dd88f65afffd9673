//! The security log of an account.

use axum::extract::{Query, State};
use proto::auth::v1 as auth;
use proto::common::v1::PageRequest;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::App;
use crate::clients::call_retrying;
use crate::error::{ApiError, Errors};
use crate::extract::SignedIn;
use crate::json::{Reply, moment, ok};
use crate::names::SecurityEventKind;

/// The page of a list.
#[derive(Debug, Default, Deserialize)]
pub struct From {
    /// `nextCursor` of the previous page.
    pub cursor: Option<String>,
}

impl From {
    /// The page as services are asked for it.
    pub fn page(self) -> PageRequest {
        PageRequest { size: 0, cursor: self.cursor.unwrap_or_default() }
    }
}

/// An event in the security log of an account.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecurityEvent {
    at: Option<String>,
    #[schema(value_type = SecurityEventKind)]
    kind: String,
    /// Whether the password or second factor was wrong.
    refused: bool,
    /// Browser and operating system. Missing if staff or an emailed link caused the event.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    device: Option<String>,
    /// Block of the client address, e.g. `203.0.113.0/24`. Missing like `device`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    address_block: Option<String>,
}

/// The security of an account in the last 13 months, newest first.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Activity {
    success: bool,
    events: Vec<SecurityEvent>,
    /// Cursor of the next page. Missing on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<String>,
}

impl Activity {
    /// A page of the log.
    pub fn new(events: Vec<auth::SecurityEvent>, next_cursor: String) -> Self {
        let given = |text: String| Some(text).filter(|text| !text.is_empty());
        let events = events.into_iter().map(|event| SecurityEvent {
            at: moment(event.at.as_ref()),
            kind: event.kind,
            refused: event.refused,
            device: given(event.device),
            address_block: given(event.address_block),
        });
        Self { success: true, events: events.collect(), next_cursor: given(next_cursor) }
    }
}

/// List what happened to the account
#[utoipa::path(get, path = "/users/activity", params(("cursor" = Option<String>, Query)),
    responses((status = 200, body = Activity), Errors), tag = "Profile")]
pub async fn list(
    State(app): State<App>,
    caller: SignedIn,
    Query(from): Query<From>,
) -> Result<Reply<Activity>, ApiError> {
    let message = auth::ListActivityRequest { page: Some(from.page()) };
    let answer = call_retrying!(app.clients.auth, list_activity, caller.out, message)?.into_inner();
    Ok(ok(Activity::new(answer.events, answer.next_cursor)))
}
