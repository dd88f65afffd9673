//! The permissions of the back office on the real product: the gateway admits all staff, the services decide.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use play::client::{Answer, Client};
use play::request::{NOTE, txid};
use play::testing::TestStack;
use reqwest::Method;
use serde_json::{Value, json};

/// One way into the back office: method, path of the document, the id it is tried with, and who may.
type Row = (&'static str, &'static str, &'static str, &'static str);

/// An id that nothing has.
const NONE: &str = "7d0f3c1e-5a0b-4b1e-9c55-0123456789ab";
const ALL: &str = "reviewer treasurer manager auditor admin";

/// [D-O1] [D-O2] Every operation below /v1/admin. What two services share has a row for each.
const TABLE: &[Row] = &[
    ("GET", "/admin/me", "", ALL),
    ("POST", "/admin/me/totp", "", ALL),
    ("POST", "/admin/me/totp/confirm", "", ALL),
    ("POST", "/admin/me/step-up", "", ALL),
    ("GET", "/admin/search", "", ALL),
    ("GET", "/admin/queue", "", ALL),
    ("GET", "/admin/queue/transactions", "", ALL),
    ("GET", "/admin/queue/verdicts", "", ALL),
    ("GET", "/admin/transactions", "", ALL),
    ("GET", "/admin/transactions/{id}", NONE, ALL),
    ("POST", "/admin/transactions/{id}/viewing", NONE, ALL),
    ("PUT", "/admin/transactions/{id}/claim", NONE, "reviewer treasurer"),
    ("DELETE", "/admin/transactions/{id}/claim", NONE, "reviewer treasurer"),
    ("POST", "/admin/transactions/{id}/approve", NONE, "reviewer"),
    // Treasurers may end a payout that was approved; the use case distinguishes them from the rest.
    ("POST", "/admin/transactions/{id}/reject", NONE, "reviewer treasurer"),
    ("POST", "/admin/transactions/{id}/paying", NONE, "treasurer"),
    ("POST", "/admin/transactions/{id}/paid", NONE, "treasurer"),
    ("POST", "/admin/transactions/{id}/reverse", NONE, "reviewer treasurer"),
    ("POST", "/admin/transactions/{id}/correct-payout", NONE, "treasurer"),
    ("POST", "/admin/payouts/prepare", "", "treasurer"),
    ("POST", "/admin/payouts/send", "", "treasurer"),
    ("POST", "/admin/payouts/dissolve", "", "treasurer"),
    ("POST", "/admin/members/{id}/course/refund", NONE, "treasurer"),
    ("GET", "/admin/members", "", ALL),
    ("GET", "/admin/members/{id}", NONE, ALL),
    ("POST", "/admin/members/{id}/freeze", NONE, "reviewer"),
    ("POST", "/admin/members/{id}/unfreeze", NONE, "reviewer"),
    ("POST", "/admin/members/{id}/notes", NONE, "reviewer treasurer"),
    ("GET", "/admin/members/{id}/activity", NONE, ALL),
    ("DELETE", "/admin/members/{id}/sessions", NONE, "reviewer"),
    ("POST", "/admin/members/{id}/factor-reset", NONE, "reviewer"),
    ("POST", "/admin/members/{id}/bonus", NONE, "treasurer"),
    ("POST", "/admin/members/{id}/release", NONE, "treasurer"),
    ("POST", "/admin/members/{id}/adjustment", NONE, "treasurer"),
    ("POST", "/admin/members/{id}/holds", NONE, "reviewer"),
    ("POST", "/admin/members/{id}/holds/{holdId}/release", NONE, "reviewer treasurer"),
    ("GET", "/admin/proposals", "", ALL),
    // Admins may decide to open withdrawals again; the use case distinguishes that from corrections.
    ("POST", "/admin/proposals/{id}/confirm", "wal_7d0f3c1e-5a0b-4b1e-9c55-0123456789ab", "treasurer admin"),
    ("POST", "/admin/proposals/{id}/confirm", "trd_7d0f3c1e-5a0b-4b1e-9c55-0123456789ab", "manager"),
    ("POST", "/admin/proposals/{id}/confirm", "pay_7d0f3c1e-5a0b-4b1e-9c55-0123456789ab", "treasurer"),
    ("POST", "/admin/proposals/{id}/reject", "wal_7d0f3c1e-5a0b-4b1e-9c55-0123456789ab", "treasurer admin"),
    ("POST", "/admin/proposals/{id}/reject", "trd_7d0f3c1e-5a0b-4b1e-9c55-0123456789ab", "manager"),
    ("POST", "/admin/proposals/{id}/reject", "pay_7d0f3c1e-5a0b-4b1e-9c55-0123456789ab", "treasurer"),
    // Reviewers decide about lost second factors, admins about the staff; the signature of the decision distinguishes them.
    ("POST", "/admin/proposals/{id}/confirm", "aut_7d0f3c1e-5a0b-4b1e-9c55-0123456789ab", "reviewer admin"),
    ("POST", "/admin/proposals/{id}/reject", "aut_7d0f3c1e-5a0b-4b1e-9c55-0123456789ab", "reviewer admin"),
    ("GET", "/admin/payment-methods", "", ALL),
    ("POST", "/admin/payment-methods", "", "treasurer"),
    ("PUT", "/admin/payment-methods/{id}", NONE, "treasurer"),
    ("DELETE", "/admin/payment-methods/{id}", NONE, "treasurer"),
    ("POST", "/admin/payment-methods/{id}/proof", NONE, "treasurer"),
    ("POST", "/admin/payment-methods/{id}/signature", NONE, "treasurer"),
    ("POST", "/admin/rates", "", "treasurer"),
    ("POST", "/admin/announcements", "", "manager admin"),
    ("DELETE", "/admin/announcements/{id}", NONE, "manager admin"),
    ("POST", "/admin/proposals/{id}/confirm", "mai_7d0f3c1e-5a0b-4b1e-9c55-0123456789ab", "manager admin"),
    ("POST", "/admin/proposals/{id}/reject", "mai_7d0f3c1e-5a0b-4b1e-9c55-0123456789ab", "manager admin"),
    ("GET", "/admin/plans", "", ALL),
    ("POST", "/admin/plans", "", "manager"),
    ("PUT", "/admin/plans/{id}", NONE, "manager"),
    ("POST", "/admin/plans/{id}/values", NONE, "manager"),
    ("GET", "/admin/course", "", ALL),
    ("PUT", "/admin/course/draft", "", "manager"),
    ("POST", "/admin/course/publish", "", "manager"),
    ("GET", "/admin/course/versions/{number}", "1", ALL),
    ("POST", "/admin/course/versions/{number}/restore", "0", "manager"),
    ("GET", "/admin/course/media", "", ALL),
    ("POST", "/admin/course/media", "", "manager"),
    ("GET", "/admin/course/media/{id}", NONE, ALL),
    ("HEAD", "/admin/course/media/{id}", NONE, ALL),
    ("PATCH", "/admin/course/media/{id}", NONE, "manager"),
    ("DELETE", "/admin/course/media/{id}", NONE, "manager"),
    ("PUT", "/admin/course/media/{id}/captions/{language}", NONE, "manager"),
    ("DELETE", "/admin/course/media/{id}/captions/{language}", NONE, "manager"),
    ("GET", "/admin/cases", "", ALL),
    ("GET", "/admin/cases/{id}", NONE, ALL),
    ("PUT", "/admin/cases/{id}/claim", NONE, "reviewer treasurer"),
    ("DELETE", "/admin/cases/{id}/claim", NONE, "reviewer treasurer"),
    ("GET", "/admin/cases/colleagues", "", "reviewer treasurer"),
    ("PUT", "/admin/cases/{id}/owner", NONE, "reviewer treasurer"),
    ("POST", "/admin/cases/{id}/answer", NONE, "reviewer treasurer"),
    ("POST", "/admin/cases/{id}/close", NONE, "reviewer treasurer"),
    ("POST", "/admin/cases/{id}/complaint", NONE, "reviewer treasurer"),
    ("GET", "/admin/staff", "", "auditor admin"),
    ("POST", "/admin/staff", "", "admin"),
    ("DELETE", "/admin/staff/{id}", NONE, "admin"),
    ("PUT", "/admin/staff/{id}/role", NONE, "admin"),
    ("GET", "/admin/audit", "", "auditor admin"),
    ("GET", "/admin/journal", "", "auditor admin"),
    ("GET", "/admin/payments/unclaimed", "", ALL),
    ("GET", "/admin/integrity", "", ALL),
    ("GET", "/admin/holdings", "", ALL),
    ("GET", "/admin/treasury", "", ALL),
    ("POST", "/admin/treasury/movements", "", "treasurer"),
    ("GET", "/admin/figures", "", ALL),
    ("POST", "/admin/liabilities", "", "treasurer auditor admin"),
    ("POST", "/admin/withdrawals/reopen", "", "treasurer admin"),
    ("POST", "/admin/ledger/accounts/{id}/rebuild", "1", "treasurer"),
    ("GET", "/admin/dead-letters", "", ALL),
    ("POST", "/admin/dead-letters/{id}/replay", "wal_7d0f3c1e-5a0b-4b1e-9c55-0123456789ab", "admin"),
    ("POST", "/admin/dead-letters/{id}/replay", "mai_7d0f3c1e-5a0b-4b1e-9c55-0123456789ab", "admin"),
];

