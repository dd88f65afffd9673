//! The steps of a withdrawal.

use std::fmt;

use time::Duration;

use super::step::{Known, Step, StepKey, done, expected, failed, open};
use crate::domain::transaction::{Status, Transaction, Withdrawal};

/// How old a change of the account may be that a payout waits for.
const RECENT: Duration = Duration::hours(72);

pub(super) fn of_withdrawal(one: &Transaction, withdrawal: &Withdrawal, known: &Known) -> Vec<Step> {
    let requested = done(StepKey::Requested, Some(one.created_at));
    let address = address_step(one, withdrawal);
    let reviewed = withdrawal.approval.map(|approval| done(StepKey::Reviewed, Some(approval.at)));
    let sent = withdrawal.sent.map(|sent| done(StepKey::Sent, Some(sent.at)));
    match one.status {
        Status::Success => {
            let ends = [done(StepKey::Arrived, one.decided_at)];
            [requested, address].into_iter().chain(reviewed).chain(sent).chain(ends).collect()
        }
        Status::Failed => {
            let at = match (&reviewed, &sent) {
                (None, _) => StepKey::Reviewed,
                (_, None) => StepKey::Sent,
                _ => StepKey::Arrived,
            };
            [requested].into_iter().chain(reviewed).chain(sent).chain([failed(at, one)]).collect()
        }
        Status::Pending => {
            let waits = waiting_step(known).filter(|_| sent.is_none());
            let is_waiting = waits.is_some();
            let delay = delay_of(known);
            let reviewed = reviewed.unwrap_or_else(|| Step { note: delay.clone(), ..open(StepKey::Reviewed) });
            let begun = withdrawal.price.as_ref().map(|_| "Your payment is being made.".to_owned());
            let is_sent = sent.is_some();
            let sent = sent.unwrap_or_else(|| Step { note: delay.or(begun), ..open(StepKey::Sent) });
            let final_note = is_sent.then(|| "Waits until the network confirms it.".to_owned());
            let by = expected(one, known).filter(|_| !is_waiting);
            let arrived = Step { expected_by: by, note: final_note, ..open(StepKey::Arrived) };
            [requested, address].into_iter().chain(waits).chain([reviewed, sent, arrived]).collect()
        }
    }
}

fn address_step(one: &Transaction, withdrawal: &Withdrawal) -> Step {
    if one.needs_destination() {
        return Step { note: Some("Needs an address from you.".to_owned()), ..open(StepKey::Address) };
    }
    if one.needs_confirmation() {
        let note = "Waits for the code that we emailed you.".to_owned();
        return Step { note: Some(note), ..open(StepKey::Address) };
    }
    // An address that was known before has no moment of its own here.
    done(StepKey::Address, withdrawal.known_at.filter(|at| *at > one.created_at))
}

/// The time for which a payout waits after a change of the account, with what changed.
fn waiting_step(known: &Known) -> Option<Step> {
    let state = known.payouts?;
    let now = known.now?;
    let until = state.not_before.filter(|at| *at > now)?;
    let changes = [
        ("your email was changed", state.email_changed_at),
        ("your password was changed", state.password_changed_at),
        ("your second factor was changed", state.factors_changed_at),
        ("you logged in from a new device", state.new_device_at),
    ];
    let recent = changes.into_iter().filter(|(_, at)| at.is_some_and(|at| at + RECENT > now)).map(|(what, _)| what);
    let note =
        format!("Payouts wait because {}, so that you can stop one you did not request.", Sequence(recent.collect()));
    Some(Step { expected_by: Some(until), note: Some(note), ..open(StepKey::Waiting) })
}

/// Why nothing is approved or paid at the moment, for every transaction.
fn delay_of(known: &Known) -> Option<String> {
    let state = known.payouts.unwrap_or_default();
    let note = if state.stopped {
        "Payouts are paused until you set a new password."
    } else if state.frozen {
        "Your account is frozen. Please contact support."
    } else if known.is_stopped {
        "Payouts are paused at the moment. Yours keeps its place."
    } else {
        return None;
    };
    Some(note.to_owned())
}

/// "a, b and c"
struct Sequence(Vec<&'static str>);

impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0[..] {
            [] => f.write_str("your account was changed recently"),
            [one] => f.write_str(one),
            [first @ .., last] => write!(f, "{} and {last}", first.join(", ")),
        }
    }
}
