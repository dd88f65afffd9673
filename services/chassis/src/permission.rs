//! The table of staff permissions: which roles have them, and whether they need a fresh second factor (D-O1, D-O7). The
//! services enforce it; the gateway passes a person's permissions to the web app. Also the operations of members that
//! need a fresh second factor (D-A3).

use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::identity::Role;

/// Something that staff of some roles may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "camelCase")]
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
    roles: &'static [Role],
    needs_fresh_factor: bool,
}

const fn reading(roles: &'static [Role]) -> Rule {
    Rule { roles, needs_fresh_factor: false }
}

const fn deciding(roles: &'static [Role]) -> Rule {
    Rule { roles, needs_fresh_factor: true }
}

impl Permission {
    /// Every permission, in the order of the table of rules.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    const fn rule(self) -> Rule {
        use Role::{Admin, Auditor, Manager, Reviewer, Treasurer};
        match self {
            Self::See => reading(Role::ALL),
            Self::Decide => deciding(&[Reviewer]),
            Self::ProposeReversal => deciding(&[Reviewer, Treasurer]),
            Self::PlaceHold => deciding(&[Reviewer]),
            Self::ReleaseHold => deciding(&[Reviewer, Treasurer]),
            Self::RejectPayout => deciding(&[Treasurer]),
            Self::Freeze => deciding(&[Reviewer]),
            Self::WriteNotes => reading(&[Reviewer, Treasurer]),
            Self::AnswerCases => reading(&[Reviewer, Treasurer]),
            Self::Pay => deciding(&[Treasurer]),
            Self::CorrectBalances => deciding(&[Treasurer]),
            Self::ChangeMethods => deciding(&[Treasurer]),
            Self::PublishRates => deciding(&[Treasurer]),
            Self::ChangePlans => deciding(&[Manager]),
            Self::EditCourse => reading(&[Manager]),
            Self::PublishCourse => deciding(&[Manager]),
            Self::SeeStaff => reading(&[Auditor, Admin]),
            Self::ChangeStaff => deciding(&[Admin]),
            Self::SeeAudit => reading(&[Auditor, Admin]),
            Self::SeeJournal => reading(&[Auditor, Admin]),
            Self::ReopenWithdrawals => deciding(&[Treasurer, Admin]),
            Self::PublishLiabilities => reading(&[Treasurer, Auditor, Admin]),
            Self::ReplayDeadLetters => deciding(&[Admin]),
            Self::ResetFactors => deciding(&[Reviewer]),
            Self::Announce => deciding(&[Manager, Admin]),
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
    pub fn as_str(self) -> &'static str {
        self.into()
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

    /// The permissions of a role.
    pub fn of(role: Role) -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(move |permission| permission.roles().contains(&role))
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
        for &role in Role::ALL {
            assert!(!(may(role).contains(&Permission::Decide) && may(role).contains(&Permission::Pay)), "{role:?}");
        }
    }

    /// [D-O1] Signed decisions, proposals and the web app hold these names.
    #[test]
    fn names_of_permissions() {
        let names = "see decide proposeReversal placeHold releaseHold rejectPayout freeze writeNotes answerCases pay \
                     correctBalances changeMethods publishRates changePlans editCourse publishCourse seeStaff changeStaff \
                     seeAudit seeJournal reopenWithdrawals publishLiabilities replayDeadLetters resetFactors announce";
        assert_eq!(Permission::ALL.iter().map(|one| one.as_str()).collect::<Vec<_>>().join(" "), names);
        assert!(names.split(' ').zip(Permission::ALL).all(|(name, one)| name.parse() == Ok(*one)));
        assert!(["", "See", "place_hold", "own"].iter().all(|name| name.parse::<Permission>().is_err()));
    }

    /// [D-O7] Every decision needs a fresh factor; reading, notes and answers do not.
    #[test]
    fn every_decision_needs_a_fresh_factor() {
        let without: Vec<_> =
            Permission::ALL.iter().filter(|one| !one.needs_fresh_factor()).map(|one| one.as_str()).collect();
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
