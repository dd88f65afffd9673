//! Six months of activity, played through the product's use cases on a clock that is advanced day by day: a demo member
//! who deposits, invests and withdraws, and a back office with a full queue. [D-X3]

mod story;

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use sqlx::{Connection, PgConnection};
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use self::story::Act::{
    BuyCourse, Correct, CoursePayment, Deposit, EndTrade, Invest, PayFee, PayOut, Propose, Register, Withdraw,
};
use self::story::Outcome::{Approved, ApprovedOnce, Rejected, Waits};
use self::story::{Act, DEMO, LIFE, Outcome, Payout, Person, TODAY};
use crate::client::Client;
use crate::request::{self, DESTINATION, Decision, Request, txid};
use crate::seed::{self, PLANS, STAFF_PASSWORD};
use crate::{mails, paper};
use stack::Service;
use stack::Stack;
use stack::host::clock::Clock;
use stack::{Logs, Settings};

pub use self::story::DAYS;

const DAY_SECONDS: u64 = 86_400;
/// How long the events of a day may take to reach every service.
const QUIET_LIMIT: Duration = Duration::from_secs(60);

/// Plays the first `days` of the history in an empty stack, and stops the stack.
///
/// # Errors
/// When libfaketime is not installed, or the product refuses a step.
pub async fn play(settings: &Settings, days: u64) -> Result<()> {
    let clock = Arc::new(Clock::behind(seconds_behind(0))?);
    let settings = Settings {
        clock: Some(Arc::clone(&clock)),
        unlimited: true,
        logs: Logs::Files,
        chains: None,
        tls: false,
        ..settings.clone()
    };
    let progress = settings.progress;
    let mut stack = Stack::start(settings).await?;
    seed::people_and_methods(&stack).await?;
    let mut world = World::new(&stack).await?;
    for day in 0..days {
        if day % 31 == 0 {
            progress(&format!("playing month {} of {}", day / 31 + 1, DAYS.div_ceil(31)));
        }
        clock.set_behind(seconds_behind(day))?;
        world.publish_values().await.with_context(|| format!("day {day}"))?;
        world
            .live(&mut stack, LIFE.iter().filter(|(when, _)| *when == day))
            .await
            .with_context(|| format!("day {day}"))?;
    }
    if days == DAYS {
        for moment in TODAY.chunk_by(|(one, _), (other, _)| one == other) {
            let minutes = moment[0].0;
            clock.set_behind(minutes * 60)?;
            world.live(&mut stack, moment.iter()).await.with_context(|| format!("{minutes} minutes ago"))?;
        }
    }
    stack.end().await
}

/// The hour differs from day to day. The last day is in time for [`TODAY`].
const fn seconds_behind(day: u64) -> u64 {
    (DAYS - 1 - day) * DAY_SECONDS + 14_400 + day * 7_919 % 28_800
}

/// The running product during the simulation.
struct World {
    visitor: Client,
    mail_dir: std::path::PathBuf,
    plans: Vec<Plan>,
    traffic: Traffic,
}

struct Plan {
    id: String,
    title: &'static str,
    values: Box<dyn Iterator<Item = String>>,
}

// === impl World ===

impl World {
    async fn new(stack: &Stack) -> Result<Self> {
        let visitor = Client::new(stack.url()).patient();
        let (manager, manager2) = seed::pair(&visitor, "manager").await?;
        let mut plans = Vec::new();
        for plan in &PLANS {
            let id = seed::create(plan, &manager, &manager2).await?;
            let id = id.as_str().context("a plan has an id")?.to_owned();
            plans.push(Plan { id, title: plan.title, values: Box::new(seed::index(plan.steps)) });
        }
        seed::back_plans(&visitor).await?;
        let traffic = Traffic::of(stack).await?;
        Ok(Self { visitor, mail_dir: stack.folder().join("mail"), plans, traffic })
    }

    /// Today's value of every plan.
    async fn publish_values(&mut self) -> Result<()> {
        let (manager, manager2) = seed::pair(&self.visitor, "manager").await?;
        for plan in &mut self.plans {
            let value = plan.values.next().context("a value for every day")?;
            let body = json!({ "value": value, "source": seed::VALUE_SOURCE });
            seed::propose(&manager, &manager2, &format!("/admin/plans/{}/values", plan.id), body).await?;
        }
        Ok(())
    }

    /// Does what happens at a moment, until all that follows from it is done.
    async fn live(&mut self, stack: &mut Stack, acts: impl Iterator<Item = &(u64, Act)>) -> Result<()> {
        let acts: Vec<_> = acts.map(|(_, act)| act).collect();
        if acts.iter().any(|act| matches!(act, Withdraw(..) | PayOut(..) | PayFee(..))) {
            check_ledger(stack, &self.staff("treasurer").await?).await?;
        }
        for act in acts {
            self.perform(act).await?;
        }
        self.traffic.end().await
    }

