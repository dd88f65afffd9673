//! The back office: what of a request reaches the services, and what of their answers reaches staff.

use aws_lc_rs::digest::{SHA256, digest};
use axum::body::Body;
use axum::http::{Method, Request, StatusCode};
use chassis::error::{Kind, Refusal};
use chassis::identity::Role;
use prost::Message;
use proto::common::v1::{
    ChainEvidence, ChainPayment, ConfirmProposalRequest, ConfirmProposalResponse, ErrorReason, EvidenceCheck,
    HeldAtAddress, Idempotency, ListProposalsRequest, ListProposalsResponse, Proposal, ProposalBlocker, ProposalStatus,
    RejectProposalRequest, RejectProposalResponse, ReplayDeadLetterRequest,
};
use proto::{
    auth::v1 as auth, cases::v1 as cases, course::v1 as course, payment_method::v1 as payment_method,
    wallet::v1 as wallet,
};

use crate::fixture::{Fixture, PNG, Reply, moment, pending_deposit};

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

/// A status, kind or direction that the gateway does not know is an error of ours, never shown as another.
#[tokio::test]
async fn an_unknown_status_is_an_error() {
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.staff(Role::Reviewer);
    let review = "/solvane.wallet.v1.StaffService/GetReview";
    for row in [
        wallet::Transaction { status: 0, ..pending_deposit() },
        wallet::Transaction { status: 99, ..pending_deposit() },
        wallet::Transaction { kind: 99, ..pending_deposit() },
        wallet::Transaction { direction: 99, ..pending_deposit() },
    ] {
        let answer = wallet::GetReviewResponse { transaction: Some(row), ..Default::default() };
        fixture.recorder.answer(review, &answer);
        let reply = fixture.call(Method::GET, "/v1/admin/transactions/1", Some(&token), "").await;
        assert_eq!(reply.status, StatusCode::INTERNAL_SERVER_ERROR);
        assert_eq!(reply.json()["code"], "INTERNAL");
    }
}

