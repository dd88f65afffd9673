//! Mails leave, once, and never with a dead code.

use std::collections::HashSet;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use chassis::bus::Handler;
use mailer::domain::mail::FinalStatus;
use mailer::smtp::Transport;
use mailer::store::mails;
use proto::auth::v1::{PasswordChanged, VerificationCodeIssued};
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;

use crate::fixture::{World, event, send_due};
use crate::smtp_sink::Behaviour::{Accept, HangUpAfterData, Later, Never};

/// Queues a mail without a secret.
async fn plain_mail(world: &World) {
    let changed = PasswordChanged { user_id: world.user_id.to_string(), ..Default::default() };
    world.consumer.handle(&event("auth.v1.password_changed", &changed)).await.unwrap();
}

/// Queues a code under this reference.
async fn code(world: &World, reference: &str, secret: &str) {
    let issued = VerificationCodeIssued { reference: reference.to_owned(), user_id: world.user_id.to_string() };
    world.accounts.lock().unwrap().secrets.insert(reference.to_owned(), secret.to_owned());
    world.consumer.handle(&event("auth.v1.verification_code_issued", &issued)).await.unwrap();
}

fn message_id(mail: &str) -> String {
    mail.lines().find_map(|line| line.strip_prefix("Message-ID: ")).unwrap().to_owned()
}

/// [D-E1] [D-E2] [D-S5] [Q7] A code is mailed on a line of its own, and is nowhere in the database.
#[sqlx::test(migrations = false)]
async fn a_code_is_mailed_and_not_kept(pool: PgPool) {
    let world = World::start(pool).await;
    code(&world, "r1", "428193").await;
    world.send_due().await;
    let row = world.row().await;
    assert_eq!((row.status.as_str(), row.tries), ("sent", 1));
    let mail = &world.sink.received()[0];
    assert!(mail.lines().any(|line| line == "428193"), "{mail}");
    assert!(mail.contains("To: ada@example.com"), "{mail}");
    assert_eq!(message_id(mail), format!("<{}@solvane.test>", row.id));
    assert!(mail.contains("Auto-Submitted: auto-generated"));
    // The address may be a stranger's: no word of the account's owner reaches it.
    assert!(!mail.contains("Lovelace"), "{mail}");
    let kept = world.count("SELECT count(*) FROM mails WHERE mails::text LIKE '%428193%'").await;
    assert_eq!(kept, 0);
}

/// [E3] A superseded code is not sent, also if it was superseded between two tries.
#[sqlx::test(migrations = false)]
async fn a_superseded_code_is_not_sent(pool: PgPool) {
    let world = World::start(pool).await;
    code(&world, "r1", "111111").await;
    world.sink.next(&[Later]);
    world.send_due().await;
    assert_eq!(world.row().await.status, "queued");
    world.accounts.lock().unwrap().secrets.remove("r1");
    code(&world, "r2", "222222").await;
    world.wait_over().await;
    world.send_due().await;
    let statuses: Vec<_> = world.rows().await.into_iter().map(|row| row.status).collect();
    assert_eq!(statuses, ["expired", "sent"]);
    let received = world.sink.received();
    assert_eq!(received.len(), 1);
    assert!(received[0].contains("222222"));
}

/// [E1] [E2] A mail that the relay puts off is tried again after a pause, under the same Message-ID.
#[sqlx::test(migrations = false)]
async fn a_mail_put_off_is_tried_again(pool: PgPool) {
    let world = World::start(pool).await;
    plain_mail(&world).await;
    world.sink.next(&[Later, HangUpAfterData, Accept]);
    world.send_due().await;
    let row = world.row().await;
    assert_eq!((row.status.as_str(), row.tries), ("queued", 1));
    assert!((1..=5).contains(&row.seconds_left), "{row:?}");
    assert!(row.last_error.unwrap().contains("451") || world.sink.received().is_empty());
    for _ in 0..2 {
        world.wait_over().await;
        world.send_due().await;
    }
    let row = world.row().await;
    assert_eq!((row.status.as_str(), row.tries), ("sent", 3));
    let ids: Vec<_> = world.sink.received().iter().map(|mail| message_id(mail)).collect();
    assert_eq!(ids, vec![format!("<{}@solvane.test>", row.id); 2]);
}

/// [E1] A mail that the relay refuses for ever is undeliverable at once, and does not stop the others.
#[sqlx::test(migrations = false)]
async fn a_refused_mail_is_undeliverable(pool: PgPool) {
    let world = World::start(pool).await;
    plain_mail(&world).await;
    world.sink.next(&[Never]);
    world.send_due().await;
    plain_mail(&world).await;
    world.send_due().await;
    let statuses: Vec<_> = world.rows().await.into_iter().map(|row| row.status).collect();
    assert_eq!(statuses, ["undeliverable", "sent"]);
}

