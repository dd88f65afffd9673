//! The table of staff permissions: which roles have them, and whether they need a fresh second factor (D-O1, D-O7). The
//! services enforce it; the gateway passes a person's permissions to the web app. Also the operations of members that
//! need a fresh second factor (D-A3).

use crate::identity::Role;

/// Something that staff of some roles may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Permission {
    /// Read members, money, plans, methods, proposals and the books.
    See,
    /// Approve a deposit, fee or withdrawal, or reject one that is not approved.
    Decide,
    /// Propose to reverse a credit.
    ProposeReversal,
    /// Hold a part of a member's balance.
    PlaceHold,
    /// Release a hold that somebody else placed.
    ReleaseHold,
    /// Reject an approved withdrawal: only the person who pays knows whether the payout is on its way.
    RejectPayout,
    /// Freeze and unfreeze members.
    Freeze,
    /// Write notes about members.
    WriteNotes,
    /// Take, answer and close the cases of members.
    AnswerCases,
    /// Mark withdrawals as paid.
    Pay,
    /// Propose and decide a bonus, its release, an adjustment.
    CorrectBalances,
    /// Propose and decide platform methods.
    ChangeMethods,
    /// Propose and decide rates.
    PublishRates,
    /// Propose and decide plans and values.
    ChangePlans,
    /// Write the draft of the course.
    EditCourse,
    /// Publish a version of the course, or go back to one.
    PublishCourse,
    /// Read the staff accounts.
    SeeStaff,
    /// Propose and decide who is staff, and in which role.
    ChangeStaff,
    /// Read the audit log.
    SeeAudit,
    /// Read the journal.
    SeeJournal,
    /// Propose and decide the end of a stop of withdrawals.
    ReopenWithdrawals,
    /// Publish the liabilities at once.
    PublishLiabilities,
    /// Replay dead letters.
    ReplayDeadLetters,
    /// Propose and decide to remove the lost second factors of members.
    ResetFactors,
    /// Propose and decide announcements to all members, and end them.
    Announce,
}

/// A row of the table.
struct Rule {
    name: &'static str,
    roles: &'static [Role],
    needs_fresh_factor: bool,
}

const fn reading(name: &'static str, roles: &'static [Role]) -> Rule {
    Rule { name, roles, needs_fresh_factor: false }
}

const fn deciding(name: &'static str, roles: &'static [Role]) -> Rule {
    Rule { name, roles, needs_fresh_factor: true }
}

impl Permission {
    /// Every permission, in the order of the table of rules.
    pub const ALL: [Self; 25] = [
        Self::See,
        Self::Decide,
        Self::ProposeReversal,
        Self::PlaceHold,
        Self::ReleaseHold,
        Self::RejectPayout,
        Self::Freeze,
        Self::WriteNotes,
        Self::AnswerCases,
        Self::Pay,
        Self::CorrectBalances,
        Self::ChangeMethods,
        Self::PublishRates,
        Self::ChangePlans,
        Self::EditCourse,
        Self::PublishCourse,
        Self::SeeStaff,
        Self::ChangeStaff,
        Self::SeeAudit,
        Self::SeeJournal,
        Self::ReopenWithdrawals,
        Self::PublishLiabilities,
        Self::ReplayDeadLetters,
        Self::ResetFactors,
        Self::Announce,
    ];

    const fn rule(self) -> Rule {
        use Role::{Admin, Auditor, Manager, Reviewer, Treasurer};
        match self {
            Self::See => reading("see", &Role::ALL),
            Self::Decide => deciding("decide", &[Reviewer]),
            Self::ProposeReversal => deciding("proposeReversal", &[Reviewer, Treasurer]),
            Self::PlaceHold => deciding("placeHold", &[Reviewer]),
            Self::ReleaseHold => deciding("releaseHold", &[Reviewer, Treasurer]),
            Self::RejectPayout => deciding("rejectPayout", &[Treasurer]),
            Self::Freeze => deciding("freeze", &[Reviewer]),
            Self::WriteNotes => reading("writeNotes", &[Reviewer, Treasurer]),
            Self::AnswerCases => reading("answerCases", &[Reviewer, Treasurer]),
            Self::Pay => deciding("pay", &[Treasurer]),
            Self::CorrectBalances => deciding("correctBalances", &[Treasurer]),
            Self::ChangeMethods => deciding("changeMethods", &[Treasurer]),
            Self::PublishRates => deciding("publishRates", &[Treasurer]),
            Self::ChangePlans => deciding("changePlans", &[Manager]),
            Self::EditCourse => reading("editCourse", &[Manager]),
            Self::PublishCourse => deciding("publishCourse", &[Manager]),
            Self::SeeStaff => reading("seeStaff", &[Auditor, Admin]),
            Self::ChangeStaff => deciding("changeStaff", &[Admin]),
            Self::SeeAudit => reading("seeAudit", &[Auditor, Admin]),
            Self::SeeJournal => reading("seeJournal", &[Auditor, Admin]),
            Self::ReopenWithdrawals => deciding("reopenWithdrawals", &[Treasurer, Admin]),
            Self::PublishLiabilities => reading("publishLiabilities", &[Treasurer, Auditor, Admin]),
            Self::ReplayDeadLetters => deciding("replayDeadLetters", &[Admin]),
            Self::ResetFactors => deciding("resetFactors", &[Reviewer]),
            Self::Announce => deciding("announce", &[Manager, Admin]),
        }
    }

