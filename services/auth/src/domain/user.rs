//! An account, of a member or of staff.

use chassis::id::UserId;
use chassis::identity::Role;
use time::OffsetDateTime;
use uuid::Uuid;

/// Whether new holders of a role wait before they may decide (D-O5).
#[must_use]
pub const fn waits_before_deciding(role: Role) -> bool {
    matches!(role, Role::Reviewer | Role::Treasurer | Role::Manager)
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    pub id: UserId,
    /// 1 to 100 characters.
    pub name: String,
    /// The address in force.
    pub email: String,
    /// The address a change waits for.
    pub pending_email: Option<String>,
    /// Empty for staff.
    pub phone: String,
    /// Empty for staff.
    pub country: String,
    /// Key of the photo in the object store; empty when there is none.
    pub image_key: String,
    /// In PHC form; unset while an invitation waits.
    pub password_hash: Option<String>,
    /// Unset for members.
    pub role: Option<Role>,
    pub created_at: OffsetDateTime,
    /// When the address was confirmed.
    pub verified_at: Option<OffsetDateTime>,
    /// When staff froze it.
    pub frozen_at: Option<OffsetDateTime>,
    /// When a staff account ended.
    pub disabled_at: Option<OffsetDateTime>,
    /// When a member closed it.
    pub closed_at: Option<OffsetDateTime>,
    /// The address of a closed account that others may use now.
    pub former_email: Option<String>,
    /// When it closes, unless that is called off before.
    pub closes_at: Option<OffsetDateTime>,
}

impl User {
    /// A new account of a member, without a password.
    #[must_use]
    pub fn new(name: String, email: String, created_at: OffsetDateTime) -> Self {
        Self {
            id: Uuid::now_v7().into(),
            name,
            email,
            pending_email: None,
            phone: String::new(),
            country: String::new(),
            image_key: String::new(),
            password_hash: None,
            role: None,
            created_at,
            verified_at: None,
            frozen_at: None,
            disabled_at: None,
            closed_at: None,
            former_email: None,
            closes_at: None,
        }
    }

    /// Whether somebody may log in to it at all.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        self.disabled_at.is_none() && self.closed_at.is_none()
    }

    /// Whether it was invited to this role and its owner has not set a password yet: then it may be invited again.
    #[must_use]
    pub fn waits_for_invitation(&self, role: Role) -> bool {
        self.is_open() && self.role == Some(role) && self.password_hash.is_none()
    }

    /// Whether it belongs to a member.
    #[must_use]
    pub const fn is_member(&self) -> bool {
        self.role.is_none()
    }
}
