//! Uploaded files: data URLs checked and stored under random keys, and the links by which they are read (D-P2, D-L6).

pub(crate) mod format;

mod pdf;
mod upload;

use std::io;
use std::ops::Range;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use chassis::keys::{self, SecretKey};
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt, future};
use object_store::path::Path;
use object_store::{GetOptions, GetRange, ObjectStore, ObjectStoreExt, PutPayload};
use time::{Duration, OffsetDateTime};

use self::format::Kind;
pub use self::format::Purpose;
use self::upload::{Upload, sha256};
use crate::http::convert::non_empty;
use crate::http::error::ApiError;
use crate::http::large;
use crate::storage::pictures::Pictures;

/// Life of a link to a private file.
const LINK_LIFE: Duration = Duration::minutes(15);

/// A file that passed its checks, with the key that it will have in the store.
pub struct Checked {
    pub stored: Stored,
    bytes: Bytes,
}

impl Checked {
    /// Its size in bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Always false, because a file has content.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
}

/// A file that was stored.
#[derive(Debug, Clone)]
pub struct Stored {
    pub key: String,
    /// The media type that it is served with.
    pub content_type: &'static str,
    /// SHA-256 of the upload.
    pub digest: Vec<u8>,
    /// SHA-256 of what is stored.
    pub stored_digest: Vec<u8>,
}

/// The object store and the key of its links.
pub struct Files {
    store: Arc<dyn ObjectStore>,
    links: SecretKey,
    pictures: Pictures,
}

/// A file from the store, or a range of it.
pub struct Read {
    pub chunks: BoxStream<'static, object_store::Result<Bytes>>,
    /// The range of bytes that the chunks contain.
    pub range: Range<u64>,
    /// The size of the whole file in bytes.
    pub size: u64,
}

impl Read {
    /// The whole content, for small files.
    pub async fn all(self) -> Result<Vec<u8>, ApiError> {
        let chunks = self.chunks.try_collect::<Vec<_>>().await.map_err(unavailable)?;
        Ok(chunks.concat())
    }
}

/// Reads an object of a store, or a range of it. Responds with 404 for an unknown key and 416 for a range that is outside
/// of it.
pub async fn read(store: &dyn ObjectStore, key: &str, range: Option<GetRange>) -> Result<Read, ApiError> {
    let path = Path::parse(key).map_err(|_| ApiError::not_found())?;
    let has_range = range.is_some();
    match store.get_opts(&path, GetOptions { range, ..GetOptions::default() }).await {
        Ok(found) => Ok(Read { range: found.range.clone(), size: found.meta.size, chunks: found.into_stream() }),
        Err(object_store::Error::NotFound { .. }) => Err(ApiError::not_found()),
        Err(object_store::Error::Generic { .. }) if has_range => {
            Err(ApiError::of_status(http::StatusCode::RANGE_NOT_SATISFIABLE))
        }
        Err(error) => Err(unavailable(error)),
    }
}

impl Files {
    /// Wraps an object store.
    ///
    /// # Errors
    /// When the threads that decode pictures cannot be started.
    pub fn new(store: Arc<dyn ObjectStore>, links: SecretKey) -> io::Result<Self> {
        Ok(Self { store, links, pictures: Pictures::new()? })
    }

    /// Checks a data URL and stores its content. Fails like [`Self::check`] and [`Self::keep`].
    pub async fn store(&self, field: &str, data_url: String, purpose: Purpose) -> Result<Stored, ApiError> {
        self.keep(self.check(field, data_url, purpose).await?).await
    }

    /// Checks a data URL and re-encodes pictures. The errors are 413 above 5 MiB, 415 for a kind of file that the
    /// purpose does not take or that differs from the declared one, and 422 for text that is not a data URL.
    pub async fn check(&self, field: &str, data_url: String, purpose: Purpose) -> Result<Checked, ApiError> {
        let (field, length) = (field.to_owned(), data_url.len());
        // The text is dropped when it is read: it is a third more than the file, which may wait for other decodings.
        let read = move || Upload::read(&field, &data_url, purpose);
        let upload = large::work(length, read).await??;
        let (bytes, kind) = match upload.kind {
            Kind::Pdf | Kind::Gif => (upload.bytes, upload.kind),
            _ => self.pictures.rewrite(upload.bytes, upload.kind, purpose).await?,
        };
        let name = hex::encode(keys::random::<16>().map_err(ApiError::internal)?);
        let key = format!("{}/{name}.{}", purpose.folder(), kind.extension());
        let stored_digest = sha256(&bytes);
        let stored = Stored { key, content_type: kind.content_type(), digest: upload.digest, stored_digest };
        Ok(Checked { stored, bytes: bytes.into() })
    }