/// A body that the gateway can read, so that the service is what answers.
fn body(path: &str) -> Value {
    match path {
        "/admin/me/totp/confirm" | "/admin/me/step-up" => json!({ "code": "1" }),
        "/admin/transactions/{id}/approve" => {
            json!({ "revision": 1, "receivedAmount": "100.00", "txid": txid(), "note": NOTE })
        }
        "/admin/transactions/{id}/reject" => json!({ "revision": 1, "reasonCode": "OTHER", "note": "" }),
        "/admin/transactions/{id}/paying" => json!({ "revision": 1 }),
        "/admin/transactions/{id}/paid" => json!({ "revision": 1, "txid": txid() }),
        "/admin/transactions/{id}/correct-payout" => json!({ "outcome": "not_sent", "note": "A note" }),
        "/admin/payouts/prepare" | "/admin/payouts/dissolve" => json!({ "payouts": [] }),
        "/admin/payouts/send" => json!({ "payouts": [], "psbt": "" }),
        "/admin/transactions/{id}/reverse" | "/admin/members/{id}/course/refund" => json!({ "note": "A note" }),
        "/admin/members/{id}/holds" => json!({ "amount": "5.00", "reasonCode": "OTHER" }),
        "/admin/cases/{id}/owner" => json!({ "ownerId": NONE }),
        "/admin/cases/{id}/answer" => json!({ "text": "An answer", "seen": 1 }),
        "/admin/staff/{id}/role" => json!({ "role": "auditor" }),
        "/admin/staff" => json!({ "name": "", "email": "", "role": "" }),
        path if path.starts_with("/admin/members") => json!({ "amount": "5.00", "note": "A note", "type": "credit" }),
        "/admin/payment-methods/{id}/proof" => json!({ "message": "x", "signature": "x" }),
        "/admin/payment-methods/{id}/signature" => json!({ "version": 1, "signature": "x" }),
        path if path.starts_with("/admin/payment-methods") => json!({
            "currency": "USDT", "network": "TRC20", "address": "TLVaByN5qfzUVRHnVKdgLbGmEXSPZLtWYo", "label": "x",
        }),
        "/admin/announcements" => json!({ "text": "We move tonight.", "hours": 1 }),
        "/admin/rates" => json!({ "asset": "BTC", "bid": "1", "ask": "1", "source": "A test", "validMinutes": 1 }),
        "/admin/treasury/movements" => json!({ "kind": "sweep", "amount": "1.00", "note": "A note" }),
        path if path.ends_with("/values") => json!({ "value": "1.01", "source": "A report" }),
        path if path.starts_with("/admin/plans") => json!({
            "title": "New", "subtitle": "Plan", "min": "100", "max": "200", "roi": "4", "duration": 30,
        }),
        path if path.ends_with("/captions/{language}") => json!({ "label": "", "vtt": "" }),
        path if path.starts_with("/admin/course") => json!({ "revision": -1, "published": 0, "content": null }),
        _ => json!({}),
    }
}

