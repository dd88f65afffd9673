//! Documents to print: pages of A4 in the standard PDF fonts. What these cannot write is in embedded ones, with the
//! glyphs that they need.
//!
//! Lengths are in tenths of a point, from the lower left corner of the page.

mod font;
mod standard;

use pdf_writer::{Content, Finish, Name, Pdf, Rect, Ref, Str, TextStr};
use qrcode::{Color, EcLevel, QrCode};

use font::{Glyph, Part, Subsets, thousandths};
pub use standard::Face;

/// A width and a height.
pub type Size = (u16, u16);

/// A page upright.
pub const UPRIGHT: Size = (5950, 8420);
/// A page across.
pub const ACROSS: Size = (8420, 5950);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ink {
    Navy,
    Black,
    Grey,
    /// The colour of thin lines between rows.
    Silver,
    /// The colour behind a block of text.
    Mist,
    White,
}

/// How a text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    pub face: Face,
    pub size: u16,
    pub ink: Ink,
}

/// A text as its fonts have it.
enum Encoded {
    /// In a standard font, by its width in thousandths of the font's size.
    Standard(Name<'static>, Vec<u8>, u32),
    Embedded(Vec<Part>),
}

/// A document in the making. Everything is written on its last page.
pub struct Document {
    size: Size,
    title: &'static str,
    pages: Vec<Content>,
    subsets: Subsets,
}

const PLAIN: Name<'static> = Name(b"P");
const BOLD: Name<'static> = Name(b"B");

impl Encoded {
    /// In thousandths of the font's size.
    fn width(&self) -> u32 {
        match self {
            Self::Standard(_, _, width) => *width,
            Self::Embedded(parts) => u32::try_from(parts.iter().map(Part::width).sum::<i32>()).unwrap_or_default(),
        }
    }
}

/// What a page calls an embedded font.
fn embedded(font: usize) -> Vec<u8> {
    format!("E{font}").into_bytes()
}

impl Style {
    #[must_use]
    pub const fn new(face: Face, size: u16, ink: Ink) -> Self {
        Self { face, size, ink }
    }
}

impl Document {
    /// A document without a page.
    #[must_use]
    pub fn new(title: &'static str, size: Size) -> Self {
        Self { size, title, pages: Vec::new(), subsets: Subsets::default() }
    }

    /// Begins the next page.
    pub fn next_page(&mut self) {
        let mut content = Content::new();
        content.transform([0.1, 0.0, 0.0, 0.1, 0.0, 0.0]);
        self.pages.push(content);
    }

    /// Fills a rectangle, from its lower left corner.
    pub fn fill(&mut self, ink: Ink, (x, y): (u16, u16), (width, height): Size) {
        let Some(page) = self.pages.last_mut() else { return };
        dip(page, ink);
        page.rect(x.into(), y.into(), width.into(), height.into()).fill_nonzero();
    }

    /// Fills a circle around a point.
    pub fn disc(&mut self, ink: Ink, (x, y): (u16, u16), radius: u16) {
        let Some(page) = self.pages.last_mut() else { return };
        // A quarter of a circle is a curve whose handles have this length.
        let handle = u16::try_from(u32::from(radius) * 5523 / 10_000).unwrap_or_default();
        let [left, right] = [x.saturating_sub(radius), x + radius].map(f32::from);
        let [bottom, top] = [y.saturating_sub(radius), y + radius].map(f32::from);
        let [before, after] = [x.saturating_sub(handle), x + handle].map(f32::from);
        let [below, above] = [y.saturating_sub(handle), y + handle].map(f32::from);
        let (x, y) = (f32::from(x), f32::from(y));
        dip(page, ink);
        page.move_to(right, y)
            .cubic_to(right, above, after, top, x, top)
            .cubic_to(before, top, left, above, left, y)
            .cubic_to(left, below, before, bottom, x, bottom)
            .cubic_to(after, bottom, right, below, right, y)
            .fill_nonzero();
    }

