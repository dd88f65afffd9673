//! Cache of member profiles.

use chassis::id::UserId;
use std::collections::HashMap;

use chassis::auth_client::SESSION_CACHE;
use chassis::batch::Batch;
use chassis::grpc::{Channel, Outgoing};
use chassis::identity::Credential;
use moka::sync::Cache;
use proto::auth::v1::directory_service_client::DirectoryServiceClient;
use proto::auth::v1::{GetUsersRequest, User};
use serde::Serialize;
use utoipa::ToSchema;

use crate::http::convert::non_empty;
use crate::http::error::ApiError;
use crate::peers::clients::call_retrying;

/// Accounts that auth looks up at once.
const MOST_IDS: usize = 500;

/// The part of an account that others may see.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
pub struct Profile {
    pub name: String,
    pub email: String,
    pub phone: String,
    pub country: String,
}

impl From<&User> for Profile {
    fn from(user: &User) -> Self {
        Self {
            name: user.name.clone(),
            email: user.email.clone(),
            phone: user.phone.clone(),
            country: user.country.clone(),
        }
    }
}

/// The profiles of those whom an answer names.
pub struct People(HashMap<String, Profile>);

impl People {
    /// The profile, empty for an unknown account.
    pub fn profile(&self, id: &str) -> Profile {
        self.0.get(id).cloned().unwrap_or_default()
    }

    pub fn name(&self, id: &str) -> Option<String> {
        self.0.get(id).map(|profile| profile.name.clone())
    }
}

/// Cache of member profiles. Concurrent lookups share one call; an answer is kept as long as one about a session.
pub struct ProfileCache {
    directory: Directory,
    lookup: Batch<UserId, Result<Profile, ApiError>>,
    known: Cache<UserId, Profile>,
}

#[derive(Clone)]
struct Directory {
    client: DirectoryServiceClient<Channel>,
    credential: Credential,
}

impl ProfileCache {
    /// Must be called inside the runtime.
    #[must_use]
    pub fn new(client: DirectoryServiceClient<Channel>, credential: Credential) -> Self {
        let directory = Directory { client, credential };
        let asked = directory.clone();
        let lookup = Batch::new(move |ids: Vec<UserId>| {
            let directory = asked.clone();
            async move {
                let ids: Vec<_> = ids.iter().map(UserId::to_string).collect();
                match directory.profiles(ids.clone()).await {
                    Ok(profiles) => ids.iter().map(|id| Ok(profiles.get(id).cloned().unwrap_or_default())).collect(),
                    Err(error) => ids.iter().map(|_| Err(error.clone())).collect(),
                }
            }
        });
        Self { directory, lookup, known: Cache::builder().max_capacity(100_000).time_to_live(SESSION_CACHE).build() }
    }

    /// The profile of an account, empty for an unknown one. Fails if auth does not answer.
    pub async fn get(&self, user_id: UserId) -> Result<Profile, ApiError> {
        if let Some(profile) = self.known.get(&user_id) {
            return Ok(profile);
        }
        let asked = self.lookup.ask(user_id).await;
        let profile = asked.ok_or_else(|| ApiError::internal("the lookup of profiles was dropped"))??;
        self.known.insert(user_id, profile.clone());
        Ok(profile)
    }

    /// The profiles of several accounts by id, not cached. Leaves out unknown accounts. Fails if auth does not answer.
    pub async fn look_up(&self, ids: impl IntoIterator<Item = String>) -> Result<People, ApiError> {
        let mut ids: Vec<String> = ids.into_iter().filter_map(non_empty).collect();
        ids.sort_unstable();
        ids.dedup();
        let parts = ids.chunks(MOST_IDS).map(|some| self.directory.profiles(some.to_vec()));
        Ok(People(futures::future::try_join_all(parts).await?.into_iter().flatten().collect()))
    }

    /// Drops a profile after its member changed it.
    pub fn invalidate(&self, user_id: UserId) {
        self.known.invalidate(&user_id);
    }
}

impl Directory {
    async fn profiles(&self, user_ids: Vec<String>) -> Result<HashMap<String, Profile>, ApiError> {
        let out = Outgoing::service(&self.credential);
        let answer = call_retrying!(self.client, get_users, out, GetUsersRequest { user_ids })?.into_inner();
        Ok(answer.users.iter().map(|user| (user.id.clone(), Profile::from(user))).collect())
    }
}
