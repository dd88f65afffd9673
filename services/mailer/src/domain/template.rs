//! The mails there are: one name, one folder under `templates/` each.

use std::str::FromStr;

/// A mail's template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Template {
    /// The code that confirms an address.
    VerificationCode,
    /// The code that confirms where payouts may go.
    DestinationCode,
    /// The link to set a new password.
    ResetLink,
    /// The password was changed or reset.
    PasswordChanged,
    /// A second factor was set up, replaced, removed, or replaced by a recovery code.
    SecondFactorChanged,
    /// To the address in force: another one waits for its code.
    EmailChangeRequested,
    /// To both addresses: the new one is in force.
    EmailChanged,
    /// A sign-in from a device not seen before.
    NewSignIn,
    /// Many sign-ins in a row failed.
    SignInsRefused,
    /// The link by which a new colleague sets a password.
    StaffInvited,
    /// Staff froze the account.
    AccountFrozen,
    /// A deposit waits for review.
    DepositReceived,
    /// A deposit was credited.
    DepositConfirmed,
    /// A deposit was not accepted.
    DepositRejected,
    /// A payment for the course waits for review.
    CoursePaymentReceived,
    /// The course is open.
    CourseUnlocked,
    /// A payment for the course was not accepted.
    CoursePaymentRejected,
    /// A withdrawal waits for review; its amount is held.
    WithdrawalReceived,
    /// A withdrawal will be paid.
    WithdrawalApproved,
    /// A withdrawal was paid.
    WithdrawalPaid,
    /// A withdrawal was not accepted; its amount is free again.
    WithdrawalRejected,
    /// A separate payment of a withdrawal's fee waits for review.
    FeeReceived,
    /// A withdrawal's fee was paid separately.
    FeeConfirmed,
    /// A separate payment of a fee was not accepted.
    FeeRejected,
    /// A bonus was granted.
    BonusGranted,
    /// A bonus became part of the balance.
    BonusReleased,
    /// Staff corrected the balance.
    BalanceAdjusted,
    /// A trade was opened.
    TradeOpened,
    /// A trade was paid out with its profit.
    TradeClaimed,
    /// A trade was closed at its value.
    TradeClosed,
    /// To all staff: a deposit address of the platform changed.
    PlatformMethodChanged,
    /// To all staff: a colleague joined, left or got another role.
    StaffChanged,
    /// To the auditors: the newest signed root of every service.
    RootsOfTheDay,
}

impl Template {
    /// Every template.
    pub const ALL: [Self; 33] = [
        Self::VerificationCode,
        Self::DestinationCode,
        Self::ResetLink,
        Self::PasswordChanged,
        Self::SecondFactorChanged,
        Self::EmailChangeRequested,
        Self::EmailChanged,
        Self::NewSignIn,
        Self::SignInsRefused,
        Self::StaffInvited,
        Self::AccountFrozen,
        Self::DepositReceived,
        Self::DepositConfirmed,
        Self::DepositRejected,
        Self::CoursePaymentReceived,
        Self::CourseUnlocked,
        Self::CoursePaymentRejected,
        Self::WithdrawalReceived,
        Self::WithdrawalApproved,
        Self::WithdrawalPaid,
        Self::WithdrawalRejected,
        Self::FeeReceived,
        Self::FeeConfirmed,
        Self::FeeRejected,
        Self::BonusGranted,
        Self::BonusReleased,
        Self::BalanceAdjusted,
        Self::TradeOpened,
        Self::TradeClaimed,
        Self::TradeClosed,
        Self::PlatformMethodChanged,
        Self::StaffChanged,
        Self::RootsOfTheDay,
    ];

    /// Its name: the folder, and the column `template`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::VerificationCode => "verification_code",
            Self::DestinationCode => "destination_code",
            Self::ResetLink => "reset_link",
            Self::PasswordChanged => "password_changed",
            Self::SecondFactorChanged => "second_factor_changed",
            Self::EmailChangeRequested => "email_change_requested",
            Self::EmailChanged => "email_changed",
            Self::NewSignIn => "new_sign_in",
            Self::SignInsRefused => "sign_ins_refused",
            Self::StaffInvited => "staff_invited",
            Self::AccountFrozen => "account_frozen",
            Self::DepositReceived => "deposit_received",
            Self::DepositConfirmed => "deposit_confirmed",
            Self::DepositRejected => "deposit_rejected",
            Self::CoursePaymentReceived => "course_payment_received",
            Self::CourseUnlocked => "course_unlocked",
            Self::CoursePaymentRejected => "course_payment_rejected",
            Self::WithdrawalReceived => "withdrawal_received",
            Self::WithdrawalApproved => "withdrawal_approved",
            Self::WithdrawalPaid => "withdrawal_paid",
            Self::WithdrawalRejected => "withdrawal_rejected",
            Self::FeeReceived => "fee_received",
            Self::FeeConfirmed => "fee_confirmed",
            Self::FeeRejected => "fee_rejected",
            Self::BonusGranted => "bonus_granted",
            Self::BonusReleased => "bonus_released",
            Self::BalanceAdjusted => "balance_adjusted",
            Self::TradeOpened => "trade_opened",
            Self::TradeClaimed => "trade_claimed",
            Self::TradeClosed => "trade_closed",
            Self::PlatformMethodChanged => "platform_method_changed",
            Self::StaffChanged => "staff_changed",
            Self::RootsOfTheDay => "roots_of_the_day",
        }
    }

    /// Whether the address may be that of somebody who never asked for an account. Such a mail does not carry the name
    /// that was typed at registration, or anybody could send words of their own to any address.
    #[must_use]
    pub const fn may_meet_a_stranger(self) -> bool {
        matches!(self, Self::VerificationCode | Self::ResetLink)
    }
}

impl FromStr for Template {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|one| one.as_str() == text).ok_or_else(|| format!("no mail is called {text}"))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::Template;

    #[test]
    fn names_are_unique_and_read_back() {
        let names: HashSet<_> = Template::ALL.iter().map(|one| one.as_str()).collect();
        assert_eq!(names.len(), Template::ALL.len());
        for template in Template::ALL {
            assert_eq!(template.as_str().parse(), Ok(template));
        }
        assert!("no_such_mail".parse::<Template>().is_err());
    }
}
