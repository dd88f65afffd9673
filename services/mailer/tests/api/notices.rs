//! Notices: one for each event that concerns a member, in order, read once, kept for 180 days; and which mails they want.

use chassis::id::{MemberId, UserId};
use std::collections::BTreeSet;

use chassis::bus::{Event, Handler};
use chassis::error::from_status;
use chassis::identity::Role;
use chassis::testing::{session, with_token};
use mailer::domain::template::Template;
use mailer::grpc::GrpcServer;
use proto::auth::v1 as auth;
use proto::cases::v1 as cases;
use proto::common::v1::PageRequest;
use proto::mailer::v1::notice_service_server::NoticeService;
use proto::mailer::v1::read_notices_request::Which;
use proto::mailer::v1::{
    GetNoticePreferencesRequest, ListNoticesRequest, ListNoticesResponse, NoticeGroup, NoticePreferences,
    ReadNoticesRequest, SetNoticePreferencesRequest,
};
use proto::trade::v1 as trade;
use proto::wallet::v1 as wallet;
use sqlx::PgPool;
use strum::VariantArray;
use uuid::Uuid;

use crate::accept_event::hire;
use crate::fixture::{World, event};
use crate::samples::samples;

/// A member with a session.
struct Member<'a> {
    grpc: GrpcServer,
    id: MemberId,
    token: String,
    world: &'a World,
}

impl<'a> Member<'a> {
    fn of(world: &'a World) -> Self {
        let (id, token) = world.realm.member();
        Self { grpc: world.grpc(), id, token, world }
    }

    async fn list(&self, group: NoticeGroup, size: i32, cursor: &str) -> ListNoticesResponse {
        let page = Some(PageRequest { size, cursor: cursor.to_owned() });
        let request = ListNoticesRequest { page, group: group.into() };
        self.grpc.list_notices(with_token(request, &self.token)).await.unwrap().into_inner()
    }

    async fn all(&self) -> ListNoticesResponse {
        self.list(NoticeGroup::Unspecified, 0, "").await
    }

    async fn read(&self, which: Which) -> i32 {
        let request = ReadNoticesRequest { which: Some(which) };
        self.grpc.read_notices(with_token(request, &self.token)).await.unwrap().into_inner().unread
    }

    /// The code of the refusal, if it is refused.
    async fn turn_off(&self, groups: &[NoticeGroup]) -> Result<(), String> {
        let mail_off = groups.iter().map(|group| (*group).into()).collect();
        let preferences = Some(NoticePreferences { mail_off, ..Default::default() });
        let request = SetNoticePreferencesRequest { preferences };
        let answer = self.grpc.set_notice_preferences(with_token(request, &self.token)).await;
        answer.map(drop).map_err(|status| from_status(&status).code)
    }

    async fn mail_off(&self) -> Vec<NoticeGroup> {
        let request = with_token(GetNoticePreferencesRequest {}, &self.token);
        let answer = self.grpc.get_notice_preferences(request).await.unwrap().into_inner();
        answer.preferences.unwrap().mail_off().collect()
    }

    fn transaction(&self, key: &str) -> Event {
        let transaction = wallet::TransactionFacts {
            transaction_id: Uuid::new_v4().to_string(),
            user_id: self.id.to_string(),
            r#type: "deposit".to_owned(),
            amount_cents: 25_000,
            reason: "The receipt is blurred".to_owned(),
            ..Default::default()
        };
        event(&format!("wallet.v1.{key}"), &wallet::DepositConfirmed { transaction: Some(transaction) })
    }

    async fn happens(&self, event: &Event) {
        self.world.consumer.handle(event).await.unwrap();
    }
}

fn kinds(answer: &ListNoticesResponse) -> Vec<&str> {
    answer.notices.iter().map(|notice| notice.kind.as_str()).collect()
}

/// [D-M7] [Q4] Every event that concerns a member adds one notice, however often it is delivered and however many mails it
/// asks for; live views are notified after the commit.
#[sqlx::test(migrations = false)]
async fn an_event_adds_one_notice(pool: PgPool) {
    let mut world = World::start(pool).await;
    let staff = hire(&world);
    let mut seen = BTreeSet::new();
    for sample in samples(world.user_id, staff) {
        world.execute("DELETE FROM notices").await;
        for _ in 0..3 {
            world.consumer.handle(&sample.event).await.unwrap();
        }
        let wanted = sample.mails.first().is_some_and(|(template, _)| template.notice_group().is_some());
        assert_eq!(world.count("SELECT count(*) FROM notices").await, i64::from(wanted), "{}", sample.event.key);
        if wanted {
            seen.insert(sample.mails[0].0.into_str());
            assert_eq!(world.added.try_recv().unwrap(), world.user_id);
        }
        while world.added.try_recv().is_ok() {}
    }
    let noticed = Template::VARIANTS.iter().filter(|template| template.notice_group().is_some());
    assert_eq!(seen, noticed.map(|template| template.into_str()).collect());
}

