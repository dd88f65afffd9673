//! The embedded fonts, of which a file has the letters that it needs.

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::OnceLock;

use flate2::read::GzDecoder;
use pdf_writer::types::{CidFontType, FontFlags, SystemInfo, UnicodeCmap};
use pdf_writer::{Name, Pdf, Rect, Ref, Str};
use rustybuzz::UnicodeBuffer;
use subsetter::GlyphRemapper;
use ttf_parser::{Face, GlyphId};

/// DejaVu Sans Bold: Latin, Greek, Cyrillic, Armenian, Georgian, Hebrew and Arabic letters.
const ALPHABETS: &[u8] = include_bytes!("../../assets/DejaVuSans-Bold.ttf");
/// Droid Sans Fallback: Chinese and Japanese characters, compressed.
const EAST_ASIAN: &[u8] = include_bytes!("../../assets/DroidSansFallbackFull.ttf.gz");
/// Widths in a PDF are in thousandths of the font's size.
const EM: u32 = 1000;

/// A letter in one of its forms.
struct Letter {
    /// What it says when it is copied.
    text: String,
    glyph: GlyphId,
}

/// One of the fonts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Font {
    Alphabets,
    EastAsian,
}

impl Font {
    pub const ALL: [Self; 2] = [Self::Alphabets, Self::EastAsian];

    const fn name(self) -> Name<'static> {
        match self {
            Self::Alphabets => Name(b"SOLVAN+DejaVuSans-Bold"),
            Self::EastAsian => Name(b"SOLVAN+DroidSansFallback"),
        }
    }

    /// Its file. The compressed one is inflated when the first name needs it, and kept.
    fn file(self) -> Option<&'static [u8]> {
        static INFLATED: OnceLock<Vec<u8>> = OnceLock::new();
        match self {
            Self::Alphabets => Some(ALPHABETS),
            Self::EastAsian => {
                let inflated = INFLATED.get_or_init(|| {
                    let mut file = Vec::new();
                    GzDecoder::new(EAST_ASIAN).read_to_end(&mut file).map_or_else(|_| Vec::new(), |_| file)
                });
                Some(inflated.as_slice()).filter(|file| !file.is_empty())
            }
        }
    }

    fn face(self) -> Option<Face<'static>> {
        Face::parse(self.file()?, 0).ok()
    }

    /// The letter in this font, if it may stand alone in it.
    fn glyph(self, face: &Face<'_>, letter: char) -> Option<GlyphId> {
        let may_stand = match self {
            Self::Alphabets => stands_alone(letter),
            Self::EastAsian => is_east_asian(letter),
        };
        face.glyph_index(letter).filter(|_| may_stand)
    }
}

/// A part of a text in one font.
pub struct Part {
    pub font: Font,
    /// The numbers of its letters.
    pub bytes: Vec<u8>,
    /// In thousandths of the font's size.
    pub width: u32,
}

/// The letters in use of each font.
#[derive(Default)]
pub struct Subsets([Subset; 2]);

impl Subsets {
    /// The text in parts of one font each; `None` if no font has a letter, or letters need more than to stand side by side.
    pub fn encode(&mut self, text: &str) -> Option<Vec<Part>> {
        if text.chars().any(is_right_to_left) {
            let face = Font::Alphabets.face()?;
            let letters = right_to_left(&face, text)?;
            return Some(vec![self.part(Font::Alphabets, &face, letters)]);
        }
        let mut parts = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let (font, face, letters) = Font::ALL.into_iter().find_map(|font| {
                let face = font.face()?;
                let letters = left_to_right(font, &face, rest);
                (!letters.is_empty()).then_some((font, face, letters))
            })?;
            rest = rest.get(letters.iter().map(|letter| letter.text.len()).sum()..)?;
            parts.push(self.part(font, &face, letters));
        }
        Some(parts)
    }

    fn part(&mut self, font: Font, face: &Face<'_>, letters: Vec<Letter>) -> Part {
        let Self([alphabets, east_asian]) = self;
        let subset = match font {
            Font::Alphabets => alphabets,
            Font::EastAsian => east_asian,
        };
        let (bytes, width) = subset.add(face, letters);
        Part { font, bytes, width }
    }

    /// Writes the fonts that are in use, each with five numbers from this one on.
    pub fn write(&self, pdf: &mut Pdf, first: [Ref; 2]) -> Vec<(Font, Ref)> {
        let all = Font::ALL.into_iter().zip(&self.0).zip(first);
        all.filter(|((font, subset), at)| subset.write(pdf, *font, *at)).map(|((font, _), at)| (font, at)).collect()
    }
}

/// The letters in use of a font, with their numbers in the file.
#[derive(Default)]
struct Subset {
    glyphs: GlyphRemapper,
    letters: BTreeMap<u16, Letter>,
}

impl Subset {
    /// The letters as numbers, with their width in thousandths of the font's size.
    fn add(&mut self, face: &Face<'_>, letters: Vec<Letter>) -> (Vec<u8>, u32) {
        let (mut encoded, mut width) = (Vec::new(), 0);
        for letter in letters {
            let number = self.glyphs.remap(letter.glyph.0);
            let advance = face.glyph_hor_advance(letter.glyph).unwrap_or_default();
            encoded.extend(number.to_be_bytes());
            width += u32::from(advance) * EM / u32::from(face.units_per_em());
            self.letters.insert(number, letter);
        }
        (encoded, width)
    }

