//! The roles of staff.

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

/// The role of a staff account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, EnumString, IntoStaticStr, VariantArray)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Role {
    /// Decides deposits, fees and withdrawals; freezes.
    Reviewer,
    /// Pays withdrawals; changes platform methods; grants bonuses and adjusts balances.
    Treasurer,
    /// Manages plans and publishes their values.
    Manager,
    /// Reads everything, changes nothing.
    Auditor,
    /// Manages staff accounts.
    Admin,
}

impl Role {
    /// Every role, in the order shown to staff.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// The name in tokens, on the wire and in the database.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Role;

    /// [D-O1] Tokens, databases and clients hold these names.
    #[test]
    fn names_of_roles() {
        let names = ["reviewer", "treasurer", "manager", "auditor", "admin"];
        assert_eq!(Role::ALL.iter().map(|role| role.as_str()).collect::<Vec<_>>(), names);
        assert_eq!(json!(Role::ALL), json!(names));
        assert!(names.iter().zip(Role::ALL).all(|(name, role)| name.parse() == Ok(*role)));
        assert!(["", "Admin", "owner"].iter().all(|name| name.parse::<Role>().is_err()));
    }
}
