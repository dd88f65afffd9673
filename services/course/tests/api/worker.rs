//! The media worker as a process: killed, resumed, stopped.

use std::process::Stdio;
use std::time::Duration;

use proto::course::v1::{MediaKind, MediaState};
use sqlx::PgPool;
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep};

use crate::media::{Studio, ffmpeg, files};

impl Studio {
    /// A worker as a process of its own, on the same database and store.
    fn start_worker(&self, pool: &PgPool) -> Child {
        let base = std::env::var("DATABASE_URL").unwrap();
        self.worker_at(base.rsplit_once('/').unwrap().0, pool).spawn().unwrap()
    }

    fn worker_at(&self, server: &str, pool: &PgPool) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_course"));
        command
            .arg("worker")
            .env("DATABASE_URL", format!("{server}/{}", pool.connect_options().get_database().unwrap()))
            .env("FILES_URL", format!("file://{}", self.store.path().display()))
            .env("WORK_DIR", self.workplace.path())
            .env("TRANSCODE_THREADS", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .kill_on_drop(true);
        command
    }

    async fn wait_until(&self, id: &str, is_so: impl Fn(MediaState, i32) -> bool) {
        let limit = Instant::now() + Duration::from_secs(120);
        loop {
            let media = self.media(id).await;
            if is_so(media.state(), media.progress) {
                return;
            }
            assert!(Instant::now() < limit, "{media:?}");
            sleep(Duration::from_millis(50)).await;
        }
    }

    fn left_behind(&self) -> Vec<String> {
        let mut found = Vec::new();
        files(self.workplace.path(), &mut found);
        found
    }
}

/// [D-C5] A worker that is killed while it transcodes leaves a lease that ends. The next worker does it again from the
/// beginning, and nothing of the first is left: no object, no file, no process.
#[sqlx::test(migrations = false)]
async fn a_killed_worker_is_replaced(pool: PgPool) {
    let studio = Studio::new(pool.clone()).await;
    let source = ["-f", "lavfi", "-i", "testsrc2=size=1280x720:rate=30:duration=20"];
    let film = ffmpeg(&[&source[..], &["-c:v", "libx264", "-preset", "ultrafast", "-crf", "40"]].concat(), "film.mp4");
    let id = studio.upload(MediaKind::Video, "film.mp4", &film).await;
    let mut first = studio.start_worker(&pool);
    studio.wait_until(&id, |state, progress| state == MediaState::Processing && progress >= 10).await;
    first.kill().await.unwrap();
    assert!(!studio.left_behind().is_empty());
    let ended = "UPDATE media SET leased_until = clock_timestamp() - interval '1 second'";
    sqlx::query(ended).execute(&pool).await.unwrap();
    let mut second = studio.start_worker(&pool);
    studio.wait_until(&id, |state, _| state == MediaState::Ready).await;
    let attempts: (i32,) = sqlx::query_as("SELECT attempts FROM media").fetch_one(&pool).await.unwrap();
    assert_eq!(attempts.0, 2);
    second.kill().await.unwrap();
    assert_eq!(studio.left_behind(), [""; 0]);
    let results: std::collections::HashSet<_> =
        studio.stored().iter().map(|name| name.rsplit('/').nth(1).unwrap().to_owned()).collect();
    assert_eq!(results.len(), 2, "the upload, and the results of one attempt: {results:?}");
}

/// [D-V4] A worker that is asked to end gives its file back, uncounted, and leaves nothing.
#[sqlx::test(migrations = false)]
async fn a_worker_gives_its_file_back(pool: PgPool) {
    let studio = Studio::new(pool.clone()).await;
    let id = studio.upload(MediaKind::Video, "film.mp4", &crate::media::film(5)).await;
    studio.shutdown.cancel();
    assert!(studio.worker.process_next().await.unwrap());
    let attempts: (String, i32) = sqlx::query_as("SELECT state, attempts FROM media").fetch_one(&pool).await.unwrap();
    assert_eq!(attempts, ("queued".to_owned(), 0));
    assert_eq!(studio.left_behind(), [""; 0]);
    assert!(studio.stored().iter().all(|name| name.contains("/upload/")));
    assert_eq!(studio.media(&id).await.progress, 0);
}

/// [D-C5] A file that ends every worker is given up after three.
#[sqlx::test(migrations = false)]
async fn a_file_that_ends_workers_is_given_up(pool: PgPool) {
    let studio = Studio::new(pool.clone()).await;
    let id = studio.upload(MediaKind::Video, "film.mp4", &crate::media::film(1)).await;
    let killed = "UPDATE media SET state = 'processing', attempts = 3, attempt = gen_random_uuid(),
                  leased_until = clock_timestamp() - interval '1 second'";
    sqlx::query(killed).execute(&pool).await.unwrap();
    assert!(studio.worker.process_next().await.unwrap());
    let media = studio.media(&id).await;
    assert_eq!(media.state(), MediaState::Failed);
    assert!(media.reason.starts_with("We could not process this file."), "{}", media.reason);
}

/// [D-H5] The worker needs no rows but those of files, and ffmpeg runs in a process that has none of its secrets.
#[sqlx::test(migrations = false)]
async fn programs_run_elsewhere(pool: PgPool) {
    let role = "DO $$ BEGIN CREATE ROLE course_worker LOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
                ALTER ROLE course_worker PASSWORD 'worker'; GRANT USAGE ON SCHEMA public TO course_worker";
    sqlx::raw_sql(role).execute(&pool).await.unwrap();
    let studio = Studio::new(pool.clone()).await;
    let shared = tempfile::tempdir().unwrap();
    let socket = shared.path().join("socket");
    let mut sandbox = Command::new(env!("CARGO_BIN_EXE_course"))
        .arg("sandbox")
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("SANDBOX_SOCKET", &socket)
        .env("OPS_ADDR", "127.0.0.1:0")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let base = std::env::var("DATABASE_URL").unwrap();
    let place = base.rsplit_once('/').unwrap().0.rsplit_once('@').unwrap().1;
    let mut first = {
        let mut worker = studio.worker_at(&format!("postgres://course_worker:worker@{place}"), &pool);
        worker.env("SANDBOX_SOCKET", &socket).env("OPS_ADDR", "127.0.0.1:0");
        // It could not start ffmpeg itself.
        worker.env("PATH", "/nonexistent").spawn().unwrap()
    };
    let id = studio.upload(MediaKind::Video, "film.mp4", &crate::media::film(5)).await;
    studio.wait_until(&id, |state, _| state == MediaState::Ready).await;
    assert_eq!(studio.left_behind(), [""; 0]);
    first.kill().await.unwrap();
    sandbox.kill().await.unwrap();
}
