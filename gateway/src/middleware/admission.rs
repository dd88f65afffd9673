//! Work at once: bounded in all, and shared fairly among address blocks and accounts. A place is taken only when the whole
//! body is there, so that slow clients hold none.

use chassis::id::UserId;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::http::error::ApiError;
use crate::middleware::class::Class;
use crate::middleware::rate::block;
use crate::middleware::shares::{Share, Shares};

/// Requests at work at once.
const REQUESTS: usize = 1_024;
/// Of these, of one account.
const REQUESTS_OF_ONE: u64 = 32;
/// KiB of all uploads at work at once: each takes up to three times its body until its file is checked and stored. One of
/// the largest leaves something to smaller ones.
const UPLOADS: u64 = 12 * 1024;
/// Files that are read at once, each until its client has received it.
const DOWNLOADS: u64 = 256;
/// Of these, by one address block.
const DOWNLOADS_OF_ONE: u64 = 16;
/// How long a download waits for its place.
const DOWNLOAD_PATIENCE: Duration = Duration::from_secs(5);
/// How long a request waits for its place.
const PATIENCE: Duration = Duration::from_millis(40);
/// How long an upload waits for its place; pictures of others may have to be decoded first.
const UPLOAD_PATIENCE: Duration = Duration::from_secs(8);

/// The places of requests and uploads that are at work.
pub struct Admission {
    is_shared: bool,
    places: Arc<Semaphore>,
    blocks: Arc<Shares<IpAddr>>,
    accounts: Arc<Shares<UserId>>,
    uploads: Arc<Shares<IpAddr>>,
    downloads: Arc<Shares<IpAddr>>,
    uploads_of: Arc<Shares<UserId>>,
}

/// A place at work; given back when it is dropped.
pub struct Place {
    _place: OwnedSemaphorePermit,
    _shares: [Option<Share<IpAddr>>; 2],
    _own: [Option<Share<UserId>>; 2],
}

impl Admission {
    /// With shares for address blocks and accounts, or only the bounds of all together.
    #[must_use]
    pub fn new(is_shared: bool) -> Self {
        Self {
            is_shared,
            places: Arc::new(Semaphore::new(REQUESTS)),
            blocks: Shares::new(REQUESTS as u64, u64::MAX),
            accounts: Shares::new(u64::MAX, REQUESTS_OF_ONE),
            uploads: Shares::new(UPLOADS, UPLOADS),
            downloads: Shares::new(DOWNLOADS, DOWNLOADS_OF_ONE),
            uploads_of: Shares::new(u64::MAX, 1),
        }
    }

    /// A place for a request of this client, with a body of this many bytes.
    ///
    /// # Errors
    /// 429 if the client's share is used up, 503 if no place is free.
    pub async fn enter(
        &self,
        class: Class,
        ip: Option<IpAddr>,
        account: Option<UserId>,
        bytes: u64,
    ) -> Result<Place, ApiError> {
        let (block, account) = (ip.filter(|_| self.is_shared).map(block), account.filter(|_| self.is_shared));
        let too_many = || ApiError::of_status(StatusCode::TOO_MANY_REQUESTS);
        let busy = || ApiError::of_status(StatusCode::SERVICE_UNAVAILABLE).because("no place is free");
        let mut shares = [None, None];
        let mut own = [None, None];
        if let Some(block) = block {
            shares[0] = Some(self.blocks.take(Some(block), 1).ok_or_else(too_many)?);
        }
        if let Some(account) = account {
            own[0] = Some(self.accounts.take(Some(account), 1).ok_or_else(too_many)?);
        }
        if class == Class::Upload {
            if let Some(account) = account {
                let one = self.uploads_of.take_within(Some(account), 1, UPLOAD_PATIENCE).await;
                own[1] = Some(one.ok_or_else(too_many)?);
            }
            let kib = bytes.div_ceil(1024).max(1);
            shares[1] = Some(self.uploads.take_within(block, kib, UPLOAD_PATIENCE).await.ok_or_else(busy)?);
        }
        if class == Class::Download {
            shares[1] = Some(self.downloads.take_within(block, 1, DOWNLOAD_PATIENCE).await.ok_or_else(too_many)?);
        }
        Ok(Place { _place: self.place().await.ok_or_else(busy)?, _shares: shares, _own: own })
    }

