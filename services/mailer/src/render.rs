//! From a template and what it says to subject, text and HTML.

use std::collections::BTreeMap;

use anyhow::bail;
use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, UndefinedBehavior, Value};
use time::OffsetDateTime;
use time::format_description::StaticFormatDescription;
use time::macros::format_description;

use crate::domain::mail::Params;
use crate::domain::template::Template;

/// The three templates of every mail, by name, built into the binary.
macro_rules! sources {
    ($($name:literal)*) => {
        [$(
            (concat!($name, "/subject.txt"), include_str!(concat!("../templates/", $name, "/subject.txt.j2"))),
            (concat!($name, "/body.txt"), include_str!(concat!("../templates/", $name, "/body.txt.j2"))),
            (concat!($name, "/body.html"), include_str!(concat!("../templates/", $name, "/body.html.j2"))),
        )*]
    };
}

/// What all mails share.
const SHARED: [(&str, &str); 4] = [
    ("layout.txt", include_str!("../templates/layout.txt.j2")),
    ("layout.html", include_str!("../templates/layout.html.j2")),
    ("parts.html", include_str!("../templates/parts.html.j2")),
    ("security.txt", include_str!("../templates/security.txt.j2")),
];

const SOURCES: [(&str, &str); 3 * Template::ALL.len()] = sources! {
    "verification_code" "destination_code" "reset_link" "password_changed" "second_factor_changed" "email_change_requested"
    "email_changed" "new_sign_in" "sign_ins_refused" "staff_invited" "account_frozen"
    "deposit_received" "deposit_confirmed" "deposit_rejected"
    "course_payment_received" "course_unlocked" "course_payment_rejected"
    "withdrawal_received" "withdrawal_approved" "withdrawal_paid" "withdrawal_rejected"
    "fee_received" "fee_confirmed" "fee_rejected"
    "bonus_granted" "bonus_released" "balance_adjusted"
    "trade_opened" "trade_claimed" "trade_closed"
    "platform_method_changed" "staff_changed" "roots_of_the_day"
};

const MOMENT: StaticFormatDescription =
    format_description!("[day padding:none] [month repr:long] [year], [hour]:[minute] UTC");

/// A mail as it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// One line.
    pub subject: String,
    /// The plain text.
    pub text: String,
    /// The same as HTML.
    pub html: String,
}

/// Every template, compiled.
pub struct Renderer(Environment<'static>);

impl Renderer {
    /// Compiles the templates; every link begins with the public url.
    ///
    /// # Errors
    /// If the url is none that can stand in HTML as it is, or a template cannot be compiled.
    pub fn new(public_url: &str) -> anyhow::Result<Self> {
        let fit = |c: char| c.is_ascii_alphanumeric() || "-._~:/[]%".contains(c);
        if !public_url.starts_with("http") || !public_url.contains("://") || !public_url.chars().all(fit) {
            bail!("PUBLIC_URL must be a plain http or https url");
        }
        let mut environment = Environment::new();
        // A mail that lacks a fact must not go out with a gap.
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        let syntax =
            SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true).build()?;
        environment.set_syntax(syntax);
        environment.add_global("site", Value::from_safe_string(public_url.trim_end_matches('/').to_owned()));
        for (name, source) in SHARED.into_iter().chain(SOURCES) {
            environment.add_template(name, source)?;
        }
        Ok(Self(environment))
    }

    /// Writes a mail.
    ///
    /// # Errors
    /// If the template asks for something that `params` does not have.
    pub fn render(&self, template: Template, params: &Params) -> Result<Content, minijinja::Error> {
        let mut context: BTreeMap<&str, Value> =
            params.iter().map(|(name, value)| (name.as_str(), Value::from(value))).collect();
        let part = |name: &str, context: &BTreeMap<&str, Value>| {
            self.0.get_template(&format!("{}/{name}", template.as_str()))?.render(context)
        };
        let subject = part("subject.txt", &context)?.trim().to_owned();
        context.insert("subject", Value::from(&subject));
        Ok(Content { text: part("body.txt", &context)?, html: part("body.html", &context)?, subject })
    }
}

/// A moment as mails write it: `21 November 2026, 14:05 UTC`.
#[must_use]
pub fn moment(at: OffsetDateTime) -> String {
    at.to_offset(time::UtcOffset::UTC).format(MOMENT).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::{Renderer, SOURCES, moment};
    use crate::domain::mail::Params;
    use crate::domain::template::Template;

    /// [D-E2] Every mail has its folder: subject, text and HTML.
    #[test]
    fn every_mail_has_its_templates() {
        for template in Template::ALL {
            for part in ["subject.txt", "body.txt", "body.html"] {
                let name = format!("{}/{part}", template.as_str());
                assert!(SOURCES.iter().any(|(known, _)| *known == name), "{name}");
            }
        }
    }

    /// [D-E2] A mail that lacks a fact is refused, never sent with a gap.
    #[test]
    fn a_missing_fact_is_refused() {
        let renderer = Renderer::new("https://solvane.test/").unwrap();
        for template in Template::ALL {
            assert!(renderer.render(template, &Params::new()).is_err(), "{}", template.as_str());
        }
    }

    /// [D-G6] Moments are written in UTC.
    #[test]
    fn moments_are_utc() {
        assert_eq!(moment(datetime!(2026-11-05 23:30 -02:00)), "6 November 2026, 01:30 UTC");
    }
}
