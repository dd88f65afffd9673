//! Uploads, captions, and who may open a file.

use std::path::Path;
use std::sync::Arc;

use chassis::hex::to_hex;
use chassis::identity::Role;
use chassis::testing::{assert_permitted, with_token};
use course::app::process_media::Worker;
use course::app::sweep_media::{retire_media, sweep_media, sweep_objects};
use course::domain::media::MOST_OWN_UPLOADS;
use course::objects::Objects;
use course::transcoder::{Place, Sandbox, Transcoder};
use object_store::ObjectStoreExt;
use object_store::local::LocalFileSystem;
use object_store::path::Path as Key;
use proto::course::v1::course_service_server::CourseService;
use proto::course::v1::media_service_server::MediaService;
use proto::course::v1::staff_service_server::StaffService;
use proto::course::v1::*;
use sha2::{Digest, Sha256};
use sqlx::PgPool;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use tonic::Status;
use uuid::Uuid;

use crate::fixture::{Member, PREVIEW, SOLD, World, code};

/// A world with a store and a worker.
pub struct Studio {
    pub world: World,
    pub manager: String,
    pub store: TempDir,
    pub worker: Worker,
    /// Where the worker works.
    pub workplace: TempDir,
    pub shutdown: CancellationToken,
}

impl Studio {
    pub async fn new(pool: PgPool) -> Self {
        let world = World::new(pool).await;
        let (store, workplace, shutdown) =
            (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), CancellationToken::new());
        let worker = Worker {
            db: world.db.clone(),
            objects: Objects::new(Arc::new(LocalFileSystem::new_with_prefix(store.path()).unwrap())),
            transcoder: Transcoder::new(Place::Here(Sandbox::new(4_096_000_000, 200_000_000).await.unwrap()), 2),
            folder: workplace.path().to_owned(),
            shutdown: shutdown.clone(),
        };
        // The programs of the worker are another user, who has to reach the folder.
        std::fs::set_permissions(workplace.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let manager = world.realm.staff(Role::Manager).1;
        Self { world, manager, store, worker, workplace, shutdown }
    }

    pub async fn create(&self, kind: MediaKind, name: &str, size: i64) -> Result<String, Status> {
        let message = CreateMediaRequest { kind: kind.into(), name: name.to_owned(), size };
        Ok(self.world.grpc.create_media(with_token(message, &self.manager)).await?.into_inner().id)
    }

    /// Stores a chunk as the gateway does, and makes it the next part.
    pub async fn append(&self, id: &str, offset: i64, bytes: &[u8]) -> Result<i64, Status> {
        let (chunk, bytes) = (Uuid::new_v4().simple().to_string(), bytes.to_owned());
        let store = LocalFileSystem::new_with_prefix(self.store.path()).unwrap();
        let folder = self.get(id).await?.1;
        let length = i64::try_from(bytes.len()).unwrap();
        store.put(&Key::from(format!("{folder}/{chunk}")), bytes.into()).await.unwrap();
        let message = AppendMediaRequest { id: id.to_owned(), offset, bytes: length, chunk };
        Ok(self.world.grpc.append_media(with_token(message, &self.manager)).await?.into_inner().offset)
    }

    pub async fn upload(&self, kind: MediaKind, name: &str, bytes: &[u8]) -> String {
        let id = self.create(kind, name, i64::try_from(bytes.len()).unwrap()).await.unwrap();
        let mut offset = 0;
        for part in bytes.chunks(300_000) {
            offset = self.append(&id, offset, part).await.unwrap();
        }
        id
    }

    pub async fn get(&self, id: &str) -> Result<(Media, String), Status> {
        let message = with_token(GetMediaRequest { id: id.to_owned() }, &self.manager);
        let answer = self.world.grpc.get_media(message).await?.into_inner();
        Ok((answer.media.unwrap(), answer.chunks_folder))
    }

    pub async fn media(&self, id: &str) -> Media {
        self.get(id).await.unwrap().0
    }

    /// A video that is ready.
    pub async fn video(&self) -> String {
        let id = self.upload(MediaKind::Video, "lesson.mp4", &film(2)).await;
        assert!(self.worker.process_next().await.unwrap());
        assert_eq!(self.media(&id).await.state(), MediaState::Ready, "{}", self.media(&id).await.reason);
        id
    }

