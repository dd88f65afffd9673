//! Six months of activity, played through the product's use cases on a clock that is advanced day by day: a demo member
//! who deposits, invests and withdraws, and a back office with a full queue. [D-X3]

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use sqlx::{Connection, PgConnection};
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use crate::client::Client;
use crate::request::{self, DESTINATION, Decision, Request, txid};
use crate::seed::{self, PLANS, STAFF_PASSWORD};
use crate::{demo, mails, paper};
use stack::Service;
use stack::Stack;
use stack::clock::Clock;
use stack::{Logs, Settings};

/// Days that are played; the last one is today.
pub const DAYS: u64 = 183;

const DAY_SECONDS: u64 = 86_400;
/// How long the events of a day may take to reach every service.
const QUIET_LIMIT: Duration = Duration::from_secs(60);

const DEMO: Person = Person { name: "Demi Demo", email: demo::EMAIL, country: "Portugal", password: demo::PASSWORD };

/// The members whose requests are in the queue of the back office.
const OTHERS: [Person; 12] = [
    other("Amara Okafor", "amara@members.test", "Nigeria"),
    other("Bruno Keller", "bruno@members.test", "Switzerland"),
    other("Chiara Romano", "chiara@members.test", "Italy"),
    other("Daniel Novak", "daniel@members.test", "Czech Republic"),
    other("Elif Kaya", "elif@members.test", "Turkey"),
    other("Farah Haddad", "farah@members.test", "Jordan"),
    other("Goran Petrov", "goran@members.test", "Bulgaria"),
    other("Hana Sato", "hana@members.test", "Japan"),
    other("Inés Duarte", "ines@members.test", "Spain"),
    other("Jonas Berg", "jonas@members.test", "Norway"),
    other("Kavya Nair", "kavya@members.test", "India"),
    other("Liam Walsh", "liam@members.test", "Ireland"),
];

struct Person {
    name: &'static str,
    email: &'static str,
    country: &'static str,
    password: &'static str,
}

const fn other(name: &'static str, email: &'static str, country: &'static str) -> Person {
    Person { name, email, country, password: "a quiet harbour town" }
}

