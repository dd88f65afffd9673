//! Waits are bounded: locked rows, lost connections, a server that falls silent, and two processes on one database.

use chassis::id::MemberId;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use chassis::db::Db;
use chassis::money::Cents;
use futures::future::join_all;
use sqlx::PgPool;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use uuid::Uuid;
use wallet::domain::account::{AccountRef, HouseAccount};
use wallet::domain::posting_kind::{Cause, PostingKind};
use wallet::posting::ledger::Ledger;
use wallet::posting::{Movement, Outcome, Posting};

use crate::fixture::World;

fn transfer(user_id: MemberId, way: (AccountRef, AccountRef)) -> Movement {
    let cause = Cause::Unchecked(Uuid::new_v4());
    let posting = Posting::transfer(PostingKind::Transfer, cause, user_id, way, Cents::new(1)).unwrap();
    Movement { user_id, postings: vec![posting], ..Movement::default() }
}

/// From the balance to one account of the house.
fn hot(user_id: MemberId) -> Movement {
    transfer(user_id, (AccountRef::available(user_id), AccountRef::House(HouseAccount::FeeRevenue)))
}

/// Within the member's own accounts.
fn own(user_id: MemberId) -> Movement {
    transfer(user_id, (AccountRef::available(user_id), AccountRef::bonus(user_id)))
}

async fn members(world: &World, count: usize) -> Vec<MemberId> {
    let mut members = Vec::new();
    for _ in 0..count {
        members.push(world.member_with(10_000).await.id);
    }
    world.allow_transfers().await;
    members
}

fn url(pool: &PgPool, port: u16) -> String {
    let options = pool.connect_options();
    let url = std::env::var("DATABASE_URL").unwrap();
    let credentials = url.split_once("://").and_then(|rest| rest.1.rsplit_once('@')).map(|rest| rest.0.to_owned());
    format!("postgres://{}@127.0.0.1:{port}/{}", credentials.unwrap_or_default(), options.get_database().unwrap())
}

fn ledger(url: &str) -> Ledger {
    let (ledger, writer) = Ledger::new(Db::connect_lazy(url, 4).unwrap());
    tokio::spawn(writer);
    ledger
}

/// [A5] While another transaction holds a member's account, only that member waits: hundreds of others are done at once,
/// and the one is applied when the account is free.
#[sqlx::test(migrations = false)]
async fn a_locked_account_delays_only_its_own_movements(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    let ledger = &world.home().ledger;
    let members = members(&world, 5).await;
    let (locked, others) = members.split_first().unwrap();
    let mut holder = world.home().db.begin().await.unwrap();
    sqlx::query("SELECT FROM accounts WHERE user_id = $1 FOR UPDATE").bind(locked).execute(&mut *holder).await.unwrap();
    let waiting = tokio::spawn({
        let (ledger, movement) = (ledger.clone(), hot(*locked));
        async move { ledger.apply(movement).await }
    });
    let done = join_all((0..250).map(|n| ledger.apply(hot(others[n % others.len()])))).await;
    assert!(done.into_iter().all(|one| one.unwrap() == Outcome::Applied));
    assert!(!waiting.is_finished());
    holder.rollback().await.unwrap();
    assert_eq!(waiting.await.unwrap().unwrap(), Outcome::Applied);
    world.assert_books().await;
}

/// [A5] [K9] An account that stays locked is answered as unavailable, in time.
#[sqlx::test(migrations = false)]
async fn an_account_that_stays_locked_is_unavailable_in_time(pool: PgPool) {
    let world = World::new(pool.clone()).await;
    let member = members(&world, 1).await[0];
    let mut holder = world.home().db.begin().await.unwrap();
    sqlx::query("SELECT FROM accounts WHERE user_id = $1 FOR UPDATE").bind(member).execute(&mut *holder).await.unwrap();
    let began = Instant::now();
    let no = world.home().ledger.apply(own(member)).await.unwrap_err();
    assert_eq!(no.to_string(), chassis::error::Refusal::unavailable().message);
    assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
    holder.rollback().await.unwrap();
    assert_eq!(world.home().ledger.apply(own(member)).await.unwrap(), Outcome::Applied);
    assert_eq!(world.count("SELECT count(*) FROM postings WHERE kind = 'transfer'").await, 1);
}

/// [D-H1] [L1] [L5] Two processes on one database move money of the same members and of one account of the house:
/// everything is applied once.
#[sqlx::test(migrations = false)]
async fn two_processes_share_a_database(pool: PgPool) {
    let world = World::in_buckets(pool.clone(), 1).await;
    let members = members(&world, 4).await;
    let second = ledger(&url(&pool, pool.connect_options().get_port()));
    let both = [&world.home().ledger, &second];
    for _ in 0..4 {
        let movements = (0..120).map(|n| {
            let member = members[n / 2 % members.len()];
            both[n % 2].apply(if n % 3 == 0 { own(member) } else { hot(member) })
        });
        let outcomes = join_all(movements).await;
        assert!(outcomes.into_iter().all(|one| one.unwrap() == Outcome::Applied));
    }
    assert_eq!(world.count("SELECT count(*) FROM postings WHERE kind = 'transfer'").await, 480);
    world.assert_books().await;
}

