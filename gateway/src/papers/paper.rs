//! The sheets of a member's documents: letterhead, holder, sums, a table over as many pages as it takes, and the number by
//! which the document is checked.

use chassis::clock;
use chassis::money::Cents;
use time::OffsetDateTime;

use crate::operator::Issuer;
use crate::papers::pdf::{Document, Face, Ink, Style, UPRIGHT};
use crate::peers::cache::profiles::Profile;

pub const LEFT: u16 = 500;
pub const RIGHT: u16 = UPRIGHT.0 - 500;
/// The second and the third column of the head.
const MIDDLE: u16 = 3160;
const LAST: u16 = 4200;
const ROW: u16 = 180;
/// The line of the first row, on the first page and on the others.
const FIRST_TOP: u16 = 5440;
const TOP: u16 = 7400;
/// Lines of the first page and of the others.
const FIRST_LINES: usize = 26;
const LINES: usize = 37;

const LABEL: Style = Style::new(Face::Plain, 85, Ink::Grey);
const TEXT: Style = Style::new(Face::Plain, 90, Ink::Black);
const STRONG: Style = Style::new(Face::Bold, 90, Ink::Black);

/// A document about one member.
pub struct Paper<'a> {
    pub title: &'static str,
    /// The line below the title, such as the period.
    pub subject: &'a str,
    pub holder: &'a Profile,
    pub made_at: OffsetDateTime,
    pub issuer: Issuer<'a>,
    /// Empty while it is not known.
    pub number: &'a str,
    /// A sentence for the foot of each page.
    pub note: &'static str,
    /// Figures with their names, in a row below the head.
    pub sums: Vec<(&'static str, String)>,
    pub columns: &'a [Column],
    pub rows: Vec<Row>,
}

/// A column of the table.
pub struct Column {
    pub heading: &'static str,
    /// Where it begins, or ends if its texts stand to the right.
    pub at: u16,
    pub width: u16,
    pub is_right: bool,
}

impl Column {
    #[must_use]
    pub const fn left(heading: &'static str, at: u16, width: u16) -> Self {
        Self { heading, at, width, is_right: false }
    }

    #[must_use]
    pub const fn right(heading: &'static str, at: u16, width: u16) -> Self {
        Self { heading, at, width, is_right: true }
    }
}

/// A row of the table.
#[derive(Debug, Default)]
pub struct Row {
    /// One for each column.
    pub cells: Vec<String>,
    pub is_strong: bool,
    /// Lines over the whole width below the cells.
    pub details: Vec<String>,
}

impl Row {
    /// A row that names the following ones.
    #[must_use]
    pub fn heading(text: &str) -> Self {
        Self { cells: vec![text.to_owned()], is_strong: true, details: Vec::new() }
    }

    #[must_use]
    pub fn new<const N: usize>(cells: [String; N]) -> Self {
        Self { cells: cells.into(), ..Self::default() }
    }

    fn lines(&self) -> usize {
        1 + self.details.len()
    }
}

