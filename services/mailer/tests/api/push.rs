//! Notices on devices: what a browser reads, which devices get none any more, and what a hostile browser cannot do.

mod stage;

use std::collections::BTreeSet;
use std::sync::Arc;

use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chassis::bus::Event;
use chassis::error::from_status;
use chassis::id::{SessionId, UserId};
use chassis::identity::Session;
use chassis::keys::{self, SecretKey};
use chassis::member_data::MemberData;
use chassis::testing::{session, with_token};
use mailer::app::send_pushes::SendPushes;
use mailer::grpc::GrpcServer;
use mailer::store::member_data::MemberTables;
use proto::auth::v1 as auth;
use proto::common::v1::ListMemberDataRequest;
use proto::common::v1::member_data_service_server::MemberDataService;
use proto::mailer::v1::notice_service_server::NoticeService;
use proto::mailer::v1::read_notices_request::Which;
use proto::mailer::v1::{
    GetPushRequest, GetPushResponse, NoticeGroup, ReadNoticesRequest, SubscribePushRequest, UnsubscribePushRequest,
};
use serde_json::{Value, json};
use sqlx::PgPool;
use tonic::Status;
use uuid::Uuid;

use self::stage::{Login, Stage, TRANSACTION, push};
use crate::fixture::event;
use crate::push_service::Browser;

fn all_of(user_id: UserId, except: Option<SessionId>) -> Event {
    let message = auth::SessionEnded {
        session_ids: Vec::new(),
        all_of_user_id: user_id.to_string(),
        except_session_id: except.map(|id| id.to_string()).unwrap_or_default(),
    };
    event("auth.v1.session_ended", &message)
}

fn code(answer: Result<(), Status>) -> String {
    from_status(&answer.unwrap_err()).code
}

fn part(text: &str) -> Value {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(text).unwrap()).unwrap()
}

/// [D-M7] A notice arrives once, signed for its push service and encrypted for the browser alone, with the words of its kind and
/// without an amount, a name or a reason.
#[sqlx::test(migrations = false)]
async fn a_notice_reaches_the_device(pool: PgPool) {
    let stage = Stage::start(pool).await;
    let login = stage.log_in();
    let before = stage.get(&login).await;
    assert!(!before.is_on && before.public_key.len() == 87, "{before:?}");
    let (browser, other) = (Browser::new("send/one"), Browser::new("send/other"));
    stage.subscribe(&login, browser.names()).await.unwrap();
    assert!(stage.get(&login).await.is_on);
    let happened = stage.transaction("deposit_confirmed");
    for _ in 0..2 {
        stage.happens(&happened).await;
    }
    let [message] = stage.sent().await.try_into().unwrap();
    let shown = json!({
        "title": "Your deposit is confirmed",
        "body": "It was added to your balance.",
        "path": format!("/transactions/{TRANSACTION}"),
        "tag": happened.id.to_string(),
    });
    assert_eq!((message.path.as_str(), browser.read(&message.body)), ("/send/one", Some(shown)));
    assert_eq!(other.read(&message.body), None);
    let header = |name: &str| message.headers[name].as_str();
    assert_eq!((header("content-encoding"), header("urgency")), ("aes128gcm", "normal"));
    assert!((86_000..=86_400).contains(&header("ttl").parse::<u32>().unwrap()));

    let (token, key) = header("authorization").strip_prefix("vapid t=").unwrap().split_once(", k=").unwrap();
    assert_eq!(key, before.public_key);
    let (signed, signature) = token.rsplit_once('.').unwrap();
    let (head, claims) = signed.split_once('.').unwrap();
    assert_eq!(part(head), json!({ "typ": "JWT", "alg": "ES256" }));
    let claims = part(claims);
    assert_eq!((&claims["aud"], &claims["sub"]), (&json!("https://push.test"), &json!("mailto:help@solvane.test")));
    let left = claims["exp"].as_i64().unwrap() - time::OffsetDateTime::now_utc().unix_timestamp();
    assert!((40_000..=43_260).contains(&left), "{left}");
    let [key, signature] = [key, signature].map(|text| URL_SAFE_NO_PAD.decode(text).unwrap());
    UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, key).verify(signed.as_bytes(), &signature).unwrap();

    assert_eq!(stage.queued().await, 0);
    assert_eq!(stage.world.count("SELECT count(*) FROM push_subscriptions WHERE last_used_at IS NOT NULL").await, 1);
}

