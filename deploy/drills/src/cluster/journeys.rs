//! The load: members and staff who repeat each request under the same key until its answer is final, and sometimes
//! disconnect before the answer.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use anyhow::{Context, Result, bail};
use serde_json::Value;
use tokio::{
    sync::watch,
    task::JoinSet,
    time::{Instant, sleep, timeout},
};
use uuid::Uuid;

use super::history::{Acknowledged, History, LOGIN, REGISTER, Rows};
use play::{
    client::Client,
    mails,
    request::{self, DESTINATION, Decision, Request, txid},
    seed::STAFF_PASSWORD,
    testing::{Member, PASSWORD, TestStack},
};
use stack::servers::databases::Databases;

/// How long a client waits for an answer; the gateway gives one within five seconds.
const PATIENCE: Duration = Duration::from_secs(10);
/// After this time a client gives up.
const INSISTENCE: Duration = Duration::from_secs(90);
/// The pause between two tries.
const PAUSE: Duration = Duration::from_millis(100);
/// One in this many calls is cancelled by its client.
const HANG_UP: u8 = 6;
/// What every member begins with.
const START: &str = "90000.00";

/// The members and staff of the load, with their plans and methods.
pub struct World {
    url: String,
    mail_dir: PathBuf,
    /// The plan of which values are published, and one of which none are: a trade in profit cannot be closed.
    rising: String,
    level: String,
    method: String,
    depositors: Vec<Member>,
    withdrawers: Vec<Member>,
    claimers: Vec<Member>,
    closers: Vec<Member>,
    visitor: Member,
    /// How many values have been published.
    published: AtomicU64,
    newcomers: AtomicU64,
}

/// Staff with fresh sessions.
#[derive(Clone)]
struct Staff {
    reviewer: Client,
    treasurer: Client,
    managers: [Client; 2],
}

/// The running actors.
pub struct Load {
    over: Arc<AtomicBool>,
    actors: JoinSet<()>,
}

/// What one actor needs.
#[derive(Clone)]
struct Actor {
    world: Arc<World>,
    staff: Staff,
    history: History,
    over: Arc<AtomicBool>,
    /// The number of the newest value that is surely published.
    values: watch::Receiver<u64>,
}

/// The operation that an actor repeats.
enum Journey {
    /// Requests a deposit, which a reviewer approves.
    Deposit(Client),
    /// Requests a withdrawal, confirms its destination by the code mailed to this address, and is paid.
    Withdraw(Client, String),
    /// Opens a trade and claims it.
    Claim(Client),
    /// Opens a trade and closes it.
    Close(Client),
    /// Becomes a member who buys the course.
    Join,
    LogIn,
    ReadPlans,
    /// Publishes values of the plan, and returns their numbers.
    Publish(watch::Sender<u64>),
}

// === impl World ===

impl World {
    /// Members with money, in the number of those that do one thing.
    ///
    /// # Errors
    /// When the product refuses.
    pub async fn new(stack: &TestStack, each: usize) -> Result<Self> {
        let group = async || {
            let mut group = Vec::new();
            for _ in 0..each {
                group.push(stack.member_with(START).await?);
            }
            anyhow::Ok(group)
        };
        let visitor = stack.member().await?;
        Ok(Self {
            url: stack.url().to_owned(),
            mail_dir: stack.mail_dir().to_owned(),
            rising: visitor.client.plan("Starter").await?,
            level: visitor.client.plan("Balanced").await?,
            method: visitor.platform_method("TRC20").await?,
            depositors: group().await?,
            withdrawers: group().await?,
            claimers: group().await?,
            closers: group().await?,
            visitor,
            published: AtomicU64::new(0),
            newcomers: AtomicU64::new(0),
        })
    }

