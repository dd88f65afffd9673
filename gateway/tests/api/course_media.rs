//! Videos and attachments of the course: uploads in pieces, and links that carry their authority.

use axum::body::{Body, Bytes};
use axum::http::{Method, Request, StatusCode};
use chassis::error::{Kind, Refusal};
use chassis::identity::Role;
use futures::{StreamExt, TryStreamExt, stream};
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt};
use proto::common::v1::ErrorReason;
use proto::course::v1::*;
use serde_json::Value;
use uuid::Uuid;

use crate::fixture::{Fixture, Reply, moment};

const CREATE: &str = "/solvane.course.v1.MediaService/CreateMedia";
const GET: &str = "/solvane.course.v1.MediaService/GetMedia";
const APPEND: &str = "/solvane.course.v1.MediaService/AppendMedia";
const LESSON: &str = "/solvane.course.v1.CourseService/GetLesson";
const OPEN: &str = "/solvane.course.v1.CourseService/OpenMedia";
const CAPTIONS: &str = "/solvane.course.v1.CourseService/GetCaptions";
const UPLOAD: &str = "/v1/admin/course/media/u";

impl Fixture {
    /// Course has an upload of this size, of which nothing has arrived.
    fn begin(&self, size: i64) -> String {
        let media = Media {
            id: "u".to_owned(),
            kind: MediaKind::Video.into(),
            state: MediaState::Uploading.into(),
            size,
            created_at: Some(moment()),
            ..Default::default()
        };
        self.recorder
            .answer(GET, &GetMediaResponse { media: Some(media), chunks_folder: "course/u/upload".to_owned() });
        self.realm.staff(Role::Manager).1
    }

    async fn tus(&self, method: Method, path: &str, token: &str, headers: &[(&str, &str)], body: Body) -> Reply {
        let mut request = Request::builder().method(method).uri(path).header("tus-resumable", "1.0.0");
        request = request.header("authorization", format!("Bearer {token}"));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.send(request.body(body).unwrap()).await
    }

    async fn patch(&self, token: &str, offset: &str, body: Body) -> Reply {
        let headers = [("content-type", "application/offset+octet-stream"), ("upload-offset", offset)];
        self.tus(Method::PATCH, UPLOAD, token, &headers, body).await
    }

    /// The bytes of the objects below the upload.
    async fn chunks(&self) -> Vec<u64> {
        let found: Vec<_> = self.store.list(Some(&Path::from("course/u/upload"))).try_collect().await.unwrap();
        found.into_iter().map(|object| object.size).collect()
    }

    /// A lesson with a video and an attachment, as this caller reads it.
    async fn lesson(&self, token: Option<&str>, is_member: bool) -> Value {
        let media_id = Uuid::from_u128(7).to_string();
        let captions = vec![Captions { language: "en".to_owned(), label: "English".to_owned() }];
        let video = Video { media_id: media_id.clone(), duration_ms: 61_250, captions, ..Default::default() };
        self.recorder.answer(
            LESSON,
            &GetLessonResponse {
                lesson: Some(LessonText { id: "one".to_owned(), ..Default::default() }),
                progress: None,
                video: Some(video),
                attachments: vec![Attachment { media_id, name: "Sheet".to_owned(), ..Default::default() }],
                member: is_member,
            },
        );
        let folder = "course/7/abc".to_owned();
        let opened =
            OpenMediaResponse { folder, name: "sheet ü.pdf".to_owned(), content_type: "application/pdf".to_owned() };
        self.recorder.answer(OPEN, &opened);
        self.recorder.answer(CAPTIONS, &GetCaptionsResponse { vtt: "WEBVTT\n".to_owned() });
        for (name, text) in [
            ("master.m3u8", "#EXTM3U\n360p.m3u8\n"),
            ("360p.m3u8", "#EXTM3U\n#EXT-X-MAP:URI=\"360p-init.mp4\"\n360p-00000.m4s\n"),
            ("360p-00000.m4s", "0123456789"),
            ("attachment", "%PDF-"),
        ] {
            self.store.put(&Path::from(format!("course/7/abc/{name}")), text.into()).await.unwrap();
        }
        let reply = self.call(Method::GET, "/v1/courses/lessons/one", token, "").await;
        assert_eq!(reply.status, StatusCode::OK, "{reply:?}");
        reply.json()["lesson"].clone()
    }

