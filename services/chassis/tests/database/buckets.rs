//! Buckets of one database.

use chassis::audit;
use chassis::db::{self, Bucketed, Buckets, Db, PgConnection, Schema};
use sqlx::{ConnectOptions, Executor, PgPool};

use crate::migrations::migrator;

async fn note_of(conn: &mut PgConnection) -> Result<String, sqlx::Error> {
    sqlx::query_scalar("SELECT bucket FROM notes").fetch_one(conn).await
}

async fn notes_of_all(conn: &mut PgConnection) -> Result<Vec<String>, sqlx::Error> {
    Ok(chassis::across!(conn, note_of(conn)))
}

/// [D-H6] A bucket has its own tables and finds the shared ones in the first. A read across all of them comes home; a connection
/// that is dropped away from home is closed, and so is one that was cancelled on its way. A process that reads fewer buckets than
/// take members is refused.
#[sqlx::test(migrations = false)]
async fn a_connection_visits_the_buckets_and_comes_home(pool: PgPool) {
    let note = "CREATE TABLE notes (bucket text); CREATE INDEX notes_bucket ON audit_rows (action);
        CREATE TABLE open_buckets (count smallint); INSERT INTO open_buckets VALUES (1)";
    let note = ("1_note.sql", note);
    let shared = &["proposals", "audit_rows", "dead_letters", "open_buckets"];
    let bucketed = Some(Bucketed { name: "part", shared });
    let schema = Schema { migrations: migrator(&[note]).await, definitions: &[], bucketed };
    let buckets = Buckets { name: "part", count: 3 };
    let all = chassis::testing::buckets(pool.clone(), schema, buckets).await;
    for (number, db) in all.iter().enumerate() {
        let mut tx = db.begin().await.unwrap();
        sqlx::query("INSERT INTO notes VALUES ($1)").bind(number.to_string()).execute(&mut *tx).await.unwrap();
        audit::append_own(&mut tx, "note", "subject", serde_json::json!({})).await.unwrap();
        tx.commit().await.unwrap();
    }
    let mut conn = all[1].conn().await.unwrap();
    assert_eq!(notes_of_all(&mut conn).await.unwrap(), ["0", "1", "2"]);
    assert_eq!(note_of(&mut conn).await.unwrap(), "1");
    // One trail for all.
    assert_eq!(audit::newest(&mut conn).await.unwrap().unwrap().0, 3);
    conn.enter(2).await.unwrap();
    drop(conn);
    assert_eq!(note_of(&mut all[1].conn().await.unwrap()).await.unwrap(), "1");
    let shown: Vec<String> =
        sqlx::query_scalar("SELECT bucket FROM part_all.notes ORDER BY bucket").fetch_all(&pool).await.unwrap();
    assert_eq!(shown, ["0", "1", "2"]);
    // A process may read more buckets than are open, and never fewer.
    let url = pool.connect_options().to_url_lossy().to_string();
    for (count, is_served) in [(1, false), (2, false), (3, true)] {
        let some = Db::connect_buckets(&url, 8, Buckets { name: "part", count }).unwrap();
        assert_eq!(some[0].is_up().await, is_served, "{count}");
    }
    let all = Db::connect_buckets(&url, 8, buckets).unwrap();
    assert_eq!(all.iter().map(|db| db.usage().most).collect::<Vec<_>>(), [8, 4, 4]);
    let error = db::open_buckets(&pool, Buckets { name: "part", count: 4 }).await.unwrap_err().to_string();
    assert_eq!(error, "there is no schema part_03");
    db::add_buckets(&pool, schema, Buckets { name: "part", count: 4 }).await.unwrap();
    assert!(all[0].is_up().await);
    pool.execute("DROP SCHEMA part_03 CASCADE").await.unwrap();
    // What is shared is in one place, and the migration says so.
    pool.execute("CREATE TABLE part_02.proposals ()").await.unwrap();
    let error = db::migrate(&pool, schema).await.unwrap_err().to_string();
    assert_eq!(error, "part_02 is not as the first bucket: proposals");
    pool.execute("DROP TABLE part_02.proposals; DROP TABLE part_02.notes CASCADE").await.unwrap();
    let error = db::migrate(&pool, schema).await.unwrap_err().to_string();
    assert_eq!(error, "part_02 is not as the first bucket: notes");
    // A schema that is missing would be passed over.
    pool.execute("DROP SCHEMA part_02 CASCADE").await.unwrap();
    assert!(notes_of_all(&mut all[0].conn().await.unwrap()).await.is_err());
    let lost = Db::connect_buckets(&url, 4, buckets).unwrap().pop().unwrap();
    assert!(!lost.is_up().await);
}
