//! A load balancer before the processes of one service, as a deployment of several has: it passes each new connection to
//! one that is ready.

use std::{
    collections::BTreeMap,
    net::Ipv4Addr,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use anyhow::Result;
use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    task::JoinSet,
    time::sleep,
};

use crate::{
    service::{Ports, Replica, Service},
    stack::settings::Settings,
};

/// How often each process is asked whether it is ready.
const INTERVAL: Duration = Duration::from_millis(100);

/// Passes connections on until it is dropped.
#[derive(Debug)]
pub struct Balancer {
    _tasks: JoinSet<()>,
}

/// A process that may be passed connections.
#[derive(Debug)]
struct Backend {
    ports: Ports,
    is_ready: AtomicBool,
}

// === impl Balancer ===

impl Balancer {
    /// One before every service, with its port, if there are two processes of each.
    pub async fn before_services(
        settings: &Settings,
        ports: &BTreeMap<Replica, Ports>,
    ) -> Result<BTreeMap<Service, (u16, Self)>> {
        let mut balancers = BTreeMap::new();
        for service in Service::ALL.into_iter().filter(|_| settings.two_of_each) {
            let port = if service == Service::Gateway { settings.port } else { crate::host::ports::free()? };
            let processes = ports.iter().filter(|(replica, _)| replica.0 == service).map(|(_, ports)| *ports);
            balancers.insert(service, (port, Self::start(port, processes).await?));
        }
        Ok(balancers)
    }

    /// Listens on a port and passes connections to these processes in turn.
    ///
    /// # Errors
    /// When the port is taken.
    pub async fn start(port: u16, processes: impl Iterator<Item = Ports>) -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let backends: Arc<[_]> =
            processes.map(|ports| Arc::new(Backend { ports, is_ready: AtomicBool::new(false) })).collect();
        let client = reqwest::Client::builder().timeout(Duration::from_secs(1)).build()?;
        let mut tasks = JoinSet::new();
        for backend in backends.iter() {
            tasks.spawn(watch(Arc::clone(backend), client.clone()));
        }
        tasks.spawn(accept(listener, backends));
        Ok(Self { _tasks: tasks })
    }
}

async fn watch(backend: Arc<Backend>, client: reqwest::Client) {
    let address = format!("http://127.0.0.1:{}/readyz", backend.ports.ops);
    loop {
        let is_ready = client.get(&address).send().await.is_ok_and(|answer| answer.status().is_success());
        backend.is_ready.store(is_ready, Ordering::Relaxed);
        sleep(INTERVAL).await;
    }
}

async fn accept(listener: TcpListener, backends: Arc<[Arc<Backend>]>) {
    let turn = AtomicUsize::new(0);
    let mut connections = JoinSet::new();
    while let Ok((client, _)) = listener.accept().await {
        while connections.try_join_next().is_some() {}
        let (first, backends) = (turn.fetch_add(1, Ordering::Relaxed), Arc::clone(&backends));
        connections.spawn(pass(client, first, backends));
    }
}

/// Closes the client's connection if no process is ready.
async fn pass(mut client: TcpStream, first: usize, backends: Arc<[Arc<Backend>]>) {
    let in_turn = backends.iter().cycle().skip(first % backends.len()).take(backends.len());
    for backend in in_turn.filter(|backend| backend.is_ready.load(Ordering::Relaxed)) {
        if let Ok(mut server) = TcpStream::connect((Ipv4Addr::LOCALHOST, backend.ports.main)).await {
            drop((client.set_nodelay(true), server.set_nodelay(true)));
            drop(copy_bidirectional(&mut client, &mut server).await);
            return;
        }
    }
}