    /// Draws a text as a QR code whose modules have this size, from its lower right corner; returns whether it fits into one.
    pub fn qr(&mut self, (right, y): (u16, u16), module: u16, text: &str) -> bool {
        let Ok(code) = QrCode::with_error_correction_level(text, EcLevel::M) else { return false };
        let (colors, width) = (code.to_colors(), code.width());
        let count = u16::try_from(width).unwrap_or_default();
        let left = right.saturating_sub(count * module);
        for (above, row) in (0..count).rev().zip(colors.chunks(width)) {
            let mut from = 0;
            for run in row.chunk_by(PartialEq::eq) {
                let length = u16::try_from(run.len()).unwrap_or_default();
                if run.first() == Some(&Color::Dark) {
                    self.fill(Ink::Black, (left + from * module, y + above * module), (length * module, module));
                }
                from += length;
            }
        }
        true
    }

    /// Writes a text from here on; returns whether the fonts have all its letters. Otherwise it writes nothing.
    pub fn write(&mut self, style: Style, at: (u16, u16), text: &str) -> bool {
        let Some(encoded) = self.encode(style.face, text) else { return false };
        self.show(style, at, &encoded);
        true
    }

    /// Writes a text that ends here; returns whether the fonts have all its letters. Otherwise it writes nothing.
    pub fn write_up_to(&mut self, style: Style, at: (u16, u16), text: &str) -> bool {
        self.write_before(style, at, text, |width| width)
    }

    /// Writes a text with this as its middle; returns whether the fonts have all its letters. Otherwise it writes nothing.
    pub fn write_centred(&mut self, style: Style, at: (u16, u16), text: &str) -> bool {
        self.write_before(style, at, text, |width| width / 2)
    }

    fn write_before(&mut self, style: Style, (x, y): (u16, u16), text: &str, before: fn(u16) -> u16) -> bool {
        let Some(encoded) = self.encode(style.face, text) else { return false };
        let width = u16::try_from(encoded.width() * u32::from(style.size) / 1000).unwrap_or(u16::MAX);
        self.show(style, (x.saturating_sub(before(width)), y), &encoded);
        true
    }

    /// The same style, smaller if the text would be wider than this.
    #[must_use]
    pub fn fitting(&mut self, style: Style, width: u16, text: &str) -> Style {
        let per_size = self.encode(style.face, text).map_or(1, |encoded| encoded.width().max(1));
        let size = u16::try_from(u32::from(width) * 1000 / per_size).unwrap_or(u16::MAX);
        Style { size: style.size.min(size), ..style }
    }

    /// The document as the bytes of a PDF file.
    #[must_use]
    pub fn finish(self) -> Vec<u8> {
        let [catalog, info, tree, plain, bold] = [1, 2, 3, 4, 5].map(Ref::new);
        let mut number = 5;
        let mut next = || {
            number += 1;
            Ref::new(number)
        };
        let pages: Vec<_> = self.pages.into_iter().map(|content| (next(), next(), content)).collect();
        let mut pdf = Pdf::new();
        let mut root = pdf.catalog(catalog);
        root.pages(tree).lang(TextStr("en"));
        root.viewer_preferences().display_doc_title(true);
        root.finish();
        pdf.document_info(info).title(TextStr(self.title));
        pdf.pages(tree)
            .kids(pages.iter().map(|(page, ..)| *page))
            .count(i32::try_from(pages.len()).unwrap_or_default());
        for (font, name) in [(plain, "Helvetica"), (bold, "Helvetica-Bold")] {
            pdf.type1_font(font).base_font(Name(name.as_bytes())).encoding_predefined(Name(b"WinAnsiEncoding"));
        }
        let used = self.subsets.write(&mut pdf, next);
        let (width, height) = (self.size.0 / 10, self.size.1 / 10);
        for (id, stream, content) in pages {
            let mut page = pdf.page(id);
            page.media_box(Rect::new(0.0, 0.0, width.into(), height.into())).parent(tree).contents(stream);
            let mut resources = page.resources();
            let mut fonts = resources.fonts();
            fonts.pair(PLAIN, plain).pair(BOLD, bold);
            for (font, at) in &used {
                fonts.pair(Name(&embedded(*font)), *at);
            }
            fonts.finish();
            resources.finish();
            page.finish();
            pdf.stream(stream, &content.finish());
        }
        pdf.finish()
    }