    async fn read(&self, link: &str, token: Option<&str>) -> Reply {
        self.call(Method::GET, link, token, "").await
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

/// [D-C5] An upload begins with its name, kind and size, by tus 1.0.
#[tokio::test]
async fn an_upload_begins_with_its_metadata() {
    let fixture = Fixture::new().await;
    let token = fixture.begin(10);
    fixture.recorder.answer(CREATE, &CreateMediaResponse { id: "u".to_owned() });
    let metadata = ("upload-metadata", "filename YS5tcDQ=,kind dmlkZW8=");
    let create = async |headers: &[(&str, &str)]| {
        fixture.tus(Method::POST, "/v1/admin/course/media", &token, headers, Body::empty()).await
    };
    let made = create(&[("upload-length", "10"), metadata]).await;
    assert_eq!((made.status, made.headers["location"].to_str().unwrap()), (StatusCode::CREATED, UPLOAD));
    let asked: Vec<CreateMediaRequest> = fixture.recorder.asked(CREATE);
    assert_eq!((asked[0].name.as_str(), asked[0].size, asked[0].kind()), ("a.mp4", 10, MediaKind::Video));
    assert_eq!(create(&[metadata]).await.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(create(&[("upload-length", "10")]).await.status, StatusCode::UNPROCESSABLE_ENTITY);
    let refusal = Refusal::new(Kind::Invalid, ErrorReason::PayloadTooLarge, "Too large.");
    fixture.recorder.refuse(CREATE, refusal);
    assert_eq!(create(&[("upload-length", "11"), metadata]).await.status, StatusCode::PAYLOAD_TOO_LARGE);
    let old = fixture.call(Method::POST, "/v1/admin/course/media", Some(&token), "").await;
    assert_eq!(old.status, StatusCode::PRECONDITION_FAILED);
    let head = fixture.tus(Method::HEAD, UPLOAD, &token, &[], Body::empty()).await;
    assert_eq!(
        (head.headers["upload-offset"].as_bytes(), head.headers["upload-length"].as_bytes()),
        (&b"0"[..], &b"10"[..])
    );
}

/// [D-V2] A long body goes to the store chunk by chunk while it comes in: it is never held whole.
#[tokio::test]
async fn a_long_upload_is_stored_in_chunks() {
    let fixture = Fixture::new().await;
    let token = fixture.begin(10_000_000);
    fixture.recorder.answer(APPEND, &AppendMediaResponse { offset: 5 });
    let body =
        Body::from_stream(stream::iter((0..10).map(|_| Ok::<_, std::io::Error>(Bytes::from(vec![7; 1_000_000])))));
    // The fake always says 5, where a real one counts.
    assert_eq!(fixture.patch(&token, "0", body).await.headers["upload-offset"], "5");
    let sizes: Vec<i64> = fixture.recorder.asked::<AppendMediaRequest>(APPEND).iter().map(|one| one.bytes).collect();
    assert_eq!(sizes, [5_000_000, 5_000_000]);
    assert_eq!(fixture.chunks().await, [5_000_000, 5_000_000]);
}

/// [D-C5] What came before an interruption is kept.
#[tokio::test]
async fn an_interrupted_upload_keeps_what_came() {
    let fixture = Fixture::new().await;
    let token = fixture.begin(10_000_000);
    fixture.recorder.answer(APPEND, &AppendMediaResponse { offset: 1_000 });
    let parts = stream::iter([Ok(Bytes::from(vec![7; 1_000])), Err(std::io::Error::other("the line is cut"))]);
    assert_eq!(fixture.patch(&token, "0", Body::from_stream(parts.boxed())).await.status, StatusCode::BAD_REQUEST);
    let asked: Vec<AppendMediaRequest> = fixture.recorder.asked(APPEND);
    assert_eq!(asked.iter().map(|one| (one.offset, one.bytes)).collect::<Vec<_>>(), [(0, 1_000)]);
    assert_eq!(fixture.chunks().await, [1_000]);
}

/// [D-C5] A part at the wrong place, of another type, or beyond the end changes nothing and leaves nothing.
#[tokio::test]
async fn wrong_parts_leave_nothing() {
    let fixture = Fixture::new().await;
    let token = fixture.begin(10);
    let reply = fixture.patch(&token, "3", Body::from("abc")).await;
    assert_eq!((reply.status, reply.json()["code"].as_str()), (StatusCode::CONFLICT, Some("UPLOAD_OFFSET_MISMATCH")));
    assert_eq!(fixture.patch(&token, "x", Body::from("abc")).await.status, StatusCode::BAD_REQUEST);
    assert_eq!(fixture.patch(&token, "0", Body::from("longer than ten")).await.status, StatusCode::PAYLOAD_TOO_LARGE);
    let other = [("content-type", "video/mp4"), ("upload-offset", "0")];
    let reply = fixture.tus(Method::PATCH, UPLOAD, &token, &other, Body::from("abc")).await;
    assert_eq!(reply.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    let lost = Refusal::new(Kind::Conflict, ErrorReason::UploadOffsetMismatch, "Another was first.");
    fixture.recorder.refuse(APPEND, lost);
    assert_eq!(fixture.patch(&token, "0", Body::from("abc")).await.status, StatusCode::CONFLICT);
    assert!(fixture.chunks().await.is_empty());
    let member = fixture.realm.member().1;
    assert_eq!(fixture.patch(&member, "0", Body::from("abc")).await.status, StatusCode::FORBIDDEN);
}

/// [D-C7] A playlist's links carry the ticket down to each segment, and nothing but that is needed to play.
#[tokio::test]
async fn a_ticket_leads_to_every_segment() {
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.member();
    let lesson = fixture.lesson(Some(&token), true).await;
    let hls = text(&lesson["video"]["hls"]);
    assert_eq!(lesson["video"]["duration"], 61.25);
    let master = fixture.read(hls, None).await;
    assert_eq!(
        (master.status, master.headers["content-type"].to_str().unwrap()),
        (StatusCode::OK, "application/vnd.apple.mpegurl")
    );
    let playlist = fixture.read(&hls.replace("master", "360p"), None).await;
    let segment = playlist.text.lines().last().unwrap();
    assert!(segment.starts_with("/v1/course-media/segments/abc/360p-00000.m4s?ticket="), "{segment}");
    let reply = fixture.read(segment, None).await;
    assert_eq!((reply.status, reply.text.as_str()), (StatusCode::OK, "0123456789"));
    assert_eq!(reply.headers["cache-control"], "no-store", "[ASVS 14.3.2] the browser keeps no paid video");
    let (path, ticket) = segment.split_once('?').unwrap();
    let (value, last) = ticket.split_at(ticket.len() - 1);
    let forged = format!("{value}{}", if last == "A" { "Q" } else { "A" });
    for wrong in [
        path.to_owned(),
        format!("{path}?{forged}"),
        format!("{}?{ticket}", path.replace("/abc/", "/abd/")),
        format!("{}?{ticket}", path.replace("360p-00000.m4s", "attachment")),
        hls.replace("master.m3u8", "..%2Fmaster.m3u8"),
        hls.replace("master.m3u8", "360p-00000.m4s"),
    ] {
        let reply = fixture.read(&wrong, None).await;
        assert_eq!(reply.status, StatusCode::NOT_FOUND, "{wrong}");
    }
    let vtt = fixture.read(text(&lesson["video"]["captions"][0]["url"]), None).await;
    assert_eq!((vtt.status, vtt.text.as_str()), (StatusCode::OK, "WEBVTT\n"));
    let sheet = fixture.read(text(&lesson["attachments"][0]["url"]), None).await;
    assert_eq!(sheet.headers["content-disposition"], "attachment; filename*=UTF-8''sheet%20%C3%BC.pdf");
    assert_eq!(sheet.headers["content-type"], "application/pdf");
}

/// [D-R18] A link with the token of another session is unknown, and so is one whose session has ended. A visitor's, for the
/// free preview, is everybody's.
#[tokio::test]
async fn a_link_is_of_one_session() {
    let fixture = Fixture::new().await;
    let [one, two] = [fixture.realm.member().1, fixture.realm.member().1];
    let lesson = fixture.lesson(Some(&one), true).await;
    let hls = text(&lesson["video"]["hls"]);
    assert_eq!(fixture.read(hls, Some(&one)).await.status, StatusCode::OK);
    assert_eq!(fixture.read(hls, Some(&two)).await.status, StatusCode::NOT_FOUND);
    assert_eq!(fixture.read(hls, Some("nonsense")).await.status, StatusCode::NOT_FOUND);
    let visitors = fixture.lesson(None, false).await;
    for token in [None, Some(one.as_str())] {
        assert_eq!(fixture.read(text(&visitors["video"]["hls"]), token).await.status, StatusCode::OK);
    }
    let ended = Refusal::new(Kind::Unauthenticated, ErrorReason::Unauthenticated, "Please sign in.");
    fixture.recorder.refuse(OPEN, ended);
    let fresh = fixture.lesson(Some(&two), true).await;
    assert_eq!(fixture.read(text(&fresh["video"]["hls"]), None).await.status, StatusCode::NOT_FOUND);
}

/// [D-C7] Access is asked again after two seconds: a refund and a fourth stream are noticed at each playlist and segment.
#[tokio::test]
async fn access_is_asked_again() {
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.member();
    let lesson = fixture.lesson(Some(&token), true).await;
    let hls = text(&lesson["video"]["hls"]);
    let playlist = fixture.read(&hls.replace("master", "360p"), None).await.text;
    let segment = playlist.lines().last().unwrap();
    for _ in 0..5 {
        assert_eq!(fixture.read(segment, None).await.status, StatusCode::OK);
    }
    assert_eq!(fixture.recorder.asked::<OpenMediaRequest>(OPEN).len(), 1);
    let refund = Refusal::new(Kind::Forbidden, ErrorReason::PermissionDenied, "This lesson comes with the course.");
    fixture.recorder.refuse(OPEN, refund);
    let begun = std::time::Instant::now();
    while fixture.read(segment, None).await.status == StatusCode::OK {
        assert!(begun.elapsed() < std::time::Duration::from_secs(5), "access ends within five seconds");
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert_eq!(fixture.read(hls, None).await.status, StatusCode::FORBIDDEN);
    fixture.recorder.refuse(OPEN, Refusal::new(Kind::RateLimited, ErrorReason::TooManyStreams, "Three others."));
    let reply = fixture.read(segment, None).await;
    assert_eq!(
        (reply.status, reply.json()["code"].as_str()),
        (StatusCode::TOO_MANY_REQUESTS, Some("TOO_MANY_STREAMS"))
    );
}

/// [D-C5] The captions of a long video have hundreds of kilobytes.
#[tokio::test]
async fn captions_are_as_long_as_their_video() {
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.staff(Role::Manager);
    let path = "/solvane.course.v1.MediaService/PutCaptions";
    fixture.recorder.answer(path, &PutCaptionsResponse::default());
    let vtt = format!("WEBVTT\n\n{}", "00:00:01.000 --> 00:00:02.000\nA sentence.\n\n".repeat(10_000));
    let body = serde_json::json!({ "label": "English", "vtt": vtt }).to_string();
    let address = format!("/v1/admin/course/media/{}/captions/en", Uuid::from_u128(7));
    let reply = fixture.call(Method::PUT, &address, Some(&token), &body).await;
    assert_eq!(reply.status, StatusCode::OK, "{reply:?}");
    assert_eq!(fixture.recorder.asked::<PutCaptionsRequest>(path)[0].vtt, vtt);
}