async fn call(client: &Client, (method, path, id, _): Row) -> Result<Answer> {
    let (method, url) = (Method::from_bytes(method.as_bytes())?, path.replace("{id}", id).replace("{number}", id));
    let request = client.request(method.clone(), &url.replace("{language}", "en"));
    let request = match path {
        "/admin/course/media" | "/admin/course/media/{id}" => upload(request),
        _ if method == Method::GET => request,
        _ => request.json(&body(path)),
    };
    let answer = play::client::send(request).await?;
    if method != Method::HEAD {
        return Ok(answer);
    }
    // An answer to HEAD has no body that says why.
    let body = if answer.status == 403 { json!({ "code": "PERMISSION_DENIED" }) } else { answer.body };
    Ok(Answer { body, ..answer })
}

/// A request of an upload by tus, without a name.
fn upload(request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
    let request = request.header("tus-resumable", "1.0.0").header("upload-length", "1").header("upload-offset", "0");
    request
        .header("upload-metadata", "kind dmlkZW8=")
        .header("content-type", "application/offset+octet-stream")
        .body("x")
}

/// The operations of the document, as the table names them.
fn documented() -> Result<BTreeSet<(String, String)>> {
    let document: Value = serde_json::from_str(include_str!("../../../../gateway/openapi.json"))?;
    let paths = document["paths"].as_object().context("paths")?;
    let admin = paths.iter().filter_map(|(path, operations)| {
        let path = path.strip_prefix("/v1").filter(|path| path.starts_with("/admin"))?;
        Some((path, operations.as_object()?))
    });
    Ok(admin
        .flat_map(|(path, operations)| operations.keys().map(|method| (method.to_uppercase(), path.to_owned())))
        .collect())
}

