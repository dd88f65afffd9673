//! The files of the course: uploads in chunks, and the tickets by which players are served.
//!
//! A player sends no token, so every link has its authority in itself: a ticket, which names the session it was made for,
//! the lesson, the file and when it ends. It is part of the path of playlists, pictures and attachments, and a parameter of
//! segments, whose path is the same for everybody. Whether the session lives and has access is asked for each of them,
//! at most two seconds ago.

use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use chassis::grpc::Outgoing;
use chassis::identity::{Credential, Named};
use chassis::keys::SecretKey;
use moka::future::Cache;
use object_store::path::Path;
use object_store::{GetRange, ObjectStore, ObjectStoreExt, PutPayload};
use proto::course::v1::{OpenMediaRequest, OpenMediaResponse};
use time::OffsetDateTime;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use uuid::Uuid;

use crate::http::error::ApiError;
use crate::peers::clients::{Clients, call_retrying};
use crate::storage::files::{self, Read};

/// Life of a ticket.
const TICKET_LIFE: time::Duration = time::Duration::hours(6);
/// How long an answer about access is believed. With what services believe of sessions it is less than five seconds.
const ACCESS_LIFE: Duration = Duration::from_secs(2);
const ACCESSES: u64 = 20_000;
/// Uploads at once: each holds a chunk in memory.
const UPLOADS: usize = 6;
/// What the signature of a ticket covers beside its content.
const PURPOSE: &[u8] = b"course-media";
const MAC: usize = 32;
/// Bytes of a ticket before the id of its lesson: whether it names a session, its account and session, the file, its end.
const HEAD: usize = 1 + 16 + 16 + 16 + 8;

/// What a link to a file of the course stands for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Ticket {
    /// Unset for visitors.
    pub session: Option<Named>,
    /// Empty for staff.
    pub lesson_id: String,
    pub media: Uuid,
}

/// The store of the files, the key of tickets, and what was answered about access lately.
pub struct Media {
    store: Arc<dyn ObjectStore>,
    key: SecretKey,
    uploads: Arc<Semaphore>,
    opened: Cache<(Ticket, bool), Arc<OpenMediaResponse>>,
}

impl Ticket {
    /// Calls on behalf of whom it was made for.
    #[must_use]
    pub fn out(&self, credential: &Credential) -> Outgoing {
        self.session.map_or_else(|| Outgoing::service(credential), |session| Outgoing::session(credential, session))
    }

    fn content(&self, expires: i64) -> Vec<u8> {
        let (user_id, session_id) =
            self.session.map_or((Uuid::nil(), Uuid::nil()), |named| (named.user_id.get(), named.session_id.get()));
        let mut content = vec![u8::from(self.session.is_some())];
        for id in [user_id, session_id, self.media] {
            content.extend_from_slice(id.as_bytes());
        }
        content.extend_from_slice(&expires.to_be_bytes());
        content.extend_from_slice(self.lesson_id.as_bytes());
        content
    }
}

impl Media {
    /// The files of this store, with links signed by this key.
    #[must_use]
    pub fn new(store: Arc<dyn ObjectStore>, key: SecretKey) -> Self {
        let opened = Cache::builder().max_capacity(ACCESSES).time_to_live(ACCESS_LIFE).build();
        Self { store, key, uploads: Arc::new(Semaphore::new(UPLOADS)), opened }
    }

    /// The link to a file, by the name that stands for its part.
    #[must_use]
    pub fn link(&self, ticket: &Ticket, name: &str, now: OffsetDateTime) -> String {
        format!("/v1/course-media/{}/{name}", self.sign(ticket, now))
    }

    fn sign(&self, ticket: &Ticket, now: OffsetDateTime) -> String {
        let mut content = ticket.content((now + TICKET_LIFE).unix_timestamp());
        let mac = self.key.mac(&[PURPOSE, &content]);
        content.extend_from_slice(&mac);
        URL_SAFE_NO_PAD.encode(content)
    }

    /// The content of a ticket that is one of ours and has not expired; 404 otherwise.
    pub fn ticket(&self, text: &str, now: OffsetDateTime) -> Result<Ticket, ApiError> {
        self.verify(text, now).ok_or_else(ApiError::not_found)
    }

