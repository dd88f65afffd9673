//! Passwords: long enough, in no known breach, and never printed.

use std::fmt;

use unicode_normalization::UnicodeNormalization;

use crate::domain::brand;
use crate::domain::breached::is_breached;

/// A shorter number is a date, a phone number or keys in a row.
const NUMBER_LENGTH: usize = 16;

/// A password in NFC: keyboards compose the same letters differently.
#[derive(Clone, PartialEq, Eq)]
pub struct Password {
    text: String,
    /// As it was typed, unless that is the same: older hashes are of this.
    typed: Option<String>,
}

/// In which form a password stands: each has its own words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Registration, login, reset.
    Password,
    /// The one in force, when it is changed.
    Old,
    /// The one to be, when it is changed.
    New,
}

impl Password {
    /// Reads a password that is to be compared: 8-128 characters.
    ///
    /// # Errors
    /// The sentence for the field.
    pub fn parse(typed: &str, form: Form) -> Result<Self, &'static str> {
        let text: String = typed.nfc().collect();
        match text.chars().count() {
            ..8 => Err(match form {
                Form::Password => "Password must be at least 8 characters long",
                Form::Old => "Old password must be at least 8 characters",
                Form::New => "New password must be at least 8 characters",
            }),
            129.. => Err("Password must be at most 128 characters long"),
            _ => Ok(Self { typed: (text != typed).then(|| typed.to_owned()), text }),
        }
    }

    /// Reads a password that somebody chooses: also none of a known breach, and none made of the owner's name or address or the
    /// product's name with nothing but digits and marks around it.
    ///
    /// # Errors
    /// The sentence for the field.
    pub fn choose(text: &str, form: Form, name: &str, email: &str) -> Result<Self, &'static str> {
        let password = Self::parse(text, form)?;
        let lower = password.text.to_lowercase();
        let core = lower.trim_matches(|char: char| !char.is_alphabetic());
        let (brand, name, email) = (brand::name().to_lowercase(), name.to_lowercase(), email.to_lowercase());
        let local = email.split('@').next().unwrap_or_default();
        let joined: String = name.split_whitespace().collect();
        let guessable = [&brand, &name, &joined, &email, local].into_iter().chain(name.split_whitespace());
        if guessable.filter(|guess| !guess.is_empty()).any(|guess| core == guess || lower == guess) {
            return Err("This password is too easy to guess");
        }
        let is_number = lower.len() < NUMBER_LENGTH && lower.chars().all(|char| char.is_ascii_digit());
        if is_number {
            return Err("This password is too common");
        }
        // The filter takes one in 65,536 others for a breached one.
        if is_breached(&lower) {
            return Err("This password looks like one from a data breach. Please choose another");
        }
        Ok(password)
    }

    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.text.as_bytes()
    }

    /// As it was typed, if that is another sequence of characters.
    #[must_use]
    pub fn typed(&self) -> Option<&[u8]> {
        self.typed.as_deref().map(str::as_bytes)
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::{Form, Password};

    fn choose(text: &str) -> Result<Password, &'static str> {
        Password::choose(text, Form::Password, "Ada Lovelace", "countess@example.com")
    }

    /// [AUTH-05] [PROF-03] [D-S7] Length in characters, with the words of each form.
    #[test]
    fn length_is_8_to_128_characters() {
        assert_eq!(choose("höhöhö7").unwrap_err(), "Password must be at least 8 characters long");
        assert!(choose("höhöhö77").is_ok());
        assert!(choose(&"äq".repeat(64)).is_ok());
        assert!(choose(&"äq".repeat(65)).is_err());
        assert_eq!(Password::parse("short", Form::Old).unwrap_err(), "Old password must be at least 8 characters");
        assert_eq!(Password::parse("short", Form::New).unwrap_err(), "New password must be at least 8 characters");
    }

    /// [D-S7] A password is the same however a keyboard composes its letters; what was typed is kept to be compared.
    #[test]
    fn composition_makes_no_difference() {
        let (composed, decomposed) = (choose("geheim\u{fc}ber7").unwrap(), choose("geheimu\u{308}ber7").unwrap());
        assert_eq!(composed.as_bytes(), decomposed.as_bytes());
        assert_eq!((composed.typed(), decomposed.typed()), (None, Some("geheimu\u{308}ber7".as_bytes())));
    }

    /// [D-S7] [D-A8] Passwords of known breaches are refused in any case, and so are short numbers.
    #[test]
    fn breached_passwords_are_refused() {
        for text in ["password", "PassWord1", "qwertyuiop", "iloveyou1"] {
            let sentence = "This password looks like one from a data breach. Please choose another";
            assert_eq!(choose(text), Err(sentence), "{text}");
        }
        for text in ["12345678", "31415926535"] {
            assert_eq!(choose(text), Err("This password is too common"), "{text}");
        }
        assert!(choose("8314159265358979323").is_ok());
    }

    /// [D-S7] What stands beside the password is no password.
    #[test]
    fn what_is_known_of_the_owner_is_refused() {
        for text in [
            "Lovelace",
            "lovelace1815",
            "Ada Lovelace",
            "adalovelace!",
            "countess",
            "Countess#1",
            "countess@example.com",
            "Solvane2026",
        ] {
            assert_eq!(choose(text), Err("This password is too easy to guess"), "{text}");
        }
        for text in ["solvane-demo", "lovelace-engine", "correct horse battery"] {
            assert!(choose(text).is_ok(), "{text}");
        }
    }

    /// [D-E1] A password is never printed.
    #[test]
    fn a_password_is_not_printed() {
        assert!(!format!("{:?}", choose("correct horse").unwrap()).contains("horse"));
    }
}
