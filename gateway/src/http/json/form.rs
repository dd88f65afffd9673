//! Fields of a body, each read as what a service expects.

use std::marker::PhantomData;

use chassis::clock::{self, Timestamp};
use chassis::money::Cents;
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer};
use serde_json::value::RawValue;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::http::error::ApiError;

/// Characters of a text that is no file; the services allow less.
const TEXT: usize = 4_096;
/// Bytes of an object that another party defines.
const OBJECT: usize = 16 * 1024;

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

    /// A number, or what a text contains.
    fn digits(&self) -> Option<&str> {
        let raw = self.raw()?;
        Some(raw.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(raw))
    }

    /// The text of the only field of a request. 422 if it is no text.
    pub fn text(&self, name: &str) -> Result<String, ApiError> {
        let mut form = Form::new();
        let text = form.text(name, self);
        form.finish()?;
        Ok(text)
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

    /// A value of this type; `None` if it was not sent or is another one.
    fn value<T, V: DeserializeOwned>(&mut self, name: &str, field: &Field<T>, sentence: &str) -> Option<V> {
        let read = serde_json::from_str(field.raw()?).ok();
        if read.is_none() {
            self.wrong(name, sentence);
        }
        read
    }

    fn string<T>(&mut self, name: &str, field: &Field<T>) -> String {
        self.value(name, field, "This must be text.").unwrap_or_default()
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
        self.value(name, field, "This must be an object.")
    }

    /// Bytes in hexadecimal; none if it was not sent.
    pub fn hex<T>(&mut self, name: &str, field: &Field<T>) -> Vec<u8> {
        hex::decode(self.text(name, field)).unwrap_or_else(|_| {
            self.wrong(name, "This must be hexadecimal.");
            Vec::new()
        })
    }

    /// An amount in dollars: a JSON number, or text of the exact form.
    pub fn amount<T>(&mut self, name: &str, field: &Field<T>) -> Cents {
        let Some(digits) = field.digits() else {
            self.wrong(name, "Enter an amount");
            return Cents::ZERO;
        };
        Cents::parse(digits).unwrap_or_else(|_| {
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
        field.digits().and_then(|digits| parse_decimal(digits, decimals)).unwrap_or_else(|| {
            self.wrong(name, &format!("Enter a number with at most {decimals} decimals"));
            0
        })
    }

    /// A decimal with up to six decimals, in millionths.
    pub fn millionths<T>(&mut self, name: &str, field: &Field<T>) -> i64 {
        self.decimal(name, field, 6)
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
        self.value(name, field, "Enter a whole number of 0 or more")
    }

    /// Indexes like those of [`Self::optional_index`]; none if missing.
    pub fn indexes<T>(&mut self, name: &str, field: &Field<T>) -> Vec<u32> {
        self.value(name, field, "Enter a list of whole numbers of 0 or more").unwrap_or_default()
    }

    /// A boolean, or the default if missing.
    pub fn flag<T>(&mut self, name: &str, field: &Field<T>, default: bool) -> bool {
        self.value(name, field, "This must be true or false.").unwrap_or(default)
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

/// A body that becomes a message of a service.
pub trait ToProto<M> {
    /// The message. The form has what is wrong with it.
    fn fill(&self, form: &mut Form) -> M;

    /// The message, or 422 with all wrong fields.
    fn to_proto(&self) -> Result<M, ApiError> {
        let mut form = Form::new();
        let message = self.fill(&mut form);
        form.finish()?;
        Ok(message)
    }
}

/// A field that becomes a value of a message.
pub trait ReadAs<V> {
    /// The value. If there is none, the form has why.
    fn read(&self, form: &mut Form, name: &str) -> V;
}

macro_rules! read_as {
    ($($field:ty => $value:ty: $read:expr;)+) => {$(
        impl ReadAs<$value> for $field {
            fn read(&self, form: &mut Form, name: &str) -> $value {
                let read: fn(&mut Form, &str, &Self) -> $value = $read;
                read(form, name, self)
            }
        }
    )+};
}

read_as! {
    Field<i32> => i32: Form::integer;
    Field<Option<i32>> => i32: Form::optional_integer;
    Field<u32> => u32: |form, name, field| form.optional_index(name, field).unwrap_or_default();
    Field<Option<u32>> => Option<u32>: Form::optional_index;
    Field<Option<Vec<u32>>> => Vec<u32>: Form::indexes;
    Field<f64> => i64: |form, name, field| form.amount(name, field).get();
    Field<Option<f64>> => Option<i64>: |form, name, field| form.optional_amount(name, field).map(Cents::get);
    Field<Option<bool>> => bool: |form, name, field| form.flag(name, field, false);
    Field<Option<bool>> => Option<bool>: |form, name, field| field.is_given().then(|| form.flag(name, field, false));
    Field<Option<String>> => Option<Timestamp>: |form, name, field| form.moment(name, field).map(clock::to_proto);
    Field<Option<String>> => Vec<u8>: Form::hex;
}

/// A text, or a name out of a list, which the service checks.
impl<T> ReadAs<String> for Field<T> {
    fn read(&self, form: &mut Form, name: &str) -> String {
        form.text(name, self)
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

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::{Field, Form, parse_decimal};

    #[derive(Deserialize)]
    struct Sample {
        amount: Field,
        note: Field,
    }

    fn amount(body: &str) -> Option<i64> {
        let sample: Sample = serde_json::from_str(body).ok()?;
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
            let sample: Sample = serde_json::from_str(&format!(r#"{{"amount":{literal},"note":{literal}}}"#)).unwrap();
            let mut form = Form::new();
            form.amount("amount", &sample.amount);
            form.integer("whole", &sample.amount);
            form.decimal("value", &sample.amount, 6);
            form.text("note", &sample.note);
            let wrong: Vec<_> = form.errors.iter().map(|(name, _)| name.as_str()).collect();
            assert_eq!(wrong, ["amount", "whole", "value", "note"]);
        }
    }

    /// A text has an end, regardless of its field.
    #[test]
    fn a_text_is_bounded() {
        let read = |letters: usize| {
            let sample: Sample = serde_json::from_str(&format!(r#"{{"note":"{}"}}"#, "é".repeat(letters))).unwrap();
            let mut form = Form::new();
            let text = form.text("note", &sample.note);
            form.finish().map(|()| text.chars().count()).ok()
        };
        assert_eq!((read(4_096), read(4_097)), (Some(4_096), None));
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
    }
}
