//! Events of auth.

use chassis::id::UserId;
use mailer::domain::template::Template;
use proto::auth::v1 as auth;

use crate::fixture::event;
use crate::samples::{Encode, Sample};

pub(super) fn auth_samples(id: UserId) -> Vec<Sample> {
    let user_id = id.to_string();
    let reference = |name: &str| name.to_owned();
    let one = |key: &str, message: &dyn Encode, template, facts| Sample {
        event: message.event(key),
        mails: vec![(template, None)],
        facts,
    };
    let code = auth::VerificationCodeIssued { reference: reference("code"), user_id: user_id.clone() };
    let destination = auth::DestinationCodeIssued {
        reference: reference("destination-code"),
        user_id: user_id.clone(),
        currency: "XRP".to_owned(),
        network: "Ripple".to_owned(),
        address: "rADDRESSxxxxxxxxxxxxxxx".to_owned(),
        memo: "77".to_owned(),
    };
    let reset = auth::PasswordResetRequested { reference: reference("reset"), user_id: user_id.clone() };
    let role = "reviewer".to_owned();
    let invited = auth::StaffInvited { reference: reference("invitation"), user_id: user_id.clone(), role };
    let (old_email, new_email) = ("old@example.com".to_owned(), "new@example.com".to_owned());
    let requested = auth::EmailChangeRequested {
        user_id: user_id.clone(),
        old_email: old_email.clone(),
        new_email: new_email.clone(),
        link_reference: reference("not-me-1"),
    };
    let changed = auth::EmailChanged {
        user_id: user_id.clone(),
        old_email,
        new_email,
        undo_reference: reference("undo"),
        link_reference: reference("not-me-2"),
    };
    let changed_before =
        auth::EmailChanged { undo_reference: String::new(), link_reference: String::new(), ..changed.clone() };
    let factor = |change: &str| auth::SecondFactorChanged {
        user_id: user_id.clone(),
        change: change.to_owned(),
        device: "Firefox on Linux".to_owned(),
        address_block: "203.0.113.0/24".to_owned(),
        recovery_codes_left: 7,
        due_at: Some(chassis::clock::to_proto(time::macros::datetime!(2026-11-08 14:05 UTC))),
        link_reference: reference("not-me-5"),
    };
    let factor_before = auth::SecondFactorChanged { link_reference: String::new(), ..factor("authenticator_added") };
    let device = auth::NewDeviceSignedIn {
        user_id: user_id.clone(),
        device: "Firefox on Linux".to_owned(),
        address_block: "203.0.113.0/24".to_owned(),
        link_reference: reference("not-me-3"),
    };
    vec![
        one(
            "auth.v1.verification_code_issued",
            &code,
            Template::VerificationCode,
            &["123456", "https://solvane.test/verify?email=ada%40example.com", "It works once, until"],
        ),
        one(
            "auth.v1.destination_code_issued",
            &destination,
            Template::DestinationCode,
            &[
                "654321",
                "XRP (Ripple)",
                "rADDRESSxxxxxxxxxxxxxxx",
                "77",
                "https://solvane.test/not-me#token=Not-Me-Token_5",
                "This was not me",
            ],
        ),
        one(
            "auth.v1.password_reset_requested",
            &reset,
            Template::ResetLink,
            // [F21] The page names the account to a password manager.
            &[
                "https://solvane.test/reset-password#token=Reset-Token_1",
                "email=ada%40example.com",
                "did not request this",
            ],
        ),
        one(
            "auth.v1.staff_invited",
            &invited,
            Template::StaffInvited,
            &[
                "https://solvane.test/reset-password#token=Invite-Token_1",
                "email=ada%40example.com",
                "reviewer",
                "ada@example.com",
            ],
        ),
        one(
            "auth.v1.password_changed",
            &auth::PasswordChanged { user_id: user_id.clone(), link_reference: reference("not-me-4") },
            Template::PasswordChanged,
            &["November 5, 2026 at 2:05 PM UTC", "https://solvane.test/not-me#token=Not-Me-Token_4", "This was not me"],
        ),
        one(
            "auth.v1.password_changed",
            &auth::PasswordChanged { user_id: user_id.clone(), link_reference: String::new() },
            Template::PasswordChanged,
            &["November 5, 2026 at 2:05 PM UTC", "https://solvane.test/forgot-password"],
        ),
        one(
            "auth.v1.second_factor_changed",
            &factor("authenticator_added"),
            Template::SecondFactorChanged,
            &[
                "An authenticator app was set up",
                "Firefox on Linux",
                "203.0.113.0/24",
                "stay logged in",
                "https://solvane.test/not-me#token=Not-Me-Token_6",
                "This was not me",
            ],
        ),
        one(
            "auth.v1.second_factor_changed",
            &factor_before,
            Template::SecondFactorChanged,
            &["An authenticator app was set up", "https://solvane.test/forgot-password"],
        ),
        one(
            "auth.v1.second_factor_changed",
            &factor("authenticator_replaced"),
            Template::SecondFactorChanged,
            &["replaced by another one"],
        ),
        one(
            "auth.v1.second_factor_changed",
            &factor("authenticator_removed"),
            Template::SecondFactorChanged,
            &["was removed", "keep working"],
        ),
        one(
            "auth.v1.second_factor_changed",
            &factor("passkey_added"),
            Template::SecondFactorChanged,
            &["A passkey was added", "Firefox on Linux", "without your password"],
        ),
        one(
            "auth.v1.second_factor_changed",
            &factor("passkey_removed"),
            Template::SecondFactorChanged,
            &["A passkey was removed", "keep working"],
        ),
        one(
            "auth.v1.second_factor_changed",
            &factor("recovery_codes_replaced"),
            Template::SecondFactorChanged,
            &["New recovery codes", "no longer work"],
        ),
        one(
            "auth.v1.second_factor_changed",
            &factor("recovery_code_used"),
            Template::SecondFactorChanged,
            &["A recovery code was used", "7 are left"],
        ),
        one(
            "auth.v1.second_factor_changed",
            &factor("reset_scheduled"),
            Template::SecondFactorChanged,
            &["reported as lost", "on November 8, 2026 at 2:05 PM UTC", "cancels the removal", "#token=Not-Me-Token_6"],
        ),
        one(
            "auth.v1.second_factor_changed",
            &factor("reset_called_off"),
            Template::SecondFactorChanged,
            &["was cancelled", "stays on"],
        ),
        one(
            "auth.v1.second_factor_changed",
            &factor("removed_by_staff"),
            Template::SecondFactorChanged,
            &["removed by our team", "Every session was ended"],
        ),
        Sample {
            event: event("auth.v1.email_change_requested", &requested),
            mails: vec![(Template::EmailChangeRequested, Some("old@example.com"))],
            facts: &["new@example.com", "Nothing has changed yet", "https://solvane.test/not-me#token=Not-Me-Token_1"],
        },
        Sample {
            event: event("auth.v1.email_changed", &changed),
            mails: vec![
                (Template::EmailChanged, Some("old@example.com")),
                (Template::EmailChanged, Some("new@example.com")),
            ],
            facts: &["old@example.com", "new@example.com", "#token=Undo-Or-Not-Me"],
        },
        Sample {
            event: event("auth.v1.email_changed", &changed_before),
            mails: vec![
                (Template::EmailChanged, Some("old@example.com")),
                (Template::EmailChanged, Some("new@example.com")),
            ],
            facts: &["old@example.com", "new@example.com", "contact support"],
        },
        one(
            "auth.v1.new_device_signed_in",
            &device,
            Template::NewSignIn,
            &["Firefox on Linux", "203.0.113.0/24", "https://solvane.test/not-me#token=Not-Me-Token_3"],
        ),
        one(
            "auth.v1.sign_ins_refused",
            &auth::SignInsRefused {
                user_id: user_id.clone(),
                count: 10,
                device: "Firefox on Linux".to_owned(),
                address_block: "203.0.113.0/24".to_owned(),
                link_reference: String::new(),
            },
            Template::SignInsRefused,
            &["10 times in a row", "Firefox on Linux", "203.0.113.0/24", "https://solvane.test/forgot-password"],
        ),
        one(
            "auth.v1.sign_ins_refused",
            &auth::SignInsRefused {
                user_id: user_id.clone(),
                count: 10,
                device: "Firefox on Linux".to_owned(),
                address_block: "203.0.113.0/24".to_owned(),
                link_reference: device.link_reference.clone(),
            },
            Template::SignInsRefused,
            &["10 wrong passwords", "ended that session", "https://solvane.test/not-me#token=Not-Me-Token_3"],
        ),
        one(
            "auth.v1.account_frozen",
            &auth::AccountFrozen { user_id: user_id.clone() },
            Template::AccountFrozen,
            &["stays yours"],
        ),
        one(
            "auth.v1.account_closing",
            &auth::AccountClosing {
                user_id: user_id.clone(),
                closes_at: Some(chassis::clock::to_proto(time::macros::datetime!(2026-11-27 09:30 UTC))),
                link_reference: reference("closing"),
            },
            Template::AccountClosing,
            &["November 27, 2026 at 9:30 AM UTC", "https://solvane.test/profile", "https://solvane.test/not-me#token="],
        ),
        Sample {
            event: event(
                "auth.v1.account_closed",
                &auth::AccountClosed { user_id, email: "old@example.com".to_owned() },
            ),
            mails: vec![(Template::AccountClosed, Some("old@example.com"))],
            facts: &["nobody can log in", "After 30 days", "https://solvane.test/privacy"],
        },
    ]
}
