//! The member's own download on the real product.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use play::client::Client;
use play::testing::TestStack;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

/// The files of the member's archive by their names.
async fn download(client: &Client) -> Result<BTreeMap<String, Vec<u8>>> {
    let answer = client.request(Method::GET, "/users/export").send().await?;
    ensure!(answer.status() == StatusCode::OK, "{}", answer.text().await?);
    ensure!(answer.headers()["content-type"] == "application/zip" && answer.headers()["cache-control"] == "no-store");
    read(&answer.bytes().await?).context("an archive")
}

/// Reads an archive whose files are not compressed.
fn read(archive: &[u8]) -> Option<BTreeMap<String, Vec<u8>>> {
    let mut files = BTreeMap::new();
    let mut rest = archive;
    while let Some(file) = rest.strip_prefix(b"PK\x03\x04") {
        let number = |at: usize, bytes: usize| {
            file.get(at..at + bytes)?.iter().rev().try_fold(0_usize, |sum, byte| Some(sum * 256 + usize::from(*byte)))
        };
        let (size, name_length) = (number(14, 4)?, number(22, 2)?);
        let (name, content) = file.get(26..)?.split_at_checked(name_length)?;
        let (content, next) = content.split_at_checked(size)?;
        files.insert(String::from_utf8(name.to_vec()).ok()?, content.to_vec());
        rest = next;
    }
    rest.starts_with(b"PK\x01\x02").then_some(files)
}

fn rows(files: &BTreeMap<String, Vec<u8>>, name: &str) -> Result<Vec<Value>> {
    let content = files.get(name).with_context(|| format!("{name} among {:?}", files.keys()))?;
    Ok(serde_json::from_slice(content)?)
}

/// [D-A12] [S3] [Q7] The download has the member's records of every service, statements, and files; nothing of another
/// member and no secret. It is in the activity, and a fourth one in a row is refused.
#[tokio::test]
async fn a_member_downloads_what_is_kept() -> Result<()> {
    let stack = TestStack::start().await?;
    let (member, other) = (stack.member_with("250.00").await?, stack.member_with("300.00").await?);
    let address = json!({ "currency": "USDT", "network": "ERC20", "address": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "label": "Ledger of mine" });
    member.client.post("/payment-methods", address).await?.success()?;
    let begun = json!({ "position": 42 });
    member.client.put("/courses/lessons/what-brands-buy/progress", begun).await?.success()?;
    let asked = json!({ "topic": "other", "text": "When do you open?" });
    member.client.post("/cases", asked).await?.success()?;
    // The account's mails are queued by events.
    stack.mail(&member.email, "confirmed").await?;

    let files = download(&member.client).await?;
    assert_eq!(rows(&files, "account/account-1.json")?[0]["email"], json!(member.email));
    assert!(!rows(&files, "account/sessions-1.json")?.is_empty());
    let transactions = rows(&files, "wallet/transactions-1.json")?;
    assert_eq!((transactions.len(), &transactions[0]["amountCents"]), (1, &json!(25_000)));
    assert_eq!(rows(&files, "payment-methods/payment_methods-1.json")?[0]["label"], json!("Ledger of mine"));
    assert_eq!(rows(&files, "course/progress-1.json")?[0]["positionSeconds"], json!(42));
    assert_eq!(rows(&files, "cases/case_messages-1.json")?[0]["text"], json!("When do you open?"));
    assert!(rows(&files, "emails/emails-1.json")?.len() >= 2);
    let receipt = format!("files/{}", transactions[0]["receiptKey"].as_str().context("a receipt")?);
    assert!(files[&receipt].starts_with(b"\xff\xd8") || files[&receipt].starts_with(b"\x89PNG"), "{receipt}");
    let named = |end: &str| files.iter().find(|(name, _)| name.starts_with("statements/") && name.ends_with(end));
    let (_, csv) = named(".csv").context("a statement")?;
    assert!(String::from_utf8_lossy(csv).contains(",250,,250,"));
    assert!(named(".pdf").context("a printable statement")?.1.starts_with(b"%PDF-"));
    assert!(rows(&files, "account/activity-1.json")?.iter().any(|row| row["kind"] == json!("data_exported")));

    let everything = String::from_utf8_lossy(&files.into_values().collect::<Vec<_>>().concat()).into_owned();
    let token = member.client.token().context("a session")?;
    for unwanted in [other.email.as_str(), "$argon2", token] {
        assert!(!everything.contains(unwanted), "{unwanted}");
    }

    for _ in 0..2 {
        download(&member.client).await?;
    }
    let refused = member.client.get("/users/export").await?;
    assert_eq!(refused.status, 429);
    assert!(refused.headers.contains_key("retry-after"));
    assert_eq!(Client::new(stack.url()).get("/users/export").await?.status, 401);
    let reviewer = stack.staff("reviewer").await?;
    assert_eq!(reviewer.get("/users/export").await?.code(), Some("PERMISSION_DENIED"));
    Ok(())
}
