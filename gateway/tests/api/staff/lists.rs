//! Lists and files of what matches.

use axum::http::{Method, StatusCode};
use chassis::error::{Kind, Refusal};
use chassis::identity::Role;
use proto::auth::v1 as auth;
use proto::cases::v1 as cases;
use proto::common::v1::{AuditRow, ErrorReason, ListAuditRowsRequest, ListAuditRowsResponse};
use proto::wallet::v1 as wallet;
use serde_json::{Value, json};

use crate::fixture::{Fixture, moment};
use crate::staff::row;

/// [R9] [D-O3] Members and transactions that match are a file, too: the same columns in each row, inert in a spreadsheet.
#[tokio::test]
async fn members_and_transactions_are_files() {
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.staff(Role::Auditor);
    let (members, transactions) =
        ("/solvane.auth.v1.StaffService/ListMembers", "/solvane.wallet.v1.StaffService/ListStaffTransactions");
    let member = auth::User {
        id: "1".to_owned(),
        name: "=HYPERLINK(\"x\")".to_owned(),
        email: "ada@example.test".to_owned(),
        phone: "+46 70".to_owned(),
        is_verified: true,
        ..Default::default()
    };
    fixture.recorder.answer(members, &auth::ListMembersResponse { members: vec![member], ..Default::default() });
    let list = wallet::ListStaffTransactionsResponse {
        transactions: vec![row()],
        as_of: Some(moment()),
        ..Default::default()
    };
    fixture.recorder.answer(transactions, &list);
    let read = async |path: &str| fixture.call(Method::GET, &format!("/v1/admin{path}"), Some(&token), "").await;

    let reply = read("/members?search=ada&format=csv").await;
    assert_eq!(reply.headers["content-disposition"], "attachment; filename=\"solvane-members.csv\"");
    assert_eq!(
        reply.text,
        "id,name,email,phone,country,createdAt,isVerified,isFrozen,closedAt\r\n\
         1,\"'=HYPERLINK(\"\"x\"\")\",ada@example.test,'+46 70,,,true,false,\r\n"
    );
    let asked: Vec<auth::ListMembersRequest> = fixture.recorder.asked(members);
    assert_eq!((&*asked[0].search, asked[0].page.as_ref().map(|page| page.size)), ("ada", Some(500)));

    let reply = read("/transactions?kind=deposit&member=1&format=csv").await;
    assert_eq!(reply.headers["content-type"], "text/csv; charset=utf-8");
    let lines: Vec<_> = reply.text.lines().collect();
    assert!(lines[1].starts_with("1a2b3c4d-0000-4000-8000-000000000000,TNX-1a2b3c,"), "{lines:?}");
    assert!(lines[1].contains(",deposit,credit,pending,0,"), "{lines:?}");
    assert_eq!(lines.len(), 2);
    assert_eq!(read("/transactions").await.json()["asOf"], "2026-02-02T02:40:00.005Z");
    for path in ["/members?format=xml", "/transactions?format=xml"] {
        assert_eq!(read(path).await.status, StatusCode::UNPROCESSABLE_ENTITY, "{path}");
    }
    let (_, member) = fixture.realm.member();
    let refused = fixture.call(Method::GET, "/v1/admin/members?format=csv", Some(&member), "").await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
}

/// [R9] [D-S2] A page of members has their balances by one call, and is answered without them if wallet fails.
#[tokio::test]
async fn members_are_listed_with_their_balances() {
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.staff(Role::Auditor);
    let (members, wallets) =
        ("/solvane.auth.v1.StaffService/ListMembers", "/solvane.wallet.v1.StaffService/ListMemberWallets");
    let member = |id: &str| auth::User { id: id.to_owned(), ..Default::default() };
    let page = auth::ListMembersResponse { members: vec![member("1"), member("2")], ..Default::default() };
    fixture.recorder.answer(members, &page);
    let read = async || fixture.call(Method::GET, "/v1/admin/members", Some(&token), "").await.json();
    let wallet = wallet::Wallet { user_id: "2".to_owned(), available_cents: 1_250, ..Default::default() };
    fixture.recorder.answer(wallets, &wallet::ListMemberWalletsResponse { wallets: vec![wallet] });
    let found = read().await;
    assert_eq!(found["members"][0]["wallet"]["balance"], 0);
    assert_eq!(found["members"][1]["wallet"]["balance"], 12.5);
    let asked: Vec<wallet::ListMemberWalletsRequest> = fixture.recorder.asked(wallets);
    assert_eq!(asked[0].user_ids, ["1", "2"]);

    let down = Refusal::new(Kind::Unavailable, ErrorReason::Unavailable, "Later.");
    fixture.recorder.refuse(wallets, down);
    assert_eq!(read().await["members"][1]["wallet"], Value::Null);
}

