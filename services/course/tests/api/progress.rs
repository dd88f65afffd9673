//! The progress of members.

use chassis::clock::{self, Timestamp};
use course::app::export_course::export_course;
use course::app::import_course::import_course;
use proto::course::v1::PutProgressRequest;
use sqlx::PgPool;
use time::{Duration, OffsetDateTime};

use crate::fixture::{PREVIEW, SOLD, World, code};

fn report(lesson: &str, position_seconds: i32, done: Option<bool>, at: Option<OffsetDateTime>) -> PutProgressRequest {
    let lesson_id = lesson.to_owned();
    PutProgressRequest { lesson_id, position_seconds, done, at: at.map(clock::to_proto), ..Default::default() }
}

/// [D-C6] What the device wrote last is kept, in any order of arrival; what a report does not say stays.
#[sqlx::test(migrations = false)]
async fn the_last_report_by_the_devices_clock_is_kept(pool: PgPool) {
    let world = World::new(pool).await;
    let buyer = world.buyer();
    let noon = OffsetDateTime::now_utc() - Duration::HOUR;
    let put = async |position, done, minutes| {
        let at = Some(noon + Duration::minutes(minutes));
        let kept = world.put(&buyer, report(SOLD, position, done, at)).await.unwrap();
        (kept.position_seconds, kept.done_at.is_some())
    };
    assert_eq!(put(10, None, 0).await, (10, false));
    assert_eq!(put(60, Some(true), 5).await, (60, true));
    assert_eq!(put(30, Some(false), 3).await, (60, true), "written before, arrived after");
    assert_eq!(put(70, None, 6).await, (70, true), "done stays");
    let done_at = world.lesson(Some(&buyer), SOLD).await.unwrap().progress.unwrap().done_at;
    assert_eq!(put(71, Some(true), 7).await, (71, true));
    assert_eq!(world.lesson(Some(&buyer), SOLD).await.unwrap().progress.unwrap().done_at, done_at);
    assert_eq!(put(0, Some(false), 8).await, (0, false));
}

/// [D-C6] A device whose clock is ahead keeps no other device from writing afterwards.
#[sqlx::test(migrations = false)]
async fn a_clock_that_is_ahead_blocks_nothing(pool: PgPool) {
    let world = World::new(pool).await;
    let buyer = world.buyer();
    let tomorrow = OffsetDateTime::now_utc() + Duration::DAY;
    let kept = world.put(&buyer, report(SOLD, 10, None, Some(tomorrow))).await.unwrap();
    assert!(kept.at.unwrap().seconds < tomorrow.unix_timestamp());
    assert_eq!(world.put(&buyer, report(SOLD, 20, None, None)).await.unwrap().position_seconds, 20);
}

/// [D-C6] [S3] Only who may read a lesson has progress in it, and nobody sees that of another member.
#[sqlx::test(migrations = false)]
async fn progress_is_the_members_own(pool: PgPool) {
    let world = World::new(pool).await;
    let (buyer, member) = (world.buyer(), world.member());
    world.put(&buyer, report(SOLD, 10, Some(true), None)).await.unwrap();
    assert!(world.lessons(Some(&member)).await.iter().all(|lesson| lesson.progress.is_none()));
    let own = world.lessons(Some(&buyer)).await;
    assert_eq!(own.iter().filter(|lesson| lesson.progress.is_some()).count(), 1);
    assert_eq!(code(world.put(&member, report(SOLD, 1, None, None)).await), "PERMISSION_DENIED");
    assert_eq!(code(world.put(&member, report("nothing", 1, None, None)).await), "NOT_FOUND");
    assert!(world.put(&member, report(PREVIEW, 1, None, None)).await.is_ok());
    for position in [-1, 86_401] {
        assert_eq!(code(world.put(&buyer, report(SOLD, position, None, None)).await), "VALIDATION_FAILED");
    }
    let no_moment =
        PutProgressRequest { at: Some(Timestamp { seconds: i64::MAX, nanos: 0 }), ..report(SOLD, 1, None, None) };
    assert_eq!(code(world.put(&buyer, no_moment).await), "VALIDATION_FAILED");
}

/// [D-C6] Progress belongs to the lesson's id: it survives a new order, and a version that does not have the lesson.
#[sqlx::test(migrations = false)]
async fn progress_survives_new_versions(pool: PgPool) {
    let world = World::new(pool).await;
    let buyer = world.buyer();
    world.put(&buyer, report(SOLD, 10, Some(true), None)).await.unwrap();
    let whole = export_course(&world.db).await.unwrap();
    let mut reordered = whole.clone();
    reordered.modules.reverse();
    import_course(&world.db, &reordered).await.unwrap();
    let lessons = world.lessons(Some(&buyer)).await;
    assert_eq!(lessons.last().unwrap().id, PREVIEW);
    assert!(lessons.iter().find(|lesson| lesson.id == SOLD).unwrap().progress.is_some());
    let mut without = whole.clone();
    without.modules.retain(|module| module.lessons.iter().all(|lesson| lesson.id != SOLD));
    import_course(&world.db, &without).await.unwrap();
    assert_eq!(code(world.put(&buyer, report(SOLD, 20, None, None)).await), "NOT_FOUND");
    import_course(&world.db, &whole).await.unwrap();
    assert_eq!(world.lesson(Some(&buyer), SOLD).await.unwrap().progress.unwrap().position_seconds, 10);
}
