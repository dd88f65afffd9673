//! The pages of members and staff on a slow phone, which web/scripts/slow-phone.mjs measures in a real browser.

use std::io::stdout;
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use chassis::db::Db;
use play::client::Client;
use play::{demo, seed};
use serde_json::json;
use stack::Service;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;
use uuid::Uuid;

use crate::databases;
use crate::product::Product;
use crate::report::compare;

/// Plans beside the seeded ones.
const MORE_PLANS: i32 = 66;
/// Older lines of the demo member.
const LINES: i32 = 10_000;
/// Deposits that await a decision.
const QUEUE: usize = 1_000;

/// Prints the table.
pub async fn measure(folder: &Path, url: &str, passes: usize) -> Result<()> {
    let mut product = Product::start(&folder.join("stack"), url).await?;
    prepare(&product).await?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web").canonicalize()?;
    let script = ["scripts/slow-phone.mjs", product.stack.url()];
    let mut command = Command::new("node");
    command.args(script).current_dir(root).env("RUNS", passes.to_string()).stdout(Stdio::piped()).kill_on_drop(true);
    let mut running = command.spawn()?;
    let (mut table, mut lines) = (Vec::new(), BufReader::new(running.stdout.take().context("its output")?).lines());
    while let Some(line) = lines.next_line().await? {
        println!("{line}");
        table.push(line);
    }
    let status = running.wait().await?;
    ensure!(status.success(), "slow-phone.mjs {status}");
    println!();
    compare(&mut stdout().lock(), table.iter().flat_map(|line| figures(line)))?;
    product.stack.end().await
}

/// What a line of the table says of the largest paint, of when the figures stand, and of the longest interaction.
fn figures(line: &str) -> Vec<(Vec<&str>, usize, f64)> {
    let cells: Vec<&str> = line.trim_matches(['|', ' ']).split(" | ").collect();
    let figure = |column: usize| Some((cells.get(..2)?.to_vec(), column, cells.get(column)?.parse().ok()?));
    [2, 3, 5].into_iter().filter_map(figure).collect()
}

/// A demo member with trades, the course and a long history; many plans; a long queue.
async fn prepare(product: &Product) -> Result<()> {
    let stack = &product.stack;
    seed::seed(stack).await?;
    demo::make(stack.url(), &stack.folder().join("mail")).await?;
    let member = Client::new(stack.url()).login(demo::EMAIL, demo::PASSWORD).await?;
    member.post_keyed("/courses/purchase", "bench-course", json!({})).await?.success()?;
    let check = member.get("/auth/check").await?.success()?;
    let member: Uuid = check["user"]["id"].as_str().context("a member has an id")?.parse()?;
    plans(&Db::connect_lazy(&stack.databases().owner_url(Service::Trade)?, 1)?).await?;
    let wallet = Db::connect_lazy(&stack.databases().owner_url(Service::Wallet)?, 1)?;
    history(&wallet, member).await?;
    let members: Vec<Uuid> = product.members(QUEUE).await?.into_iter().map(|member| member.id).collect();
    queue(&wallet, &members).await
}

/// Each with the values of a seeded one.
async fn plans(trade: &Db) -> Result<()> {
    let mut conn = databases::patient(trade).await?;
    sqlx::query(
        "INSERT INTO plans (id, version, title, subtitle, min_cents, max_cents, roi_basis_points, duration_days, active, created_at)
         SELECT gen_random_uuid(), 1, 'Plan ' || n, 'One of many', 10000, 250000, 400, 30, true, now()
         FROM generate_series(1, $1) AS n",
    )
    .bind(MORE_PLANS)
    .execute(&mut *conn)
    .await?;
    sqlx::query(
        "WITH model AS (SELECT at, value_micros FROM plan_values WHERE plan_id = (SELECT id FROM plans WHERE title = 'Starter')),
            new AS (SELECT plans.id AS plan_id, at, value_micros, gen_random_uuid() AS proposal_id
                FROM plans, model WHERE subtitle = 'One of many'),
            proposed AS (INSERT INTO proposals (id, kind, subject_id, change, proposed_by, status, decided_by, decided_at)
                SELECT proposal_id, 'plan.value', plan_id, '{}', gen_random_uuid(), 'confirmed', gen_random_uuid(), now()
                FROM new RETURNING id)
         INSERT INTO plan_values (plan_id, at, value_micros, source, proposal_id)
         SELECT plan_id, at, value_micros, 'The bench', id FROM new JOIN proposed ON id = proposal_id ORDER BY plan_id, at",
    )
    .execute(&mut *conn)
    .await?;
    Ok(())
}

async fn history(wallet: &Db, member: Uuid) -> Result<()> {
    sqlx::query(
        "INSERT INTO transactions (id, user_id, kind, description, status, direction, amount_cents, decided_at, created_at)
         SELECT gen_random_uuid(), $1, 'adjustment', 'A present of the bench', 'success',
            CASE n % 3 WHEN 0 THEN 'debit' ELSE 'credit' END, 100 + n, now(), now() - n * interval '11 minutes'
         FROM generate_series(1, $2) AS n",
    )
    .bind(member)
    .bind(LINES)
    .execute(&mut *databases::patient(wallet).await?)
    .await?;
    Ok(())
}

async fn queue(wallet: &Db, members: &[Uuid]) -> Result<()> {
    sqlx::query(
        "INSERT INTO transactions (id, user_id, kind, description, status, direction, amount_cents, claimed_amount_cents,
            method_id, currency, network, method_address, method_memo, method_version, receipt_key, receipt_content_type,
            receipt_digest, created_at)
         SELECT gen_random_uuid(), member, 'deposit', model.description, 'pending', 'credit', 10000 + n, 10000 + n,
            model.method_id, model.currency, model.network, model.method_address, model.method_memo, model.method_version,
            model.receipt_key, model.receipt_content_type, model.receipt_digest,
            now() - n * interval '1 minute'
         FROM unnest($1::uuid[]) WITH ORDINALITY AS of (member, n),
            (SELECT * FROM transactions WHERE kind = 'deposit' AND status = 'pending' LIMIT 1) AS model",
    )
    .bind(members)
    .execute(&mut *databases::patient(wallet).await?)
    .await?;
    Ok(())
}
