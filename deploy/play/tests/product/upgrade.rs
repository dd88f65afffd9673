//! Two versions together: binaries of an older revision on the current schema, as during a rollout and after a
//! rollback.

use std::path::PathBuf;

use anyhow::{Context, Result};
use play::request::{self, Decision, txid};
use play::testing::{Options, TestStack};
use serde_json::json;
use stack::Service;

/// Money comes in, is invested, comes back, and goes out; each step answered by the version that runs.
async fn journey(stack: &TestStack, step: &str) -> Result<()> {
    walk(stack, step).await.with_context(|| step.to_owned())
}

async fn walk(stack: &TestStack, step: &str) -> Result<()> {
    let member = stack.member_with("500").await?;
    let invest = request::open_trade(&member.client.plan("Starter").await?, "150.00");
    let trade = request::id(&member.client.make(invest).await?)?;
    member.client.make(request::close_trade(&trade)).await?;

    let id = request::id(&member.withdraw("100.00").await?.success()?)?;
    stack.confirm_destination(&member, &id).await?;
    stack.staff("reviewer").await?.decide(&id, Decision::Approve).await?.success()?;
    stack.staff("treasurer").await?.decide(&id, Decision::Paid { txid: &txid() }).await?.success()?;

    let wallet = member.client.get("/auth/check").await?.success()?["user"]["wallet"].clone();
    assert_eq!(wallet["balance"], json!(400), "{step}");
    stack.mail(&member.email, "withdrawal").await.with_context(|| format!("{step}: mail"))?;
    Ok(())
}

/// The services in the order in which they are rolled out, as `deploy/rollout.sh` does it: auth signs what the others ask it
/// to sign, and the gateway calls what the others answer. A rollback goes the other way.
fn rollout() -> Vec<Service> {
    let names = chassis::keys::SERVICES.iter();
    names.map(|name| Service::ALL.into_iter().find(|service| service.name() == *name).expect("a service")).collect()
}

/// At every step of a rollout on the new schema, and of its rollback, the product works; the books are right afterwards.
/// OLDER_BINARIES names the older version's folder: `make test-upgrade` builds them.
#[tokio::test]
#[ignore = "needs the binaries of an older version"]
async fn two_versions_work_side_by_side() -> Result<()> {
    let older = PathBuf::from(std::env::var("OLDER_BINARIES").context("OLDER_BINARIES is not set")?);
    let mut stack = TestStack::with(Options { plans: true, ..Options::default() }).await?;
    // A service that the older version does not have stays as it is.
    let known: Vec<_> = rollout().into_iter().filter(|service| older.join(service.name()).exists()).collect();
    for service in known.iter().copied().rev() {
        stack.swap(service, Some(&older)).await?;
        journey(&stack, &format!("rolled back to older {}", service.name())).await?;
    }
    for service in known {
        stack.swap(service, None).await?;
        journey(&stack, &format!("rolled out up to {}", service.name())).await?;
    }
    // What an older version decided among signed decisions has no signature, which is all that the audit may name.
    let broken = stack.broken_promises().await?;
    let unsigned = |row: &String| {
        row.contains("signature") || row.contains("signs nothing") || row.starts_with("and ") && row.ends_with(" more")
    };
    assert!(broken.iter().all(|verdict| verdict.offending.iter().all(unsigned)), "{broken:?}");
    Ok(())
}
