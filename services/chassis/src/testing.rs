//! For tests: keys, tokens, sessions and migrated databases without a running auth.

mod proxy;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use sqlx::PgPool;
use time::OffsetDateTime;
use tonic::Request;
use uuid::Uuid;

use crate::caller::{
    Credential, MEMBER_AUDIENCE, MEMBER_ISSUER, MemberClaims, Role, Session, Sessions, Staff, Verifier,
};
use crate::db::{self, Db, Schema};
use crate::error::Refusal;
use crate::keys::{self, SigningKey, TrustedKeys};

pub use self::proxy::Proxy;

/// A migrated database over the pool of `#[sqlx::test(migrations = false)]`.
pub async fn database(pool: PgPool, service: impl Into<Schema>) -> Db {
    db::migrate(&pool, service).await.expect("migrations apply");
    Db::from_pool(pool)
}

/// Keys of a whole deployment in a folder that goes away with it, and sessions in memory.
pub struct Realm {
    folder: std::path::PathBuf,
    token_key: SigningKey,
    sessions: Arc<MemorySessions>,
}

/// Sessions in memory.
#[derive(Default)]
pub struct MemorySessions(Mutex<HashMap<Uuid, Session>>);

#[async_trait]
impl Sessions for MemorySessions {
    async fn live(&self, session_id: Uuid) -> Result<Option<Session>, Refusal> {
        Ok(self.0.lock().expect("no panic while held").get(&session_id).cloned())
    }

    async fn is_frozen(&self, user_id: Uuid) -> Result<bool, Refusal> {
        let sessions = self.0.lock().expect("no panic while held");
        Ok(sessions.values().any(|session| session.user_id == user_id && session.frozen))
    }
}

impl Default for Realm {
    fn default() -> Self {
        Self::new()
    }
}

impl Realm {
    /// Fresh keys, nobody signed in.
    #[must_use]
    pub fn new() -> Self {
        let folder = std::env::temp_dir().join(format!("solvane-keys-{}", Uuid::now_v7()));
        keys::generate(&folder).expect("keys are written");
        let token_key = SigningKey::read(&folder.join("token.key")).expect("a key");
        Self { folder, token_key, sessions: Arc::default() }
    }

    /// Where the key files are.
    #[must_use]
    pub fn folder(&self) -> &std::path::Path {
        &self.folder
    }

    /// Verifies this realm's tokens against its sessions.
    #[must_use]
    pub fn verifier(&self) -> Verifier {
        let trusted = TrustedKeys::read(&self.folder.join("trusted.json")).expect("keys");
        Verifier::new(Arc::new(trusted), Arc::clone(&self.sessions) as Arc<dyn Sessions>)
    }

    /// The credential of a service.
    #[must_use]
    pub fn credential(&self, service: &str) -> Credential {
        let key = SigningKey::read(&self.folder.join(format!("{service}.key"))).expect("a key");
        Credential::new(service, key)
    }

    /// Signs a session in; returns its token.
    pub fn sign_in(&self, session: Session) -> String {
        let token = self.token(&session, OffsetDateTime::now_utc().unix_timestamp() + 1_800);
        self.sessions.0.lock().expect("no panic while held").insert(session.id, session);
        token
    }

    /// A token of a session with this end.
    #[must_use]
    pub fn token(&self, session: &Session, exp: i64) -> String {
        let claims = MemberClaims {
            iss: MEMBER_ISSUER.to_owned(),
            aud: MEMBER_AUDIENCE.to_owned(),
            sub: session.user_id,
            sid: session.id,
            exp,
            iat: OffsetDateTime::now_utc().unix_timestamp(),
            jti: Uuid::new_v4(),
        };
        self.token_key.sign(&claims).expect("signed")
    }

    /// Signs any claims with the key of members' tokens.
    #[must_use]
    pub fn sign(&self, claims: &impl serde::Serialize) -> String {
        self.token_key.sign(claims).expect("signed")
    }

    /// A verified member signed in: the account and the token.
    pub fn member(&self) -> (Uuid, String) {
        let session = session(None);
        (session.user_id, self.sign_in(session))
    }

    /// Freezes an account.
    pub fn freeze(&self, user_id: Uuid) {
        let mut sessions = self.sessions.0.lock().expect("no panic while held");
        sessions.values_mut().filter(|session| session.user_id == user_id).for_each(|session| session.frozen = true);
    }

    /// Staff signed in: the account and the token.
    pub fn staff(&self, role: Role) -> (Uuid, String) {
        let session = session(Some(role));
        (session.user_id, self.sign_in(session))
    }
}

impl Drop for Realm {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// A session of a fresh, verified account.
#[must_use]
pub fn session(role: Option<Role>) -> Session {
    Session {
        id: Uuid::new_v4(),
        user_id: Uuid::new_v4(),
        verified: true,
        frozen: false,
        role,
        stepped_up: role.is_some(),
        must_enrol: false,
        decides_from: None,
    }
}

/// Staff at work, for use cases.
#[must_use]
pub fn staff(role: Role) -> Staff {
    Staff { user_id: Uuid::new_v4(), role }
}

/// A request with a bearer token.
pub fn with_token<T>(message: T, token: &str) -> Request<T> {
    let mut request = Request::new(message);
    request.metadata_mut().insert("authorization", format!("Bearer {token}").parse().expect("ascii"));
    request
}
