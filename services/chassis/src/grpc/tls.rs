//! TLS between the processes, with the certificates that the files hold now: renewed ones count from the next connection on,
//! without a restart.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use anyhow::Context;
use rustls::client::ClientConfig;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ServerConfig, WebPkiClientVerifier};
use rustls::{RootCertStore, crypto::CryptoProvider};

use crate::config::Tls;

/// How long a handshake may take.
pub(super) const HANDSHAKE: Duration = Duration::from_secs(5);

/// The certificates of a process, read again when their files have changed.
pub struct Certificates {
    files: Tls,
    last: Mutex<Read>,
}

/// What was read, and when the files had been written.
struct Read {
    written: Vec<Option<SystemTime>>,
    sides: Sides,
}

/// How connections are taken, if the process has a certificate, and made.
#[derive(Clone)]
struct Sides {
    server: Option<Arc<ServerConfig>>,
    client: Arc<ClientConfig>,
}

impl Certificates {
    /// Reads the files; `None` if they name no authority.
    ///
    /// # Errors
    /// If a file cannot be read, or holds something else.
    pub fn read(files: &Tls) -> anyhow::Result<Option<Self>> {
        let Some(authority) = &files.tls_ca_file else { return Ok(None) };
        let written = written(files);
        let sides = sides(files, authority)?;
        report(files)?;
        Ok(Some(Self { files: files.clone(), last: Mutex::new(Read { written, sides }) }))
    }

    /// How connections are taken now; `None` without a certificate.
    pub(super) fn server(&self) -> Option<Arc<ServerConfig>> {
        self.now().server
    }

    /// How connections are made now.
    pub(super) fn client(&self) -> Arc<ClientConfig> {
        self.now().client
    }

    /// What the files hold, or held last if they are in the middle of a change.
    fn now(&self) -> Sides {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let written = written(&self.files);
        if written != last.written
            && let Some(authority) = &self.files.tls_ca_file
        {
            match sides(&self.files, authority).and_then(|sides| report(&self.files).map(|()| sides)) {
                Ok(sides) => {
                    tracing::info!("new certificates are in use");
                    *last = Read { written, sides };
                }
                Err(error) => {
                    tracing::warn!(error = %format!("{error:#}"), "new certificates cannot be used: those before stay");
                }
            }
        }
        last.sides.clone()
    }
}

/// Reports when the process's certificate ends.
fn report(files: &Tls) -> anyhow::Result<()> {
    if let Some(at) = files.ends_at()? {
        metrics::gauge!("tls_certificate_ends_at").set(u32::try_from(at).unwrap_or(u32::MAX));
    }
    Ok(())
}

fn written(files: &Tls) -> Vec<Option<SystemTime>> {
    let names = [&files.tls_ca_file, &files.tls_cert_file, &files.tls_key_file];
    names.map(|name| std::fs::metadata(name.as_ref()?).ok()?.modified().ok()).to_vec()
}

fn sides(files: &Tls, authority: &Path) -> anyhow::Result<Sides> {
    let provider: Arc<CryptoProvider> = Arc::new(aws_lc_rs::default_provider());
    let mut roots = RootCertStore::empty();
    for certificate in certificates(authority)? {
        roots.add(certificate).with_context(|| format!("{} is no authority", authority.display()))?;
    }
    let roots = Arc::new(roots);
    let making = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(Arc::clone(&roots));
    let (Some(certificate), Some(key)) = (&files.tls_cert_file, &files.tls_key_file) else {
        return Ok(Sides { server: None, client: Arc::new(speaking_h2(making.with_no_client_auth())) });
    };
    let (chain, key) = (certificates(certificate)?, private_key(key)?);
    let client = making.with_client_auth_cert(chain.clone(), key.clone_key())?;
    let verifier = WebPkiClientVerifier::builder_with_provider(roots, Arc::clone(&provider)).build()?;
    let mut server = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_client_cert_verifier(verifier)
        .with_single_cert(chain, key)?;
    server.alpn_protocols = vec![b"h2".to_vec()];
    Ok(Sides { server: Some(Arc::new(server)), client: Arc::new(speaking_h2(client)) })
}

fn speaking_h2(mut client: ClientConfig) -> ClientConfig {
    client.alpn_protocols = vec![b"h2".to_vec()];
    client
}

fn certificates(file: &Path) -> anyhow::Result<Vec<CertificateDer<'static>>> {
    let read = || CertificateDer::pem_file_iter(file)?.collect::<Result<Vec<_>, _>>();
    let found = read().with_context(|| format!("cannot read {}", file.display()))?;
    anyhow::ensure!(!found.is_empty(), "{} has no certificate in PEM", file.display());
    Ok(found)
}

fn private_key(file: &Path) -> anyhow::Result<PrivateKeyDer<'static>> {
    PrivateKeyDer::from_pem_file(file).with_context(|| format!("cannot read {}", file.display()))
}
