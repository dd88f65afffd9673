//! Who may do what: one table for every service (D-O1).

use crate::caller::Role;

/// Something that staff of some roles may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    /// Look at members, money, plans, methods, proposals and the books.
    See,
    /// Approve and reject deposits, fees and withdrawals.
    Decide,
    /// Freeze members and free them.
    Freeze,
    /// Write notes about members.
    WriteNotes,
    /// Mark withdrawals as paid.
    Pay,
    /// Bonus, its release, adjustments.
    CorrectBalances,
    /// Platform methods.
    ChangeMethods,
    /// Plans and values.
    ChangePlans,
    /// Look at the staff accounts.
    SeeStaff,
    /// Invite staff and end their accounts.
    ChangeStaff,
    /// Read the trail.
    SeeAudit,
    /// Propose to open withdrawals again, and confirm it.
    ReopenWithdrawals,
    /// Let events take effect after all.
    ReplayDeadLetters,
}

impl Permission {
    /// Every permission.
    pub const ALL: [Self; 13] = [
        Self::See,
        Self::Decide,
        Self::Freeze,
        Self::WriteNotes,
        Self::Pay,
        Self::CorrectBalances,
        Self::ChangeMethods,
        Self::ChangePlans,
        Self::SeeStaff,
        Self::ChangeStaff,
        Self::SeeAudit,
        Self::ReopenWithdrawals,
        Self::ReplayDeadLetters,
    ];

    /// Who may.
    #[must_use]
    pub const fn roles(self) -> &'static [Role] {
        match self {
            Self::See => &Role::ALL,
            Self::Decide | Self::Freeze => &[Role::Reviewer],
            Self::WriteNotes => &[Role::Reviewer, Role::Treasurer],
            Self::Pay | Self::CorrectBalances | Self::ChangeMethods => &[Role::Treasurer],
            Self::ChangePlans => &[Role::Manager],
            Self::SeeStaff | Self::SeeAudit => &[Role::Auditor, Role::Admin],
            Self::ChangeStaff | Self::ReplayDeadLetters => &[Role::Admin],
            Self::ReopenWithdrawals => &[Role::Treasurer, Role::Admin],
        }
    }

    /// Its name, as the web app knows it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::See => "see",
            Self::Decide => "decide",
            Self::Freeze => "freeze",
            Self::WriteNotes => "writeNotes",
            Self::Pay => "pay",
            Self::CorrectBalances => "correctBalances",
            Self::ChangeMethods => "changeMethods",
            Self::ChangePlans => "changePlans",
            Self::SeeStaff => "seeStaff",
            Self::ChangeStaff => "changeStaff",
            Self::SeeAudit => "seeAudit",
            Self::ReopenWithdrawals => "reopenWithdrawals",
            Self::ReplayDeadLetters => "replayDeadLetters",
        }
    }

    /// What a role may do.
    pub fn of(role: Role) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(move |permission| permission.roles().contains(&role))
    }
}

#[cfg(test)]
mod tests {
    use super::Permission;
    use crate::caller::Role;

    /// [D-O1] An auditor changes nothing, an admin moves no money, and nobody both approves and pays.
    #[test]
    fn duties_are_separate() {
        let may = |role| Permission::of(role).collect::<Vec<_>>();
        assert_eq!(may(Role::Auditor), [Permission::See, Permission::SeeStaff, Permission::SeeAudit]);
        let money = [Permission::Decide, Permission::Pay, Permission::CorrectBalances, Permission::ChangeMethods];
        assert!(may(Role::Admin).iter().all(|permission| !money.contains(permission)));
        for role in Role::ALL {
            assert!(!(may(role).contains(&Permission::Decide) && may(role).contains(&Permission::Pay)), "{role:?}");
        }
    }
}