    /// Publishes a version in which these lessons have this video.
    pub async fn publish(&self, lessons: &[&str], video: &str) -> Result<i32, Status> {
        let studio = with_token(GetStudioRequest {}, &self.manager);
        let studio = self.world.grpc.get_studio(studio).await.unwrap().into_inner();
        let mut content = studio.content.unwrap();
        for lesson in content.modules.iter_mut().flat_map(|module| &mut module.lessons) {
            if lessons.contains(&lesson.id.as_str()) {
                lesson.video = video.to_owned();
            }
        }
        let revision = studio.draft.unwrap().revision;
        let message = SaveDraftRequest { revision, content: Some(content) };
        self.world.grpc.save_draft(with_token(message, &self.manager)).await.unwrap();
        let message = PublishDraftRequest { revision: revision + 1, published: studio.published, ..Default::default() };
        Ok(self.world.grpc.publish_draft(with_token(message, &self.manager)).await?.into_inner().number)
    }

    pub async fn open(&self, member: Option<&Member>, lesson: &str, media: &str) -> Result<OpenMediaResponse, Status> {
        let (lesson_id, media_id) = (lesson.to_owned(), media.to_owned());
        let message = OpenMediaRequest { lesson_id, media_id, streams: true };
        Ok(self.world.grpc.open_media(self.world.request(message, member)).await?.into_inner())
    }

    async fn caption(&self, id: &str, language: &str, vtt: &str) -> Result<Vec<Captions>, Status> {
        let (id, language, label) = (id.to_owned(), language.to_owned(), "English".to_owned());
        let message = PutCaptionsRequest { id, language, label, vtt: vtt.to_owned(), ..Default::default() };
        Ok(self.world.grpc.put_captions(with_token(message, &self.manager)).await?.into_inner().captions)
    }

    /// The objects in the store.
    pub fn stored(&self) -> Vec<String> {
        let mut found = Vec::new();
        files(self.store.path(), &mut found);
        found
    }
}

/// The files below a folder.
pub fn files(folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            files(&entry.path(), found);
        } else {
            found.push(entry.path().display().to_string());
        }
    }
}

/// Runs ffmpeg, which writes a file; its bytes.
pub fn ffmpeg(args: &[&str], name: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let mut command = std::process::Command::new("ffmpeg");
    command.current_dir(folder.path()).args(["-v", "error", "-nostdin"]).args(args).arg(name);
    assert!(command.status().unwrap().success(), "ffmpeg {args:?}");
    std::fs::read(folder.path().join(name)).unwrap()
}

/// A film with sound, of this many seconds.
pub fn film(seconds: u32) -> Vec<u8> {
    let picture = format!("testsrc2=size=320x240:rate=10:duration={seconds}");
    let sound = format!("sine=frequency=440:duration={seconds}");
    let sources = ["-f", "lavfi", "-i", &picture, "-f", "lavfi", "-i", &sound];
    ffmpeg(&[&sources[..], &["-c:v", "libx264", "-preset", "ultrafast", "-c:a", "aac"]].concat(), "film.mp4")
}

/// [D-C5] An upload grows chunk by chunk, each at its place and once, and is queued with its last byte.
#[sqlx::test(migrations = false)]
async fn an_upload_grows_chunk_by_chunk(pool: PgPool) {
    let mut studio = Studio::new(pool).await;
    for (kind, name, size, reason) in [
        (MediaKind::Unspecified, "a.mp4", 10, "VALIDATION_FAILED"),
        (MediaKind::Video, "a/b.mp4", 10, "VALIDATION_FAILED"),
        (MediaKind::Video, "a.mp4", 0, "VALIDATION_FAILED"),
        (MediaKind::Video, "a.mp4", 20_000_001, "PAYLOAD_TOO_LARGE"),
        (MediaKind::Attachment, "a.pdf", 1_000_001, "PAYLOAD_TOO_LARGE"),
    ] {
        assert_eq!(code(studio.create(kind, name, size).await), reason, "{name} {size}");
    }
    let id = studio.create(MediaKind::Attachment, "a.pdf", 10).await.unwrap();
    assert_eq!(studio.append(&id, 0, b"%PDF-").await.unwrap(), 5);
    assert_eq!(code(studio.append(&id, 0, b"%PDF-").await), "UPLOAD_OFFSET_MISMATCH");
    assert_eq!(code(studio.append(&id, 5, b"123456").await), "PAYLOAD_TOO_LARGE");
    assert_eq!(code(studio.append(&Uuid::new_v4().to_string(), 0, b"x").await), "NOT_FOUND");
    assert_eq!((studio.media(&id).await.offset, studio.media(&id).await.state()), (5, MediaState::Uploading));
    assert_eq!(studio.append(&id, 5, b"1.7\n\n").await.unwrap(), 10);
    assert_eq!(studio.media(&id).await.state(), MediaState::Queued);
    assert_eq!(code(studio.append(&id, 10, b"x").await), "UPLOAD_OFFSET_MISMATCH");
    assert!(studio.worker.process_next().await.unwrap());
    let media = studio.media(&id).await;
    assert_eq!((media.state(), media.content_type.as_str()), (MediaState::Ready, "application/pdf"));
    for number in 0..20 {
        if number % MOST_OWN_UPLOADS == 0 {
            studio.manager = studio.world.realm.staff(Role::Manager).1;
        }
        studio.create(MediaKind::Video, "a.mp4", 10).await.unwrap();
    }
    assert_eq!(code(studio.create(MediaKind::Video, "a.mp4", 10).await), "TOO_MANY_UPLOADS");
}

