//! The content of the course: modules with lessons.

use std::collections::{HashMap, HashSet};

use chassis::validate::is_text;
use serde::{Deserialize, Serialize};

use crate::domain::media::MediaId;

use super::media::Kind;

const LONGEST_TITLE: usize = 120;
const LONGEST_SUMMARY: usize = 400;
const LONGEST_TEXT: usize = 100_000;
/// Bytes of all texts together.
const LARGEST: usize = 2_000_000;
const LONGEST_ID: usize = 80;
/// Maximum files to download with a lesson.
const MOST_ATTACHMENTS: usize = 20;
/// Maximum modules of the course, and lessons of a module.
const MOST: usize = 50;
const MINUTES: std::ops::RangeInclusive<i32> = 1..=600;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Course {
    pub title: String,
    pub subtitle: String,
    pub modules: Vec<Module>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Module {
    pub title: String,
    pub summary: String,
    pub lessons: Vec<Lesson>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lesson {
    /// Words in lower case joined by hyphens; the same in every version.
    pub id: String,
    pub title: String,
    pub minutes: i32,
    /// Whether everybody may read it.
    #[serde(rename = "preview")]
    pub is_preview: bool,
    /// The text in Markdown; empty where only the outline was read.
    pub markdown: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub video: Option<MediaId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
}

/// A file to download with a lesson.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    pub media: MediaId,
    /// As members see it.
    pub name: String,
}

/// Why a course cannot be published: the part, and a sentence about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {sentence}")]
pub struct Unfit {
    /// As in the JSON of the course: `modules.0.lessons.2.title`.
    pub place: String,
    pub sentence: &'static str,
}

impl Course {
    /// Checks everything that a version has to be, with the files that are ready.
    ///
    /// # Errors
    /// All parts that are not.
    pub fn check(&self, ready: &HashMap<MediaId, Kind>) -> Result<(), Vec<Unfit>> {
        let mut found = Findings::default();
        found.expect(is_text(&self.title, 1, LONGEST_TITLE), "title", "Enter a title of up to 120 characters.");
        found.expect(
            is_text(&self.subtitle, 0, LONGEST_SUMMARY),
            "subtitle",
            "The subtitle can have up to 400 characters.",
        );
        found.expect((1..=MOST).contains(&self.modules.len()), "modules", "A course has 1 to 50 modules.");
        found.expect(!self.is_too_large(), "modules", "The texts of a course can have up to 2 MB together.");
        let mut ids = HashSet::new();
        for (place, module) in self.modules.iter().enumerate() {
            module.check(&format!("modules.{place}"), &mut ids, ready, &mut found);
        }
        if found.0.is_empty() { Ok(()) } else { Err(found.0) }
    }

    /// Whether it is more than a draft or a version can hold.
    #[must_use]
    pub fn is_too_large(&self) -> bool {
        self.modules.len() > MOST
            || self.modules.iter().any(|module| module.lessons.len() > MOST)
            || self.lessons().map(|lesson| lesson.markdown.len()).sum::<usize>() > LARGEST
    }

    /// A lesson with the number and title of its module.
    #[must_use]
    pub fn lesson(&self, id: &str) -> Option<(usize, &Module, &Lesson)> {
        self.modules
            .iter()
            .enumerate()
            .find_map(|(place, module)| Some((place + 1, module, module.lessons.iter().find(|one| one.id == id)?)))
    }

    pub fn lessons(&self) -> impl Iterator<Item = &Lesson> {
        self.modules.iter().flat_map(|module| &module.lessons)
    }

    /// The files that its lessons have.
    pub fn media(&self) -> impl Iterator<Item = MediaId> {
        self.lessons().flat_map(|lesson| lesson.video.into_iter().chain(lesson.attachments.iter().map(|one| one.media)))
    }
}

impl Module {
    fn check<'a>(
        &'a self,
        place: &str,
        ids: &mut HashSet<&'a str>,
        ready: &HashMap<MediaId, Kind>,
        found: &mut Findings,
    ) {
        let part = |name: &str| format!("{place}.{name}");
        found.expect(is_text(&self.title, 1, LONGEST_TITLE), part("title"), "Enter a title of up to 120 characters.");
        found.expect(
            is_text(&self.summary, 0, LONGEST_SUMMARY),
            part("summary"),
            "The summary can have up to 400 characters.",
        );
        found.expect((1..=MOST).contains(&self.lessons.len()), part("lessons"), "A module has 1 to 50 lessons.");
        for (number, lesson) in self.lessons.iter().enumerate() {
            let place = format!("{place}.lessons.{number}");
            found.expect(
                ids.insert(&lesson.id),
                format!("{place}.id"),
                "Another lesson has this id. Choose a different one.",
            );
            lesson.check(&place, ready, found);
        }
    }
}