    fn show(&mut self, style: Style, (x, y): (u16, u16), encoded: &Encoded) {
        let Some(page) = self.pages.last_mut() else { return };
        dip(page, style.ink);
        page.begin_text().next_line(x.into(), y.into());
        match encoded {
            Encoded::Standard(font, bytes, _) => {
                page.set_font(*font, style.size.into()).show(Str(bytes));
            }
            Encoded::Embedded(parts) => parts.iter().for_each(|part| show(page, style.size, part)),
        }
        page.end_text();
    }

    fn encode(&mut self, face: Face, text: &str) -> Option<Encoded> {
        let Some(bytes) = standard::win_ansi(text) else { return self.subsets.encode(text).map(Encoded::Embedded) };
        let width = face.width(&bytes);
        Some(Encoded::Standard(if face == Face::Bold { BOLD } else { PLAIN }, bytes, width))
    }
}

/// Writes the glyphs of a part where they stand, and what they say, which is copied and read aloud.
fn show(page: &mut Content, size: u16, part: &Part) {
    page.begin_marked_content_with_properties(Name(b"Span")).properties().actual_text(TextStr(&part.text));
    page.set_font(Name(&embedded(part.font)), size.into());
    for level in part.glyphs.chunk_by(|one, other| one.offset.1 == other.offset.1) {
        let rise = level.first().map(|glyph| glyph.offset.1).unwrap_or_default();
        page.set_rise(thousandths(rise * i32::from(size) / 1000));
        let mut shown = page.show_positioned();
        let mut items = shown.items();
        for glyph in level {
            let Glyph { number, natural, advance, offset: (right, _) } = *glyph;
            // An adjustment is taken away from the place.
            if right != 0 {
                items.adjust(thousandths(-right));
            }
            items.show(Str(&number.to_be_bytes()));
            let left = natural + right - advance;
            if left != 0 {
                items.adjust(thousandths(left));
            }
        }
    }
    page.set_rise(0.0).end_marked_content();
}

fn dip(page: &mut Content, ink: Ink) {
    let [red, green, blue] = match ink {
        Ink::Navy => [0.08, 0.12, 0.30],
        Ink::Black => [0.07, 0.10, 0.15],
        Ink::Grey => [0.38, 0.41, 0.47],
        Ink::Silver => [0.85, 0.87, 0.90],
        Ink::Mist => [0.95, 0.96, 0.98],
        Ink::White => [1.0, 1.0, 1.0],
    };
    page.set_fill_rgb(red, green, blue);
}

#[cfg(test)]
mod tests {
    use super::font::{Glyph, Subsets};
    use super::{Document, Face, Ink, Style, UPRIGHT};

    const STYLE: Style = Style::new(Face::Bold, 100, Ink::Black);

    fn text_of(document: Document) -> String {
        document.finish().into_iter().map(char::from).collect()
    }

    /// [D-C8] [D-M9] [F11] Names in the scripts of the world are written with embedded fonts, of which the file has only those
    /// glyphs, and can be copied from the page.
    #[test]
    fn letters_beyond_the_standard_fonts_are_embedded() {
        for (name, font) in [
            ("Łukasz Żak", "DejaVu"),
            ("Łukasz \u{1f9d1}\u{1f3fd}\u{200d}\u{1f4bb}", "DejaVu"),
            ("Amara \u{1f9d1}", "DejaVu"),
            ("Γιώργος", "DejaVu"),
            ("Оксана Шевченко", "DejaVu"),
            ("Nguyễn Thị Ánh", "DejaVu"),
            ("שרה כהן", "DejaVu"),
            ("محمد الأمين", "DejaVu"),
            ("مُحَمَّد", "DejaVu"),
            ("محمد Smith", "DejaVu"),
            ("ສົມສັກ", "DejaVu"),
            ("王小明", "DroidSansFallback"),
            ("佐藤 さくら", "DroidSansFallback"),
            ("Łukasz 王", "DroidSansFallback"),
            ("김민준", "NanumSquare"),
            ("अनिल कुमार", "Devanagari"),
            ("Anil कुमार", "Devanagari"),
            ("অনিল কুমার", "Bengali"),
            ("ਗੁਰਪ੍ਰੀਤ ਸਿੰਘ", "Gurmukhi"),
            ("ક્રિશ્ના પટેલ", "Gujarati"),
            ("ସୁବ୍ରତ", "Oriya"),
            ("முருகன்", "Tamil"),
            ("వెంకటేశ్వర్లు", "Telugu"),
            ("ಕೃಷ್ಣ", "Kannada"),
            ("ഉണ്ണികൃഷ്ണൻ", "Malayalam"),
            ("සුනිල් පෙරේරා", "Sinhala"),
            ("สมชาย ใจดี", "Thai"),
            ("សុខា", "Khmer"),
            ("အောင်ဆန်း", "Myanmar"),
            ("አበበ በቂላ", "Ethiopic"),
        ] {
            let mut document = Document::new("Test", UPRIGHT);
            document.next_page();
            assert!(document.write(STYLE, (500, 500), name), "{name}");
            let text = text_of(document);
            assert!(text.contains(font) && text.contains("/ActualText"), "{name}");
            assert!(text.contains("FontFile2") && text.len() < 60_000, "{name}: {}", text.len());
        }
    }

