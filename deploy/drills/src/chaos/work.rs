//! The tasks of members and staff. What a task does follows from its own random numbers and the answers it received.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::chaos::model::{Balances, Call, Effect};
use crate::chaos::numbers::Numbers;
use crate::chaos::person::{Final, Person};
use play::client::cents;
use play::request::{self, Decision, Request, txid};

/// One keyed call in this many is sent again to compare the answers.
const REPLAYED: u64 = 8;

/// The staff sessions and the state that all members share.
pub(super) struct House {
    pub(super) reviewer: Person,
    pub(super) treasurers: [Person; 2],
    pub(super) managers: [Person; 2],
    pub(super) plan: String,
    pub(super) method: String,
    pub(super) is_over: AtomicBool,
}

impl House {
    fn goes_on(&self) -> bool {
        !self.is_over.load(Ordering::Relaxed)
    }
}

/// The answers that a member received, for the comparison with the stored rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Told {
    pub(super) trades: u64,
    pub(super) deposits: u64,
    pub(super) withdrawals: u64,
    pub(super) purchases: u64,
    pub(super) phone: String,
    pub(super) label: String,
}

/// A member, with the history of the calls that concern the balances.
pub(super) struct Life {
    pub(super) id: String,
    pub(super) person: Person,
    pub(super) own_method: String,
    pub(super) start: Balances,
    pub(super) house: Arc<House>,
    pub(super) history: Mutex<Vec<Call>>,
    pub(super) told: Mutex<Told>,
    pub(super) seed: u64,
}

/// A task: its random numbers and a counter for its keys.
struct Task<'a> {
    life: &'a Life,
    name: &'static str,
    numbers: Numbers,
    keys: u64,
}

impl Life {
    fn task(&self, name: &'static str) -> Task<'_> {
        let numbers = Numbers::of(self.seed, &format!("{name} of {}", self.person.email));
        Task { life: self, name, numbers, keys: 0 }
    }

    fn tell(&self, change: impl FnOnce(&mut Told)) {
        change(&mut self.told.lock().expect("no panic while held"));
    }

    fn note(&self, call: Call) {
        self.history.lock().expect("no panic while held").push(call);
    }

    /// Opens trades, and claims or closes them depending on their profit.
    pub(super) async fn trade(self: Arc<Self>) -> Result<()> {
        let mut task = self.task("trader");
        let mut open: Vec<(String, i64)> = Vec::new();
        while self.house.goes_on() || !open.is_empty() {
            let opens = open.is_empty() || (open.len() < 6 && task.numbers.once_in(2));
            if self.house.goes_on() && opens {
                open.extend(task.open_trade().await?);
            } else {
                let index = usize::try_from(task.numbers.below(open.len() as u64))?;
                let (id, amount) = open.swap_remove(index);
                task.end_trade(&id, amount).await?;
            }
        }
        Ok(())
    }

    /// Requests deposits; a reviewer approves most of them.
    pub(super) async fn deposit(self: Arc<Self>) -> Result<()> {
        let mut task = self.task("depositor");
        while self.house.goes_on() {
            task.deposit().await?;
        }
        Ok(())
    }

    /// Withdrawals up to the payout, bonuses, and the course.
    pub(super) async fn spend(self: Arc<Self>) -> Result<()> {
        let mut task = self.task("spender");
        while self.house.goes_on() {
            match task.numbers.below(4) {
                0 | 1 => task.withdraw().await?,
                2 => task.bonus().await?,
                _ => task.course().await?,
            }
        }
        Ok(())
    }

    /// Changes of profile and method, and logins.
    pub(super) async fn settle_in(self: Arc<Self>) -> Result<()> {
        let mut task = self.task("owner");
        while self.house.goes_on() {
            match task.numbers.below(3) {
                0 => task.change_phone().await?,
                1 => task.change_label().await?,
                _ => self.person.log_in().await?,
            }
            sleep(Duration::from_millis(100)).await;
        }
        Ok(())
    }

    /// Reads the balances, from the ledger's history and as they are stored.
    pub(super) async fn read(self: Arc<Self>) -> Result<()> {
        let mut numbers = self.task("reader").numbers;
        while self.house.goes_on() {
            self.read_once(numbers.once_in(2)).await?;
            sleep(Duration::from_millis(50 + numbers.below(150))).await;
        }
        self.read_once(true).await?;
        self.read_once(false).await
    }

    async fn read_once(&self, from_history: bool) -> Result<()> {
        let path = if from_history { "/wallet" } else { "/auth/check" };
        let read = self.person.get(path).await?;
        let seen = if from_history { &read.answer.body } else { &read.answer.body["user"]["wallet"] };
        // While wallet is away, the account is shown without its balances.
        if !seen.is_null() {
            let of = |name| cents(&seen[name]);
            let seen = Balances {
                available: of("balance")?,
                held: of("held")?,
                invested: of("invested")?,
                bonus: of("bonus")?,
            };
            self.note(read.call(path, Effect::Saw(seen)));
        }
        Ok(())
    }

    /// Checks that the last change of the member is stored.
    pub(super) async fn check_writes(&self) -> Result<()> {
        let told = self.told.lock().expect("no panic while held").clone();
        let check = self.person.get("/auth/check").await?.answer.body;
        ensure!(check["user"]["phone"] == told.phone, "the phone {} was lost: {check}", told.phone);
        let methods = self.person.get("/payment-methods").await?.answer.body;
        let mut methods = methods["paymentMethods"].as_array().into_iter().flatten();
        let own = methods.find(|method| method["id"] == self.own_method).context("the member's method")?;
        ensure!(own["label"] == told.label, "the label {} was lost: {own}", told.label);
        Ok(())
    }
}

fn dollars(cents: i64) -> String {
    format!("{}.{:02}", cents / 100, cents % 100)
}

impl Task<'_> {
    fn key(&mut self) -> String {
        self.keys += 1;
        format!("{} {} {}", self.life.id, self.name, self.keys)
    }

