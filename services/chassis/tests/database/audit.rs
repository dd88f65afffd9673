//! The audit log of staff.

use chassis::audit::{self, Act, Filter};
use chassis::db::Db;
use chassis::identity::{Role, Staff};
use chassis::page::Page;
use futures::future::join_all;
use sqlx::postgres::PgPoolOptions;
use sqlx::{Executor, PgPool};
use time::{Duration, OffsetDateTime};
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

/// 20,000 rows, a minute between two of them, one of a thousand by another person.
const FILL: &str = "INSERT INTO audit_rows (id, at, actor_id, actor_role, action, subject_id, member_id, address, hash)
    SELECT id, to_timestamp(1800000000 + 60 * id), CASE WHEN id % 1000 = 0 THEN md5('rare') ELSE md5('busy') END::uuid, 'reviewer',
        CASE WHEN id % 2000 = 0 THEN 'rare_act' WHEN id % 1000 = 0 THEN 'rare.act' WHEN id % 2 = 0 THEN 'deposit.approve'
            ELSE 'deposit.reject' END,
        'subject', md5((id % 100)::text)::uuid, '', 'x'
    FROM generate_series(1, 20000) AS id";

/// [D-O3] [D-H5] Rows are found by person, beginning of the action, member and period, page by page, without reading the log.
#[sqlx::test(migrations = false)]
async fn the_trail_is_searched_by_its_indexes(pool: PgPool) {
    const READ: &str = "SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint FROM pg_stat_xact_user_tables
        WHERE relname = 'audit_rows'";
    let db = database(&pool).await;
    pool.execute(FILL).await.unwrap();
    pool.execute("VACUUM ANALYZE audit_rows").await.unwrap();
    let id_of = async |name: &str| {
        let id = sqlx::query_scalar::<_, Uuid>("SELECT md5($1)::uuid").bind(name.to_owned());
        id.fetch_one(&pool).await.unwrap()
    };
    let (rare, busy, member) = (id_of("rare").await, id_of("busy").await, id_of("7").await);
    let at = |id: i64| Some(OffsetDateTime::UNIX_EPOCH + Duration::seconds(1_800_000_000 + 60 * id));
    let action = |action: &str| Filter { action: action.to_owned(), ..Filter::default() };
    let by = |actor: Uuid, filter: Filter| Filter { actor_id: Some(actor.into()), ..filter };
    let within = |since, until, filter: Filter| Filter { since, until, ..filter };
    let of_member = |filter: Filter| Filter { member_id: Some(member.into()), ..filter };
    let cases: [(Filter, Option<i64>, &[i64]); 15] = [
        (Filter::default(), None, &[20_000, 19_999, 19_998]),
        (Filter::default(), Some(9_000), &[8_999, 8_998, 8_997]),
        (action("rare"), None, &[20_000, 19_000, 18_000]),
        (action("rare_"), None, &[20_000, 18_000, 16_000]),
        (action("rare.act"), Some(3_000), &[1_000]),
        (action("deposit."), Some(1_001), &[999, 998, 997]),
        (action("%"), None, &[]),
        (action("unheard"), None, &[]),
        (by(rare, Filter::default()), Some(2_001), &[2_000, 1_000]),
        (by(busy, action("rare")), None, &[]),
        (by(busy, action("deposit.r")), Some(3_001), &[2_999, 2_997, 2_995]),
        (within(at(4_999), at(5_001), Filter::default()), None, &[5_000, 4_999]),
        (within(at(5_000), at(7_000), action("rare")), None, &[6_000, 5_000]),
        (within(None, at(1_500), by(rare, Filter::default())), None, &[1_000]),
        (within(at(200), at(400), of_member(action("deposit"))), None, &[307, 207]),
    ];
    for (filter, after, found) in cases {
        let mut tx = db.begin().await.unwrap();
        let before: i64 = sqlx::query_scalar(READ).fetch_one(&mut *tx).await.unwrap();
        let (rows, next) = audit::list(&mut tx, &filter, &Page { after, size: 3 }).await.unwrap();
        let after_it: i64 = sqlx::query_scalar(READ).fetch_one(&mut *tx).await.unwrap();
        tx.commit().await.unwrap();
        let ids: Vec<_> = rows.iter().map(|row| row.id).collect();
        assert_eq!(ids, found, "{filter:?}");
        assert!(next.is_empty() || ids.len() == 3, "{filter:?}");
        assert!(after_it - before < 500, "{filter:?} read {} rows", after_it - before);
    }
}
