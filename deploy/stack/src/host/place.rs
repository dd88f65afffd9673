//! Folders for servers that must not run as root: owned by their user and accessible to it.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::Command,
};

use alloy_primitives::hex;
use anyhow::{Context, Result, ensure};
use sha2::{Digest, Sha256};

/// The location of folders that the server's user could not access otherwise.
const ELSEWHERE: &str = "/var/lib/solvane-stack";

/// The user that a server runs as: the given one if this process is root, otherwise the current user.
pub fn user_for(name: &'static str) -> Option<&'static str> {
    rustix::process::geteuid().is_root().then_some(name)
}

/// Creates `folder` for `user` with mode 0700 and returns its real path, which is behind a symbolic link if the user
/// cannot access a parent folder (such as /root).
///
/// # Errors
/// When the folder cannot be made.
pub fn prepare(folder: &Path, user: Option<&str>) -> Result<PathBuf> {
    let Some(user) = user else {
        fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
        return Ok(folder.canonicalize()?);
    };
    let parent = folder.parent().context("a server's folder has a parent")?;
    fs::create_dir_all(parent)?;
    let parent = parent.canonicalize()?;
    if open_to_all(&parent)? {
        own(folder, user)?;
        return Ok(folder.canonicalize()?);
    }
    let real = elsewhere(folder)?;
    fs::create_dir_all(ELSEWHERE)?;
    own(&real, user)?;
    if fs::read_link(folder).is_ok_and(|target| target == real) {
        return Ok(real);
    }
    symlink(&real, folder).with_context(|| format!("cannot link {}", folder.display()))?;
    Ok(real)
}

/// Removes a folder made by [`prepare`], wherever it really is.
///
/// # Errors
/// When it cannot be removed.
pub fn remove(folder: &Path) -> Result<()> {
    if let Ok(real) = fs::read_link(folder) {
        if real.exists() {
            fs::remove_dir_all(&real)?;
        }
        fs::remove_file(folder)?;
    } else if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    Ok(())
}

/// Whether any user may pass through `folder` and everything above it.
fn open_to_all(folder: &Path) -> Result<bool> {
    for ancestor in folder.ancestors() {
        if fs::metadata(ancestor)?.permissions().mode() & 0o001 == 0 {
            return Ok(false);
        }
    }
    Ok(true)
}

/// One folder per place, so that two checkouts never share data.
fn elsewhere(folder: &Path) -> Result<PathBuf> {
    let absolute = std::path::absolute(folder)?;
    let digest = Sha256::digest(absolute.as_os_str().as_encoded_bytes());
    Ok(Path::new(ELSEWHERE).join(hex::encode(&digest[..8])))
}

fn own(folder: &Path, user: &str) -> Result<()> {
    let status = Command::new("install")
        .args(["-d", "-m", "0700", "-o", user])
        .arg(folder)
        .status()
        .context("cannot run install")?;
    ensure!(status.success(), "cannot give {} to the user {user}", folder.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_folder_above_is_noticed() {
        let root = tempfile::tempdir().expect("a folder");
        let inner = root.path().join("inner");
        fs::create_dir(&inner).expect("created");
        fs::set_permissions(&inner, fs::Permissions::from_mode(0o755)).expect("set");
        fs::set_permissions(root.path(), fs::Permissions::from_mode(0o755)).expect("set");
        assert!(open_to_all(&inner).expect("read"));
        fs::set_permissions(root.path(), fs::Permissions::from_mode(0o700)).expect("set");
        assert!(!open_to_all(&inner).expect("read"));
    }

    #[test]
    fn two_places_get_two_folders() {
        let one = elsewhere(Path::new("/root/a/.stack/pg")).expect("a path");
        assert_ne!(one, elsewhere(Path::new("/root/b/.stack/pg")).expect("a path"));
        assert_eq!(one, elsewhere(Path::new("/root/a/.stack/pg")).expect("a path"));
    }
}
