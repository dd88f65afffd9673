//! The statement as pages of A4: whose it is, the period, its sums, and every change of the balance.

use chassis::clock;
use chassis::money::Cents;
use time::{Date, OffsetDateTime};

use crate::cache::profiles::Profile;
use crate::error::ApiError;
use crate::pdf::{self, Document, Face, Ink, Style, UPRIGHT};

const LEFT: u16 = 500;
const RIGHT: u16 = UPRIGHT.0 - 500;
/// Where the columns begin, or end if their texts stand to the right.
const TITLE: u16 = 2080;
const REFERENCE: u16 = 3160;
const AMOUNT_END: u16 = 4560;
const ROW: u16 = 180;
/// The line of the first row, on the first page and on the others.
const FIRST_TOP: u16 = 5440;
const TOP: u16 = 7400;
/// Rows of the first page and of the others.
const FIRST_ROWS: usize = 26;
const ROWS: usize = 37;

const LABEL: Style = Style::new(Face::Plain, 85, Ink::Grey);
const TEXT: Style = Style::new(Face::Plain, 90, Ink::Black);
const STRONG: Style = Style::new(Face::Bold, 90, Ink::Black);

/// What the paper says.
pub struct Paper<'a> {
    pub holder: &'a Profile,
    /// The first and the last day.
    pub period: (Date, Date),
    pub made_at: OffsetDateTime,
    /// Where the product is.
    pub address: &'a str,
    pub opening: Cents,
    pub closing: Cents,
    pub lines: Vec<Line<'a>>,
}

/// A change of the balance.
pub struct Line<'a> {
    /// RFC 3339.
    pub at: &'a str,
    pub title: &'a str,
    pub reference: &'a str,
    pub amount: Cents,
    pub balance: Cents,
}

/// A row of the table.
struct Row<'a> {
    at: String,
    title: &'a str,
    reference: &'a str,
    amount: Option<Cents>,
    balance: Cents,
}

impl Paper<'_> {
    /// The statement as the bytes of a PDF file.
    pub fn write(&self) -> Result<Vec<u8>, ApiError> {
        let rows = self.rows();
        let (first, rest) = rows.split_at(rows.len().min(FIRST_ROWS));
        let pages: Vec<_> = std::iter::once(first).chain(rest.chunks(ROWS)).collect();
        let mut document = Document::new("Account statement", UPRIGHT);
        for (index, rows) in pages.iter().enumerate() {
            document.next_page();
            let top = if index == 0 { self.head(&mut document)? } else { self.short_head(&mut document) };
            table(&mut document, top, rows);
            self.foot(&mut document, &format!("Page {} of {}", index + 1, pages.len()));
        }
        Ok(document.finish())
    }

    /// The head of the first page; returns where the table begins.
    fn head(&self, document: &mut Document) -> Result<u16, ApiError> {
        brand(document);
        document.write(Style::new(Face::Bold, 220, Ink::Navy), (LEFT, 7320), "Account statement");
        document.write(Style::new(Face::Plain, 110, Ink::Black), (LEFT, 7130), &self.period());
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
        for (y, label, text) in [(6800, "Currency", "US dollars"), (6510, "Issued on", made_at.as_str())] {
            document.write(LABEL, (REFERENCE, y), label);
            document.write(TEXT, (REFERENCE, y - 150), text);
        }
        self.sums(document)?;
        Ok(FIRST_TOP)
    }

    /// The head of every other page; returns where the table begins.
    fn short_head(&self, document: &mut Document) -> u16 {
        brand(document);
        document.write_up_to(LABEL, (RIGHT, 7860), &format!("Account statement, {}", self.period()));
        TOP
    }

    fn foot(&self, document: &mut Document, page: &str) {
        document.fill(Ink::Silver, (LEFT, 560), (RIGHT - LEFT, 5));
        let sentence = "Every change of the available balance in this period. Dates and times are UTC.";
        document.write(LABEL, (LEFT, 420), sentence);
        document.write(LABEL, (LEFT, 300), self.address);
        document.write_up_to(LABEL, (RIGHT, 300), page);
    }

    /// The balances before and after the period, and what came and went in between.
    fn sums(&self, document: &mut Document) -> Result<(), ApiError> {
        let (mut into, mut out) = (Cents::ZERO, Cents::ZERO);
        for line in &self.lines {
            let side = if line.amount < Cents::ZERO { &mut out } else { &mut into };
            *side = side.plus(line.amount).map_err(ApiError::internal)?;
        }
        let sums = [
            ("Opening balance", self.opening),
            ("Money in", into),
            ("Money out", out),
            ("Closing balance", self.closing),
        ];
        document.fill(Ink::Mist, (LEFT, 5710), (RIGHT - LEFT, 470));
        for (x, (label, amount)) in [LEFT + 140, LEFT + 1380, LEFT + 2620, LEFT + 3860].into_iter().zip(sums) {
            document.write(LABEL, (x, 6005), label);
            let amount = written(amount);
            let style = document.fitting(Style::new(Face::Bold, 120, Ink::Black), 1100, &amount);
            document.write(style, (x, 5820), &amount);
        }
        Ok(())
    }

    fn rows(&self) -> Vec<Row<'_>> {
        let mut rows = vec![Row::balance("Opening balance", self.opening)];
        rows.extend(self.lines.iter().map(Row::from));
        rows.push(Row::balance("Closing balance", self.closing));
        rows
    }

    fn period(&self) -> String {
        format!("{} to {}", clock::day_to_text(self.period.0), clock::day_to_text(self.period.1))
    }
}

