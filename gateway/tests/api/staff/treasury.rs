//! Movements and holdings of the treasury.

use aws_lc_rs::digest::{SHA256, digest};
use axum::http::{Method, StatusCode};
use chassis::identity::Role;
use proto::common::v1::{ChainPayment, HeldAtAddress, ListProposalsResponse, Proposal, ProposalStatus};
use proto::wallet::v1 as wallet;

use crate::fixture::{Fixture, PNG};
use crate::staff::{keyed, row};

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

/// [D-M5] The return of a rejected payment names what arrived and where it went; staff see where one may go, and what went back.
#[tokio::test]
async fn a_rejected_payment_is_returned() {
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.staff(Role::Treasurer);
    let propose = "/solvane.wallet.v1.TreasuryService/ProposeMovement";
    let proposal = Proposal { id: "1".to_owned(), kind: "refund".to_owned(), ..Proposal::default() };
    let proposal = Proposal { change_json: "{}".to_owned(), status: ProposalStatus::Open.into(), ..proposal };
    fixture.recorder.answer(propose, &wallet::ProposeMovementResponse { proposal: Some(proposal) });
    let body = r#"{"kind":"refund","transactionId":"t-1","arrivedTxid":"ab","arrivedVout":4,"address":"TBack","memo":"7",
        "amount":199.5,"txid":"cd","note":"As asked"}"#;
    let path = "/v1/admin/treasury/movements";
    assert_eq!(fixture.call(Method::POST, path, Some(&token), body).await.status, StatusCode::CREATED);
    let asked: Vec<wallet::ProposeMovementRequest> = fixture.recorder.asked(propose);
    let one = &asked[0];
    assert_eq!((one.transaction_id.as_str(), one.arrived_txid.as_str(), one.arrived_vout), ("t-1", "ab", Some(4)));
    assert_eq!((one.address.as_str(), one.memo.as_str(), one.txid.as_str()), ("TBack", "7", "cd"));
    let step = wallet::Step {
        key: "returned".to_owned(),
        state: wallet::StepState::Done.into(),
        note: "199.5 USDT to TBack".to_owned(),
        ..Default::default()
    };
    let review = wallet::GetReviewResponse {
        transaction: Some(row()),
        return_to: vec![wallet::Destination { address: "TBack".to_owned(), memo: "7".to_owned() }],
        returns: vec![step],
        ..Default::default()
    };
    fixture.recorder.answer("/solvane.wallet.v1.StaffService/GetReview", &review);
    let seen = fixture.call(Method::GET, "/v1/admin/transactions/1", Some(&token), "").await.json();
    assert_eq!(seen["returnTo"], serde_json::json!([{ "address": "TBack", "memo": "7" }]));
    assert_eq!((&seen["returns"][0]["key"], &seen["returns"][0]["state"]), (&"returned".into(), &"done".into()));
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