    /// Signs everybody in, because sessions end, reads what is there already, and sets them to work.
    ///
    /// # Errors
    /// When somebody cannot sign in, or a database cannot be read.
    pub async fn begin(self: &Arc<Self>, history: &History, databases: &Databases) -> Result<(Rows, Load)> {
        let visitor = Client::new(&self.url);
        let staff = async |name: &str| visitor.login(&format!("{name}@solvane.test"), STAFF_PASSWORD).await;
        let staff = Staff {
            reviewer: staff("reviewer").await?,
            treasurer: staff("treasurer").await?,
            managers: [staff("manager").await?, staff("manager2").await?],
        };
        let (publishing, values) = watch::channel(0);
        let over = Arc::new(AtomicBool::new(false));
        let actor = Actor { world: Arc::clone(self), staff, history: history.clone(), over: Arc::clone(&over), values };
        let mut actors = JoinSet::new();
        let mut clients = HashMap::new();
        for member in [&self.depositors, &self.withdrawers, &self.claimers, &self.closers].into_iter().flatten() {
            clients.insert(&member.email, visitor.login(&member.email, PASSWORD).await?);
        }
        let before = Rows::read(databases).await?;
        let client_of = |member: &Member| clients.get(&member.email).cloned().context("a signed-in member");
        let mut journeys = vec![Journey::Join, Journey::LogIn, Journey::ReadPlans, Journey::Publish(publishing)];
        for member in &self.depositors {
            journeys.push(Journey::Deposit(client_of(member)?));
        }
        for member in &self.withdrawers {
            journeys.push(Journey::Withdraw(client_of(member)?, member.email.clone()));
        }
        for member in &self.claimers {
            journeys.push(Journey::Claim(client_of(member)?));
        }
        for member in &self.closers {
            journeys.push(Journey::Close(client_of(member)?));
        }
        for journey in journeys {
            actors.spawn(actor.clone().go_on(journey));
        }
        Ok((before, Load { over, actors }))
    }
}

// === impl Load ===

impl Load {
    /// Waits until every actor has finished its round.
    ///
    /// # Errors
    /// When one of them panicked.
    pub async fn end(mut self) -> Result<()> {
        self.over.store(true, Ordering::Relaxed);
        while let Some(ended) = self.actors.join_next().await {
            ended?;
        }
        Ok(())
    }
}

// === impl Actor ===

impl Actor {
    /// Round after round. A failed one is in the history, as far as it matters.
    async fn go_on(self, journey: Journey) {
        while !self.over.load(Ordering::Relaxed) {
            let round = match &journey {
                Journey::Deposit(member) => self.deposit(member, "150.00").await,
                Journey::Withdraw(member, email) => self.withdraw(member, email).await,
                Journey::Claim(member) => self.claim(member).await,
                Journey::Close(member) => self.close(member).await,
                Journey::Join => self.join().await,
                Journey::LogIn => self.log_in().await,
                Journey::ReadPlans => self.read_plans().await,
                Journey::Publish(published) => self.publish(published).await,
            };
            if round.is_err() {
                sleep(PAUSE).await;
            }
        }
    }

    /// Sends a change under one key until its answer is final. The answer names what it creates or changes.
    async fn insist(&self, what: &'static str, client: &Client, request: Request) -> Result<Value> {
        let request = request.keyed();
        let (sent, mut was_unanswered, mut hang_up) = (Instant::now(), false, hang_up());
        while sent.elapsed() < INSISTENCE {
            let answer = timeout(hang_up.take().unwrap_or(PATIENCE), client.send(&request)).await;
            match answer {
                Ok(Ok(answer)) if answer.status < 300 => {
                    let body = answer.body;
                    self.history.acknowledge(Acknowledged {
                        what,
                        id: request::id(&body).ok(),
                        sent,
                        at: Instant::now(),
                        was_unanswered,
                        was_done: was_unanswered && answer.headers.contains_key("idempotency-replayed"),
                    });
                    return Ok(body);
                }
                Ok(Ok(answer)) if answer.status >= 500 || answer.status == 429 => {
                    was_unanswered |= answer.status >= 500
                }
                Ok(Ok(answer)) if answer.code() == Some("IDEMPOTENCY_KEY_IN_FLIGHT") => {}
                Ok(Ok(answer)) => {
                    let code = answer.code().unwrap_or_default();
                    self.history.refuse(what, &format!("{} {code}", answer.status));
                    bail!("{what} was refused: {}", answer.body);
                }
                Ok(Err(_)) | Err(_) => was_unanswered = true,
            }
            sleep(PAUSE).await;
        }
        self.history.give_up(what);
        bail!("{what} had no final answer")
    }

