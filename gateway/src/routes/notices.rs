//! Notices: what happened to the member's money and account, and which of them come by mail and to devices.

use axum::extract::Query;
use proto::mailer::v1::read_notices_request::Which;
use proto::mailer::v1::{
    self as mailer, GetNoticePreferencesRequest, ListNoticesRequest, NoticeGroup as Group, ReadNoticesRequest,
    SetNoticePreferencesRequest,
};
use route_macros::{get, put, request, response};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::clients::ask;
use crate::error::ApiError;
use crate::extract::VerifiedMember;
use crate::json::{Answer, Dollars, Field, Form, Json, field, known_moment, moment, ok};
use crate::names::NoticeKind;
use crate::routes::activity::From as PageFrom;

/// What a notice is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum NoticeGroup {
    Money,
    Plans,
    Courses,
    Cases,
    Security,
}

impl TryFrom<Group> for NoticeGroup {
    type Error = ApiError;

    fn try_from(group: Group) -> Result<Self, ApiError> {
        match group {
            Group::Money => Ok(Self::Money),
            Group::Plans => Ok(Self::Plans),
            Group::Courses => Ok(Self::Courses),
            Group::Cases => Ok(Self::Cases),
            Group::Security => Ok(Self::Security),
            Group::Unspecified => Err(ApiError::internal("a notice without a group")),
        }
    }
}

/// Something that happened.
#[response]
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

impl TryFrom<mailer::Notice> for Notice {
    type Error = ApiError;

    fn try_from(notice: mailer::Notice) -> Result<Self, ApiError> {
        let given = |text: String| Some(text).filter(|text| !text.is_empty());
        Ok(Self {
            group: notice.group().try_into()?,
            id: notice.id,
            kind: notice.kind,
            at: known_moment(notice.at.as_ref())?,
            read_at: moment(notice.read_at.as_ref()),
            transaction_id: given(notice.transaction_id),
            amount: Some(notice.amount_cents).filter(|cents| *cents != 0).map(Dollars::from_cents),
            plan: given(notice.plan),
            reason: given(notice.reason),
            device: given(notice.device),
            address_block: given(notice.address_block),
            change: given(notice.change),
            case_id: given(notice.case_id),
            case_number: Some(notice.case_number).filter(|number| *number != 0),
        })
    }
}

/// What staff announce to all members.
#[response]
pub struct Announcement {
    id: String,
    text: String,
    /// When it was published.
    at: String,
    /// Until when it is shown.
    ends_at: String,
}

impl TryFrom<mailer::Announcement> for Announcement {
    type Error = ApiError;

    fn try_from(one: mailer::Announcement) -> Result<Self, ApiError> {
        let at = known_moment(one.published_at.as_ref())?;
        Ok(Self { id: one.id, text: one.text, at, ends_at: known_moment(one.ends_at.as_ref())? })
    }
}

impl Announcement {
    /// Those of a service's answer.
    pub fn all(rows: Vec<mailer::Announcement>) -> Result<Vec<Self>, ApiError> {
        rows.into_iter().map(Self::try_from).collect()
    }
}

/// A page of notices, newest first.
#[response]
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
    Query(from): Query<PageFrom>,
    Query(query): Query<GroupQuery>,
) -> Answer<Notices> {
    let group = match query.group.as_deref() {
        None | Some("") => Group::Unspecified,
        Some("money") => Group::Money,
        Some("plans") => Group::Plans,
        Some("courses") => Group::Courses,
        Some("cases") => Group::Cases,
        Some("security") => Group::Security,
        Some(_) => return Err(field("group", "Choose money, plans, courses, cases or security")),
    };
    let message = ListNoticesRequest { page: Some(from.page()), group: group.into() };
    let answer = ask!(caller.notices.list_notices(message))?;
    let notices = answer.notices.into_iter().map(Notice::try_from).collect::<Result<_, _>>()?;
    let next_cursor = Some(answer.next_cursor).filter(|cursor| !cursor.is_empty());
    let announcements = Announcement::all(answer.announcements)?;
    Ok(ok(Notices { notices, announcements, unread: answer.unread, next_cursor }))
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
