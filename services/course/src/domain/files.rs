//! The course as text files: what `course import` reads and `course export` writes, and the content that the service begins
//! with.
//!
//! ```text
//! course.md                           title; the text is the subtitle
//! 01-ugc-101/module.md                title; the text is the summary
//! 01-ugc-101/01-what-brands-buy.md    id, title, minutes, preview, video, attachment; the text is the lesson
//! ```
//!
//! `video: ID`, and each of several lines `attachment: ID NAME`, stand for files that have been uploaded.
//!
//! Each file begins with a front matter of `name: value` lines between two lines `---`. Modules and lessons are in the order
//! of their names.

use std::collections::BTreeMap;

use super::course::{Attachment, Course, Lesson, Module};

/// Texts by their path.
pub type Files = BTreeMap<String, String>;

const COURSE: &str = "course.md";
const MODULE: &str = "module.md";
const ATTACHMENT: &str = "attachment";
const FENCE: &str = "---\n";

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    #[error("{0} is missing")]
    Missing(String),
    #[error("{0}: expected a front matter of `name: value` lines between two lines `---`")]
    FrontMatter(String),
    #[error("{path}: {name} is missing, unknown or not valid")]
    Field { path: String, name: String },
    #[error("{0} is not part of a course")]
    Stray(String),
}

/// A file: the lines of its front matter, and its text.
struct File<'a> {
    path: &'a str,
    fields: BTreeMap<&'a str, &'a str>,
    /// The values of a name that may stand on several lines.
    attachments: Vec<&'a str>,
    text: &'a str,
}

impl<'a> File<'a> {
    fn parse(path: &'a str, content: &'a str, known: &[&str]) -> Result<Self, Unreadable> {
        let front_matter = || Unreadable::FrontMatter(path.to_owned());
        let (front, text) =
            content.strip_prefix(FENCE).and_then(|rest| rest.split_once(FENCE)).ok_or_else(front_matter)?;
        let (mut fields, mut attachments) = (BTreeMap::new(), Vec::new());
        for line in front.lines() {
            let (name, value) = line.split_once(':').ok_or_else(front_matter)?;
            if name == ATTACHMENT && known.contains(&name) {
                attachments.push(value.trim());
                continue;
            }
            if !known.contains(&name) || fields.insert(name, value.trim()).is_some() {
                return Err(Unreadable::Field { path: path.to_owned(), name: name.to_owned() });
            }
        }
        Ok(Self { path, fields, attachments, text: text.trim() })
    }

    fn field<T: std::str::FromStr>(&self, name: &str) -> Result<T, Unreadable> {
        let value = self.fields.get(name).and_then(|value| value.parse().ok());
        value.ok_or_else(|| Unreadable::Field { path: self.path.to_owned(), name: name.to_owned() })
    }
}

/// Reads a course, which need not be fit for publication.
///
/// # Errors
/// What is missing or wrong, with the path of the file.
pub fn parse(files: &Files) -> Result<Course, Unreadable> {
    let missing = |path: &str| Unreadable::Missing(path.to_owned());
    let (path, content) = files.get_key_value(COURSE).ok_or_else(|| missing(COURSE))?;
    let course = File::parse(path, content, &["title"])?;
    let mut folders: BTreeMap<&str, BTreeMap<&str, (&str, &str)>> = BTreeMap::new();
    for (path, content) in files.iter().filter(|(path, _)| *path != COURSE) {
        let stray = || Unreadable::Stray(path.clone());
        let (folder, name) = path.split_once('/').ok_or_else(stray)?;
        if name.contains('/') || !name.ends_with(".md") {
            return Err(stray());
        }
        folders.entry(folder).or_default().insert(name, (path, content));
    }
    let mut modules = Vec::new();
    for (folder, mut content) in folders {
        let (path, text) = content.remove(MODULE).ok_or_else(|| missing(&format!("{folder}/{MODULE}")))?;
        let module = File::parse(path, text, &["title"])?;
        let lessons = content.into_values().map(|(path, text)| lesson(path, text)).collect::<Result<_, _>>()?;
        modules.push(Module { title: module.field("title")?, summary: module.text.to_owned(), lessons });
    }
    Ok(Course { title: course.field("title")?, subtitle: course.text.to_owned(), modules })
}

fn lesson(path: &str, content: &str) -> Result<Lesson, Unreadable> {
    let file = File::parse(path, content, &["id", "title", "minutes", "preview", "video", ATTACHMENT])?;
    let is_preview = if file.fields.contains_key("preview") { file.field("preview")? } else { false };
    let video = if file.fields.contains_key("video") { Some(file.field("video")?) } else { None };
    let unreadable = || Unreadable::Field { path: path.to_owned(), name: ATTACHMENT.to_owned() };
    let attachment = |text: &&str| {
        let (media, name) = text.split_once(' ')?;
        Some(Attachment { media: media.parse().ok()?, name: name.trim().to_owned() })
    };
    let attachments = file.attachments.iter().map(attachment).collect::<Option<_>>().ok_or_else(unreadable)?;
    Ok(Lesson {
        id: file.field("id")?,
        title: file.field("title")?,
        minutes: file.field("minutes")?,
        is_preview,
        markdown: file.text.to_owned(),
        video,
        attachments,
    })
}

