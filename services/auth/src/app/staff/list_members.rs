//! ListMembers: searches members by name, address, phone number and id.

use chassis::id::UserId;
use chassis::page::{Listed, Page};
use unicode_normalization::UnicodeNormalization;
use uuid::Uuid;

use crate::app::App;
use crate::domain::user::User;
use crate::error::Error;
use crate::store::users;

/// A page of the members who match, and the cursor of the next page.
pub async fn list_members(app: &App, search: &str, page: &Page<UserId>) -> Result<Listed<User>, Error> {
    // No text of the database holds a zero character, and it refuses one.
    let text: String = search.trim().nfc().filter(|char| *char != '\0').collect();
    let text = text.replace(['’', 'ʼ'], "'");
    let found = (text.as_str(), &*phone_digits(&text), ids(&text));
    let members = users::members(&mut *app.db.conn().await?, found, page.after, page.limit()).await?;
    Ok(page.cut(members, |user| user.id))
}

/// The first and last id that begin with a text; nothing for what begins none.
fn ids(text: &str) -> Option<(Uuid, Uuid)> {
    let hex = text.replace('-', "");
    if !(1..=32).contains(&hex.len()) || !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let padded = |fill: &str| Uuid::try_parse(&format!("{hex}{}", fill.repeat(32 - hex.len()))).ok();
    Some((padded("0")?, padded("f")?))
}

/// The digits of what may be a phone number, or nothing. Fewer would find too many.
fn phone_digits(text: &str) -> String {
    let text: Vec<char> = text.nfkc().filter(|char| !is_invisible(*char)).map(ascii_digit).collect();
    let is_phone = text.iter().all(|char| char.is_ascii_digit() || BETWEEN_DIGITS.contains(*char));
    let digits: String = text.into_iter().filter(char::is_ascii_digit).collect();
    if is_phone && digits.len() >= 5 { digits } else { String::new() }
}

/// What people write between the digits of a phone number, dashes of any length among it.
const BETWEEN_DIGITS: &str = "+ ()-./\u{2010}\u{2012}\u{2013}\u{2014}";

/// Marks that come with a number that was copied.
fn is_invisible(char: char) -> bool {
    matches!(char, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// The zeros of the scripts whose digits people write numbers with, each followed by the other nine.
const ZEROS: [char; 17] = [
    '\u{660}', '\u{6f0}', '\u{966}', '\u{9e6}', '\u{a66}', '\u{ae6}', '\u{b66}', '\u{be6}', '\u{c66}', '\u{ce6}',
    '\u{d66}', '\u{e50}', '\u{ed0}', '\u{f20}', '\u{1040}', '\u{17e0}', '\u{1810}',
];

/// The ASCII digit of a digit of another script; anything else as it is.
fn ascii_digit(char: char) -> char {
    let of = |zero: &char| u32::from(char).checked_sub(u32::from(*zero)).and_then(|value| char::from_digit(value, 10));
    ZEROS.iter().find_map(of).unwrap_or(char)
}

#[cfg(test)]
mod tests {
    use super::phone_digits;

    /// [D-O2] A phone number is its digits, with any marks between them and in any script.
    #[test]
    fn phone_numbers_are_their_digits() {
        for text in [
            "+49.30.5550199",
            "+49 (30) 555-0199",
            "+49/30/555\u{2013}0199",
            "＋４９ ３０ ５５５ ０１９９",
            "+٤٩٣٠٥٥٥٠١٩٩",
            "+४९३०५५५०१९९",
            "\u{202a}+49\u{a0}30\u{a0}5550199\u{202c}",
        ] {
            assert_eq!(phone_digits(text), "49305550199", "{text}");
        }
        for text in ["1234", "12345a", "a@12345.example", "", "+()-.", "12345_"] {
            assert_eq!(phone_digits(text), "", "{text}");
        }
    }
}