/// [D-B7] A payout is started under a key with the revision that was seen; the answer says until when, and what to name next.
#[tokio::test]
async fn a_payout_is_started() {
    let fixture = Fixture::new().await;
    fixture.recorder.answer(LEASE, &wallet::LeasePayoutResponse { transaction: Some(row()) });
    let call = (Method::POST, "/transactions/1/paying");
    keys(&fixture, call, r#"{"revision":2}"#, LEASE, |m: wallet::LeasePayoutRequest| m.idempotency).await;
    let asked: Vec<wallet::LeasePayoutRequest> = fixture.recorder.asked(LEASE);
    assert_eq!((asked[0].id.as_str(), asked[0].revision), ("1", 2));
    let (_, token) = fixture.realm.staff(Role::Treasurer);
    let path = "/v1/admin/transactions/1/paying";
    let answer = fixture.call(Method::POST, path, Some(&token), r#"{"revision":2}"#).await.json();
    assert_eq!((&answer["until"], &answer["revision"]), (&"2027-01-15T08:00:00.123Z".into(), &3.into()));
    for body in ["{}", r#"{"revision":"x"}"#] {
        let reply = fixture.call(Method::POST, path, Some(&token), body).await;
        assert_eq!(reply.status, StatusCode::UNPROCESSABLE_ENTITY, "{body}");
    }
}

/// [D-T1] The document of a movement is stored before it is proposed, with the hash of what is stored, and staff who list
/// proposals can open it by a link of its own, and not by its key.
#[tokio::test]
async fn a_movement_keeps_its_document() {
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.staff(Role::Treasurer);
    let propose = "/solvane.wallet.v1.TreasuryService/ProposeMovement";
    let proposal = |file: &str| Proposal {
        id: "1".to_owned(),
        kind: "holding_stated".to_owned(),
        change_json: format!(r#"{{"document":"Note 17","document_file":"{file}"}}"#),
        status: ProposalStatus::Open.into(),
        ..Proposal::default()
    };
    let answer = wallet::ProposeMovementResponse { proposal: Some(proposal("documents/a.png")) };
    fixture.recorder.answer(propose, &answer);
    let body =
        format!(r#"{{"kind":"holding_stated","amount":1,"document":"Note 17","file":"{PNG}","note":"As agreed"}}"#);
    let path = "/v1/admin/treasury/movements";
    assert_eq!(fixture.call(Method::POST, path, Some(&token), &body).await.status, StatusCode::CREATED);
    let asked: Vec<wallet::ProposeMovementRequest> = fixture.recorder.asked(propose);
    let file = &asked[0].file;
    let stored = fixture.files.read(file, None).await.unwrap().all().await.unwrap();
    assert_eq!(digest(&SHA256, &stored).as_ref(), asked[0].file_digest);
    let text = body.replace(PNG, "data:text/html;base64,PGI+");
    let reply = fixture.call(Method::POST, path, Some(&token), &text).await;
    assert_eq!(reply.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    let list = ListProposalsResponse { proposals: vec![proposal(file)], next_cursor: String::new() };
    fixture.recorder.answer("wallet/solvane.common.v1.ProposalService/ListProposals", &list);
    let listed = fixture.call(Method::GET, "/v1/admin/proposals", Some(&token), "").await.json();
    let one = &listed["proposals"][0];
    assert!(one["change"]["documentFile"].is_null(), "{one}");
    let link = one["documentLink"].as_str().unwrap();
    assert_eq!(fixture.call(Method::GET, link, None, "").await.status, StatusCode::OK);
    let bare = format!("/v1/files/{file}");
    assert_eq!(fixture.call(Method::GET, &bare, None, "").await.status, StatusCode::NOT_FOUND);
}

/// [D-N5] What is paid together reaches the treasury as it was seen, under a key; whether the node took it is said.
#[tokio::test]
async fn payouts_are_paid_together() {
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.staff(Role::Treasurer);
    let of = "/solvane.wallet.v1.TreasuryService/";
    let (prepare, send) = (&*format!("{of}PreparePayouts"), &*format!("{of}SendPayouts"));
    let file = wallet::PayoutFile {
        name: "payouts.csv".to_owned(),
        content_type: "text/csv".to_owned(),
        content: "T,1".to_owned(),
    };
    fixture.recorder.answer(prepare, &wallet::PreparePayoutsResponse { files: vec![file], ..Default::default() });
    let body = r#"{"payouts":[{"id":"1","revision":3},{"id":"2","revision":5}],"psbt":"cHNidP8="}"#;
    let path = "/v1/admin/payouts/prepare";
    let prepared = fixture.call(Method::POST, path, Some(&token), body).await.json();
    assert_eq!((&prepared["files"][0]["contentType"], prepared["psbt"].is_null()), (&"text/csv".into(), true));
    let asked: Vec<wallet::PreparePayoutsRequest> = fixture.recorder.asked(prepare);
    let named: Vec<_> = asked[0].payouts.iter().map(|one| (one.id.as_str(), one.revision)).collect();
    assert_eq!(named, [("1", 3), ("2", 5)]);
    for wrong in [r#"{"payouts":[{"id":"1"}]}"#, r#"{"payouts":[{"id":1,"revision":3}]}"#] {
        let reply = fixture.call(Method::POST, path, Some(&token), wrong).await;
        assert_eq!(reply.status, StatusCode::UNPROCESSABLE_ENTITY, "{wrong}");
    }
    fixture.recorder.answer(send, &wallet::SendPayoutsResponse { txid: "ab".to_owned(), ..Default::default() });
    let call = (Method::POST, "/payouts/send");
    keys(&fixture, call, body, send, |m: wallet::SendPayoutsRequest| m.idempotency).await;
    let asked: Vec<wallet::SendPayoutsRequest> = fixture.recorder.asked(send);
    assert_eq!((asked[0].psbt.as_str(), asked[0].payouts.len()), ("cHNidP8=", 2));
    let sent = fixture.call(Method::POST, "/v1/admin/payouts/send", Some(&token), body).await.json();
    assert_eq!((&sent["txid"], &sent["sent"]), (&"ab".into(), &false.into()));
    let dissolve = &*format!("{of}DissolvePayouts");
    fixture.recorder.answer(dissolve, &wallet::DissolvePayoutsResponse::default());
    let call = (Method::POST, "/payouts/dissolve");
    keys(&fixture, call, body, dissolve, |m: wallet::DissolvePayoutsRequest| m.idempotency).await;
    let asked: Vec<wallet::DissolvePayoutsRequest> = fixture.recorder.asked(dissolve);
    assert_eq!((asked[0].payouts[1].id.as_str(), asked[0].payouts[1].revision), ("2", 5));
}

/// [D-B7] The second treasurer learns the name of the one who pays, and until when.
#[tokio::test]
async fn the_payer_is_named_to_others() {
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.staff(Role::Treasurer);
    let mut refusal = Refusal::new(Kind::Conflict, ErrorReason::BeingPaid, "Somebody else is paying this withdrawal.");
    let paying = serde_json::json!({ "by": "11111111-1111-4111-8111-111111111111", "until": "2026-11-22T14:32:07.5Z" });
    refusal.facts = Some(Box::new([("paying".to_owned(), paying)].into()));
    let calls = [
        (LEASE, "paying", r#"{"revision":2}"#),
        (PAID, "paid", r#"{"revision":2,"txid":"a-hash"}"#),
        ("/solvane.wallet.v1.StaffService/RejectTransaction", "reject", r#"{"revision":2,"reasonCode":"OTHER"}"#),
    ];
    for (method, call, body) in calls {
        fixture.recorder.refuse(method, refusal.clone());
        let reply = fixture.call(Method::POST, &format!("/v1/admin/transactions/1/{call}"), Some(&token), body).await;
        let json = reply.json();
        assert_eq!((reply.status, &json["code"]), (StatusCode::CONFLICT, &"BEING_PAID".into()), "{call}");
        assert_eq!(json["message"], "Ada Lovelace is paying this withdrawal until 14:32 UTC.");
        assert_eq!(json["paying"]["byName"], "Ada Lovelace");
        assert_eq!(json["paying"]["until"], "2026-11-22T14:32:07.5Z");
    }
}

/// [D-B8] The output reaches the wallet as it was written, or not at all.
#[tokio::test]
async fn an_output_is_a_whole_number() {
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.staff(Role::Admin);
    fixture.recorder.answer(APPROVE, &wallet::ApproveTransactionResponse { transaction: Some(row()) });
    fixture.recorder.answer(PAID, &wallet::MarkWithdrawalPaidResponse { transaction: Some(row()) });
    let send = async |call: &str, vout: &str| {
        let body = format!(r#"{{"revision":1,"txid":"a-hash"{vout}}}"#);
        fixture.call(Method::POST, &format!("/v1/admin/transactions/1/{call}"), Some(&token), &body).await.status
    };
    for call in ["approve", "paid"] {
        for vout in ["", r#","vout":null"#, r#","vout":0"#, r#","vout":4294967295"#] {
            assert_eq!(send(call, vout).await, StatusCode::OK, "{call} {vout}");
        }
        for vout in ["-1", "1.5", "\"1\"", "4294967296", "true", "[]", "1e2"] {
            let status = send(call, &format!(r#","vout":{vout}"#)).await;
            assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{call} {vout}");
        }
    }
    let expected = [None, None, Some(0), Some(u32::MAX)];
    let approved: Vec<wallet::ApproveTransactionRequest> = fixture.recorder.asked(APPROVE);
    assert_eq!(approved.iter().map(|one| one.vout).collect::<Vec<_>>(), expected);
    let paid: Vec<wallet::MarkWithdrawalPaidRequest> = fixture.recorder.asked(PAID);
    assert_eq!(paid.iter().map(|one| one.vout).collect::<Vec<_>>(), expected);
}

/// [D-B12] [D-B7] An approval says whether it takes a second one; staff see who approved first and who is paying, by name,
/// and a member's history shows neither.
#[tokio::test]
async fn staff_see_who_approved_first_and_who_pays() {
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.staff(Role::Reviewer);
    let first = wallet::FirstApproval {
        reviewer_id: "11111111-1111-4111-8111-111111111111".to_owned(),
        received_amount_cents: 1_000_000,
        txid: "a-hash".to_owned(),
        vout: Some(4),
        ..Default::default()
    };
    let both = wallet::Transaction { first_approval: Some(first), ..row() };
    fixture.recorder.answer(APPROVE, &wallet::ApproveTransactionResponse { transaction: Some(both.clone()) });
    let path = "/v1/admin/transactions/1";
    let answer = fixture.call(Method::POST, &format!("{path}/approve"), Some(&token), r#"{"revision":2}"#).await.json();
    assert_eq!((&answer["needsSecond"], &answer["revision"]), (&true.into(), &3.into()));
    let review = wallet::GetReviewResponse { transaction: Some(both), ..Default::default() };
    fixture.recorder.answer("/solvane.wallet.v1.StaffService/GetReview", &review);
    let seen = fixture.call(Method::GET, path, Some(&token), "").await.json()["transaction"].clone();
    assert_eq!(
        (&seen["paying"]["byName"], &seen["paying"]["until"]),
        (&"Ada Lovelace".into(), &"2027-01-15T08:00:00.123Z".into())
    );
    let first = &seen["firstApproval"];
    assert_eq!((&first["byName"], &first["receivedAmount"]), (&"Ada Lovelace".into(), &10_000.into()));
    assert_eq!((&first["txid"], &first["vout"]), (&"a-hash".into(), &4.into()));
    let document = serde_json::to_value(gateway::router::api().document).unwrap();
    let of_members = &document["components"]["schemas"]["Transaction"]["properties"];
    assert!(of_members["paying"].is_null() && of_members["firstApproval"].is_null() && !of_members["vout"].is_null());
}

/// [D-Q4] [D-R17] Staff see each check with its state, those of the chain too, and the payments. Members see only
/// the payments.
#[tokio::test]
async fn evidence_is_shown_with_the_checks() {
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.staff(Role::Reviewer);
    let payment = ChainPayment {
        chain: "bitcoin".to_owned(),
        txid: "ab".repeat(32),
        index: 1,
        asset: "BTC".to_owned(),
        units: "513809".to_owned(),
        decimals: 8,
        state: "included".to_owned(),
        confirmations: 1,
        confirmations_needed: 2,
        ..Default::default()
    };
    let unknown = EvidenceCheck { name: "payment_found".to_owned(), state: "unknown".to_owned(), ..Default::default() };
    let evidence = ChainEvidence {
        payments: vec![payment],
        checks: vec![unknown],
        suggested_cents: Some(50_000),
        ..Default::default()
    };
    let review = wallet::GetReviewResponse {
        transaction: Some(row()),
        checks: vec![wallet::Check { state: "fail".to_owned(), ..Default::default() }],
        evidence: Some(evidence),
        ..Default::default()
    };
    fixture.recorder.answer("/solvane.wallet.v1.StaffService/GetReview", &review);
    let seen = fixture.call(Method::GET, "/v1/admin/transactions/1", Some(&token), "").await.json();
    let states: Vec<_> = seen["checks"].as_array().unwrap().iter().map(|check| check["state"].clone()).collect();
    assert_eq!(states, ["fail", "unknown"]);
    assert_eq!(seen["checks"][1]["ok"], false);
    assert_eq!(
        (&seen["evidence"]["suggestedAmount"], &seen["evidence"]["payments"][0]["index"]),
        (&500.into(), &1.into())
    );
    let (_, member) = fixture.realm.member();
    let told = fixture.call(Method::GET, "/v1/transactions/1/payments", Some(&member), "").await.json();
    let payment = &told["evidence"]["payments"][0];
    assert_eq!((&payment["confirmations"], &payment["confirmationsNeeded"]), (&1.into(), &2.into()));
    assert!(told["evidence"]["checks"].is_null() && told["checks"].is_null());
    let step = &told["steps"][0];
    assert_eq!(
        (&step["key"], &step["state"], &step["note"]),
        (&"confirmed".into(), &"current".into(), &"1 of 2 confirmations".into())
    );
    assert!(step["at"].is_null() && step["expectedBy"].is_null(), "no time that wallet has not given");
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

/// [D-Q6] Staff see the payments that no transaction accounts for, with the transactions they may belong to, and look at a
/// transaction with the evidence of a chosen payment.
#[tokio::test]
async fn unclaimed_payments_reach_staff() {
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.staff(Role::Reviewer);
    let payment = ChainPayment {
        txid: "ab".repeat(32),
        index: 1,
        units: "513809".to_owned(),
        decimals: 8,
        address: "bc1q-ours".to_owned(),
        state: "final".to_owned(),
        ..Default::default()
    };
    let candidates = vec![row()];
    let unclaimed = wallet::UnclaimedPayment { payment: Some(payment), candidates };
    let answer_rows = vec![unclaimed];
    let answer = wallet::ListUnclaimedPaymentsResponse { payments: answer_rows.clone(), next_cursor: "7".to_owned() };
    let path = "/solvane.wallet.v1.StaffService/ListUnclaimedPayments";
    fixture.recorder.answer(path, &answer);
    let reply = keyed(&fixture, &token, (Method::GET, "/payments/unclaimed?cursor=9"), "", None).await;
    let answer = reply.json();
    let found = &answer["payments"][0];
    assert_eq!(
        (&found["units"], &found["index"], &found["address"]),
        (&"513809".into(), &1.into(), &"bc1q-ours".into())
    );
    assert_eq!((&found["candidates"][0]["id"], &answer["nextCursor"]), (&row().id.into(), &"7".into()));
    let asked = fixture.recorder.asked::<wallet::ListUnclaimedPaymentsRequest>(path);
    assert_eq!(asked[0].page.as_ref().unwrap().cursor, "9");
    // [D-O3] The list is a file, too.
    let answer = wallet::ListUnclaimedPaymentsResponse { payments: answer_rows, next_cursor: String::new() };
    fixture.recorder.answer(path, &answer);
    let reply = keyed(&fixture, &token, (Method::GET, "/payments/unclaimed?format=csv"), "", None).await;
    assert_eq!(reply.headers["content-disposition"], "attachment; filename=\"solvane-unclaimed.csv\"");
    let lines: Vec<_> = reply.text.lines().collect();
    let expected = format!(",{},1,,513809,8,,final,,bc1q-ours,{}", "ab".repeat(32), row().id);
    assert_eq!((lines[1], lines.len()), (expected.as_str(), 2));
    keyed(&fixture, &token, (Method::GET, "/transactions/1?txid=abcd&vout=1"), "", None).await;
    let asked = fixture.recorder.asked::<wallet::GetReviewRequest>("/solvane.wallet.v1.StaffService/GetReview");
    assert_eq!((asked[0].txid.as_str(), asked[0].vout), ("abcd", Some(1)));
    let reply = keyed(&fixture, &token, (Method::GET, "/transactions/1?vout=x"), "", None).await;
    assert_eq!((reply.status, reply.json()["errors"]["vout"].is_string()), (StatusCode::UNPROCESSABLE_ENTITY, true));
}

/// [D-Q8] [D-R17] Staff see what is held by asset and address. What is not known is null and never zero.
#[tokio::test]
async fn holdings_reach_staff() {
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.staff(Role::Auditor);
    let known = wallet::Holding {
        chain: "bitcoin".to_owned(),
        asset: "BTC".to_owned(),
        decimals: 8,
        units: "930".to_owned(),
        books: "1000".to_owned(),
        difference: "-70".to_owned(),
        state: "fail".to_owned(),
        rate_micros: Some(97_312_450_000),
        value_cents: Some(90),
        addresses: vec![HeldAtAddress { address: "bc1q-ours".to_owned(), units: "930".to_owned(), at: None }],
        ..Default::default()
    };
    let unknown = wallet::Holding { asset: "USDT".to_owned(), state: "unknown".to_owned(), ..Default::default() };
    let left = ChainPayment { txid: "ab".repeat(32), counterparty: "bc1q-theirs".to_owned(), ..Default::default() };
    let undone = wallet::UndoneTransaction { transaction: Some(row()), ..Default::default() };
    let answer =
        wallet::GetHoldingsResponse { holdings: vec![known, unknown], outflows: vec![left], undone: vec![undone] };
    fixture.recorder.answer("/solvane.wallet.v1.StaffService/GetHoldings", &answer);
    let reply = keyed(&fixture, &token, (Method::GET, "/holdings"), "", None).await.json();
    let found = &reply["holdings"][0];
    assert_eq!(
        (&found["units"], &found["books"], &found["difference"]),
        (&"930".into(), &"1000".into(), &"-70".into())
    );
    assert_eq!((&found["rate"], &found["value"]), (&"97312.45".into(), &serde_json::json!(0.9)));
    assert_eq!(found["addresses"][0]["address"], "bc1q-ours");
    for name in ["units", "books", "difference", "at"] {
        assert!(reply["holdings"][1][name].is_null(), "{name}");
    }
    assert_eq!(reply["outflows"][0]["counterparty"], "bc1q-theirs");
    assert_eq!(reply["undone"][0]["transaction"]["id"], row().id);
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
    assert_eq!(read().await["members"][1]["wallet"], serde_json::Value::Null);
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
