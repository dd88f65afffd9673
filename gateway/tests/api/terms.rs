//! Limits and prices, balances as of a moment, statements and the journal, as the gateway returns them.

use axum::http::{Method, StatusCode};
use chassis::hex::to_hex;
use chassis::identity::Role;
use proto::wallet::v1 as wallet;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::fixture::Fixture;

/// [D-B11] [D-R16] [D-S3] The terms need no session, take a stale one for none, and tell a member what is left.
#[tokio::test]
async fn the_terms_are_told_to_everybody() {
    let fixture = Fixture::new().await;
    let read = async |token| fixture.call(Method::GET, "/v1/terms", token, "").await;
    let public = read(None).await;
    assert_eq!(public.status, StatusCode::OK, "{public:?}");
    let expected = json!({
        "success": true,
        "deposit": { "min": 100, "max": 100_000, "pendingMax": 5 },
        "withdrawal": {
            "min": 50, "max": 50_000, "feePercent": 2.5, "twoPeopleFrom": 1_000,
            "limits": [{ "hours": 24, "amount": 100_000 }],
        },
        "course": { "price": 87 },
    });
    assert_eq!(public.json(), expected);
    assert_eq!(read(Some("stale")).await.json(), expected);
    let (_, token) = fixture.realm.member();
    let own = read(Some(&token)).await.json();
    assert_eq!(own["withdrawal"]["left"], json!(20.5));
    assert_eq!(own["withdrawal"]["availableAt"], "1970-01-02T00:00:00Z");
}

/// [D-B11] [D-Q7] Where payments can be looked up, if the operator has said so.
#[tokio::test]
async fn explorers_are_told_by_network() {
    let explorers = "--explorers=Bitcoin=https://one.example/tx/{txid},TRC20=https://two.example/#/{txid}";
    let told = Fixture::with(&[explorers]).await.call(Method::GET, "/v1/terms", None, "").await.json();
    let expected = json!({ "Bitcoin": "https://one.example/tx/{txid}", "TRC20": "https://two.example/#/{txid}" });
    assert_eq!(told["explorers"], expected);
}

/// [D-B11] [D-R16] A reached limit is a 422 that names what is left for programs and from when on.
#[tokio::test]
async fn a_reached_limit_tells_what_is_left() {
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.member();
    let body = r#"{"amount":0.04,"method":"BTC"}"#;
    let reply = fixture.call(Method::POST, "/v1/transactions/withdraw", Some(&token), body).await;
    assert_eq!(reply.status, StatusCode::UNPROCESSABLE_ENTITY, "{reply:?}");
    let told = reply.json();
    assert_eq!((&told["code"], &told["left"]), (&json!("LIMIT_REACHED"), &json!(20.5)));
    assert_eq!(told["availableAt"], "2026-01-31T12:00:00Z");
    assert!(told["errors"]["amount"].is_string());
}

/// [D-B13] Balances as of a moment; a malformed time is a 422 on its field.
#[tokio::test]
async fn balances_are_told_as_of_a_moment() {
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.member();
    let read = async |query: &str| fixture.call(Method::GET, &format!("/v1/wallet{query}"), Some(&token), "").await;
    let reply = read("?at=1970-01-01T01:00:00%2B00:30").await;
    assert_eq!(reply.status, StatusCode::OK, "{reply:?}");
    let expected = json!({
        "success": true, "at": "1970-01-01T00:30:00Z", "balance": 18, "held": 0, "bonus": 0, "invested": 0, "onHold": 0,
        "owed": 0,
    });
    assert_eq!(reply.json(), expected);
    assert_eq!(read("").await.json()["balance"], json!(-0.01));
    for bad in ["yesterday", "2026-01-31", "2026-13-01T00:00:00Z", "", "%00"] {
        let reply = read(&format!("?at={bad}")).await;
        assert_eq!(reply.status, StatusCode::UNPROCESSABLE_ENTITY, "{bad}");
        assert!(reply.json()["errors"]["at"].is_string(), "{bad}");
    }
    assert_eq!(fixture.call(Method::GET, "/v1/wallet", None, "").await.status, StatusCode::UNAUTHORIZED);
}

/// [D-B13] [A16] A statement is put together from pages, in every form; one that breaks off is no whole answer.
#[tokio::test]
async fn a_statement_is_read_page_by_page() {
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.member();
    let read = async |query: &str| {
        let path = format!("/v1/transactions/statement?from=2026-01-01&to=2026-01-31{query}");
        fixture.call(Method::GET, &path, Some(&token), "").await
    };
    let reply = read("").await;
    assert_eq!(reply.headers["content-type"], "application/json");
    let told = reply.json();
    assert_eq!((&told["openingBalance"], &told["closingBalance"]), (&json!(-1), &json!(2)));
    let titles: Vec<_> = told["lines"].as_array().unwrap().iter().map(|line| line["title"].as_str().unwrap()).collect();
    assert_eq!(titles, ["Line 0", "Line 1", "Line 2"]);
    let csv = read("&format=csv").await.text;
    let head = "at,title,description,reference,amount,fee,balance,units,asset,rate,network,hash\r\n";
    let line = |number| format!(",Line {number},,,1,,{number},,,,,\r\n");
    assert_eq!(csv, format!("{head}{}{}{}", line(0), line(1), line(2)));
    let pdf = read("&format=pdf").await.text;
    assert!(pdf.starts_with("%PDF-") && pdf.contains("Line 2") && pdf.contains("/Count 1"));
    assert!(pdf.contains("(Ada Lovelace)") && pdf.contains("(January 1, 2026 to January 31, 2026)"), "{pdf}");
    assert_eq!(read("&format=doc").await.status, StatusCode::UNPROCESSABLE_ENTITY);
    let broken = fixture.body_of("/v1/transactions/statement?from=1969-12-01&to=1969-12-31&format=csv", &token).await;
    assert!(broken.is_err());
}

