//! Platform methods with all their versions, for staff.

use chassis::db::Db;

use crate::domain::method::SignedMethod;
use crate::error::Error;
use crate::store::{address_proofs, methods};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlatformMethod {
    /// Whether members see it.
    pub active: bool,
    /// Newest first; never empty.
    pub versions: Vec<SignedMethod>,
}

/// The active methods first, each group newest first.
pub async fn list_platform_methods(db: &Db) -> Result<Vec<PlatformMethod>, Error> {
    let mut conn = db.conn().await?;
    let mut history = methods::platform_history(&mut conn).await?;
    address_proofs::add_to(&mut conn, history.iter_mut().map(|(version, _)| version)).await?;
    let mut list: Vec<PlatformMethod> = Vec::new();
    for (version, active) in history {
        match list.last_mut() {
            Some(method) if method.versions.iter().any(|known| known.method.id == version.method.id) => {
                method.versions.push(version)
            }
            _ => list.push(PlatformMethod { active, versions: vec![version] }),
        }
    }
    Ok(list)
}
