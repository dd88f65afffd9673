//! Named places in the code where a test can let the process die. They exist only with the feature `crash-points`, which
//! no release has; without it, [`crash_point!`](crate::crash_point) is empty.
//!
//! A place is armed by a file with its name in the folder `CRASH_POINTS_DIR`. The next task that gets there removes the file and
//! aborts the process, so each file is one death, and a file that is gone shows which.

#[cfg(feature = "crash-points")]
use std::path::PathBuf;
#[cfg(feature = "crash-points")]
use std::sync::OnceLock;

#[cfg(feature = "crash-points")]
static FOLDER: OnceLock<PathBuf> = OnceLock::new();

/// A place where the process dies if a test has armed its name.
#[cfg(feature = "crash-points")]
#[macro_export]
macro_rules! crash_point {
    ($name:literal) => {
        $crate::crash::point($name)
    };
}

/// A place where the process dies if a test has armed its name: nothing in this build.
#[cfg(not(feature = "crash-points"))]
#[macro_export]
macro_rules! crash_point {
    ($name:literal) => {};
}

/// Looks for armed places in this folder from now on.
#[cfg(feature = "crash-points")]
pub fn watch(folder: PathBuf) {
    tracing::warn!(folder = %folder.display(), "crash points can be armed; never do this outside tests");
    // A process is configured once.
    let _ = FOLDER.set(folder);
}

/// Dies here if the place is armed.
#[cfg(feature = "crash-points")]
pub fn point(name: &str) {
    if let Some(folder) = FOLDER.get()
        && std::fs::remove_file(folder.join(name)).is_ok()
    {
        std::process::abort();
    }
}
