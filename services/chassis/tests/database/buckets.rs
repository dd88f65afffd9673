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
/// that is dropped away from home is closed, and so is one that was cancelled on its way.
#[sqlx::test(migrations = false)]
async fn a_connection_visits_the_buckets_and_comes_home(pool: PgPool) {
    let note = ("1_note.sql", "CREATE TABLE notes (bucket text); CREATE INDEX notes_bucket ON audit_rows (action)");
    let shared = &["proposals", "audit_rows", "parked_events"];
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
    let options = (*pool.connect_options()).clone();
    let url = options.to_url_lossy().to_string();
    let lost = Db::connect_buckets(&url, 4, buckets).unwrap().pop().unwrap();
    assert!(!lost.is_up().await);
}