    async fn perform(&self, act: &Act) -> Result<()> {
        match act {
            Register(person) => self.register(person).await,
            Deposit(person, amount, network, outcome) => {
                self.deposit(person, "deposit", amount, network, outcome).await
            }
            CoursePayment(person) => self.deposit(person, "course", "87.00", "TRC20", &Waits).await,
            Withdraw(person, amount, payout) => self.withdraw(person, amount, *payout).await,
            PayOut(person) => self.pay_out(person).await,
            PayFee(person, outcome) => self.pay_fee(person, outcome).await,
            Invest(plan, amount) => self.invest(plan, amount).await,
            EndTrade(plan) => self.end_trade(plan).await,
            BuyCourse => self.sign_in(&DEMO).await?.make(request::buy_course().keyed()).await.map(drop),
            Correct(person, kind, amount, note, confirmed) => {
                let id = self.sign_in(person).await?.get("/auth/check").await?.success()?["user"]["id"].clone();
                let path = format!("/admin/members/{}/{kind}", id.as_str().context("an id")?);
                let (treasurer, treasurer2) = seed::pair(&self.visitor, "treasurer").await?;
                let body = json!({ "amount": amount, "note": note });
                if *confirmed {
                    seed::propose(&treasurer, &treasurer2, &path, body).await.map(drop)
                } else {
                    treasurer.post(&path, body).await?.success().map(drop)
                }
            }
            Propose(role, what) => {
                let (path, body) = what(&self.plans[0].id);
                let staff = self.staff(role).await?;
                let answer = if path.starts_with("/admin/plans/") {
                    staff.put(&path, body).await?
                } else {
                    staff.post(&path, body).await?
                };
                answer.success().with_context(|| format!("proposing at {path}")).map(drop)
            }
        }
    }

    async fn staff(&self, name: &str) -> Result<Client> {
        self.visitor.login(&format!("{name}@solvane.test"), STAFF_PASSWORD).await
    }

    async fn sign_in(&self, person: &Person) -> Result<Client> {
        self.visitor.login(person.email, person.password).await
    }

    async fn register(&self, person: &Person) -> Result<()> {
        self.visitor.make(request::register(person.name, person.email, person.password, person.country)).await?;
        let code = mails::wait_for_code(&self.mail_dir, person.email).await?;
        self.sign_in(person).await?.make(request::verify_email(person.email, &code)).await.map(drop)
    }

    async fn deposit(&self, person: &Person, kind: &str, amount: &str, network: &str, outcome: &Outcome) -> Result<()> {
        let member = self.sign_in(person).await?;
        let mut deposit = request::deposit(amount, &member.platform_method(network).await?).keyed();
        deposit.body["type"] = json!(kind);
        deposit.body["receipt"] = json!(proof(amount, network));
        self.decide(&request::id(&member.make(deposit).await?)?, outcome).await
    }

    /// The decision of reviewers on an incoming payment.
    async fn decide(&self, id: &str, outcome: &Outcome) -> Result<()> {
        let txid = txid();
        let decision = match outcome {
            Waits => return Ok(()),
            Approved(amount) | ApprovedOnce(amount) => Decision::Received { amount, txid: &txid },
            Rejected(reason, note) => Decision::Reject { reason, note },
        };
        let done = self.act("reviewer", id, decision).await?;
        if matches!(outcome, Approved(_)) && done["needsSecond"] == json!(true) {
            self.act("reviewer2", id, decision).await?;
        }
        Ok(())
    }

    async fn act(&self, staff: &str, id: &str, decision: Decision<'_>) -> Result<Value> {
        let done = self.staff(staff).await?.decide(id, decision).await?.success();
        done.with_context(|| format!("{decision:?} by {staff}"))
    }

    async fn withdraw(&self, person: &Person, amount: &str, payout: Payout) -> Result<()> {
        let member = self.sign_in(person).await?;
        let withdraw = request::withdraw(amount, &member.platform_method("TRC20").await?).keyed();
        let made = member.make(withdraw).await?;
        let id = request::id(&made)?;
        if made["transaction"]["needsConfirmation"] == json!(true) {
            let code = mails::wait_for_destination_code(&self.mail_dir, person.email, DESTINATION).await?;
            member.make(request::confirm_destination(&id, &code)).await?;
        }
        let decision = match payout {
            Payout::Requested => return Ok(()),
            Payout::Approved => Decision::Approve,
            Payout::Rejected(reason) => Decision::Reject { reason, note: "" },
        };
        self.act("reviewer", &id, decision).await.map(drop)
    }

    /// The member's withdrawal that is under way.
    async fn open_withdrawal(&self, member: &Client) -> Result<Value> {
        let list = member.get("/transactions/user").await?.success()?;
        let mut rows = list["transactions"].as_array().into_iter().flatten();
        let open = rows.find(|row| row["kind"] == "withdrawal" && row["status"] == "pending");
        open.cloned().context("an open withdrawal")
    }

    async fn pay_fee(&self, person: &Person, outcome: &Outcome) -> Result<()> {
        let member = self.sign_in(person).await?;
        let withdrawal = self.open_withdrawal(&member).await?;
        let withdrawal_id = withdrawal["id"].as_str().context("an id")?;
        let receipt = proof(&withdrawal["fee"].to_string(), "TRC20");
        let body = json!({
            "amount": withdrawal["fee"], "method": member.platform_method("TRC20").await?, "receipt": receipt,
            "transactionId": withdrawal_id,
        });
        let fee = Request::post(format!("/transactions/fee/{withdrawal_id}"), body).keyed();
        self.decide(&request::id(&member.make(fee).await?)?, outcome).await
    }