/// [D-M9] A document has a number, by which anyone learns that it is genuine, of which kind and day, and its hash: nothing of
/// the member. No other number is found, and guesses are limited.
#[tokio::test]
async fn a_document_is_checked_by_its_number() {
    let fixture = Fixture::with(&["--session-rate-limit=12"]).await;
    let (_, token) = fixture.realm.member();
    let read = async |path: &str| fixture.call(Method::GET, path, Some(&token), "").await;
    for (path, kind) in [
        ("/v1/transactions/statement?from=2026-01-01&to=2026-01-31&format=pdf", "statement"),
        ("/v1/statements/2026?format=pdf", "year_report"),
    ] {
        let bytes = fixture.body_of(path, &token).await.unwrap();
        let text = String::from_utf8_lossy(&bytes);
        let start = text.find("(SD-").unwrap() + 1;
        let number = &text[start..start + "SD-0000-0000-0000-0000".len()];
        for typed in [number.to_owned(), number.to_lowercase().replace('-', "")] {
            let told = fixture.call(Method::GET, &format!("/v1/documents/{typed}"), None, "").await.json();
            let document = told["document"].as_object().unwrap();
            assert_eq!(document.len(), 3, "{document:?}");
            assert_eq!(document["kind"], kind);
            assert_eq!(document["sha256"], json!(to_hex(&Sha256::digest(&bytes))));
            assert_eq!(document["issuedOn"].as_str().unwrap().len(), "2026-01-31".len());
        }
        let last = if number.ends_with('0') { '1' } else { '0' };
        let forged = format!("{}{last}", &number[..number.len() - 1]);
        let reply = fixture.call(Method::GET, &format!("/v1/documents/{forged}"), None, "").await;
        assert_eq!(reply.status, StatusCode::NOT_FOUND, "{forged}");
    }
    for forged in ["x", "SD", "..%2Freceipts%2Fa", "SD-0000-0000-0000-0000"] {
        let reply = fixture.call(Method::GET, &format!("/v1/documents/{forged}"), None, "").await;
        assert_eq!(reply.status, StatusCode::NOT_FOUND, "{forged}");
    }
    let mut statuses = Vec::new();
    for _ in 0..10 {
        let reply = fixture.call(Method::GET, "/v1/documents/SD-0000-0000-0000-0000", None, "").await;
        statuses.push(reply.status);
    }
    assert!(statuses.contains(&StatusCode::TOO_MANY_REQUESTS), "{statuses:?}");
    let csv = read("/v1/statements/2026?format=csv").await.text;
    assert!(csv.contains("movements,Deposit,,,,1,12.34,0,\r\n"), "{csv}");
    let told = read("/v1/statements/2026").await.json();
    assert_eq!((&told["moneyIn"], &told["closingBalance"]), (&json!(12.34), &json!(12.34)));
    for wrong in ["x", "2026?format=doc"] {
        assert_eq!(read(&format!("/v1/statements/{wrong}")).await.status, StatusCode::UNPROCESSABLE_ENTITY, "{wrong}");
    }
    // Each leaves a record, so a member has only a few in an hour.
    let mut last = StatusCode::OK;
    for _ in 0..60 {
        last = read("/v1/statements/2026?format=pdf").await.status;
    }
    assert_eq!(last, StatusCode::TOO_MANY_REQUESTS);
}

/// [D-R16] One posting a line, and where the next part begins.
#[tokio::test]
async fn the_journal_is_lines_of_json() {
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.staff(Role::Auditor);
    let entry = |account: &str, amount_cents| wallet::PostingEntry { account: account.to_owned(), amount_cents };
    let posting = |id, reverses| wallet::Posting {
        id,
        kind: "deposit".to_owned(),
        cause_type: "transaction".to_owned(),
        cause_id: "c".to_owned(),
        member_id: "m".to_owned(),
        entries: vec![entry("settlement", -105), entry("available", 105)],
        reverses,
        ..Default::default()
    };
    let path = "/solvane.wallet.v1.StaffService/ListPostings";
    let postings = vec![posting(7, 0), posting(6, 7)];
    let (next_cursor, end_cursor) = (String::new(), "9.6".to_owned());
    fixture.recorder.answer(path, &wallet::ListPostingsResponse { postings, next_cursor, end_cursor });
    let reply = fixture.call(Method::GET, "/v1/admin/journal?cursor=3.1", Some(&token), "").await;
    assert_eq!(reply.headers["content-type"], "application/x-ndjson");
    assert_eq!(reply.headers["x-next-cursor"], "9.6");
    let lines: Vec<Value> = reply.text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut expected = json!({
        "id": 7, "kind": "deposit", "cause": { "type": "transaction", "id": "c" }, "memberId": "m", "at": null,
        "entries": [{ "account": "settlement", "amount": -1.05 }, { "account": "available", "amount": 1.05 }],
    });
    assert_eq!(lines[0], expected);
    expected["id"] = json!(6);
    expected["reverses"] = json!(7);
    assert_eq!(lines[1], expected);
    let asked: Vec<wallet::ListPostingsRequest> = fixture.recorder.asked(path);
    assert_eq!((asked.len(), asked[0].page.as_ref().unwrap().cursor.as_str()), (1, "3.1"));
}
