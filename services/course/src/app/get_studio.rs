//! What managers work on: the draft, or the published version, and the versions (D-C4).

use chassis::db::Db;

use crate::domain::course::Course;
use crate::domain::draft::{Draft, VersionEntry};
use crate::error::Error;
use crate::store::drafts;
use crate::store::versions::{self, Texts};

#[derive(Debug)]
pub struct Studio {
    /// The number of the version that members see.
    pub published: i32,
    /// The draft, or what is left of the last one.
    pub draft: Option<Draft>,
    /// The draft's content, or that of the published version.
    pub course: Course,
    /// Newest first.
    pub versions: Vec<VersionEntry>,
}

/// All of it.
///
/// # Errors
/// `NotPublished` in the moment before there is a version.
pub async fn get_studio(db: &Db) -> Result<Studio, Error> {
    let mut conn = db.conn().await?;
    let draft = drafts::get(&mut conn).await?;
    let published = versions::published(&mut conn).await?.ok_or(Error::NotPublished)?;
    let course = match draft.as_ref().and_then(|draft| draft.course.clone()) {
        Some(course) => course,
        None => versions::load(&mut conn, published, Texts::Included).await?.ok_or(Error::NotPublished)?,
    };
    Ok(Studio { published, draft, course, versions: versions::list(&mut conn).await? })
}
