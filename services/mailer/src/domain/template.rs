//! The emails of the product. Adding one takes a line here and its folder under `templates/`.

use strum::{EnumString, IntoStaticStr, VariantArray};

use super::notice::Group;

/// A template's name in minijinja, and its source.
pub type Source = (&'static str, &'static str);

macro_rules! templates {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// As text, the name of its folder, and its value in the column `template`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantArray)]
        #[strum(const_into_str)]
        pub enum Template { $($(#[$doc])* #[strum(serialize = $name)] $variant,)* }

        impl Template {
            /// The text with the subject, and the HTML, built into the binary.
            #[must_use]
            pub const fn sources(self) -> [Source; 2] {
                match self {
                    $(Self::$variant => [
                        (concat!($name, "/body.txt"), include_str!(concat!("../../templates/", $name, "/body.txt.j2"))),
                        (concat!($name, "/body.html"), include_str!(concat!("../../templates/", $name, "/body.html.j2"))),
                    ],)*
                }
            }
        }
    };
}

templates! {
    /// The code that confirms an address.
    VerificationCode = "verification_code",
    /// The code that confirms where payouts may go.
    DestinationCode = "destination_code",
    /// The link to set a new password.
    ResetLink = "reset_link",
    /// The password was changed or reset.
    PasswordChanged = "password_changed",
    /// A second factor was set up, replaced, removed, or replaced by a recovery code.
    SecondFactorChanged = "second_factor_changed",
    /// To the address in force: another one waits for its code.
    EmailChangeRequested = "email_change_requested",
    /// To both addresses: the new one is in force.
    EmailChanged = "email_changed",
    /// A login from a device not seen before.
    NewSignIn = "new_sign_in",
    /// Many logins in a row failed.
    SignInsRefused = "sign_ins_refused",
    /// The link by which a new colleague sets a password.
    StaffInvited = "staff_invited",
    AccountFrozen = "account_frozen",
    /// The account closes in a day, unless that is called off.
    AccountClosing = "account_closing",
    /// The account was closed.
    AccountClosed = "account_closed",
    /// A deposit waits for review.
    DepositReceived = "deposit_received",
    /// A payment to us is on a chain, and is not credited yet.
    PaymentSeen = "payment_seen",
    /// A deposit was credited.
    DepositConfirmed = "deposit_confirmed",
    /// A deposit was not accepted.
    DepositRejected = "deposit_rejected",
    /// A payment that was not accepted went back.
    PaymentReturned = "payment_returned",
    /// A payment for the course waits for review.
    CoursePaymentReceived = "course_payment_received",
    /// The course is open.
    CourseUnlocked = "course_unlocked",
    /// The course was paid back, and is closed again.
    CourseRefunded = "course_refunded",
    /// A payment for the course was not accepted.
    CoursePaymentRejected = "course_payment_rejected",
    /// A withdrawal waits for review; its amount is held.
    WithdrawalReceived = "withdrawal_received",
    /// A withdrawal will be paid.
    WithdrawalApproved = "withdrawal_approved",
    WithdrawalPaid = "withdrawal_paid",
    /// A withdrawal was not accepted; its amount is free again.
    WithdrawalRejected = "withdrawal_rejected",
    /// A separate payment of a withdrawal's fee waits for review.
    FeeReceived = "fee_received",
    /// A withdrawal's fee was paid separately.
    FeeConfirmed = "fee_confirmed",
    /// A separate payment of a fee was not accepted.
    FeeRejected = "fee_rejected",
    BonusGranted = "bonus_granted",
    /// A bonus became part of the balance.
    BonusReleased = "bonus_released",
    /// Staff corrected the balance.
    BalanceAdjusted = "balance_adjusted",
    TradeOpened = "trade_opened",
    /// A trade has reached its maturity and waits to be paid out.
    TradeMatured = "trade_matured",
    /// A trade has ended, and its gain waits for the cash of its plan.
    PayoutDelayed = "payout_delayed",
    /// A trade was paid out with its profit.
    TradeClaimed = "trade_claimed",
    /// A trade was closed at its value.
    TradeClosed = "trade_closed",
    /// To all staff: a deposit address of the platform changed.
    PlatformMethodChanged = "platform_method_changed",
    /// To all staff: a colleague joined, left or got another role.
    StaffChanged = "staff_changed",
    /// A case was opened.
    CaseOpened = "case_opened",
    /// Staff answered in a case.
    CaseAnswered = "case_answered",
    /// Staff closed a case.
    CaseClosed = "case_closed",
    /// A case is in the register of complaints.
    ComplaintRegistered = "complaint_registered",
    /// To the auditors: the newest signed root of every service.
    RootsOfTheDay = "roots_of_the_day",
}

impl Template {
    /// Whether the address may belong to somebody who never asked for an account. Such a mail omits the name that was
    /// typed at registration: otherwise anybody could send words of their own to any address.
    #[must_use]
    pub const fn omits_recipient_name(self) -> bool {
        matches!(self, Self::VerificationCode | Self::ResetLink)
    }

    /// What the notice beside the mail is about. There is none beside codes and links, mails to staff, and the receipt of a
    /// request that the member has just sent, unless it takes money out of the account.
    #[must_use]
    pub const fn notice_group(self) -> Option<Group> {
        match self {
            Self::PaymentSeen
            | Self::DepositConfirmed
            | Self::DepositRejected
            | Self::PaymentReturned
            | Self::WithdrawalReceived
            | Self::WithdrawalApproved
            | Self::WithdrawalPaid
            | Self::WithdrawalRejected
            | Self::FeeConfirmed
            | Self::FeeRejected
            | Self::BonusGranted
            | Self::BonusReleased
            | Self::BalanceAdjusted => Some(Group::Money),
            Self::TradeMatured | Self::PayoutDelayed | Self::TradeClaimed | Self::TradeClosed => Some(Group::Plans),
            Self::CourseUnlocked | Self::CourseRefunded | Self::CoursePaymentRejected => Some(Group::Courses),
            Self::CaseAnswered | Self::CaseClosed | Self::ComplaintRegistered => Some(Group::Cases),
            Self::DestinationCode
            | Self::PasswordChanged
            | Self::SecondFactorChanged
            | Self::EmailChangeRequested
            | Self::EmailChanged
            | Self::NewSignIn
            | Self::SignInsRefused
            | Self::AccountFrozen
            | Self::AccountClosing => Some(Group::Security),
            Self::VerificationCode
            | Self::ResetLink
            | Self::StaffInvited
            | Self::AccountClosed
            | Self::DepositReceived
            | Self::CoursePaymentReceived
            | Self::FeeReceived
            | Self::TradeOpened
            | Self::CaseOpened
            | Self::PlatformMethodChanged
            | Self::StaffChanged
            | Self::RootsOfTheDay => None,
        }
    }

    /// The group with which a member can turn the mail off. What protects the account, withdrawals, rejections, returns, corrections,
    /// payouts that wait and registered complaints are mailed in any case.
    #[must_use]
    pub const fn optional_in(self) -> Option<Group> {
        match self {
            Self::DepositReceived
            | Self::PaymentSeen
            | Self::DepositConfirmed
            | Self::FeeReceived
            | Self::FeeConfirmed
            | Self::BonusGranted
            | Self::BonusReleased => Some(Group::Money),
            Self::TradeOpened | Self::TradeMatured | Self::TradeClaimed | Self::TradeClosed => Some(Group::Plans),
            Self::CoursePaymentReceived | Self::CourseUnlocked => Some(Group::Courses),
            Self::CaseOpened | Self::CaseAnswered | Self::CaseClosed => Some(Group::Cases),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::Template;
    use strum::VariantArray;

    #[test]
    fn names_are_unique_and_read_back() {
        let names: HashSet<_> = Template::VARIANTS.iter().map(|one| one.into_str()).collect();
        assert_eq!(names.len(), Template::VARIANTS.len());
        for &template in Template::VARIANTS {
            assert_eq!(template.into_str().parse(), Ok(template));
        }
        assert!("no_such_mail".parse::<Template>().is_err());
    }
}
