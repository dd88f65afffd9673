//! Notices, which mails a member wants, and the devices that notices go to.

use axum::http::{Method, StatusCode};
use proto::mailer::v1::read_notices_request::Which;
use proto::mailer::v1::{self as mailer, NoticeGroup};
use serde_json::json;

use crate::fixture::{Fixture, moment};

const LIST: &str = "/solvane.mailer.v1.NoticeService/ListNotices";
const READ: &str = "/solvane.mailer.v1.NoticeService/ReadNotices";
const GET: &str = "/solvane.mailer.v1.NoticeService/GetNoticePreferences";
const SET: &str = "/solvane.mailer.v1.NoticeService/SetNoticePreferences";
const PUSH: &str = "/solvane.mailer.v1.NoticeService/GetPush";
const SUBSCRIBE: &str = "/solvane.mailer.v1.NoticeService/SubscribePush";
const UNSUBSCRIBE: &str = "/solvane.mailer.v1.NoticeService/UnsubscribePush";

/// [D-M7] A notice says what it is about and nothing else; an unknown group is a 422 on its field.
#[tokio::test]
async fn notices_are_listed() {
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.member();
    let deposit = mailer::Notice {
        id: "n-2".to_owned(),
        kind: "deposit_confirmed".to_owned(),
        group: NoticeGroup::Money.into(),
        at: Some(moment()),
        transaction_id: "t-1".to_owned(),
        amount_cents: 25_050,
        ..Default::default()
    };
    let frozen = mailer::Notice {
        id: "n-1".to_owned(),
        kind: "account_frozen".to_owned(),
        group: NoticeGroup::Security.into(),
        at: Some(moment()),
        read_at: Some(moment()),
        ..Default::default()
    };
    let answer = mailer::ListNoticesResponse {
        notices: vec![deposit, frozen],
        next_cursor: "n-1".to_owned(),
        unread: 1,
        announcements: Vec::new(),
    };
    fixture.recorder.answer(LIST, &answer);
    let read = async |query: &str| fixture.call(Method::GET, &format!("/v1/notices{query}"), Some(&token), "").await;
    let reply = read("?cursor=n-3&group=money").await;
    assert_eq!(reply.status, StatusCode::OK, "{reply:?}");
    let at = "2026-02-02T02:40:00.005Z";
    assert_eq!(
        reply.json(),
        json!({ "success": true, "unread": 1, "nextCursor": "n-1", "announcements": [], "notices": [
            { "id": "n-2", "kind": "deposit_confirmed", "group": "money", "at": at, "readAt": null,
              "transactionId": "t-1", "amount": 250.5 },
            { "id": "n-1", "kind": "account_frozen", "group": "security", "at": at, "readAt": at },
        ] })
    );
    let asked: Vec<mailer::ListNoticesRequest> = fixture.recorder.asked(LIST);
    assert_eq!((asked[0].group(), asked[0].page.as_ref().unwrap().cursor.as_str()), (NoticeGroup::Money, "n-3"));
    let wrong = read("?group=weather").await;
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(wrong.json()["errors"]["group"].is_string());
}

/// [D-M7] One notice is read, or all up to one; which mails are wanted is what was sent.
#[tokio::test]
async fn notices_are_read_and_mails_chosen() {
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.member();
    let put = async |path: &str, body: &str| fixture.call(Method::PUT, path, Some(&token), body).await;
    fixture.recorder.answer(READ, &mailer::ReadNoticesResponse { unread: 4 });
    assert_eq!(put("/v1/notices/read", r#"{"upTo":"n-2"}"#).await.json()["unread"], json!(4));
    put("/v1/notices/read", r#"{"id":"n-1"}"#).await;
    let asked: Vec<mailer::ReadNoticesRequest> = fixture.recorder.asked(READ);
    let asked: Vec<_> = asked.into_iter().filter_map(|request| request.which).collect();
    assert_eq!(asked, [Which::UpTo("n-2".to_owned()), Which::Id("n-1".to_owned())]);

    let off = mailer::NoticePreferences {
        mail_off: vec![NoticeGroup::Plans.into()],
        push_off: vec![NoticeGroup::Money.into(), NoticeGroup::Cases.into()],
    };
    fixture.recorder.answer(GET, &mailer::GetNoticePreferencesResponse { preferences: Some(off.clone()) });
    let reply = fixture.call(Method::GET, "/v1/notices/preferences", Some(&token), "").await;
    let mail = json!({ "money": true, "plans": false, "courses": true, "cases": true });
    let push = json!({ "money": false, "plans": true, "courses": true, "cases": false });
    assert_eq!(reply.json(), json!({ "success": true, "mail": mail, "push": push }));
    fixture.recorder.answer(SET, &mailer::SetNoticePreferencesResponse { preferences: Some(off.clone()) });
    let body = json!({ "mail": mail, "push": push }).to_string();
    let saved = put("/v1/notices/preferences", &body).await.json();
    assert_eq!((&saved["mail"], &saved["push"]), (&mail, &push));
    let asked: Vec<mailer::SetNoticePreferencesRequest> = fixture.recorder.asked(SET);
    assert_eq!(asked[0].preferences, Some(off));
    let wrong = put("/v1/notices/preferences", r#"{"mail":{"money":"perhaps"},"push":{"plans":1}}"#).await;
    let errors = &wrong.json()["errors"];
    assert!(errors["mail.money"].is_string() && errors["push.plans"].is_string(), "{wrong:?}");
}

/// [D-M7] A browser reads the key, names its subscription as it is, and takes it back; without the key there is none.
#[tokio::test]
async fn a_device_is_subscribed() {
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.member();
    let call = async |method, body: &str| fixture.call(method, "/v1/notices/push", Some(&token), body).await;
    fixture.recorder.answer(PUSH, &mailer::GetPushResponse::default());
    let off = json!({ "success": true, "publicKey": null, "isOn": false });
    assert_eq!(call(Method::GET, "").await.json(), off);
    fixture.recorder.answer(PUSH, &mailer::GetPushResponse { public_key: "BK".to_owned(), is_on: true });
    assert_eq!(call(Method::GET, "").await.json(), json!({ "success": true, "publicKey": "BK", "isOn": true }));

    fixture.recorder.answer(SUBSCRIBE, &mailer::SubscribePushResponse {});
    let body = r#"{"endpoint":"https://push.test/a","p256dh":"BP","auth":"s"}"#;
    assert_eq!(call(Method::PUT, body).await.status, StatusCode::OK);
    let asked: Vec<mailer::SubscribePushRequest> = fixture.recorder.asked(SUBSCRIBE);
    let [endpoint, p256dh, auth] = ["https://push.test/a", "BP", "s"].map(str::to_owned);
    assert_eq!(asked, [mailer::SubscribePushRequest { endpoint, p256dh, auth }]);
    let wrong = call(Method::PUT, r#"{"endpoint":["https://push.test/a"]}"#).await;
    assert!(wrong.json()["errors"]["endpoint"].is_string(), "{wrong:?}");

    fixture.recorder.answer(UNSUBSCRIBE, &mailer::UnsubscribePushResponse {});
    assert_eq!(call(Method::DELETE, "").await.status, StatusCode::OK);
    let asked: Vec<mailer::UnsubscribePushRequest> = fixture.recorder.asked(UNSUBSCRIBE);
    assert_eq!(asked.len(), 1);
}