    /// Stores a file under its key. Responds with 503 if the store does not answer.
    pub async fn keep(&self, file: Checked) -> Result<Stored, ApiError> {
        let path = Path::from(file.stored.key.as_str());
        self.store.put(&path, PutPayload::from(file.bytes)).await.map_err(unavailable)?;
        chassis::crash_point!("gateway.files.after_put");
        Ok(file.stored)
    }

    /// What stands for the content of a document of ours: nobody else can compute it.
    #[must_use]
    pub fn seal(&self, kind: &str, content: &[u8]) -> [u8; 32] {
        self.links.mac(&[b"document", kind.as_bytes(), content])
    }

    /// Stores a file of our own making under this key. Responds with 503 if the store does not answer.
    pub async fn put(&self, key: &str, bytes: Vec<u8>) -> Result<(), ApiError> {
        self.store.put(&Path::from(key), PutPayload::from(bytes)).await.map(drop).map_err(unavailable)
    }

    /// The keys of all files of a purpose that have not been written since.
    pub fn unchanged_since(
        &self,
        purpose: Purpose,
        moment: OffsetDateTime,
    ) -> BoxStream<'static, object_store::Result<String>> {
        let files = self.store.list(Some(&Path::from(purpose.folder())));
        let old = files.try_filter_map(move |file| {
            let is_old = file.last_modified.timestamp() < moment.unix_timestamp();
            future::ready(Ok(is_old.then(|| file.location.to_string())))
        });
        old.boxed()
    }

    /// Reads a file by its key, or a range of it. Responds with 404 for an unknown key and 416 for a range that is
    /// outside the file.
    pub async fn read(&self, key: &str, range: Option<GetRange>) -> Result<Read, ApiError> {
        read(&*self.store, key, range).await
    }

    /// The media type of a file, by its key. Responds with 404 for an unknown kind.
    pub fn content_type(key: &str) -> Result<&'static str, ApiError> {
        let kind = key.rsplit('.').next().and_then(Kind::by_extension);
        kind.map(Kind::content_type).ok_or_else(ApiError::not_found)
    }

    /// Removes a file that nothing refers to, if there was one: its key is empty if not. What cannot be removed now goes with the
    /// next sweep.
    pub async fn discard(&self, key: &str) {
        if !key.is_empty()
            && let Err(error) = self.remove(key).await
        {
            tracing::warn!(%error, "a file without owner stays in the store");
        }
    }

    /// Removes a file, if it exists.
    pub async fn remove(&self, key: &str) -> object_store::Result<()> {
        match self.store.delete(&Path::from(key)).await {
            Err(object_store::Error::NotFound { .. }) => Ok(()),
            done => done,
        }
    }

    /// The link to a photo or a method's picture: its key cannot be guessed, and it never changes.
    #[must_use]
    pub fn public_link(key: &str) -> Option<String> {
        non_empty(key).map(|key| format!("/v1/files/{key}"))
    }

    /// The link to a receipt or another private file of this owner, for 15 minutes.
    #[must_use]
    pub fn private_link(&self, key: &str, owner: &str, now: OffsetDateTime) -> String {
        let expires = (now + LINK_LIFE).unix_timestamp().to_string();
        let mac = self.links.mac(&[b"receipt", key.as_bytes(), owner.as_bytes(), expires.as_bytes()]);
        format!("/v1/files/{key}?owner={owner}&expires={expires}&signature={}", URL_SAFE_NO_PAD.encode(mac))
    }

    /// Whether a link is one of ours and still lives.
    #[must_use]
    pub fn verify_link(&self, key: &str, owner: &str, expires: &str, signature: &str, now: OffsetDateTime) -> bool {
        let in_time = expires.parse::<i64>().is_ok_and(|end| now.unix_timestamp() <= end);
        let Ok(mac) = URL_SAFE_NO_PAD.decode(signature) else { return false };
        in_time && self.links.verify(&[b"receipt", key.as_bytes(), owner.as_bytes(), expires.as_bytes()], &mac)
    }
}

