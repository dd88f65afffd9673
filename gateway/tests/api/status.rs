//! What works now.

use axum::http::{Method, StatusCode};
use chassis::error::Refusal;
use proto::{mailer::v1 as mailer, payment_method::v1 as payment_method, wallet::v1 as wallet};
use serde_json::json;

use crate::fixture::{Fixture, moment};

const WITHDRAWALS: &str = "/solvane.wallet.v1.StatusService/GetWithdrawalState";
const ANNOUNCEMENTS: &str = "/solvane.mailer.v1.AnnouncementService/ListAnnouncements";
const CHAINS: &str = "/solvane.payment_method.v1.StatusService/ListChains";

/// [D-M7] Visitors read whether withdrawals are open, how recent the view of each chain is, and what staff announce.
#[tokio::test]
async fn the_status_needs_no_session() {
    let fixture = Fixture::new().await;
    let chain = |chain: &str, fresh| payment_method::ObservedChain {
        chain: chain.to_owned(),
        fresh,
        observed_at: fresh.then(moment),
    };
    let chains = vec![chain("bitcoin", true), chain("tron", false)];
    fixture.recorder.answer(CHAINS, &payment_method::ListChainsResponse { chains });
    let announcement = mailer::Announcement {
        id: "a-1".to_owned(),
        text: "We move tonight.".to_owned(),
        published_at: Some(moment()),
        ends_at: Some(moment()),
    };
    let answer = mailer::ListAnnouncementsResponse { announcements: vec![announcement] };
    fixture.recorder.answer(ANNOUNCEMENTS, &answer);
    let read = async || {
        let reply = fixture.call(Method::GET, "/v1/status", None, "").await;
        assert_eq!(reply.status, StatusCode::OK, "{reply:?}");
        reply.json()
    };
    let at = "2026-02-02T02:40:00.005Z";
    assert_eq!(
        read().await,
        json!({ "success": true, "withdrawals": { "open": true }, "chains": [
            { "chain": "bitcoin", "fresh": true, "observedAt": at },
            { "chain": "tron", "fresh": false, "observedAt": null },
        ], "announcements": [{ "id": "a-1", "text": "We move tonight.", "at": at, "endsAt": at }] })
    );
    let paused = "Withdrawals are paused while we check our books.".to_owned();
    let answer = wallet::GetWithdrawalStateResponse { paused: paused.clone(), paused_at: Some(moment()) };
    fixture.recorder.answer(WITHDRAWALS, &answer);
    assert_eq!(read().await["withdrawals"], json!({ "open": false, "reason": paused, "since": at }));
}

/// [D-M7] [D-S2] What cannot be asked about is null, and the rest is still there.
#[tokio::test]
async fn a_service_that_is_away_leaves_a_gap() {
    let fixture = Fixture::new().await;
    fixture.recorder.refuse(WITHDRAWALS, Refusal::unavailable());
    fixture.recorder.refuse(ANNOUNCEMENTS, Refusal::unavailable());
    let told = fixture.call(Method::GET, "/v1/status", None, "").await.json();
    assert_eq!((&told["withdrawals"], &told["chains"]), (&json!(null), &json!([])));
    assert_eq!(told["announcements"], json!(null));
}