/// [D-O1] [D-O2] The table has every operation of the document, and no other.
#[test]
fn every_operation_is_in_the_table() -> Result<()> {
    let table: BTreeSet<_> =
        TABLE.iter().map(|(method, path, _, _)| ((*method).to_owned(), (*path).to_owned())).collect();
    assert_eq!(documented()?, table, "left: the document, right: the table");
    Ok(())
}

/// [D-O1] [D-O2] Every operation by a visitor, a member and each role: exactly those of the table are not refused for the role.
#[tokio::test]
async fn every_role_may_what_the_table_says() -> Result<()> {
    let stack = TestStack::start().await?;
    let visitor = stack.client();
    let member = stack.member().await?.client;
    let mut staff = Vec::new();
    for role in ALL.split(' ') {
        staff.push((role, stack.staff(role).await?));
    }
    let mut wrong = Vec::new();
    let mut cells = 0;
    for row in TABLE {
        let (method, path, id, may) = *row;
        let mut expect = |who: &str, expected: &str, answer: &Answer| {
            let got = match (answer.status, answer.code()) {
                (401, _) => "401",
                (403, Some("PERMISSION_DENIED")) => "403",
                // Allowed: done, or refused for what it asks.
                (200 | 201 | 404 | 409 | 422, _) => "may",
                _ => "else",
            };
            cells += 1;
            if got != expected {
                wrong.push(format!(
                    "{method} {path} {id} by {who}: {expected} expected, {} {}",
                    answer.status, answer.body
                ));
            }
        };
        expect("visitor", "401", &call(&visitor, *row).await?);
        expect("member", "403", &call(&member, *row).await?);
        for (role, client) in &staff {
            let expected = if may.split(' ').any(|allowed| allowed == *role) { "may" } else { "403" };
            expect(role, expected, &call(client, *row).await?);
        }
    }
    assert!(wrong.is_empty(), "{} of {cells} cells are wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(cells, TABLE.len() * 7);
    Ok(())
}