    /// Writes the font and what belongs to it; returns whether there was anything to write.
    fn write(&self, pdf: &mut Pdf, of: Font, font: Ref) -> bool {
        if self.letters.is_empty() {
            return false;
        }
        let (Some(face), Some(whole)) = (of.face(), of.file()) else { return false };
        let Ok(file) = subsetter::subset(whole, 0, &self.glyphs) else { return false };
        let [cid, descriptor, cmap, stream] = [1, 2, 3, 4].map(|place| Ref::new(font.get() + place));
        pdf.type0_font(font)
            .base_font(of.name())
            .encoding_predefined(Name(b"Identity-H"))
            .descendant_font(cid)
            .to_unicode(cmap);
        let mut one = pdf.cid_font(cid);
        one.subtype(CidFontType::Type2)
            .base_font(of.name())
            .system_info(system_info("Identity"))
            .font_descriptor(descriptor)
            .cid_to_gid_map_predefined(Name(b"Identity"));
        let mut widths = one.widths();
        for (number, Letter { glyph, .. }) in &self.letters {
            let width = face.glyph_hor_advance(*glyph).unwrap_or_default();
            widths.consecutive(*number, [scaled(&face, width.cast_signed())]);
        }
        drop(widths);
        drop(one);
        let bounds = face.global_bounding_box();
        let [left, bottom, right, top] =
            [bounds.x_min, bounds.y_min, bounds.x_max, bounds.y_max].map(|edge| scaled(&face, edge));
        pdf.font_descriptor(descriptor)
            .name(of.name())
            .flags(FontFlags::SYMBOLIC)
            .bbox(Rect::new(left, bottom, right, top))
            .italic_angle(0.0)
            .ascent(scaled(&face, face.ascender()))
            .descent(scaled(&face, face.descender()))
            .cap_height(scaled(&face, face.capital_height().unwrap_or_default()))
            .stem_v(140.0)
            .font_file2(stream);
        let mut unicode = UnicodeCmap::new(Name(b"Letters"), system_info("UCS"));
        for (number, letter) in &self.letters {
            unicode.pair_with_multiple(*number, letter.text.chars());
        }
        pdf.cmap(cmap, &unicode.finish());
        pdf.stream(stream, &file).pair(Name(b"Length1"), i32::try_from(file.len()).unwrap_or_default());
        true
    }
}

/// The characters that a text begins with and this font has, as the letters that they are.
fn left_to_right(font: Font, face: &Face<'_>, text: &str) -> Vec<Letter> {
    let letter = |character: char| {
        let glyph = font.glyph(face, character)?;
        Some(Letter { text: character.to_string(), glyph })
    };
    text.chars().map_while(letter).collect()
}

/// The letters in the forms that their neighbours give them, in the order in which they stand on the page. `None` for a text
/// in both directions, and for marks above or below letters.
fn right_to_left(face: &Face<'_>, text: &str) -> Option<Vec<Letter>> {
    if text.chars().any(|character| !is_right_to_left(character) && !" '-.’".contains(character)) {
        return None;
    }
    let mut buffer = UnicodeBuffer::new();
    buffer.push_str(text);
    buffer.guess_segment_properties();
    let shaped = rustybuzz::shape(&rustybuzz::Face::from_slice(ALPHABETS, 0)?, &[], buffer);
    // The first on the page is the last of the text.
    let (mut end, mut letters) = (text.len(), Vec::new());
    for (info, position) in shaped.glyph_infos().iter().zip(shaped.glyph_positions()) {
        let glyph = GlyphId(u16::try_from(info.glyph_id).ok().filter(|glyph| *glyph != 0)?);
        let advance = face.glyph_hor_advance(glyph).map(i32::from);
        if (position.x_offset, position.y_offset) != (0, 0) || Some(position.x_advance) != advance {
            return None;
        }
        let start = usize::try_from(info.cluster).ok()?;
        letters.push(Letter { text: text.get(start..end)?.to_owned(), glyph });
        end = start;
    }
    Some(letters)
}

fn system_info(ordering: &'static str) -> SystemInfo<'static> {
    SystemInfo { registry: Str(b"Adobe"), ordering: Str(ordering.as_bytes()), supplement: 0 }
}

fn scaled(face: &Face<'_>, units: i16) -> f32 {
    let thousandths = i32::from(units) * EM.cast_signed() / i32::from(face.units_per_em());
    f32::from(i16::try_from(thousandths).unwrap_or_default())
}

/// Whether it is Hebrew or Arabic.
fn is_right_to_left(character: char) -> bool {
    matches!(character, '\u{5d0}'..='\u{5f4}' | '\u{620}'..='\u{64a}' | '\u{66e}'..='\u{6d5}' | '\u{200c}')
}

/// Whether it is a Chinese or Japanese character, without marks that join others.
fn is_east_asian(character: char) -> bool {
    matches!(character, '\u{3001}'..='\u{3029}' | '\u{3041}'..='\u{3096}' | '\u{30a0}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{ff01}'..='\u{ff5e}')
}

/// Whether letters of this script are written side by side, from left to right.
fn stands_alone(letter: char) -> bool {
    matches!(letter, ' '..='~' | '\u{a0}'..='\u{24f}' | '\u{370}'..='\u{482}' | '\u{48a}'..='\u{556}'
        | '\u{561}'..='\u{587}' | '\u{10a0}'..='\u{10ff}' | '\u{1e00}'..='\u{1fff}' | '\u{2010}'..='\u{2026}')
}
