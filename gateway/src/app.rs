//! The parts of the gateway that handlers and middleware share.

use std::sync::Arc;

use chassis::identity::{Credential, Verifier};

use crate::config::Config;
use crate::exports::Exports;
use crate::middleware::admission::Admission;
use crate::middleware::body::Spool;
use crate::middleware::rate::Rates;
use crate::papers::documents::Documents;
use crate::peers::cache::plans::PlanCache;
use crate::peers::cache::profiles::ProfileCache;
use crate::peers::clients::Clients;
use crate::peers::live::Live;
use crate::proofs::Proofs;
use crate::storage::files::Files;
use crate::storage::media::Media;

/// A handle on the shared parts; clones are cheap.
#[derive(Clone)]
pub struct App(Arc<AppState>);

/// The shared parts.
pub struct AppState {
    pub config: Config,
    pub clients: Clients,
    /// The gateway's own credential, for calls that no member or staff asked for.
    pub credential: Credential,
    /// Looks up the session of a bearer token.
    pub verifier: Verifier,
    pub plans: Arc<PlanCache>,
    pub profiles: ProfileCache,
    pub files: Arc<Files>,
    pub media: Media,
    /// Checks that callers hold the key that their session is bound to.
    pub proofs: Proofs,
    /// Request counters by client address.
    pub rates: Arc<Rates>,
    /// Receives request bodies, in memory or in temporary files.
    pub spool: Spool,
    /// Bounds the work that is carried out at once.
    pub admission: Admission,
    pub live: Live,
    /// Bounds the downloads of members' data.
    pub exports: Exports,
    /// Bounds the documents of members.
    pub documents: Documents,
}

impl App {
    #[must_use]
    pub fn new(state: AppState) -> Self {
        Self(Arc::new(state))
    }
}

impl std::ops::Deref for App {
    type Target = AppState;
    fn deref(&self) -> &AppState {
        &self.0
    }
}