    fn verify(&self, text: &str, now: OffsetDateTime) -> Option<Ticket> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (content, mac) = bytes.split_at_checked(bytes.len().checked_sub(MAC)?)?;
        if !self.key.verify(&[PURPOSE, content], mac) {
            return None;
        }
        let (head, lesson) = content.split_at_checked(HEAD)?;
        let id = |begin: usize| Uuid::from_slice(head.get(begin..begin + 16)?).ok();
        let expires = i64::from_be_bytes(head.get(49..57)?.try_into().ok()?);
        let named = Named { user_id: id(1)?.into(), session_id: id(17)?.into() };
        let lesson_id = String::from_utf8(lesson.to_vec()).ok()?;
        let ticket = Ticket { session: (head[0] == 1).then_some(named), lesson_id, media: id(33)? };
        (now.unix_timestamp() <= expires).then_some(ticket)
    }

    /// Where the file of a ticket is stored, if the user it was made for still has access. With `streams` it counts as a
    /// stream of the member. A session that has ended is 404: its links are dead.
    pub async fn open(
        &self,
        clients: &Clients,
        credential: &Credential,
        ticket: &Ticket,
        streams: bool,
    ) -> Result<Arc<OpenMediaResponse>, ApiError> {
        let ask = async {
            let (lesson_id, media_id) = (ticket.lesson_id.clone(), ticket.media.to_string());
            let message = OpenMediaRequest { lesson_id, media_id, streams };
            call_retrying!(clients.course, open_media, ticket.out(credential), message)
                .map(|answer| Arc::new(answer.into_inner()))
        };
        self.opened.try_get_with((ticket.clone(), streams), ask).await.map_err(|error| hide_session((*error).clone()))
    }

    /// Reads a file from a folder of the store, or a range of it.
    pub async fn read(&self, folder: &str, name: &str, range: Option<GetRange>) -> Result<Read, ApiError> {
        files::read(&*self.store, &format!("{folder}/{name}"), range).await
    }

    /// A text from a folder of the store.
    pub async fn read_text(&self, folder: &str, name: &str) -> Result<String, ApiError> {
        let bytes = self.read(folder, name, None).await?.all().await?;
        String::from_utf8(bytes).map_err(ApiError::internal)
    }

    /// A place for an upload. Responds with 429 if there are too many.
    pub fn upload(&self) -> Result<OwnedSemaphorePermit, ApiError> {
        let busy = |_| ApiError::of_status(StatusCode::TOO_MANY_REQUESTS).retry_after(Duration::from_secs(5));
        Arc::clone(&self.uploads).try_acquire_owned().map_err(busy)
    }

    /// Stores a chunk of an upload.
    pub async fn put(&self, folder: &str, chunk: Uuid, bytes: Bytes) -> Result<(), ApiError> {
        let path = Path::from(format!("{folder}/{}", chunk.simple()));
        self.store.put(&path, PutPayload::from(bytes)).await.map_err(files::unavailable)?;
        Ok(())
    }

    /// Deletes a chunk that is no part of an upload. What stays goes with the upload.
    pub async fn discard(&self, folder: &str, chunk: Uuid) {
        if let Err(error) = self.store.delete(&Path::from(format!("{folder}/{}", chunk.simple()))).await {
            tracing::warn!(%error, "a chunk without an upload stays in the store");
        }
    }
}

/// A link whose session has ended is unknown, as one that was changed.
pub fn hide_session(error: ApiError) -> ApiError {
    if error.status() == StatusCode::UNAUTHORIZED { ApiError::not_found() } else { error }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use chassis::identity::Named;
    use chassis::keys::SecretKey;
    use object_store::memory::InMemory;
    use time::macros::datetime;
    use time::{Duration, OffsetDateTime};
    use uuid::Uuid;

    use super::{Media, Ticket};

    const NOW: OffsetDateTime = datetime!(2026-11-24 12:00 UTC);

    fn media() -> Media {
        let realm = chassis::testing::Realm::new();
        Media::new(Arc::new(InMemory::new()), SecretKey::read(&realm.folder().join("link.key")).unwrap())
    }

    /// [D-C7] A ticket says what it was made for, for six hours; one that was changed says nothing.
    #[tokio::test]
    async fn tickets_are_signed() {
        let media = media();
        let named = Named { user_id: Uuid::from_u128(1).into(), session_id: Uuid::from_u128(2).into() };
        for session in [Some(named), None] {
            let ticket = Ticket { session, lesson_id: "one".to_owned(), media: Uuid::from_u128(3) };
            let text = media.sign(&ticket, NOW);
            assert_eq!(media.verify(&text, NOW + Duration::hours(6)), Some(ticket));
            assert_eq!(media.verify(&text, NOW + Duration::hours(6) + Duration::SECOND), None);
            for place in 0..text.len() {
                let mut other = text.clone().into_bytes();
                other[place] = if other[place] == b'A' { b'B' } else { b'A' };
                assert_eq!(media.verify(&String::from_utf8(other).unwrap(), NOW), None, "{place}");
            }
            assert_eq!(media.verify(&text[..40], NOW), None);
        }
        assert_eq!(media.verify("", NOW), None);
    }
}
