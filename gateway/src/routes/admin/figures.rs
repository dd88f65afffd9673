//! The figures of the business.

use std::collections::HashMap;

use axum::extract::{Query, State};
use proto::wallet::v1::{DayFigures, GetFiguresRequest, OpenFigures, PersonFigures, WaitingFigures};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::App;
use crate::cache::profiles::Profile;
use crate::clients::call_retrying;
use crate::error::{ApiError, Errors};
use crate::extract::StaffMember;
use crate::json::{Dollars, Reply, field, ok};

/// The period.
#[derive(Debug, Default, Deserialize)]
pub struct Period {
    days: Option<String>,
}

/// What a UTC day moved, by the ledger.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Day {
    #[schema(example = "2026-01-31")]
    day: String,
    /// Money that came from outside, less what was reversed.
    #[serde(rename = "in")]
    received: Dollars,
    /// Paid out.
    #[serde(rename = "out")]
    sent: Dollars,
    fee_revenue: Dollars,
    /// Less refunds.
    course_revenue: Dollars,
    /// Less refunds.
    course_sales: i32,
}

impl From<DayFigures> for Day {
    fn from(one: DayFigures) -> Self {
        Self {
            day: one.day,
            received: Dollars::from_cents(one.in_cents),
            sent: Dollars::from_cents(one.out_cents),
            fee_revenue: Dollars::from_cents(one.fee_revenue_cents),
            course_revenue: Dollars::from_cents(one.course_revenue_cents),
            course_sales: one.course_sales,
        }
    }
}

/// How long the requests of a kind waited that were decided.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WaitingTime {
    kind: String,
    /// `approved`, `rejected` or `paid`.
    decision: String,
    count: i32,
    median_seconds: i64,
    p90_seconds: i64,
}

impl From<WaitingFigures> for WaitingTime {
    fn from(one: WaitingFigures) -> Self {
        let WaitingFigures { kind, decision, count, median_seconds, p90_seconds } = one;
        Self { kind, decision, count, median_seconds, p90_seconds }
    }
}

/// What a staff member decided.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Decisions {
    staff_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    staff_name: Option<String>,
    approved: i32,
    rejected: i32,
    paid: i32,
    median_seconds: i64,
}

impl Decisions {
    fn new(one: PersonFigures, people: &HashMap<String, Profile>) -> Self {
        Self {
            staff_name: people.get(&one.staff_id).map(|person| person.name.clone()),
            staff_id: one.staff_id,
            approved: one.approved,
            rejected: one.rejected,
            paid: one.paid,
            median_seconds: one.median_seconds,
        }
    }
}

/// Open requests of a kind by their age.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenByAge {
    kind: String,
    within_hour: i32,
    within_four_hours: i32,
    within_day: i32,
    older: i32,
}

impl From<OpenFigures> for OpenByAge {
    fn from(one: OpenFigures) -> Self {
        let OpenFigures { kind, within_hour, within_four_hours, within_day, older } = one;
        Self { kind, within_hour, within_four_hours, within_day, older }
    }
}

/// The figures of the last days.
#[derive(Debug, Serialize, ToSchema)]
pub struct Figures {
    success: bool,
    /// Oldest first; a day without movements is not there.
    days: Vec<Day>,
    waiting: Vec<WaitingTime>,
    /// The most decisions first.
    people: Vec<Decisions>,
    open: Vec<OpenByAge>,
}

/// Get the figures of the business
///
/// Of the last 7, 30 or 90 UTC days, today included; up to a minute old.
#[utoipa::path(get, path = "/admin/figures", params(("days" = Option<u16>, Query, description = "7, 30 or 90; 30 by default")),
    responses((status = 200, body = Figures), Errors), tag = "Back office")]
pub async fn get(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    Query(period): Query<Period>,
) -> Result<Reply<Figures>, ApiError> {
    let days = match period.days.as_deref() {
        None | Some("") => 30,
        Some(text) => text.parse().map_err(|_| field("days", "Choose 7, 30 or 90 days."))?,
    };
    let answer =
        call_retrying!(app.clients.wallet_staff, get_figures, caller.out, GetFiguresRequest { days })?.into_inner();
    let people = app.profiles.look_up(answer.people.iter().map(|one| one.staff_id.clone())).await?;
    Ok(ok(Figures {
        success: true,
        days: answer.days.into_iter().map(Into::into).collect(),
        waiting: answer.waiting.into_iter().map(Into::into).collect(),
        people: answer.people.into_iter().map(|one| Decisions::new(one, &people)).collect(),
        open: answer.open.into_iter().map(Into::into).collect(),
    }))
}
