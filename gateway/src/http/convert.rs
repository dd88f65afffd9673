//! What services send, in the types of the REST contract.

use chassis::clock::{self, Timestamp};
use chassis::money::Rate;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::http::error::ApiError;
use crate::http::json::{Decimal, Dollars, field};

/// Made of what a service sent, by `#[response(from = …)]` for most bodies. What it must not send is an error of 500, so that
/// nothing is shown as something else.
pub trait FromProto<M>: Sized {
    fn from_proto(sent: M) -> Result<Self, ApiError>;
}

/// [`FromProto::from_proto`] where the types say which.
pub fn from_proto<M, T: FromProto<M>>(sent: M) -> Result<T, ApiError> {
    T::from_proto(sent)
}

/// A message that the service must have sent.
pub fn required<M>(sent: Option<M>, what: &str) -> Result<M, ApiError> {
    sent.ok_or_else(|| ApiError::internal(format!("an answer without {what}")))
}

/// The text; an empty one stands for none.
pub fn non_empty<T: AsRef<str>>(text: T) -> Option<T> {
    Some(text).filter(|text| !text.as_ref().is_empty())
}

macro_rules! from_proto {
    ($($sent:ty => $shown:ty: $convert:expr;)+) => {$(
        impl FromProto<$sent> for $shown {
            fn from_proto(sent: $sent) -> Result<Self, ApiError> {
                let convert: fn($sent) -> Result<Self, ApiError> = $convert;
                convert(sent)
            }
        }
    )+};
}

from_proto! {
    bool => bool: Ok;
    i32 => i32: Ok;
    i64 => i64: Ok;
    u32 => u32: Ok;
    String => String: Ok;
    // Zero and empty text stand for nothing.
    i32 => Option<i32>: |number| Ok(Some(number).filter(|number| *number != 0));
    i64 => Option<i64>: |number| Ok(Some(number).filter(|number| *number != 0));
    String => Option<String>: |text| Ok(non_empty(text));
    i64 => Dollars: |cents| Ok(Dollars::from_cents(cents));
    i64 => Option<Dollars>: |cents| Ok((cents != 0).then(|| Dollars::from_cents(cents)));
    Timestamp => String: |at| moment(Some(&at)).ok_or_else(|| ApiError::internal("a time that is none"));
    Option<Timestamp> => String: |at| from_proto(required(at, "a time")?);
    Vec<u8> => String: |bytes| Ok(hex::encode(bytes));
}

impl<M, T: FromProto<M>> FromProto<Option<M>> for Option<T> {
    fn from_proto(sent: Option<M>) -> Result<Self, ApiError> {
        sent.map(T::from_proto).transpose()
    }
}

impl<M, T: FromProto<M>> FromProto<Vec<M>> for Vec<T> {
    fn from_proto(sent: Vec<M>) -> Result<Self, ApiError> {
        sent.into_iter().map(T::from_proto).collect()
    }
}

/// A moment on the wire: RFC 3339 in UTC with milliseconds.
#[must_use]
pub fn moment(at: Option<&Timestamp>) -> Option<String> {
    let at = clock::from_proto(at?)?;
    at.replace_nanosecond(at.nanosecond() / 1_000_000 * 1_000_000).ok()?.format(&Rfc3339).ok()
}

/// Dollars for a whole unit, as text; `None` for an invalid rate.
pub fn rate(micros: i64) -> Option<String> {
    Rate::new(micros).ok().map(Rate::to_wire)
}

/// A value or price.
pub fn millionths(micros: i64) -> Decimal {
    Decimal::new(micros, 6)
}

/// Hundredths of a percent as percent.
pub fn percent(basis_points: i32) -> Decimal {
    Decimal::new(basis_points.into(), 2)
}

/// The names of an enum, each with its value in the contract.
pub trait Choice: Sized + 'static {
    type Proto: Copy + Default + Into<i32> + 'static;
    const ALL: &'static [(&'static str, Self::Proto)];

    /// The value with this name.
    fn named(name: &str) -> Option<Self::Proto> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    /// Says which there are.
    fn sentence() -> String {
        let names: Vec<_> = Self::ALL.iter().map(|(name, _)| *name).collect();
        let (last, others) = names.split_last().unwrap_or((&"", &[]));
        format!("Choose {} or {last}", others.join(", "))
    }
}

/// The value that a parameter of the query names; the one that stands for any if it is left out or `all`.
pub fn choice<T: Choice>(parameter: &str, name: Option<&str>) -> Result<T::Proto, ApiError> {
    match name {
        None | Some("" | "all") => Ok(T::Proto::default()),
        Some(name) => T::named(name).ok_or_else(|| field(parameter, &T::sentence())),
    }
}

/// A moment of the wire as people read it.
#[must_use]
pub fn moment_to_text(at: &str) -> String {
    OffsetDateTime::parse(at, &Rfc3339).map_or_else(|_| at.to_owned(), clock::to_text)
}

/// The day of a moment of the wire as people read it.
#[must_use]
pub fn day_to_text(at: &str) -> String {
    OffsetDateTime::parse(at, &Rfc3339).map_or_else(|_| at.to_owned(), |at| clock::day_to_text(at.date()))
}

#[cfg(test)]
mod tests {
    use chassis::clock::Timestamp;

    use super::{FromProto, from_proto};
    use crate::http::json::Dollars;

    fn shown<M, T: FromProto<M>>(sent: M) -> Option<T> {
        from_proto(sent).ok()
    }

    /// Zero and empty text stand for nothing, unless the message can leave the field out; what is required is an error
    /// without.
    #[test]
    fn nothing_is_shown_as_nothing() {
        assert_eq!(shown::<_, Option<String>>(String::new()), Some(None));
        assert_eq!(shown::<_, Option<String>>("a".to_owned()), Some(Some("a".to_owned())));
        assert_eq!([0, 7].map(shown::<i32, Option<i32>>), [Some(None), Some(Some(7))]);
        assert_eq!([0, 7].map(shown::<i64, Option<Dollars>>), [Some(None), Some(Some(Dollars::from_cents(7)))]);
        assert_eq!(shown::<_, Option<Dollars>>(Some(0_i64)), Some(Some(Dollars::from_cents(0))));
        assert_eq!(shown::<_, Option<String>>(None::<Timestamp>), Some(None));
        assert_eq!(shown::<_, String>(None::<Timestamp>), None);
        let at = Timestamp { seconds: 1_767_323_045, nanos: 6_700_000 };
        assert_eq!(shown::<_, String>(Some(at)), Some("2026-01-02T03:04:05.006Z".to_owned()));
        assert_eq!(shown::<_, Vec<String>>(vec![vec![0_u8, 255]]), Some(vec!["00ff".to_owned()]));
    }
}