    /// [F11] Glyphs stand where their neighbours put them: the vowel of "कि" before its consonant, the tone mark of "ที่" above the
    /// vowel and without a place of its own, and a text in both directions from the left to the right of the page.
    #[test]
    fn glyphs_stand_where_their_neighbours_put_them() {
        let mut subsets = Subsets::default();
        let mut glyphs = |text: &str| -> Vec<Glyph> {
            subsets.encode(text).unwrap().into_iter().flat_map(|part| part.glyphs).collect()
        };
        let (joined, consonant) = (glyphs("कि"), glyphs("क"));
        assert_eq!((joined.len(), joined.last().unwrap().number), (2, consonant[0].number));
        let marks = glyphs("ที่");
        assert!(marks.len() == 3 && marks[2].advance == 0, "{marks:?}");
        let mut parts = Subsets::default().encode("Sarah שרה").unwrap();
        assert_eq!(parts.pop().unwrap().text, "שרה");
    }

    /// [D-C8] [D-M9] What cannot be written is not written wrong.
    #[test]
    fn other_letters_are_not_written() {
        let mut document = Document::new("Test", UPRIGHT);
        document.next_page();
        for name in ["ᠮᠣᠩᠭᠣᠯ", "Anil ᠮ", "\u{1f9d1}", "two\nlines Ł"] {
            assert!(
                !document.write(STYLE, (500, 500), name) && !document.write_up_to(STYLE, (500, 500), name),
                "{name}"
            );
        }
        assert!(!text_of(document).contains(" TJ"));
    }

    #[test]
    fn a_text_ends_where_it_must() {
        let mut document = Document::new("Test", UPRIGHT);
        document.next_page();
        assert!(document.write_up_to(Style::new(Face::Plain, 100, Ink::Black), (1000, 500), "$1.00"));
        // Four characters of 556 thousandths, a point of 278.
        assert!(text_of(document).contains("750 500 Td"));
    }

    /// [D-M9] Every dark module of a code is on the page, where it belongs: the finder in the upper left corner has 7 in a row.
    #[test]
    fn a_code_is_drawn_from_its_corner() {
        let mut document = Document::new("Test", UPRIGHT);
        document.next_page();
        assert!(document.qr((1000, 500), 10, "https://solvane.test"));
        assert!(!document.qr((1000, 500), 10, &"x".repeat(3_000)));
        let text = text_of(document);
        // 25 modules: from 750 to 1000, and from 500 to 750.
        for part in ["750 740 70 10 re", "930 740 70 10 re", "750 500 70 10 re"] {
            assert!(text.contains(part), "{part}");
        }
    }

    #[test]
    fn long_texts_are_smaller() {
        let mut document = Document::new("Test", UPRIGHT);
        assert_eq!(document.fitting(STYLE, 3000, "Amara"), STYLE);
        let long = "x".repeat(100);
        let style = document.fitting(STYLE, 3000, &long);
        assert!(style.size < 60 && style.size > 40, "{style:?}");
    }
}
