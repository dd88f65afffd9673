//! Events of auth.

use chassis::id::UserId;
use mailer::domain::template::Template;
use proto::auth::v1 as auth;

use crate::fixture::event;
use crate::samples::{Encode, Sample};

pub(super) fn auth_samples(id: UserId) -> Vec<Sample> {
    let mut all = code_and_password_samples(id);
    all.extend(second_factor_samples(id));
    all.extend(email_samples(id));
    all.extend(login_and_account_samples(id));
    all
}

fn one(key: &str, message: &dyn Encode, template: Template, facts: &'static [&'static str]) -> Sample {
    Sample { event: message.event(key), mails: vec![(template, None)], facts }
}

fn code_and_password_samples(id: UserId) -> Vec<Sample> {
    let user_id = id.to_string();
    let code = auth::VerificationCodeIssued { reference: "code".to_owned(), user_id: user_id.clone() };
    let destination = auth::DestinationCodeIssued {
        reference: "destination-code".to_owned(),
        user_id: user_id.clone(),
        currency: "XRP".to_owned(),
        network: "Ripple".to_owned(),
        address: "rADDRESSxxxxxxxxxxxxxxx".to_owned(),
        memo: "77".to_owned(),
    };
    let reset = auth::PasswordResetRequested { reference: "reset".to_owned(), user_id: user_id.clone() };
    let role = "reviewer".to_owned();
    let invited = auth::StaffInvited { reference: "invitation".to_owned(), user_id: user_id.clone(), role };
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
            &auth::PasswordChanged { user_id: user_id.clone(), link_reference: "not-me-4".to_owned() },
            Template::PasswordChanged,
            &["November 5, 2026 at 2:05 PM UTC", "https://solvane.test/not-me#token=Not-Me-Token_4", "This was not me"],
        ),
        one(
            "auth.v1.password_changed",
            &auth::PasswordChanged { user_id: user_id.clone(), link_reference: String::new() },
            Template::PasswordChanged,
            &["November 5, 2026 at 2:05 PM UTC", "https://solvane.test/forgot-password"],
        ),
    ]
}

fn second_factor_samples(id: UserId) -> Vec<Sample> {
    let factor = |change: &str| auth::SecondFactorChanged {
        user_id: id.to_string(),
        change: change.to_owned(),
        device: "Firefox on Linux".to_owned(),
        address_block: "203.0.113.0/24".to_owned(),
        recovery_codes_left: 7,
        due_at: Some(chassis::clock::to_proto(time::macros::datetime!(2026-11-08 14:05 UTC))),
        link_reference: "not-me-5".to_owned(),
    };
    let without_link = auth::SecondFactorChanged { link_reference: String::new(), ..factor("authenticator_added") };
    let samples: [(_, &[&str]); 11] = [
        (
            factor("authenticator_added"),
            &[
                "An authenticator app was set up",
                "Firefox on Linux",
                "203.0.113.0/24",
                "stay logged in",
                "https://solvane.test/not-me#token=Not-Me-Token_6",
                "This was not me",
            ],
        ),
        (without_link, &["An authenticator app was set up", "https://solvane.test/forgot-password"]),
        (factor("authenticator_replaced"), &["replaced by another one"]),
        (factor("authenticator_removed"), &["was removed", "keep working"]),
        (factor("passkey_added"), &["A passkey was added", "Firefox on Linux", "without your password"]),
        (factor("passkey_removed"), &["A passkey was removed", "keep working"]),
        (factor("recovery_codes_replaced"), &["New recovery codes", "no longer work"]),
        (factor("recovery_code_used"), &["A recovery code was used", "7 are left"]),
        (
            factor("reset_scheduled"),
            &["reported as lost", "on November 8, 2026 at 2:05 PM UTC", "cancels the removal", "#token=Not-Me-Token_6"],
        ),
        (factor("reset_called_off"), &["was cancelled", "stays on"]),
        (factor("removed_by_staff"), &["removed by our team", "Every session was ended"]),
    ];
    let sample =
        |(message, facts)| one("auth.v1.second_factor_changed", &message, Template::SecondFactorChanged, facts);
    samples.map(sample).into()
}

fn email_samples(id: UserId) -> Vec<Sample> {
    let user_id = id.to_string();
    let (old_email, new_email) = ("old@example.com".to_owned(), "new@example.com".to_owned());
    let requested = auth::EmailChangeRequested {
        user_id: user_id.clone(),
        old_email: old_email.clone(),
        new_email: new_email.clone(),
        link_reference: "not-me-1".to_owned(),
    };
    let changed = auth::EmailChanged {
        user_id,
        old_email,
        new_email,
        undo_reference: "undo".to_owned(),
        link_reference: "not-me-2".to_owned(),
    };
    let changed_before =
        auth::EmailChanged { undo_reference: String::new(), link_reference: String::new(), ..changed.clone() };
    let both =
        || vec![(Template::EmailChanged, Some("old@example.com")), (Template::EmailChanged, Some("new@example.com"))];
    vec![
        Sample {
            event: event("auth.v1.email_change_requested", &requested),
            mails: vec![(Template::EmailChangeRequested, Some("old@example.com"))],
            facts: &["new@example.com", "Nothing has changed yet", "https://solvane.test/not-me#token=Not-Me-Token_1"],
        },
        Sample {
            event: event("auth.v1.email_changed", &changed),
            mails: both(),
            facts: &["old@example.com", "new@example.com", "#token=Undo-Or-Not-Me"],
        },
        Sample {
            event: event("auth.v1.email_changed", &changed_before),
            mails: both(),
            facts: &["old@example.com", "new@example.com", "contact support"],
        },
    ]
}

fn login_and_account_samples(id: UserId) -> Vec<Sample> {
    let user_id = id.to_string();
    let device = auth::NewDeviceSignedIn {
        user_id: user_id.clone(),
        device: "Firefox on Linux".to_owned(),
        address_block: "203.0.113.0/24".to_owned(),
        link_reference: "not-me-3".to_owned(),
    };
    let refused = |link_reference: &str| auth::SignInsRefused {
        user_id: user_id.clone(),
        count: 10,
        device: device.device.clone(),
        address_block: device.address_block.clone(),
        link_reference: link_reference.to_owned(),
    };
    vec![
        one(
            "auth.v1.new_device_signed_in",
            &device,
            Template::NewSignIn,
            &["Firefox on Linux", "203.0.113.0/24", "https://solvane.test/not-me#token=Not-Me-Token_3"],
        ),
        one(
            "auth.v1.sign_ins_refused",
            &refused(""),
            Template::SignInsRefused,
            &["10 times in a row", "Firefox on Linux", "203.0.113.0/24", "https://solvane.test/forgot-password"],
        ),
        one(
            "auth.v1.sign_ins_refused",
            &refused(&device.link_reference),
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
                link_reference: "closing".to_owned(),
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
