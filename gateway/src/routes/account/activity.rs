//! The security log of an account.

use axum::extract::Query;
use proto::auth::v1 as auth;
use proto::common::v1::PageRequest;
use route_macros::{get, response};
use serde::Deserialize;

use crate::extract::SignedIn;
use crate::http::json::{Answer, reply};
use crate::http::names::SecurityEventKind;
use crate::peers::clients::ask;

/// The page of a list.
#[derive(Debug, Default, Deserialize)]
pub struct Cursor {
    /// `nextCursor` of the previous page.
    pub cursor: Option<String>,
}

impl Cursor {
    /// The page as services are asked for it.
    pub fn page(self) -> PageRequest {
        PageRequest { size: 0, cursor: self.cursor.unwrap_or_default() }
    }
}

/// An event in the security log of an account.
#[response(from = auth::SecurityEvent)]
pub struct SecurityEvent {
    #[nullable]
    at: Option<String>,
    #[schema(value_type = SecurityEventKind)]
    kind: String,
    /// Whether the password or second factor was wrong.
    refused: bool,
    /// Browser and operating system. Missing if staff or an emailed link caused the event.
    device: Option<String>,
    /// Block of the client address, e.g. `203.0.113.0/24`. Missing like `device`.
    address_block: Option<String>,
}

/// The security of an account in the last 13 months, newest first.
#[response(from = auth::ListActivityResponse, from = auth::ListMemberActivityResponse)]
pub struct Activity {
    events: Vec<SecurityEvent>,
    /// Cursor of the next page. Missing on the last one.
    next_cursor: Option<String>,
}

/// List what happened to the account
#[get("/users/activity", "Profile", params(("cursor" = Option<String>, Query)))]
pub async fn list(caller: SignedIn, Query(from): Query<Cursor>) -> Answer<Activity> {
    let message = auth::ListActivityRequest { page: Some(from.page()) };
    reply(ask!(caller.auth.list_activity(message))?)
}