fn brand(document: &mut Document) {
    document.fill(Ink::Navy, (0, UPRIGHT.1 - 120), (UPRIGHT.0, 120));
    document.write(Style::new(Face::Bold, 150, Ink::Navy), (LEFT, 7860), "Solvane");
}

fn table(document: &mut Document, top: u16, rows: &[Row<'_>]) {
    for (x, heading) in [(LEFT, "Date and time"), (TITLE, "Description"), (REFERENCE, "Reference")] {
        document.write(LABEL, (x, top), heading);
    }
    for (right, heading) in [(AMOUNT_END, "Amount"), (RIGHT, "Balance")] {
        document.write_up_to(LABEL, (right, top), heading);
    }
    document.fill(Ink::Navy, (LEFT, top - 60), (RIGHT - LEFT, 8));
    let mut y = top;
    for row in rows {
        y -= ROW;
        let style = if row.amount.is_some() { TEXT } else { STRONG };
        for (x, text) in [(LEFT, row.at.as_str()), (TITLE, row.title), (REFERENCE, row.reference)] {
            document.write(style, (x, y), text);
        }
        if let Some(amount) = row.amount {
            document.write_up_to(style, (AMOUNT_END, y), &written(amount));
        }
        document.write_up_to(style, (RIGHT, y), &written(row.balance));
        document.fill(Ink::Silver, (LEFT, y - 60), (RIGHT - LEFT, 3));
    }
}

impl<'a> Row<'a> {
    fn balance(title: &'a str, balance: Cents) -> Self {
        Self { at: String::new(), title, reference: "", amount: None, balance }
    }
}

impl<'a> From<&Line<'a>> for Row<'a> {
    fn from(line: &Line<'a>) -> Self {
        // The amount of a withdrawal that is not paid out comes back.
        let is_returned = line.title == "Withdrawal" && line.amount > Cents::ZERO;
        Self {
            // The foot says that times are UTC.
            at: pdf::moment(line.at).trim_end_matches(" UTC").to_owned(),
            title: if is_returned { "Withdrawal returned" } else { line.title },
            reference: line.reference,
            amount: Some(line.amount),
            balance: line.balance,
        }
    }
}

/// An amount for people, with a minus as wide as a digit.
fn written(amount: Cents) -> String {
    amount.to_string().replace('-', "–")
}