    fn cents(&mut self, least: u64, range: u64) -> i64 {
        i64::try_from(least + self.numbers.below(range)).unwrap_or(i64::MAX)
    }

    /// Repeats a call until its answer is final, and repeats some calls once more.
    async fn call(&mut self, by: &Person, name: &'static str, request: Request) -> Result<Final> {
        let request = request.with_key(self.key());
        let answered = by.insist(name, &request).await?;
        if self.numbers.once_in(REPLAYED) {
            by.replay(name, &request, &answered).await?;
        }
        Ok(answered)
    }

    /// A call that must succeed.
    async fn done(&mut self, by: &Person, name: &'static str, request: Request) -> Result<Final> {
        let answered = self.call(by, name, request).await?;
        ensure!(answered.is_success(), "{name} was refused: {:?}", answered.answer);
        Ok(answered)
    }

    fn changed(&self, answered: &Final, name: &str, change: Balances) {
        self.life.note(answered.call(name, Effect::Changed(change)));
    }

    /// A refusal for lack of money is a fact about the balance; any other is a failure.
    fn refused(&self, answered: &Final, name: &str, amount: i64) -> Result<()> {
        let answer = &answered.answer;
        ensure!(answer.code() == Some("INSUFFICIENT_BALANCE"), "{name} was refused: {answer:?}");
        self.life.note(answered.call(name, Effect::TooLittle(amount)));
        Ok(())
    }

    async fn open_trade(&mut self) -> Result<Option<(String, i64)>> {
        let amount = self.cents(10_000, 40_000);
        let request = request::open_trade(&self.life.house.plan, &dollars(amount));
        let opened = self.call(&self.life.person, "open trade", request).await?;
        if !opened.is_success() {
            self.refused(&opened, "open trade", amount)?;
            return Ok(None);
        }
        self.changed(&opened, "open trade", Balances { available: -amount, invested: amount, ..Balances::default() });
        self.life.tell(|told| told.trades += 1);
        Ok(Some((request::id(&opened.answer.body)?, amount)))
    }

    /// Whether it is in profit may change between two calls.
    async fn end_trade(&mut self, id: &str, amount: i64) -> Result<()> {
        for _ in 0..10 {
            let ways = [("claim trade", request::claim_trade(id)), ("close trade", request::close_trade(id))];
            for (name, request) in ways {
                let ended = self.call(&self.life.person, name, request).await?;
                if ended.is_success() {
                    let value = cents(&ended.answer.body["trade"]["currentValue"])?;
                    let change = Balances { available: value, invested: -amount, ..Balances::default() };
                    self.changed(&ended, name, change);
                    return Ok(());
                }
                ensure!(ended.answer.status == 409, "{name} was refused: {:?}", ended.answer);
            }
        }
        bail!("trade {id} can neither be claimed nor closed")
    }

    /// A decision about a transaction as it stands now.
    async fn decide(&mut self, by: &Person, id: &str, name: &'static str, decision: Decision<'_>) -> Result<Final> {
        let review = by.get(&format!("/admin/transactions/{id}")).await?.answer.body;
        self.done(by, name, decision.about(id, &review["transaction"]["revision"])).await
    }

    async fn deposit(&mut self) -> Result<()> {
        let (life, amount) = (self.life, self.cents(20_000, 30_000));
        let house = &life.house;
        let request = request::deposit(&dollars(amount), &house.method);
        let id = request::id(&self.done(&life.person, "request deposit", request).await?.answer.body)?;
        life.tell(|told| told.deposits += 1);
        if self.numbers.once_in(5) {
            let unreadable = Decision::Reject { reason: "UNREADABLE_RECEIPT", note: "The amount cannot be read." };
            return self.decide(&house.reviewer, &id, "reject", unreadable).await.map(drop);
        }
        let received = Decision::Received { amount: &dollars(amount), txid: &txid() };
        let approved = self.decide(&house.reviewer, &id, "approve deposit", received).await?;
        self.changed(&approved, "approve deposit", Balances { available: amount, ..Balances::default() });
        Ok(())
    }

