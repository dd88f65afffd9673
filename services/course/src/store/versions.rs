//! The tables `versions`, `modules`, `lessons` and `publications`.

use chassis::id::StaffId;
use std::collections::HashMap;

use chassis::db::PgConnection;
use time::OffsetDateTime;

use crate::domain::course::{Attachment, Course, Lesson, Module};
use crate::domain::draft::VersionEntry;
use crate::error::Error;

/// Whether a course is read with the texts of its lessons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Texts {
    Included,
    LeftOut,
}

/// A lesson of the published version, and its place.
#[derive(Debug)]
pub struct PublishedLesson {
    pub lesson: Lesson,
    pub module_number: i32,
    pub module_title: String,
}

/// Makes writers of versions and publications wait for each other until the transaction ends.
pub async fn lock(conn: &mut PgConnection) -> Result<(), Error> {
    sqlx::query!("SELECT FROM pg_advisory_xact_lock(hashtext('versions'))").execute(conn).await?;
    Ok(())
}

/// The number of the version that members see.
pub async fn published(conn: &mut PgConnection) -> Result<Option<i32>, Error> {
    Ok(sqlx::query_scalar!("SELECT version FROM publications ORDER BY id DESC LIMIT 1").fetch_optional(conn).await?)
}

pub async fn exists(conn: &mut PgConnection, number: i32) -> Result<bool, Error> {
    let found = sqlx::query_scalar!(r#"SELECT EXISTS (SELECT FROM versions WHERE number = $1) AS "found!""#, number);
    Ok(found.fetch_one(conn).await?)
}

/// The newest versions, newest first.
pub async fn list(conn: &mut PgConnection) -> Result<Vec<VersionEntry>, Error> {
    Ok(sqlx::query_as!(
        VersionEntry,
        r#"SELECT number, created_by, created_at,
                  (SELECT count(*) FROM lessons WHERE lessons.version = versions.number) AS "lessons!"
           FROM versions ORDER BY number DESC LIMIT 50"#
    )
    .fetch_all(conn)
    .await?)
}

/// A version, which never changes.
pub async fn load(conn: &mut PgConnection, number: i32, texts: Texts) -> Result<Option<Course>, Error> {
    let version = sqlx::query!("SELECT title, subtitle FROM versions WHERE number = $1", number)
        .fetch_optional(&mut *conn)
        .await?;
    let Some(version) = version else { return Ok(None) };
    let modules = sqlx::query!("SELECT number, title, summary FROM modules WHERE version = $1 ORDER BY number", number)
        .fetch_all(&mut *conn)
        .await?;
    let mut lessons = sqlx::query!(
        r#"SELECT module, id, title, minutes, is_preview, CASE WHEN $2 THEN markdown ELSE '' END AS "markdown!", video
           FROM lessons WHERE version = $1 ORDER BY module, number"#,
        number,
        texts == Texts::Included
    )
    .fetch_all(&mut *conn)
    .await?
    .into_iter()
    .peekable();
    let mut files = attachments(conn, number, None).await?;
    let mut course = Course { title: version.title, subtitle: version.subtitle, modules: Vec::new() };
    for module in modules {
        let mut of_module = Vec::new();
        while let Some(row) = lessons.next_if(|row| row.module == module.number) {
            of_module.push(Lesson {
                attachments: files.remove(&row.id).unwrap_or_default(),
                id: row.id,
                title: row.title,
                minutes: row.minutes,
                is_preview: row.is_preview,
                markdown: row.markdown,
                video: row.video.map(Into::into),
            });
        }
        course.modules.push(Module { title: module.title, summary: module.summary, lessons: of_module });
    }
    Ok(Some(course))
}

/// The attachments of a version by lesson: of all lessons, or of one.
async fn attachments(
    conn: &mut PgConnection,
    version: i32,
    lesson: Option<&str>,
) -> Result<HashMap<String, Vec<Attachment>>, Error> {
    let rows = sqlx::query!(
        "SELECT lesson, media, name FROM lesson_attachments
         WHERE version = $1 AND ($2::text IS NULL OR lesson = $2) ORDER BY lesson, number",
        version,
        lesson
    )
    .fetch_all(conn)
    .await?;
    let mut found = HashMap::<_, Vec<_>>::new();
    for row in rows {
        found.entry(row.lesson).or_default().push(Attachment { media: row.media.into(), name: row.name });
    }
    Ok(found)
}

/// A lesson as members see it.
pub async fn published_lesson(conn: &mut PgConnection, id: &str) -> Result<Option<PublishedLesson>, Error> {
    let row = sqlx::query!(
        "SELECT l.version, l.id, l.title, l.minutes, l.is_preview, l.markdown, l.video,
                m.number AS module_number, m.title AS module_title
         FROM lessons l JOIN modules m ON m.version = l.version AND m.number = l.module
         WHERE l.version = (SELECT version FROM publications ORDER BY id DESC LIMIT 1) AND l.id = $1",
        id
    )
    .fetch_optional(&mut *conn)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let attachments = attachments(conn, row.version, Some(id)).await?.remove(id).unwrap_or_default();
    Ok(Some(PublishedLesson {
        lesson: Lesson {
            id: row.id,
            title: row.title,
            minutes: row.minutes,
            is_preview: row.is_preview,
            markdown: row.markdown,
            video: row.video.map(Into::into),
            attachments,
        },
        module_number: row.module_number,
        module_title: row.module_title,
    }))
}

/// Writes a version under the next number; the caller holds the lock.
pub async fn insert(
    conn: &mut PgConnection,
    course: &Course,
    created_by: StaffId,
    at: OffsetDateTime,
) -> Result<i32, Error> {
    let number = sqlx::query_scalar!(
        "INSERT INTO versions (number, title, subtitle, created_by, created_at)
         SELECT coalesce(max(number), 0) + 1, $1, $2, $3, $4 FROM versions
         RETURNING number",
        course.title,
        course.subtitle,
        created_by.get(),
        at
    )
    .fetch_one(&mut *conn)
    .await?;
    for (place, module) in (1_i32..).zip(&course.modules) {
        sqlx::query!(
            "INSERT INTO modules (version, number, title, summary) VALUES ($1, $2, $3, $4)",
            number,
            place,
            module.title,
            module.summary
        )
        .execute(&mut *conn)
        .await?;
        for (lesson_place, lesson) in (1_i32..).zip(&module.lessons) {
            sqlx::query!(
                "INSERT INTO lessons (version, id, module, number, title, minutes, is_preview, markdown, video)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
                number,
                lesson.id,
                place,
                lesson_place,
                lesson.title,
                lesson.minutes,
                lesson.is_preview,
                lesson.markdown,
                lesson.video as _
            )
            .execute(&mut *conn)
            .await?;
            for (file_place, file) in (1_i32..).zip(&lesson.attachments) {
                sqlx::query!(
                    "INSERT INTO lesson_attachments (version, lesson, number, media, name) VALUES ($1, $2, $3, $4, $5)",
                    number,
                    lesson.id,
                    file_place,
                    file.media.get(),
                    file.name
                )
                .execute(&mut *conn)
                .await?;
            }
        }
    }
    Ok(number)
}

/// Shows a version to members from now on; the caller holds the lock.
pub async fn publish(
    conn: &mut PgConnection,
    version: i32,
    published_by: StaffId,
    at: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO publications (version, published_by, published_at) VALUES ($1, $2, $3)",
        version,
        published_by.get(),
        at
    )
    .execute(conn)
    .await?;
    Ok(())
}
