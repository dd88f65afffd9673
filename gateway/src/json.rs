//! Bodies in and out: strict JSON, exact numbers, and the checks of a body's form that name the field.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::marker::PhantomData;

use axum::body::Body;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use chassis::clock::Timestamp;
use chassis::error::Refusal;
use chassis::money::Cents;
use http_body_util::BodyExt;
use serde::de::{DeserializeOwned, Deserializer};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use time::format_description::well_known::Rfc3339;
use time::macros::format_description;
use time::{Date, OffsetDateTime};
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::large;

/// Characters of a text that is no file; the services allow less.
const TEXT: usize = 4_096;
/// Bytes of an object that another party defines.
const OBJECT: usize = 16 * 1024;
/// Objects and lists inside one another.
const DEEPEST: usize = 32;
/// Members of all objects and lists together; the largest body is a course of 2,500 lessons.
const MOST_MEMBERS: usize = 50_000;

/// A JSON body with the digest of its bytes. The middleware has received the body and limited its size.
pub struct Json<T> {
    pub value: T,
    /// SHA-256 of the body.
    pub digest: [u8; 32],
}

impl<T: DeserializeOwned + Send + 'static, S: Send + Sync> FromRequest<S> for Json<T> {
    type Rejection = ApiError;
    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        let (parts, body) = request.into_parts();
        expect_json(&parts.headers)?;
        let bytes = read(body).await?;
        large::work(bytes.len(), move || Ok(Self { value: parse(&bytes)?, digest: Sha256::digest(&bytes).into() }))
            .await?
    }
}

/// A text of a CSV file, changed if a spreadsheet would take it for a formula.
pub fn inert(text: String) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{text}") } else { text }
}

/// The whole body. Responds with 400 if it ends early.
pub async fn read(body: Body) -> Result<Bytes, ApiError> {
    let collected = body.collect().await.map_err(|_| ApiError::malformed("The request ended too early."))?;
    Ok(collected.to_bytes())
}

fn expect_json(headers: &HeaderMap) -> Result<(), ApiError> {
    let refuse = || ApiError::unsupported("Please send JSON in UTF-8 (Content-Type: application/json).");
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).ok_or_else(refuse)?;
    let mut parts = value.split(';').map(str::trim);
    if !parts.next().is_some_and(|kind| kind.eq_ignore_ascii_case("application/json")) {
        return Err(refuse());
    }
    let charset = parts.filter_map(|part| part.split_once('=')).find(|(name, _)| name.eq_ignore_ascii_case("charset"));
    match charset {
        Some((_, value)) if !value.trim_matches('"').eq_ignore_ascii_case("utf-8") => Err(refuse()),
        _ => Ok(()),
    }
}

/// Parses strict JSON: an object, in which no key is repeated. Responds with 400 to anything else.
pub fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    let text = std::str::from_utf8(bytes).map_err(|_| ApiError::malformed("The request is not UTF-8."))?;
    let malformed = || ApiError::malformed("The request is not valid JSON.");
    check_form(text)?;
    // Numbers stay text: one of any size is refused at its field, not here.
    serde_json::from_str::<&RawValue>(text).map_err(|_| malformed())?;
    serde_json::from_str(text).map_err(|_| ApiError::malformed("The request body does not have the expected shape."))
}

