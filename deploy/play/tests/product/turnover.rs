//! Steady load while connections age and every service restarts: no request is lost or executed twice.

#![expect(clippy::print_stderr, reason = "the counts are what a person reads of this test")]

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Context, Result};
use play::client::send;
use play::request::PROOF;
use play::testing::{Member, Options, PASSWORD, TestStack};
use reqwest::{Method, RequestBuilder};
use serde_json::json;
use sqlx::{Connection, Executor, PgConnection};
use stack::Service;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

const READS: [&str; 6] = ["/auth/check", "/transactions/user", "/trades", "/plans", "/payment-methods", "/courses"];

/// What came back, by what was done and the status; 0 where the gateway itself was away.
#[derive(Clone, Default)]
struct Counts(Arc<Mutex<BTreeMap<(&'static str, u16), u32>>>);

impl Counts {
    fn add(&self, what: &'static str, status: u16) {
        *self.0.lock().expect("no panic while held").entry((what, status)).or_default() += 1;
    }

    fn of(&self, wanted: impl Fn(&'static str, u16) -> bool) -> u32 {
        let counts = self.0.lock().expect("no panic while held");
        counts.iter().filter(|((what, status), _)| wanted(what, *status)).map(|(_, count)| count).sum()
    }
}

/// The load: clients that go on until stopped.
#[derive(Clone, Default)]
struct Load {
    counts: Counts,
    over: Arc<AtomicBool>,
}

impl Load {
    fn goes_on(&self) -> bool {
        !self.over.load(Ordering::Relaxed)
    }

    /// An answer; asked for again while there is no gateway to give it, and while the first try is still at work.
    async fn answer(&self, what: &'static str, request: RequestBuilder) {
        let limit = Instant::now() + Duration::from_secs(20);
        loop {
            match send(request.try_clone().expect("a request with a plain body")).await {
                Ok(answer) if answer.code() == Some("IDEMPOTENCY_KEY_IN_FLIGHT") => self.counts.add(what, 409),
                Ok(answer) => {
                    self.counts.add(what, answer.status);
                    if answer.status >= 400 {
                        eprintln!("{what}: {} {}", answer.status, answer.body);
                    }
                    return;
                }
                Err(_) => self.counts.add(what, 0),
            }
            assert!(Instant::now() < limit, "{what}: no answer in time");
            sleep(Duration::from_millis(50)).await;
        }
    }

    async fn read(self, member: Member) {
        for path in READS.into_iter().cycle().take_while(|_| self.goes_on()) {
            self.answer("read", member.client.request(Method::GET, path)).await;
            sleep(Duration::from_millis(20)).await;
        }
    }

    /// Opens trades, each under its key.
    async fn invest(self, member: Member, plan: String) {
        let body = json!({ "planId": plan, "amount": 250 });
        for number in (0..).take_while(|_| self.goes_on()) {
            let key = format!("trade-{number}");
            let request = member.client.request(Method::POST, "/trades/create").header("Idempotency-Key", key);
            self.answer("trade", request.json(&body)).await;
            sleep(Duration::from_millis(100)).await;
        }
    }

    /// Requests deposits, each under its key.
    async fn deposit(self, member: Member, method: String) {
        let body = json!({ "amount": "150.00", "method": method, "receipt": PROOF, "type": "deposit" });
        // As many as may be pending.
        for number in (0..5).take_while(|_| self.goes_on()) {
            let key = format!("deposit-{number}");
            let request = member.client.request(Method::POST, "/transactions/deposit").header("Idempotency-Key", key);
            self.answer("deposit", request.json(&body)).await;
            sleep(Duration::from_secs(6)).await;
        }
    }

    /// Follows the live updates as the web app does: a stream that ends is opened again within a second.
    async fn follow(self, member: Member) -> Followed {
        let (mut followed, mut since, mut last_change) = (Followed::default(), Instant::now(), Instant::now());
        while self.goes_on() {
            let opened = member.client.request(Method::GET, "/events").send().await;
            let Some(mut stream) = opened.ok().filter(|opened| opened.status().is_success()) else {
                sleep(Duration::from_millis(500)).await;
                continue;
            };
            followed.streams += 1;
            followed.longest_interruption = followed.longest_interruption.max(since.elapsed());
            while self.goes_on() {
                match timeout(Duration::from_millis(200), stream.chunk()).await {
                    Ok(Ok(Some(part))) if String::from_utf8_lossy(&part).contains("event: change") => {
                        followed.changes += 1;
                        followed.longest_silence = followed.longest_silence.max(last_change.elapsed());
                        last_change = Instant::now();
                    }
                    Err(_) | Ok(Ok(Some(_))) => {}
                    Ok(_) => break,
                }
            }
            since = Instant::now();
            sleep(Duration::from_millis(750)).await;
        }
        followed
    }

    async fn log_in(self, member: Member) {
        let body = json!({ "email": member.email, "password": PASSWORD });
        while self.goes_on() {
            self.answer("login", member.client.request(Method::POST, "/auth/login").json(&body)).await;
            sleep(Duration::from_millis(200)).await;
        }
    }
}

/// What a client of live updates saw.
#[derive(Debug, Default)]
struct Followed {
    streams: u32,
    changes: u32,
    /// The longest time without a stream.
    longest_interruption: Duration,
    /// The longest time between two changes, while there were several a second.
    longest_silence: Duration,
}

/// [D-V4] [D-H2] [K9] [K11] Steady load (reads, trades under a key, logins without one) across the turnover of every
/// connection and a graceful restart of each service: no 5xx, nothing lost, nothing twice.
#[tokio::test]
async fn neither_an_ageing_connection_nor_a_restart_costs_a_request() -> Result<()> {
    let options = Options { plans: true, connection_age_seconds: Some(1), ..Options::default() };
    let mut stack = TestStack::with(options).await?;
    let (investor, visitor) = (stack.member_with("90000.00").await?, stack.member().await?);
    let plan = investor.client.plan("Starter").await?;
    let mut auth = PgConnection::connect(&stack.databases().owner_url(Service::Auth)?).await?;
    let sessions = sessions_of(&mut auth, &visitor).await?;
    let (load, mut clients) = (Load::default(), JoinSet::new());
    for _ in 0..2 {
        clients.spawn(load.clone().read(investor.clone()));
    }
    clients.spawn(load.clone().invest(investor.clone(), plan));
    clients.spawn(load.clone().log_in(visitor.clone()));
    sleep(Duration::from_secs(4)).await;
    assert_eq!(load.counts.of(|_, status| status == 0), 0, "the gateway was there");
    for service in Service::ALL {
        let begun = Instant::now();
        stack.terminate(service).await?;
        let ended = begun.elapsed();
        let (_, status) = stack.process(service)?.ended().await;
        assert!(status.is_some_and(|status| status.success()), "{} ended with {status:?}", service.name());
        stack.restart(service).await?;
        eprintln!("{}: ended after {ended:?}, ready after {:?}", service.name(), begun.elapsed());
        sleep(Duration::from_millis(500)).await;
    }
    load.over.store(true, Ordering::Relaxed);
    while let Some(ended) = clients.join_next().await {
        ended?;
    }
    eprintln!("answers by kind and status: {:?}", load.counts.0.lock().expect("no panic while held"));
    assert_eq!(load.counts.of(|_, status| status >= 500), 0, "a request was lost");
    assert_eq!(load.counts.of(|_, status| (400..500).contains(&status) && status != 409), 0, "a request was refused");
    let trades = investor.client.get("/trades?status=all").await?.success()?;
    let trades = u32::try_from(trades["trades"].as_array().context("a list")?.len())?;
    assert_eq!(trades, load.counts.of(|what, status| what == "trade" && status == 201), "one trade a key");
    let (logins, unanswered) = (
        load.counts.of(|what, status| what == "login" && status == 200),
        load.counts.of(|what, status| what == "login" && status == 0),
    );
    let new_sessions = sessions_of(&mut auth, &visitor).await? - sessions;
    assert!((logins..=logins + unanswered).contains(&new_sessions), "{new_sessions} sessions of {logins} logins");
    assert_eq!(stack.broken_promises().await?, []);
    Ok(())
}

/// [D-V4] [D-H2] [K11] A rolling restart of every process, two of each service and gateways included: every request is
/// answered, none by a 5xx, live updates are interrupted for at most 2 s, and nothing happens twice.
#[tokio::test]
async fn a_rolling_restart_costs_no_request() -> Result<()> {
    let options = Options { plans: true, two_of_each: true, connection_age_seconds: Some(5), ..Options::default() };
    let mut stack = TestStack::with(options).await?;
    let (investor, visitor) = (stack.member_with("90000.00").await?, stack.member().await?);
    let plan = investor.client.plan("Starter").await?;
    let method = visitor.platform_method("TRC20").await?;
    let mut auth = PgConnection::connect(&stack.databases().owner_url(Service::Auth)?).await?;
    let sessions = sessions_of(&mut auth, &visitor).await?;
    let (load, mut clients) = (Load::default(), JoinSet::new());
    let following = tokio::spawn(load.clone().follow(investor.clone()));
    clients.spawn(load.clone().read(investor.clone()));
    clients.spawn(load.clone().read(visitor.clone()));
    clients.spawn(load.clone().invest(investor.clone(), plan));
    clients.spawn(load.clone().deposit(visitor.clone(), method));
    clients.spawn(load.clone().log_in(visitor.clone()));
    sleep(Duration::from_secs(2)).await;
    for replica in stack.replicas().collect::<Vec<_>>() {
        let begun = Instant::now();
        stack.terminate(replica).await?;
        let ended = begun.elapsed();
        let (_, status) = stack.process(replica)?.ended().await;
        assert!(status.is_some_and(|status| status.success()), "{} ended with {status:?}", replica.name());
        stack.restart(replica).await?;
        eprintln!("{}: ended after {ended:?}, ready after {:?}", replica.name(), begun.elapsed());
        // Until the load balancer passes connections to it again.
        sleep(Duration::from_millis(500)).await;
    }
    load.over.store(true, Ordering::Relaxed);
    while let Some(ended) = clients.join_next().await {
        ended?;
    }
    let followed = following.await?;
    eprintln!("answers by kind and status: {:?}; {followed:?}", load.counts.0.lock().expect("no panic while held"));
    assert_eq!(load.counts.of(|_, status| status == 0), 0, "a request had no answer");
    assert_eq!(load.counts.of(|_, status| status >= 500), 0, "a request was lost");
    assert_eq!(load.counts.of(|_, status| (400..500).contains(&status)), 0, "a request was refused");
    let longest = followed.longest_interruption.max(followed.longest_silence);
    assert!(followed.changes > 0 && longest <= Duration::from_secs(2), "{followed:?}");
    let created = |wanted| load.counts.of(move |what, status| what == wanted && status == 201);
    let trade = stack.databases().owner_url(Service::Trade)?;
    assert_eq!(
        count(&trade, "SELECT count(*) FROM trades WHERE user_id = $1::uuid", &investor).await?,
        created("trade")
    );
    let wallet = stack.databases().owner_url(Service::Wallet)?;
    let deposits = "SELECT count(*) FROM transactions WHERE kind = 'deposit' AND user_id = $1::uuid";
    assert_eq!(count(&wallet, deposits, &visitor).await?, created("deposit"));
    let logins = load.counts.of(|what, status| what == "login" && status == 200);
    assert_eq!(sessions_of(&mut auth, &visitor).await? - sessions, logins, "one session a login");
    assert_eq!(stack.broken_promises().await?, []);
    Ok(())
}

/// [D-V4] [D-H3] [K9] A database that ends every session every two seconds, and refuses for a moment to write, as one does
/// that changes over (57P01, 25006): no 5xx under steady load, nothing lost, nothing twice.
#[tokio::test]
async fn ended_database_sessions_cost_no_request() -> Result<()> {
    const ROUNDS: u32 = 8;
    let stack = TestStack::with(Options { plans: true, ..Options::default() }).await?;
    let (investor, visitor) = (stack.member_with("90000.00").await?, stack.member().await?);
    let plan = investor.client.plan("Starter").await?;
    let method = visitor.platform_method("TRC20").await?;
    let (load, mut clients) = (Load::default(), JoinSet::new());
    clients.spawn(load.clone().read(investor.clone()));
    clients.spawn(load.clone().read(visitor.clone()));
    clients.spawn(load.clone().invest(investor.clone(), plan));
    clients.spawn(load.clone().deposit(visitor.clone(), method));
    let mut ended = 0;
    for _ in 0..ROUNDS {
        sleep(Duration::from_secs(2)).await;
        for service in Service::services() {
            ended += change_over(&stack, service).await?;
        }
    }
    sleep(Duration::from_secs(1)).await;
    load.over.store(true, Ordering::Relaxed);
    while let Some(ended) = clients.join_next().await {
        ended?;
    }
    eprintln!("{ended} sessions ended; answers: {:?}", load.counts.0.lock().expect("no panic while held"));
    assert!(ended >= ROUNDS * 6, "{ended} sessions ended");
    assert_eq!(load.counts.of(|_, status| status == 0), 0, "a request had no answer");
    assert_eq!(load.counts.of(|_, status| status >= 500), 0, "a request was lost");
    assert_eq!(load.counts.of(|_, status| (400..500).contains(&status) && status != 409), 0, "a request was refused");
    let created = |wanted| load.counts.of(move |what, status| what == wanted && status == 201);
    let trade = stack.databases().owner_url(Service::Trade)?;
    let trades = count(&trade, "SELECT count(*) FROM trades WHERE user_id = $1::uuid", &investor).await?;
    assert_eq!(trades, created("trade"), "one trade a key");
    let wallet = stack.databases().owner_url(Service::Wallet)?;
    let deposits = "SELECT count(*) FROM transactions WHERE kind = 'deposit' AND user_id = $1::uuid";
    assert_eq!(count(&wallet, deposits, &visitor).await?, created("deposit"), "one deposit a key");
    assert_eq!(stack.broken_promises().await?, []);
    Ok(())
}

/// Ends every session of a service in its database; those that begin in the same moment cannot write. Returns how many ended.
async fn change_over(stack: &TestStack, service: Service) -> Result<u32> {
    const READ_ONLY: &str = "DO $$ BEGIN
        EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', current_database()); END $$";
    const WRITABLE: &str = "DO $$ BEGIN
        EXECUTE format('ALTER DATABASE %I RESET default_transaction_read_only', current_database()); END $$";
    let mut owner = PgConnection::connect(&stack.databases().owner_url(service)?).await?;
    // A role sees its own sessions, and may end them.
    let mut same = PgConnection::connect(&stack.databases().url(service)?).await?;
    owner.execute(READ_ONLY).await?;
    let ended: i64 = sqlx::query_scalar(
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
         WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()",
    )
    .fetch_one(&mut same)
    .await?;
    owner.execute(WRITABLE).await?;
    Ok(u32::try_from(ended)?)
}

async fn count(database: &str, sql: &'static str, member: &Member) -> Result<u32> {
    let mut database = PgConnection::connect(database).await?;
    let count: i64 = sqlx::query_scalar(sql).bind(&member.id).fetch_one(&mut database).await?;
    Ok(u32::try_from(count)?)
}

async fn sessions_of(auth: &mut PgConnection, member: &Member) -> Result<u32> {
    let count = sqlx::query_scalar::<_, i64>("SELECT count(*) FROM sessions WHERE user_id = $1::uuid");
    Ok(u32::try_from(count.bind(&member.id).fetch_one(auth).await?)?)
}
