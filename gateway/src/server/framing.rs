//! Follows the bytes that a client sends: where the head of each request begins and ends, and how long its body is. It
//! refuses what the HTTP parser tolerates and a proxy before it may read otherwise.

use axum::http::StatusCode;

/// Bytes of a request's head.
pub const HEAD: usize = 32 * 1024;
/// The beginning of a line, in which every field that matters here is whole.
const BEGINNING: usize = 64;

/// What the next bytes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// A request's line, and the lines of its fields.
    Head,
    /// This many bytes of a body.
    Body(u64),
    /// The line before a chunk, with its length.
    ChunkLine,
    /// This many bytes of a chunk, with the line's end behind it.
    Chunk(u64),
    /// The lines behind the last chunk.
    Trailers,
    /// Unknown, because the request is refused. The parser ends the connection.
    Refused,
}

/// The requests of one connection.
#[derive(Debug)]
pub struct Framing {
    state: State,
    /// Bytes of the head so far.
    head: usize,
    lines: usize,
    line: Line,
    fields: Fields,
}

/// The line that is being read.
#[derive(Debug)]
struct Line {
    beginning: [u8; BEGINNING],
    length: usize,
    ends_with_return: bool,
}

/// What the fields of a head say.
#[derive(Debug, Default)]
struct Fields {
    is_old_version: bool,
    hosts: usize,
    length: Option<u64>,
    is_chunked: bool,
}

impl Framing {
    pub const fn new() -> Self {
        let line = Line { beginning: [0; BEGINNING], length: 0, ends_with_return: false };
        let fields = Fields { is_old_version: false, hosts: 0, length: None, is_chunked: false };
        Self { state: State::Head, head: 0, lines: 0, line, fields }
    }

    /// Whether the line of the current request is not complete yet.
    pub fn is_in_first_line(&self) -> bool {
        self.state == State::Head && self.lines == 0
    }

    /// Follows bytes that have come. The status is that of a request that is refused, with the index of the byte that is
    /// one too many.
    pub fn follow(&mut self, bytes: &[u8]) -> Result<(), (usize, StatusCode)> {
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            match self.state {
                State::Body(left) | State::Chunk(left) => {
                    let there = u64::try_from(bytes.len() - at).unwrap_or(u64::MAX).min(left);
                    self.state = self.after(left - there);
                    at += usize::try_from(there).unwrap_or(usize::MAX);
                    continue;
                }
                State::Refused => return Ok(()),
                State::Head | State::ChunkLine | State::Trailers => {}
            }
            if let Err(status) = self.follow_line(*byte) {
                self.state = State::Refused;
                return Err((at, status));
            }
            at += 1;
        }
        Ok(())
    }

    /// What follows when this many bytes of a body or chunk are left.
    fn after(&self, left: u64) -> State {
        match self.state {
            State::Body(_) if left == 0 => State::Head,
            State::Body(_) => State::Body(left),
            _ if left == 0 => State::ChunkLine,
            _ => State::Chunk(left),
        }
    }

    fn follow_line(&mut self, byte: u8) -> Result<(), StatusCode> {
        if self.state == State::Head {
            self.head += 1;
            if self.head > HEAD {
                let is_first = self.is_in_first_line();
                return Err(if is_first {
                    StatusCode::URI_TOO_LONG
                } else {
                    StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE
                });
            }
        }
        if byte != b'\n' {
            self.line.push(byte);
            return Ok(());
        }
        if !self.line.ends_with_return {
            return Err(StatusCode::BAD_REQUEST);
        }
        let ended = self.end_line();
        self.line.clear();
        ended.ok_or(StatusCode::BAD_REQUEST)
    }

    /// `None` if the line cannot be read in one way only.
    fn end_line(&mut self) -> Option<()> {
        match self.state {
            State::Head if self.lines == 0 && self.line.is_empty() => {}
            State::Head if self.lines == 0 => {
                self.fields.is_old_version = self.line.length < BEGINNING && self.line.text().ends_with(b" HTTP/1.0");
                self.lines = 1;
            }
            State::Head if !self.line.is_empty() => {
                self.fields.add(&self.line)?;
                self.lines += 1;
            }
            State::Head => {
                self.state = std::mem::take(&mut self.fields).body()?;
                (self.head, self.lines) = (0, 0);
            }
            State::ChunkLine => {
                self.state = match self.line.chunk_length()? {
                    0 => State::Trailers,
                    length => State::Chunk(length.checked_add(2)?),
                };
            }
            State::Trailers if self.line.is_empty() => self.state = State::Head,
            _ => {}
        }
        Some(())
    }
}

impl Line {
    fn push(&mut self, byte: u8) {
        if let Some(place) = self.beginning.get_mut(self.length) {
            *place = byte;
        }
        self.length += 1;
        self.ends_with_return = byte == b'\r';
    }

    fn clear(&mut self) {
        (self.length, self.ends_with_return) = (0, false);
    }

    /// Whether there is nothing before the line's end.
    fn is_empty(&self) -> bool {
        self.length <= 1
    }

    /// As much of it as is kept, without its end.
    fn text(&self) -> &[u8] {
        self.beginning.get(..self.length.saturating_sub(1)).unwrap_or(&self.beginning)
    }

    fn is_whole(&self) -> bool {
        self.length <= BEGINNING
    }

