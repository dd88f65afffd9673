//! The figures of the business.

use std::collections::HashMap;

use axum::extract::Query;
use proto::wallet::v1::{DayFigures, GetFiguresRequest, OpenFigures, PersonFigures, WaitingFigures};
use route_macros::{get, response};
use serde::Deserialize;

use crate::cache::profiles::Profile;
use crate::clients::ask;
use crate::extract::StaffMember;
use crate::json::{Answer, Dollars, field, moment, ok};

/// The period.
#[derive(Debug, Default, Deserialize)]
pub struct Period {
    days: Option<String>,
}

/// What a UTC day moved, by the ledger.
#[response]
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
#[response]
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
#[response]
pub struct Decisions {
    staff_id: String,
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
#[response]
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
#[response]
pub struct Figures {
    /// Oldest first; a day without movements is not there.
    days: Vec<Day>,
    waiting: Vec<WaitingTime>,
    /// The most decisions first.
    people: Vec<Decisions>,
    open: Vec<OpenByAge>,
    /// When this was current, if it was read from a standby that is behind.
    as_of: Option<String>,
}

/// Get the figures of the business
///
/// Of the last 7, 30 or 90 UTC days, today included; up to a minute old.
#[get("/admin/figures", "Back office",
    params(("days" = Option<u16>, Query, description = "7, 30 or 90; 30 by default")))]
pub async fn get(caller: StaffMember, Query(period): Query<Period>) -> Answer<Figures> {
    let days = match period.days.as_deref() {
        None | Some("") => 30,
        Some(text) => text.parse().map_err(|_| field("days", "Choose 7, 30 or 90 days."))?,
    };
    let answer = ask!(caller.wallet_staff.get_figures(GetFiguresRequest { days }))?;
    let people = caller.app.profiles.look_up(answer.people.iter().map(|one| one.staff_id.clone())).await?;
    Ok(ok(Figures {
        days: answer.days.into_iter().map(Into::into).collect(),
        waiting: answer.waiting.into_iter().map(Into::into).collect(),
        people: answer.people.into_iter().map(|one| Decisions::new(one, &people)).collect(),
        open: answer.open.into_iter().map(Into::into).collect(),
        as_of: moment(answer.as_of.as_ref()),
    }))
}