    async fn place(&self) -> Option<OwnedSemaphorePermit> {
        if let Ok(place) = Arc::clone(&self.places).try_acquire_owned() {
            return Some(place);
        }
        timeout(PATIENCE, Arc::clone(&self.places).acquire_owned()).await.ok()?.ok()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use uuid::Uuid;

    use super::{Admission, REQUESTS_OF_ONE};
    use crate::middleware::class::Class;

    /// [D-V1] One account or block never takes the service from another, and 100 members of one block who behave pass.
    #[tokio::test]
    async fn places_are_shared_fairly() {
        let admission = Admission::new(true);
        let ip = |last: u8| Some([203, 0, 113, last].into());
        let mut held = Vec::new();
        for last in 0..100 {
            held.push(admission.enter(Class::Write, ip(last), Some(Uuid::new_v4().into()), 0).await.ok().unwrap());
        }
        let greedy = Some(Uuid::new_v4().into());
        for _ in 0..REQUESTS_OF_ONE {
            held.push(admission.enter(Class::Read, ip(200), greedy, 0).await.ok().unwrap());
        }
        assert!(admission.enter(Class::Read, ip(200), greedy, 0).await.is_err());
        while let Ok(place) = admission.enter(Class::Write, ip(1), None, 0).await {
            held.push(place);
        }
        assert!(held.len() < 600, "one block took {} places", held.len());
        assert!(admission.enter(Class::Write, Some([198, 51, 100, 1].into()), None, 0).await.is_ok());
    }

    /// [D-V1] Clients who read files slowly, or never, leave a place for others.
    #[tokio::test]
    async fn downloads_are_shared_fairly() {
        let admission = Admission::new(true);
        let enter = async |block: u8, last: u8| {
            let enters = admission.enter(Class::Download, Some([198, 51, block, last].into()), None, 0);
            tokio::time::timeout(Duration::from_millis(20), enters).await.ok()?.ok()
        };
        let mut held = Vec::new();
        for block in 0..10 {
            while let Some(place) = enter(block, 1).await {
                held.push(place);
            }
        }
        assert!((100..250).contains(&held.len()), "{} downloads at once", held.len());
        assert!(enter(0, 2).await.is_none(), "one block took more than its share");
        assert!(enter(100, 1).await.is_some(), "a newcomer found none");
        held.clear();
        assert!(enter(0, 2).await.is_some());
    }

    const LARGE: u64 = 7 * 1024 * 1024;

    /// [D-V1] Uploads of one account and one block leave a place for others, and small ones do not wait for large ones.
    #[tokio::test]
    async fn uploads_are_shared_fairly() {
        let admission = Admission::new(true);
        let (ip, account) = (Some([203, 0, 113, 1].into()), Some(Uuid::new_v4().into()));
        let first = admission.enter(Class::Upload, ip, account, LARGE).await.ok().unwrap();
        assert!(admission.enter(Class::Upload, ip, account, LARGE).await.is_err(), "two at once of one account");
        // All that is left for large ones is taken, and a small one does not wait for them.
        let newcomer = Some([198, 51, 100, 1].into());
        let waits = admission.enter(Class::Upload, newcomer, Some(Uuid::new_v4().into()), LARGE);
        assert!(tokio::time::timeout(Duration::from_millis(50), waits).await.is_err(), "a second large one");
        let enters = admission.enter(Class::Upload, newcomer, Some(Uuid::new_v4().into()), 100_000);
        assert!(tokio::time::timeout(Duration::from_millis(50), enters).await.is_ok_and(|place| place.is_ok()));
        drop(first);
        assert!(admission.enter(Class::Upload, newcomer, Some(Uuid::new_v4().into()), LARGE).await.is_ok());
    }
}
