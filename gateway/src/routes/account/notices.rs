//! Notices: what happened to the member's money and account, and which of them come by mail and to devices.

use axum::extract::Query;
use proto::mailer::v1::read_notices_request::Which;
use proto::mailer::v1::{
    self as mailer, GetNoticePreferencesRequest, ListNoticesRequest, NoticeGroup as Group, ReadNoticesRequest,
    SetNoticePreferencesRequest,
};
use route_macros::{get, put, request, response};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::extract::VerifiedMember;
use crate::http::convert::choice;
use crate::http::json::{Answer, Dollars, Field, Form, Json, ok, reply};
use crate::http::names::NoticeKind;
use crate::peers::clients::ask;
use crate::routes::account::activity::Cursor;

/// What a notice is about.
#[response(from = mailer::NoticeGroup)]
pub enum NoticeGroup {
    Money,
    Plans,
    Courses,
    Cases,
    Security,
}

/// Something that happened.
#[response(from = mailer::Notice)]
pub struct Notice {
    id: String,
    #[schema(value_type = NoticeKind)]
    kind: String,
    group: NoticeGroup,
    /// When it happened.
    at: String,
    /// When the member read it. `null` if not yet.
    #[nullable]
    read_at: Option<String>,
    /// The transaction that it is about. Missing without one, as are the fields below.
    transaction_id: Option<String>,
    amount: Option<Dollars>,
    /// Title of the plan.
    plan: Option<String>,
    /// Sentence of staff, on rejection and correction.
    reason: Option<String>,
    /// Browser and operating system.
    device: Option<String>,
    /// Block of the client address, e.g. `203.0.113.0/24`.
    address_block: Option<String>,
    /// Of a second factor, e.g. `passkey_added`.
    change: Option<String>,
    case_id: Option<String>,
    /// Number of the case, for talking about it.
    case_number: Option<i64>,
}

/// What staff announce to all members.
#[response(from = mailer::Announcement)]
pub struct Announcement {
    id: String,
    text: String,
    /// When it was published.
    #[from(published_at)]
    at: String,
    /// Until when it is shown.
    ends_at: String,
}

/// A page of notices, newest first.
#[response(from = mailer::ListNoticesResponse)]
pub struct Notices {
    notices: Vec<Notice>,
    /// What staff announce to all members now, newest first; at most 5.
    announcements: Vec<Announcement>,
    /// Unread notices of all groups; 100 stands for more.
    unread: i32,
    /// Cursor of the next page. Missing on the last one.
    next_cursor: Option<String>,
}

/// Which notices to list.
#[derive(Debug, Default, Deserialize)]
pub struct GroupQuery {
    group: Option<String>,
}

/// List the notices
///
/// Of the last 180 days. An event `change` with `mailer.v1.notice_added` (`GET /events`) says that there is a new one.
#[get("/notices", "Notices",
    params(("cursor" = Option<String>, Query), ("group" = Option<NoticeGroup>, Query, description = "Only this group")))]
pub async fn list(
    caller: VerifiedMember,
    Query(from): Query<Cursor>,
    Query(query): Query<GroupQuery>,
) -> Answer<Notices> {
    let group = choice::<NoticeGroup>("group", query.group.as_deref())?;
    let message = ListNoticesRequest { page: Some(from.page()), group: group.into() };
    reply(ask!(caller.notices.list_notices(message))?)
}

/// Which notices were read: one, or all up to one.
#[request]
pub struct NoticesRead {
    /// This notice.
    id: Field<Option<String>>,
    /// This notice and all older ones.
    up_to: Field<Option<String>>,
}

/// How many notices are still unread.
#[response]
pub struct NoticesMarked {
    message: &'static str,
    /// Unread notices of all groups; 100 stands for more.
    unread: i32,
}

