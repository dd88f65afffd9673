//! The embedded fonts, of which a file has the glyphs that it needs.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Read;
use std::ops::Range;
use std::sync::OnceLock;

use flate2::read::GzDecoder;
use pdf_writer::types::{CidFontType, FontFlags, SystemInfo, UnicodeCmap};
use pdf_writer::{Name, Pdf, Rect, Ref, Str};
use rustybuzz::{Direction, UnicodeBuffer};
use subsetter::GlyphRemapper;
use ttf_parser::{Face, GlyphId};
use unicode_bidi::BidiInfo;

/// Lengths in a PDF are in thousandths of the font's size.
const EM: i32 = 1000;

/// A font that can be embedded.
struct Source {
    /// What a PDF calls it.
    name: &'static str,
    /// The blocks of letters that it is for, as their first and last letter.
    blocks: &'static [(char, char)],
    /// Its file, compressed where that pays.
    packed: &'static [u8],
    /// Kept from the first name on that needs it.
    file: OnceLock<Cow<'static, [u8]>>,
    shaper: OnceLock<Option<rustybuzz::Face<'static>>>,
}

macro_rules! noto {
    ($script:literal, $first:literal, $last:literal) => {
        Source::new(
            concat!("SOLVAN+NotoSans", $script, "-Bold"),
            &[($first, $last)],
            include_bytes!(concat!("../../../assets/noto/NotoSans", $script, "-Bold.ttf.gz")),
        )
    };
}

/// The first is for all letters that no other one is for: Latin, Greek, Cyrillic, Armenian, Georgian, Hebrew, Arabic and Lao.
static SOURCES: [Source; 17] = [
    Source::new("SOLVAN+DejaVuSans-Bold", &[], include_bytes!("../../../assets/DejaVuSans-Bold.ttf")),
    Source::new(
        "SOLVAN+DroidSansFallback",
        &[
            ('\u{3001}', '\u{3029}'),
            ('\u{3041}', '\u{3096}'),
            ('\u{30a0}', '\u{30ff}'),
            ('\u{31f0}', '\u{31ff}'),
            ('\u{3400}', '\u{4dbf}'),
            ('\u{4e00}', '\u{9fff}'),
            ('\u{f900}', '\u{faff}'),
            ('\u{ff01}', '\u{ff5e}'),
        ],
        include_bytes!("../../../assets/DroidSansFallbackFull.ttf.gz"),
    ),
    Source::new(
        "SOLVAN+NanumSquareB",
        &[('\u{1100}', '\u{11ff}'), ('\u{3131}', '\u{318e}'), ('\u{ac00}', '\u{d7a3}')],
        include_bytes!("../../../assets/NanumSquareB.ttf.gz"),
    ),
    noto!("Devanagari", '\u{900}', '\u{97f}'),
    noto!("Bengali", '\u{980}', '\u{9ff}'),
    noto!("Gurmukhi", '\u{a00}', '\u{a7f}'),
    noto!("Gujarati", '\u{a80}', '\u{aff}'),
    noto!("Oriya", '\u{b00}', '\u{b7f}'),
    noto!("Tamil", '\u{b80}', '\u{bff}'),
    noto!("Telugu", '\u{c00}', '\u{c7f}'),
    noto!("Kannada", '\u{c80}', '\u{cff}'),
    noto!("Malayalam", '\u{d00}', '\u{d7f}'),
    noto!("Sinhala", '\u{d80}', '\u{dff}'),
    noto!("Thai", '\u{e00}', '\u{e7f}'),
    noto!("Khmer", '\u{1780}', '\u{17ff}'),
    noto!("Myanmar", '\u{1000}', '\u{109f}'),
    noto!("Ethiopic", '\u{1200}', '\u{139f}'),
];

impl Source {
    const fn new(name: &'static str, blocks: &'static [(char, char)], packed: &'static [u8]) -> Self {
        Self { name, blocks, packed, file: OnceLock::new(), shaper: OnceLock::new() }
    }

    fn file(&'static self) -> &'static [u8] {
        self.file.get_or_init(|| {
            if !self.packed.starts_with(b"\x1f\x8b") {
                return Cow::Borrowed(self.packed);
            }
            let mut file = Vec::new();
            // The file is part of the program; a name in letters of a damaged one would be left out.
            GzDecoder::new(self.packed).read_to_end(&mut file).map_or_else(|_| Cow::default(), |_| Cow::Owned(file))
        })
    }

    fn shaper(&'static self) -> Option<&'static rustybuzz::Face<'static>> {
        self.shaper.get_or_init(|| rustybuzz::Face::from_slice(self.file(), 0)).as_ref()
    }
}

/// The place of a font in the list of all.
pub type Font = usize;

/// A glyph where it stands, in thousandths of the font's size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Glyph {
    /// Its number in the file.
    pub number: u16,
    /// How far the next one is by the font alone.
    pub natural: i32,
    /// How far the next one is here.
    pub advance: i32,
    /// How far from its place it is, to the right and up.
    pub offset: (i32, i32),
}