/// Refuses a key twice in one object, and more brackets or members than any request has. Before this bound, what a
/// parser keeps of a text may be many times the text.
fn check_form(text: &str) -> Result<(), ApiError> {
    let malformed = || ApiError::malformed("The request is not valid JSON.");
    let bytes = text.as_bytes();
    let mut open: Vec<HashSet<Cow<'_, str>>> = Vec::with_capacity(DEEPEST);
    let (mut at, mut members) = (0, 0_usize);
    while let Some(byte) = bytes.get(at) {
        if matches!(byte, b'{' | b'[' | b',') {
            members += 1;
            if members > MOST_MEMBERS {
                return Err(ApiError::malformed("The request has too many members."));
            }
        }
        match byte {
            b'{' | b'[' if open.len() == DEEPEST => {
                return Err(ApiError::malformed("The request is nested too deeply."));
            }
            b'{' | b'[' => open.push(HashSet::new()),
            b'}' | b']' => drop(open.pop()),
            b'"' => {
                let end = end_of_string(bytes, at).ok_or_else(malformed)?;
                let next = bytes.iter().skip(end).find(|byte| !byte.is_ascii_whitespace());
                // Only a key has a colon behind it.
                if next == Some(&b':') {
                    let keys = open.last_mut().ok_or_else(malformed)?;
                    let key = text.get(at..end).and_then(unquoted).ok_or_else(malformed)?;
                    if !keys.insert(key) {
                        return Err(malformed());
                    }
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    Ok(())
}

/// The text of a string of JSON, copied only if something in it is escaped.
fn unquoted(json: &str) -> Option<Cow<'_, str>> {
    if json.contains('\\') {
        return serde_json::from_str(json).ok().map(Cow::Owned);
    }
    json.strip_prefix('"')?.strip_suffix('"').map(Cow::Borrowed)
}

/// The index after the string that begins here.
fn end_of_string(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// A field of any JSON type, which [`Form`] reads. Its type in the document is `T`.
#[derive(Debug)]
pub struct Field<T = ()>(Option<Box<RawValue>>, PhantomData<fn() -> T>);

impl<T> Default for Field<T> {
    fn default() -> Self {
        Self(None, PhantomData)
    }
}

impl<'de, T> Deserialize<'de> for Field<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // A missing field is an absent option.
        let raw = Option::<Box<RawValue>>::deserialize(deserializer)?;
        Ok(Self(raw, PhantomData))
    }
}

impl<T> Field<T> {
    fn raw(&self) -> Option<&str> {
        self.0.as_deref().map(RawValue::get)
    }

    /// Whether the request contains the field.
    #[must_use]
    pub fn is_given(&self) -> bool {
        self.raw().is_some()
    }
}

/// Reads fields and collects their errors.
#[derive(Debug, Default)]
pub struct Form {
    errors: Vec<(String, String)>,
}

impl Form {
    /// A form without errors.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Text, empty if missing, so that the service reports the missing field.
    pub fn text<T>(&mut self, name: &str, field: &Field<T>) -> String {
        let text = self.string(name, field);
        if text.chars().count() > TEXT {
            self.wrong(name, "This text is too long.");
            return String::new();
        }
        text
    }

    /// The text of a file, as long as a body may be, empty if missing. Takes the field, because one copy is enough.
    pub fn file<T>(&mut self, name: &str, field: Field<T>) -> String {
        self.string(name, &field)
    }

    fn string<T>(&mut self, name: &str, field: &Field<T>) -> String {
        let Some(raw) = field.raw() else { return String::new() };
        serde_json::from_str(raw).unwrap_or_else(|_| {
            self.wrong(name, "This must be text.");
            String::new()
        })
    }

    /// An object that another party defines, as JSON; empty if it was not sent.
    pub fn object<T>(&mut self, name: &str, field: &Field<T>) -> String {
        match field.raw() {
            None => String::new(),
            Some(raw) if raw.starts_with('{') && raw.len() <= OBJECT => raw.to_owned(),
            Some(_) => {
                self.wrong(name, "This must be an object of at most 16 KiB.");
                String::new()
            }
        }
    }

    /// An object with fields of its own; `None` if it was not sent.
    pub fn part<P: DeserializeOwned>(&mut self, name: &str, field: &Field<Option<P>>) -> Option<P> {
        let read = serde_json::from_str(field.raw()?).ok();
        if read.is_none() {
            self.wrong(name, "This must be an object.");
        }
        read
    }

    /// Bytes in hexadecimal; none if it was not sent.
    pub fn hex<T>(&mut self, name: &str, field: &Field<T>) -> Vec<u8> {
        let text = self.text(name, field);
        let pairs = text.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2));
        let read = pairs.map(|pair| u8::from_str_radix(pair?, 16).ok()).collect::<Option<Vec<u8>>>();
        read.unwrap_or_else(|| {
            self.wrong(name, "This must be hexadecimal.");
            Vec::new()
        })
    }

    /// An amount in dollars: a JSON number, or text of the exact form.
    pub fn amount<T>(&mut self, name: &str, field: &Field<T>) -> Cents {
        let Some(raw) = field.raw() else {
            self.wrong(name, "Enter an amount");
            return Cents::ZERO;
        };
        let text = raw.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(raw);
        Cents::parse(text).unwrap_or_else(|_| {
            self.wrong(name, "Enter an amount with at most two decimals");
            Cents::ZERO
        })
    }

    /// An amount that may be missing.
    pub fn optional_amount<T>(&mut self, name: &str, field: &Field<T>) -> Option<Cents> {
        field.is_given().then(|| self.amount(name, field))
    }

    /// A decimal with up to `decimals` decimals, as an integer of its smallest unit.
    pub fn decimal<T>(&mut self, name: &str, field: &Field<T>, decimals: usize) -> i64 {
        let read = field.raw().and_then(|raw| {
            let text = raw.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(raw);
            parse_decimal(text, decimals)
        });
        read.unwrap_or_else(|| {
            self.wrong(name, &format!("Enter a number with at most {decimals} decimals"));
            0
        })
    }

    /// A whole number.
    pub fn integer<T>(&mut self, name: &str, field: &Field<T>) -> i32 {
        field.raw().and_then(|raw| serde_json::from_str(raw).ok()).unwrap_or_else(|| {
            self.wrong(name, "Enter a whole number");
            0
        })
    }

    /// A whole number of 0 or more that may be missing.
    pub fn optional_index<T>(&mut self, name: &str, field: &Field<T>) -> Option<u32> {
        let raw = field.raw()?;
        let read = serde_json::from_str(raw).ok();
        if read.is_none() {
            self.wrong(name, "Enter a whole number of 0 or more");
        }
        read
    }

    /// Indexes like those of [`Self::optional_index`]; none if missing.
    pub fn indexes<T>(&mut self, name: &str, field: &Field<T>) -> Vec<u32> {
        let Some(raw) = field.raw() else { return Vec::new() };
        serde_json::from_str(raw).unwrap_or_else(|_| {
            self.wrong(name, "Enter a list of whole numbers of 0 or more");
            Vec::new()
        })
    }

    /// A boolean, or the default if missing.
    pub fn flag<T>(&mut self, name: &str, field: &Field<T>, default: bool) -> bool {
        let Some(raw) = field.raw() else { return default };
        serde_json::from_str(raw).unwrap_or_else(|_| {
            self.wrong(name, "This must be true or false.");
            default
        })
    }

    /// A whole number, 0 if missing.
    pub fn optional_integer<T>(&mut self, name: &str, field: &Field<T>) -> i32 {
        if field.is_given() { self.integer(name, field) } else { 0 }
    }

    /// A timestamp, `None` if missing.
    pub fn moment<T>(&mut self, name: &str, field: &Field<T>) -> Option<OffsetDateTime> {
        if !field.is_given() {
            return None;
        }
        let text = self.text(name, field);
        let read = OffsetDateTime::parse(&text, &Rfc3339).ok();
        if read.is_none() {
            self.wrong(name, "Enter a date and time like 2026-01-31T12:00:00Z");
        }
        read
    }

    /// Records an error of a field.
    pub fn wrong(&mut self, name: &str, sentence: &str) {
        if !self.errors.iter().any(|(field, _)| field == name) {
            self.errors.push((name.to_owned(), sentence.to_owned()));
        }
    }

    /// Responds with 422 and all wrong fields, if there are any.
    pub fn finish(self) -> Result<(), ApiError> {
        if self.errors.is_empty() { Ok(()) } else { Err(ApiError::fields(self.errors)) }
    }
}