/// Mark notices as read
///
/// One (`id`), or one and all older ones (`upTo`).
#[put("/notices/read", "Notices")]
pub async fn read(caller: VerifiedMember, Json { value: body, .. }: Json<NoticesRead>) -> Answer<NoticesMarked> {
    let mut form = Form::new();
    let which = if body.up_to.is_given() {
        Which::UpTo(form.text("upTo", &body.up_to))
    } else {
        Which::Id(form.text("id", &body.id))
    };
    form.finish()?;
    let message = ReadNoticesRequest { which: Some(which) };
    let answer = ask!(caller.notices.read_notices(message))?;
    Ok(ok(NoticesMarked { message: "Marked as read.", unread: answer.unread }))
}

/// What a member gets by mail, or on devices, by what it is about. What protects the account, withdrawals, rejections and
/// corrections are sent in any case.
#[response]
#[derive(Clone, Copy)]
pub struct GroupPreferences {
    money: bool,
    plans: bool,
    courses: bool,
    cases: bool,
}

/// What a member wants by mail, or on devices.
#[request]
#[derive(Default)]
pub struct GroupWishes {
    money: Field<bool>,
    plans: Field<bool>,
    courses: Field<bool>,
    cases: Field<bool>,
}

/// How a member learns what happened.
#[response]
pub struct NoticePreferences {
    mail: GroupPreferences,
    /// On devices that notices are sent to (`/notices/push`).
    push: GroupPreferences,
}

/// What a member changes; what is left out stays on.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct NoticeWishes {
    #[schema(value_type = GroupWishes)]
    mail: Option<GroupWishes>,
    #[schema(value_type = GroupWishes)]
    push: Option<GroupWishes>,
}

/// The preferences that hold now.
#[response]
pub struct NoticePreferencesSaved {
    message: &'static str,
    mail: GroupPreferences,
    push: GroupPreferences,
}

impl FromIterator<Group> for GroupPreferences {
    /// Those that are off.
    fn from_iter<T: IntoIterator<Item = Group>>(off: T) -> Self {
        let off: Vec<Group> = off.into_iter().collect();
        let is_on = |group| !off.contains(&group);
        Self {
            money: is_on(Group::Money),
            plans: is_on(Group::Plans),
            courses: is_on(Group::Courses),
            cases: is_on(Group::Cases),
        }
    }
}

/// Read the preferences of notices
#[get("/notices/preferences", "Notices")]
pub async fn preferences(caller: VerifiedMember) -> Answer<NoticePreferences> {
    let message = GetNoticePreferencesRequest {};
    let answer = ask!(caller.notices.get_notice_preferences(message))?;
    let saved = answer.preferences.unwrap_or_default();
    Ok(ok(NoticePreferences { mail: saved.mail_off().collect(), push: saved.push_off().collect() }))
}

/// Change the preferences of notices
#[put("/notices/preferences", "Notices")]
pub async fn set_preferences(
    caller: VerifiedMember,
    Json { value: NoticeWishes { mail, push }, .. }: Json<NoticeWishes>,
) -> Answer<NoticePreferencesSaved> {
    let mut form = Form::new();
    let mail_off = turned_off(&mut form, "mail", &mail.unwrap_or_default());
    let push_off = turned_off(&mut form, "push", &push.unwrap_or_default());
    form.finish()?;
    let message = SetNoticePreferencesRequest { preferences: Some(mailer::NoticePreferences { mail_off, push_off }) };
    let answer = ask!(caller.notices.set_notice_preferences(message))?;
    let (message, saved) = ("Your preferences are saved.", answer.preferences.unwrap_or_default());
    Ok(ok(NoticePreferencesSaved { message, mail: saved.mail_off().collect(), push: saved.push_off().collect() }))
}

/// The groups that are not wanted.
fn turned_off(form: &mut Form, way: &str, wishes: &GroupWishes) -> Vec<i32> {
    let groups = [
        (Group::Money, "money", &wishes.money),
        (Group::Plans, "plans", &wishes.plans),
        (Group::Courses, "courses", &wishes.courses),
        (Group::Cases, "cases", &wishes.cases),
    ];
    let off = groups.into_iter().filter(|(_, name, wish)| !form.flag(&format!("{way}.{name}"), wish, true));
    off.map(|(group, ..)| group.into()).collect()
}