/// What a connection through the proxy does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Pass,
    /// It ends before the server has the next question.
    CutBefore,
    /// It ends when the server answers the next question.
    CutAfter,
    /// The server gets the next question, and nobody hears it answer.
    Silent,
}

/// Stands between a ledger and the server.
struct Proxy {
    port: u16,
    connections: Arc<Mutex<Vec<watch::Sender<Mode>>>>,
}

impl Proxy {
    async fn before(server: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let connections: Arc<Mutex<Vec<watch::Sender<Mode>>>> = Arc::default();
        let proxy = Self { port, connections: Arc::clone(&connections) };
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(("127.0.0.1", server)).await.unwrap();
                let (mode, seen) = watch::channel(Mode::Pass);
                connections.lock().unwrap().push(mode);
                tokio::spawn(pass(client, server, seen));
            }
        });
        proxy
    }

    /// Changes the connections that are there; those that come are good.
    fn set(&self, mode: Mode) {
        for connection in self.connections.lock().unwrap().iter() {
            connection.send_replace(mode);
        }
    }
}

async fn pass(client: TcpStream, server: TcpStream, mode: watch::Receiver<Mode>) {
    let ((mut from_client, mut to_client), (mut from_server, mut to_server)) =
        (client.into_split(), server.into_split());
    let (mut question, mut answer) = (vec![0; 65_536], vec![0; 65_536]);
    loop {
        tokio::select! {
            read = from_client.read(&mut question) => match read {
                Ok(count) if count > 0 && *mode.borrow() != Mode::CutBefore => {
                    if to_server.write_all(&question[..count]).await.is_err() {
                        return;
                    }
                }
                _ => return,
            },
            read = from_server.read(&mut answer) => match read {
                Ok(count) if count > 0 && *mode.borrow() != Mode::CutAfter => {
                    let is_heard = *mode.borrow() == Mode::Pass;
                    if is_heard && to_client.write_all(&answer[..count]).await.is_err() {
                        return;
                    }
                }
                _ => return,
            },
        }
    }
}

async fn transfers(world: &World) -> i64 {
    world.count("SELECT count(*) FROM postings WHERE kind = 'transfer'").await
}

/// [Q1] [D-H3] [K5] A connection that is cut before or after the commit: the answer is that nobody knows, the books show
/// one or the other, and the next movement goes through.
#[sqlx::test(migrations = false)]
async fn a_connection_cut_around_the_commit_leaves_no_doubt_in_the_books(pool: PgPool) {
    let world = World::in_buckets(pool.clone(), 1).await;
    let member = members(&world, 1).await[0];
    let proxy = Proxy::before(pool.connect_options().get_port()).await;
    let ledger = ledger(&url(&pool, proxy.port));
    for (mode, expected) in [(Mode::CutBefore, 0), (Mode::CutAfter, 1)] {
        let mut seen = false;
        // On a slow machine the connection may have been given back before: then another is made and nothing is cut.
        for _ in 0..20 {
            assert_eq!(ledger.apply(own(member)).await.unwrap(), Outcome::Applied);
            let before = transfers(&world).await;
            proxy.set(mode);
            let result = ledger.apply(own(member)).await;
            let posted = transfers(&world).await - before;
            match result {
                Ok(outcome) => assert_eq!((outcome, posted), (Outcome::Applied, 1)),
                Err(no) => {
                    assert_eq!(no.to_string(), chassis::error::Refusal::unavailable().message);
                    seen |= posted == expected;
                }
            }
            if seen {
                break;
            }
        }
        assert!(seen, "{mode:?}");
        world.assert_books().await;
    }
}

/// [A1] [D-H1] A server that falls silent in the middle of a commit: those in it are answered in time, others go on
/// meanwhile, its accounts are free again, and the task that commits is alive.
#[sqlx::test(migrations = false)]
async fn a_silent_server_is_given_up_in_time(pool: PgPool) {
    let world = World::in_buckets(pool.clone(), 1).await;
    let members = members(&world, 2).await;
    let proxy = Proxy::before(pool.connect_options().get_port()).await;
    let ledger = ledger(&url(&pool, proxy.port));
    assert_eq!(ledger.apply(own(members[0])).await.unwrap(), Outcome::Applied);
    proxy.set(Mode::Silent);
    let began = Instant::now();
    let hung = tokio::spawn({
        let (ledger, movement) = (ledger.clone(), own(members[0]));
        async move { ledger.apply(movement).await }
    });
    // The server commits, but its answer does not arrive.
    while transfers(&world).await < 2 {
        assert!(began.elapsed() < Duration::from_secs(2));
        tokio::task::yield_now().await;
    }
    let second = Instant::now();
    assert_eq!(ledger.apply(own(members[1])).await.unwrap(), Outcome::Applied);
    assert!(second.elapsed() < Duration::from_secs(2), "others waited {:?}", second.elapsed());
    let _ = hung.await.unwrap();
    assert!(began.elapsed() < Duration::from_secs(6), "{:?}", began.elapsed());
    assert_eq!(ledger.apply(own(members[0])).await.unwrap(), Outcome::Applied);
    assert!(ledger.liveness()());
    world.assert_books().await;
}
