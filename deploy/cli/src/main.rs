//! The command behind `make run`, `make demo`, `make test` and others.

mod arguments;

use std::{
    io::{IsTerminal, Write},
    path::Path,
    process::{Command as Program, ExitCode, ExitStatus},
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use audit::{Evidence, Urls, audit, reconcile, report};
use clap::Parser;
use drills::{attack, chaos, cluster, growth, year};
use play::{
    demo, history, samples, seed, sweep,
    testing::{Options, TestStack},
    traffic,
};
use stack::{
    Logs, Settings, Stack,
    nodes::{Blocks, Installed},
    running::Running,
    servers::{
        BrokerServer, DatabaseServer,
        control::{self, Control},
        postgres::Durability,
        testbed::{Testbed, run_to_its_end},
    },
    treasurer::{
        pay,
        sign::{self, Signed},
    },
};
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::arguments::{Arguments, Chains, Command, Local, Place};

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let result = obey(Arguments::parse().command).await;
    result.unwrap_or_else(|error| {
        say(&format!("FAILED {}", error.chain().map(ToString::to_string).collect::<Vec<_>>().join(": ")));
        ExitCode::FAILURE
    })
}

async fn obey(command: Command) -> Result<ExitCode> {
    match command {
        Command::Run(local) => run(local, false).await,
        Command::Demo(local) => match Running::read(&local.place.dir) {
            Ok(running) => {
                demo::make(&running.url, &local.place.dir.join("mail")).await?;
                say(&format!("added {} / {} to {}", demo::EMAIL, demo::PASSWORD, running.url));
                Ok(ExitCode::SUCCESS)
            }
            Err(_) => run(local, true).await,
        },
        Command::Audit(place) => audited(&place).await,
        Command::Reconcile { place, trade_database_url, wallet_database_url } => {
            reconcile(&place, trade_database_url, wallet_database_url).await
        }
        Command::Traffic(place) => traffic(&Running::read(&place.dir)?.url).await,
        Command::Attack { quick, only, unlimited } => {
            let settings = attack::Settings { is_quick: quick, only, unlimited };
            let stands = attack::attack(&settings, say_plainly).await?;
            Ok(if stands { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        Command::Cluster { quick, only, if_possible } => {
            if let Err(missing) = cluster::check() {
                say_plainly(&format!("no cluster on this machine: {missing:#}"));
                return Ok(if if_possible { ExitCode::SUCCESS } else { ExitCode::FAILURE });
            }
            let (mut stop, settings) = (Stop::new()?, cluster::Settings { is_quick: quick, only });
            let stands = tokio::select! {
                stands = cluster::run(&settings, say_plainly) => stands?,
                () = stop.asked() => false,
            };
            Ok(if stands { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        Command::Pay { place, reference, units } => {
            let txid = pay::pay(&Running::read(&place.dir)?, &reference, units).await?;
            say(&format!("paid  {txid}"));
            Ok(ExitCode::SUCCESS)
        }
        Command::Sweep { place, chain } => swept(&place, &chain).await,
        Command::Sign { place, file } => {
            match sign::sign(&Running::read(&place.dir)?, &file).await? {
                Signed::File(path) => say(&format!("signed  {}", path.display())),
                Signed::Paid(hashes) => hashes.iter().for_each(|hash| say(&format!("paid  {hash}"))),
            }
            Ok(ExitCode::SUCCESS)
        }
        Command::Chaos { seed, minutes, members } => {
            let seed = seed.unwrap_or_else(|| u64::from(uuid::Uuid::new_v4().as_fields().0));
            let campaign = chaos::Campaign { seed, length: Duration::from_secs(minutes * 60), members };
            say_plainly(&chaos::run(campaign, say).await?.text);
            Ok(ExitCode::SUCCESS)
        }
        Command::Year { months } => {
            year::play(months, say).await?;
            say(&format!("{months} months without a finding"));
            Ok(ExitCode::SUCCESS)
        }
        Command::Restart { place, service } => {
            let begun = Instant::now();
            control::restart(&place.dir, &service).await?;
            say(&format!("{service} is ready after {:.1} s", begun.elapsed().as_secs_f64()));
            Ok(ExitCode::SUCCESS)
        }
        Command::Growth { rows } => {
            growth::measure(&rows, say_plainly).await?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Reset(place) => {
            Stack::reset(&place.dir)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::DevDb(place) => dev_db(&place.dir).await,
        Command::Testbed { buckets, command } => {
            let status = Testbed::start().await?.in_buckets(buckets).run(&command).await?;
            Ok(exit_code(status))
        }
        Command::E2e { chains, command } => e2e(chains, &command).await,
    }
}

async fn audited(place: &Place) -> Result<ExitCode> {
    let running = Running::read(&place.dir)?;
    let urls = Urls::of(&running.audited)?;
    let (folder, trusted_keys) = (place.dir.join("roots"), place.dir.join("keys/trusted.json"));
    let roots = folder.is_dir().then_some(&*folder);
    let evidence = Evidence { trusted_keys: &trusted_keys, roots, nodes: Some(&running.nodes) };
    let clean = report(&mut std::io::stdout().lock(), &audit(&urls, Some(&evidence)).await?)?;
    Ok(if clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn swept(place: &Place, chain: &str) -> Result<ExitCode> {
    let hashes = sweep::sweep(&Running::read(&place.dir)?, &place.dir, chain).await?;
    if hashes.is_empty() {
        say("nothing to sweep: a balance is read within a minute of its payment");
    }
    for txid in hashes {
        say(&format!("swept  {txid}"));
    }
    Ok(ExitCode::SUCCESS)
}

async fn reconcile(place: &Place, trade: Option<String>, wallet: Option<String>) -> Result<ExitCode> {
    let (trade, wallet) = match (trade, wallet) {
        (Some(trade), Some(wallet)) => (trade, wallet),
        _ => {
            let databases = Running::read(&place.dir)?.databases;
            let url = |name| databases.get(name).cloned().with_context(|| format!("no database of {name}"));
            (url("trade")?, url("wallet")?)
        }
    };
    let breaks = reconcile::reconcile(&trade, &wallet).await?;
    let agree = reconcile::report(&mut std::io::stdout().lock(), &breaks)?;
    Ok(if agree { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn traffic(url: &str) -> Result<ExitCode> {
    let mut stop = Stop::new()?;
    let (stopped, told) = tokio::sync::watch::channel(false);
    let going = traffic::keep_going(url, told);
    tokio::pin!(going);
    let counts = tokio::select! {
        counts = &mut going => counts?,
        () = stop.asked() => {
            stopped.send_replace(true);
            going.await?
        }
    };
    say(&counts.to_string());
    Ok(ExitCode::SUCCESS)
}

/// Starts the product, reports that it is ready, and waits until it is stopped or a process dies.
async fn run(local: Local, with_demo: bool) -> Result<ExitCode> {
    let (mut stop, begun) = (Stop::new()?, Instant::now());
    let settings = settings(local)?;
    let folder = settings.folder.clone();
    if settings.chains.is_some() {
        say_missing(&Installed::find()?);
    }
    let mut stack = tokio::select! {
        started = start(settings, with_demo) => started?,
        () = stop.asked() => return Ok(ExitCode::SUCCESS),
    };
    let control = Control::open(&folder)?;
    summarise(&stack, &folder, with_demo, begun.elapsed());
    let died = loop {
        tokio::select! {
            death = stack.first_end() => break Some(death?),
            () = stop.asked() => break None,
            request = control.next() => {
                say(&format!("restarting {}", request.service.name()));
                let restarted = stack.swap(request.service, None).await;
                request.answer(&restarted).await;
            }
        }
    };
    drop(control);
    Running::remove(&folder);
    if let Some(death) = &died {
        say(&format!("FAILED {death}\nFAILED ending everything, because {}", death.lines().next().unwrap_or_default()));
    } else {
        say("ending");
    }
    stack.end().await?;
    Ok(if died.is_some() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Says in a line which nodes are not installed.
fn say_missing(installed: &Installed) {
    let nodes = [("bitcoind", &installed.bitcoind), ("anvil", &installed.anvil)];
    let missing: Vec<_> = nodes.into_iter().filter(|(_, path)| path.is_none()).map(|(name, _)| name).collect();
    if !missing.is_empty() {
        say(&format!("not installed: {}; payments on these chains are not detected", missing.join(", ")));
    }
}

async fn start(settings: Settings, with_demo: bool) -> Result<Stack> {
    let mail_dir = settings.folder.join("mail");
    let is_new = matches!(settings.databases, DatabaseServer::Own(_)) && !settings.folder.join("pg").exists();
    let with_history = with_demo && is_new;
    if with_history {
        say("playing six months of the product's life, which takes a few minutes");
        history::play(&settings, history::DAYS).await.context("playing the history failed; `make reset` clears it")?;
    }
    let stack = Stack::start(settings).await?;
    say("checking staff, deposit addresses and plans, adding what is missing");
    seed::seed(&stack).await.context("seeding failed")?;
    say("adding sample videos to the course, unless it has some");
    samples::make(stack.url()).await.context("making the sample videos failed")?;
    Running::of(&stack)?.write(stack.folder())?;
    if with_demo && !with_history {
        say("adding the demo member");
        demo::make(stack.url(), &mail_dir).await.context("making the demo member failed")?;
    }
    Ok(stack)
}

/// Prints that the product is ready, and what a new user needs to know.
fn summarise(stack: &Stack, folder: &Path, with_demo: bool, took: Duration) {
    let folder = folder.display();
    let member = if with_demo {
        format!("{} / {}", demo::EMAIL, demo::PASSWORD)
    } else {
        "register one, or let `make demo` add one with a history".to_owned()
    };
    say(&format!("ready  {}  after {} s", stack.url(), took.as_secs()));
    say(&format!("  member  {member}"));
    say(&format!(
        "  staff   {}/admin, password {}, no second factor in this local stack:",
        stack.url(),
        seed::STAFF_PASSWORD
    ));
    for role in ["admin", "reviewer", "treasurer", "manager", "auditor"] {
        let of_role = seed::STAFF.iter().filter(|(_, _, has)| *has == role);
        let emails: Vec<_> = of_role.map(|(email, ..)| *email).collect();
        say(&format!("            {role:10} {}", emails.join(", ")));
    }
    let mail = if stack.writes_mail() {
        format!("{folder}/mail, one .eml a mail; codes of new accounts are there")
    } else {
        "sent to SMTP_URL".to_owned()
    };
    say(&format!("  mail    {mail}"));
    say(&format!("  logs    {folder}/logs; warnings and errors also here; `make logs` follows all"));
    say("  restart `make restart SERVICE=wallet` builds and restarts one process");
    say("  stop    Ctrl-C; the data stays, `make reset` deletes it");
}

fn settings(local: Local) -> Result<Settings> {
    let coloured = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    Ok(Settings {
        folder: local.place.dir,
        port: local.port,
        databases: local.database_url.map_or(DatabaseServer::Own(Durability::Full), DatabaseServer::At),
        broker: local.amqp_url.map_or(BrokerServer::Own, BrokerServer::At),
        smtp_url: local.smtp_url,
        web: std::path::absolute(local.web)?,
        unlimited: false,
        staff_totp: false,
        connection_age_seconds: None,
        two_of_each: false,
        otlp_endpoint: None,
        chains: (local.chains == Chains::On).then_some(Blocks::Regularly),
        logs: Logs::FilesAndTerminal { coloured },
        clock: None,
        environment: Vec::new(),
        crash_points: None,
        tls: false,
        progress: say,
    })
}

async fn dev_db(folder: &Path) -> Result<ExitCode> {
    let mut stop = Stop::new()?;
    let (postgres, _lock) = Stack::start_dev_database(folder).await?;
    say(&format!("ready  DATABASE_URL={}", postgres.url()));
    tokio::select! {
        _ = postgres.process().wait() => {}
        () = stop.asked() => postgres.process().terminate().await?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn e2e(chains: bool, command: &[String]) -> Result<ExitCode> {
    let (program, arguments) = command.split_first().context("no command was given")?;
    let mut stack = TestStack::with(Options { plans: true, chains, ..Options::default() }).await?;
    let mut program = Program::new(program);
    program.envs(Running::of(&stack)?.nodes.into_iter().map(|(name, url)| (format!("STACK_{name}"), url)));
    program.args(arguments).env("STACK_URL", stack.url()).env("STACK_MAIL_DIR", stack.mail_dir());
    let status = run_to_its_end(program).await?;
    let broken = stack.broken_promises().await?;
    stack.end().await?;
    if broken.is_empty() {
        say("audit clean");
        return Ok(exit_code(status));
    }
    report(&mut std::io::stdout().lock(), &broken)?;
    Ok(ExitCode::FAILURE)
}

/// The signals that ask us to end.
struct Stop {
    signals: [Signal; 3],
}

impl Stop {
    fn new() -> Result<Self> {
        let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
        let [interrupt, terminate, hangup] = kinds.map(signal);
        Ok(Self { signals: [interrupt?, terminate?, hangup?] })
    }

    async fn asked(&mut self) {
        let [interrupt, terminate, hangup] = &mut self.signals;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
    }
}

/// Prints a line between those of the processes. A closed standard output is not an error.
fn say(text: &str) {
    for line in text.lines() {
        drop(writeln!(std::io::stdout().lock(), "{:14} {line}", "stack"));
    }
}

/// Prints lines as they are.
fn say_plainly(text: &str) {
    drop(writeln!(std::io::stdout().lock(), "{text}"));
}

/// The exit code of the caller's command; a command ended by a signal counts as failed.
fn exit_code(status: ExitStatus) -> ExitCode {
    status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from)
}