impl Paper<'_> {
    /// The document as the bytes of a PDF file.
    #[must_use]
    pub fn write(&self) -> Vec<u8> {
        let pages = self.pages();
        let mut document = Document::new(self.title, UPRIGHT);
        for (index, rows) in pages.iter().enumerate() {
            document.next_page();
            let top = if index == 0 { self.head(&mut document) } else { self.short_head(&mut document) };
            self.table(&mut document, top, rows);
            self.foot(&mut document, &format!("Page {} of {}", index + 1, pages.len()));
        }
        document.finish()
    }

    /// The rows of each page. There is at least one page.
    fn pages(&self) -> Vec<&[Row]> {
        let (mut pages, mut start, mut room) = (Vec::new(), 0, FIRST_LINES);
        for (index, row) in self.rows.iter().enumerate() {
            if row.lines() > room && index > start {
                pages.push(&self.rows[start..index]);
                (start, room) = (index, LINES);
            }
            room = room.saturating_sub(row.lines());
        }
        pages.push(&self.rows[start..]);
        pages
    }

    /// The head of the first page; returns where the table begins.
    fn head(&self, document: &mut Document) -> u16 {
        letterhead(document, &self.issuer.operator.name);
        let operator = self.issuer.operator.line();
        let style = document.fitting(LABEL, RIGHT - LEFT - 800, &operator);
        document.write_up_to(style, (RIGHT, 7860), &operator);
        document.write(Style::new(Face::Bold, 220, Ink::Navy), (LEFT, 7320), self.title);
        document.write(Style::new(Face::Plain, 110, Ink::Black), (LEFT, 7130), self.subject);
        document.write(LABEL, (LEFT, 6800), "Account holder");
        // A name in letters that no font here has is not written wrong: the address says whose account it is.
        let mut y = 6650;
        for (size, text) in [(110, &self.holder.name), (90, &self.holder.email), (90, &self.holder.country)] {
            let face = if size == 110 { Face::Bold } else { Face::Plain };
            let style = document.fitting(Style::new(face, size, Ink::Black), 2600, text);
            if !text.is_empty() && document.write(style, (LEFT, y), text) {
                y -= 140;
            }
        }
        let made_at = clock::to_text(self.made_at);
        for ((x, y), label, text) in [
            ((MIDDLE, 6800), "Currency", "US dollars"),
            ((LAST, 6800), "Document number", self.number),
            ((MIDDLE, 6510), "Issued on", made_at.as_str()),
        ] {
            document.write(LABEL, (x, y), label);
            document.write(TEXT, (x, y - 150), text);
        }
        self.sums(document);
        FIRST_TOP
    }

    /// The head of every other page; returns where the table begins.
    fn short_head(&self, document: &mut Document) -> u16 {
        letterhead(document, &self.issuer.operator.name);
        document.write_up_to(LABEL, (RIGHT, 7860), &format!("{}, {}", self.title, self.subject));
        TOP
    }

    fn foot(&self, document: &mut Document, page: &str) {
        document.fill(Ink::Silver, (LEFT, 560), (RIGHT - LEFT, 5));
        document.write(LABEL, (LEFT, 420), self.note);
        document.write(
            LABEL,
            (LEFT, 300),
            &format!("Document {}. Check it at {}/check", self.number, self.issuer.address),
        );
        document.write_up_to(LABEL, (RIGHT, 300), page);
    }

    fn sums(&self, document: &mut Document) {
        document.fill(Ink::Mist, (LEFT, 5710), (RIGHT - LEFT, 470));
        let count = u16::try_from(self.sums.len()).unwrap_or(u16::MAX).max(1);
        let width = (RIGHT - LEFT - 140) / count;
        for (x, (label, figure)) in (LEFT + 140..).step_by(width.into()).zip(&self.sums) {
            document.write(LABEL, (x, 6005), label);
            let style = document.fitting(Style::new(Face::Bold, 120, Ink::Black), width - 100, figure);
            document.write(style, (x, 5820), figure);
        }
    }

    fn table(&self, document: &mut Document, top: u16, rows: &[Row]) {
        for column in self.columns {
            place(document, LABEL, column, top, column.heading);
        }
        document.fill(Ink::Navy, (LEFT, top - 60), (RIGHT - LEFT, 8));
        let mut y = top;
        for row in rows {
            y -= ROW;
            let style = if row.is_strong { STRONG } else { TEXT };
            for (column, text) in self.columns.iter().zip(&row.cells) {
                place(document, style, column, y, text);
            }
            for detail in &row.details {
                y -= ROW;
                let style = document.fitting(LABEL, RIGHT - LEFT, detail);
                document.write(style, (LEFT, y + 30), detail);
            }
            document.fill(Ink::Silver, (LEFT, y - 60), (RIGHT - LEFT, 3));
        }
    }
}

fn letterhead(document: &mut Document, name: &str) {
    document.fill(Ink::Navy, (0, UPRIGHT.1 - 120), (UPRIGHT.0, 120));
    document.write(Style::new(Face::Bold, 150, Ink::Navy), (LEFT, 7860), name);
}

fn place(document: &mut Document, style: Style, column: &Column, y: u16, text: &str) {
    let style = document.fitting(style, column.width, text);
    if column.is_right {
        document.write_up_to(style, (column.at, y), text);
    } else {
        document.write(style, (column.at, y), text);
    }
}

/// An amount for people, with a minus as wide as a digit.
#[must_use]
pub fn written(amount: Cents) -> String {
    amount.to_string().replace('-', "–")
}