/// A part of a text in one font and one direction.
pub struct Part {
    pub font: Font,
    /// What it says when it is copied.
    pub text: String,
    /// From the left to the right of the page.
    pub glyphs: Vec<Glyph>,
}

impl Part {
    /// In thousandths of the font's size.
    pub fn width(&self) -> i32 {
        self.glyphs.iter().map(|glyph| glyph.advance).sum()
    }
}

/// The glyphs in use of each font.
#[derive(Default)]
pub struct Subsets(BTreeMap<Font, Subset>);

impl Subsets {
    /// The text in parts of one font each, from the left to the right of the page; `None` if no font has a letter. Pictographs
    /// that no font has are left out: a name is the same name without them.
    pub fn encode(&mut self, text: &str) -> Option<Vec<Part>> {
        let known: String = text.chars().filter(|letter| !is_pictograph(*letter) || may_stay(0, *letter)).collect();
        let text = known.trim();
        let bidi = BidiInfo::new(text, None);
        let [line] = bidi.paragraphs.as_slice() else { return None };
        let (levels, runs) = bidi.visual_runs(line, line.range.clone());
        let mut parts = Vec::new();
        for run in runs {
            let is_rtl = levels.get(run.start)?.is_rtl();
            let mut spans = by_font(text.get(run.clone())?);
            if is_rtl {
                spans.reverse();
            }
            for (font, span) in spans {
                let text = text.get(run.start + span.start..run.start + span.end)?;
                let direction = if is_rtl { Direction::RightToLeft } else { Direction::LeftToRight };
                let glyphs = self.0.entry(font).or_default().shape(SOURCES.get(font)?, direction, text)?;
                parts.push(Part { font, text: text.to_owned(), glyphs });
            }
        }
        Some(parts)
    }

    /// Writes the fonts that are in use; `next` gives a free number.
    pub fn write(&self, pdf: &mut Pdf, mut next: impl FnMut() -> Ref) -> Vec<(Font, Ref)> {
        // A text that a font does not have all letters of uses none of it.
        let in_use = self.0.iter().filter(|(_, subset)| !subset.used.is_empty());
        let used = in_use.filter_map(|(font, subset)| {
            let source = SOURCES.get(*font)?;
            let at = next();
            subset.write(pdf, source, [at, next(), next(), next(), next()])?;
            Some((*font, at))
        });
        used.collect()
    }
}

/// The glyphs in use of a font, with their numbers in the file.
#[derive(Default)]
struct Subset {
    glyphs: GlyphRemapper,
    used: BTreeMap<u16, Use>,
}

struct Use {
    glyph: GlyphId,
    /// Its letters, for programs that copy glyph by glyph and do not read the text of the part.
    text: String,
}

impl Subset {
    /// The glyphs of a text in the forms and places that their neighbours give them.
    fn shape(&mut self, source: &'static Source, direction: Direction, text: &str) -> Option<Vec<Glyph>> {
        let face = source.shaper()?;
        let mut buffer = UnicodeBuffer::new();
        buffer.push_str(text);
        buffer.set_direction(direction);
        buffer.guess_segment_properties();
        let shaped = rustybuzz::shape(face, &[], buffer);
        if shaped.glyph_infos().iter().any(|info| info.glyph_id == 0) {
            return None;
        }
        let starts: Vec<_> =
            shaped.glyph_infos().iter().map(|info| usize::try_from(info.cluster)).collect::<Result<_, _>>().ok()?;
        let mut glyphs = Vec::new();
        for ((info, place), start) in shaped.glyph_infos().iter().zip(shaped.glyph_positions()).zip(&starts) {
            let glyph = GlyphId(u16::try_from(info.glyph_id).ok()?);
            let number = self.glyphs.remap(glyph.0);
            let end = starts.iter().copied().filter(|other| other > start).min().unwrap_or(text.len());
            let text = text.get(*start..end)?;
            self.used.entry(number).or_insert_with(|| Use { glyph, text: text.to_owned() });
            glyphs.push(Glyph {
                number,
                natural: scaled(face, face.glyph_hor_advance(glyph).unwrap_or_default().into()),
                advance: scaled(face, place.x_advance),
                offset: (scaled(face, place.x_offset), scaled(face, place.y_offset)),
            });
        }
        Some(glyphs)
    }

