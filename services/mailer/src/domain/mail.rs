//! The email that an event triggers, and its final status.

use chassis::id::UserId;
use std::collections::BTreeMap;

use strum::IntoStaticStr;
use uuid::Uuid;

use super::notice::Facts;
use super::template::Template;

/// The values of a template's placeholders, formatted for reading. Never a secret.
pub type Params = BTreeMap<String, String>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    Account(UserId),
    /// Every live staff account.
    AllStaff,
}

/// A mail that an event asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailRequest {
    pub template: Template,
    pub audience: Audience,
    /// The address, when it must not be the account's own, or the link's, at the time of sending.
    pub address: Option<String>,
    /// Auth returns the code or link for this reference when the mail is sent.
    pub secret_reference: Option<String>,
    pub params: Params,
    /// Staff whom it names, by the name of the parameter.
    pub people: Vec<(&'static str, UserId)>,
    /// What the notice beside it says, if there is one.
    pub facts: Facts,
}

impl MailRequest {
    /// This mail to this account, with nothing else.
    #[must_use]
    pub fn new(template: Template, audience: Audience) -> Self {
        Self {
            template,
            audience,
            address: None,
            secret_reference: None,
            params: Params::new(),
            people: Vec::new(),
            facts: Facts::default(),
        }
    }

    /// With the link of a security mail, if it has one.
    #[must_use]
    pub fn with_link(mut self, reference: String) -> Self {
        self.secret_reference = Some(reference).filter(|reference| !reference.is_empty());
        self
    }

    /// With these facts in the notice beside it.
    #[must_use]
    pub fn noticed(mut self, facts: Facts) -> Self {
        self.facts = facts;
        self
    }

    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.params.insert(name.to_owned(), value.into());
        self
    }
}

/// A mail in the queue, leased to this process.
#[derive(Debug, Clone)]
pub struct Mail {
    /// Its id: the Message-ID of every try.
    pub id: Uuid,
    pub template: Template,
    pub user_id: UserId,
    /// The address, when it is not the account's own.
    pub address: Option<String>,
    /// What auth gives the secret for.
    pub secret_reference: Option<String>,
    pub params: Params,
    /// How often it was tried, this try included. Fences the lease: a later one has a higher number.
    pub tries: i32,
    /// Seconds since the event was taken up.
    pub age_seconds: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum FinalStatus {
    /// The relay accepted it.
    Sent,
    /// Its code or link is used, superseded or past its time.
    Expired,
    /// It can never be delivered, or could not for a day.
    Undeliverable,
}