    async fn pay_out(&self, person: &Person) -> Result<()> {
        let withdrawal = self.open_withdrawal(&self.sign_in(person).await?).await?;
        let id = withdrawal["id"].as_str().context("an id")?;
        if withdrawal["approved"] != json!(true) {
            self.act("reviewer", id, Decision::Approve).await?;
        }
        // What a payout sends is fixed at the rate of its day.
        let (treasurer, treasurer2) = seed::pair(&self.visitor, "treasurer").await?;
        seed::publish_rates(&treasurer, &treasurer2).await?;
        self.act("treasurer", id, Decision::Take).await?;
        self.act("treasurer", id, Decision::Paid { txid: &txid() }).await.map(drop)
    }

    async fn invest(&self, title: &str, amount: &str) -> Result<()> {
        let plan = self.plans.iter().find(|plan| plan.title == title).context("a plan")?;
        self.sign_in(&DEMO).await?.make(request::open_trade(&plan.id, amount).keyed()).await.map(drop)
    }

    async fn end_trade(&self, title: &str) -> Result<()> {
        let member = self.sign_in(&DEMO).await?;
        let list = member.get("/trades").await?.success()?;
        let trades = list["trades"].as_array().context("a list of trades")?;
        let of_plan = trades.iter().filter(|trade| trade["plan"]["title"] == title);
        let oldest = of_plan.min_by_key(|trade| trade["createdAt"].as_str()).context("an open trade")?;
        let id = oldest["id"].as_str().context("an id")?;
        member.end_trade(id).await
    }
}

/// Restarts wallet, which checks the ledger when it starts, because payouts are paused while the last check is too old.
pub async fn check_ledger(stack: &mut Stack, treasurer: &Client) -> Result<()> {
    let before = treasurer.get("/admin/integrity").await?.success()?["checkedAt"].clone();
    stack.terminate(Service::Wallet).await?;
    stack.restart(Service::Wallet).await?;
    let limit = Instant::now() + QUIET_LIMIT;
    while !treasurer.get("/admin/integrity").await?.success().is_ok_and(|books| books["checkedAt"] != before) {
        ensure!(Instant::now() < limit, "the ledger is not checked");
        sleep(Duration::from_millis(20)).await;
    }
    Ok(())
}

/// The events and emails that are under way.
pub struct Traffic {
    outboxes: Vec<(PgConnection, i64)>,
    mailer: PgConnection,
}

impl Traffic {
    pub async fn of(stack: &Stack) -> Result<Self> {
        let mut outboxes = Vec::new();
        for service in [Service::Auth, Service::Wallet, Service::Trade, Service::PaymentMethod] {
            outboxes.extend(stack.databases().connect_owner(service).await?.into_iter().map(|each| (each, 0)));
        }
        let mailer = PgConnection::connect(&stack.databases().owner_url(Service::Mailer)?).await?;
        Ok(Self { outboxes, mailer })
    }

    /// Waits until all events are processed and all emails sent; otherwise they would be dated later.
    pub async fn end(&mut self) -> Result<()> {
        let limit = Instant::now() + QUIET_LIMIT;
        while !self.has_ended().await? {
            ensure!(Instant::now() < limit, "events or mails still wait");
            sleep(Duration::from_millis(20)).await;
        }
        Ok(())
    }

    async fn has_ended(&mut self) -> Result<bool> {
        for (outbox, seen) in &mut self.outboxes {
            let events: Vec<(i64, Uuid)> = sqlx::query_as("SELECT id, event_id FROM outbox WHERE id > $1 ORDER BY id")
                .bind(*seen)
                .fetch_all(outbox)
                .await?;
            let ids: Vec<Uuid> = events.iter().map(|(_, event)| *event).collect();
            let handled: i64 = sqlx::query_scalar("SELECT count(*) FROM inbox WHERE event_id = ANY ($1)")
                .bind(&ids)
                .fetch_one(&mut self.mailer)
                .await?;
            if usize::try_from(handled)? < ids.len() {
                return Ok(false);
            }
            *seen = events.last().map_or(*seen, |(id, _)| *id);
        }
        let queued: bool = sqlx::query_scalar("SELECT EXISTS (SELECT FROM mails WHERE status = 'queued')")
            .fetch_one(&mut self.mailer)
            .await?;
        Ok(!queued)
    }
}

/// A proof that no other payment has.
fn proof(amount: &str, network: &str) -> String {
    paper::proof(amount, network, &Uuid::new_v4().simple().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_is_only_set_forward() {
        assert!((1..DAYS).all(|day| seconds_behind(day) < seconds_behind(day - 1)));
        assert!(seconds_behind(DAYS - 1) < DAY_SECONDS);
        assert!(TODAY[0].0 * 60 < seconds_behind(DAYS - 1));
    }
}
