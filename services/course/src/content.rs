//! The content that a new product begins with: the files of `content/`, which are part of the binary.

use crate::domain::course::Course;
use crate::domain::files::{self, Unreadable};

/// The path of a file in `content/`, and its text.
macro_rules! content {
    ($($path:literal),* $(,)?) => { [$(($path, include_str!(concat!("../content/", $path)))),*] };
}

const FILES: [(&str, &str); 15] = content![
    "01-ugc-101/01-what-brands-buy.md",
    "01-ugc-101/module.md",
    "02-affiliate-program/01-affiliate-income.md",
    "02-affiliate-program/module.md",
    "03-portfolio-and-brand/01-portfolio-in-a-weekend.md",
    "03-portfolio-and-brand/module.md",
    "04-equipment-and-filming/01-film-with-a-phone.md",
    "04-equipment-and-filming/module.md",
    "05-hooks-and-editing/01-hooks-that-hold.md",
    "05-hooks-and-editing/module.md",
    "06-pitching-and-pricing/01-pitch-and-price.md",
    "06-pitching-and-pricing/module.md",
    "07-rights-and-growth/01-usage-rights.md",
    "07-rights-and-growth/module.md",
    "course.md",
];

/// The first version.
///
/// # Errors
/// If a file is not what it should be.
pub fn first_version() -> Result<Course, Unreadable> {
    files::parse(&FILES.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{FILES, first_version};
    use crate::domain::files::Files;
    use crate::folder;

    /// [D-C1] [D-C4] The product begins with seven modules, of which one lesson is a free preview.
    #[test]
    fn the_first_version_has_seven_modules() {
        let course = first_version().unwrap();
        assert_eq!((course.modules.len(), course.lessons().filter(|lesson| lesson.is_preview).count()), (7, 1));
    }

    #[test]
    fn every_file_of_the_folder_is_part_of_it() {
        let in_folder = folder::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("content")).unwrap();
        let built_in: Files = FILES.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        assert_eq!(in_folder, built_in);
    }
}
