//! The notices of members, and the devices that they go to.

use chassis::clock::to_proto;
use chassis::error::{Kind, Refusal};
use chassis::grpc::Reply;
use chassis::id::UserId;
use chassis::page::Page;
use proto::common::v1::ErrorReason;
use proto::mailer::v1::notice_service_server::NoticeService;
use proto::mailer::v1::read_notices_request::Which;
use proto::mailer::v1::{
    GetNoticePreferencesRequest, GetNoticePreferencesResponse, GetPushRequest, GetPushResponse, ListNoticesRequest,
    ListNoticesResponse, Notice as Message, NoticeGroup, NoticePreferences, ReadNoticesRequest, ReadNoticesResponse,
    SetNoticePreferencesRequest, SetNoticePreferencesResponse, SubscribePushRequest, SubscribePushResponse,
    UnsubscribePushRequest, UnsubscribePushResponse,
};
use tonic::metadata::MetadataMap;
use tonic::{Request, Response};

use super::GrpcServer;
use crate::app::get_notice_preferences::get_notice_preferences;
use crate::app::get_push::get_push;
use crate::app::list_notices::list_notices;
use crate::app::read_notices::read_notices;
use crate::app::set_notice_preferences::set_notice_preferences;
use crate::app::subscribe_push::{SubscribePush, subscribe_push};
use crate::app::unsubscribe_push::unsubscribe_push;
use crate::domain::notice::{Group, Notice, Preferences, Read};

/// Notices of a page.
const PAGE: u16 = 30;

#[tonic::async_trait]
impl NoticeService for GrpcServer {
    async fn list_notices(&self, request: Request<ListNoticesRequest>) -> Reply<ListNoticesResponse> {
        let user_id = self.reader(request.metadata()).await?;
        let request = request.into_inner();
        let (group, page) = (group(request.group())?, Page::parse(request.page, PAGE)?);
        let ((notices, next_cursor), unread) = list_notices(&self.db, user_id, group, &page).await?;
        let notices = notices.into_iter().map(Message::from).collect();
        let announcements = self.announcements().await?;
        Ok(Response::new(ListNoticesResponse { notices, next_cursor, unread, announcements }))
    }

    async fn read_notices(&self, request: Request<ReadNoticesRequest>) -> Reply<ReadNoticesResponse> {
        let user_id = self.reader(request.metadata()).await?;
        let unread = read_notices(&self.db, user_id, which(request.into_inner().which)?).await?;
        Ok(Response::new(ReadNoticesResponse { unread }))
    }

    async fn get_notice_preferences(
        &self,
        request: Request<GetNoticePreferencesRequest>,
    ) -> Reply<GetNoticePreferencesResponse> {
        let user_id = self.reader(request.metadata()).await?;
        let preferences = preferences(&get_notice_preferences(&self.db, user_id).await?);
        Ok(Response::new(GetNoticePreferencesResponse { preferences: Some(preferences) }))
    }

    async fn set_notice_preferences(
        &self,
        request: Request<SetNoticePreferencesRequest>,
    ) -> Reply<SetNoticePreferencesResponse> {
        let user_id = self.reader(request.metadata()).await?;
        let wanted = request.into_inner().preferences.unwrap_or_default();
        let wanted = Preferences {
            mail_off: wanted.mail_off().map(known_group).collect::<Result<_, _>>()?,
            push_off: wanted.push_off().map(known_group).collect::<Result<_, _>>()?,
        };
        set_notice_preferences(&self.db, user_id, &wanted).await?;
        Ok(Response::new(SetNoticePreferencesResponse { preferences: Some(preferences(&wanted)) }))
    }

    async fn get_push(&self, request: Request<GetPushRequest>) -> Reply<GetPushResponse> {
        let session = self.verifier.session(request.metadata()).await?.reader()?;
        let Some(push) = &self.push else { return Ok(Response::new(GetPushResponse::default())) };
        let is_on = get_push(&self.db, push, session.id).await?;
        Ok(Response::new(GetPushResponse { public_key: push.keys.public().to_owned(), is_on }))
    }

    async fn subscribe_push(&self, request: Request<SubscribePushRequest>) -> Reply<SubscribePushResponse> {
        let session = self.verifier.session(request.metadata()).await?.reader()?;
        let push = self.push.as_ref().ok_or_else(|| {
            Refusal::new(Kind::NotFound, ErrorReason::NotFound, "Notices are not sent to devices here.")
        })?;
        let SubscribePushRequest { endpoint, p256dh, auth } = request.into_inner();
        subscribe_push(&self.db, push, &session, SubscribePush { endpoint, p256dh, auth }).await?;
        Ok(Response::new(SubscribePushResponse {}))
    }

    async fn unsubscribe_push(&self, request: Request<UnsubscribePushRequest>) -> Reply<UnsubscribePushResponse> {
        let session = self.verifier.session(request.metadata()).await?.reader()?;
        unsubscribe_push(&self.db, session.id).await?;
        Ok(Response::new(UnsubscribePushResponse {}))
    }
}

impl GrpcServer {
    async fn reader(&self, metadata: &MetadataMap) -> Result<UserId, Refusal> {
        Ok(self.verifier.session(metadata).await?.reader()?.user_id)
    }
}

fn which(which: Option<Which>) -> Result<Read, Refusal> {
    let id = |field, text: &str| text.parse().map_err(|_| Refusal::field(field, "This is no id of a notice."));
    match which {
        Some(Which::Id(text)) => id("id", &text).map(Read::One),
        Some(Which::UpTo(text)) => id("upTo", &text).map(Read::UpTo),
        None => Err(Refusal::field("id", "Name a notice.")),
    }
}

fn group(group: NoticeGroup) -> Result<Option<Group>, Refusal> {
    if group == NoticeGroup::Unspecified { Ok(None) } else { known_group(group).map(Some) }
}

fn known_group(group: NoticeGroup) -> Result<Group, Refusal> {
    match group {
        NoticeGroup::Money => Ok(Group::Money),
        NoticeGroup::Plans => Ok(Group::Plans),
        NoticeGroup::Courses => Ok(Group::Courses),
        NoticeGroup::Cases => Ok(Group::Cases),
        NoticeGroup::Security => Ok(Group::Security),
        NoticeGroup::Unspecified => Err(Refusal::field("group", "There is no such group.")),
    }
}

const fn to_message(group: Group) -> NoticeGroup {
    match group {
        Group::Money => NoticeGroup::Money,
        Group::Plans => NoticeGroup::Plans,
        Group::Courses => NoticeGroup::Courses,
        Group::Cases => NoticeGroup::Cases,
        Group::Security => NoticeGroup::Security,
    }
}

fn preferences(preferences: &Preferences) -> NoticePreferences {
    let groups = |groups: &[Group]| groups.iter().map(|group| to_message(*group).into()).collect();
    NoticePreferences { mail_off: groups(&preferences.mail_off), push_off: groups(&preferences.push_off) }
}

impl From<Notice> for Message {
    fn from(notice: Notice) -> Self {
        let Notice { id, kind, facts, occurred_at, read_at } = notice;
        Self {
            id: id.to_string(),
            kind: kind.into_str().to_owned(),
            group: kind.notice_group().map_or(NoticeGroup::Unspecified, to_message).into(),
            at: Some(to_proto(occurred_at)),
            read_at: read_at.map(to_proto),
            transaction_id: facts.transaction_id,
            amount_cents: facts.amount_cents,
            plan: facts.plan,
            reason: facts.reason,
            device: facts.device,
            address_block: facts.address_block,
            change: facts.change,
            case_id: facts.case_id,
            case_number: facts.case_number,
        }
    }
}