/// 503, because the store does not answer.
pub fn unavailable(error: object_store::Error) -> ApiError {
    tracing::error!(%error, "the object store does not answer");
    ApiError::of_status(http::StatusCode::SERVICE_UNAVAILABLE)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;
    use std::sync::Arc;

    use axum::http::StatusCode;
    use axum::response::IntoResponse;
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use chassis::keys::SecretKey;
    use futures::TryStreamExt;
    use image::{DynamicImage, ImageFormat, Rgba, RgbaImage};
    use object_store::GetRange;
    use object_store::memory::InMemory;
    use time::{Duration, OffsetDateTime};

    use super::{Files, Purpose, Read};

    fn files() -> Files {
        let realm = chassis::testing::Realm::new();
        Files::new(Arc::new(InMemory::new()), SecretKey::read(&realm.folder().join("link.key")).unwrap()).unwrap()
    }

    fn png(width: u32, height: u32) -> Vec<u8> {
        let mut out = Cursor::new(Vec::new());
        DynamicImage::new_rgb8(width, height).write_to(&mut out, ImageFormat::Png).unwrap();
        out.into_inner()
    }

    fn data_url(kind: &str, bytes: &[u8]) -> String {
        format!("data:{kind};base64,{}", STANDARD.encode(bytes))
    }

    async fn refused(purpose: Purpose, url: &str) -> StatusCode {
        files().store("receipt", url.to_owned(), purpose).await.unwrap_err().into_response().status()
    }

    /// [ASVS 11.5.1] All 128 bits of a name are random: each takes both values.
    #[tokio::test]
    async fn names_cannot_be_guessed() {
        let files = files();
        let (mut ones, mut zeros) = (0, 0);
        for _ in 0..64 {
            let url = data_url("image/png", &png(1, 1));
            let stored = files.check("image", url, Purpose::Photo).await.unwrap().stored;
            let name = stored.key.split(['/', '.']).nth(1).unwrap();
            assert_eq!(name.len(), 32);
            let bits = u128::from_str_radix(name, 16).unwrap();
            (ones, zeros) = (ones | bits, zeros | !bits);
        }
        assert_eq!((ones, zeros), (u128::MAX, u128::MAX));
    }

    /// [D-P2] A small file that would take much memory to decode is refused.
    #[tokio::test]
    async fn refuses_a_decompression_bomb() {
        let status = refused(Purpose::Photo, &data_url("image/png", &png(8_000, 8_000))).await;
        assert_eq!(status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    }

    async fn bytes(read: Read) -> Vec<u8> {
        read.chunks.try_collect::<Vec<_>>().await.unwrap().concat()
    }

    /// [D-V2] Two alternating rows compress to almost nothing; decoded they take 128 MB.
    #[tokio::test]
    async fn refuses_a_picture_beyond_the_budget() {
        let rows = DynamicImage::from(RgbaImage::from_fn(4_000, 8_000, |_, y| Rgba([u8::from(y % 2 == 0), 7, 9, 128])));
        let mut out = Cursor::new(Vec::new());
        rows.write_to(&mut out, ImageFormat::Png).unwrap();
        let status = refused(Purpose::Receipt, &data_url("image/png", out.get_ref())).await;
        assert_eq!(status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    }

    /// [D-V2] A receipt is stored without transparency, as it looks on white paper.
    #[tokio::test]
    async fn receipts_lose_their_transparency() {
        let files = files();
        let mut out = Cursor::new(Vec::new());
        DynamicImage::from(RgbaImage::from_pixel(20, 10, Rgba([0, 0, 0, 0])))
            .write_to(&mut out, ImageFormat::Png)
            .unwrap();
        let url = data_url("image/png", out.get_ref());
        let stored = files.store("receipt", url, Purpose::Receipt).await.unwrap();
        assert_eq!(stored.content_type, "image/jpeg");
        let picture = image::load_from_memory(&bytes(files.read(&stored.key, None).await.unwrap()).await).unwrap();
        assert!(picture.into_rgb8().pixels().all(|pixel| pixel.0.iter().all(|channel| *channel > 250)));
    }

    /// [D-P2] [D-V2] A refusal says what is wrong with the file, and what to do about it.
    #[tokio::test]
    async fn a_refused_file_is_told_why() {
        let damaged = &png(200, 200)[..60];
        let locked = b"%PDF-1.7 trailer << /Encrypt << /Filter /Adobe.PubSec >> >>";
        for (kind, bytes, part) in [
            (
                "image/heic",
                &b"\0\0\0\x18ftypheic\0\0\0\0mif1heic"[..],
                "Please upload a PNG, JPEG, WebP, GIF or PDF file.",
            ),
            ("application/octet-stream", b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "Please upload a PNG"),
            ("image/jpeg", &png(2, 2), "of another kind than its name says"),
            ("image/png", &png(8_000, 8_000), "The picture has too many pixels."),
            ("image/png", damaged, "The picture is damaged or incomplete."),
            ("application/pdf", locked, "only be opened with a password"),
            ("application/pdf", &[b'x'; 5 * 1024 * 1024 + 1], "The file is larger than 5 MB."),
        ] {
            let error = files().store("receipt", data_url(kind, bytes), Purpose::Receipt).await.unwrap_err();
            assert!(error.message().contains(part), "{kind}: {}", error.message());
        }
    }

    /// [D-V2] A part of a file is read alone.
    #[tokio::test]
    async fn ranges_are_read_alone() {
        let files = files();
        let pdf = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n0123456789";
        let stored = files.store("receipt", data_url("application/pdf", pdf), Purpose::Receipt).await.unwrap();
        let read = files.read(&stored.key, Some(GetRange::Bounded(0..5))).await.unwrap();
        assert_eq!((read.range.clone(), read.size), (0..5, pdf.len() as u64));
        assert_eq!(bytes(read).await, b"%PDF-");
        assert_eq!(bytes(files.read(&stored.key, Some(GetRange::Suffix(2))).await.unwrap()).await, b"89");
        let outside = files.read(&stored.key, Some(GetRange::Offset(1_000))).await.err().unwrap();
        assert_eq!(outside.into_response().status(), StatusCode::RANGE_NOT_SATISFIABLE);
    }

    /// [D-P2] Photos are re-encoded at 512 px or less.
    #[tokio::test]
    async fn photos_are_written_anew() {
        let files = files();
        let stored = files.store("image", data_url("image/png", &png(1_600, 800)), Purpose::Photo).await.unwrap();
        let read = files.read(&stored.key, None).await.unwrap();
        let content_type = Files::content_type(&stored.key).unwrap();
        let picture = image::load_from_memory(&bytes(read).await).unwrap();
        assert_eq!((picture.width(), picture.height()), (512, 256));
        assert_eq!(content_type, "image/jpeg");
    }

    /// [D-P2] A photo that says how the camera was held is turned upright, since what says so is not kept.
    #[tokio::test]
    async fn photos_stand_upright() {
        let files = files();
        let mut jpeg = Cursor::new(Vec::new());
        DynamicImage::new_rgb8(40, 20).write_to(&mut jpeg, ImageFormat::Jpeg).unwrap();
        // EXIF in the byte order of Intel: one entry, orientation (0x0112), a short, one of them, 6: a quarter turn.
        let exif = b"\xff\xe1\x00\x22Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";
        let turned = [&jpeg.get_ref()[..2], exif, &jpeg.get_ref()[2..]].concat();
        for purpose in [Purpose::Photo, Purpose::Receipt] {
            let stored = files.store("image", data_url("image/jpeg", &turned), purpose).await.unwrap();
            let picture = image::load_from_memory(&bytes(files.read(&stored.key, None).await.unwrap()).await).unwrap();
            assert_eq!((picture.width(), picture.height()), (20, 40));
        }
    }

    /// [D-L6] A link counts for its file, its owner and its time only.
    #[test]
    fn links_are_bound_to_file_owner_and_time() {
        let files = files();
        let now = OffsetDateTime::now_utc();
        let link = files.private_link("receipts/a.png", "me", now);
        let query: Vec<_> =
            link.split(['?', '&']).skip(1).filter_map(|part| part.split_once('=')).map(|(_, v)| v).collect();
        let [owner, expires, signature] = query[..] else { panic!("{link}") };
        let check = |key, owner, expires, at| files.verify_link(key, owner, expires, signature, at);
        assert!(check("receipts/a.png", owner, expires, now + Duration::minutes(14)));
        assert!(!check("receipts/a.png", owner, expires, now + Duration::minutes(16)));
        assert!(!check("receipts/b.png", owner, expires, now));
        assert!(!check("receipts/a.png", "you", expires, now));
        assert!(!check("receipts/a.png", owner, "99999999999", now));
    }
}
