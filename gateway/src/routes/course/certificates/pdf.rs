//! A certificate as a page of A4 across.

use crate::http::convert::day_to_text;
use crate::operator::Operator;
use crate::papers::pdf::{ACROSS, Document, Face, Ink, Style};

/// Where every line begins.
const LEFT: u16 = 960;
/// How long a line may be.
const LINE: u16 = ACROSS.0 - LEFT - 640;

/// The middle and the radius of the seal.
const SEAL: ((u16, u16), u16) = ((LEFT + LINE - 430, 4840), 430);
/// The size of a module of the code.
const MODULE: u16 = 28;

/// What the page says.
pub struct Page<'a> {
    pub name: &'a str,
    pub course: &'a str,
    /// RFC 3339.
    pub issued_at: &'a str,
    /// Whether the purchase was refunded since.
    pub has_ended: bool,
    pub operator: &'a Operator,
    /// Where it is verified.
    pub address: &'a str,
}

/// Writes the page.
pub fn write(page: &Page<'_>) -> Vec<u8> {
    let plain = |size| Style::new(Face::Plain, size, Ink::Black);
    let bold = |size| Style::new(Face::Bold, size, Ink::Navy);
    let mut document = Document::new("Certificate of completion", ACROSS);
    document.next_page();
    document.fill(Ink::Navy, (0, 0), (320, ACROSS.1));
    document.write(bold(160), (LEFT, 5000), &page.operator.name);
    let operator = page.operator.line();
    let style = document.fitting(Style::new(Face::Plain, 100, Ink::Grey), LINE - SEAL.1 * 2, &operator);
    document.write(style, (LEFT, 4820), &operator);
    seal(&mut document, page.operator);
    document.write(bold(340), (LEFT, 4200), "Certificate of completion");
    document.write(plain(130), (LEFT, 3620), "This certifies that");
    let style = document.fitting(bold(280), LINE, page.name);
    if !document.write(style, (LEFT, 3220), page.name) {
        document.write(bold(160), (LEFT, 3220), "the member named at the address below");
    }
    document.write(plain(130), (LEFT, 2820), "has completed all lessons of the course");
    let style = document.fitting(bold(200), LINE, page.course);
    if !document.write(style, (LEFT, 2480), page.course) {
        document.write(bold(160), (LEFT, 2480), "named at the address below");
    }
    document.write(plain(130), (LEFT, 1960), &format!("Issued on {}", day_to_text(page.issued_at)));
    if page.has_ended {
        let sentence = "No longer valid: the purchase of the course was refunded.";
        document.write(Style::new(Face::Bold, 130, Ink::Black), (LEFT, 1720), sentence);
    }
    document.write(plain(100), (LEFT, 900), "Verify this certificate at");
    document.write(plain(100), (LEFT, 740), page.address);
    document.qr((LEFT + LINE, 720), MODULE, page.address);
    document.finish()
}

/// The mark of the issuer: the first letter of its name.
fn seal(document: &mut Document, operator: &Operator) {
    let ((x, y), radius) = SEAL;
    for (ink, radius) in [(Ink::Navy, radius), (Ink::White, radius - 30), (Ink::Navy, radius - 60)] {
        document.disc(ink, (x, y), radius);
    }
    let initial: String = operator.name.chars().take(1).collect();
    document.write_centred(Style::new(Face::Bold, 420, Ink::White), (x, y - 145), &initial);
}

#[cfg(test)]
mod tests {
    use super::{Operator, Page, write};

    fn page(name: &str) -> String {
        written(name, false)
    }

    fn written(name: &str, has_ended: bool) -> String {
        let page = Page {
            name,
            course: "The UGC Video Course",
            issued_at: "2026-11-23T12:34:56.000Z",
            has_ended,
            operator: Operator::example(),
            address: "https://solvane.test/certificates/1",
        };
        write(&page).into_iter().map(char::from).collect()
    }

    /// [D-C8] [U22] The PDF has the name, the course, the date, and where it is verified.
    #[test]
    fn the_page_says_who_did_what_when() {
        let text = page("Amara Lindqvist");
        assert!(text.starts_with("%PDF-"));
        let parts =
            ["Amara Lindqvist", "The UGC Video Course", "November 23, 2026", "https://solvane.test/certificates/1"];
        for part in parts {
            assert!(text.contains(part), "{part}");
        }
        // [D-M9] The operator, the seal and a code with the address.
        assert!(
            text.contains("(Solvane Ltd., 1 Harbour Row, Dublin, Ireland)")
                && text.contains(" c\n")
                && text.contains(" 28 re")
        );
        assert!(!text.contains("FontFile2") && !text.contains("No longer valid"));
        assert!(written("Amara Lindqvist", true).contains("No longer valid"));
    }

    /// [D-C8] [F11] A name beyond the standard fonts is written; what cannot be written is left to the address.
    #[test]
    fn a_name_is_written_right_or_left_to_the_address() {
        let text = page("Łukasz Żak");
        assert!(text.contains("FontFile2") && text.contains("<0141>") && !text.contains("named at the address"));
        for (name, font) in
            [("王小明", "DroidSans"), ("अनिल कुमार", "Devanagari"), ("สมชาย", "Thai"), ("김민준", "Nanum")]
        {
            assert!(page(name).contains(font) && !page(name).contains("named at the address"), "{name}");
        }
        assert!(page("ᠮᠣᠩᠭᠣᠯ").contains("the member named at the address below"));
    }
}
