//! The back office: what of a request reaches the services, and what of their answers reaches staff.

mod lists;
mod payouts;
mod review;
mod treasury;

use axum::body::Body;
use axum::http::{Method, Request, StatusCode};
use chassis::identity::Role;
use prost::Message;
use proto::auth::v1 as auth;
use proto::common::v1::{
    ConfirmProposalRequest, ConfirmProposalResponse, Idempotency, ListProposalsRequest, ListProposalsResponse,
    Proposal, ProposalBlocker, ProposalStatus, RejectProposalRequest, RejectProposalResponse, ReplayDeadLetterRequest,
};
use proto::course::v1 as course;
use proto::payment_method::v1 as payment_method;
use proto::wallet::v1 as wallet;

use crate::fixture::{Fixture, Reply, pending_deposit};

async fn keyed(fixture: &Fixture, token: &str, (method, path): (Method, &str), body: &str, key: Option<&str>) -> Reply {
    let mut request = Request::builder()
        .method(method)
        .uri(format!("/v1/admin{path}"))
        .header("content-type", "application/json")
        .header("authorization", format!("Bearer {token}"));
    if let Some(key) = key {
        request = request.header("idempotency-key", key);
    }
    fixture.send(request.body(Body::from(body.to_owned())).unwrap()).await
}

/// Sends a mutation twice under a key and once without, and says which keys reached the service.
async fn keys<M: Message + Default>(
    fixture: &Fixture,
    call: (Method, &str),
    body: &str,
    service: &str,
    key: fn(M) -> Option<Idempotency>,
) {
    let (_, token) = fixture.realm.staff(Role::Admin);
    for given in [Some("k"), Some("k"), None] {
        let reply = keyed(fixture, &token, call.clone(), body, given).await;
        // What proposes makes something.
        let expected = if call.1.starts_with("/staff") { StatusCode::CREATED } else { StatusCode::OK };
        assert_eq!(reply.status, expected, "{call:?} {reply:?}");
    }
    let reply = keyed(fixture, &token, call.clone(), body, Some("k")).await;
    assert_eq!(reply.headers["idempotency-replayed"], "true", "{call:?}");
    let asked: Vec<_> = fixture.recorder.asked::<M>(service).into_iter().map(key).collect();
    assert_eq!(asked[0], asked[1], "{call:?}");
    assert_eq!((asked[0].as_ref().map(|claim| claim.key.as_str()), &asked[2]), (Some("k"), &None), "{call:?}");
    assert_eq!(keyed(fixture, &token, call, body, Some("")).await.status, StatusCode::UNPROCESSABLE_ENTITY);
}

