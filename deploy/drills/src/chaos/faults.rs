//! Injects faults in an order that follows from the seed: armed crash points, killed and frozen processes, cut
//! connections, a stopped broker.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use tokio::time::{Instant, sleep};

use crate::chaos::numbers::Numbers;
use play::testing::TestStack;
use stack::Service;

use Service::{Auth, Gateway, Mailer, PaymentMethod, Trade, Wallet};

/// The crash points in the code, and the processes that reach them in a run.
const POINTS: [(&str, &[Service]); 42] = [
    ("auth.close_account.after_commit", &[Auth]),
    ("auth.close_account.after_request", &[Auth]),
    ("auth.close_account.after_wallet", &[Auth]),
    ("auth.login.after_commit", &[Auth]),
    ("auth.login.before_commit", &[Auth]),
    ("auth.mail_requests.after_commit", &[Auth]),
    ("auth.mail_requests.before_commit", &[Auth]),
    ("auth.sign_decision.before_signing", &[Auth]),
    ("auth.update_profile.after_commit", &[Auth]),
    ("gateway.files.after_put", &[Gateway]),
    ("idempotency.after_claim", &[Wallet, Trade]),
    ("idempotency.after_commit", &[Wallet, Trade]),
    ("idempotency.before_commit", &[Wallet, Trade]),
    ("inbox.before_ack", &[Mailer, Wallet]),
    ("inbox.before_commit", &[Mailer, Wallet]),
    ("ledger.after_commit", &[Wallet]),
    ("ledger.before_answers", &[Wallet]),
    ("ledger.before_commit", &[Wallet]),
    ("mailer.send.after_commit", &[Mailer]),
    ("mailer.send.after_lease", &[Mailer]),
    ("mailer.send.after_smtp", &[Mailer]),
    ("outbox.after_commit", &[Wallet, Trade, Auth]),
    ("outbox.after_publish", &[Wallet, Trade, Auth]),
    ("outbox.before_commit", &[Wallet, Trade, Auth]),
    ("outbox.before_publish", &[Wallet, Trade, Auth]),
    ("payment_method.update.after_commit", &[PaymentMethod]),
    ("sweep.after_batch", &[Auth]),
    ("trade.create.before_funding", &[Trade]),
    ("trade.end.before_settling", &[Trade]),
    ("trade.fund.after_commit", &[Trade]),
    ("trade.fund.after_wallet", &[Trade]),
    ("trade.fund.before_commit", &[Trade]),
    ("trade.fund.before_refusal", &[Trade]),
    ("trade.resume.after_lease", &[Trade]),
    ("trade.settle.after_commit", &[Trade]),
    ("trade.settle.after_wallet", &[Trade]),
    ("trade.settle.before_commit", &[Trade]),
    ("wallet.close.after_commit", &[Wallet]),
    ("wallet.close.before_commit", &[Wallet]),
    ("wallet.confirm_destination.after_code", &[Wallet]),
    ("wallet.confirm_destination.before_commit", &[Wallet]),
    ("wallet.reserve_receipt.after_commit", &[Wallet]),
];

/// How many points are armed at the same time. Points that are rarely reached stay armed for long.
const ARMED: usize = 12;

/// The deaths and other faults so far, by what caused them.
pub(super) type Tally = BTreeMap<String, u64>;

pub(super) struct Faults {
    folder: PathBuf,
    numbers: Numbers,
    /// The armed points, each with the process that it will kill.
    armed: Vec<(&'static str, Service)>,
    /// The processes that are frozen, until when.
    frozen: Vec<(Service, Instant)>,
    pub(super) crashes: Tally,
    pub(super) others: Tally,
}

impl Faults {
    pub(super) fn new(folder: &Path, seed: u64) -> Self {
        Self {
            folder: folder.to_owned(),
            numbers: Numbers::of(seed, "faults"),
            armed: Vec::new(),
            frozen: Vec::new(),
            crashes: Tally::new(),
            others: Tally::new(),
        }
    }

    /// Deaths of processes so far.
    pub(super) fn kills(&self) -> u64 {
        self.crashes.values().sum::<u64>() + self.others.get("kill -9").copied().unwrap_or_default()
    }

