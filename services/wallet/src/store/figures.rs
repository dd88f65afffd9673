//! The figures of the business, from the views `house_movements`, `decisions` and `open_requests`.

use chassis::across;
use chassis::db::PgConnection;
use chassis::id::StaffId;
use time::{Date, OffsetDateTime};

use crate::store::{first, merged};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Day {
    pub day: Date,
    pub in_cents: i64,
    pub out_cents: i64,
    pub fee_revenue_cents: i64,
    pub course_revenue_cents: i64,
    pub course_sales: i64,
}

/// What members' payments and purchases moved on each UTC day since a moment, oldest first; none without movements.
pub async fn days(conn: &mut PgConnection, since: OffsetDateTime) -> Result<Vec<Day>, sqlx::Error> {
    let each = across!(conn, days_here(conn, since));
    let mut days = merged(
        each,
        |one| one.day,
        |all, one| {
            all.in_cents += one.in_cents;
            all.out_cents += one.out_cents;
            all.fee_revenue_cents += one.fee_revenue_cents;
            all.course_revenue_cents += one.course_revenue_cents;
            all.course_sales += one.course_sales;
        },
    );
    days.sort_by_key(|one| one.day);
    Ok(days)
}

async fn days_here(conn: &mut PgConnection, since: OffsetDateTime) -> Result<Vec<Day>, sqlx::Error> {
    sqlx::query_as!(
        Day,
        r#"SELECT (moved.at AT TIME ZONE 'UTC')::date AS "day!",
            coalesce(-sum(moved.amount_cents) FILTER (WHERE moved.account = 'settlement' AND moved.posting_kind <> 'withdrawal_paid'), 0)::bigint AS "in_cents!",
            coalesce(sum(moved.amount_cents) FILTER (WHERE moved.account = 'settlement' AND moved.posting_kind = 'withdrawal_paid'), 0)::bigint AS "out_cents!",
            coalesce(sum(moved.amount_cents) FILTER (WHERE moved.account = 'fee_revenue'), 0)::bigint AS "fee_revenue_cents!",
            coalesce(sum(moved.amount_cents) FILTER (WHERE moved.account = 'course_revenue'), 0)::bigint AS "course_revenue_cents!",
            coalesce(sum(sign(moved.amount_cents)) FILTER (WHERE moved.account = 'course_revenue'), 0)::bigint AS "course_sales!"
        FROM accounts AS house
        CROSS JOIN LATERAL (
            SELECT account, posting_kind, at, amount_cents FROM house_movements
            WHERE account_id = house.id AND posting_id > last_posting_until(house.id, $1)) AS moved
        WHERE house.user_id IS NULL AND house.kind IN ('settlement', 'fee_revenue', 'course_revenue')
        GROUP BY 1 ORDER BY 1"#,
        since
    )
    .fetch_all(conn)
    .await
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    pub kind: String,
    pub decision: String,
    pub count: i64,
    pub median_seconds: i64,
    pub p90_seconds: i64,
}

/// How long what was decided since a moment had waited. The percentiles of several buckets are those of the slowest: they cannot be
/// added, and the waits themselves would be too many.
pub async fn waiting(conn: &mut PgConnection, since: OffsetDateTime) -> Result<Vec<Waiting>, sqlx::Error> {
    let each = across!(conn, waiting_here(conn, since));
    let mut waiting = merged(
        each,
        |one| (one.kind.clone(), one.decision.clone()),
        |all, one| {
            all.count += one.count;
            all.median_seconds = all.median_seconds.max(one.median_seconds);
            all.p90_seconds = all.p90_seconds.max(one.p90_seconds);
        },
    );
    waiting.sort_by(|one, other| (&one.kind, &one.decision).cmp(&(&other.kind, &other.decision)));
    Ok(waiting)
}

async fn waiting_here(conn: &mut PgConnection, since: OffsetDateTime) -> Result<Vec<Waiting>, sqlx::Error> {
    sqlx::query_as!(
        Waiting,
        r#"SELECT kind AS "kind!", decision AS "decision!", count(*) AS "count!",
            percentile_disc(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM took)::bigint) AS "median_seconds!",
            percentile_disc(0.9) WITHIN GROUP (ORDER BY extract(epoch FROM took)::bigint) AS "p90_seconds!"
        FROM decisions WHERE handled_at > $1 AND at > $1 GROUP BY kind, decision ORDER BY kind, decision"#,
        since
    )
    .fetch_all(conn)
    .await
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    pub staff_id: StaffId,
    pub approved: i64,
    pub rejected: i64,
    pub paid: i64,
    pub median_seconds: i64,
}

/// People that are listed.
const PEOPLE: i64 = 100;

/// What each person decided since a moment, the most decisions first; at most 100 people.
pub async fn people(conn: &mut PgConnection, since: OffsetDateTime) -> Result<Vec<Person>, sqlx::Error> {
    let each = across!(conn, people_here(conn, since));
    let people = merged(
        each,
        |one| one.staff_id,
        |all, one| {
            all.approved += one.approved;
            all.rejected += one.rejected;
            all.paid += one.paid;
            all.median_seconds = all.median_seconds.max(one.median_seconds);
        },
    );
    Ok(first(vec![people], PEOPLE, |one| (-(one.approved + one.rejected + one.paid), one.staff_id)))
}

async fn people_here(conn: &mut PgConnection, since: OffsetDateTime) -> Result<Vec<Person>, sqlx::Error> {
    sqlx::query_as!(
        Person,
        r#"SELECT staff_id AS "staff_id!", count(*) FILTER (WHERE decision = 'approved') AS "approved!",
            count(*) FILTER (WHERE decision = 'rejected') AS "rejected!",
            count(*) FILTER (WHERE decision = 'paid') AS "paid!",
            percentile_disc(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM took)::bigint) AS "median_seconds!"
        FROM decisions WHERE handled_at > $1 AND at > $1 GROUP BY staff_id ORDER BY count(*) DESC, staff_id LIMIT 100"#,
        since
    )
    .fetch_all(conn)
    .await
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Open {
    pub kind: String,
    pub within_hour: i64,
    pub within_four_hours: i64,
    pub within_day: i64,
    pub older: i64,
}

/// What is open by kind and age.
pub async fn open(conn: &mut PgConnection) -> Result<Vec<Open>, sqlx::Error> {
    let each = across!(conn, open_here(conn));
    let mut open = merged(
        each,
        |one| one.kind.clone(),
        |all, one| {
            all.within_hour += one.within_hour;
            all.within_four_hours += one.within_four_hours;
            all.within_day += one.within_day;
            all.older += one.older;
        },
    );
    open.sort_by(|one, other| one.kind.cmp(&other.kind));
    Ok(open)
}

async fn open_here(conn: &mut PgConnection) -> Result<Vec<Open>, sqlx::Error> {
    sqlx::query_as!(
        Open,
        r#"SELECT kind AS "kind!", count(*) FILTER (WHERE age <= interval '1 hour') AS "within_hour!",
            count(*) FILTER (WHERE age > interval '1 hour' AND age <= interval '4 hours') AS "within_four_hours!",
            count(*) FILTER (WHERE age > interval '4 hours' AND age <= interval '1 day') AS "within_day!",
            count(*) FILTER (WHERE age > interval '1 day') AS "older!"
        FROM open_requests GROUP BY kind ORDER BY kind"#
    )
    .fetch_all(conn)
    .await
}
