//! The course, as the files of its folder have it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::Deserialize;

/// The course as its files describe it.
#[derive(Debug, Deserialize)]
pub struct Course {
    pub title: String,
    pub subtitle: String,
    pub modules: Vec<Module>,
    /// The lessons in Markdown, by id.
    #[serde(skip)]
    pub texts: HashMap<String, String>,
}

#[derive(Debug, Deserialize)]
pub struct Module {
    pub number: u32,
    pub title: String,
    pub summary: String,
    pub lessons: Vec<Lesson>,
}

#[derive(Debug, Deserialize)]
pub struct Lesson {
    pub id: String,
    pub title: String,
    pub minutes: u32,
    file: PathBuf,
    #[serde(default)]
    pub preview: bool,
}

impl Course {
    /// Reads `course.json` of the folder and every lesson it names. Fails if a file is missing or unreadable.
    pub fn read(folder: &Path) -> anyhow::Result<Self> {
        let path = folder.join("course.json");
        let text = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let mut course: Self = serde_json::from_slice(&text).context("course.json has not the expected form")?;
        for lesson in course.modules.iter().flat_map(|module| &module.lessons) {
            let path = folder.join(&lesson.file);
            let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            course.texts.insert(lesson.id.clone(), text);
        }
        Ok(course)
    }

    /// A lesson and its module.
    #[must_use]
    pub fn lesson(&self, id: &str) -> Option<(&Module, &Lesson)> {
        self.modules
            .iter()
            .flat_map(|module| module.lessons.iter().map(move |lesson| (module, lesson)))
            .find(|(_, lesson)| lesson.id == id)
    }
}