/// [E1] A relay that is away, or refuses everybody, says nothing about a mail: it follows when the relay is back.
#[sqlx::test(migrations = false)]
async fn mails_wait_for_an_absent_relay(pool: PgPool) {
    let world = World::start(pool).await;
    plain_mail(&world).await;
    // A port that was free a moment ago: nobody listens.
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let away = world.mailer(Transport::relay(&format!("smtp://{free}"), 1).unwrap());
    assert_eq!(send_due(&away).await, 1);
    assert_eq!(world.row().await.status, "queued");
    world.sink.close(true);
    world.wait_over().await;
    world.send_due().await;
    assert_eq!(world.row().await.status, "queued");
    world.sink.close(false);
    world.wait_over().await;
    world.send_due().await;
    assert_eq!(world.row().await.status, "sent");
}

/// [E1] [D-E1] Without auth there is neither name nor secret: the mail waits for it.
#[sqlx::test(migrations = false)]
async fn mails_wait_for_auth(pool: PgPool) {
    let world = World::start(pool).await;
    code(&world, "r1", "111111").await;
    plain_mail(&world).await;
    world.accounts.lock().unwrap().away = true;
    world.send_due().await;
    assert!(world.rows().await.iter().all(|row| row.status == "queued" && row.tries == 1));
    world.accounts.lock().unwrap().away = false;
    world.wait_over().await;
    world.send_due().await;
    assert!(world.rows().await.iter().all(|row| row.status == "sent"));
}

/// [E1] After a day without delivery a notice is undeliverable and a code expired.
#[sqlx::test(migrations = false)]
async fn a_day_in_vain_is_the_end(pool: PgPool) {
    let world = World::start(pool).await;
    plain_mail(&world).await;
    code(&world, "r1", "111111").await;
    world.execute("UPDATE mails SET created_at = created_at - interval '24 hours'").await;
    world.sink.next(&[Later, Later]);
    world.send_due().await;
    let statuses: Vec<_> = world.rows().await.into_iter().map(|row| row.status).collect();
    assert_eq!(statuses, ["undeliverable", "expired"]);
}

/// [E1] Names with line breaks neither panic nor make headers; a malformed address ends its mail.
#[sqlx::test(migrations = false)]
async fn strange_names_and_addresses_harm_nobody(pool: PgPool) {
    let world = World::start(pool).await;
    let name = "Ada\r\nBcc: evil@example.com\r\n\r\nBody <b>";
    world.accounts.lock().unwrap().users.insert(world.user_id, (name.to_owned(), "ada@example.com".to_owned()));
    plain_mail(&world).await;
    world.send_due().await;
    let mail = &world.sink.received()[0];
    assert!(!mail.lines().any(|line| line.starts_with("Bcc:")), "{mail}");
    assert!(mail.contains("Body &lt;b&gt;"), "{mail}");
    let broken = "ada@example.com>\r\nRCPT TO:<evil@example.com";
    world.accounts.lock().unwrap().users.insert(world.user_id, ("Ada".to_owned(), broken.to_owned()));
    plain_mail(&world).await;
    world.accounts.lock().unwrap().users.clear();
    plain_mail(&world).await;
    world.send_due().await;
    let statuses: Vec<_> = world.rows().await.into_iter().map(|row| row.status).collect();
    assert_eq!(statuses, ["sent", "undeliverable", "undeliverable"]);
}

/// [E2] Two mailers over one database send every mail once.
#[sqlx::test(migrations = false)]
async fn two_mailers_send_every_mail_once(pool: PgPool) {
    let world = World::start(pool).await;
    for _ in 0..40 {
        plain_mail(&world).await;
    }
    let other = world.mailer(Transport::relay(&world.sink.url(), 4).unwrap());
    let (mine, theirs) = tokio::join!(send_due(&world.send), send_due(&other));
    assert_eq!(mine + theirs, 40);
    let ids: HashSet<_> = world.sink.received().iter().map(|mail| message_id(mail)).collect();
    assert_eq!((ids.len(), world.sink.received().len()), (40, 40));
}

