//! The back office: what of a request reaches the services, and what of their answers reaches staff.

use axum::body::Body;
use axum::http::{Method, Request, StatusCode};
use chassis::caller::Role;
use prost::Message;
use proto::common::v1::{Idempotency, Proposal, ProposalStatus};
use proto::{auth::v1 as auth, mailer::v1 as mailer, payment_method::v1 as payment_method};
use proto::{trade::v1 as trade, wallet::v1 as wallet};

use crate::fixture::{Fixture, Reply};

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
    for verb in ["Confirm", "Reject"] {
        for package in ["wallet", "trade", "payment_method", "auth"] {
            let path = format!("/solvane.{package}.v1.StaffService/{verb}Proposal");
            // The four packages' answers are the same on the wire.
            fixture.recorder.answer(&path, &wallet::ConfirmProposalResponse { proposal: proposal.clone() });
        }
    }
    let path = "/solvane.auth.v1.StaffService/ProposeStaffChange";
    fixture.recorder.answer(path, &auth::ProposeStaffChangeResponse { proposal });
    let f = &fixture;
    let post = |path| (Method::POST, path);
    let of = "/solvane.wallet.v1.StaffService/";
    let path = format!("{of}ConfirmProposal");
    keys(f, post("/proposals/wal_1/confirm"), "", &path, |m: wallet::ConfirmProposalRequest| m.idempotency).await;
    let path = format!("{of}RejectProposal");
    keys(f, post("/proposals/wal_1/reject"), "", &path, |m: wallet::RejectProposalRequest| m.idempotency).await;
    let path = format!("{of}ReplayDeadLetter");
    keys(f, post("/dead-letters/wal_1/replay"), "", &path, |m: wallet::ReplayDeadLetterRequest| m.idempotency).await;
    let path = "/solvane.trade.v1.StaffService/ConfirmProposal";
    keys(f, post("/proposals/trd_1/confirm"), "", path, |m: trade::ConfirmProposalRequest| m.idempotency).await;
    let path = "/solvane.trade.v1.StaffService/RejectProposal";
    keys(f, post("/proposals/trd_1/reject"), "", path, |m: trade::RejectProposalRequest| m.idempotency).await;
    let path = "/solvane.payment_method.v1.StaffService/ConfirmProposal";
    keys(f, post("/proposals/pay_1/confirm"), "", path, |m: payment_method::ConfirmProposalRequest| m.idempotency)
        .await;
    let path = "/solvane.payment_method.v1.StaffService/RejectProposal";
    keys(f, post("/proposals/pay_1/reject"), "", path, |m: payment_method::RejectProposalRequest| m.idempotency).await;
    let path = "/solvane.mailer.v1.StaffService/ReplayDeadLetter";
    keys(f, post("/dead-letters/mai_1/replay"), "", path, |m: mailer::ReplayDeadLetterRequest| m.idempotency).await;
    let (note, of) = (r#"{"note":"odd"}"#, "/solvane.auth.v1.StaffService/");
    let path = format!("{of}FreezeMember");
    keys(f, post("/members/1/freeze"), note, &path, |m: auth::FreezeMemberRequest| m.idempotency).await;
    let path = format!("{of}UnfreezeMember");
    keys(f, post("/members/1/unfreeze"), note, &path, |m: auth::UnfreezeMemberRequest| m.idempotency).await;
    let path = format!("{of}AddMemberNote");
    keys(f, post("/members/1/notes"), note, &path, |m: auth::AddMemberNoteRequest| m.idempotency).await;
    let path = format!("{of}ConfirmProposal");
    keys(f, post("/proposals/aut_1/confirm"), "", &path, |m: auth::ConfirmProposalRequest| m.idempotency).await;
    let path = format!("{of}RejectProposal");
    keys(f, post("/proposals/aut_1/reject"), "", &path, |m: auth::RejectProposalRequest| m.idempotency).await;
    let path = format!("{of}ProposeStaffChange");
    keys(f, (Method::DELETE, "/staff/1"), "", &path, |m: auth::ProposeStaffChangeRequest| m.idempotency).await;
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
        ..Default::default()
    };
    let proposals = (0..60).map(|one| proposal(2 * one)).collect();
    fixture.recorder.answer(
        "/solvane.wallet.v1.StaffService/ListProposals",
        &wallet::ListProposalsResponse { proposals, next_cursor: String::new() },
    );
    let proposals = (0..60).map(|one| proposal(2 * one + 1)).collect();
    fixture.recorder.answer(
        "/solvane.trade.v1.StaffService/ListProposals",
        &trade::ListProposalsResponse { proposals, next_cursor: String::new() },
    );
    let reply = fixture.call(Method::GET, "/v1/admin/proposals?status=open", Some(&token), "").await.json();
    let list = reply["proposals"].as_array().unwrap();
    assert_eq!((list.len(), reply["nextCursor"].as_str()), (100, Some(proposal(20).id.as_str())));
    assert_eq!(list[0]["id"], format!("trd_{}", proposal(119).id));
    assert_eq!((&list[0]["change"]["amount"], &list[0]["before"]["balance"]), (&25.5.into(), &1.into()));
    assert_eq!(list[0]["proposedByName"], "Ada Lovelace");
    fixture.call(Method::GET, &format!("/v1/admin/proposals?cursor={}", proposal(20).id), Some(&token), "").await;
    let asked: Vec<wallet::ListProposalsRequest> =
        fixture.recorder.asked("/solvane.wallet.v1.StaffService/ListProposals");
    assert_eq!(asked[1].page.clone().unwrap().cursor, proposal(20).id);
}
