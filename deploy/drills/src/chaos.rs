//! A campaign of faults: members keep working while processes die at every crash point, and the history of their calls must
//! be linearisable. Operations and faults follow from the seed; when they meet is up to the machine.

mod faults;

mod model;

mod numbers;

mod person;

mod work;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use tempfile::TempDir;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::chaos::faults::{Faults, Tally};
use crate::chaos::model::Balances;
use crate::chaos::person::{Counts, Person};
use crate::chaos::work::{House, Life, Told};
use audit::reconcile::reconcile;
use play::client::cents;
use play::history::check_ledger;
use play::request::{self, Decision};
use play::seed::{self, STAFF_PASSWORD};
use play::testing::{self, Member, PASSWORD, TestStack};
use stack::Service;
use stack::Settings;
use stack::servers::BrokerServer;

/// What to do, and for how long.
#[derive(Clone, Copy, Debug)]
pub struct Campaign {
    pub seed: u64,
    pub length: Duration,
    pub members: usize,
}

/// What a campaign without a finding came to.
#[derive(Debug)]
pub struct Report {
    pub took: Duration,
    /// Acknowledged calls that changed something.
    pub mutations: u64,
    /// Deaths of processes.
    pub kills: u64,
    /// Crash points at which a process died.
    pub points: usize,
    /// The tables for a person to read.
    pub text: String,
}

/// Runs a campaign on a product of its own.
///
/// # Errors
/// The first finding, with the seed.
pub async fn run(campaign: Campaign, say: fn(&str)) -> Result<Report> {
    let seed = campaign.seed;
    say(&format!("seed {seed}: starting the product and {} members", campaign.members));
    campaign.run(say).await.with_context(|| format!("seed {seed}"))
}

impl Campaign {
    async fn run(self, say: fn(&str)) -> Result<Report> {
        // Kept after a failure, for its logs.
        let mut folder = testing::folder()?;
        folder.disable_cleanup(true);
        let path = folder.path().to_owned();
        let report = self.run_in(folder, say).await.with_context(|| format!("logs are in {}", path.display()))?;
        std::fs::remove_dir_all(path)?;
        Ok(report)
    }

    async fn run_in(self, folder: TempDir, say: fn(&str)) -> Result<Report> {
        let counts = Counts::default();
        let crash_points = folder.path().join("crash-points");
        let mut environment = testing::one_reviewer();
        // Accounts close while the faults go on.
        environment.push(("CLOSING_DELAY_HOURS", "0".to_owned()));
        let settings = Settings {
            broker: BrokerServer::Own,
            crash_points: Some(crash_points.clone()),
            environment,
            ..testing::settings(folder.path())?
        };
        let mut stack = TestStack::from_settings(folder, settings).await?;
        seed::seed(&stack).await?;
        let lives = self.lives(&mut stack, &counts).await?;
        let house = Arc::clone(&lives.first().context("at least one member")?.house);
        say(&format!("causing faults for {} s", self.length.as_secs()));
        let begun = Instant::now();
        let (mut tasks, mut faults) = (JoinSet::new(), Faults::new(&crash_points, self.seed));
        tasks.spawn(work::publish_values(Arc::clone(&house)));
        for life in &lives {
            tasks.spawn(Arc::clone(life).trade());
            tasks.spawn(Arc::clone(life).deposit());
            tasks.spawn(Arc::clone(life).spend());
            tasks.spawn(Arc::clone(life).settle_in());
            tasks.spawn(Arc::clone(life).read());
        }
        tasks.spawn(open_and_close(Arc::clone(&house), stack.client(), stack.mail_dir().to_owned(), counts.clone()));
        {
            let caused = faults.cause(&mut stack, self.length);
            tokio::pin!(caused);
            loop {
                tokio::select! {
                    caused = &mut caused => break caused?,
                    Some(ended) = tasks.join_next() => ended?.context("while faults were caused")?,
                }
            }
        }
        ensure!(
            !faults.crashes.is_empty() || self.length < Duration::from_secs(30),
            "no process died at a crash point: build with `cargo build --workspace --bins --features chassis/crash-points`"
        );
        house.is_over.store(true, Ordering::Relaxed);
        while let Some(ended) = tasks.join_next().await {
            ended?.context("after the faults")?;
        }
        let took = begun.elapsed();
        say("comparing what was answered with what is stored");
        for life in &lives {
            check(&stack, life).await.with_context(|| format!("member {}", life.person.email))?;
        }
        let broken = stack.broken_promises().await?;
        ensure!(broken.is_empty(), "the audit found {broken:?}");
        let database = |service| stack.databases().owner_url(service);
        let breaks = reconcile(&database(Service::Trade)?, &database(Service::Wallet)?).await?;
        ensure!(breaks.is_empty(), "trades and their money differ: {}", breaks[0]);
        stack.end().await?;
        Ok(report(self.seed, took, &counts, &faults))
    }

