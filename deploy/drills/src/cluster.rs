//! A cluster on this machine: three machines with PostgreSQL, etcd and RabbitMQ each, two processes of every service, and
//! faults under load. [D-H1] [D-H2] [D-H3]
//!
//! Machines are network namespaces; nothing leaves them.

mod broker;

mod database;

mod engines;

mod faults;

mod history;

mod journeys;

mod machines;

mod proxy;

mod table;

use std::{sync::Arc, time::Duration};

use anyhow::{Context, Result, ensure};
use tokio::time::{Instant, sleep};

use self::{
    engines::Cluster,
    faults::Fault,
    history::{History, Rows},
    journeys::World,
    table::Row,
};
use play::testing::{Options, TestStack};
use stack::host::network;

/// How long the load runs before a fault and after its repair.
const AROUND: Duration = Duration::from_secs(3);

/// Which faults to try.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Three faults instead of all.
    pub is_quick: bool,
    /// Only the faults with this in their name.
    pub only: Option<String>,
}

/// Whether this machine can have a cluster.
///
/// # Errors
/// With what is missing.
pub fn check() -> Result<()> {
    network::check()?;
    for (program, option) in [("patroni", "--help"), ("etcd", "--version"), (proxy::PROGRAM, "-v"), ("nft", "-v")] {
        network::run(program, &[option]).context("run `deploy/setup.sh cluster`")?;
    }
    Ok(())
}

/// Tries the faults one after another against a product of its own, and prints a table.
///
/// Returns whether nothing that was acknowledged was lost or duplicated, writers went on in time, and the audit found
/// nothing.
///
/// # Errors
/// When the cluster does not start, a machine is not well before a fault, or a fault has no effect.
pub async fn run(settings: &Settings, say: fn(&str)) -> Result<bool> {
    let begun = Instant::now();
    say("starting three machines");
    let mut cluster = Cluster::start().await?;
    say(&format!("the servers are well after {} s; starting the product", begun.elapsed().as_secs()));
    let (databases, broker) = cluster.servers();
    let options = Options { plans: true, two_of_each: true, one_reviewer: true, ..Options::default() };
    let mut stack = TestStack::on(databases, broker, options).await?;
    let world = Arc::new(World::new(&stack, if settings.is_quick { 1 } else { 2 }).await?);
    say(&format!("members are at work after {} s", begun.elapsed().as_secs()));
    let faults: &[Fault] = if settings.is_quick { &faults::QUICK } else { &faults::ALL };
    let selected = |fault: &&Fault| settings.only.as_ref().is_none_or(|part| fault.name().contains(part.as_str()));
    let (mut tried, mut stands) = (0, true);
    say(&format!("\n{}", table::HEAD));
    for fault in faults.iter().filter(selected) {
        let row = trial(*fault, &mut cluster, &mut stack, &world)
            .await
            .with_context(|| format!("the trial \"{}\" is void; logs are in {}", fault.name(), cluster.keep_logs()))?;
        say(&format!("{}\n  {}", row.line(), row.evidence));
        for wrong in row.faults() {
            say(&format!("  FAILED {wrong}"));
            stands = false;
        }
        for (refused, count) in &row.figures.refused {
            say(&format!("  refused {count}: {refused}"));
        }
        tried += 1;
    }
    ensure!(tried > 0, "no fault has this in its name");
    stack.end().await?;
    say(&format!("{tried} faults in {} s", begun.elapsed().as_secs()));
    if !stands {
        say(&format!("logs are in {}", cluster.keep_logs()));
    }
    Ok(stands)
}

/// One fault under load, on a healthy cluster.
async fn trial(fault: Fault, cluster: &mut Cluster, stack: &mut TestStack, world: &Arc<World>) -> Result<Row> {
    let (roles, _) = cluster.wait_until_healthy().await.context("not healthy before the fault")?;
    let history = History::default();
    let (before, load) = world.begin(&history, stack.databases()).await?;
    sleep(AROUND).await;
    let inflicted = fault.inflict(cluster, stack, &roles).await?;
    let (_, restarted) = cluster.wait_until_healthy().await.context("not healthy after the fault")?;
    let restarted: String = restarted.iter().map(|number| format!(", RabbitMQ of n{number} hung")).collect();
    let healed_after = inflicted.at.elapsed();
    sleep(AROUND).await;
    let to = Instant::now();
    load.end().await?;
    let after = Rows::read(stack.databases()).await?;
    let broken = stack.broken_promises().await?;
    let figures = history.figures(&before, &after, inflicted.at, to);
    Ok(Row { fault, evidence: inflicted.evidence + &restarted, healed_after, figures, broken })
}
