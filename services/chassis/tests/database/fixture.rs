//! A migrated database, and the error of its use cases.

use chassis::db::{self, Db};
use chassis::error::{Fault, Meaning, Refusal};
use sqlx::migrate::Migrator;
use sqlx::{Executor, PgPool};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("database")]
    Database(#[from] sqlx::Error),
    #[error("{}", .0.message)]
    Refused(#[from] Refusal),
}

impl Fault for Error {
    fn meaning(&self) -> Meaning<'_> {
        match self {
            Self::Refused(refusal) => Meaning::Refused(refusal),
            Self::Database(error) => Meaning::Database(error),
        }
    }
}

/// A migrated database with a table `effects` to leave traces in.
pub async fn database(pool: &PgPool) -> Db {
    db::migrate(pool, &Migrator::DEFAULT).await.unwrap();
    pool.execute("CREATE TABLE effects (number integer NOT NULL)").await.unwrap();
    Db::from_pool(pool.clone())
}

pub async fn effects(pool: &PgPool) -> i64 {
    sqlx::query_scalar("SELECT count(*) FROM effects").fetch_one(pool).await.unwrap()
}