    /// Members with money and a known destination, before anything goes wrong.
    async fn lives(self, stack: &mut TestStack, counts: &Counts) -> Result<Vec<Arc<Life>>> {
        let mut members = Vec::new();
        for _ in 0..self.members {
            members.push(stack.member_with("9000.00").await?);
        }
        let staff = async |name: &str| -> Result<Person> {
            let client = stack.staff(name).await?;
            Ok(Person::new(&format!("{name}@solvane.test"), STAFF_PASSWORD, client, counts))
        };
        let house = Arc::new(House {
            reviewer: staff("reviewer").await?,
            treasurers: [staff("treasurer").await?, staff("treasurer2").await?],
            managers: [staff("manager").await?, staff("manager2").await?],
            plan: members[0].client.plan("Starter").await?,
            method: members[0].platform_method("TRC20").await?,
            is_over: AtomicBool::new(false),
        });
        let treasurer = stack.staff("treasurer").await?;
        check_ledger(stack, &treasurer).await?;
        let mut lives = Vec::new();
        for member in members {
            lives.push(Arc::new(self.life(stack, member, &house, counts).await?));
        }
        Ok(lives)
    }

    async fn life(self, stack: &TestStack, member: Member, house: &Arc<House>, counts: &Counts) -> Result<Life> {
        let id = request::id(&member.client.make(request::withdraw("50.00", &house.method)).await?)?;
        stack.confirm_destination(&member, &id).await?;
        let confirmed = Decision::Reject { reason: "OTHER", note: "Only to confirm the address." };
        stack.staff("reviewer").await?.decide(&id, confirmed).await?.success()?;
        let own_method = request::id(&member.client.make(request::save_destination("Own")).await?)?;
        let wallet = member.client.get("/wallet").await?.success()?;
        let told = Told {
            deposits: 1,
            withdrawals: 1,
            phone: "+1 555 0100".to_owned(),
            label: "Own".to_owned(),
            ..Told::default()
        };
        Ok(Life {
            id: member.id,
            person: Person::new(&member.email, PASSWORD, member.client, counts),
            own_method,
            start: Balances { available: cents(&wallet["balance"])?, ..Balances::default() },
            house: Arc::clone(house),
            history: Mutex::default(),
            told: Mutex::new(told),
            seed: self.seed,
        })
    }
}

/// Every balance and refusal is explained, and nothing is stored that was not acknowledged, or twice.
async fn check(stack: &TestStack, life: &Life) -> Result<()> {
    let history = life.history.lock().expect("no panic while held").clone();
    if let Err(unexplained) = model::check(life.start, &history) {
        bail!("{unexplained}");
    }
    life.check_writes().await?;
    let told = life.told.lock().expect("no panic while held").clone();
    let wallet = stack.databases().owner_url(Service::Wallet)?;
    let kinds =
        BTreeMap::from([("deposit", told.deposits), ("withdrawal", told.withdrawals), ("course", told.purchases)]);
    for (kind, acknowledged) in kinds {
        let sql = "SELECT count(*) FROM transactions WHERE user_id = $1::uuid AND kind = $2";
        let stored = count(&wallet, sql, &life.id, kind).await?;
        ensure!(stored == acknowledged, "{acknowledged} {kind}s were acknowledged, {stored} are stored");
    }
    let trade = stack.databases().owner_url(Service::Trade)?;
    let sql = "SELECT count(*) FROM trades WHERE user_id = $1::uuid AND status <> $2";
    let stored = count(&trade, sql, &life.id, "failed").await?;
    ensure!(stored == told.trades, "{} trades were acknowledged, {stored} are stored", told.trades);
    let open = "SELECT count(*) FROM trades WHERE user_id = $1::uuid AND status NOT IN ('claimed', 'closed', $2)";
    ensure!(count(&trade, open, &life.id, "failed").await? == 0, "a trade is between two steps");
    Ok(())
}

async fn count(database: &str, sql: &'static str, member: &str, value: &str) -> Result<u64> {
    let mut database = audit::connect(database).await?;
    let count: i64 = sqlx::query_scalar(sql).bind(member).bind(value).fetch_one(&mut database).await?;
    Ok(u64::try_from(count)?)
}

fn report(seed: u64, took: Duration, counts: &Counts, faults: &Faults) -> Report {
    let mut text = format!("{:24}{:>8}{:>8}{:>12}{:>10}\n", "operation", "done", "refused", "sent again", "replayed");
    let mut mutations = 0;
    for (name, count) in counts.all() {
        if name != "read" {
            mutations += count.acknowledged;
        }
        let row = [count.acknowledged, count.refused, count.sent_again, count.replayed];
        text += &format!("{name:24}{:>8}{:>8}{:>12}{:>10}\n", row[0], row[1], row[2], row[3]);
    }
    let list = |title: &str, tally: &Tally| {
        let rows: String = tally.iter().map(|(name, count)| format!("{name:40}{count:>6}\n")).collect();
        format!("\n{title}\n{rows}")
    };
    text += &list("deaths by crash point", &faults.crashes);
    text += &list("other faults", &faults.others);
    let (kills, seconds) = (faults.kills(), took.as_secs().max(1));
    text += &format!(
        "\nseed {seed}: {mutations} mutations and {kills} kills in {seconds} s; at this pace {} and {} in an hour",
        mutations * 3_600 / seconds,
        kills * 3_600 / seconds,
    );
    Report { took, mutations, kills, points: faults.crashes.len(), text }
}

/// Visitors who register, ask for codes, and close their account again.
async fn open_and_close(
    house: Arc<House>,
    visitor: play::client::Client,
    mails: std::path::PathBuf,
    counts: Counts,
) -> Result<()> {
    for number in (1_u64..).take_while(|_| !house.is_over.load(Ordering::Relaxed)) {
        let email = format!("visitor{number}@example.test");
        let person = Person::new(&email, PASSWORD, visitor.clone(), &counts);
        person.register_and_close(&mails, number).await.with_context(|| email)?;
    }
    Ok(())
}