/// Writes a course: what [`parse`] reads as the same course.
#[must_use]
pub fn write(course: &Course) -> Files {
    let mut files = Files::from([(COURSE.to_owned(), titled(&course.title, &course.subtitle))]);
    for (place, module) in course.modules.iter().enumerate() {
        let folder = format!("{:02}-{}", place + 1, slug(&module.title));
        files.insert(format!("{folder}/{MODULE}"), titled(&module.title, &module.summary));
        for (number, lesson) in module.lessons.iter().enumerate() {
            let Lesson { id, title, minutes, is_preview, markdown, video, attachments } = lesson;
            let mut front = format!("id: {id}\ntitle: {title}\nminutes: {minutes}\n");
            if *is_preview {
                front.push_str("preview: true\n");
            }
            if let Some(video) = video {
                front.push_str(&format!("video: {video}\n"));
            }
            for Attachment { media, name } in attachments {
                front.push_str(&format!("{ATTACHMENT}: {media} {name}\n"));
            }
            let text = format!("{FENCE}{front}{FENCE}{}\n", markdown.trim());
            files.insert(format!("{folder}/{:02}-{id}.md", number + 1), text);
        }
    }
    files
}

fn titled(title: &str, text: &str) -> String {
    format!("{FENCE}title: {title}\n{FENCE}{}\n", text.trim())
}

/// A title as the name of a folder.
fn slug(title: &str) -> String {
    let words = title.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-").to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::{Files, Unreadable, parse, write};

    const LESSON: &str = "---\nid: one\ntitle: One: the first\nminutes: 5\npreview: true\n---\n\nText\n\n---\n\nMore\n";

    fn files(changes: &[(&str, &str)]) -> Files {
        let all = [
            ("course.md", "---\ntitle: The course\n---\nAll of it.\n"),
            ("01-first/module.md", "---\ntitle: First & foremost\n---\nWhat comes first.\n"),
            ("01-first/01-one.md", LESSON),
            ("02-second/module.md", "---\ntitle: Second\n---\n"),
            ("02-second/01-two.md", "---\nid: two\ntitle: Two\nminutes: 3\n---\nText\n"),
        ];
        all.iter().chain(changes).map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
    }

    /// [D-C4] What is exported is imported as the same course: order, front matter, and rules inside of a text.
    #[test]
    fn what_is_written_is_read_as_the_same() {
        let course = parse(&files(&[])).unwrap();
        assert_eq!(course.modules.len(), 2);
        let (number, module, lesson) = course.lesson("one").unwrap();
        assert_eq!((number, module.title.as_str(), lesson.title.as_str()), (1, "First & foremost", "One: the first"));
        assert!(lesson.is_preview && lesson.markdown == "Text\n\n---\n\nMore");
        let written = write(&course);
        assert!(written.contains_key("01-first-foremost/01-one.md"));
        assert_eq!(parse(&written), Ok(course));
    }

    /// [D-C5] The files of a lesson are part of its front matter.
    #[test]
    fn files_are_written_by_their_ids() {
        let id = "0f0e0d0c-0b0a-4908-8706-050403020100";
        let text = format!(
            "---\nid: one\ntitle: x\nminutes: 1\nvideo: {id}\nattachment: {id} The sheet: A4\nattachment: {id} b\n---\nx"
        );
        let course = parse(&files(&[("01-first/01-one.md", &text)])).unwrap();
        let (_, _, lesson) = course.lesson("one").unwrap();
        assert_eq!(lesson.video.unwrap().to_string(), id);
        let names: Vec<_> = lesson.attachments.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["The sheet: A4", "b"]);
        assert_eq!(parse(&write(&course)), Ok(course));
    }

    /// [D-C4] A folder that is not a whole course is refused with the file that is wrong.
    #[test]
    fn a_wrong_file_is_named() {
        let cause = |path: &str, text: &str| parse(&files(&[(path, text)])).unwrap_err();
        assert_eq!(cause("notes.txt", ""), Unreadable::Stray("notes.txt".to_owned()));
        assert_eq!(cause("01-first/deep/01-one.md", ""), Unreadable::Stray("01-first/deep/01-one.md".to_owned()));
        assert_eq!(cause("03-third/01-x.md", LESSON), Unreadable::Missing("03-third/module.md".to_owned()));
        assert_eq!(cause("01-first/01-one.md", "Text"), Unreadable::FrontMatter("01-first/01-one.md".to_owned()));
        let field = |name: &str| Unreadable::Field { path: "01-first/01-one.md".to_owned(), name: name.to_owned() };
        assert_eq!(cause("01-first/01-one.md", "---\nid: one\ntitle: x\n---\nx"), field("minutes"));
        assert_eq!(cause("01-first/01-one.md", "---\nid: a\ntitle: x\nminutes: x\n---\nx"), field("minutes"));
        assert_eq!(cause("01-first/01-one.md", "---\ncolour: a\n---\nx"), field("colour"));
        let attached = "---\nid: a\ntitle: x\nminutes: 1\nattachment: sheet.pdf\n---\nx";
        let wrong = Unreadable::Field { path: "01-first/01-one.md".to_owned(), name: "attachment".to_owned() };
        assert_eq!(cause("01-first/01-one.md", attached), wrong);
    }
}
