//! Versions of the content.

use chassis::audit;
use chassis::identity::Role;
use chassis::testing::with_token;
use course::app::export_course::export_course;
use course::app::import_course::import_course;
use course::app::publish_first_version::publish_first_version;
use course::content;
use course::domain::files;
use proto::common::v1::ListAuditRowsRequest;
use proto::common::v1::audit_service_server::AuditService;
use sqlx::PgPool;

use crate::fixture::{World, code};

/// [D-C4] A new product has the first version, however many replicas start; a start later changes nothing.
#[sqlx::test(migrations = false)]
async fn the_first_version_is_published_once(pool: PgPool) {
    let world = World::new(pool).await;
    let course = content::first_version().unwrap();
    let again = async || publish_first_version(&world.db, &course).await.unwrap();
    tokio::join!(again(), again(), again());
    let count: i64 = sqlx::query_scalar("SELECT count(*) FROM publications").fetch_one(&world.pool).await.unwrap();
    assert_eq!(count, 1);
    assert_eq!(export_course(&world.db).await.unwrap(), course);
}

/// [D-C4] What is exported and imported again is the same course; each import is a version and a row of the audit log.
#[sqlx::test(migrations = false)]
async fn a_course_goes_through_files_unchanged(pool: PgPool) {
    let world = World::new(pool).await;
    let before = export_course(&world.db).await.unwrap();
    let mut changed = files::parse(&files::write(&before)).unwrap();
    assert_eq!(changed, before);
    changed.title = "Another title".to_owned();
    assert_eq!(import_course(&world.db, &changed).await.unwrap(), 2);
    assert_eq!(world.course(None).await.unwrap().title, "Another title");
    let admin = world.realm.staff(Role::Admin).1;
    let rows =
        world.grpc.audit_log().list_audit_rows(with_token(ListAuditRowsRequest::default(), &admin)).await.unwrap();
    let rows: Vec<_> =
        rows.into_inner().rows.into_iter().map(|row| (row.action, row.subject_id, row.actor_role)).collect();
    let row = |version: &str| ("course.import".to_owned(), version.to_owned(), "system".to_owned());
    assert_eq!(rows, [row("2"), row("1")]);
    assert_eq!(audit::broken_at(&world.pool).await.unwrap(), None);
    let manager = world.realm.staff(Role::Manager).1;
    let refused = world.grpc.audit_log().list_audit_rows(with_token(ListAuditRowsRequest::default(), &manager)).await;
    assert_eq!(code(refused), "PERMISSION_DENIED");
}

/// [D-C4] A version never changes, and neither does what was published.
#[sqlx::test(migrations = false)]
async fn versions_are_append_only(pool: PgPool) {
    let world = World::new(pool).await;
    for statement in [
        "UPDATE versions SET title = 'x'",
        "UPDATE modules SET title = 'x'",
        "UPDATE lessons SET markdown = 'x'",
        "DELETE FROM lessons",
        "DELETE FROM publications",
        "INSERT INTO modules VALUES (1, 8, 'late', '')",
        "INSERT INTO lessons VALUES (1, 'late', 1, 2, 'late', 1, true, 'x')",
    ] {
        let refused = sqlx::query(statement).execute(&world.pool).await.unwrap_err();
        assert_eq!(refused.as_database_error().unwrap().code().as_deref(), Some("23001"), "{statement}");
    }
}

/// [D-C4] A reader sees one version from beginning to end, while others are published.
#[sqlx::test(migrations = false)]
async fn a_reader_sees_one_version(pool: PgPool) {
    let world = World::new(pool).await;
    let marked = |mark: &str| {
        let mut course = content::first_version().unwrap();
        course.title = mark.to_owned();
        course.modules.iter_mut().for_each(|module| {
            module.title = mark.to_owned();
            module.lessons.iter_mut().for_each(|lesson| lesson.title = mark.to_owned());
        });
        course
    };
    let (one, two) = (marked("one"), marked("two"));
    import_course(&world.db, &one).await.unwrap();
    let publish = async {
        for round in 0..10 {
            import_course(&world.db, if round % 2 == 0 { &two } else { &one }).await.unwrap();
        }
    };
    let read = async {
        for _ in 0..40 {
            let course = world.course(None).await.unwrap();
            let of_one = |title: &String| *title == course.title;
            assert!(course.modules.iter().all(|module| of_one(&module.title)));
            assert!(course.modules.iter().flat_map(|module| &module.lessons).all(|lesson| of_one(&lesson.title)));
        }
    };
    tokio::join!(publish, read);
}