/// [D-O3] [D-S2] The time line over all logs is answered without a service that is down, which it names, and goes on with it later; a
/// file and the log of that service are not.
#[tokio::test]
async fn the_time_line_goes_on_without_a_service() {
    const LIST: &str = "/solvane.common.v1.AuditService/ListAuditRows";
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.staff(Role::Auditor);
    let row = AuditRow { id: 7, at: Some(moment()), action: "deposit.approve".to_owned(), ..Default::default() };
    let list = ListAuditRowsResponse { rows: vec![row], ..Default::default() };
    fixture.recorder.answer(&format!("wallet{LIST}"), &list);
    let read = async |query: &str| {
        let path = format!("/v1/admin/audit?service={query}");
        fixture.call(Method::GET, &path, Some(&token), "").await
    };
    let complete = read("all").await.json();
    assert_eq!((&complete["missing"], &complete["nextCursor"]), (&Value::Null, &Value::Null));

    let down = || Refusal::new(Kind::Unavailable, ErrorReason::Unavailable, "Later.");
    fixture.recorder.refuse(&format!("mailer{LIST}"), down());
    let found = read("all").await.json();
    assert_eq!((&found["missing"], &found["rows"][0]["id"]), (&json!(["mailer"]), &json!(7)));
    assert_eq!(found["nextCursor"], "-_-_-_-_-_-_");
    for query in ["all&cursor=-_-_-_-_-_-_", "mailer", "all&format=csv"] {
        assert_eq!(read(query).await.status, StatusCode::SERVICE_UNAVAILABLE, "{query}");
    }
    let asked: Vec<ListAuditRowsRequest> = fixture.recorder.asked(&format!("wallet{LIST}"));
    assert_eq!(asked.len(), 3);
    assert_eq!(read("wallet").await.status, StatusCode::OK);
    let forbidden = Refusal::new(Kind::Forbidden, ErrorReason::PermissionDenied, "Not for you.");
    fixture.recorder.refuse(LIST, forbidden);
    assert_eq!(read("all").await.status, StatusCode::FORBIDDEN);
}

/// [R9] [D-M8] The inbox is a file, too, of the filter that is shown.
#[tokio::test]
async fn cases_are_a_file() {
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.staff(Role::Reviewer);
    let path = "/solvane.cases.v1.StaffService/ListStaffCases";
    let mut case = cases::Case {
        id: "1".to_owned(),
        number: 4711,
        user_id: "2".to_owned(),
        subject: Some(cases::Subject { kind: 0, reference: "=1+1".to_owned() }),
        created_at: Some(moment()),
        updated_at: Some(moment()),
        messages: 3,
        ..Default::default()
    };
    case.set_topic(cases::Topic::Deposit);
    case.set_state(cases::CaseState::Open);
    case.subject.as_mut().unwrap().set_kind(cases::SubjectKind::Payment);
    fixture.recorder.answer(path, &cases::ListStaffCasesResponse { cases: vec![case], next_cursor: String::new() });
    let reply = fixture.call(Method::GET, "/v1/admin/cases?filter=due&format=csv", Some(&token), "").await;
    assert_eq!(reply.headers["content-disposition"], "attachment; filename=\"solvane-cases.csv\"", "{reply:?}");
    let lines: Vec<_> = reply.text.lines().collect();
    assert_eq!(lines[1..], ["4711,deposit,open,2,Ada Lovelace,,,'=1+1,2026-02-02T02:40:00.005Z,,,,,,3"]);
    let asked: Vec<cases::ListStaffCasesRequest> = fixture.recorder.asked(path);
    assert_eq!((asked[0].filter(), asked[0].page.as_ref().map(|page| page.size)), (cases::CaseFilter::Due, Some(500)));
}