    async fn deposit(&self, member: &Client, amount: &str) -> Result<()> {
        let made = self.insist("deposit", member, request::deposit(amount, &self.world.method)).await?;
        let received = Decision::Received { amount, txid: &txid() };
        self.decide("approve a deposit", &self.staff.reviewer, &request::id(&made)?, received).await
    }

    async fn withdraw(&self, member: &Client, email: &str) -> Result<()> {
        let made = self.insist("withdraw", member, request::withdraw("50.00", &self.world.method)).await?;
        let id = request::id(&made)?;
        if made["transaction"]["needsConfirmation"] == true {
            let code = mails::wait_for_destination_code(&self.world.mail_dir, email, DESTINATION).await?;
            timeout(PATIENCE, member.make(request::confirm_destination(&id, &code))).await??;
        }
        self.decide("approve a withdrawal", &self.staff.reviewer, &id, Decision::Approve).await?;
        self.decide("pay a withdrawal", &self.staff.treasurer, &id, Decision::Paid { txid: &txid() }).await
    }

    /// A decision on a transaction as it stands now.
    async fn decide(&self, what: &'static str, staff: &Client, id: &str, decision: Decision<'_>) -> Result<()> {
        let review = self.read(staff, &format!("/admin/transactions/{id}")).await?;
        self.insist(what, staff, decision.about(id, &review["transaction"]["revision"])).await.map(drop)
    }

    async fn open(&self, member: &Client, plan: &str) -> Result<String> {
        request::id(&self.insist("open a trade", member, request::open_trade(plan, "500.00")).await?)
    }

    /// Opens a trade, and claims it as soon as it is in profit.
    async fn claim(&self, member: &Client) -> Result<()> {
        let trade = self.open(member, &self.world.rising).await?;
        let mut values = self.values.clone();
        let opened_at = *values.borrow_and_update();
        // The next value may have been there already when the trade was opened.
        let is_in_profit = values.wait_for(|value| *value >= opened_at + 2);
        timeout(INSISTENCE, is_in_profit).await??;
        self.insist("claim a trade", member, request::claim_trade(&trade)).await.map(drop)
    }

    async fn close(&self, member: &Client) -> Result<()> {
        let trade = self.open(member, &self.world.level).await?;
        self.insist("close a trade", member, request::close_trade(&trade)).await.map(drop)
    }

    /// Registers, verifies the email, deposits and buys the course.
    async fn join(&self) -> Result<()> {
        let number = self.world.newcomers.fetch_add(1, Ordering::Relaxed);
        let email = format!("newcomer{number}@example.test");
        let visitor = Client::new(&self.world.url);
        let member = self.register(&visitor, &email).await?;
        let code = mails::wait_for_code(&self.world.mail_dir, &email).await?;
        timeout(PATIENCE, member.make(request::verify_email(&email, &code))).await??;
        self.deposit(&member, "100.00").await?;
        self.insist("buy the course", &member, request::buy_course()).await.map(drop)
    }

