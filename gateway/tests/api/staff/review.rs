//! What staff see of a transaction.

use axum::http::{Method, StatusCode};
use chassis::identity::Role;
use proto::common::v1::{ChainEvidence, ChainPayment, EvidenceCheck};
use proto::wallet::v1 as wallet;

use crate::fixture::{Fixture, pending_deposit};
use crate::staff::{APPROVE, keyed, row};

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
