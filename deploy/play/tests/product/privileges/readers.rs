//! Roles that read only.

use sqlx::postgres::PgConnection;
use sqlx::{Connection, PgPool};

use crate::privileges::{may, provision, run, services};

/// [D-B2] The auditor's role reads every table but the secrets in it, and writes nothing: neither a table nor a sequence, nor by a function with the
/// rights of its owner.
#[sqlx::test(migrations = false)]
async fn the_auditor_reads_all_but_secrets_and_writes_nothing(pool: PgPool) {
    let mut conn = PgConnection::connect_with(&pool.connect_options()).await.unwrap();
    run(
        &mut conn,
        "DO $$ BEGIN CREATE ROLE auditor LOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
        ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO auditor",
    )
    .await
    .unwrap();
    provision(&mut conn).await;
    let tables: Vec<(String, String)> = sqlx::query_as(
        "SELECT nspname::text, relname::text FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
         WHERE nspname = ANY ($1) AND relkind IN ('r', 'p') ORDER BY 1, 2",
    )
    .bind(services().map(|(schema, _)| schema).collect::<Vec<_>>())
    .fetch_all(&mut conn)
    .await
    .unwrap();
    assert!(tables.len() > 50, "{}", tables.len());
    let may_write: Vec<String> = sqlx::query_scalar(
        "SELECT pg_class.oid::regclass::text FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
         WHERE nspname = ANY ($1) AND (relkind IN ('r', 'p', 'v')
            AND has_table_privilege('auditor', pg_class.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, TRIGGER, REFERENCES')
            OR relkind IN ('r', 'p') AND has_any_column_privilege('auditor', pg_class.oid, 'INSERT, UPDATE, REFERENCES')
            OR relkind = 'S' AND has_sequence_privilege('auditor', pg_class.oid, 'USAGE, UPDATE'))
         UNION ALL
         SELECT pg_proc.oid::regprocedure::text FROM pg_proc JOIN pg_namespace ON pg_namespace.oid = pronamespace
         WHERE nspname = ANY ($1) AND prosecdef AND has_function_privilege('auditor', pg_proc.oid, 'EXECUTE')",
    )
    .bind(services().map(|(schema, _)| schema).collect::<Vec<_>>())
    .fetch_all(&mut conn)
    .await
    .unwrap();
    assert_eq!(may_write, Vec::<String>::new());
    for (schema, _) in services() {
        run(&mut conn, &format!("GRANT USAGE ON SCHEMA {schema} TO auditor")).await.unwrap();
    }
    run(&mut conn, "SET ROLE auditor").await.unwrap();
    for secret in
        ["users.password_hash", "authenticators.sealed_secret", "recovery_codes.code_hash", "reset_tokens.token_hash"]
    {
        let (table, column) = secret.split_once('.').unwrap();
        assert!(!may(&mut conn, &format!("SELECT {column} FROM auth.{table}")).await, "{secret}");
    }
    for (schema, table) in tables {
        run(&mut conn, &format!("SELECT FROM {schema}.{table} LIMIT 1")).await.unwrap();
        assert!(!may(&mut conn, &format!("DELETE FROM {schema}.{table} WHERE false")).await, "{schema}.{table}");
    }
}

/// [D-H5] The media worker sees the rows of files, and nothing else.
#[sqlx::test(migrations = false)]
async fn the_media_worker_sees_the_rows_of_files(pool: PgPool) {
    let mut conn = PgConnection::connect_with(&pool.connect_options()).await.unwrap();
    run(
        &mut conn,
        "DO $$ BEGIN CREATE ROLE course_worker LOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$",
    )
    .await
    .unwrap();
    provision(&mut conn).await;
    let verbs = ["SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER"];
    let rights: Vec<(String, String)> = sqlx::query_as(
        "SELECT relname::text, string_agg(verb, ' ' ORDER BY n) FROM pg_class
         JOIN pg_namespace ON pg_namespace.oid = relnamespace, unnest($2::text[]) WITH ORDINALITY AS verbs (verb, n)
         WHERE nspname = ANY ($1) AND relkind IN ('r', 'p', 'v') AND has_table_privilege('course_worker', pg_class.oid, verb)
         GROUP BY 1 ORDER BY 1",
    )
    .bind(services().map(|(schema, _)| schema).collect::<Vec<_>>())
    .bind(verbs)
    .fetch_all(&mut conn)
    .await
    .unwrap();
    let own = |table: &str| (table.to_owned(), "SELECT UPDATE DELETE".to_owned());
    assert_eq!(rights, [own("media"), own("media_chunks")]);
}
