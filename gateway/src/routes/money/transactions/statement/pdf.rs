//! The statement as pages of A4: whose it is, the period, its sums, and every change of the balance.

use chassis::clock;
use chassis::money::Cents;
use time::{Date, OffsetDateTime};

use crate::http::convert::moment_to_text;
use crate::http::error::ApiError;
use crate::operator::Issuer;
use crate::papers::paper::{self, Column, LEFT, Paper, RIGHT, written};
use crate::peers::cache::profiles::Profile;

const COLUMNS: [Column; 5] = [
    Column::left("Date and time", LEFT, 1540),
    Column::left("Description", 2080, 1040),
    Column::left("Reference", 3160, 640),
    Column::right("Amount", 4560, 740),
    Column::right("Balance", RIGHT, 840),
];

/// What the statement says.
pub struct Statement<'a> {
    pub holder: &'a Profile,
    /// The first and the last day.
    pub period: (Date, Date),
    pub made_at: OffsetDateTime,
    pub issuer: Issuer<'a>,
    pub number: &'a str,
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
    pub fee: Cents,
    /// Further facts: of which plan, units and rate, the hash.
    pub details: Vec<String>,
}

impl Statement<'_> {
    /// The statement as the bytes of a PDF file.
    pub fn write(&self) -> Result<Vec<u8>, ApiError> {
        let (mut into, mut out, mut fees) = (Cents::ZERO, Cents::ZERO, Cents::ZERO);
        for line in &self.lines {
            let side = if line.amount < Cents::ZERO { &mut out } else { &mut into };
            *side = side.plus(line.amount).map_err(ApiError::internal)?;
            fees = fees.plus(line.fee).map_err(ApiError::internal)?;
        }
        let sums = [
            ("Opening balance", self.opening),
            ("Money in", into),
            ("Money out", out),
            ("Of which fees", fees),
            ("Closing balance", self.closing),
        ];
        let mut rows = vec![balance("Opening balance", self.opening)];
        rows.extend(self.lines.iter().map(row));
        rows.push(balance("Closing balance", self.closing));
        let subject = format!("{} to {}", clock::day_to_text(self.period.0), clock::day_to_text(self.period.1));
        let paper = Paper {
            title: "Account statement",
            subject: &subject,
            holder: self.holder,
            made_at: self.made_at,
            issuer: self.issuer,
            number: self.number,
            note: "Every change of the available balance in this period. Dates and times are UTC.",
            sums: sums.into_iter().map(|(label, amount)| (label, written(amount))).collect(),
            columns: &COLUMNS,
            rows,
        };
        Ok(paper.write())
    }
}

fn balance(title: &str, balance: Cents) -> paper::Row {
    let cells = [String::new(), title.to_owned(), String::new(), String::new(), written(balance)];
    paper::Row { is_strong: true, ..paper::Row::new(cells) }
}

fn row(line: &Line<'_>) -> paper::Row {
    // The foot says that times are UTC.
    let at = moment_to_text(line.at).trim_end_matches(" UTC").to_owned();
    let cells = [at, named(line).to_owned(), line.reference.to_owned(), written(line.amount), written(line.balance)];
    paper::Row { details: line.details.clone(), ..paper::Row::new(cells) }
}

/// The amount of a withdrawal that is not paid out comes back.
fn named<'a>(line: &Line<'a>) -> &'a str {
    if line.title == "Withdrawal" && line.amount > Cents::ZERO { "Withdrawal returned" } else { line.title }
}

#[cfg(test)]
mod tests {
    use time::macros::{date, datetime};

    use super::{Cents, Issuer, Line, Profile, Statement, named};
    use crate::operator::Operator;

    fn deposit() -> Line<'static> {
        Line {
            at: "2026-01-02T03:04:05.006Z",
            title: "Deposit",
            reference: "TNX-1a2b3c",
            amount: Cents::new(12_345),
            balance: Cents::new(-5),
            fee: Cents::ZERO,
            details: Vec::new(),
        }
    }

    fn text_of(name: &str, lines: usize) -> String {
        written(name, (0..lines).map(|_| deposit()).collect())
    }

    fn written(name: &str, lines: Vec<Line<'_>>) -> String {
        let holder = Profile {
            name: name.to_owned(),
            email: "amara@members.test".to_owned(),
            phone: String::new(),
            country: "Nigeria".to_owned(),
        };
        let statement = Statement {
            holder: &holder,
            period: (date!(2026 - 01 - 01), date!(2026 - 01 - 31)),
            made_at: datetime!(2026-02-01 14:05 UTC),
            issuer: Issuer { operator: Operator::example(), address: "https://solvane.test" },
            number: "SD-1",
            opening: Cents::ZERO,
            closing: Cents::new(12_345),
            lines,
        };
        statement.write().unwrap().into_iter().map(char::from).collect()
    }

    /// [D-M9] [U2] [U22] [MSG-04] A statement names its holder, the period and its number, sums up what came and went and what
    /// of it were fees, and writes amounts and moments for people.
    #[test]
    fn a_statement_says_whose_it_is_and_what_came_and_went() {
        let mut lines: Vec<_> = (0..11).map(|_| deposit()).collect();
        lines[0].details = vec!["0.0051 BTC at $97,312.45".to_owned()];
        lines[1].fee = Cents::new(250);
        let text = written("Amara Okafor", lines);
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
            "($2.50)",
            "(0.0051 BTC at $97,312.45)",
            "(SD-1)",
            "(Document SD-1. Check it at https://solvane.test/check)",
            "(Page 1 of 1)",
        ];
        for part in parts {
            assert!(text.contains(part), "{part}");
        }
        // The dash of the encoding is no ASCII.
        assert!(text.contains("<9624302E3035>") || text.contains("\u{96}$0.05"), "minus five cents");
        assert!(!text.contains("Courier") && !text.contains("2026-01"));
    }

    /// [D-M9] [U2] [F11] The holder's name stands right: in its own letters, or not at all, where the email address says it.
    #[test]
    fn a_holders_name_stands_right() {
        assert!(text_of("Ren\u{e9}e Dupont", 1).contains("Helvetica"));
        let embedded = text_of("Łukasz Żak", 1);
        assert!(embedded.contains("FontFile2") && embedded.contains("<0141>"));
        assert!(text_of("王小明", 1).contains("DroidSansFallback"));
        assert!(text_of("अनिल कुमार", 1).contains("Devanagari"));
        let other = text_of("ᠮᠣᠩᠭᠣᠯ", 1);
        assert!(!other.contains("FontFile2"));
        assert!(other.contains("(amara@members.test)"), "{other}");
    }

    /// [U2] The amount of a withdrawal that is not paid out comes back, and the row says so.
    #[test]
    fn what_comes_back_is_called_returned() {
        let named = |title, cents| named(&Line { title, amount: Cents::new(cents), ..deposit() });
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
        let lines = (0..25).map(|_| Line { details: vec!["a hash".to_owned()], ..deposit() }).collect();
        let text = written("Amara Okafor", lines);
        assert!(text.contains("/Count 2") && text.matches("(a hash)").count() == 25);
    }
}