fn parse_decimal(text: &str, decimals: usize) -> Option<i64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let plain = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !plain(whole) || !plain(fraction) || whole.len() > 9 || fraction.len() > decimals.max(1) {
        return None;
    }
    let padded = format!("{fraction:0<decimals$}");
    let unit = 10i64.checked_pow(u32::try_from(decimals).ok()?)?;
    let fraction: i64 = if decimals == 0 { 0 } else { padded.parse().ok()? };
    whole.parse::<i64>().ok()?.checked_mul(unit)?.checked_add(fraction)
}

/// A number written exactly, without going through a float.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Number(String);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RawValue::from_string(self.0.clone()).map_err(serde::ser::Error::custom)?.serialize(serializer)
    }
}

/// US dollars, with at most two decimals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(transparent)]
#[schema(value_type = f64, example = 125.5)]
pub struct Dollars(#[serde(serialize_with = "exactly")] Cents);

impl Dollars {
    /// Dollars from cents.
    #[must_use]
    pub fn from_cents(cents: i64) -> Self {
        Self(Cents::new(cents))
    }

    /// The same amount to compute with, or for people to read.
    #[must_use]
    pub const fn cents(&self) -> Cents {
        self.0
    }
}

/// As on the wire.
impl fmt::Display for Dollars {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_wire())
    }
}

