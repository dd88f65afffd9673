//! One generated secret per stack, from which all passwords of its servers are derived.

use std::{fs, io::Write, os::unix::fs::OpenOptionsExt, path::Path};

use alloy_primitives::hex;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The secret of one stack.
#[derive(Clone, Deserialize, Serialize)]
pub struct Secrets {
    secret: String,
}

impl Secrets {
    /// Reads the secret of a stack, or makes it the first time.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn open(path: &Path) -> Result<Self> {
        if path.exists() {
            let text = fs::read_to_string(path)?;
            return serde_json::from_str(&text).with_context(|| format!("{} is damaged", path.display()));
        }
        let secret = [uuid::Uuid::new_v4(), uuid::Uuid::new_v4()].map(|part| part.simple().to_string()).concat();
        let secrets = Self { secret };
        let mut file = fs::File::options().write(true).create_new(true).mode(0o600).open(path)?;
        file.write_all(&serde_json::to_vec_pretty(&secrets)?)?;
        Ok(secrets)
    }

    /// The secret of stacks that share a server, derived from the server's address.
    #[must_use]
    pub fn of_server(url: &str) -> Self {
        Self { secret: url.to_owned() }
    }

    /// The password that belongs to `name`.
    #[must_use]
    pub fn password(&self, name: &str) -> String {
        let digest = Sha256::new_with_prefix(&self.secret).chain_update([0]).chain_update(name).finalize();
        hex::encode(&digest[..20])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn it_is_made_once_for_its_owner_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("secrets.json");
        let first = Secrets::open(&path).expect("made");
        let second = Secrets::open(&path).expect("read");
        assert_eq!(first.password("wallet"), second.password("wallet"));
        assert_ne!(first.password("wallet"), first.password("wallet_owner"));
        assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
    }
}
