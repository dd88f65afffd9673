//! The review queue, its figures and checklists.

use chassis::clock;
use proto::wallet::v1 as message;

use crate::app::review::get_figures::Figures;
use crate::app::review::get_queue::Queue;
use crate::app::review::get_review::Check;
use crate::store::figures;
use crate::store::times::HandlingTime;
use crate::store::transactions::Waiting;

impl From<Waiting> for message::QueueCount {
    fn from(waiting: Waiting) -> Self {
        Self {
            kind: waiting.kind,
            count: i32::try_from(waiting.count).unwrap_or(i32::MAX),
            oldest_at: waiting.oldest_at.map(clock::to_proto),
        }
    }
}

impl From<HandlingTime> for message::HandlingTime {
    fn from(time: HandlingTime) -> Self {
        Self { kind: time.kind, median_seconds: time.median_seconds, p90_seconds: time.p90_seconds }
    }
}

impl From<Queue> for message::GetQueueResponse {
    fn from(queue: Queue) -> Self {
        Self {
            counts: queue.waiting.into_iter().map(Into::into).collect(),
            times: queue.times.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<&Figures> for message::GetFiguresResponse {
    fn from(figures: &Figures) -> Self {
        let count = |number: i64| i32::try_from(number).unwrap_or(i32::MAX);
        let day = |one: &figures::Day| message::DayFigures {
            day: one.day.to_string(),
            in_cents: one.in_cents,
            out_cents: one.out_cents,
            fee_revenue_cents: one.fee_revenue_cents,
            course_revenue_cents: one.course_revenue_cents,
            course_sales: count(one.course_sales),
        };
        let waiting = |one: &figures::Waiting| message::WaitingFigures {
            kind: one.kind.clone(),
            decision: one.decision.clone(),
            count: count(one.count),
            median_seconds: one.median_seconds,
            p90_seconds: one.p90_seconds,
        };
        let person = |one: &figures::Person| message::PersonFigures {
            staff_id: one.staff_id.to_string(),
            approved: count(one.approved),
            rejected: count(one.rejected),
            paid: count(one.paid),
            median_seconds: one.median_seconds,
        };
        let open = |one: &figures::Open| message::OpenFigures {
            kind: one.kind.clone(),
            within_hour: count(one.within_hour),
            within_four_hours: count(one.within_four_hours),
            within_day: count(one.within_day),
            older: count(one.older),
        };
        Self {
            days: figures.days.iter().map(day).collect(),
            waiting: figures.waiting.iter().map(waiting).collect(),
            people: figures.people.iter().map(person).collect(),
            open: figures.open.iter().map(open).collect(),
            as_of: None,
        }
    }
}

impl From<Check> for message::Check {
    fn from(check: Check) -> Self {
        Self {
            name: check.name.to_owned(),
            ok: check.ok,
            state: if check.ok { "ok" } else { "warn" }.to_owned(),
            detail: check.detail,
            transaction_ids: check.transaction_ids.iter().map(ToString::to_string).collect(),
        }
    }
}