/// [D-G4] [D-O6] [A8] Every mutation of the back office takes a key to the service that stores it, and marks a replay.
#[tokio::test]
async fn every_mutation_of_staff_honours_its_key() {
    let fixture = Fixture::new().await;
    let proposal =
        Some(Proposal { id: "1".to_owned(), status: ProposalStatus::Confirmed.into(), ..Default::default() });
    for (service, prefix) in [("wallet", "wal"), ("trade", "trd"), ("payment-method", "pay"), ("auth", "aut")] {
        let path = |verb: &str| format!("{service}/solvane.common.v1.ProposalService/{verb}Proposal");
        let confirmed = ConfirmProposalResponse { proposal: proposal.clone() };
        fixture.recorder.answer(&path("Confirm"), &confirmed);
        fixture.recorder.answer(&path("Reject"), &RejectProposalResponse { proposal: proposal.clone() });
        let confirm = format!("/proposals/{prefix}_1/confirm");
        let key = |m: ConfirmProposalRequest| m.idempotency;
        keys(&fixture, (Method::POST, &confirm), "", &path("Confirm"), key).await;
        let reject = format!("/proposals/{prefix}_1/reject");
        keys(&fixture, (Method::POST, &reject), "", &path("Reject"), |m: RejectProposalRequest| m.idempotency).await;
    }
    for (service, prefix) in [("wallet", "wal"), ("mailer", "mai")] {
        let path = format!("{service}/solvane.common.v1.DeadLetterService/ReplayDeadLetter");
        let replay = format!("/dead-letters/{prefix}_1/replay");
        keys(&fixture, (Method::POST, &replay), "", &path, |m: ReplayDeadLetterRequest| m.idempotency).await;
    }
    let path = "/solvane.auth.v1.StaffService/ProposeStaffChange";
    fixture.recorder.answer(path, &auth::ProposeStaffChangeResponse { proposal });
    let f = &fixture;
    let post = |path| (Method::POST, path);
    let path = "/solvane.payment_method.v1.StaffService/SignPlatformMethod";
    let signed = Some(payment_method::PaymentMethod::default());
    f.recorder.answer(path, &payment_method::SignPlatformMethodResponse { payment_method: signed });
    let body = r#"{"version":2,"signature":"2026-11-23T16:00:00Z.x"}"#;
    let sign = |m: payment_method::SignPlatformMethodRequest| m.idempotency;
    keys(f, post("/payment-methods/1/signature"), body, path, sign).await;
    let path = "/solvane.payment_method.v1.StaffService/ProveAddress";
    let proven = Some(payment_method::PaymentMethod::default());
    f.recorder.answer(path, &payment_method::ProveAddressResponse { payment_method: proven });
    let body = r#"{"message":"Solvane Ltd controls the address x on 2026-11-28","signature":"0x"}"#;
    let prove = |m: payment_method::ProveAddressRequest| m.idempotency;
    keys(f, post("/payment-methods/1/proof"), body, path, prove).await;
    let of = "/solvane.course.v1.StaffService/";
    let path = format!("{of}PublishDraft");
    let body = r#"{"revision":1,"published":1}"#;
    keys(f, post("/course/publish"), body, &path, |m: course::PublishDraftRequest| m.idempotency).await;
    let (path, body) = (format!("{of}RestoreVersion"), r#"{"published":2}"#);
    let restore = |m: course::RestoreVersionRequest| m.idempotency;
    keys(f, post("/course/versions/1/restore"), body, &path, restore).await;
    let (note, of) = (r#"{"note":"odd"}"#, "/solvane.auth.v1.StaffService/");
    let path = format!("{of}FreezeMember");
    keys(f, post("/members/1/freeze"), note, &path, |m: auth::FreezeMemberRequest| m.idempotency).await;
    let path = format!("{of}UnfreezeMember");
    keys(f, post("/members/1/unfreeze"), note, &path, |m: auth::UnfreezeMemberRequest| m.idempotency).await;
    let path = format!("{of}AddMemberNote");
    keys(f, post("/members/1/notes"), note, &path, |m: auth::AddMemberNoteRequest| m.idempotency).await;
    let path = format!("{of}ProposeStaffChange");
    keys(f, (Method::DELETE, "/staff/1"), "", &path, |m: auth::ProposeStaffChangeRequest| m.idempotency).await;
}

const LEASE: &str = "/solvane.wallet.v1.StaffService/LeasePayout";
const APPROVE: &str = "/solvane.wallet.v1.StaffService/ApproveTransaction";
const PAID: &str = "/solvane.wallet.v1.StaffService/MarkWithdrawalPaid";

fn row() -> wallet::Transaction {
    let until = chassis::clock::Timestamp { seconds: 1_800_000_000, nanos: 123_456_000 };
    wallet::Transaction {
        id: "1a2b3c4d-0000-4000-8000-000000000000".to_owned(),
        revision: 3,
        paying: Some(wallet::PayoutLease {
            treasurer_id: "11111111-1111-4111-8111-111111111111".to_owned(),
            until: Some(until),
        }),
        ..pending_deposit()
    }
}

/// [D-R2] [D-O2] Proposals are one list with one cursor over the services, in the contract's words, with names.
#[tokio::test]
async fn proposals_are_one_list() {
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.staff(Role::Reviewer);
    let proposal = |number: usize| Proposal {
        id: format!("01900000-0000-7000-8000-{number:012}"),
        change_json: r#"{"kind":"bonus","amount_cents":2550}"#.to_owned(),
        before_json: r#"{"availableCents":100}"#.to_owned(),
        proposed_by: "11111111-1111-4111-8111-111111111111".to_owned(),
        status: ProposalStatus::Open.into(),
        blocker: Some(ProposalBlocker { code: "STALE_REVISION".to_owned(), message: "It changed.".to_owned() }),
        ..Default::default()
    };
    let proposals = (0..60).map(|one| proposal(2 * one)).collect();
    fixture.recorder.answer(
        "wallet/solvane.common.v1.ProposalService/ListProposals",
        &ListProposalsResponse { proposals, next_cursor: String::new() },
    );
    let proposals = (0..60).map(|one| proposal(2 * one + 1)).collect();
    fixture.recorder.answer(
        "trade/solvane.common.v1.ProposalService/ListProposals",
        &ListProposalsResponse { proposals, next_cursor: String::new() },
    );
    let reply = fixture.call(Method::GET, "/v1/admin/proposals?status=open", Some(&token), "").await.json();
    let list = reply["proposals"].as_array().unwrap();
    assert_eq!((list.len(), reply["nextCursor"].as_str()), (100, Some(proposal(20).id.as_str())));
    assert_eq!(list[0]["id"], format!("trd_{}", proposal(119).id));
    assert_eq!((&list[0]["change"]["amount"], &list[0]["before"]["balance"]), (&25.5.into(), &1.into()));
    assert_eq!(list[0]["proposedByName"], "Ada Lovelace");
    assert_eq!(list[0]["blocker"]["message"], "It changed.");
    // [D-O3] The list is a file, too. The fakes know no cursor: one page alone.
    for service in ["wallet", "trade"] {
        let proposals = if service == "trade" { vec![proposal(119)] } else { Vec::new() };
        fixture.recorder.answer(
            &format!("{service}/solvane.common.v1.ProposalService/ListProposals"),
            &ListProposalsResponse { proposals, next_cursor: String::new() },
        );
    }
    let file = fixture.call(Method::GET, "/v1/admin/proposals?status=open&format=csv", Some(&token), "").await;
    assert_eq!(file.headers["content-disposition"], "attachment; filename=\"solvane-proposals.csv\"");
    let lines: Vec<_> = file.text.lines().collect();
    assert!(lines[1].starts_with(&format!("trd_{},", proposal(119).id)), "{}", lines[1]);
    assert!(lines[1].contains(",open,") && lines[1].contains("Ada Lovelace"), "{}", lines[1]);
    fixture.call(Method::GET, &format!("/v1/admin/proposals?cursor={}", proposal(20).id), Some(&token), "").await;
    let asked: Vec<ListProposalsRequest> =
        fixture.recorder.asked("wallet/solvane.common.v1.ProposalService/ListProposals");
    assert_eq!(asked[2].page.clone().unwrap().cursor, proposal(20).id);
}

/// [D-B9] [D-B10] [D-R16] [D-G3] [D-G4] A reversal and a hold make something, a release does not; each takes its key.
#[tokio::test]
async fn reversals_and_holds_reach_the_wallet() {
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.staff(Role::Reviewer);
    let of = "/solvane.wallet.v1.StaffService/";
    let proposal = Some(Proposal {
        id: "1".to_owned(),
        kind: "reversal".to_owned(),
        change_json: r#"{"reference":"TNX-abcdef","amount_cents":10000,"note":"charged back"}"#.to_owned(),
        before_json: r#"{"availableCents":4000,"owedCents":0}"#.to_owned(),
        status: ProposalStatus::Open.into(),
        ..Default::default()
    });
    fixture.recorder.answer(&format!("{of}ProposeReversal"), &wallet::ProposeReversalResponse { proposal });
    let hold = Some(wallet::Hold {
        id: "h".to_owned(),
        amount_cents: 2_550,
        reason_code: "DISPUTE".to_owned(),
        reason: "A payment to your account is disputed.".to_owned(),
        placed_by: "s".to_owned(),
        ..Default::default()
    });
    fixture.recorder.answer(&format!("{of}PlaceHold"), &wallet::PlaceHoldResponse { hold: hold.clone() });
    fixture.recorder.answer(&format!("{of}ReleaseHold"), &wallet::ReleaseHoldResponse { hold });

    let post = |path| (Method::POST, path);
    let reply = keyed(&fixture, &token, post("/transactions/t/reverse"), r#"{"note":"charged back"}"#, Some("k")).await;
    assert_eq!(reply.status, StatusCode::CREATED, "{reply:?}");
    let said = reply.json();
    assert_eq!((&said["proposalId"], &said["proposal"]["permission"]), (&"wal_1".into(), &"".into()));
    assert_eq!(said["proposal"]["change"]["amount"], 100);
    assert_eq!((&said["proposal"]["before"]["balance"], &said["proposal"]["before"]["owed"]), (&40.into(), &0.into()));
    let asked: Vec<wallet::ProposeReversalRequest> = fixture.recorder.asked(&format!("{of}ProposeReversal"));
    assert_eq!((asked[0].transaction_id.as_str(), asked[0].note.as_str()), ("t", "charged back"));
    assert_eq!(asked[0].idempotency.as_ref().unwrap().key, "k");

    let body = r#"{"amount":25.5,"reasonCode":"DISPUTE"}"#;
    let reply = keyed(&fixture, &token, post("/members/m/holds"), body, Some("k")).await;
    assert_eq!(reply.status, StatusCode::CREATED, "{reply:?}");
    let hold = &reply.json()["hold"];
    assert_eq!(
        (&hold["amount"], &hold["reasonCode"], &hold["placedBy"]),
        (&25.5.into(), &"DISPUTE".into(), &"s".into())
    );
    let asked: Vec<wallet::PlaceHoldRequest> = fixture.recorder.asked(&format!("{of}PlaceHold"));
    assert_eq!((asked[0].user_id.as_str(), asked[0].amount_cents), ("m", 2_550));
    let reply = keyed(&fixture, &token, post("/members/m/holds/h/release"), "", Some("k")).await;
    assert_eq!(reply.status, StatusCode::OK, "{reply:?}");
    let asked: Vec<wallet::ReleaseHoldRequest> = fixture.recorder.asked(&format!("{of}ReleaseHold"));
    assert_eq!((asked[0].user_id.as_str(), asked[0].hold_id.as_str()), ("m", "h"));
    let reply = keyed(&fixture, &token, post("/members/m/holds"), r#"{"amount":"x"}"#, None).await;
    assert_eq!(reply.status, StatusCode::UNPROCESSABLE_ENTITY, "{reply:?}");
}

/// [D-C4] [D-O1] A draft is as large as all texts of the course; a member may not send one.
#[tokio::test]
async fn a_draft_has_room_for_the_whole_course() {
    let fixture = Fixture::new().await;
    let path = "/solvane.course.v1.StaffService/SaveDraft";
    let draft = Some(course::DraftState { revision: 2, ..Default::default() });
    fixture.recorder.answer(path, &course::SaveDraftResponse { draft });
    let lesson = |number: usize| {
        let (id, markdown) = (format!("lesson-{number}"), "long ".repeat(20_000));
        serde_json::json!({ "id": id, "title": "Long", "minutes": 5, "preview": false, "markdown": markdown })
    };
    let modules =
        serde_json::json!([{ "title": "All", "summary": "", "lessons": (0..20).map(lesson).collect::<Vec<_>>() }]);
    let content = serde_json::json!({ "title": "Course", "subtitle": "", "modules": modules });
    let body = serde_json::json!({ "revision": 1, "content": content }).to_string();
    assert!(body.len() > 2_000_000);
    let (_, token) = fixture.realm.staff(Role::Manager);
    let reply = fixture.call(Method::PUT, "/v1/admin/course/draft", Some(&token), &body).await;
    assert_eq!((reply.status, &reply.json()["revision"]), (StatusCode::OK, &2.into()), "{reply:?}");
    let asked: Vec<course::SaveDraftRequest> = fixture.recorder.asked(path);
    let lessons = &asked[0].content.as_ref().unwrap().modules[0].lessons;
    assert_eq!((lessons.len(), lessons[19].markdown.len()), (20, 100_000));
    let (_, member) = fixture.realm.member();
    let refused = fixture.call(Method::PUT, "/v1/admin/course/draft", Some(&member), &body).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN, "{refused:?}");
    assert_eq!(fixture.recorder.asked::<course::SaveDraftRequest>(path).len(), 1);
}
