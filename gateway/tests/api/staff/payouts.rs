//! Payouts: their batches, and what the treasurer is shown and sends.

use axum::http::{Method, StatusCode};
use chassis::error::{Kind, Refusal};
use chassis::identity::Role;
use proto::common::v1::ErrorReason;
use proto::wallet::v1 as wallet;

use crate::fixture::Fixture;
use crate::staff::{APPROVE, LEASE, PAID, keys, row};

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
