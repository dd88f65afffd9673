//! The personal details of a member: name, phone, country.

use std::collections::HashSet;
use std::sync::LazyLock;

use chassis::validate::visible;
use unicode_security::{MixedScript, confusable_detection::skeleton};

use super::brand;
use super::email::Email;
use super::fields::FieldErrors;

/// The English names of the reference list, as the registration form offers them.
static COUNTRIES: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    include_str!("../../data/countries.txt").lines().map(str::trim).filter(|name| !name.is_empty()).collect()
});

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Details {
    /// 1 to 100 characters.
    pub name: String,
    pub email: Email,
    /// 5 to 20 characters.
    pub phone: String,
    /// A name of the reference list.
    pub country: String,
}

impl Details {
    /// Reads the four fields; what is wrong is noted in `errors`, and then there are no details.
    pub fn parse(name: &str, email: &str, phone: &str, country: &str, errors: &mut FieldErrors) -> Option<Self> {
        let name = errors.check("name", parse_name(name));
        let email = errors.check("email", Email::parse(email));
        let phone = errors.check("phone", parse_phone(phone));
        let country = errors.check("country", parse_country(country));
        Some(Self { name: name?, email: email?, phone: phone?, country: country? })
    }
}

/// A name: trimmed, in NFC, 1-100 characters that people see, each word of one script, and not the product's.
///
/// # Errors
/// The sentence for the field.
pub fn parse_name(text: &str) -> Result<String, &'static str> {
    let text = text.trim();
    if text.is_empty() {
        return Err("Name is required");
    }
    if text.chars().count() > 100 {
        return Err("Name must be at most 100 characters long");
    }
    let name = visible(text).ok_or("Name contains characters that are not allowed")?;
    if !name.split(|char: char| !char.is_alphanumeric()).all(|word| word.is_single_script()) {
        return Err("Name mixes letters of different alphabets in one word");
    }
    // Only the product and its staff have its name.
    if resembles(&name, brand::name()) {
        return Err("Name must not contain the name of this product");
    }
    Ok(name)
}

/// Whether somebody may read `word` in the text: letters that look alike count as the same (UTS #39), case, blanks and
/// punctuation as nothing.
fn resembles(text: &str, word: &str) -> bool {
    let letters = |text: &str| -> String {
        let lower: String = skeleton(&text.to_lowercase()).collect();
        skeleton(&lower.to_lowercase()).filter(|char| char.is_alphanumeric()).collect()
    };
    letters(text).contains(&letters(word))
}

/// A phone number: trimmed, 5-20 digits, spaces, brackets and hyphens, with an optional plus in front.
fn parse_phone(text: &str) -> Result<String, &'static str> {
    let text = text.trim();
    if text.is_empty() {
        return Err("Phone number is required");
    }
    let rest = text.strip_prefix('+').unwrap_or(text);
    let allowed = rest.chars().all(|char| char.is_ascii_digit() || " ()-".contains(char));
    let digits = rest.chars().any(|char| char.is_ascii_digit());
    if (5..=20).contains(&text.len()) && allowed && digits { Ok(text.to_owned()) } else { Err("Invalid phone number") }
}

fn parse_country(text: &str) -> Result<String, &'static str> {
    let text = text.trim();
    if text.is_empty() {
        return Err("Country is required");
    }
    if COUNTRIES.contains(text) { Ok(text.to_owned()) } else { Err("Choose a country from the list") }
}

#[cfg(test)]
mod tests {
    use super::{Details, FieldErrors, parse_country, parse_name, parse_phone};

    /// [AUTH-05] Everything that is missing is said at once, in the exact words.
    #[test]
    fn what_is_missing_is_said_at_once() {
        let mut errors = FieldErrors::default();
        assert_eq!(Details::parse(" ", "nobody", "", "", &mut errors), None);
        let said: Vec<_> = errors.iter().collect();
        assert_eq!(
            said,
            [
                ("name", "Name is required"),
                ("email", "Invalid email address"),
                ("phone", "Phone number is required"),
                ("country", "Country is required"),
            ]
        );
    }

    /// [D-S7] Names have 1-100 characters and none that control the text.
    #[test]
    fn names_are_bounded_and_printable() {
        assert_eq!(parse_name("  Zoë O'Neil-山田 "), Ok("Zoë O'Neil-山田".to_owned()));
        assert!(parse_name(&"é".repeat(100)).is_ok());
        assert!(parse_name(&"é".repeat(101)).is_err());
        for text in ["a\nb", "a\rb", "a\0b", "a\u{7f}", "a\u{202e}b", "\u{2066}a", "a\u{200b}b", "\u{3164}", "\u{2800}"]
        {
            assert!(parse_name(text).is_err(), "{text:?}");
        }
    }

    /// [D-S7] No name looks like the product's, and no word mixes alphabets.
    #[test]
    fn names_do_not_pretend() {
        for text in ["Solvane Support", "S\u{43e}lvane", "SOLVANE", "S o l v a n e", "Sоlvаnе Team", "Ann\u{430}"] {
            assert!(parse_name(text).is_err(), "{text}");
        }
        for text in ["Ivan Solvang", "Иван Smith", "山田 Tarō", "ヤマダ太郎", "김철수", "Solveig Vane"] {
            assert!(parse_name(text).is_ok(), "{text}");
        }
    }

    /// [D-S7] Phones have 5-20 characters of the known ones.
    #[test]
    fn phones_are_as_people_write_them() {
        for text in ["12345", "+49 (30) 123-456", "+12345678901234567890".get(..20).unwrap()] {
            assert!(parse_phone(text).is_ok(), "{text}");
        }
        for text in ["1234", "+1+23456", "12345a", "123456789012345678901", "(----)", "１２３４５", "123;45"] {
            assert_eq!(parse_phone(text), Err("Invalid phone number"), "{text}");
        }
    }

    /// [D-S7] [REF-01] Countries are those of the reference list, spelled so.
    #[test]
    fn countries_are_those_of_the_list() {
        assert!(parse_country("Germany").is_ok());
        for text in ["germany", "DE", "Atlantis"] {
            assert!(parse_country(text).is_err(), "{text}");
        }
    }
}