    /// Writes the font and what belongs to it under five numbers.
    fn write(
        &self,
        pdf: &mut Pdf,
        source: &'static Source,
        [font, cid, descriptor, cmap, stream]: [Ref; 5],
    ) -> Option<()> {
        let face = source.shaper()?;
        let file = subsetter::subset(source.file(), 0, &self.glyphs).ok()?;
        let name = Name(source.name.as_bytes());
        pdf.type0_font(font)
            .base_font(name)
            .encoding_predefined(Name(b"Identity-H"))
            .descendant_font(cid)
            .to_unicode(cmap);
        let mut one = pdf.cid_font(cid);
        one.subtype(CidFontType::Type2)
            .base_font(name)
            .system_info(system_info("Identity"))
            .font_descriptor(descriptor)
            .cid_to_gid_map_predefined(Name(b"Identity"));
        let mut widths = one.widths();
        for (number, Use { glyph, .. }) in &self.used {
            let width = face.glyph_hor_advance(*glyph).unwrap_or_default();
            widths.consecutive(*number, [thousandths(scaled(face, width.into()))]);
        }
        drop(widths);
        drop(one);
        let bounds = face.global_bounding_box();
        let edge = |units: i16| thousandths(scaled(face, units.into()));
        pdf.font_descriptor(descriptor)
            .name(name)
            .flags(FontFlags::SYMBOLIC)
            .bbox(Rect::new(edge(bounds.x_min), edge(bounds.y_min), edge(bounds.x_max), edge(bounds.y_max)))
            .italic_angle(0.0)
            .ascent(edge(face.ascender()))
            .descent(edge(face.descender()))
            .cap_height(edge(face.capital_height().unwrap_or_default()))
            .stem_v(140.0)
            .font_file2(stream);
        let mut unicode = UnicodeCmap::new(Name(b"Letters"), system_info("UCS"));
        for (number, one) in &self.used {
            unicode.pair_with_multiple(*number, one.text.chars());
        }
        pdf.cmap(cmap, &unicode.finish());
        pdf.stream(stream, &file).pair(Name(b"Length1"), i32::try_from(file.len()).unwrap_or_default());
        Some(())
    }
}

/// The text in spans of one font each. Marks, blanks and signs stay with the letters before them where their font has them.
fn by_font(text: &str) -> Vec<(Font, Range<usize>)> {
    let mut spans: Vec<(Font, Range<usize>)> = Vec::new();
    for (start, letter) in text.char_indices() {
        let end = start + letter.len_utf8();
        let before = spans.last_mut();
        let font = font_for(letter).unwrap_or_else(|| {
            let before = before.as_ref().map(|(font, _)| *font).unwrap_or_default();
            if may_stay(before, letter) { before } else { 0 }
        });
        match before {
            Some((last, span)) if *last == font => span.end = end,
            _ => spans.push((font, start..end)),
        }
    }
    spans
}

/// The font whose block has the letter.
fn font_for(letter: char) -> Option<Font> {
    SOURCES.iter().position(|source| source.blocks.iter().any(|(first, last)| (*first..=*last).contains(&letter)))
}

/// Whether the letter need not leave the font of the one before: the font has it, or it only joins others.
fn may_stay(font: Font, letter: char) -> bool {
    let joins = matches!(letter, '\u{200c}' | '\u{200d}');
    joins || SOURCES.get(font).and_then(Source::shaper).is_some_and(|face| face.glyph_index(letter).is_some())
}

/// Whether it is an emoji or belongs to one.
fn is_pictograph(letter: char) -> bool {
    matches!(letter, '\u{2600}'..='\u{27bf}' | '\u{fe0f}' | '\u{1f000}'..='\u{1faff}')
}

fn system_info(ordering: &'static str) -> SystemInfo<'static> {
    SystemInfo { registry: Str(b"Adobe"), ordering: Str(ordering.as_bytes()), supplement: 0 }
}

/// A length of the font in thousandths of its size.
fn scaled(face: &Face<'_>, units: i32) -> i32 {
    units * EM / i32::from(face.units_per_em())
}

/// Lengths of a page are far below the bounds of this type.
pub fn thousandths(length: i32) -> f32 {
    f32::from(i16::try_from(length).unwrap_or_default())
}