    fn chunk_length(&self) -> Option<u64> {
        let digits = self.text().split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
        let is_plain = (1..=16).contains(&digits.len()) && digits.iter().all(u8::is_ascii_hexdigit);
        u64::from_str_radix(std::str::from_utf8(digits).ok().filter(|_| is_plain)?, 16).ok()
    }
}

impl Fields {
    /// `None` if the length of the body cannot be read in one way only.
    fn add(&mut self, line: &Line) -> Option<()> {
        let mut parts = line.text().splitn(2, |byte| *byte == b':');
        let (name, value) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default().trim_ascii());
        if name.eq_ignore_ascii_case(b"host") {
            self.hosts += 1;
        } else if name.eq_ignore_ascii_case(b"content-length") {
            let digits = std::str::from_utf8(value).ok().filter(|_| line.is_whole() && self.length.is_none())?;
            self.length = Some(digits.parse().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()))?);
        } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
            if !line.is_whole() || self.is_chunked || !value.eq_ignore_ascii_case(b"chunked") {
                return None;
            }
            self.is_chunked = true;
        }
        Some(())
    }

    /// What follows the head. `None` if it has no host, or several, or two lengths of a body.
    fn body(self) -> Option<State> {
        if self.hosts > 1 || (self.hosts == 0 && !self.is_old_version) {
            return None;
        }
        match (self.length, self.is_chunked) {
            (Some(_), true) => None,
            (_, true) => Some(State::ChunkLine).filter(|_| !self.is_old_version),
            (Some(0) | None, false) => Some(State::Head),
            (Some(length), false) => Some(State::Body(length)),
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::http::StatusCode;

    use super::{Framing, HEAD};

    const PLAIN: &str = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

    /// The status of a client's bytes however they arrive, and whether the last request is complete.
    fn follow(text: &str) -> Result<bool, StatusCode> {
        let of_size = |size: usize| {
            let mut framing = Framing::new();
            let followed = text.as_bytes().chunks(size).try_for_each(|part| framing.follow(part));
            followed.map(|()| framing.is_in_first_line()).map_err(|(_, status)| status)
        };
        let whole = of_size(text.len());
        for size in [1, 2, 7, 1_400] {
            assert_eq!(of_size(size), whole, "in parts of {size}: {text:?}");
        }
        whole
    }

    /// [D-V1] [ASVS 4.2.1] A request that can be read in two ways is refused.
    #[test]
    fn only_plain_requests_pass() {
        let with = |fields: &str| format!("POST / HTTP/1.1\r\nHost: x\r\n{fields}\r\n");
        for text in [
            "GET / HTTP/1.1\nHost: x\r\n\r\n".to_owned(),
            "GET / HTTP/1.1\r\nHost: x\n\r\n".to_owned(),
            "GET / HTTP/1.1\r\nHost: x\r\n\n".to_owned(),
            "GET / HTTP/1.1\r\n\r\n".to_owned(),
            "GET / HTTP/1.1\r\nHost: x\r\nhOST: x\r\n\r\n".to_owned(),
            with("Content-Length: 1\r\nContent-Length: 1\r\n"),
            with("Content-Length: +1\r\n"),
            with("Content-Length: 1, 1\r\n"),
            with("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"),
            with("Transfer-Encoding: gzip, chunked\r\n"),
            with(&format!("Content-Length: {}1\r\n", "0".repeat(60))),
            with("Transfer-Encoding: chunked\r\n") + "0x1\r\n",
            format!("{PLAIN}GET / HTTP/1.1\nHost: x\r\n\r\n"),
        ] {
            assert_eq!(follow(&text), Err(StatusCode::BAD_REQUEST), "{text:?}");
        }
    }

    /// [D-V1] Bodies are distinguished from heads: nothing in them is refused, and the request behind them begins where they end.
    #[test]
    fn bodies_are_passed_over() {
        let body = "a\nb\n\nGET / HTTP/1.1\n\n";
        let long = format!("POST / HTTP/1.1\r\nHost: x\r\ncontent-length:{}\r\n\r\n{body}", body.len());
        let chunk = format!("{:x};a=b\r\n{body}\r\n0\r\nX: y\r\n\r\n", body.len());
        let chunked = format!("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked\r\n\r\n{chunk}");
        for text in [
            PLAIN.to_owned(),
            format!("\r\n{PLAIN}"),
            "GET / HTTP/1.0\r\n\r\n".to_owned(),
            [&long, PLAIN, &chunked, &long, &chunked, PLAIN].concat(),
        ] {
            assert_eq!(follow(&text), Ok(true), "{text:?}");
        }
        assert_eq!(follow(&format!("{chunked}{long}GET /\n")), Err(StatusCode::BAD_REQUEST));
        assert_eq!(follow("POST / HTTP/1.1\r\nHost: x\r\n"), Ok(false));
    }

    /// [D-V1] A head has 32 KiB, however it arrives.
    #[test]
    fn heads_are_bounded() {
        let of = |bytes: usize| {
            let rest = bytes - PLAIN.len() - "A: \r\n".len();
            PLAIN.replace("\r\n\r\n", &format!("\r\nA: {}\r\n\r\n", "a".repeat(rest)))
        };
        assert_eq!((of(HEAD).len(), follow(&of(HEAD).repeat(3))), (HEAD, Ok(true)));
        assert_eq!(follow(&of(HEAD + 1)), Err(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE));
        assert_eq!(follow(&format!("GET /{}", "a".repeat(HEAD))), Err(StatusCode::URI_TOO_LONG));
    }
}