#[cfg(test)]
mod tests {
    use time::macros::{date, datetime};

    use super::{Cents, Line, Paper, Profile, Row};

    const DEPOSIT: Line<'_> = Line {
        at: "2026-01-02T03:04:05.006Z",
        title: "Deposit",
        reference: "TNX-1a2b3c",
        amount: Cents::new(12_345),
        balance: Cents::new(-5),
    };

    fn text_of(name: &str, lines: usize) -> String {
        let holder = Profile {
            name: name.to_owned(),
            email: "amara@members.test".to_owned(),
            phone: String::new(),
            country: "Nigeria".to_owned(),
        };
        let paper = Paper {
            holder: &holder,
            period: (date!(2026 - 01 - 01), date!(2026 - 01 - 31)),
            made_at: datetime!(2026-02-01 14:05 UTC),
            address: "https://solvane.test",
            opening: Cents::ZERO,
            closing: Cents::new(12_345),
            lines: (0..lines).map(|_| DEPOSIT).collect(),
        };
        paper.write().unwrap().into_iter().map(char::from).collect()
    }

    /// [D-M9] [U2] [U22] [MSG-04] A statement names its holder and the period, sums up what came and went, and writes amounts
    /// and moments for people.
    #[test]
    fn a_statement_says_whose_it_is_and_what_came_and_went() {
        let text = text_of("Amara Okafor", 11);
        let parts = [
            "(Account statement)",
            "(January 1, 2026 to January 31, 2026)",
            "(Amara Okafor)",
            "(amara@members.test)",
            "(Nigeria)",
            "(February 1, 2026 at 2:05 PM UTC)",
            "(January 2, 2026 at 3:04 AM)",
            "(TNX-1a2b3c)",
            "($1,357.95)",
            "(https://solvane.test)",
            "(Page 1 of 1)",
        ];
        for part in parts {
            assert!(text.contains(part), "{part}");
        }
        // The dash of the encoding is no ASCII.
        assert!(text.contains("<9624302E3035>") || text.contains("\u{96}$0.05"), "minus five cents");
        assert!(!text.contains("Courier") && !text.contains("2026-01"));
    }

    /// [D-M9] [U2] The holder's name stands right: in its own letters, or not at all, where the email address says it.
    #[test]
    fn a_holders_name_stands_right() {
        assert!(text_of("Ren\u{e9}e Dupont", 1).contains("Helvetica"));
        let embedded = text_of("Łukasz Żak", 1);
        assert!(embedded.contains("FontFile2") && embedded.contains("<0141>"));
        let other = text_of("王小明", 1);
        assert!(!other.contains("FontFile2") && other.contains("(amara@members.test)"));
    }

    /// [U2] The amount of a withdrawal that is not paid out comes back, and the row says so.
    #[test]
    fn what_comes_back_is_called_returned() {
        let named = |title, cents| Row::from(&Line { title, amount: Cents::new(cents), ..DEPOSIT }).title;
        assert_eq!(named("Withdrawal", -100), "Withdrawal");
        assert_eq!(named("Withdrawal", 100), "Withdrawal returned");
        assert_eq!(named("Deposit", 100), "Deposit");
    }

    /// [D-M9] [U2] Every page has its number, every line is on one, and the balances frame them.
    #[test]
    fn long_statements_have_pages() {
        for (lines, pages) in [(0, 1), (24, 1), (25, 2), (61, 2), (62, 3), (200, 6)] {
            let text = text_of("Amara Okafor", lines);
            assert!(text.starts_with("%PDF-"), "{lines}");
            assert!(text.contains(&format!("/Count {pages}")), "{lines}");
            assert!(text.contains(&format!("(Page {pages} of {pages})")), "{lines}");
            assert_eq!(text.matches("TNX-1a2b3c").count(), lines);
            assert_eq!(text.matches("(Closing balance)").count(), 2, "{lines}");
        }
    }
}