/// [D-C5] [D-C7] A film becomes a video in the lesson; members with access open it, others and other sessions do not, and a
/// refund ends it at once.
#[sqlx::test(migrations = false)]
async fn members_with_access_open_a_video(pool: PgPool) {
    let studio = Studio::new(pool).await;
    let video = studio.video().await;
    let (member, buyer) = (studio.world.member(), studio.world.buyer());
    assert_eq!(code(studio.open(Some(&buyer), SOLD, &video).await), "NOT_FOUND", "not published yet");
    assert_eq!(studio.publish(&[SOLD, PREVIEW], &video).await.unwrap(), 2);
    let lesson = studio.world.lesson(Some(&buyer), SOLD).await.unwrap();
    let found = lesson.video.unwrap();
    assert_eq!((found.media_id.as_str(), found.width, found.height), (video.as_str(), 320, 240));
    assert!((1_900..2_200).contains(&found.duration_ms), "{}", found.duration_ms);
    let preview = found.preview.unwrap();
    assert_eq!((preview.interval_seconds, preview.rows, preview.height), (1, 1, 90));
    let opened = studio.open(Some(&buyer), SOLD, &video).await.unwrap();
    for name in ["master.m3u8", "360p.m3u8", "360p-init.mp4", "360p-00000.m4s", "poster.jpg", "preview.jpg"] {
        assert!(studio.store.path().join(&opened.folder).join(name).is_file(), "{name}");
    }
    let master = std::fs::read_to_string(studio.store.path().join(&opened.folder).join("master.m3u8")).unwrap();
    assert!(master.contains("\n360p.m3u8") && master.contains("avc1") && master.contains("mp4a"), "{master}");
    assert_eq!(code(studio.open(Some(&member), SOLD, &video).await), "PERMISSION_DENIED");
    assert_eq!(code(studio.open(None, SOLD, &video).await), "UNAUTHENTICATED");
    assert!(studio.open(None, PREVIEW, &video).await.is_ok());
    assert_eq!(code(studio.open(Some(&buyer), "usage-rights", &video).await), "NOT_FOUND");
    assert!(studio.open(Some(&Member { id: Uuid::nil(), token: studio.manager.clone() }), "", &video).await.is_ok());
    assert_eq!(code(studio.open(Some(&buyer), "", &video).await), "PERMISSION_DENIED");
    studio.world.wallet.refund(buyer.id);
    assert_eq!(code(studio.open(Some(&buyer), SOLD, &video).await), "PERMISSION_DENIED");
    assert_eq!(code(studio.publish(&[SOLD], &Uuid::new_v4().to_string()).await), "VALIDATION_FAILED");
    let remove = with_token(RemoveMediaRequest { id: video, ..Default::default() }, &studio.manager);
    assert_eq!(code(studio.world.grpc.remove_media(remove).await), "MEDIA_IN_USE");
}

/// [D-C7] [D-R18] A member watches three videos at once. The fourth waits until one has ended.
#[sqlx::test(migrations = false)]
async fn a_fourth_stream_is_refused(pool: PgPool) {
    let studio = Studio::new(pool.clone()).await;
    let video = studio.video().await;
    let buyer = studio.world.buyer();
    let all: Vec<_> = studio.world.lessons(Some(&buyer)).await.into_iter().map(|lesson| lesson.id).collect();
    let names: Vec<_> = all.iter().map(String::as_str).collect();
    studio.publish(&names, &video).await.unwrap();
    for lesson in &names[..3] {
        for _ in 0..2 {
            assert!(studio.open(Some(&buyer), lesson, &video).await.is_ok());
        }
    }
    let refused = studio.open(Some(&buyer), names[3], &video).await;
    assert_eq!(code(refused), "TOO_MANY_STREAMS");
    assert!(studio.open(Some(&studio.world.buyer()), names[3], &video).await.is_ok());
    let picture = OpenMediaRequest { lesson_id: names[3].to_owned(), media_id: video.clone(), streams: false };
    assert!(studio.world.grpc.open_media(studio.world.request(picture, Some(&buyer))).await.is_ok());
    let ended = "UPDATE streams SET seen_at = seen_at - interval '21 seconds' WHERE user_id = $1 AND lesson_id = $2";
    sqlx::query(ended).bind(buyer.id).bind(names[0]).execute(&pool).await.unwrap();
    assert!(studio.open(Some(&buyer), names[3], &video).await.is_ok());
    assert_eq!(code(studio.open(Some(&buyer), names[0], &video).await), "TOO_MANY_STREAMS");
}

