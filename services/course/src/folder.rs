//! A folder of text files.

use std::fs;
use std::path::Path;

use anyhow::{Context, ensure};

use crate::domain::files::Files;

/// Reads the files of a folder and of the folders in it. What begins with a dot is left out.
///
/// # Errors
/// With the path that cannot be read.
pub fn read(folder: &Path) -> anyhow::Result<Files> {
    let mut files = Files::new();
    collect(folder, "", &mut files)?;
    Ok(files)
}

fn collect(folder: &Path, prefix: &str, files: &mut Files) -> anyhow::Result<()> {
    let unreadable = || format!("cannot read {}", folder.display());
    for entry in fs::read_dir(folder).with_context(unreadable)? {
        let entry = entry.with_context(unreadable)?;
        let name = entry.file_name().into_string().ok().with_context(unreadable)?;
        let path = entry.path();
        if name.starts_with('.') {
            continue;
        }
        if entry.file_type().with_context(unreadable)?.is_dir() {
            collect(&path, &format!("{prefix}{name}/"), files)?;
        } else {
            let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            files.insert(format!("{prefix}{name}"), text.replace("\r\n", "\n"));
        }
    }
    Ok(())
}

/// Writes files into a folder that is empty or does not exist.
///
/// # Errors
/// If there is something in the folder, or a file cannot be written.
pub fn write(folder: &Path, files: &Files) -> anyhow::Result<()> {
    let is_free = fs::read_dir(folder).map_or(true, |mut entries| entries.next().is_none());
    ensure!(is_free, "{} is not empty", folder.display());
    for (name, text) in files {
        let path = folder.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
        }
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{read, write};
    use crate::domain::files::Files;

    /// [D-C4] An export never mixes with what is in the folder already.
    #[test]
    fn files_go_only_into_an_empty_folder() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("course");
        let files =
            Files::from([("course.md".to_owned(), "a".to_owned()), ("01-x/module.md".to_owned(), "b".to_owned())]);
        write(&place, &files).unwrap();
        std::fs::write(place.join(".hidden"), "x").unwrap();
        assert_eq!(read(&place).unwrap(), files);
        assert!(write(&place, &files).unwrap_err().to_string().ends_with("is not empty"));
        assert!(read(&folder.path().join("nothing")).is_err());
    }
}