/// [Q7] [D-M7] Neither the database nor a member's download holds the address or the keys of a browser.
#[sqlx::test(migrations = false)]
async fn subscriptions_are_sealed(pool: PgPool) {
    let stage = Stage::start(pool).await;
    let (login, browser) = stage.device("secret-path").await;
    let sql = "SELECT count(*) FROM push_subscriptions
        WHERE position('secret-path'::bytea IN sealed) > 0 OR row_to_json(push_subscriptions)::text LIKE '%secret-path%'";
    assert_eq!(stage.world.count(sql).await, 0);
    let data = MemberData::<MemberTables>::new(stage.world.db.clone(), stage.world.realm.verifier());
    let (mut download, mut cursor) = (String::new(), String::new());
    loop {
        let request = with_token(ListMemberDataRequest { cursor }, &login.token);
        let page = data.list_member_data(request).await.unwrap().into_inner();
        download += &page.rows_json.concat();
        cursor = page.next_cursor;
        if cursor.is_empty() {
            break;
        }
    }
    assert!(download.contains("push.test") && download.contains(&login.session_id.to_string()), "{download}");
    for secret in ["secret-path", &browser.names().p256dh, &browser.names().auth] {
        assert!(!download.contains(secret), "{download}");
    }
}

/// [D-M7] Members choose what devices show, as they choose their mails; security cannot be turned off, and is urgent.
#[sqlx::test(migrations = false)]
async fn members_choose_what_devices_show(pool: PgPool) {
    let stage = Stage::start(pool).await;
    let (login, browser) = stage.device("a").await;
    assert_eq!(code(stage.turn_off(&login, NoticeGroup::Security).await), "VALIDATION_FAILED");
    stage.turn_off(&login, NoticeGroup::Money).await.unwrap();
    for key in ["deposit_confirmed", "deposit_rejected", "withdrawal_paid"] {
        stage.happens(&stage.transaction(key)).await;
    }
    let signed_in = auth::NewDeviceSignedIn { user_id: stage.user_id.to_string(), ..Default::default() };
    stage.happens(&event("auth.v1.new_device_signed_in", &signed_in)).await;
    let mut shown: Vec<_> = stage
        .sent()
        .await
        .iter()
        .map(|message| {
            let title = browser.read(&message.body).unwrap()["title"].as_str().unwrap().to_owned();
            (title, message.headers["urgency"].clone())
        })
        .collect();
    shown.sort();
    let wanted = [
        ("Login from a new device", "high"),
        ("Your deposit was not accepted", "normal"),
        ("Your withdrawal was sent", "normal"),
    ];
    assert_eq!(shown, wanted.map(|(title, urgency)| (title.to_owned(), urgency.to_owned())));
}

/// [D-M7] [S2] After a logout, or the end of all sessions, a device gets no notice any more, also none that was on its way, and
/// also when its session was no longer used.
#[sqlx::test(migrations = false)]
async fn ended_sessions_get_nothing(pool: PgPool) {
    let stage = Stage::start(pool).await;
    let (phone, _) = stage.device("phone").await;
    let (desk, _) = stage.device("desk").await;
    stage.device("tablet").await;
    stage.happens(&stage.transaction("deposit_confirmed")).await;
    assert_eq!(stage.queued().await, 3);
    let session_ids = vec![phone.session_id.to_string()];
    stage.happens(&event("auth.v1.session_ended", &auth::SessionEnded { session_ids, ..Default::default() })).await;
    let paths = |names: &[&str]| names.iter().map(|name| format!("/{name}")).collect::<BTreeSet<_>>();
    let sent: BTreeSet<_> = stage.sent().await.into_iter().map(|message| message.path).collect();
    assert_eq!(sent, paths(&["desk", "tablet"]));
    assert!(!stage.get(&phone).await.is_on);

    // A new password, set at the desk.
    stage.happens(&all_of(stage.user_id, Some(desk.session_id))).await;
    assert_eq!(stage.paths().await, paths(&["desk"]));
    // A theft that was reported, a reset, an account that was closed; others keep theirs.
    let other = stage.log_in_as(Uuid::new_v4().into());
    stage.subscribe(&other, Browser::new("other").names()).await.unwrap();
    stage.happens(&stage.transaction("deposit_rejected")).await;
    stage.happens(&all_of(stage.user_id, None)).await;
    assert_eq!((stage.sent().await.len(), stage.paths().await), (0, paths(&[])));
    assert_eq!(stage.subscriptions().await, 1);
    assert!(stage.get(&other).await.is_on);
}