/// [D-C5] [F12b] Captions are read from WebVTT and SRT alike, and are there for anyone who may watch.
#[sqlx::test(migrations = false)]
async fn captions_follow_their_video(pool: PgPool) {
    let studio = Studio::new(pool.clone()).await;
    let video = studio.video().await;
    let srt = "1\r\n00:00:00,000 --> 00:00:01,500\r\nHello\r\n";
    let vtt = "WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nHello\n";
    assert_eq!(code(studio.caption(&video, "english!", vtt).await), "VALIDATION_FAILED");
    assert_eq!(code(studio.caption(&video, "en", "WEBVTT\n\nSTYLE\n::cue{}\n").await), "VALIDATION_FAILED");
    assert_eq!(code(studio.caption(&Uuid::new_v4().to_string(), "en", vtt).await), "NOT_FOUND");
    studio.caption(&video, "en", srt).await.unwrap();
    assert_eq!(studio.caption(&video, "de", vtt).await.unwrap().len(), 2);
    studio.publish(&[SOLD], &video).await.unwrap();
    let buyer = studio.world.buyer();
    let captions = studio.world.lesson(Some(&buyer), SOLD).await.unwrap().video.unwrap().captions;
    assert_eq!(captions.iter().map(|one| one.language.as_str()).collect::<Vec<_>>(), ["de", "en"]);
    let read = async |member: Option<&Member>, language: &str| {
        let (lesson_id, media_id) = (SOLD.to_owned(), video.clone());
        let message = GetCaptionsRequest { lesson_id, media_id, language: language.to_owned() };
        Ok::<_, Status>(studio.world.grpc.get_captions(studio.world.request(message, member)).await?.into_inner().vtt)
    };
    assert_eq!(read(Some(&buyer), "en").await.unwrap(), vtt);
    assert_eq!(code(read(Some(&buyer), "fr").await), "NOT_FOUND");
    assert_eq!(code(read(None, "en").await), "UNAUTHENTICATED");
    let message = RemoveCaptionsRequest { id: video.clone(), language: "de".to_owned(), ..Default::default() };
    let left = studio.world.grpc.remove_captions(with_token(message, &studio.manager)).await.unwrap().into_inner();
    assert_eq!(left.captions.len(), 1);
    let sums = sqlx::query_scalar::<_, Option<String>>(
        "SELECT after ->> 'sha256' FROM audit_rows WHERE action LIKE 'course.captions.%' ORDER BY id",
    );
    let sum = Some(to_hex(&Sha256::digest(vtt)));
    assert_eq!(sums.fetch_all(&pool).await.unwrap(), [sum.clone(), sum, None], "the text, the same text, none");
}

/// [D-C5] One manager's uploads leave room for those of others.
#[sqlx::test(migrations = false)]
async fn a_manager_has_a_share_of_the_uploads(pool: PgPool) {
    let mut studio = Studio::new(pool).await;
    let mut begun = Vec::new();
    for _ in 0..MOST_OWN_UPLOADS {
        begun.push(studio.create(MediaKind::Attachment, "a.pdf", 10).await.unwrap());
    }
    assert_eq!(code(studio.create(MediaKind::Attachment, "a.pdf", 10).await), "TOO_MANY_UPLOADS");
    let first = std::mem::replace(&mut studio.manager, studio.world.realm.staff(Role::Manager).1);
    studio.create(MediaKind::Attachment, "b.pdf", 10).await.unwrap();
    studio.manager = first;
    let message = RemoveMediaRequest { id: begun.swap_remove(0), ..Default::default() };
    studio.world.grpc.remove_media(with_token(message, &studio.manager)).await.unwrap();
    studio.create(MediaKind::Attachment, "a.pdf", 10).await.unwrap();
}