impl Lesson {
    fn check(&self, place: &str, ready: &HashMap<MediaId, Kind>, found: &mut Findings) {
        let part = |name: &str| format!("{place}.{name}");
        found.expect(is_id(&self.id), part("id"), "Use lower-case letters, digits and single hyphens.");
        found.expect(is_text(&self.title, 1, LONGEST_TITLE), part("title"), "Enter a title of up to 120 characters.");
        found.expect(MINUTES.contains(&self.minutes), part("minutes"), "Enter 1 to 600 minutes.");
        let length = self.markdown.chars().count();
        let is_storable = !self.markdown.contains('\0');
        found.expect(
            (1..=LONGEST_TEXT).contains(&length) && is_storable,
            part("markdown"),
            "Enter a text of up to 100,000 characters.",
        );
        found.expect(
            self.video.is_none_or(|video| ready.get(&video) == Some(&Kind::Video)),
            part("video"),
            "This video is not ready. Wait until it is, or choose another.",
        );
        found.expect(
            self.attachments.len() <= MOST_ATTACHMENTS,
            part("attachments"),
            "A lesson has up to 20 attachments.",
        );
        for (number, attachment) in self.attachments.iter().enumerate() {
            found.expect(
                ready.get(&attachment.media) == Some(&Kind::Attachment) && is_text(&attachment.name, 1, LONGEST_TITLE),
                part(&format!("attachments.{number}")),
                "Choose a file that is ready, and give it a name of up to 120 characters.",
            );
        }
    }
}

/// Whether a text can be the id of a lesson.
#[must_use]
pub fn is_id(text: &str) -> bool {
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    text.len() <= LONGEST_ID && text.split('-').all(is_word)
}

#[derive(Default)]
struct Findings(Vec<Unfit>);

impl Findings {
    fn expect(&mut self, is_fit: bool, place: impl Into<String>, sentence: &'static str) {
        if !is_fit {
            self.0.push(Unfit { place: place.into(), sentence });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use uuid::Uuid;

    use super::{Attachment, Course, Lesson, Module, is_id};
    use crate::domain::media::{Kind, MediaId};

    fn lesson(id: &str) -> Lesson {
        Lesson {
            id: id.to_owned(),
            title: "A".to_owned(),
            minutes: 5,
            is_preview: false,
            markdown: "Text".to_owned(),
            video: None,
            attachments: Vec::new(),
        }
    }

    fn course(lessons: Vec<Lesson>) -> Course {
        let module = Module { title: "One".to_owned(), summary: String::new(), lessons };
        Course { title: "The course".to_owned(), subtitle: String::new(), modules: vec![module] }
    }

    fn places(course: &Course) -> Vec<String> {
        course.check(&HashMap::new()).err().unwrap_or_default().into_iter().map(|unfit| unfit.place).collect()
    }

    /// [D-C4] What cannot be shown is not published: each wrong part is named by its place.
    #[test]
    fn every_wrong_part_is_named() {
        assert_eq!(places(&course(vec![lesson("one"), lesson("two")])), [""; 0]);
        assert_eq!(places(&course(vec![lesson("one"), lesson("one")])), ["modules.0.lessons.1.id"]);
        assert_eq!(places(&course(Vec::new())), ["modules.0.lessons"]);
        let wrong = Lesson { title: String::new(), minutes: 0, markdown: String::new(), ..lesson("Two words") };
        let named = ["id", "title", "minutes", "markdown"].map(|part| format!("modules.0.lessons.1.{part}"));
        assert_eq!(places(&course(vec![lesson("one"), wrong])), named);
        let empty = Course { title: String::new(), modules: Vec::new(), ..course(Vec::new()) };
        assert_eq!(places(&empty), ["title", "modules"]);
    }

    /// [D-C5] A version has only files that are ready, each of the kind that its place takes.
    #[test]
    fn files_have_to_be_ready() {
        let (video, file) = (MediaId::new(Uuid::from_u128(1)), MediaId::new(Uuid::from_u128(2)));
        let ready = HashMap::from([(video, Kind::Video), (file, Kind::Attachment)]);
        let attachment = |media| Attachment { media, name: "Sheet".to_owned() };
        let whole = Lesson { video: Some(video), attachments: vec![attachment(file)], ..lesson("one") };
        assert_eq!(course(vec![whole.clone()]).check(&ready), Ok(()));
        assert_eq!(places(&course(vec![whole])).len(), 2);
        let mixed =
            Lesson { video: Some(file), attachments: vec![attachment(file), attachment(video)], ..lesson("one") };
        let found = course(vec![mixed]).check(&ready).unwrap_err();
        let found: Vec<_> = found.into_iter().map(|unfit| unfit.place).collect();
        assert_eq!(found, ["modules.0.lessons.0.video", "modules.0.lessons.0.attachments.1"]);
    }

    #[test]
    fn ids_are_words_joined_by_hyphens() {
        assert!(["a", "what-brands-buy", "lesson-2"].into_iter().all(is_id));
        assert!(!["", "-a", "a-", "a--b", "A", "a b", "ä", "a/b"].into_iter().any(is_id));
        assert!(is_id(&"a".repeat(80)) && !is_id(&"a".repeat(81)));
    }
}