/// [D-M7] A member turns it off; a browser that names itself in another session, or for another member, moves there.
#[sqlx::test(migrations = false)]
async fn a_browser_has_one_member(pool: PgPool) {
    let stage = Stage::start(pool).await;
    let (first, browser) = stage.device("a").await;
    let second = stage.log_in();
    stage.subscribe(&second, browser.names()).await.unwrap();
    assert_eq!((stage.get(&first).await.is_on, stage.get(&second).await.is_on), (false, true));
    let other = stage.log_in_as(Uuid::new_v4().into());
    // Who knows the address alone takes nothing away.
    let stranger = SubscribePushRequest { endpoint: browser.endpoint.clone(), ..Browser::new("b").names() };
    stage.subscribe(&other, stranger).await.unwrap();
    assert!(stage.get(&second).await.is_on);
    stage.subscribe(&other, browser.names()).await.unwrap();
    assert_eq!((stage.get(&second).await.is_on, stage.get(&other).await.is_on), (false, true));
    for _ in 0..2 {
        stage.grpc.unsubscribe_push(with_token(UnsubscribePushRequest {}, &other.token)).await.unwrap();
    }
    assert_eq!(stage.subscriptions().await, 0);
}

/// [D-M7] A member has ten devices: the one renewed longest ago makes room. One not renewed for 30 days ends.
#[sqlx::test(migrations = false)]
async fn devices_are_bounded(pool: PgPool) {
    let stage = Stage::start(pool).await;
    let (first, browser) = stage.device("0").await;
    let (second, _) = stage.device("1").await;
    stage.subscribe(&first, browser.names()).await.unwrap();
    for path in 2..11 {
        stage.device(&path.to_string()).await;
    }
    assert_eq!(stage.subscriptions().await, 10);
    assert_eq!((stage.get(&first).await.is_on, stage.get(&second).await.is_on), (true, false));
    stage.world.execute("UPDATE push_subscriptions SET renewed_at = now() - interval '29 days'").await;
    assert_eq!(stage.paths().await.len(), 10);
    stage.world.execute("UPDATE push_subscriptions SET renewed_at = now() - interval '31 days'").await;
    assert_eq!(stage.paths().await.len(), 0);
    assert_eq!(stage.world.send.forget_old().await.unwrap(), 10);
}

/// [D-M7] Only addresses of known push services and real keys are kept.
#[sqlx::test(migrations = false)]
async fn hostile_browsers_are_refused(pool: PgPool) {
    let stage = Stage::start(pool).await;
    let (login, good) = (stage.log_in(), Browser::new("a").names());
    let wrong = |field: &'static str, value: &str| {
        let mut names = good.clone();
        match field {
            "endpoint" => names.endpoint = value.to_owned(),
            "p256dh" => names.p256dh = value.to_owned(),
            _ => names.auth = value.to_owned(),
        }
        (field, names)
    };
    for (field, names) in [
        wrong("endpoint", ""),
        wrong("endpoint", "http://push.test/a"),
        wrong("endpoint", "https://push.test:8443/a"),
        wrong("endpoint", "https://auth:50051/a"),
        wrong("endpoint", "https://push.test@169.254.169.254/a"),
        wrong("endpoint", "https://127.0.0.1/a"),
        wrong("endpoint", "https://evil.example/a"),
        wrong("p256dh", ""),
        wrong("p256dh", &good.auth),
        wrong("p256dh", &URL_SAFE_NO_PAD.encode([4; 65])),
        wrong("auth", ""),
        wrong("auth", &good.p256dh),
    ] {
        let refused = from_status(&stage.subscribe(&login, names).await.unwrap_err());
        assert_eq!((refused.code.as_str(), refused.fields[0].0.as_str()), ("VALIDATION_FAILED", field));
    }
    assert_eq!(stage.subscriptions().await, 0);
    let unverified = Session { verified: false, ..session(None) };
    let unverified = Login { session_id: unverified.id, token: stage.world.realm.sign_in(unverified) };
    assert_eq!(code(stage.subscribe(&unverified, good).await), "EMAIL_NOT_VERIFIED");
}

