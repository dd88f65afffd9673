//! The queue of staff, as one answer.

use axum::http::{Method, StatusCode};
use chassis::identity::Role;
use proto::wallet::v1 as wallet;
use serde_json::json;

use crate::fixture::{Fixture, moment, pending_deposit};

const LIST: &str = "/solvane.wallet.v1.StaffService/ListStaffTransactions";

/// [R9] The longest waiting come first, and each row has what it shows: no proof, no steps, no hash; of a
/// withdrawal that is to be paid out, also what is sent and where to.
#[tokio::test]
async fn the_queue_has_what_its_rows_show() {
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.staff(Role::Auditor);
    let method = wallet::MethodCopy {
        id: "3".to_owned(),
        currency: "BTC".to_owned(),
        network: "Bitcoin".to_owned(),
        address: "bc1q-ours".to_owned(),
        ..Default::default()
    };
    let deposit = wallet::Transaction {
        id: "1a2b3c4d-0000-4000-8000-000000000000".to_owned(),
        user_id: "2".to_owned(),
        title: "Deposit".to_owned(),
        description: "Deposit by BTC".to_owned(),
        amount_cents: 12_550,
        method: Some(method.clone()),
        receipt_key: "receipts/1.png".to_owned(),
        receipt_content_type: "image/png".to_owned(),
        txid: "ab".repeat(32),
        revision: 2,
        ..pending_deposit()
    };
    let withdrawal = wallet::Transaction {
        id: "5e6f7081-0000-4000-8000-000000000000".to_owned(),
        kind: wallet::TransactionKind::Withdrawal.into(),
        direction: wallet::Direction::Debit.into(),
        approved: true,
        amount_cents: 10_025,
        net_amount_cents: Some(9_750),
        destination: Some(wallet::Destination { address: "bc1q-theirs".to_owned(), ..Default::default() }),
        decided_at: Some(moment()),
        ..deposit.clone()
    };
    let list = wallet::ListStaffTransactionsResponse { transactions: vec![withdrawal, deposit], ..Default::default() };
    fixture.recorder.answer(LIST, &list);
    let reply = fixture.call(Method::GET, "/v1/admin/queue/transactions", Some(&token), "").await;
    assert_eq!(reply.status, StatusCode::OK, "{reply:?}");
    let rows = &reply.json()["transactions"];
    let user = rows[0]["user"].clone();
    let of_both = |id: &str, reference: &str, kind: &str, amount: f64| {
        json!({
            "id": id, "reference": reference, "kind": kind, "amount": amount, "revision": 2, "hasTxid": true,
            "user": user, "method": { "currency": "BTC", "network": "Bitcoin" },
            "createdAt": "2026-02-02T02:40:00.005Z",
        })
    };
    assert_eq!(rows[0], of_both("1a2b3c4d-0000-4000-8000-000000000000", "TNX-1a2b3c", "deposit", 125.5));
    let mut paid_out = of_both("5e6f7081-0000-4000-8000-000000000000", "TNX-5e6f70", "withdrawal", 100.25);
    let more = json!({
        "approved": true, "decidedAt": "2026-02-02T02:40:00.005Z", "netAmount": 97.5,
        "destination": { "address": "bc1q-theirs" },
    });
    paid_out.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    assert_eq!(rows[1], paid_out);
    let asked: Vec<wallet::ListStaffTransactionsRequest> = fixture.recorder.asked(LIST);
    assert_eq!(
        (asked[0].status(), asked[0].page.as_ref().map(|page| page.size)),
        (wallet::TransactionStatus::Pending, Some(1_000))
    );
    let waits: Vec<_> = asked.iter().map(wallet::ListStaffTransactionsRequest::waiting_for).collect();
    assert_eq!(waits, [wallet::WaitingFor::Decision, wallet::WaitingFor::Payout]);

    let (_, member) = fixture.realm.member();
    let refused = fixture.call(Method::GET, "/v1/admin/queue/transactions", Some(&member), "").await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
}
