//! Certificates, and who may read them.

use chassis::erasure::Erase;
use chassis::testing::with_token;
use course::app::erase_members::MemberRecords;
use course::app::import_course::import_course;
use course::content;
use proto::course::v1::course_service_server::CourseService;
use proto::course::v1::*;
use sqlx::PgPool;
use tonic::{Code, Status};

use crate::fixture::{Member, World, code};

impl World {
    async fn finish(&self, member: &Member, lesson_id: &str, is_done: bool) {
        let report = PutProgressRequest {
            lesson_id: lesson_id.to_owned(),
            done: Some(is_done),
            holder_name: "Ann Example".to_owned(),
            ..Default::default()
        };
        self.put(member, report).await.unwrap();
    }

    async fn finish_all(&self, member: &Member) {
        for lesson in self.lessons(Some(member)).await {
            self.finish(member, &lesson.id, true).await;
        }
    }

    /// Publishes a version with one lesson more and another title.
    async fn add_a_lesson(&self) {
        let mut longer = content::first_version().unwrap();
        longer.title = "Another title".to_owned();
        let mut lesson = longer.modules[0].lessons[0].clone();
        lesson.id = "one-more".to_owned();
        longer.modules[0].lessons.push(lesson);
        import_course(&self.db, &longer).await.unwrap();
    }

    async fn issue(&self, member: &Member) -> Result<Certificate, Status> {
        self.issue_to(member, "Ann Example").await
    }

    async fn issue_to(&self, member: &Member, holder_name: &str) -> Result<Certificate, Status> {
        let message = IssueCertificateRequest { holder_name: holder_name.to_owned() };
        let answer = self.grpc.issue_certificate(with_token(message, &member.token)).await?;
        Ok(answer.into_inner().certificate.unwrap())
    }

    async fn read(&self, number: &str) -> Result<GetCertificateResponse, Status> {
        let message = GetCertificateRequest { number: number.to_owned() };
        Ok(self.grpc.get_certificate(self.realm.visitor(message)).await?.into_inner())
    }
}

/// [D-C8] A member who has bought the course and done all lessons gets one certificate, however often they ask; anyone who
/// knows its number reads it, and nobody else.
#[sqlx::test(migrations = false)]
async fn all_lessons_done_earn_one_certificate(pool: PgPool) {
    let world = World::new(pool).await;
    let buyer = world.buyer();
    assert_eq!(code(world.issue(&world.member()).await), "PERMISSION_DENIED");
    assert_eq!(code(world.issue(&buyer).await), "LESSONS_LEFT");
    let mut lessons = world.lessons(Some(&buyer)).await;
    let last = lessons.pop().unwrap();
    for lesson in lessons {
        world.finish(&buyer, &lesson.id, true).await;
    }
    world.finish(&buyer, &last.id, false).await;
    assert_eq!(code(world.issue(&buyer).await), "LESSONS_LEFT");
    assert!(world.course(Some(&buyer)).await.unwrap().certificate.is_none());
    world.finish(&buyer, &last.id, true).await;

    let (one, two, three) = tokio::join!(world.issue(&buyer), world.issue(&buyer), world.issue(&buyer));
    let issued = one.unwrap();
    assert_eq!([two.unwrap(), three.unwrap()], [issued.clone(), issued.clone()]);
    assert_eq!(issued.course_title, world.course(None).await.unwrap().title);
    assert_eq!(world.course(Some(&buyer)).await.unwrap().certificate.as_ref(), Some(&issued));
    assert!(world.course(Some(&world.buyer())).await.unwrap().certificate.is_none());

    let read = world.read(&issued.number).await.unwrap();
    assert_eq!((read.certificate, read.user_id), (Some(issued), buyer.id.to_string()));
    for number in ["", "1", "00000000-0000-0000-0000-000000000000", &buyer.id.to_string()] {
        assert_eq!(code(world.read(number).await), "NOT_FOUND", "{number}");
    }
}

/// [D-C8] [D-R18] R3: the last lesson issues the certificate, to the member's name then, no matter what a later version has, and
/// also when two devices report the last two lessons at once.
#[sqlx::test(migrations = false)]
async fn the_last_lesson_issues_the_certificate(pool: PgPool) {
    let world = World::new(pool).await;
    let buyer = world.buyer();
    let mut lessons = world.lessons(Some(&buyer)).await;
    let (last, other) = (lessons.pop().unwrap(), lessons.pop().unwrap());
    for lesson in lessons {
        world.finish(&buyer, &lesson.id, true).await;
    }
    tokio::join!(world.finish(&buyer, &last.id, true), world.finish(&buyer, &other.id, true));
    let issued = world.course(Some(&buyer)).await.unwrap().certificate.unwrap();
    assert_eq!(issued.holder_name, "Ann Example");
    world.add_a_lesson().await;
    world.finish(&buyer, &last.id, false).await;
    assert_eq!(world.course(Some(&buyer)).await.unwrap().certificate.as_ref(), Some(&issued));
    assert_eq!(world.issue_to(&buyer, "Another Name").await.unwrap(), issued);
}

