//! The history that `stack demo` plays, on a clock that is set forward.

use anyhow::{Context, Result};
use audit::{Evidence, Urls, audit};
use play::client::Client;
use play::testing::{folder, settings};
use play::{demo, history};
use serde_json::json;
use stack::Stack;
use stack::running::Running;
use time::format_description::well_known::Rfc3339;
use time::{Duration, OffsetDateTime};

/// Enough for a registration, two deposits and two trades.
const DAYS: u64 = 8;

/// [D-X3] [D-H4] What is played on a clock of half a year ago is dated then, and stays right when the product goes on
/// by the machine's clock: the member logs in, and every promise is kept.
#[tokio::test]
async fn days_are_played_on_a_clock_that_is_set_forward() -> Result<()> {
    let folder = folder()?;
    let settings = settings(folder.path())?;
    history::play(&settings, DAYS).await?;
    let mut stack = Stack::start(settings).await?;

    let member = Client::new(stack.url()).login(demo::EMAIL, demo::PASSWORD).await?;
    let list = member.get("/transactions/user").await?.success()?;
    let rows = list["transactions"].as_array().context("a list")?;
    let now = OffsetDateTime::now_utc();
    let days_ago = |row: &serde_json::Value| -> Result<i64> {
        let at = row["createdAt"].as_str().context("a moment")?;
        Ok((now - OffsetDateTime::parse(at, &Rfc3339)? + Duration::hours(12)).whole_days())
    };
    let ages = rows.iter().map(days_ago).collect::<Result<Vec<_>>>()?;
    assert_eq!(ages, [175, 176, 178, 180, 181], "{rows:?}");
    assert_eq!(rows[1]["status"], json!("failed"));

    let urls = Urls::of(&Running::of(&stack)?.audited)?;
    let trusted_keys = stack.folder().join("keys/trusted.json");
    let verdicts = audit(&urls, Some(&Evidence { trusted_keys: &trusted_keys, roots: None, nodes: None })).await?;
    let broken: Vec<_> = verdicts.into_iter().filter(|verdict| !verdict.offending.is_empty()).collect();
    assert_eq!(broken, []);
    stack.end().await
}
