//! Keys are rotated in a running product, as described in docs/KEYS.md.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use play::{client::Client, testing::TestStack};
use stack::Service;
use tokio::process::Command;

async fn rotate(stack: &TestStack, step: &str, key: &str) -> Result<()> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rotate-key.sh").canonicalize()?;
    let out = Command::new(script).arg("--folder").arg(stack.folder()).args([step, key]).output().await?;
    ensure!(out.status.success(), "{step} {key}: {}", String::from_utf8_lossy(&out.stderr));
    Ok(())
}

async fn restart(stack: &mut TestStack, services: &[Service]) -> Result<()> {
    for service in services {
        stack.terminate(*service).await?;
        stack.restart(*service).await?;
    }
    Ok(())
}

async fn status(client: &Client) -> Result<u16> {
    Ok(client.get("/auth/check").await?.status)
}

/// The link to the receipt of the newest transaction.
async fn receipt(stack: &TestStack, client: &Client) -> Result<String> {
    let rows = client.get("/transactions/user").await?.success()?;
    let url = rows["transactions"][0]["receipt"]["url"].as_str().context("a link")?;
    Ok(if url.starts_with("http") { url.to_owned() } else { format!("{}{url}", stack.url()) })
}

/// [D-S4] [D-L6] A new key for tokens, for a service, and for links: nobody is logged out, and the product works after
/// every step.
#[tokio::test]
async fn keys_change_and_nobody_is_logged_out() -> Result<()> {
    let mut stack = TestStack::start().await?;
    let member = stack.member_with("250").await?;
    for key in ["token", "wallet"] {
        rotate(&stack, "add", key).await?;
    }
    restart(&mut stack, &Service::ALL).await?;
    assert_eq!(status(&member.client).await?, 200, "every process trusts both");
    for key in ["token", "wallet"] {
        rotate(&stack, "switch", key).await?;
    }
    restart(&mut stack, &[Service::Auth, Service::Wallet]).await?;
    assert_eq!(status(&member.client).await?, 200, "tokens of the old key are in force");
    let later = stack.member_with("250").await?;
    assert_eq!(status(&later.client).await?, 200, "and those of the new one");
    for key in ["token", "wallet"] {
        rotate(&stack, "retire", key).await?;
    }
    restart(&mut stack, &Service::ALL).await?;
    assert_eq!(status(&later.client).await?, 200);
    assert_eq!(status(&member.client).await?, 401, "a token of the old key, half an hour too early");
    stack.member_with("250").await?;

    let before = receipt(&stack, &later.client).await?;
    assert!(reqwest::get(&before).await?.status().is_success());
    rotate(&stack, "replace", "link").await?;
    restart(&mut stack, &[Service::Gateway]).await?;
    assert!(reqwest::get(&before).await?.status().is_client_error());
    assert!(reqwest::get(receipt(&stack, &later.client).await?).await?.status().is_success());
    assert!(stack.broken_promises().await?.is_empty());
    Ok(())
}
