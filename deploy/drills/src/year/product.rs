//! A product on a clock that is set forward, and what members and staff do in it.

use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use time::{Duration, OffsetDateTime};

use play::client::Answer;
use play::history::{Traffic, check_ledger};
use play::request::{self, Decision, txid};
use play::seed::{self, PLANS};
use play::testing::{self, Member, PASSWORD, TestStack};
use stack::Service;
use stack::Settings;
use stack::host::clock::Clock;

/// A product on a clock of its own.
pub(super) struct Year {
    pub(super) stack: TestStack,
    clock: Arc<Clock>,
    /// Seconds that its clock is behind the machine's.
    behind: u64,
    pub(super) traffic: Traffic,
    pub(super) plans: Vec<String>,
    pub(super) say: fn(&str),
}

// === impl Year ===

impl Year {
    /// A product whose time begins at `begin`, with two plans.
    pub(super) async fn begin(
        begin: OffsetDateTime,
        environment: Vec<(&'static str, String)>,
        say: fn(&str),
    ) -> Result<Self> {
        let folder = testing::folder()?;
        let behind = u64::try_from((OffsetDateTime::now_utc() - begin).whole_seconds())?;
        let clock = Arc::new(Clock::behind(behind)?);
        let settings = Settings { clock: Some(Arc::clone(&clock)), environment, ..testing::settings(folder.path())? };
        say(&format!("starting the product in {} {}", begin.month(), begin.year()));
        let stack = TestStack::from_settings(folder, settings).await?;
        let traffic = Traffic::of(&stack).await?;
        let (manager, manager2) = seed::pair(&stack.client(), "manager").await?;
        let mut plans = Vec::new();
        for plan in &PLANS[..2] {
            let id = seed::create(plan, &manager, &manager2).await?;
            plans.push(id.as_str().context("a plan has an id")?.to_owned());
        }
        seed::back_plans(&stack.client().patient()).await?;
        let year = Self { stack, clock, behind, traffic, plans, say };
        for plan in 0..year.plans.len() {
            year.publish_value(plan, "1.000000").await?;
        }
        Ok(year)
    }

    pub(super) fn now(&self) -> OffsetDateTime {
        OffsetDateTime::now_utc() - Duration::seconds(i64::try_from(self.behind).unwrap_or(i64::MAX))
    }

    /// Sets the clock forward when everything under way has ended.
    pub(super) async fn advance(&mut self, by: Duration) -> Result<()> {
        self.traffic.end().await?;
        self.step(by)
    }

    /// Sets the clock forward while things may be under way.
    pub(super) fn step(&mut self, by: Duration) -> Result<()> {
        let by = u64::try_from(by.whole_seconds()).context("clocks are set forward")?;
        self.behind = self.behind.checked_sub(by).context("the year ends before today")?;
        self.clock.set_behind(self.behind)
    }

    pub(super) async fn advance_to(&mut self, moment: OffsetDateTime) -> Result<()> {
        // Whole seconds, so at most half a second late.
        let by = (moment - self.now()).whole_seconds();
        ensure!(by >= 0, "{moment} is over, it is {}", self.now());
        self.advance(Duration::seconds(by)).await
    }

    pub(super) async fn restart(&mut self, services: &[Service]) -> Result<()> {
        for service in services {
            self.stack.terminate(*service).await?;
            self.stack.restart(*service).await?;
        }
        Ok(())
    }

    /// The books are checked now: payouts wait for a check of the last ten minutes.
    pub(super) async fn check_books(&mut self) -> Result<()> {
        let treasurer = self.stack.staff("treasurer").await?;
        check_ledger(&mut self.stack, &treasurer).await
    }

    /// The same member with a new session.
    pub(super) async fn login(&self, member: &Member) -> Result<Member> {
        Ok(Member { client: self.stack.client().login(&member.email, PASSWORD).await?, ..member.clone() })
    }

    pub(super) async fn publish_value(&self, plan: usize, value: &str) -> Result<()> {
        let (manager, manager2) = seed::pair(&self.stack.client(), "manager").await?;
        let proposal = manager.make(request::propose_value(&self.plans[plan], value)).await?;
        manager2.make(request::confirm_proposal(&request::id(&proposal)?)).await.map(drop)
    }

    pub(super) async fn open_trade(&self, member: &Member, plan: usize, amount: &str) -> Result<String> {
        request::id(&member.client.make(request::open_trade(&self.plans[plan], amount)).await?)
    }

    /// A deposit that a reviewer approves.
    pub(super) async fn deposit(&self, member: &Member, amount: &str) -> Result<()> {
        let member = self.login(member).await?;
        let id = member.deposit(amount).await?;
        let received = Decision::Received { amount, txid: &txid() };
        self.decide("reviewer", &id, received).await?.success().map(drop)
    }

    /// A decision of a member of staff about a transaction as it stands now.
    pub(super) async fn decide(&self, staff: &str, id: &str, decision: Decision<'_>) -> Result<Answer> {
        self.stack.staff(staff).await?.decide(id, decision).await
    }
}
