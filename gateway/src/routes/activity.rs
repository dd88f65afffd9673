//! The security log of an account.

use axum::extract::Query;
use proto::auth::v1 as auth;
use proto::common::v1::PageRequest;
use route_macros::{get, response};
use serde::Deserialize;

use crate::clients::ask;
use crate::extract::SignedIn;
use crate::json::{Answer, moment, ok};
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
#[response]
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
#[response]
pub struct Activity {
    events: Vec<SecurityEvent>,
    /// Cursor of the next page. Missing on the last one.
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
        Self { events: events.collect(), next_cursor: given(next_cursor) }
    }
}

/// List what happened to the account
#[get("/users/activity", "Profile", params(("cursor" = Option<String>, Query)))]
pub async fn list(caller: SignedIn, Query(from): Query<From>) -> Answer<Activity> {
    let message = auth::ListActivityRequest { page: Some(from.page()) };
    let answer = ask!(caller.auth.list_activity(message))?;
    Ok(ok(Activity::new(answer.events, answer.next_cursor)))
}
