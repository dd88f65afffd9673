//! The audit log of staff.

use chassis::audit::{self, Act};
use chassis::db::Db;
use chassis::identity::{Role, Staff};
use futures::future::join_all;
use sqlx::postgres::PgPoolOptions;
use sqlx::{Executor, PgPool};
use uuid::Uuid;

use crate::fixture::database;

async fn append(db: &Db, action: &str) {
    let staff = Staff::new(Uuid::new_v4().into(), Role::Reviewer);
    let mut tx = db.begin().await.unwrap();
    let act = Act {
        staff: &staff,
        action,
        subject_id: "subject".to_owned(),
        member_id: Some(Uuid::new_v4().into()),
        before: Some(serde_json::json!({"status": "pending", "b": 1, "a": [1.5, null]})),
        after: None,
        address: "203.0.113.7",
    };
    audit::append(&mut tx, act).await.unwrap();
    tx.commit().await.unwrap();
}

pub async fn broken_at(db: &Db) -> Option<i64> {
    audit::broken_at(&mut *db.conn().await.unwrap()).await.unwrap()
}

/// [D-O3] The trail is append-only, for everybody, the owner of the table included.
#[sqlx::test(migrations = false)]
async fn the_trail_is_append_only(pool: PgPool) {
    let db = database(&pool).await;
    append(&db, "deposit.approve").await;
    for sql in ["UPDATE audit_rows SET action = 'x'", "DELETE FROM audit_rows", "TRUNCATE audit_rows"] {
        let error = pool.execute(sql).await.unwrap_err();
        assert!(error.to_string().contains("append-only"), "{sql}: {error}");
    }
    assert_eq!(broken_at(&db).await, None);
}

/// [D-O3] Two services' tables may stand beside each other in the schemas of one database: each has its own trail, and neither
/// waits for the other.
#[sqlx::test(migrations = false)]
async fn schemas_of_a_database_do_not_wait_for_each_other(pool: PgPool) {
    let mut all = Vec::new();
    for name in ["one", "two"] {
        sqlx::query(sqlx::AssertSqlSafe(format!("CREATE SCHEMA {name}"))).execute(&pool).await.unwrap();
        let options = (*pool.connect_options()).clone().options([("search_path", name)]);
        let schema = PgPoolOptions::new().max_connections(2).connect_with(options).await.unwrap();
        all.push(database(&schema).await);
    }
    let mut tx = all[0].begin().await.unwrap();
    audit::append_own(&mut tx, "hold", "subject", serde_json::json!({})).await.unwrap();
    append(&all[1], "deposit.approve").await;
    tx.commit().await.unwrap();
    for db in &all {
        let newest = audit::newest(&mut db.conn().await.unwrap()).await.unwrap();
        assert_eq!(newest.unwrap().0, 1);
    }
}

/// [D-O3] A changed, missing or inserted row shows, although the trigger was out of the way.
#[sqlx::test(migrations = false)]
async fn a_tampered_trail_shows(pool: PgPool) {
    let db = database(&pool).await;
    // At once, so that the chain is proved to have one writer at a time.
    join_all((0..6).map(|_| append(&db, "deposit.approve"))).await;
    assert_eq!(broken_at(&db).await, None);
    pool.execute("ALTER TABLE audit_rows DISABLE TRIGGER audit_rows_append_only").await.unwrap();
    for (tamper, undo, broken) in [
        ("UPDATE audit_rows SET action = 'x' WHERE id = 3", "UPDATE audit_rows SET action = 'deposit.approve'", 3),
        ("UPDATE audit_rows SET assertion = 'x' WHERE id = 3", "UPDATE audit_rows SET assertion = NULL", 3),
        ("UPDATE audit_rows SET before = '{\"a\": 2}' WHERE id = 2", "", 2),
        ("DELETE FROM audit_rows WHERE id = 1", "", 2),
    ] {
        pool.execute(tamper).await.unwrap();
        assert_eq!(broken_at(&db).await, Some(broken), "{tamper}");
        if !undo.is_empty() {
            pool.execute(undo).await.unwrap();
            assert_eq!(broken_at(&db).await, None);
        }
    }
}