/// [D-M7] The newest come first, in pages and by group, with what they are about; nobody sees those of others.
#[sqlx::test(migrations = false)]
async fn notices_are_listed_newest_first(pool: PgPool) {
    let world = World::start(pool).await;
    let (member, other) = (Member::of(&world), Member::of(&world));
    let approved = member.transaction("deposit_confirmed");
    let signed_in = auth::NewDeviceSignedIn {
        user_id: member.id.to_string(),
        device: "Firefox on Linux".to_owned(),
        address_block: "203.0.113.0/24".to_owned(),
        link_reference: "link".to_owned(),
    };
    let signed_in = event("auth.v1.new_device_signed_in", &signed_in);
    let facts = trade::TradeFacts {
        user_id: member.id.to_string(),
        plan_title: "Starter".to_owned(),
        amount_cents: 10_000,
        value_cents: 10_400,
        ..Default::default()
    };
    let matured = event("trade.v1.matured", &trade::Matured { trade: Some(facts) });
    // Delivered in another order than they happened.
    for event in [&matured, &approved, &signed_in] {
        member.happens(event).await;
    }
    let answer = member.all().await;
    assert_eq!(kinds(&answer), ["trade_matured", "new_sign_in", "deposit_confirmed"]);
    assert_eq!((answer.unread, answer.next_cursor.as_str()), (3, ""));
    let [plan, device, deposit] = answer.notices.try_into().unwrap();
    assert_eq!((plan.plan.as_str(), plan.amount_cents, plan.group()), ("Starter", 10_400, NoticeGroup::Plans));
    assert_eq!((device.device.as_str(), device.address_block.as_str()), ("Firefox on Linux", "203.0.113.0/24"));
    assert_eq!((deposit.amount_cents, deposit.id.as_str()), (25_000, approved.id.to_string().as_str()));
    assert!(Uuid::try_parse(&deposit.transaction_id).is_ok() && deposit.at.is_some() && deposit.read_at.is_none());

    let first = member.list(NoticeGroup::Unspecified, 2, "").await;
    assert_eq!(kinds(&first), ["trade_matured", "new_sign_in"]);
    let second = member.list(NoticeGroup::Unspecified, 2, &first.next_cursor).await;
    assert_eq!((kinds(&second), second.next_cursor.as_str()), (vec!["deposit_confirmed"], ""));
    let money = member.list(NoticeGroup::Money, 0, "").await;
    assert_eq!((kinds(&money), money.unread), (vec!["deposit_confirmed"], 3));
    assert!(other.all().await.notices.is_empty());
}

/// [D-M7] One is marked as read, or all up to one; a newer one stays unread, and so do those of others.
#[sqlx::test(migrations = false)]
async fn notices_are_read_up_to_one(pool: PgPool) {
    let world = World::start(pool).await;
    let (member, other) = (Member::of(&world), Member::of(&world));
    let events: Vec<_> = (0..3).map(|_| member.transaction("withdrawal_paid")).collect();
    for event in &events {
        member.happens(event).await;
    }
    other.happens(&other.transaction("withdrawal_paid")).await;
    let id = |index: usize| events[index].id.to_string();
    assert_eq!(member.read(Which::Id(id(1))).await, 2);
    assert_eq!(member.read(Which::Id(id(1))).await, 2, "repeating it changes nothing");
    assert_eq!(other.read(Which::UpTo(Uuid::nil().to_string())).await, 1);
    assert_eq!(other.read(Which::Id(id(0))).await, 1);
    let at = member.all().await.notices[1].read_at;
    assert!(at.is_some());
    assert_eq!(member.read(Which::UpTo(id(1))).await, 1);
    let answer = member.all().await;
    let read: Vec<_> = answer.notices.iter().map(|notice| notice.read_at.is_some()).collect();
    assert_eq!((read, answer.notices[1].read_at), (vec![false, true, true], at));
    assert_eq!(other.all().await.unread, 1);
    let wrong = ReadNoticesRequest { which: Some(Which::UpTo("everything".to_owned())) };
    let refused = member.grpc.read_notices(with_token(wrong, &member.token)).await.unwrap_err();
    assert_eq!(from_status(&refused).fields[0].0, "upTo");
}