/// An action on a day, by the demo member or one of the [`OTHERS`].
enum Act {
    Register(&'static Person),
    /// Claimed amount, network.
    Deposit(&'static Person, &'static str, &'static str, Outcome),
    /// Requested amount, in dollars before the fee.
    Withdraw(&'static Person, &'static str, Payout),
    /// The payout of the earlier request.
    PayOut(&'static Person),
    /// The title of a plan, and dollars.
    Invest(&'static str, &'static str),
    /// Ends the oldest open trade of a plan: claims it if it is in profit, otherwise closes it.
    EndTrade(&'static str),
    /// Pays the fee of the open withdrawal from outside.
    PayFee(&'static Person, Outcome),
    BuyCourse,
    /// A payment for the course from outside.
    CoursePayment(&'static Person),
    /// Correction, amount, note, whether a second treasurer confirms it.
    Correct(&'static Person, &'static str, &'static str, &'static str, bool),
    /// A change that needs a second person: role, path, body.
    Propose(&'static str, fn(&World) -> (String, Value)),
}

/// How a payment to the platform ends.
enum Outcome {
    Approved(&'static str),
    Rejected(&'static str, &'static str),
    /// Approved by the first of two reviewers.
    ApprovedOnce(&'static str),
    Waits,
}

/// How far a payout gets on the day it is requested.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Payout {
    Requested,
    Approved,
    Rejected(&'static str),
}

use Act::{BuyCourse, Correct, CoursePayment, Deposit, EndTrade, Invest, PayFee, PayOut, Propose, Register, Withdraw};
use Outcome::{Approved, ApprovedOnce, Rejected, Waits};

const LIFE: &[(u64, Act)] = &[
    (0, Register(&DEMO)),
    (1, Deposit(&DEMO, "5000.00", "TRC20", Approved("5000.00"))),
    (2, Invest("Starter", "500.00")),
    (4, Invest("Balanced", "1500.00")),
    (
        6,
        Deposit(
            &DEMO,
            "750.00",
            "ERC20",
            Rejected("UNREADABLE_RECEIPT", "The amount cannot be read on the screenshot."),
        ),
    ),
    (7, Deposit(&DEMO, "750.00", "ERC20", Approved("750.00"))),
    (12, Correct(&DEMO, "bonus", "50.00", "Welcome bonus", true)),
    (18, Deposit(&DEMO, "1250.00", "Bitcoin", Approved("1243.60"))),
    (30, Correct(&DEMO, "release", "25.00", "Half of the welcome bonus after a month", true)),
    (33, EndTrade("Starter")),
    (35, Withdraw(&DEMO, "600.00", Payout::Approved)),
    (36, PayOut(&DEMO)),
    (40, Invest("Starter", "1000.00")),
    (44, BuyCourse),
    (55, Invest("Growth", "2500.00")),
    (71, EndTrade("Starter")),
    (75, Withdraw(&DEMO, "800.00", Payout::Requested)),
    (76, PayFee(&DEMO, Approved("20.00"))),
    (77, PayOut(&DEMO)),
    (80, Invest("Balanced", "600.00")),
    (95, EndTrade("Balanced")),
    (96, EndTrade("Balanced")),
    (100, Deposit(&DEMO, "2000.00", "TRC20", Approved("2000.00"))),
    (104, Withdraw(&DEMO, "300.00", Payout::Rejected("INVALID_ADDRESS"))),
    (110, Invest("Starter", "1500.00")),
    (120, Invest("Balanced", "1000.00")),
    (121, Register(&OTHERS[0])),
    (122, Deposit(&OTHERS[0], "3000.00", "TRC20", Approved("3000.00"))),
    (128, Register(&OTHERS[1])),
    (129, Deposit(&OTHERS[1], "1800.00", "Bitcoin", Approved("1800.00"))),
    (134, Register(&OTHERS[2])),
    (135, Deposit(&OTHERS[2], "950.00", "ERC20", Approved("950.00"))),
    (139, Register(&OTHERS[3])),
    (140, Deposit(&OTHERS[3], "4200.00", "TRC20", Approved("4200.00"))),
    (142, EndTrade("Starter")),
    (145, Register(&OTHERS[4])),
    (146, Deposit(&OTHERS[4], "2600.00", "TRC20", Approved("2600.00"))),
    (149, Register(&OTHERS[5])),
    (150, Withdraw(&DEMO, "1200.00", Payout::Approved)),
    (150, Deposit(&OTHERS[5], "1500.00", "ERC20", Approved("1500.00"))),
    (151, PayOut(&DEMO)),
    (154, Register(&OTHERS[6])),
    (155, Deposit(&OTHERS[6], "5200.00", "TRC20", Approved("5200.00"))),
    (158, Register(&OTHERS[7])),
    (159, Deposit(&OTHERS[7], "700.00", "Bitcoin", Approved("700.00"))),
    (161, Register(&OTHERS[8])),
    (162, Deposit(&OTHERS[8], "2100.00", "TRC20", Approved("2100.00"))),
    (166, Register(&OTHERS[9])),
    (168, Register(&OTHERS[10])),
    (170, Invest("Balanced", "700.00")),
    (172, Register(&OTHERS[11])),
    (178, Invest("Starter", "500.00")),
];

/// What the last day leaves in the queues of the back office, by how many minutes ago it was.
const TODAY: &[(u64, Act)] = &[
    (250, Deposit(&OTHERS[2], "350.00", "ERC20", Waits)),
    (215, Deposit(&OTHERS[9], "900.00", "Bitcoin", Waits)),
    (215, Withdraw(&OTHERS[1], "250.00", Payout::Approved)),
    (190, Deposit(&OTHERS[10], "1250.00", "TRC20", Waits)),
    (
        190,
        Propose("treasurer", |_| {
            (
                "/admin/payment-methods".to_owned(),
                json!({
                    "currency": "USDC", "network": "ERC20", "address": "0x736F6c76616e65206c6f63616C2065746865722e",
                    "label": "USD Coin on Ethereum",
                }),
            )
        }),
    ),
    (160, CoursePayment(&OTHERS[9])),
    (160, Deposit(&OTHERS[0], "640.00", "TRC20", Waits)),
    (160, Withdraw(&OTHERS[0], "400.00", Payout::Requested)),
    (140, PayFee(&OTHERS[0], Waits)),
    (140, Withdraw(&OTHERS[3], "1500.00", Payout::Approved)),
    (140, Correct(&OTHERS[4], "adjustment", "12.50", "Network fee charged twice", false)),
    (115, Deposit(&OTHERS[11], "500.00", "ERC20", Waits)),
    (115, Withdraw(&OTHERS[2], "150.00", Payout::Requested)),
    (95, Deposit(&OTHERS[10], "12000.00", "TRC20", ApprovedOnce("12000.00"))),
    (95, Withdraw(&OTHERS[4], "820.00", Payout::Requested)),
    (95, PayFee(&OTHERS[2], Waits)),
    (75, Deposit(&OTHERS[5], "275.00", "TRC20", Waits)),
    (75, Deposit(&OTHERS[6], "2400.00", "Bitcoin", Waits)),
    (75, Withdraw(&OTHERS[5], "300.00", Payout::Approved)),
    (60, Withdraw(&OTHERS[6], "2500.00", Payout::Requested)),
    (60, Withdraw(&DEMO, "250.00", Payout::Approved)),
    (60, Correct(&OTHERS[7], "bonus", "25.00", "Referred a friend", false)),
    (45, Deposit(&DEMO, "400.00", "TRC20", Waits)),
    (45, Deposit(&OTHERS[7], "180.00", "ERC20", Waits)),
    (
        45,
        Propose("manager", |world| {
            let mut terms = PLANS[0].terms();
            terms["max"] = json!(5_000);
            (format!("/admin/plans/{}", world.plans[0].id), terms)
        }),
    ),
    (30, Deposit(&OTHERS[1], "310.00", "TRC20", Waits)),
    (30, CoursePayment(&OTHERS[11])),
    (30, Withdraw(&OTHERS[7], "200.00", Payout::Requested)),
    (
        30,
        Propose("admin", |_| {
            (
                "/admin/staff".to_owned(),
                json!({
                    "name": "Rhea Reviewer", "email": "reviewer3@solvane.test", "role": "reviewer",
                }),
            )
        }),
    ),
    (20, Withdraw(&OTHERS[8], "600.00", Payout::Requested)),
    (20, PayFee(&OTHERS[8], Waits)),
];

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
                let (path, body) = what(self);
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
            outboxes.push((PgConnection::connect(&stack.databases().owner_url(service)?).await?, 0));
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
    }

    #[test]
    fn the_story_is_told_in_order() {
        assert!(LIFE.is_sorted_by_key(|(day, _)| *day));
        assert!(LIFE.iter().all(|(day, _)| *day < DAYS));
        assert!(TODAY.is_sorted_by(|(one, _), (other, _)| one >= other));
        assert!(TODAY[0].0 * 60 < seconds_behind(DAYS - 1));
    }
}
