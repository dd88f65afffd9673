//! The statement about one version of a platform address, which the treasury key signs. This is its only form: the web
//! app writes the same bytes (`web/src/lib/treasury.ts`), and `tests/treasury.json` keeps the two together.

use time::format_description::well_known::Rfc3339;
use time::{OffsetDateTime, UtcOffset};

use super::method::Fields;

const TITLE: &str = "Solvane platform address";

/// What the signature of an address binds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    pub currency: String,
    pub network: String,
    pub address: String,
    /// Empty for none.
    pub memo: String,
    pub version: i32,
    /// Whole seconds, UTC.
    pub valid_from: OffsetDateTime,
}

/// Text that is no statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidStatement {
    #[error("this is not a statement about a platform address, or it was changed by hand")]
    Form,
    #[error("the statement has a currency, network, address or memo that is not valid")]
    Fields,
}

impl Statement {
    #[must_use]
    pub fn new(fields: &Fields, version: i32, valid_from: OffsetDateTime) -> Self {
        let Fields { currency, network, address, memo, .. } = fields.clone();
        Self { currency, network, address, memo, version, valid_from }
    }

    /// The signed text: a title and six fields, each on a line. No field has a line break, so that one text never has
    /// two readings.
    #[must_use]
    pub fn text(&self) -> String {
        let Self { currency, network, address, memo, version, valid_from } = self;
        let valid_from = format_moment(*valid_from);
        format!(
            "{TITLE}\ncurrency={currency}\nnetwork={network}\naddress={address}\nmemo={memo}\nversion={version}\n\
             valid-from={valid_from}\n"
        )
    }

    /// Reads a statement that the back office wrote.
    ///
    /// # Errors
    /// If the text is not exactly what [`Statement::text`] writes, or the address or key is not valid on its network.
    pub fn parse(text: &str) -> Result<Self, InvalidStatement> {
        let mut lines = text.lines();
        if lines.next() != Some(TITLE) {
            return Err(InvalidStatement::Form);
        }
        let mut field = |name: &str| {
            let (found, value) = lines.next()?.split_once('=')?;
            (found == name).then(|| value.to_owned())
        };
        let read = (|| {
            Some(Self {
                currency: field("currency")?,
                network: field("network")?,
                address: field("address")?,
                memo: field("memo")?,
                version: field("version")?.parse().ok().filter(|version| *version > 0)?,
                valid_from: parse_moment(&field("valid-from")?)?,
            })
        })();
        let statement = read.filter(|one| one.text() == text).ok_or(InvalidStatement::Form)?;
        let typed = Fields {
            currency: statement.currency.clone(),
            network: statement.network.clone(),
            address: statement.address.clone(),
            memo: statement.memo.clone(),
            ..Fields::default()
        };
        if Fields::parse_platform(typed.clone()) == Ok(typed) { Ok(statement) } else { Err(InvalidStatement::Fields) }
    }
}

/// A time as it stands in statements: `2026-11-23T16:00:00Z`.
#[must_use]
pub fn format_moment(at: OffsetDateTime) -> String {
    let at = at.to_offset(UtcOffset::UTC).truncate_to_second();
    // Every time that was read from its text can be written; another one makes a statement that nothing verifies.
    at.format(&Rfc3339).unwrap_or_default()
}

/// Reads exactly what [`format_moment`] writes.
#[must_use]
pub fn parse_moment(text: &str) -> Option<OffsetDateTime> {
    let at = OffsetDateTime::parse(text, &Rfc3339).ok()?;
    (format_moment(at) == text).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::{InvalidStatement, Statement, parse_moment};

    const TEXT: &str = "Solvane platform address\ncurrency=USDT\nnetwork=TRC20\n\
        address=TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t\nmemo=\nversion=2\nvalid-from=2026-11-23T16:00:00Z\n";

    /// [D-M1] A statement is read back as it was written, and in no other form.
    #[test]
    fn a_statement_has_one_form() {
        let statement = Statement::parse(TEXT).expect("valid");
        assert_eq!(statement.text(), TEXT);
        assert_eq!((statement.version, statement.memo.as_str()), (2, ""));
        for changed in [
            TEXT.trim_end().to_owned(),
            format!("{TEXT}\n"),
            format!(" {TEXT}"),
            TEXT.replace('\n', "\r\n"),
            TEXT.replace("version=2", "version=+2"),
            TEXT.replace("version=2", "version=0"),
            TEXT.replace("version=2", "version=2\nversion=3"),
            TEXT.replace("16:00:00Z", "16:00:00.5Z"),
            TEXT.replace("16:00:00Z", "17:00:00+01:00"),
            TEXT.replace("memo=", "tag="),
            String::new(),
        ] {
            assert_eq!(Statement::parse(&changed), Err(InvalidStatement::Form), "{changed:?}");
        }
    }

    /// [D-M1] [D-W6] Nobody signs an address with a typing error.
    #[test]
    fn the_fields_of_a_statement_are_valid() {
        for (from, to) in [("j6t\n", "j6T\n"), ("USDT", "usdt"), ("memo=", "memo= 1"), ("network=TRC20", "network=X")] {
            assert_eq!(Statement::parse(&TEXT.replace(from, to)), Err(InvalidStatement::Fields), "{to}");
        }
    }

    #[test]
    fn moments_are_whole_seconds_in_utc() {
        assert!(parse_moment("2026-11-23T16:00:00Z").is_some());
        for text in ["2026-11-23T16:00:00", "2026-11-23 16:00:00Z", "2026-11-23t16:00:00z", "2026-02-30T16:00:00Z", ""]
        {
            assert_eq!(parse_moment(text), None, "{text}");
        }
    }
}
