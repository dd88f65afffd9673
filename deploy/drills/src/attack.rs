//! Attacks on the gateway of a local product: hostile clients, one case after another, while ordinary members keep
//! working. Everything stays on 127.0.0.0/8 and ends by itself.
//!
//! Every member and every attacker has a source address of its own, so the shares and limits per address apply as they do
//! in production.

mod cases;

mod files;

mod hostile;

mod members;

mod memory;

pub mod patience;

mod table;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use tokio::time::{Instant, sleep};

use crate::attack::cases::{CASES, Case};
use crate::attack::hostile::{Account, Attack, Target};
use crate::attack::members::{Figures, Members};
use crate::attack::memory::{LIMIT, Memory};
use crate::attack::table::{Row, Table};
use play::client::Client;
use play::testing::{Member, Options, TestStack};
use stack::Service;
use stack::host::process::Process;

/// Which attack to run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Two seconds a case instead of fifteen, and fewer members and accounts.
    pub is_quick: bool,
    /// Only the cases with this in their name.
    pub only: Option<String>,
    /// The gateway without its limits by client address: shows that cases can fail.
    pub unlimited: bool,
}

/// How long things take, and how many take part.
struct Extent {
    case: Duration,
    quiet: Duration,
    members: usize,
    accounts: usize,
}

impl Settings {
    fn extent(&self) -> Extent {
        let seconds = Duration::from_secs;
        if self.is_quick {
            Extent { case: Duration::from_millis(1_500), quiet: seconds(10), members: 4, accounts: 6 }
        } else {
            Extent { case: seconds(15), quiet: seconds(30), members: 8, accounts: 12 }
        }
    }

    fn selects(&self, case: &Case) -> bool {
        self.only.as_ref().is_none_or(|part| case.name.contains(part.as_str()))
    }
}

/// Runs the cases against a product of its own and prints the table.
///
/// Returns whether the gateway stayed below its memory limit and kept running, every request of the members succeeded,
/// and the audit found nothing.
///
/// # Errors
/// When the product does not start, or the members cannot be set up.
pub async fn attack(settings: &Settings, say: fn(&str)) -> Result<bool> {
    // Attackers have thousands of connections open.
    chassis::process::raise_file_limit();
    let extent = settings.extent();
    say("starting the product and its members");
    let options =
        Options { plans: true, limits_by_address: !settings.unlimited, one_reviewer: true, ..Options::default() };
    // Removed after the stack has ended: a group with a process in it stays.
    let mut memory = Memory::default();
    let mut stack = TestStack::with(options).await?;
    let members = Members::start(&stack, extent.members).await?;
    let target = Arc::new(target(&stack, &extent).await?);
    let gateway = stack.process(Service::Gateway)?;
    memory.watch(gateway.id())?;
    say(&format!("the gateway has {} MiB: {}", LIMIT >> 20, memory.how_limited()));
    // Attackers have machines of their own, so they should not take the gateway's time on this one.
    rustix::process::nice(5)?;
    let mut table = Table::begin(say);
    members.figures();
    let quiet = run_quiet(extent.quiet, &mut memory, gateway, &members).await?;
    table.quiet("no attack", quiet);
    for (number, case) in CASES.iter().enumerate().filter(|(_, case)| settings.selects(case)) {
        if !gateway.is_running() {
            break;
        }
        let row = run(number, case, &target, extent.case, &mut memory, gateway, &members).await?;
        table.row(row);
    }
    if gateway.is_running() {
        let after = run_quiet(extent.quiet / 2, &mut memory, gateway, &members).await?;
        table.quiet("no attack, afterwards", after);
    }
    let rounds = members.end().await?;
    let is_running = gateway.is_running();
    let drilled = if is_running && settings.only.is_none() { patience::drill(&stack, say).await } else { Ok(()) };
    if let Err(error) = &drilled {
        say(&format!("FAILED stolen password with a day's patience: {error:#}"));
    }
    let verdicts = if is_running { stack.verdicts().await? } else { Vec::new() };
    stack.end().await.or_else(|error| if is_running { Err(error) } else { Ok(()) })?;
    let is_clean = audit::report(&mut std::io::stdout().lock(), &verdicts)?;
    Ok(table.end(is_running, rounds) && drilled.is_ok() && is_clean)
}

/// What every case can use: the addresses of the gateway, accounts of attackers, and a large file of one of them.
async fn target(stack: &TestStack, extent: &Extent) -> Result<Target> {
    let mut accounts = Vec::new();
    let mut document = String::new();
    for number in 0..extent.accounts {
        let client = Client::new(stack.url()).moved_to(members::address(99, number))?;
        let Member { client, id, .. } = stack.member_through(&client).await?;
        if document.is_empty() {
            document = files::upload_document(&client).await?;
        }
        let token = client.token().context("a member has a session")?.to_owned();
        accounts.push(Account { id, token, client });
    }
    let ports = stack.ports(Service::Gateway);
    let local = |port| SocketAddr::from(([127, 0, 0, 1], port));
    let client = Client::new(stack.url()).moved_to(members::address(96, 0))?;
    Ok(Target {
        gateway: local(ports.main),
        ops: local(ports.ops),
        accounts,
        document,
        files: stack.folder().join("files"),
        victim: stack.member_through(&client).await?,
        managers: [stack.staff("manager").await?, stack.staff("manager2").await?],
        mail_dir: stack.mail_dir().to_owned(),
    })
}

async fn run_quiet(
    length: Duration,
    memory: &mut Memory,
    gateway: &Process,
    members: &Members,
) -> Result<(Figures, u64)> {
    memory.begin()?;
    let end = Instant::now() + length;
    memory.follow(gateway, async { tokio::time::sleep_until(end).await }).await;
    Ok((members.figures(), memory.peak()))
}

async fn run(
    number: usize,
    case: &Case,
    target: &Arc<Target>,
    length: Duration,
    memory: &mut Memory,
    gateway: &Process,
    members: &Members,
) -> Result<Row> {
    memory.begin()?;
    let attack = Attack::new(Arc::clone(target), u8::try_from(number)?, length);
    let work = async {
        let result = (case.run)(attack.clone()).await;
        // A moment for what is still under way, so that the next case begins without it.
        sleep(Duration::from_millis(300)).await;
        result
    };
    let result = memory.follow(gateway, work).await;
    let finding = result.unwrap_or(Ok(())).err().map(|error| format!("{error:#}"));
    Ok(Row {
        name: case.name,
        sent: case.sent,
        outcome: attack.outcome(),
        finding,
        peak: memory.peak(),
        members: members.figures(),
        is_running: gateway.is_running(),
    })
}