fn exactly<S: Serializer>(cents: &Cents, serializer: S) -> Result<S::Ok, S::Error> {
    Number(cents.to_wire()).serialize(serializer)
}

/// A decimal number: a percentage with at most two decimals, or a plan's value with at most six.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(transparent)]
#[schema(value_type = f64, example = 8.5)]
pub struct Decimal(Number);

impl Decimal {
    /// A decimal from an integer of its smallest unit, without trailing zeros.
    #[must_use]
    pub fn new(value: i64, decimals: u32) -> Self {
        let unit = 10u64.pow(decimals);
        let sign = if value < 0 { "-" } else { "" };
        let (whole, fraction) = (value.unsigned_abs() / unit, value.unsigned_abs() % unit);
        if fraction == 0 {
            return Self(Number(format!("{sign}{whole}")));
        }
        let fraction = format!("{fraction:0width$}", width = decimals as usize);
        Self(Number(format!("{sign}{whole}.{}", fraction.trim_end_matches('0'))))
    }
}

/// A moment on the wire: RFC 3339 in UTC with milliseconds.
#[must_use]
pub fn moment(at: Option<&Timestamp>) -> Option<String> {
    let at = chassis::clock::from_proto(at?)?;
    at.replace_nanosecond(at.nanosecond() / 1_000_000 * 1_000_000).ok()?.format(&Rfc3339).ok()
}

/// A timestamp that the service must have sent; otherwise the error is 500.
pub fn known_moment(at: Option<&Timestamp>) -> Result<String, ApiError> {
    moment(at).ok_or_else(|| ApiError::internal("an answer without a time"))
}

/// A success, with its body as JSON beside `"success": true`.
#[derive(Debug)]
pub struct Reply<T, const STATUS: u16 = 200> {
    body: T,
    is_replay: bool,
}

/// What most handlers return: 200 with this body.
pub type Answer<T> = Result<Reply<T>, ApiError>;

/// 201 with this body.
pub type Created<T> = Result<Reply<T, 201>, ApiError>;

/// What every success has in common.
#[derive(Serialize)]
pub struct Success<T> {
    success: bool,
    #[serde(flatten)]
    body: T,
}

impl<T> Success<T> {
    /// A success with this body.
    pub const fn with(body: T) -> Self {
        Self { success: true, body }
    }
}

