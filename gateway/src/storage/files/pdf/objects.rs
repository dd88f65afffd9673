//! Reads the objects of a PDF (ISO 32000-2, 7.3).

/// Dictionaries inside one another.
const DEEPEST: usize = 8;

/// What an object is, as far as it matters here.
#[derive(Debug)]
pub(super) enum Value {
    Number(i64),
    Word(Vec<u8>),
    Text(Vec<u8>),
    Other,
}

/// Reads the objects of a PDF.
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub(super) const fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    pub(super) fn skip_blanks(&mut self) {
        let blanks = self.rest().iter().take_while(|byte| byte.is_ascii_whitespace() || **byte == 0).count();
        self.at += blanks;
    }

    pub(super) fn take(&mut self, word: &[u8]) -> Option<()> {
        self.rest().starts_with(word).then(|| self.at += word.len())
    }

    fn take_while(&mut self, is_part: impl Fn(u8) -> bool) -> &'a [u8] {
        let rest = self.rest();
        let length = rest.iter().position(|byte| !is_part(*byte)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    pub(super) fn number(&mut self) -> Option<i64> {
        self.skip_blanks();
        let digits = self.take_while(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.'));
        std::str::from_utf8(digits).ok()?.parse().ok()
    }

    /// The object that is next.
    pub(super) fn value(&mut self) -> Option<Value> {
        self.value_within(DEEPEST)
    }

    fn value_within(&mut self, depth: usize) -> Option<Value> {
        self.skip_blanks();
        match self.rest() {
            [b'<', b'<', ..] => {
                self.entries_within(depth.checked_sub(1)?, |_, _| {})?;
                Some(Value::Other)
            }
            [b'<', ..] => self.hexadecimal().map(Value::Text),
            [b'(', ..] => self.literal().map(Value::Text),
            [b'[', ..] => {
                self.at += 1;
                loop {
                    self.skip_blanks();
                    if self.take(b"]").is_some() {
                        return Some(Value::Other);
                    }
                    self.value_within(depth.checked_sub(1)?)?;
                }
            }
            [b'-' | b'+' | b'.' | b'0'..=b'9', ..] => Some(self.number().map_or(Value::Other, Value::Number)),
            _ => Some(Value::Word(self.word()?)),
        }
    }

    /// A name, or one of the words `true`, `false`, `null` and `R`.
    fn word(&mut self) -> Option<Vec<u8>> {
        let begin = self.at;
        self.at += usize::from(self.rest().first() == Some(&b'/'));
        self.take_while(|byte| byte.is_ascii_graphic() && !b"/<>[]()".contains(&byte));
        (self.at > begin).then(|| self.bytes[begin..self.at].to_vec())
    }

    /// Calls back with every entry of a dictionary. What a reference refers to is no entry.
    pub(super) fn entries(&mut self, entry: impl FnMut(&[u8], Value)) -> Option<()> {
        self.entries_within(DEEPEST, entry)
    }

    fn entries_within(&mut self, depth: usize, mut entry: impl FnMut(&[u8], Value)) -> Option<()> {
        self.skip_blanks();
        self.take(b"<<")?;
        let mut name = Vec::new();
        loop {
            self.skip_blanks();
            if self.take(b">>").is_some() {
                return Some(());
            }
            match self.value_within(depth)? {
                Value::Word(word) if word.starts_with(b"/") && name.is_empty() => name = word,
                value => entry(&std::mem::take(&mut name), value),
            }
        }
    }

    fn hexadecimal(&mut self) -> Option<Vec<u8>> {
        self.take(b"<")?;
        let digits = self.take_while(|byte| byte != b'>');
        self.take(b">")?;
        let mut digits: Vec<u8> = digits.iter().filter(|byte| !byte.is_ascii_whitespace()).copied().collect();
        if digits.len() % 2 == 1 {
            digits.push(b'0');
        }
        let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        digits.chunks(2).map(pair).collect()
    }

    fn literal(&mut self) -> Option<Vec<u8>> {
        self.take(b"(")?;
        let (mut text, mut open) = (Vec::new(), 1_usize);
        loop {
            let byte = *self.rest().first()?;
            self.at += 1;
            match byte {
                b'(' => open += 1,
                b')' => open -= 1,
                b'\\' => {
                    text.extend(self.escaped()?);
                    continue;
                }
                _ => {}
            }
            if open == 0 {
                return Some(text);
            }
            text.push(byte);
        }
    }

    /// What stands for the characters behind a backslash; nothing for a line's end.
    fn escaped(&mut self) -> Option<Option<u8>> {
        let byte = *self.rest().first()?;
        if byte.is_ascii_digit() {
            let octal =
                &self.rest()[..self.rest().iter().take(3).take_while(|byte| (b'0'..b'8').contains(*byte)).count()];
            self.at += octal.len().max(1);
            return Some(octal.iter().try_fold(0_u8, |value, digit| Some(value.wrapping_mul(8) + (digit - b'0'))));
        }
        self.at += 1;
        Some(match byte {
            b'n' => Some(b'\n'),
            b'r' => Some(b'\r'),
            b't' => Some(b'\t'),
            b'b' => Some(8),
            b'f' => Some(12),
            b'\r' => {
                let _ = self.take(b"\n");
                None
            }
            b'\n' => None,
            other => Some(other),
        })
    }
}
