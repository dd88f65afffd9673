//! Notices, and which mails a member wants.

use axum::http::{Method, StatusCode};
use proto::mailer::v1::read_notices_request::Which;
use proto::mailer::v1::{self as mailer, NoticeGroup};
use serde_json::json;

use crate::fixture::{Fixture, moment};

const LIST: &str = "/solvane.mailer.v1.NoticeService/ListNotices";
const READ: &str = "/solvane.mailer.v1.NoticeService/ReadNotices";
const GET: &str = "/solvane.mailer.v1.NoticeService/GetNoticePreferences";
const SET: &str = "/solvane.mailer.v1.NoticeService/SetNoticePreferences";

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

    let off = mailer::NoticePreferences { mail_off: vec![NoticeGroup::Plans.into()] };
    fixture.recorder.answer(GET, &mailer::GetNoticePreferencesResponse { preferences: Some(off.clone()) });
    let reply = fixture.call(Method::GET, "/v1/notices/preferences", Some(&token), "").await;
    let mail = json!({ "money": true, "plans": false, "courses": true, "cases": true });
    assert_eq!(reply.json(), json!({ "success": true, "mail": mail }));
    fixture.recorder.answer(SET, &mailer::SetNoticePreferencesResponse { preferences: Some(off.clone()) });
    let body = json!({ "mail": mail }).to_string();
    assert_eq!(put("/v1/notices/preferences", &body).await.json()["mail"], mail);
    let asked: Vec<mailer::SetNoticePreferencesRequest> = fixture.recorder.asked(SET);
    assert_eq!(asked[0].preferences, Some(off));
    let wrong = put("/v1/notices/preferences", r#"{"mail":{"money":"perhaps"}}"#).await;
    assert!(wrong.json()["errors"]["mail.money"].is_string(), "{wrong:?}");
}
