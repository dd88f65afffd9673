//! A TCP proxy in front of a server, whose connections can be cut or stalled.

use std::io;
use std::net::SocketAddr;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// Forwards every connection to one server until set otherwise.
pub struct Proxy {
    /// Where it listens.
    pub address: SocketAddr,
    state: watch::Sender<State>,
}

#[derive(Clone, Copy, Default)]
struct State {
    /// Connections accepted so far.
    accepted: u64,
    /// Connections up to this one carry nothing in either direction, and stay open.
    silent: u64,
    /// New connections carry nothing either.
    is_frozen: bool,
    /// Every connection is closed, and new ones are.
    is_cut: bool,
}

impl State {
    fn flows(&self, connection: u64) -> bool {
        connection > self.silent && !self.is_frozen
    }
}

impl Proxy {
    /// A proxy before the server at this address (`host:port`).
    ///
    /// # Panics
    /// If no port is free.
    pub async fn start(server: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let (state, _) = watch::channel(State::default());
        tokio::spawn(accept(listener, server.to_owned(), state.clone()));
        Self { address, state }
    }

    /// Stops forwarding, as if the server's process were stopped: connections stay open, new ones too.
    pub fn freeze(&self) {
        self.state.send_modify(|state| state.is_frozen = true);
    }

    /// Lets everything go on that was frozen or cut, with what was sent meanwhile.
    pub fn restore(&self) {
        self.state.send_modify(|state| (state.is_frozen, state.is_cut) = (false, false));
    }

    /// Lets the connections of now stay silent for ever, as if their server had lost its power; new ones are forwarded.
    pub fn abandon(&self) {
        self.state.send_modify(|state| state.silent = state.accepted);
    }

    /// Closes every connection, and new ones at once.
    pub fn cut(&self) {
        self.state.send_modify(|state| state.is_cut = true);
    }
}

async fn accept(listener: TcpListener, server: String, state: watch::Sender<State>) {
    while let Ok((client, _)) = listener.accept().await {
        state.send_modify(|state| state.accepted += 1);
        let (server, mut states) = (server.clone(), state.subscribe());
        let number = states.borrow_and_update().accepted;
        tokio::spawn(async move {
            let mut cut = states.clone();
            tokio::select! {
                _ = forward(client, &server, number, states) => {}
                _ = cut.wait_for(|state| state.is_cut) => {}
            }
        });
    }
}

async fn forward(client: TcpStream, server: &str, number: u64, state: watch::Receiver<State>) -> io::Result<()> {
    let server = TcpStream::connect(server).await?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let ((from_client, to_client), (from_server, to_server)) = (client.into_split(), server.into_split());
    tokio::try_join!(copy(from_client, to_server, number, state.clone()), copy(from_server, to_client, number, state))?;
    Ok(())
}

async fn copy(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    number: u64,
    mut state: watch::Receiver<State>,
) -> io::Result<()> {
    let mut buffer = vec![0; 16 * 1024];
    loop {
        let read = from.read(&mut buffer).await?;
        state.wait_for(|state| state.flows(number)).await.map_err(io::Error::other)?;
        if read == 0 {
            return to.shutdown().await;
        }
        to.write_all(buffer.get(..read).unwrap_or_default()).await?;
    }
}
