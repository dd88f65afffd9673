//! The figures of the business.

use axum::extract::Query;
use proto::wallet::v1::{self as wallet, GetFiguresRequest};
use route_macros::{get, response};
use serde::Deserialize;

use crate::extract::StaffMember;
use crate::http::convert::from_proto;
use crate::http::json::{Answer, Dollars, field, ok};
use crate::peers::clients::ask;

/// The period.
#[derive(Debug, Default, Deserialize)]
pub struct Period {
    days: Option<String>,
}

/// What a UTC day moved, by the ledger.
#[response(from = wallet::DayFigures)]
pub struct Day {
    #[schema(example = "2026-01-31")]
    day: String,
    /// Members' payments from outside, less what was reversed.
    #[from(in_cents)]
    #[serde(rename = "in")]
    received: Dollars,
    /// Paid out to members.
    #[from(out_cents)]
    #[serde(rename = "out")]
    sent: Dollars,
    fee_revenue: Dollars,
    /// Less refunds.
    course_revenue: Dollars,
    /// Less refunds.
    course_sales: i32,
}

/// How long the requests of a kind waited that were decided. Where members are divided into buckets, as in the bucket in which they
/// waited the longest.
#[response(from = wallet::WaitingFigures)]
pub struct WaitingTime {
    kind: String,
    /// `approved`, `rejected` or `paid`.
    decision: String,
    count: i32,
    median_seconds: i64,
    p90_seconds: i64,
}

/// What a staff member decided.
#[response(from = wallet::PersonFigures)]
pub struct Decisions {
    staff_id: String,
    #[from(skip)]
    staff_name: Option<String>,
    approved: i32,
    rejected: i32,
    paid: i32,
    median_seconds: i64,
}

/// Open requests of a kind by their age.
#[response(from = wallet::OpenFigures)]
pub struct OpenByAge {
    kind: String,
    within_hour: i32,
    within_four_hours: i32,
    within_day: i32,
    older: i32,
}

/// The figures of the last days.
#[response(from = wallet::GetFiguresResponse)]
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
    let mut figures: Figures = from_proto(answer)?;
    for decisions in &mut figures.people {
        decisions.staff_name = people.name(&decisions.staff_id);
    }
    Ok(ok(figures))
}
