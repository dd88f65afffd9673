//! Notices: what a member reads in the app about an event.

use chassis::id::UserId;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};
use time::OffsetDateTime;

use super::mail::{Audience, MailRequest};
use super::template::Template;

chassis::id! {
    /// A notice in the app.
    NoticeId,
}

/// What a notice, or a mail, is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Group {
    Money,
    Plans,
    Courses,
    Cases,
    Security,
}

impl Group {
    /// The kinds of its notices, or of all without a group, as the column `kind` names them.
    #[must_use]
    pub fn kinds(group: Option<Self>) -> Vec<String> {
        let is_of = |template: &Template| template.notice_group().is_some_and(|own| group.is_none_or(|one| one == own));
        Template::VARIANTS
            .iter()
            .filter(|template| is_of(template))
            .map(|template| template.into_str().to_owned())
            .collect()
    }
}

/// What a notice says, as data: the app has the words.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Facts {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub transaction_id: String,
    #[serde(skip_serializing_if = "is_zero")]
    pub amount_cents: i64,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub plan: String,
    /// The sentence of staff.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub device: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub address_block: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub change: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub case_id: String,
    #[serde(skip_serializing_if = "is_zero")]
    pub case_number: i64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(number: &i64) -> bool {
    *number == 0
}

/// A notice that an event asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoticeRequest {
    pub user_id: UserId,
    pub kind: Template,
    pub facts: Facts,
}

impl NoticeRequest {
    /// The notice beside the mails of an event: one, however many mails there are.
    #[must_use]
    pub fn beside(mails: &[MailRequest]) -> Option<Self> {
        mails.iter().find_map(|mail| match mail.audience {
            Audience::Account(user_id) if mail.template.notice_group().is_some() => {
                Some(Self { user_id, kind: mail.template, facts: mail.facts.clone() })
            }
            _ => None,
        })
    }
}

/// A notice of a member.
#[derive(Debug, Clone)]
pub struct Notice {
    pub id: NoticeId,
    pub kind: Template,
    pub facts: Facts,
    pub occurred_at: OffsetDateTime,
    pub read_at: Option<OffsetDateTime>,
}

/// The groups that a member does not want, by the way they come.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Preferences {
    pub mail_off: Vec<Group>,
    pub push_off: Vec<Group>,
}

/// Which notices a member has read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Read {
    One(NoticeId),
    /// This one and all older ones.
    UpTo(NoticeId),
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Group, Template};
    use strum::VariantArray;

    /// [D-M7] The document of the API lists every kind.
    #[test]
    fn the_document_lists_every_kind() {
        let document: Value = serde_json::from_str(include_str!("../../../../gateway/openapi.json")).unwrap();
        assert_eq!(document["components"]["schemas"]["NoticeKind"]["enum"], json!(Group::kinds(None)));
    }

    /// [D-M7] Nothing that protects the account can be turned off.
    #[test]
    fn mails_about_security_cannot_be_turned_off() {
        for &template in Template::VARIANTS {
            assert_ne!(template.optional_in(), Some(Group::Security), "{template:?}");
            if template.notice_group() == Some(Group::Security) {
                assert_eq!(template.optional_in(), None, "{template:?}");
            }
        }
    }
}
