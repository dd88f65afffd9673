//! The certificates of a stack whose processes use TLS, made by the script that makes those of a deployment.

use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt, chown},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};

use crate::host::launch::{Launch, Output};
use crate::host::process::tail;

/// An authority and the certificates that it signed.
#[derive(Clone, Debug)]
pub struct Certificates {
    folder: PathBuf,
}

/// The files of one process or server.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// The authority's certificate.
    pub authority: PathBuf,
    /// Its own certificate.
    pub certificate: PathBuf,
    /// The private key of that.
    pub key: PathBuf,
}

impl Certificates {
    /// Makes what is missing in `folder`.
    ///
    /// # Errors
    /// When the script fails.
    pub async fn make(folder: &Path, log: &Path) -> Result<Self> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../certificates.sh");
        let status = Launch::new("certificates", script, Output::File(log.to_owned()))
            .args([&folder.display().to_string(), "127.0.0.1"])
            .start()?
            .wait()
            .await?;
        ensure!(status.success(), "deploy/certificates.sh failed:\n{}", tail(log));
        Ok(Self { folder: folder.to_owned() })
    }

    /// Those of the process or server with this name.
    #[must_use]
    pub fn of(&self, name: &str) -> Certificate {
        let file = |name: String| self.folder.join(name);
        Certificate {
            authority: file("ca.crt".to_owned()),
            certificate: file(format!("{name}.crt")),
            key: file(format!("{name}.key")),
        }
    }
}

impl Certificate {
    /// Copies into the folder of a server, for its user alone.
    pub(crate) fn copied_to(&self, folder: &Path) -> Result<Self> {
        let owner = fs::metadata(folder)?;
        let copy = |from: &Path| -> Result<PathBuf> {
            let to = folder.join(from.file_name().context("a file has a name")?);
            // One from the start before cannot be written to.
            let _ = fs::remove_file(&to);
            fs::copy(from, &to)?;
            fs::set_permissions(&to, fs::Permissions::from_mode(0o600))?;
            chown(&to, Some(owner.uid()), Some(owner.gid()))?;
            Ok(to)
        };
        Ok(Self { authority: copy(&self.authority)?, certificate: copy(&self.certificate)?, key: copy(&self.key)? })
    }
}