/// [D-M7] What the push service says is followed: an ended subscription goes, a busy service is asked again after the time that it
/// names, and a redirect leads nowhere.
#[sqlx::test(migrations = false)]
async fn push_services_are_heard(pool: PgPool) {
    let stage = Stage::start(pool).await;
    let login = stage.log_in();
    let browser = Browser::new("a");
    let seconds = "SELECT extract(epoch FROM next_try_at - clock_timestamp())::bigint FROM pushes";
    for (answer, least, most) in [
        ("500 Internal Server Error", 2, 5),
        ("429 Too Many Requests\r\nRetry-After: 120", 115, 120),
        ("503 Service Unavailable\r\nRetry-After: 1", 2, 5),
        ("503 Service Unavailable\r\nRetry-After: 999999", 3_590, 3_600),
    ] {
        stage.subscribe(&login, browser.names()).await.unwrap();
        stage.service.next(&[answer]);
        assert_eq!(stage.paths().await.len(), 1);
        let left = stage.world.count(seconds).await;
        assert!((least..=most).contains(&left), "{answer}: {left}");
        stage.wait_over().await;
        assert_eq!((stage.sent().await.len(), stage.queued().await), (1, 0), "{answer}");
    }
    for answer in ["404 Not Found", "410 Gone"] {
        stage.subscribe(&login, browser.names()).await.unwrap();
        stage.service.next(&[answer]);
        assert_eq!(
            (stage.paths().await.len(), stage.subscriptions().await, stage.queued().await),
            (1, 0, 0),
            "{answer}"
        );
    }
    stage.subscribe(&login, browser.names()).await.unwrap();
    stage.service.next(&["307 Temporary Redirect\r\nLocation: https://push.test/elsewhere"]);
    assert_eq!(stage.paths().await, BTreeSet::from(["/a".to_owned()]));
    assert_eq!((stage.queued().await, stage.subscriptions().await), (0, 1));
    // A refusal is not repeated; ten in a row end the subscription.
    stage.service.next(&["403 Forbidden"; 9]);
    for left in [1, 1, 1, 1, 1, 1, 1, 1, 0] {
        assert_eq!((stage.paths().await.len(), stage.subscriptions().await), (1, left));
    }
}

/// [D-M7] What the member has read meanwhile is not shown, what waited for a day is given up, and at most 20 wait.
#[sqlx::test(migrations = false)]
async fn old_news_is_not_shown(pool: PgPool) {
    let stage = Stage::start(pool).await;
    let (login, _) = stage.device("a").await;
    let happened = stage.transaction("deposit_confirmed");
    stage.happens(&happened).await;
    let read = ReadNoticesRequest { which: Some(Which::Id(happened.id.to_string())) };
    stage.grpc.read_notices(with_token(read, &login.token)).await.unwrap();
    stage.happens(&stage.transaction("deposit_rejected")).await;
    stage.world.execute("UPDATE pushes SET created_at = now() - interval '25 hours'").await;
    assert_eq!((stage.sent().await.len(), stage.queued().await), (0, 0));
    for _ in 0..25 {
        stage.happens(&stage.transaction("withdrawal_paid")).await;
    }
    assert_eq!(stage.queued().await, 20);
    stage.world.execute("UPDATE pushes SET created_at = now() - interval '3 days'").await;
    assert_eq!(stage.world.send.forget_old().await.unwrap(), 20);
}

/// [D-M7] Without a secret nothing is offered; with a new one the subscriptions of the old one end.
#[sqlx::test(migrations = false)]
async fn the_secret_decides(pool: PgPool) {
    let stage = Stage::start(pool).await;
    let (login, browser) = stage.device("a").await;
    let off = stage.world.grpc();
    let answer = off.get_push(with_token(GetPushRequest {}, &login.token)).await.unwrap().into_inner();
    assert_eq!(answer, GetPushResponse::default());
    let refused = off.subscribe_push(with_token(browser.names(), &login.token)).await.map(drop);
    assert_eq!(code(refused), "NOT_FOUND");

    let file = stage.world.realm.folder().join("push.key");
    let before = push(&stage.world, &stage.service).keys.public().to_owned();
    assert_eq!(before, push(&stage.world, &stage.service).keys.public(), "the same at each start");
    std::fs::remove_file(&file).unwrap();
    keys::generate(stage.world.realm.folder()).unwrap();
    SecretKey::read(&file).unwrap();
    let renewed = Arc::new(push(&stage.world, &stage.service));
    assert_ne!(before, renewed.keys.public());
    let grpc = GrpcServer { push: Some(Arc::clone(&renewed)), ..stage.world.grpc() };
    assert!(!grpc.get_push(with_token(GetPushRequest {}, &login.token)).await.unwrap().into_inner().is_on);
    let stage = Stage { send: SendPushes { db: stage.world.db.clone(), push: renewed }, grpc, ..stage };
    assert_eq!((stage.paths().await.len(), stage.subscriptions().await), (0, 0));
}