/// [E1] [E2] The mails of a mailer that died are taken up once its lease is over; what it still says then is not heard,
/// unless it says that the mail was sent.
#[sqlx::test(migrations = false)]
async fn a_lost_lease_is_taken_up(pool: PgPool) {
    let world = World::start(pool).await;
    plain_mail(&world).await;
    let (dead, _) = world.send.lease(16).await.unwrap().remove(0);
    assert!(world.send.lease(16).await.unwrap().is_empty());
    assert!((20..=30).contains(&world.row().await.seconds_left));
    world.wait_over().await;
    let second = world.send.lease(16).await.unwrap().remove(0);
    assert_eq!((second.0.id, second.0.tries), (dead.id, 2));
    let mut conn = world.db.conn().await.unwrap();
    mails::end(&mut conn, &dead, FinalStatus::Undeliverable, Some("late")).await.unwrap();
    mails::defer(&mut conn, &dead, Duration::ZERO, "late").await.unwrap();
    assert_eq!(world.row().await.status, "queued");
    mails::end(&mut conn, &dead, FinalStatus::Sent, None).await.unwrap();
    mails::end(&mut conn, &second.0, FinalStatus::Undeliverable, Some("later")).await.unwrap();
    assert_eq!(world.row().await.status, "sent");
}

/// Codes and links go before other mails.
#[sqlx::test(migrations = false)]
async fn codes_go_first(pool: PgPool) {
    let world = World::start(pool).await;
    plain_mail(&world).await;
    code(&world, "r1", "111111").await;
    let first = world.send.lease(1).await.unwrap().remove(0);
    assert!(first.0.secret_reference.is_some());
}

/// A mail of a newer build is left to it, and does not stop the others.
#[sqlx::test(migrations = false)]
async fn a_newer_builds_mail_is_left_to_it(pool: PgPool) {
    let world = World::start(pool).await;
    plain_mail(&world).await;
    world.execute("UPDATE mails SET template = 'from_a_newer_build'").await;
    plain_mail(&world).await;
    world.send_due().await;
    let statuses: Vec<_> = world.rows().await.into_iter().map(|row| row.status).collect();
    assert_eq!(statuses, ["queued", "sent"]);
}

/// [K11] [D-E2] The loop sends what is queued as soon as it is, and ends at shutdown.
#[sqlx::test(migrations = false)]
async fn the_loop_sends_and_ends(pool: PgPool) {
    let world = World::start(pool).await;
    let (send, shutdown) = (Arc::clone(&world.send), CancellationToken::new());
    let stop = shutdown.clone();
    let running = tokio::spawn(async move { send.run(stop).await });
    for _ in 0..30 {
        plain_mail(&world).await;
    }
    let all_sent = async {
        while world.rows().await.iter().any(|row| row.status != "sent") {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), all_sent).await.unwrap();
    shutdown.cancel();
    tokio::time::timeout(Duration::from_secs(10), running).await.unwrap().unwrap();
    assert_eq!(world.sink.received().len(), 30);
}

/// [D-X2] Without a relay each mail is one `.eml`, named in the order of sending. A restart or a second mailer does not
/// change that.
#[sqlx::test(migrations = false)]
async fn a_folder_takes_mails_in_order(pool: PgPool) {
    let world = World::start(pool).await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mail");
    code(&world, "r1", "428193").await;
    send_due(&world.mailer(Transport::folder(&path).unwrap())).await;
    let (one, two) = (Transport::folder(&path).unwrap(), Transport::folder(&path).unwrap());
    plain_mail(&world).await;
    send_due(&world.mailer(one)).await;
    plain_mail(&world).await;
    send_due(&world.mailer(two)).await;
    let mut names: Vec<_> =
        std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["000001-verification_code.eml", "000002-password_changed.eml", "000003-password_changed.eml"]);
    let mail = std::fs::read_to_string(path.join(&names[0])).unwrap();
    assert!(mail.lines().any(|line| line == "428193"), "{mail}");
    assert!(mail.contains("Content-Transfer-Encoding: 7bit"), "{mail}");
}

/// [A15] The sweep goes on until nothing old is left, however many mails ended on one day.
#[sqlx::test(migrations = false)]
async fn all_old_mails_are_forgotten_at_once(pool: PgPool) {
    let world = World::start(pool).await;
    world
        .execute(
            "INSERT INTO mails (id, event_id, template, user_id, params, trace_context, status, ended_at)
             SELECT gen_random_uuid(), gen_random_uuid(), 'password_changed', gen_random_uuid(), '{}', '{}', 'sent',
                    clock_timestamp() - CASE WHEN n <= 12000 THEN interval '91 days' ELSE interval '1 day' END
             FROM generate_series(1, 12010) AS n",
        )
        .await;
    assert_eq!(world.send.forget_old().await.unwrap(), 12_000);
    assert_eq!(world.count("SELECT count(*) FROM mails").await, 10);
}
