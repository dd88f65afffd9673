//! A push service over TLS that keeps the messages it receives and answers as the test scripts it, and a browser that has
//! subscribed there.

use std::collections::{HashMap, VecDeque};
use std::net::SocketAddr;
use std::process::Command;
use std::sync::{Arc, Mutex};

use aws_lc_rs::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use aws_lc_rs::agreement::{ECDH_P256, PrivateKey, UnparsedPublicKey, agree};
use aws_lc_rs::hmac;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use mailer::push::client;
use proto::mailer::v1::SubscribePushRequest;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

pub const HOST: &str = "push.test";

/// A message as it arrived.
#[derive(Debug, Clone)]
pub struct Received {
    pub path: String,
    pub headers: HashMap<String, String>,
    pub body: Vec<u8>,
}

#[derive(Default)]
struct State {
    script: Mutex<VecDeque<&'static str>>,
    received: Mutex<Vec<Received>>,
}

pub struct PushService {
    address: SocketAddr,
    certificate: Vec<u8>,
    state: Arc<State>,
}

/// Finds the push service under every name.
struct Here(SocketAddr);

impl Resolve for Here {
    fn resolve(&self, _: Name) -> Resolving {
        let addresses: Addrs = Box::new(std::iter::once(self.0));
        Box::pin(async move { Ok(addresses) })
    }
}

impl PushService {
    pub async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let [key, certificate] = ["key.pem", "certificate.pem"].map(|name| folder.path().join(name));
        let made = Command::new("openssl")
            .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"])
            .args(["-subj", "/CN=push.test", "-addext", "subjectAltName=DNS:push.test"])
            .args(["-addext", "basicConstraints=critical,CA:FALSE", "-keyout"])
            .arg(&key)
            .arg("-out")
            .arg(&certificate)
            .output()
            .unwrap();
        assert!(made.status.success(), "{made:?}");
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let config =
            rustls::ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
        let chain = vec![CertificateDer::from_pem_file(&certificate).unwrap()];
        let config = config.with_no_client_auth().with_single_cert(chain, PrivateKeyDer::from_pem_file(&key).unwrap());
        let acceptor = TlsAcceptor::from(Arc::new(config.unwrap()));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, state) = (listener.local_addr().unwrap(), Arc::new(State::default()));
        let serving = Arc::clone(&state);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (acceptor, state) = (acceptor.clone(), Arc::clone(&serving));
                tokio::spawn(async move { converse(stream, &acceptor, &state).await });
            }
        });
        Self { address, certificate: std::fs::read(certificate).unwrap(), state }
    }

    /// The client of the service, to which every name leads here.
    pub fn client(&self) -> reqwest::Client {
        let trusted = reqwest::Certificate::from_pem(&self.certificate).unwrap();
        client(Arc::new(Here(self.address))).tls_certs_only([trusted]).build().unwrap()
    }

    /// What it answers to the next messages: a status, and headers; it takes all further ones.
    pub fn next(&self, answers: &[&'static str]) {
        self.state.script.lock().unwrap().extend(answers);
    }

    /// What has arrived since the last look.
    pub fn received(&self) -> Vec<Received> {
        std::mem::take(&mut self.state.received.lock().unwrap())
    }
}

async fn converse(stream: TcpStream, acceptor: &TlsAcceptor, state: &State) {
    let Ok(stream) = acceptor.accept(stream).await else { return };
    let mut stream = BufReader::new(stream);
    while let Some(received) = read(&mut stream).await {
        state.received.lock().unwrap().push(received);
        let answer = state.script.lock().unwrap().pop_front().unwrap_or("201 Created");
        let answer = format!("HTTP/1.1 {answer}\r\nContent-Length: 0\r\n\r\n");
        if stream.write_all(answer.as_bytes()).await.is_err() || stream.flush().await.is_err() {
            return;
        }
    }
}

async fn read(stream: &mut (impl AsyncBufReadExt + Unpin)) -> Option<Received> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        if line.trim().is_empty() {
            break;
        }
        lines.push(line.trim().to_owned());
    }
    let path = lines[0].split(' ').nth(1)?.to_owned();
    let header = |line: &String| line.split_once(": ").map(|(name, value)| (name.to_lowercase(), value.to_owned()));
    let headers: HashMap<_, _> = lines[1..].iter().filter_map(header).collect();
    let mut body = vec![0; headers.get("content-length")?.parse().ok()?];
    stream.read_exact(&mut body).await.ok()?;
    Some(Received { path, headers, body })
}

/// A browser with a subscription.
pub struct Browser {
    key: PrivateKey,
    auth: [u8; 16],
    pub endpoint: String,
}

impl Browser {
    pub fn new(path: &str) -> Self {
        let endpoint = format!("https://{HOST}/{path}");
        Self { key: PrivateKey::generate(&ECDH_P256).unwrap(), auth: chassis::keys::random().unwrap(), endpoint }
    }

    fn point(&self) -> Vec<u8> {
        self.key.compute_public_key().unwrap().as_ref().to_vec()
    }

    /// What it names to the server.
    pub fn names(&self) -> SubscribePushRequest {
        SubscribePushRequest {
            endpoint: self.endpoint.clone(),
            p256dh: URL_SAFE_NO_PAD.encode(self.point()),
            auth: URL_SAFE_NO_PAD.encode(self.auth),
        }
    }

    /// Reads a message as RFC 8291 and RFC 8188 say, by other steps than those that wrote it; `None` if it is for another browser.
    pub fn read(&self, body: &[u8]) -> Option<serde_json::Value> {
        let (salt, rest) = body.split_at_checked(16)?;
        assert_eq!(rest[..5], [0, 0, 16, 0, 65], "one record of 4096 bytes, and the length of a point");
        let (sender, record) = rest[5..].split_at_checked(65)?;
        let mac = |key: &[u8], parts: &[&[u8]]| {
            let mut context = hmac::Context::with_key(&hmac::Key::new(hmac::HMAC_SHA256, key));
            parts.iter().for_each(|part| context.update(part));
            context.sign().as_ref().to_vec()
        };
        let peer = UnparsedPublicKey::new(&ECDH_P256, sender);
        let of_auth = agree(&self.key, peer, (), |shared| Ok(mac(&self.auth, &[shared]))).ok()?;
        let input = mac(&of_auth, &[b"WebPush: info\0", &self.point(), sender, &[1]]);
        let of_salt = mac(salt, &[&input]);
        let key = mac(&of_salt, &[b"Content-Encoding: aes128gcm\0", &[1]]);
        let nonce = mac(&of_salt, &[b"Content-Encoding: nonce\0", &[1]]);
        let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key[..16]).unwrap());
        let nonce = Nonce::try_assume_unique_for_key(&nonce[..12]).unwrap();
        let mut record = record.to_vec();
        let padded = key.open_in_place(nonce, Aad::empty(), &mut record).ok()?;
        let end = padded.iter().rposition(|byte| *byte != 0)?;
        assert_eq!(padded[end], 2, "the last record");
        serde_json::from_slice(&padded[..end]).ok()
    }
}