    /// A registration has no key, but an address that is taken afterwards shows that it was done.
    async fn register(&self, visitor: &Client, email: &str) -> Result<Client> {
        let (register, log_in) =
            (request::register("Nora Newcomer", email, PASSWORD, "Germany"), request::log_in(email, PASSWORD));
        let (sent, mut was_unanswered) = (Instant::now(), false);
        while sent.elapsed() < INSISTENCE {
            let answer = timeout(PATIENCE, visitor.send(&register)).await;
            let was_done = was_unanswered
                && answer
                    .as_ref()
                    .is_ok_and(|answer| answer.as_ref().is_ok_and(|answer| answer.code() == Some("EMAIL_TAKEN")));
            let answer = if was_done { timeout(PATIENCE, visitor.send(&log_in)).await } else { answer };
            if let Ok(Ok(answer)) = &answer
                && answer.status < 300
            {
                let id = answer.body["user"]["id"].as_str().map(str::to_owned);
                let (what, at) = (REGISTER, Instant::now());
                self.history.acknowledge(Acknowledged { what, id, sent, at, was_unanswered, was_done });
                return Ok(visitor.with_token(answer.body["token"].as_str().context("a token")?));
            }
            // Each try may have made a session.
            self.history.leave_login_open();
            was_unanswered = true;
            sleep(PAUSE).await;
        }
        self.history.give_up(REGISTER);
        bail!("no account in time")
    }

    async fn log_in(&self) -> Result<()> {
        let (visitor, log_in) = (Client::new(&self.world.url), request::log_in(&self.world.visitor.email, PASSWORD));
        let (sent, patience) = (Instant::now(), hang_up().unwrap_or(PATIENCE));
        match timeout(patience, visitor.send(&log_in)).await {
            Ok(Ok(answer)) if answer.status < 300 => self.history.acknowledge(Acknowledged {
                what: LOGIN,
                id: None,
                sent,
                at: Instant::now(),
                was_unanswered: false,
                was_done: false,
            }),
            Ok(Ok(answer)) if answer.status < 500 => {
                self.history.refuse(LOGIN, &format!("{} {}", answer.status, answer.code().unwrap_or_default()));
            }
            _ => self.history.leave_login_open(),
        }
        sleep(PAUSE * 2).await;
        Ok(())
    }

    async fn read_plans(&self) -> Result<()> {
        let answer = timeout(PATIENCE, Client::new(&self.world.url).get("/plans")).await??;
        if answer.status == 200 {
            self.history.read();
        }
        sleep(PAUSE).await;
        Ok(())
    }

    /// Publishes a value above all before it.
    async fn publish(&self, published: &watch::Sender<u64>) -> Result<()> {
        sleep(PAUSE * 5).await;
        let [proposer, confirmer] = &self.staff.managers;
        let number = self.world.published.fetch_add(1, Ordering::Relaxed) + 1;
        let value = format!("{}.{:04}", 2 + number / 1_000, number % 1_000 * 10);
        let propose = request::propose_value(&self.world.rising, &value);
        let proposal = request::id(&timeout(PATIENCE, proposer.make(propose)).await??)?;
        timeout(PATIENCE, confirmer.make(request::confirm_proposal(&proposal))).await??;
        published.send_replace(number);
        Ok(())
    }

    /// Reads until there is an answer.
    async fn read(&self, client: &Client, path: &str) -> Result<Value> {
        let begun = Instant::now();
        loop {
            match timeout(PATIENCE, client.get(path)).await {
                Ok(Ok(answer)) if answer.status == 200 => return Ok(answer.body),
                Ok(Ok(answer)) if answer.status < 500 && answer.status != 429 => bail!("{path}: {}", answer.body),
                _ if begun.elapsed() > INSISTENCE => bail!("{path} cannot be read"),
                _ => sleep(PAUSE).await,
            }
        }
    }
}

/// The time after which a client disconnects, for some calls.
fn hang_up() -> Option<Duration> {
    let [dice, millis, ..] = *Uuid::new_v4().as_bytes();
    (dice % HANG_UP == 0).then(|| Duration::from_millis(u64::from(millis % 64)))
}
