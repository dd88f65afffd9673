//! The standard fonts of PDF, which every reader has.

/// Helvetica, plain or bold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Face {
    Plain,
    Bold,
}

/// The widths of the characters from the blank to the tilde, in thousandths of the font's size.
type Widths = [u16; 95];

const PLAIN: Widths = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556,
    556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833,
    722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556,
    556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334,
    260, 334, 584,
];
const BOLD: Widths = [
    278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556,
    556, 556, 556, 333, 333, 584, 584, 584, 611, 975, 722, 722, 722, 722, 667, 611, 778, 722, 278, 556, 722, 611, 833,
    722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 333, 278, 333, 584, 556, 333, 556, 611, 556, 611,
    556, 333, 611, 611, 278, 278, 556, 278, 889, 611, 611, 611, 611, 389, 556, 333, 611, 556, 778, 556, 556, 500, 389,
    280, 389, 584,
];
/// Of the dash that stands for a minus: as wide as a digit.
const DASH: (u8, u16) = (0x96, 556);
/// Of every other character, which may be narrower.
const OTHER: u16 = 722;

impl Face {
    /// The width of a text in thousandths of the font's size.
    #[must_use]
    pub fn width(self, bytes: &[u8]) -> u32 {
        let widths = match self {
            Self::Plain => &PLAIN,
            Self::Bold => &BOLD,
        };
        let width = |byte: u8| match byte {
            byte if byte == DASH.0 => DASH.1,
            byte => byte.checked_sub(b' ').and_then(|place| widths.get(usize::from(place)).copied()).unwrap_or(OTHER),
        };
        bytes.iter().map(|byte| u32::from(width(*byte))).sum()
    }
}

/// The text in the encoding of the standard fonts; `None` if they lack one of its characters.
#[must_use]
pub fn win_ansi(text: &str) -> Option<Vec<u8>> {
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
    use super::{Face, win_ansi};

    #[test]
    fn western_letters_are_one_byte_each() {
        assert_eq!(win_ansi("Renée €").as_deref(), Some(b"Ren\xe9e \x80".as_slice()));
        assert_eq!(win_ansi("Łukasz"), None);
    }

    #[test]
    fn digits_and_signs_are_as_wide_in_both_faces() {
        for face in [Face::Plain, Face::Bold] {
            assert_eq!(face.width(&win_ansi("$0123456789–").unwrap()), 12 * 556);
            assert_eq!(face.width(b".,"), 2 * 278);
        }
    }
}