    async fn withdraw(&mut self) -> Result<()> {
        let (life, amount) = (self.life, self.cents(5_000, 3_000));
        let house = &life.house;
        let request = request::withdraw(&dollars(amount), &house.method);
        let asked = self.call(&life.person, "request withdrawal", request).await?;
        if !asked.is_success() {
            return self.refused(&asked, "request withdrawal", amount);
        }
        let held = Balances { available: -amount, held: amount, ..Balances::default() };
        self.changed(&asked, "request withdrawal", held);
        life.tell(|told| told.withdrawals += 1);
        let id = request::id(&asked.answer.body)?;
        if self.numbers.once_in(4) {
            let reject = Decision::Reject { reason: "OTHER", note: "The drill is over." };
            let rejected = self.decide(&house.reviewer, &id, "reject", reject).await?;
            let back = Balances { available: amount, held: -amount, ..Balances::default() };
            self.changed(&rejected, "reject withdrawal", back);
            return Ok(());
        }
        let [treasurer, _] = &house.treasurers;
        self.decide(&house.reviewer, &id, "approve withdrawal", Decision::Approve).await?;
        self.decide(treasurer, &id, "take payout", Decision::Take).await?;
        let paid = self.decide(treasurer, &id, "pay out", Decision::Paid { txid: &txid() }).await?;
        self.changed(&paid, "pay out", Balances { held: -amount, ..Balances::default() });
        Ok(())
    }

    /// One treasurer proposes, another confirms.
    async fn correct(&mut self, names: [&'static str; 2], path: &str, body: Value, change: Balances) -> Result<()> {
        let house = &self.life.house;
        let [proposer, confirmer] = &house.treasurers;
        let proposed = self.done(proposer, names[0], Request::post(path, body)).await?;
        let confirm = request::confirm_proposal(&request::id(&proposed.answer.body)?);
        let confirmed = self.done(confirmer, names[1], confirm).await?;
        self.changed(&confirmed, names[1], change);
        Ok(())
    }

    async fn bonus(&mut self) -> Result<()> {
        let amount = self.cents(1_000, 2_000);
        let body = json!({ "amount": dollars(amount), "note": "Welcome bonus" });
        let path = format!("/admin/members/{}", self.life.id);
        let given = Balances { bonus: amount, ..Balances::default() };
        self.correct(["propose bonus", "grant bonus"], &format!("{path}/bonus"), body.clone(), given).await?;
        let released = Balances { available: amount, bonus: -amount, ..Balances::default() };
        self.correct(["propose release", "release bonus"], &format!("{path}/release"), body, released).await
    }

    async fn course(&mut self) -> Result<()> {
        let life = self.life;
        let bought = self.call(&life.person, "buy course", request::buy_course()).await?;
        if !bought.is_success() {
            return self.refused(&bought, "buy course", 8_700);
        }
        self.changed(&bought, "buy course", Balances { available: -8_700, ..Balances::default() });
        life.tell(|told| told.purchases += 1);
        let path = format!("/admin/members/{}/course/refund", life.id);
        let body = json!({ "note": "Bought by mistake" });
        let back = Balances { available: 8_700, ..Balances::default() };
        self.correct(["propose refund", "refund course"], &path, body, back).await
    }

    async fn change_phone(&mut self) -> Result<()> {
        let life = self.life;
        let phone = format!("+1 555 {:04}", self.numbers.below(10_000));
        let body = json!({ "name": "Mia Member", "email": life.person.email, "phone": phone, "country": "Germany" });
        let path = format!("/users/profile/{}", life.id);
        life.person.succeed("change profile", &Request::new(Method::PUT, path, body)).await?;
        life.tell(|told| told.phone = phone);
        Ok(())
    }

    async fn change_label(&mut self) -> Result<()> {
        let life = self.life;
        let label = format!("Own {}", self.numbers.below(10_000));
        life.person.succeed("change method", &request::relabel_destination(&life.own_method, &label)).await?;
        life.tell(|told| told.label = label);
        Ok(())
    }
}

/// Raises the value of the plan now and then, so that some trades are in profit and some are not.
pub(super) async fn publish_values(house: Arc<House>) -> Result<()> {
    for step in (1_u64..).take_while(|_| house.goes_on()) {
        let value = request::propose_value(&house.plan, &format!("1.{:06}", 500_000 + step * 10));
        let value = value.with_key(format!("value {step}"));
        let proposed = house.managers[0].insist("propose value", &value).await?;
        if proposed.answer.code() == Some("VALUE_OUT_OF_ORDER") {
            continue;
        }
        let confirm = request::confirm_proposal(&request::id(&proposed.answer.body)?);
        let confirm = confirm.with_key(format!("confirm {step}"));
        let confirmed = house.managers[1].insist("publish value", &confirm).await?;
        // A trade that was opened at the same moment comes first; the next value is published then.
        let is_late = confirmed.answer.code() == Some("VALUE_OUT_OF_ORDER");
        ensure!(confirmed.is_success() || is_late, "a value was refused: {:?}", confirmed.answer);
        sleep(Duration::from_secs(2)).await;
    }
    Ok(())
}