    /// The roles that have it.
    #[must_use]
    pub const fn roles(self) -> &'static [Role] {
        self.rule().roles
    }

    /// Whether using it takes a second factor that was given within the last minutes.
    #[must_use]
    pub const fn needs_fresh_factor(self) -> bool {
        self.rule().needs_fresh_factor
    }

    /// Its name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.rule().name
    }

    /// The permission that making and deciding a proposal of this kind takes.
    #[must_use]
    pub fn of_proposal(kind: &str) -> Self {
        match kind.split('.').next() {
            Some("plan") => Self::ChangePlans,
            Some("payment_method") => Self::ChangeMethods,
            Some("rate") => Self::PublishRates,
            Some("staff") => Self::ChangeStaff,
            Some("factors") => Self::ResetFactors,
            Some("announcement") => Self::Announce,
            Some("withdrawals") => Self::ReopenWithdrawals,
            _ => Self::CorrectBalances,
        }
    }

    /// The permission that making a proposal of this kind takes, which its proposer must still have when it is confirmed.
    #[must_use]
    pub fn to_propose(kind: &str) -> Self {
        if kind == "reversal" { Self::ProposeReversal } else { Self::of_proposal(kind) }
    }

    /// The permission with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.as_str() == name)
    }

    /// The permissions of a role.
    pub fn of(role: Role) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(move |permission| permission.roles().contains(&role))
    }
}

/// Something that members do with their money or their account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MemberAct {
    /// Pay a deposit or a separate fee.
    PayIn,
    /// Request a withdrawal.
    Withdraw,
    /// Say where an open withdrawal goes, or save or change an address for later ones.
    SetDestination,
    /// Delete a saved address.
    DeleteDestination,
    /// Open, claim or close a trade.
    Trade,
    /// Buy the course from the balance.
    BuyCourse,
    /// Change name, phone, country or photo.
    ChangeDetails,
    /// Ask for another email.
    ChangeEmail,
    /// Change the password.
    ChangePassword,
    /// Add, replace or remove a second factor.
    ChangeFactors,
    /// Download everything that is kept about them.
    Export,
    /// Close the account.
    CloseAccount,
}

impl MemberAct {
    /// Whether members who have a second factor give it for this, within the last minutes.
    #[must_use]
    pub const fn needs_fresh_factor(self) -> bool {
        match self {
            Self::Withdraw
            | Self::SetDestination
            | Self::ChangeEmail
            | Self::ChangePassword
            | Self::ChangeFactors
            | Self::Export
            | Self::CloseAccount => true,
            Self::PayIn | Self::DeleteDestination | Self::Trade | Self::BuyCourse | Self::ChangeDetails => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MemberAct, Permission};
    use crate::identity::Role;

    /// [D-O1] An auditor changes nothing, an admin moves no money, and no role both approves and pays.
    #[test]
    fn duties_are_separate() {
        let may = |role| Permission::of(role).collect::<Vec<_>>();
        assert_eq!(
            may(Role::Auditor),
            [
                Permission::See,
                Permission::SeeStaff,
                Permission::SeeAudit,
                Permission::SeeJournal,
                Permission::PublishLiabilities
            ]
        );
        let money = [Permission::Decide, Permission::Pay, Permission::CorrectBalances, Permission::ChangeMethods];
        assert!(may(Role::Admin).iter().all(|permission| !money.contains(permission)));
        for role in Role::ALL {
            assert!(!(may(role).contains(&Permission::Decide) && may(role).contains(&Permission::Pay)), "{role:?}");
        }
    }

    /// [D-O7] Every decision needs a fresh factor; reading, notes and answers do not.
    #[test]
    fn every_decision_needs_a_fresh_factor() {
        let without: Vec<_> =
            Permission::ALL.into_iter().filter(|one| !one.needs_fresh_factor()).map(Permission::as_str).collect();
        assert_eq!(
            without,
            [
                "see",
                "writeNotes",
                "answerCases",
                "editCourse",
                "seeStaff",
                "seeAudit",
                "seeJournal",
                "publishLiabilities"
            ]
        );
    }

    /// [D-A3] [D-A12] Withdrawals, destinations, email, password, the factors, the download of all data and closing the
    /// account take a fresh factor; paying in, trading and the rest do not.
    #[test]
    fn what_members_do_with_a_fresh_factor() {
        use MemberAct::{
            BuyCourse, ChangeDetails, ChangeEmail, ChangeFactors, ChangePassword, CloseAccount, DeleteDestination,
            Export, PayIn, SetDestination, Trade, Withdraw,
        };
        let with = [Withdraw, SetDestination, ChangeEmail, ChangePassword, ChangeFactors, Export, CloseAccount];
        assert!(with.into_iter().all(MemberAct::needs_fresh_factor));
        let without = [PayIn, DeleteDestination, Trade, BuyCourse, ChangeDetails];
        assert!(!without.into_iter().any(MemberAct::needs_fresh_factor));
    }
}