/// [D-C8] [D-C9] Who has not got the course earns no certificate with a preview, after a refund either; an unknown name is
/// left open.
#[sqlx::test(migrations = false)]
async fn a_preview_earns_no_certificate(pool: PgPool) {
    let world = World::new(pool).await;
    let (buyer, other) = (world.buyer(), world.buyer());
    for member in [&buyer, &other] {
        for lesson in world.lessons(Some(member)).await.iter().filter(|lesson| !lesson.preview) {
            world.finish(member, &lesson.id, true).await;
        }
    }
    world.wallet.refund(buyer.id);
    for lesson in world.lessons(Some(&buyer)).await.iter().filter(|lesson| lesson.preview) {
        world.finish(&buyer, &lesson.id, true).await;
        let nameless =
            PutProgressRequest { lesson_id: lesson.id.clone(), done: Some(true), ..PutProgressRequest::default() };
        world.put(&other, nameless).await.unwrap();
    }
    assert!(world.course(Some(&buyer)).await.unwrap().certificate.is_none());
    assert_eq!(world.course(Some(&other)).await.unwrap().certificate.unwrap().holder_name, "");
}

/// [D-C8] A certificate keeps the name of its first issue, and is found by its number as it was given alone.
#[sqlx::test(migrations = false)]
async fn a_certificate_keeps_its_name_and_number(pool: PgPool) {
    let world = World::new(pool).await;
    let buyer = world.buyer();
    for name in ["", &"x".repeat(101), "Ann\nExample"] {
        assert_eq!(code(world.issue_to(&buyer, name).await), "VALIDATION_FAILED", "{name}");
    }
    world.finish_all(&buyer).await;
    let issued = world.issue_to(&buyer, "Ann Example").await.unwrap();
    assert_eq!(world.issue_to(&buyer, "Another Name").await.unwrap(), issued);
    assert_eq!(world.read(&issued.number).await.unwrap().certificate.unwrap().holder_name, "Ann Example");
    let spellings = [
        issued.number.to_uppercase(),
        format!("{{{}}}", issued.number),
        format!("urn:uuid:{}", issued.number),
        issued.number.replace('-', ""),
    ];
    for spelling in spellings {
        assert_eq!(code(world.read(&spelling).await), "NOT_FOUND", "{spelling}");
    }
}

/// [D-C8] [D-C9] [D-R18] A certificate stays when the course is refunded, and says that it has ended. Nobody guesses while
/// wallet does not answer.
#[sqlx::test(migrations = false)]
async fn a_refund_ends_a_certificate(pool: PgPool) {
    let world = World::new(pool).await;
    let buyer = world.buyer();
    world.finish_all(&buyer).await;
    let issued = world.issue(&buyer).await.unwrap();
    assert!(!world.read(&issued.number).await.unwrap().ended);
    world.wallet.refund(buyer.id);
    let read = world.read(&issued.number).await.unwrap();
    assert_eq!((read.certificate.as_ref(), read.ended), (Some(&issued), true));
    world.wallet.set_away(true);
    assert_eq!(world.read(&issued.number).await.unwrap_err().code(), Code::Unavailable);
}

/// [D-C8] [D-C4] A certificate stays when a later version has more lessons or another title.
#[sqlx::test(migrations = false)]
async fn a_certificate_survives_new_versions(pool: PgPool) {
    let world = World::new(pool).await;
    let (before, after) = (world.buyer(), world.buyer());
    world.finish_all(&before).await;
    world.finish_all(&after).await;
    // As those who had done all lessons before the last one issued the certificate.
    sqlx::query("DELETE FROM certificates WHERE user_id = $1").bind(after.id).execute(&world.pool).await.unwrap();
    let issued = world.issue(&before).await.unwrap();
    world.add_a_lesson().await;
    assert_eq!(world.issue(&before).await.unwrap(), issued);
    assert_eq!(code(world.issue(&after).await), "LESSONS_LEFT");
}

/// [D-A12] A certificate goes with the personal data of its member, and those of others stay.
#[sqlx::test(migrations = false)]
async fn certificates_go_with_the_personal_data(pool: PgPool) {
    let world = World::new(pool).await;
    let (gone, other) = (world.buyer(), world.buyer());
    let mut numbers = Vec::new();
    for member in [&gone, &other] {
        world.finish_all(member).await;
        numbers.push(world.issue(member).await.unwrap().number);
    }
    let mut tx = world.db.begin().await.unwrap();
    MemberRecords.erase(&mut tx, &[gone.id.into()]).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(code(world.read(&numbers[0]).await), "NOT_FOUND");
    assert!(world.read(&numbers[1]).await.is_ok());
}
