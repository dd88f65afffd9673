//! Every error has one shape and says nothing of its cause.

use axum::body::Body;
use axum::http::{Method, Request, StatusCode};
use chassis::error::{Kind, Refusal};
use chassis::identity::Role;
use chassis::testing::session;
use proto::common::v1::ErrorReason;
use proto::course::v1 as course;
use serde_json::json;

use crate::fixture::{Fixture, PNG, Reply, moment};

fn assert_shape(reply: &Reply, status: StatusCode, code: &str) {
    assert_eq!(reply.status, status, "{reply:?}");
    let body = reply.json();
    assert_eq!(body["success"], false, "{body}");
    assert_eq!(body["code"], code, "{body}");
    assert!(body["message"].as_str().is_some_and(|text| !text.is_empty()), "{body}");
    assert!(body["requestId"].as_str().is_some_and(|text| !text.is_empty()), "{body}");
    assert_eq!(reply.headers["content-type"], "application/json");
    assert_eq!(reply.headers["x-content-type-options"], "nosniff");
    assert!(reply.headers["content-security-policy"].to_str().unwrap().contains("frame-ancestors 'none'"));
}

/// [D-G2] [D-G3] Errors of the router, of bodies and of services have one shape.
#[tokio::test]
async fn every_error_has_one_shape() {
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.member();
    let token = Some(token.as_str());
    for (method, path, body, status, code) in [
        (Method::GET, "/v1/nowhere", "", StatusCode::NOT_FOUND, "ROUTE_NOT_FOUND"),
        (Method::GET, "/v1", "", StatusCode::NOT_FOUND, "ROUTE_NOT_FOUND"),
        (Method::GET, "/v1/transactions/deposit/x/y", "", StatusCode::NOT_FOUND, "ROUTE_NOT_FOUND"),
        (Method::PATCH, "/v1/transactions/withdraw", "{}", StatusCode::METHOD_NOT_ALLOWED, "METHOD_NOT_ALLOWED"),
        (Method::OPTIONS, "/v1/transactions/withdraw", "", StatusCode::METHOD_NOT_ALLOWED, "METHOD_NOT_ALLOWED"),
        (Method::POST, "/v1/transactions/withdraw", "{", StatusCode::BAD_REQUEST, "MALFORMED_REQUEST"),
        (Method::POST, "/v1/transactions/withdraw", "[]", StatusCode::BAD_REQUEST, "MALFORMED_REQUEST"),
        (
            Method::POST,
            "/v1/transactions/withdraw",
            r#"{"amount":1,"amount":1}"#,
            StatusCode::BAD_REQUEST,
            "MALFORMED_REQUEST",
        ),
        (Method::POST, "/v1/transactions/withdraw", "{}", StatusCode::UNPROCESSABLE_ENTITY, "VALIDATION_FAILED"),
        (
            Method::POST,
            "/v1/transactions/withdraw",
            r#"{"amount":-5}"#,
            StatusCode::UNPROCESSABLE_ENTITY,
            "VALIDATION_FAILED",
        ),
        (Method::POST, "/v1/transactions/withdraw", r#"{"amount":5}"#, StatusCode::CONFLICT, "WITHDRAWAL_PENDING"),
        (
            Method::POST,
            "/v1/transactions/withdraw",
            r#"{"amount":0.01}"#,
            StatusCode::SERVICE_UNAVAILABLE,
            "UNAVAILABLE",
        ),
        (
            Method::POST,
            "/v1/transactions/withdraw",
            r#"{"amount":0.02}"#,
            StatusCode::INTERNAL_SERVER_ERROR,
            "INTERNAL",
        ),
        (
            Method::POST,
            "/v1/transactions/withdraw",
            r#"{"amount":0.03}"#,
            StatusCode::GATEWAY_TIMEOUT,
            "DEADLINE_EXCEEDED",
        ),
        (Method::GET, "/v1/transactions/x", "", StatusCode::NOT_FOUND, "NOT_FOUND"),
        (
            Method::GET,
            "/v1/transactions/statement?from=x&to=y",
            "",
            StatusCode::UNPROCESSABLE_ENTITY,
            "VALIDATION_FAILED",
        ),
        (
            Method::PUT,
            "/v1/users/profile/00000000-0000-0000-0000-000000000000",
            "{}",
            StatusCode::NOT_FOUND,
            "NOT_FOUND",
        ),
    ] {
        let reply = fixture.call(method, path, token, body).await;
        assert_shape(&reply, status, code);
        for cause in ["os error", "panicked", "a bug", "connection", "sql", "/v1"] {
            assert!(!reply.text.contains(cause), "{path}: {}", reply.text);
        }
    }
    let reply = fixture.call(Method::POST, "/v1/transactions/withdraw", token, r#"{"amount":0.01}"#).await;
    assert!(reply.headers.contains_key("retry-after"));
}

/// [D-R15] [D-G3] Only plain JSON in UTF-8 of a bounded size is read.
#[tokio::test]
async fn bodies_of_other_kinds_and_sizes_are_refused() {
    let fixture = Fixture::new().await;
    let (_, token) = fixture.realm.member();
    let request = |name: &str, value: &str, body: Vec<u8>| {
        let mut request = Request::post("/v1/transactions/withdraw").header("authorization", format!("Bearer {token}"));
        if name != "content-type" {
            request = request.header("content-type", "application/json");
        }
        request.header(name, value).body(Body::from(body)).unwrap()
    };
    for (name, value) in [
        ("content-type", "text/plain"),
        ("content-type", "application/json; charset=latin1"),
        ("content-type", "multipart/form-data; boundary=x"),
        ("content-encoding", "gzip"),
    ] {
        let reply = fixture.send(request(name, value, b"{}".to_vec())).await;
        assert_shape(&reply, StatusCode::UNSUPPORTED_MEDIA_TYPE, "UNSUPPORTED_MEDIA_TYPE");
    }
    let reply = fixture.send(request("x-test", "1", vec![b' '; 70_000])).await;
    assert_shape(&reply, StatusCode::PAYLOAD_TOO_LARGE, "PAYLOAD_TOO_LARGE");
    let reply = fixture.send(request("x-test", "1", b"{\"address\":\"\xff\"}".to_vec())).await;
    assert_shape(&reply, StatusCode::BAD_REQUEST, "MALFORMED_REQUEST");
}

/// [D-S1] [D-R13] [D-S3] A refusal says why; visitors' calls ignore a stale token.
#[tokio::test]
async fn callers_are_told_apart() {
    let fixture = Fixture::new().await;
    let mut unverified = session(None);
    unverified.verified = false;
    let unverified = fixture.realm.sign_in(unverified);
    let mut frozen = session(None);
    frozen.frozen = true;
    let frozen = fixture.realm.sign_in(frozen);
    let (_, staff) = fixture.realm.staff(Role::Reviewer);
    let (_, member) = fixture.realm.member();
    let deposit = json!({"amount": 100, "method": "BTC", "receipt": PNG}).to_string();
    for (token, path, status, code) in [
        (Some("nonsense"), "/v1/transactions/deposit", StatusCode::UNAUTHORIZED, "UNAUTHENTICATED"),
        (None, "/v1/transactions/deposit", StatusCode::UNAUTHORIZED, "UNAUTHENTICATED"),
        (Some(unverified.as_str()), "/v1/transactions/deposit", StatusCode::FORBIDDEN, "EMAIL_NOT_VERIFIED"),
        (Some(frozen.as_str()), "/v1/transactions/deposit", StatusCode::FORBIDDEN, "ACCOUNT_FROZEN"),
        (Some(staff.as_str()), "/v1/transactions/deposit", StatusCode::FORBIDDEN, "PERMISSION_DENIED"),
        (Some(member.as_str()), "/v1/admin/members/x/freeze", StatusCode::FORBIDDEN, "PERMISSION_DENIED"),
    ] {
        let reply = fixture.call(Method::POST, path, token, &deposit).await;
        assert_shape(&reply, status, code);
    }
    let reading = fixture.call(Method::GET, "/v1/transactions/user", Some(&frozen), "").await;
    assert_eq!(reading.status, StatusCode::OK);
    let public = fixture.call(Method::GET, "/v1/courses", Some("stale"), "").await;
    assert_eq!(public.status, StatusCode::OK, "{public:?}");
    let nothing = fixture.call(Method::GET, "/v1/courses", Some("nonsense"), "").await;
    assert_eq!(nothing.status, StatusCode::OK, "{nothing:?}");
}

/// [D-C1] [D-C5] The course comes from its service, and so does the decision who may read a lesson.
#[tokio::test]
async fn the_course_is_what_its_service_says() {
    let fixture = Fixture::new().await;
    let (_, member) = fixture.realm.member();
    let (open, progress) = (
        course::LessonOutline { id: "open".to_owned(), preview: true, ..Default::default() },
        course::Progress { position_seconds: 42, done_at: Some(moment()), at: Some(moment()) },
    );
    let locked = course::LessonOutline { id: "closed".to_owned(), locked: true, ..Default::default() };
    let begun = course::LessonOutline { progress: Some(progress), ..open };
    let module = course::Module { number: 1, lessons: vec![begun, locked], ..Default::default() };
    let answer = course::GetCourseResponse { modules: vec![module], ..Default::default() };
    fixture.recorder.answer("/solvane.course.v1.CourseService/GetCourse", &answer);
    let locked = fixture.call(Method::GET, "/v1/courses", Some(&member), "").await.json();
    let lessons: Vec<_> = locked["course"]["modules"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|module| module["lessons"].as_array().unwrap().clone())
        .collect();
    let preview: Vec<_> = lessons.iter().filter(|lesson| lesson["locked"] == false).collect();
    assert_eq!(preview.len(), 1, "[D-C1] one free preview lesson");
    let at = "2026-02-02T02:40:00.005Z";
    let kept = json!({ "position": 42, "done": true, "doneAt": at, "at": at });
    assert_eq!((&preview[0]["progress"], &lessons[1].get("progress")), (&kept, &None));
    let closed = lessons.iter().find(|lesson| lesson["locked"] == true).unwrap();
    let path = "/solvane.course.v1.CourseService/GetLesson";
    let lesson = Some(course::LessonText { id: "open".to_owned(), ..Default::default() });
    fixture.recorder.answer(path, &course::GetLessonResponse { lesson, ..Default::default() });
    let readable = fixture.call(Method::GET, "/v1/courses/lessons/open", None, "").await;
    assert_eq!((readable.status, &readable.json()["lesson"]["id"]), (StatusCode::OK, &json!("open")));
    fixture.recorder.refuse(path, Refusal::new(Kind::Forbidden, ErrorReason::PermissionDenied, "Not bought"));
    let address = format!("/v1/courses/lessons/{}", closed["id"].as_str().unwrap());
    let refused = fixture.call(Method::GET, &address, Some(&member), "").await;
    assert_shape(&refused, StatusCode::FORBIDDEN, "PERMISSION_DENIED");

    let path = "/solvane.course.v1.CourseService/PutProgress";
    fixture.recorder.answer(path, &course::PutProgressResponse { progress: Some(progress) });
    let put =
        async |token, body: &str| fixture.call(Method::PUT, "/v1/courses/lessons/open/progress", token, body).await;
    let reply = put(Some(member.as_str()), r#"{"position":7,"at":"2026-02-02T02:40:00Z"}"#).await;
    assert_eq!((reply.status, &reply.json()["progress"]), (StatusCode::OK, &kept));
    let asked = fixture.recorder.asked::<course::PutProgressRequest>(path);
    assert_eq!((asked[0].lesson_id.as_str(), asked[0].position_seconds, asked[0].done), ("open", 7, None));
    assert_eq!(asked[0].at.map(|at| at.seconds), Some(1_770_000_000));
    assert_eq!(asked[0].holder_name, "", "nothing is earned without done");
    put(Some(member.as_str()), r#"{"position":7,"done":true}"#).await;
    let asked = fixture.recorder.asked::<course::PutProgressRequest>(path);
    assert_eq!((asked[1].done, asked[1].holder_name.as_str()), (Some(true), "Ada Lovelace"));
    for wrong in ["{}", r#"{"position":"7"}"#, r#"{"position":1,"done":"yes"}"#, r#"{"position":1,"at":"today"}"#] {
        assert_eq!(put(Some(member.as_str()), wrong).await.status, StatusCode::UNPROCESSABLE_ENTITY, "{wrong}");
    }
    assert_shape(&put(None, r#"{"position":7}"#).await, StatusCode::UNAUTHORIZED, "UNAUTHENTICATED");
}

/// [D-S10] Security headers restrict what browsers do; other origins only if they are on the list.
#[tokio::test]
async fn browsers_are_held_to_the_policy() {
    let fixture =
        Fixture::with(&["--cors-origins=https://app.example.org", "--public-url=https://solvane.example"]).await;
    let reply = fixture.call(Method::GET, "/v1/courses", None, "").await;
    let csp = reply.headers["content-security-policy"].to_str().unwrap();
    assert!(csp.contains("frame-ancestors 'none'") && !csp.contains("unsafe-inline"), "{csp}");
    assert_eq!(reply.headers["referrer-policy"], "no-referrer");
    assert!(reply.headers.contains_key("strict-transport-security"));
    let from = async |origin: &str| {
        let request = Request::get("/v1/courses").header("origin", origin).body(Body::empty()).unwrap();
        fixture.send(request).await.headers.get("access-control-allow-origin").cloned()
    };
    assert_eq!(from("https://app.example.org").await.unwrap(), "https://app.example.org");
    assert_eq!(from("https://evil.example").await, None);
}

/// [D-S8] [D-G3] An address that asks too often learns when to come back.
#[tokio::test]
async fn one_address_cannot_take_everything() {
    let fixture = Fixture::with(&["--rate-limit=1"]).await;
    let mut last = None;
    for _ in 0..12 {
        last = Some(fixture.call(Method::GET, "/v1/courses", None, "").await);
    }
    let last = last.unwrap();
    assert_shape(&last, StatusCode::TOO_MANY_REQUESTS, "TOO_MANY_REQUESTS");
    assert!(last.headers.contains_key("retry-after"));
}