    /// Injects faults for this long, then repairs everything.
    pub(super) async fn cause(&mut self, stack: &mut TestStack, length: Duration) -> Result<()> {
        let end = Instant::now() + length;
        while Instant::now() < end {
            self.next(stack).await?;
            let pause = Duration::from_millis(200 + self.numbers.below(800));
            let next = Instant::now() + pause;
            while Instant::now() < next {
                self.look(stack).await?;
                sleep(Duration::from_millis(20)).await;
            }
        }
        for (service, _) in self.frozen.drain(..) {
            stack.cont(service)?;
        }
        self.look(stack).await?;
        for (point, service) in std::mem::take(&mut self.armed) {
            // The last check restarts a process that died a moment ago.
            if fs::remove_file(self.file(point, service)).is_err() {
                self.armed.push((point, service));
            }
        }
        sleep(Duration::from_millis(200)).await;
        self.look(stack).await
    }

    fn file(&self, point: &str, service: Service) -> PathBuf {
        self.folder.join(service.name()).join(point)
    }

    /// The next fault.
    async fn next(&mut self, stack: &mut TestStack) -> Result<()> {
        let draw = self.numbers.below(100);
        let service = *self.numbers.choose(&Service::ALL);
        match draw {
            0..70 => self.arm()?,
            70..82 => {
                self.count("kill -9");
                stack.kill(service).await?;
            }
            82..92 => {
                let until = Instant::now() + Duration::from_millis(200 + self.numbers.below(2_800));
                if self.frozen.iter().all(|(frozen, _)| *frozen != service) {
                    self.count("freeze");
                    stack.stop(service)?;
                    self.frozen.push((service, until));
                }
            }
            92..98 => {
                let databases: Vec<_> = Service::services().collect();
                let service = *self.numbers.choose(&databases);
                self.count("cut of a database's connections");
                stack.databases().end_sessions(service).await?;
            }
            _ => {
                self.count("absence of the broker");
                stack.stop_broker().await?;
                sleep(Duration::from_millis(self.numbers.below(2_000))).await;
                stack.start_broker().await?;
            }
        }
        Ok(())
    }

    fn count(&mut self, what: &str) {
        *self.others.entry(what.to_owned()).or_default() += 1;
    }

    fn arm(&mut self) -> Result<()> {
        let (point, services) = *self.numbers.choose(&POINTS);
        let service = *self.numbers.choose(services);
        if self.armed.len() < ARMED && !self.armed.contains(&(point, service)) {
            fs::write(self.file(point, service), "")?;
            self.armed.push((point, service));
        }
        Ok(())
    }

    /// Resumes processes that were frozen long enough, and restarts those that died.
    async fn look(&mut self, stack: &mut TestStack) -> Result<()> {
        let now = Instant::now();
        for (service, until) in std::mem::take(&mut self.frozen) {
            if until <= now {
                stack.cont(service)?;
            } else {
                self.frozen.push((service, until));
            }
        }
        self.note_crashes();
        for service in Service::ALL {
            // It may die again at a crash point during its start.
            if !stack.process(service)?.is_running() {
                stack.launch_again(service)?;
            }
        }
        Ok(())
    }

    /// The points at which a process died: it removes the file of the point first.
    fn note_crashes(&mut self) {
        for (point, service) in std::mem::take(&mut self.armed) {
            if self.file(point, service).exists() {
                self.armed.push((point, service));
            } else {
                *self.crashes.entry(point.to_owned()).or_default() += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::process::Command;

    use super::*;

    /// Every crash point in the code can be armed, and every one that can be armed is in the code.
    #[test]
    fn the_points_are_those_in_the_code() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let out = Command::new("grep")
            .args(["-rhoE", "crash_point!\\(\"[a-z_.]+\"\\)", "services", "gateway", "--include=*.rs"])
            .current_dir(root)
            .output()
            .expect("grep");
        let text = String::from_utf8(out.stdout).expect("text");
        let found: BTreeSet<_> = text.lines().filter_map(|line| line.split('"').nth(1)).collect();
        assert_eq!(found, POINTS.iter().map(|(point, _)| *point).collect());
        assert!(found.len() >= 25);
    }
}