impl<T: Serialize, const STATUS: u16> IntoResponse for Reply<T, STATUS> {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(STATUS).unwrap_or_default();
        let body = axum::Json(Success::with(self.body));
        let mut response = (status, body).into_response();
        if self.is_replay {
            response.headers_mut().insert("idempotency-replayed", HeaderValue::from_static("true"));
        }
        response
    }
}

/// 200 with this body.
pub fn ok<T>(body: T) -> Reply<T> {
    Reply { body, is_replay: false }
}

/// 201 with this body.
pub fn created<T>(body: T) -> Reply<T, 201> {
    Reply { body, is_replay: false }
}

/// The reply with the sign of a replay, if the service repeated an earlier response.
pub fn marked<T, const STATUS: u16>(is_replay: bool, reply: Reply<T, STATUS>) -> Reply<T, STATUS> {
    Reply { is_replay, ..reply }
}

/// A day from the query. The error names the parameter if the text is not a day.
pub fn day(name: &str, text: Option<&str>) -> Result<Date, ApiError> {
    text.and_then(|text| Date::parse(text, format_description!("[year]-[month]-[day]")).ok())
        .ok_or_else(|| field(name, "Enter a date like 2026-01-31"))
}

/// The refusal of one field by the gateway.
#[must_use]
pub fn field(name: &str, sentence: &str) -> ApiError {
    ApiError::from(Refusal::field(name, sentence))
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::{Decimal, Field, Form, Number, parse, parse_decimal};

    #[derive(Deserialize)]
    struct Sample {
        amount: Field,
        note: Field,
    }

    fn amount(body: &str) -> Option<i64> {
        let sample: Sample = parse(body.as_bytes()).ok()?;
        let mut form = Form::new();
        let amount = form.amount("amount", &sample.amount);
        form.finish().ok().map(|()| amount.get())
    }

    /// [D-G1] [D-R15] Amount literals in JSON are read exactly or refused, never rounded.
    #[test]
    fn amount_literals_are_exact_or_refused() {
        for (literal, cents) in [
            ("1", 100),
            ("0", 0),
            ("0.01", 1),
            ("100.5", 10_050),
            ("\"100.50\"", 10_050),
            ("9999999999.99", 999_999_999_999),
            ("1.10", 110),
        ] {
            assert_eq!(amount(&format!("{{\"amount\":{literal}}}")), Some(cents), "{literal}");
        }
        for literal in [
            "-1",
            "+1",
            "1e2",
            "1E2",
            "1e-2",
            "0.001",
            "100.000",
            "1_000",
            "\"1,000\"",
            "\" 1\"",
            "\"1 \"",
            "\"\"",
            "\" \"",
            "null",
            "true",
            "false",
            "[]",
            "[1]",
            "{}",
            "{\"a\":1}",
            "01",
            "00",
            ".5",
            "1.",
            "0x10",
            "NaN",
            "Infinity",
            "\"NaN\"",
            "10000000000",
            "1e308",
            "1e400",
            "123456789012345678901234567890",
            "0.30000000000000004",
            "\"١\"",
            "\"1\\u0030\"",
            "\"\\u0031\"",
            "-0",
            "\"-0\"",
            "1.5e0",
            "\"$5\"",
            "\"1;2\"",
        ] {
            assert_eq!(amount(&format!("{{\"amount\":{literal}}}")), None, "{literal}");
        }
        assert_eq!(amount("{}"), None);
    }

    /// [D-G1] A number of any size is JSON; what is wrong with it is said at its field.
    #[test]
    fn numbers_of_any_size_are_refused_at_their_field() {
        let digits = "9".repeat(4_001);
        for literal in ["1e400", "-1e400", "1e-400", &digits, &format!("0.{digits}"), &format!("1e{digits}")] {
            let sample: Sample = parse(format!(r#"{{"amount":{literal},"note":{literal}}}"#).as_bytes()).ok().unwrap();
            let mut form = Form::new();
            form.amount("amount", &sample.amount);
            form.integer("whole", &sample.amount);
            form.decimal("value", &sample.amount, 6);
            form.text("note", &sample.note);
            let wrong: Vec<_> = form.errors.iter().map(|(name, _)| name.as_str()).collect();
            assert_eq!(wrong, ["amount", "whole", "value", "note"]);
        }
        for text in ["{\"amount\":1e}", "{\"amount\":1,}", "{\"amount\":1", "[1]", "\"amount\"", "", "{\"amount\":01}"]
        {
            assert!(parse::<Sample>(text.as_bytes()).is_err(), "{text}");
        }
    }

    /// A text has an end, regardless of its field.
    #[test]
    fn a_text_is_bounded() {
        let read = |letters: usize| {
            let sample: Sample = parse(format!(r#"{{"note":"{}"}}"#, "é".repeat(letters)).as_bytes()).ok().unwrap();
            let mut form = Form::new();
            let text = form.text("note", &sample.note);
            form.finish().map(|()| text.chars().count()).ok()
        };
        assert_eq!((read(4_096), read(4_097)), (Some(4_096), None));
    }

    /// [D-R15] A key twice is refused wherever it stands.
    #[test]
    fn a_key_twice_is_refused() {
        assert!(parse::<Sample>(br#"{"amount":1,"amount":2}"#).is_err());
        assert!(parse::<Sample>(br#"{"amount":1,"other":1,"other":2}"#).is_err());
        assert!(parse::<Sample>(br#"{"amount":1,"deep":{"a":[{"b":1,"b":1}]}}"#).is_err());
        assert!(parse::<Sample>(br#"{"amount":1,"am\u006funt":2}"#).is_err());
        assert!(parse::<Sample>(b"{\"note\":\"\xff\"}").is_err());
        assert!(parse::<Sample>(br#"{"amount":1,"note":"x"}"#).is_ok());
    }

    /// [D-V2] Brackets and members are counted before anything is kept of them.
    #[test]
    fn depth_and_members_are_bounded() {
        let deep = |depth: usize| format!(r#"{{"amount":1,"note":{}{}}}"#, "[".repeat(depth), "]".repeat(depth));
        assert!(parse::<Sample>(deep(31).as_bytes()).is_ok());
        let wide = |members: usize| format!(r#"{{"amount":1,"note":[1{}]}}"#, ",1".repeat(members));
        assert!(parse::<Sample>(wide(49_000).as_bytes()).is_ok());
        let megabytes = 7 << 20;
        for text in [
            deep(32),
            wide(50_000),
            "[".repeat(megabytes),
            r#"{"":"#.repeat(megabytes / 4),
            format!("[{}", "{},".repeat(megabytes / 3)),
            format!("{{{}", r#""a":[],"#.repeat(megabytes / 7)),
        ] {
            assert!(parse::<Sample>(text.as_bytes()).is_err(), "{}", &text[..20]);
        }
    }

    #[test]
    fn text_of_another_kind_names_the_field() {
        let sample: Sample = parse(br#"{"amount":1,"note":["x"]}"#).ok().unwrap();
        let mut form = Form::new();
        form.text("note", &sample.note);
        assert!(form.finish().is_err());
    }

    /// [D-R4] Values have up to six decimals, exactly.
    #[test]
    fn decimals_are_exact() {
        assert_eq!(parse_decimal("1", 6), Some(1_000_000));
        assert_eq!(parse_decimal("1.05", 6), Some(1_050_000));
        assert_eq!(parse_decimal("0.000001", 6), Some(1));
        assert_eq!(parse_decimal("0.0000001", 6), None);
        assert_eq!(parse_decimal("-1", 6), None);
        assert_eq!(parse_decimal("1e3", 6), None);
        assert_eq!(Decimal::new(1_050_000, 6), Decimal(Number("1.05".to_owned())));
        assert_eq!(Decimal::new(-525, 2), Decimal(Number("-5.25".to_owned())));
    }
}
