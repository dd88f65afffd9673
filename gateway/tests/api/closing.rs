//! Closing an account through the gateway.

use axum::http::{Method, StatusCode};
use chassis::clock;
use chassis::error::{Kind, Refusal};
use proto::auth::v1::{CheckClosingRequest, CloseAccountRequest, CloseAccountResponse};
use proto::common::v1::ErrorReason;
use serde_json::json;
use time::OffsetDateTime;

use crate::fixture::Fixture;

const CLOSE: &str = "/solvane.auth.v1.AuthService/CloseAccount";
const CHECK: &str = "/solvane.auth.v1.AuthService/CheckClosing";

/// [D-M5] One call pays out the whole balance and closes the account; a repetition finds the balance gone and only closes.
#[tokio::test]
async fn closing_pays_out_what_is_left() {
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.member();
    let closes_at = Some(clock::to_proto(OffsetDateTime::UNIX_EPOCH));
    fixture.recorder.answer(CLOSE, &CloseAccountResponse { closes_at });
    *fixture.wallet.balance.lock().unwrap() = 4_999;
    let payout = json!({ "method": "BTC", "address": "bc1qexample0address", "memo": "7" });
    let body = json!({ "password": "correct horse", "giveUpBonus": true, "payout": payout }).to_string();
    let first = fixture.call(Method::POST, "/v1/users/close", Some(&token), &body).await;
    assert_eq!(first.status, StatusCode::OK, "{first:?}");
    assert_eq!(first.json()["closesAt"], "1970-01-01T00:00:00Z");
    assert_eq!(first.json()["payout"]["needsConfirmation"], true);
    let again = fixture.call(Method::POST, "/v1/users/close", Some(&token), &body).await;
    assert!(again.status == StatusCode::OK && again.json().get("payout").is_none(), "{again:?}");

    let sent = fixture.wallet.withdrawals.lock().unwrap().clone();
    assert_eq!(sent.len(), 1);
    let sent = &sent[0];
    assert_eq!((sent.amount_cents, sent.method.as_str(), sent.memo.as_str()), (4_999, "BTC", "7"));
    let proofs: Vec<CheckClosingRequest> = fixture.recorder.asked(CHECK);
    assert!(proofs.iter().all(|proof| proof.password == "correct horse" && proof.give_up_bonus));
    let closed: Vec<CloseAccountRequest> = fixture.recorder.asked(CLOSE);
    assert_eq!((proofs.len(), closed.len()), (2, 2));
}

/// [D-M5] [D-A12] Nothing is paid out before the caller has proven who they are, and nothing is closed when nothing is paid out.
#[tokio::test]
async fn a_refused_payout_closes_nothing() {
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.member();
    let close = async |payout: serde_json::Value| {
        let body = json!({ "password": "correct horse", "payout": payout }).to_string();
        fixture.call(Method::POST, "/v1/users/close", Some(&token), &body).await
    };
    *fixture.wallet.balance.lock().unwrap() = 3;
    for (payout, field) in [(json!({ "method": "BTC" }), "address"), (json!("BTC"), "payout")] {
        let reply = close(payout).await;
        assert_eq!(reply.status, StatusCode::UNPROCESSABLE_ENTITY);
        assert!(reply.json()["errors"][field].is_string(), "{reply:?}");
    }
    let to = json!({ "method": "BTC", "address": "bc1qexample0address" });
    let refusal = Refusal::new(Kind::Invalid, ErrorReason::WrongPassword, "This password is wrong");
    fixture.recorder.refuse(CHECK, refusal);
    assert_eq!(close(to).await.json()["code"], "WRONG_PASSWORD");
    assert!(fixture.wallet.withdrawals.lock().unwrap().is_empty());
    assert!(fixture.recorder.asked::<CloseAccountRequest>(CLOSE).is_empty());
    assert_eq!(*fixture.wallet.balance.lock().unwrap(), 3);
}