/// [D-M7] Mails of a group are turned off and on again; the notices stay, and what protects the account, withdrawals and
/// rejections are mailed in any case.
#[sqlx::test(migrations = false)]
async fn members_choose_their_mails(pool: PgPool) {
    let world = World::start(pool).await;
    let (member, other) = (Member::of(&world), Member::of(&world));
    assert_eq!(member.mail_off().await, []);
    for groups in
        [&[NoticeGroup::Security][..], &[NoticeGroup::Money, NoticeGroup::Security], &[NoticeGroup::Unspecified]]
    {
        assert_eq!(member.turn_off(groups).await.unwrap_err(), "VALIDATION_FAILED");
    }
    assert_eq!(member.mail_off().await, []);
    member.turn_off(&[NoticeGroup::Money, NoticeGroup::Plans]).await.unwrap();
    assert_eq!(member.mail_off().await, [NoticeGroup::Money, NoticeGroup::Plans]);
    for key in ["deposit_confirmed", "deposit_rejected", "withdrawal_paid", "balance_adjusted"] {
        member.happens(&member.transaction(key)).await;
    }
    let changed = auth::PasswordChanged { user_id: member.id.to_string(), ..Default::default() };
    member.happens(&event("auth.v1.password_changed", &changed)).await;
    other.happens(&other.transaction("deposit_confirmed")).await;
    let of = |id: UserId, rows: Vec<crate::fixture::Row>| {
        rows.into_iter().filter(|row| row.user_id == id).map(|row| row.template).collect::<Vec<_>>()
    };
    let mails = of(member.id.into(), world.rows().await);
    assert_eq!(mails, ["deposit_rejected", "withdrawal_paid", "balance_adjusted", "password_changed"]);
    assert_eq!(of(other.id.into(), world.rows().await), ["deposit_confirmed"]);
    assert_eq!(member.all().await.notices.len(), 5);

    member.turn_off(&[]).await.unwrap();
    member.happens(&member.transaction("deposit_confirmed")).await;
    assert_eq!(of(member.id.into(), world.rows().await).last().unwrap(), "deposit_confirmed");
    // They leave with the account.
    let closed = auth::AccountClosed { user_id: member.id.to_string(), email: "ada@example.com".to_owned() };
    member.happens(&event("auth.v1.account_closed", &closed)).await;
    assert_eq!(world.count("SELECT count(*) FROM notice_preferences").await, 0);
}

/// [D-M7] [D-M8] What staff do in a case is a notice that leads to it; its mails can be turned off, those of complaints cannot.
#[sqlx::test(migrations = false)]
async fn cases_have_notices(pool: PgPool) {
    let world = World::start(pool).await;
    let member = Member::of(&world);
    member.turn_off(&[NoticeGroup::Cases]).await.unwrap();
    let (id, user_id) = (Uuid::new_v4().to_string(), member.id.to_string());
    let case = Some(cases::CaseFacts { case_id: id.clone(), number: 4711, user_id, ..Default::default() });
    for event in [
        event("cases.v1.opened", &cases::CaseOpened { case: case.clone() }),
        event("cases.v1.answered", &cases::CaseAnswered { case: case.clone() }),
        event("cases.v1.complaint_registered", &cases::ComplaintRegistered { case: case.clone() }),
        event("cases.v1.closed", &cases::CaseClosed { case }),
    ] {
        member.happens(&event).await;
    }
    let answer = member.list(NoticeGroup::Cases, 0, "").await;
    assert_eq!(kinds(&answer), ["case_closed", "complaint_registered", "case_answered"]);
    assert!(answer.notices.iter().all(|one| one.case_id == id && one.case_number == 4711));
    let mails: Vec<_> = world.rows().await.into_iter().map(|row| row.template).collect();
    assert_eq!(mails, ["complaint_registered"]);
}

/// [D-M7] [D-H5] Notices are forgotten after 180 days.
#[sqlx::test(migrations = false)]
async fn old_notices_are_forgotten(pool: PgPool) {
    let world = World::start(pool).await;
    let member = Member::of(&world);
    member.happens(&member.transaction("deposit_confirmed")).await;
    world.execute("UPDATE notices SET created_at = now() - interval '181 days'").await;
    member.happens(&member.transaction("deposit_rejected")).await;
    world.execute("UPDATE notices SET created_at = now() - interval '179 days' WHERE kind = 'deposit_rejected'").await;
    assert_eq!(world.send.forget_old().await.unwrap(), 1);
    assert_eq!(kinds(&member.all().await), ["deposit_rejected"]);
}

/// [D-M7] [D-D1] Only verified members read; a frozen one, too.
#[sqlx::test(migrations = false)]
async fn only_members_read_notices(pool: PgPool) {
    let world = World::start(pool).await;
    let member = Member::of(&world);
    let list = async |token: &str| {
        let answer = member.grpc.list_notices(with_token(ListNoticesRequest::default(), token)).await;
        answer.map(drop).map_err(|status| from_status(&status).code)
    };
    let unverified = world.realm.sign_in(chassis::identity::Session { verified: false, ..session(None) });
    assert_eq!(list(&unverified).await.unwrap_err(), "EMAIL_NOT_VERIFIED");
    assert_eq!(list(&world.realm.staff(Role::Admin).1).await.unwrap_err(), "PERMISSION_DENIED");
    assert_eq!(list("stale").await.unwrap_err(), "UNAUTHENTICATED");
    world.realm.freeze(member.id);
    list(&member.token).await.unwrap();
}
