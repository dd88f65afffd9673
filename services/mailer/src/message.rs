//! The MIME message: headers, text and HTML.

use std::time::SystemTime;

use lettre::message::header::{ContentTransferEncoding, ContentType, HeaderName, HeaderValue};
use lettre::message::{Body, Mailbox, MultiPart, SinglePart};
use lettre::{Address, Message};
use uuid::Uuid;

use crate::clients::Contact;
use crate::render::Content;

/// The longest name that is written beside an address.
const LONGEST_NAME: usize = 100;

/// The longest line that is sent as it is, without its line break.
const LONGEST_LINE: usize = 998;

/// A sender or recipient that no mail can be written for.
#[derive(Debug, thiserror::Error)]
pub enum MessageError {
    #[error("the address is not valid: {0}")]
    Address(#[from] lettre::address::AddressError),
    #[error("the message cannot be written: {0}")]
    Message(#[from] lettre::error::Error),
}

#[derive(Debug, Clone)]
pub struct Sender(Mailbox);

impl Sender {
    /// The sender by name and address, e.g. `Solvane <no-reply@example.com>`.
    ///
    /// # Errors
    /// If the address is malformed.
    pub fn parse(text: &str) -> Result<Self, MessageError> {
        Ok(Self(text.parse()?))
    }

    /// Writes a mail. The same id gives the same Message-ID, so that a mail sent twice is seen to be one.
    ///
    /// # Errors
    /// If the contact's address is malformed.
    pub fn message(&self, id: Uuid, to: &Contact, content: Content) -> Result<Message, MessageError> {
        let address: Address = to.email.parse()?;
        Ok(Message::builder()
            .message_id(Some(format!("<{id}@{}>", self.0.email.domain())))
            .date(SystemTime::now())
            .from(self.0.clone())
            .to(Mailbox::new(display_name(&to.name), address))
            .subject(one_line(&content.subject))
            // No out-of-office answers, please (RFC 3834).
            .raw_header(HeaderValue::new(HeaderName::new_from_ascii_str("Auto-Submitted"), "auto-generated".to_owned()))
            .multipart(
                MultiPart::alternative()
                    .singlepart(part(ContentType::TEXT_PLAIN, content.text))
                    .singlepart(part(ContentType::TEXT_HTML, content.html)),
            )?)
    }
}

fn part(kind: ContentType, text: String) -> SinglePart {
    SinglePart::builder().header(kind).body(body(text))
}

/// Plain ASCII goes as it is, so that codes and links stand whole in the source, too: lettre would encode lines over 76
/// characters, while 998 are allowed (RFC 5322).
fn body(text: String) -> Body {
    let text = text.replace('\r', "");
    let plain = |line: &str| line.len() <= LONGEST_LINE && line.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    if text.split('\n').all(plain) {
        return Body::dangerous_pre_encoded(text.replace('\n', "\r\n").into_bytes(), ContentTransferEncoding::SevenBit);
    }
    Body::new(text)
}

/// A name fit for a header, if anything is left of it: lettre panics on CR and LF.
#[must_use]
pub fn display_name(name: &str) -> Option<String> {
    let name: String = one_line(name).chars().take(LONGEST_NAME).collect();
    let name = name.trim_end();
    if name.is_empty() { None } else { Some(name.to_owned()) }
}

/// Text without line breaks, control and invisible direction characters.
#[must_use]
pub fn one_line(text: &str) -> String {
    let unfit = |c: char| {
        c.is_control()
            || c.is_whitespace()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    text.split(unfit).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::{Sender, display_name, one_line};
    use crate::clients::Contact;
    use crate::render::Content;

    fn content() -> Content {
        Content { subject: "Hello\r\nBcc: evil@example.com".into(), text: "Hi".into(), html: "<p>Hi</p>".into() }
    }

    /// [E1] A name or subject with line breaks or control characters neither panics nor makes a header.
    #[test]
    fn names_with_line_breaks_make_no_header() {
        let sender = Sender::parse("Solvane <no-reply@solvane.test>").unwrap();
        let names = [
            "Ada\r\nBcc: evil@example.com",
            "\n",
            "\r",
            "\0",
            "Ada\u{b}\u{c}\u{85}\u{2028}\u{2029}x",
            "\"Ada\" <x@y>, ",
            "",
            "Ünï çødé \u{202e}gnp.exe",
            "a\tb",
            "=?utf-8?q?x?=",
            "🦆🦆",
            &"é".repeat(300),
            "\\",
            "(",
            ",;:@",
        ];
        for name in names {
            let to = Contact { name: name.to_owned(), email: "ada@example.com".to_owned() };
            let letter = sender.message(Uuid::nil(), &to, content()).unwrap().formatted();
            let text = String::from_utf8(letter).unwrap();
            let head = text.split("\r\n\r\n").next().unwrap();
            assert!(!head.lines().any(|line| line.to_lowercase().starts_with("bcc")), "{name:?}: {head}");
            assert!(head.contains("<00000000-0000-0000-0000-000000000000@solvane.test>"), "{head}");
            assert!(head.contains("Auto-Submitted: auto-generated"), "{head}");
        }
    }

    #[test]
    fn addresses_that_are_none_are_refused() {
        let sender = Sender::parse("Solvane <no-reply@solvane.test>").unwrap();
        for email in ["", "ada", "ada@", "@x", "ada@example.com\r\nRCPT TO:<evil@example.com>", "a b@example.com"] {
            let to = Contact { name: "Ada".to_owned(), email: email.to_owned() };
            assert!(sender.message(Uuid::nil(), &to, content()).is_err(), "{email:?}");
        }
    }

    /// [D-S5] [D-S6] Codes and links stand whole in the source of a mail; what is not plain ASCII is encoded.
    #[test]
    fn plain_text_stands_as_it_is() {
        let link = format!("https://solvane.test/reset-password#token={}", "x".repeat(80));
        for (text, plain) in [
            (format!("Hello,\n{link}\n"), true),
            (format!("Ünï\n{link}\n"), false),
            (format!("a\rb\n{link}\n"), true),
            ("x".repeat(999), false),
        ] {
            let body = super::body(text);
            assert_eq!(body.encoding() == super::ContentTransferEncoding::SevenBit, plain);
            let source = String::from_utf8(body.into_vec()).unwrap();
            assert_eq!(source.contains(&format!("\r\n{link}\r\n")), plain);
            assert!(source.split("\r\n").all(|line| line.len() <= 998 && !line.contains(['\r', '\n'])), "{source:?}");
        }
    }

    #[test]
    fn names_are_cut_and_cleaned() {
        assert_eq!(display_name(" Ada \r\n Lovelace "), Some("Ada Lovelace".to_owned()));
        assert_eq!(display_name("\u{200b}\r\n"), None);
        assert_eq!(display_name(&"x".repeat(101)).map(|name| name.len()), Some(100));
        assert_eq!(one_line("a\u{202e}b"), "a b");
    }
}
