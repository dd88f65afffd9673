//! A certificate as a page of A4 across. What the standard PDF fonts cannot write is in an embedded one, with the letters
//! that it needs.

mod font;

use pdf_writer::{Content, Finish, Name, Pdf, Rect, Ref, Str};

use font::Subset;

const WIDTH: u16 = 842;
const HEIGHT: u16 = 595;
/// Where every line begins.
const LEFT: u16 = 96;
/// How long a line may be.
const LINE: u16 = WIDTH - LEFT - 64;
/// The mean width of a character in bold, in hundredths of the font's size.
const CHARACTER: usize = 66;

/// What the page says.
pub struct Page<'a> {
    pub name: &'a str,
    pub course: &'a str,
    /// RFC 3339.
    pub issued_at: &'a str,
    /// Whether the purchase was refunded since.
    pub has_ended: bool,
    /// Where it is verified.
    pub address: &'a str,
}

/// Writes the page.
pub fn write(page: &Page<'_>) -> Vec<u8> {
    let [catalog, tree, sheet, content, plain, bold, embedded] = [1, 2, 3, 4, 5, 6, 7].map(Ref::new);
    let mut subset = Subset::default();
    let lines = lines(page, &mut subset);
    let mut pdf = Pdf::new();
    pdf.catalog(catalog).pages(tree);
    pdf.pages(tree).kids([sheet]).count(1);
    for (font, name) in [(plain, "Helvetica"), (bold, "Helvetica-Bold")] {
        pdf.type1_font(font).base_font(Name(name.as_bytes())).encoding_predefined(Name(b"WinAnsiEncoding"));
    }
    let has_embedded = subset.write(&mut pdf, embedded);
    let mut sheet = pdf.page(sheet);
    sheet.media_box(Rect::new(0.0, 0.0, WIDTH.into(), HEIGHT.into())).parent(tree).contents(content);
    let mut resources = sheet.resources();
    let mut fonts = resources.fonts();
    fonts.pair(Name(b"P"), plain).pair(Name(b"B"), bold);
    if has_embedded {
        fonts.pair(Name(b"E"), embedded);
    }
    fonts.finish();
    resources.finish();
    sheet.finish();
    pdf.stream(content, &lines);
    pdf.finish()
}

fn lines(page: &Page<'_>, subset: &mut Subset) -> Vec<u8> {
    let day = page.issued_at.get(..10).unwrap_or(page.issued_at);
    let mut content = Content::new();
    content.set_fill_rgb(0.08, 0.12, 0.30).rect(0.0, 0.0, 32.0, HEIGHT.into()).fill_nonzero();
    let mut write = |font: &[u8], size: u16, y: u16, text: &[u8]| {
        content.begin_text().set_font(Name(font), size.into());
        content.next_line(LEFT.into(), y.into()).show(Str(text)).end_text();
    };
    let mut in_bold = |text: &str| match win_ansi(text) {
        Some(bytes) => Some((b"B", bytes)),
        None => Some((b"E", subset.encode(text)?)),
    };
    write(b"B", 16, 500, b"Solvane");
    write(b"B", 34, 420, b"Certificate of completion");
    write(b"P", 13, 362, b"This certifies that");
    match in_bold(page.name) {
        Some((font, name)) => write(font, fitting(28, page.name), 322, &name),
        None => write(b"B", 16, 322, b"the member named at the address below"),
    }
    write(b"P", 13, 282, b"has done all lessons of the course");
    match in_bold(page.course) {
        Some((font, course)) => write(font, fitting(20, page.course), 248, &course),
        None => write(b"B", 16, 248, b"named at the address below"),
    }
    write(b"P", 13, 196, format!("Issued on {day}").as_bytes());
    if page.has_ended {
        write(b"B", 13, 172, b"No longer valid: the purchase of the course was refunded.");
    }
    write(b"P", 10, 90, b"Verify this certificate at");
    write(b"P", 10, 74, &win_ansi(page.address).unwrap_or_default());
    content.finish().to_vec()
}

/// The size at which the text fits into the line, at most this one.
fn fitting(most: u16, text: &str) -> u16 {
    let size = usize::from(LINE) * 100 / (text.chars().count().max(1) * CHARACTER);
    u16::try_from(size).map_or(most, |size| size.min(most))
}

/// The text in the encoding of the standard fonts; `None` if they lack one of its characters.
fn win_ansi(text: &str) -> Option<Vec<u8>> {
    let byte = |character| match character {
        ' '..='~' | '\u{a0}'..='\u{ff}' => u8::try_from(u32::from(character)).ok(),
        '€' => Some(0x80),
        '…' => Some(0x85),
        'Š' => Some(0x8a),
        'Œ' => Some(0x8c),
        'Ž' => Some(0x8e),
        '‘' => Some(0x91),
        '’' => Some(0x92),
        '“' => Some(0x93),
        '”' => Some(0x94),
        '–' => Some(0x96),
        '—' => Some(0x97),
        'š' => Some(0x9a),
        'œ' => Some(0x9c),
        'ž' => Some(0x9e),
        'Ÿ' => Some(0x9f),
        _ => None,
    };
    text.chars().map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::{Page, fitting, win_ansi, write};

    fn page(name: &str) -> String {
        written(name, false)
    }

    fn written(name: &str, has_ended: bool) -> String {
        let page = Page {
            name,
            course: "The UGC Video Course",
            issued_at: "2026-11-23T12:34:56.000Z",
            has_ended,
            address: "https://solvane.test/certificates/1",
        };
        write(&page).into_iter().map(char::from).collect()
    }

    /// [D-C8] The PDF has the name, the course, the date, and where it is verified.
    #[test]
    fn the_page_says_who_did_what_when() {
        let text = page("Amara Lindqvist");
        assert!(text.starts_with("%PDF-"));
        for part in ["Amara Lindqvist", "The UGC Video Course", "2026-11-23", "https://solvane.test/certificates/1"] {
            assert!(text.contains(part), "{part}");
        }
        assert!(!text.contains("FontFile2") && !text.contains("No longer valid"));
        assert!(written("Amara Lindqvist", true).contains("No longer valid"));
    }

    /// [D-C8] Names in Latin, Greek and Cyrillic letters are written with an embedded font, of which the file has only those
    /// letters, and can be copied from the page.
    #[test]
    fn letters_beyond_the_standard_fonts_are_embedded() {
        assert_eq!(win_ansi("Renée €").as_deref(), Some(b"Ren\xe9e \x80".as_slice()));
        for name in ["Łukasz Żak", "Γιώργος", "Оксана Шевченко", "Nguyễn Thị Ánh"] {
            assert_eq!(win_ansi(name), None);
            let text = page(name);
            assert!(text.contains("FontFile2") && !text.contains("named at the address"), "{name}");
            assert!(text.len() < 60_000, "{name}: {}", text.len());
        }
        assert!(page("Łukasz Żak").contains("<0141>"));
    }

    /// [D-C8] A name that cannot be written is not written wrong.
    #[test]
    fn a_name_in_other_letters_is_left_to_the_address() {
        for name in ["王小明", "محمد", "Łukasz 王"] {
            assert!(page(name).contains("the member named at the address below"), "{name}");
        }
    }

    #[test]
    fn long_names_are_smaller() {
        assert_eq!((fitting(28, "Amara"), fitting(28, &"x".repeat(100))), (28, 10));
    }
}
