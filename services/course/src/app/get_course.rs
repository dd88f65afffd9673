//! The outline of the course, and what the caller may read of it (D-C1, D-C5).

use chassis::db::Db;
use chassis::id::MemberId;

use super::access::access;
use crate::clients::{Access, Wallet};
use crate::domain::certificate::Certificate;
use crate::domain::course::Course;
use crate::domain::progress::Progress;
use crate::error::Error;
use crate::store::versions::{self, Texts};
use crate::store::{certificates, progress};

/// The published course as one caller sees it.
#[derive(Debug)]
pub struct Outline {
    /// Without the texts of lessons.
    pub course: Course,
    pub access: Access,
    pub progress: Vec<Progress>,
    pub certificate: Option<Certificate>,
}

/// The outline for a member, or for a visitor.
///
/// # Errors
/// `Refused` (Unavailable) if wallet does not say what a member has bought.
pub async fn get_course(db: &Db, wallet: &Wallet, user_id: Option<MemberId>) -> Result<Outline, Error> {
    let access = access(wallet, user_id).await?;
    let mut conn = db.conn().await?;
    let version = versions::published(&mut conn).await?.ok_or(Error::NotPublished)?;
    let course = versions::load(&mut conn, version, Texts::LeftOut).await?.ok_or(Error::NotPublished)?;
    let (progress, certificate) = match user_id {
        None => (Vec::new(), None),
        Some(user_id) => {
            (progress::list(&mut conn, user_id).await?, certificates::of_member(&mut conn, user_id).await?)
        }
    };
    Ok(Outline { course, access, progress, certificate })
}
