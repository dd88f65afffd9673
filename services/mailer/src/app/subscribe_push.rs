//! Sends notices to the device of a session from now on.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chassis::db::Db;
use chassis::error::Refusal;
use chassis::identity::Session;

use crate::domain::push::Subscription;
use crate::error::Error;
use crate::push::Push;
use crate::push::encryption::is_point;
use crate::store::push_subscriptions::{self, NewSubscription};

/// What a browser named, as it wrote it.
pub struct SubscribePush {
    pub endpoint: String,
    pub p256dh: String,
    pub auth: String,
}

/// Keeps the subscription of the session, in place of the one before. It is known already if the browser named it in an earlier
/// session.
///
/// # Errors
/// Wrong fields: an address of no known push service, keys that are none.
pub async fn subscribe_push(db: &Db, push: &Push, session: &Session, wanted: SubscribePush) -> Result<(), Error> {
    let service = push.services.host(&wanted.endpoint).map(str::to_owned).ok_or_else(|| {
        Refusal::field("endpoint", "Notices cannot be sent to this browser: its push service is not known.")
    })?;
    let subscription = Subscription {
        p256dh: key(&wanted.p256dh)
            .filter(|point| is_point(point))
            .ok_or_else(|| Refusal::field("p256dh", "This is no key of a browser."))?,
        auth: key(&wanted.auth).ok_or_else(|| Refusal::field("auth", "This is no secret of a browser."))?,
        endpoint: wanted.endpoint,
    };
    let sealed = push.keys.seal(session.id, &subscription).map_err(|error| Error::Cryptography(error.to_string()))?;
    let new = NewSubscription {
        session_id: session.id,
        user_id: session.user_id,
        service: &service,
        fingerprint: &push.keys.fingerprint(&subscription),
        sealed: &sealed,
    };
    let mut tx = db.begin().await?;
    push_subscriptions::put(&mut tx, &new).await?;
    tx.commit().await?;
    Ok(())
}

/// Bytes in base64url, with or without padding.
fn key<const N: usize>(text: &str) -> Option<[u8; N]> {
    URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok()?.try_into().ok()
}
