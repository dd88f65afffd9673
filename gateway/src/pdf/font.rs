//! The embedded font, of which a file has the letters that it needs.

use std::collections::BTreeMap;

use pdf_writer::types::{CidFontType, FontFlags, SystemInfo, UnicodeCmap};
use pdf_writer::{Name, Pdf, Rect, Ref, Str};
use rustybuzz::UnicodeBuffer;
use subsetter::GlyphRemapper;
use ttf_parser::{Face, GlyphId};

/// DejaVu Sans Bold: Latin, Greek, Cyrillic, Armenian, Georgian, Hebrew and Arabic letters.
const FONT: &[u8] = include_bytes!("../../assets/DejaVuSans-Bold.ttf");
const NAME: Name<'_> = Name(b"SOLVAN+DejaVuSans-Bold");
/// Widths in a PDF are in thousandths of the font's size.
const EM: u32 = 1000;

/// A letter in one of its forms.
struct Letter {
    /// What it says when it is copied.
    text: String,
    glyph: GlyphId,
}

/// The letters in use, with their numbers in the file.
#[derive(Default)]
pub struct Subset {
    glyphs: GlyphRemapper,
    letters: BTreeMap<u16, Letter>,
}

impl Subset {
    /// The text as numbers of letters, with its width in thousandths of the font's size; `None` if the font lacks one, or they
    /// need more than to stand side by side.
    pub fn encode(&mut self, text: &str) -> Option<(Vec<u8>, u32)> {
        let face = face()?;
        let letters =
            if text.chars().any(is_right_to_left) { right_to_left(&face, text)? } else { left_to_right(&face, text)? };
        let (mut encoded, mut width) = (Vec::new(), 0);
        for letter in letters {
            let number = self.glyphs.remap(letter.glyph.0);
            let advance = face.glyph_hor_advance(letter.glyph).unwrap_or_default();
            encoded.extend(number.to_be_bytes());
            width += u32::from(advance) * EM / u32::from(face.units_per_em());
            self.letters.insert(number, letter);
        }
        Some((encoded, width))
    }

    /// Writes the font and what belongs to it; returns whether there was anything to write.
    pub fn write(&self, pdf: &mut Pdf, font: Ref) -> bool {
        if self.letters.is_empty() {
            return false;
        }
        let Some(face) = face() else { return false };
        let Ok(file) = subsetter::subset(FONT, 0, &self.glyphs) else { return false };
        let [cid, descriptor, cmap, stream] = [1, 2, 3, 4].map(|place| Ref::new(font.get() + place));
        pdf.type0_font(font)
            .base_font(NAME)
            .encoding_predefined(Name(b"Identity-H"))
            .descendant_font(cid)
            .to_unicode(cmap);
        let mut one = pdf.cid_font(cid);
        one.subtype(CidFontType::Type2)
            .base_font(NAME)
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
            .name(NAME)
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

/// Every character as the letter that it is.
fn left_to_right(face: &Face<'_>, text: &str) -> Option<Vec<Letter>> {
    let letter = |character: char| {
        let glyph = face.glyph_index(character).filter(|_| stands_alone(character))?;
        Some(Letter { text: character.to_string(), glyph })
    };
    text.chars().map(letter).collect()
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
    let shaped = rustybuzz::shape(&rustybuzz::Face::from_slice(FONT, 0)?, &[], buffer);
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

fn face() -> Option<Face<'static>> {
    Face::parse(FONT, 0).ok()
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

/// Whether letters of this script are written side by side, from left to right.
fn stands_alone(letter: char) -> bool {
    matches!(letter, ' '..='~' | '\u{a0}'..='\u{24f}' | '\u{370}'..='\u{482}' | '\u{48a}'..='\u{556}'
        | '\u{561}'..='\u{587}' | '\u{10a0}'..='\u{10ff}' | '\u{1e00}'..='\u{1fff}' | '\u{2010}'..='\u{2026}')
}