/// [D-V3] [D-H5] What nobody needs goes, with everything in the store: uploads that rest, files that are removed or in no
/// version, sources whose time is over, and objects without a row.
#[sqlx::test(migrations = false)]
async fn what_nobody_needs_goes(pool: PgPool) {
    let studio = Studio::new(pool.clone()).await;
    let used = studio.video().await;
    studio.publish(&[SOLD], &used).await.unwrap();
    let resting = studio.create(MediaKind::Video, "a.mp4", 10).await.unwrap();
    studio.append(&resting, 0, b"abc").await.unwrap();
    let removed = studio.upload(MediaKind::Attachment, "a.pdf", b"%PDF-1.7").await;
    let remove = with_token(RemoveMediaRequest { id: removed.clone(), ..Default::default() }, &studio.manager);
    studio.world.grpc.remove_media(remove).await.unwrap();
    assert_eq!(code(studio.get(&removed).await), "NOT_FOUND");
    let orphan = studio.store.path().join(format!("course/{}/upload", Uuid::new_v4().simple()));
    std::fs::create_dir_all(&orphan).unwrap();
    std::fs::write(orphan.join("x"), "x").unwrap();
    let (db, objects) = (&studio.world.db, &studio.worker.objects);
    assert_eq!(sweep_media(db, objects, 14).await.unwrap(), 1);
    assert_eq!(sweep_objects(db, objects).await.unwrap(), 1);
    let age = "UPDATE media SET changed_at = changed_at - interval '15 days'";
    sqlx::query(age).execute(&pool).await.unwrap();
    assert_eq!(retire_media(db).await.unwrap(), 1);
    // The upload that rests, and the source of the video.
    assert_eq!(sweep_media(db, objects, 14).await.unwrap(), 2);
    assert_eq!(sweep_media(db, objects, 14).await.unwrap(), 0);
    assert_eq!(code(studio.get(&resting).await), "NOT_FOUND");
    let buyer = studio.world.buyer();
    let folder = studio.open(Some(&buyer), SOLD, &used).await.unwrap().folder;
    let stored = studio.stored();
    assert!(!stored.is_empty() && stored.iter().all(|name| name.contains(&folder)), "{stored:?}");
    let age = "UPDATE media SET changed_at = changed_at - interval '31 days'";
    sqlx::query(age).execute(&pool).await.unwrap();
    assert_eq!(retire_media(db).await.unwrap(), 0, "a lesson has it");
}

/// [D-H5] What a program leaves as its result is no way to what the worker alone may read.
#[sqlx::test(migrations = false)]
async fn a_result_that_is_no_file_is_not_stored(pool: PgPool) {
    let studio = Studio::new(pool).await;
    let results = tempfile::tempdir().unwrap();
    std::fs::write(results.path().join("master.m3u8"), "#EXTM3U").unwrap();
    studio.worker.objects.put_all("course/a/b", results.path()).await.unwrap();
    std::os::unix::fs::symlink("/proc/self/environ", results.path().join("360p.m3u8")).unwrap();
    studio.worker.objects.put_all("course/a/b", results.path()).await.unwrap_err();
    let stored = studio.stored();
    assert!(stored.len() == 1 && stored[0].ends_with("/course/a/b/master.m3u8"), "{stored:?}");
}

/// [D-O1] Managers upload; everybody on the staff sees; members do not.
#[sqlx::test(migrations = false)]
async fn managers_alone_upload(pool: PgPool) {
    let studio = Studio::new(pool).await;
    let (grpc, realm) = (&studio.world.grpc, &studio.world.realm);
    let id = Uuid::new_v4().to_string();
    for role in Role::ALL.iter().copied().map(Some).chain([None]) {
        let token = role.map_or_else(|| realm.member().1, |role| realm.staff(role).1);
        let (is_staff, is_manager) = (role.is_some(), role == Some(Role::Manager));
        let append = AppendMediaRequest { id: id.clone(), chunk: id.clone(), ..Default::default() };
        let remove = RemoveMediaRequest { id: id.clone(), ..Default::default() };
        let captions = PutCaptionsRequest { id: id.clone(), ..Default::default() };
        let no_captions = RemoveCaptionsRequest { id: id.clone(), ..Default::default() };
        assert_permitted(
            role,
            [
                (is_staff, grpc.list_media(with_token(ListMediaRequest {}, &token)).await.err()),
                (is_staff, grpc.get_media(with_token(GetMediaRequest { id: id.clone() }, &token)).await.err()),
                (is_manager, grpc.create_media(with_token(CreateMediaRequest::default(), &token)).await.err()),
                (is_manager, grpc.append_media(with_token(append, &token)).await.err()),
                (is_manager, grpc.remove_media(with_token(remove, &token)).await.err()),
                (is_manager, grpc.put_captions(with_token(captions, &token)).await.err()),
                (is_manager, grpc.remove_captions(with_token(no_captions, &token)).await.err()),
            ],
        );
    }
}
