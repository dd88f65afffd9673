//! Events of cases.

use chassis::id::UserId;
use mailer::domain::template::Template;
use proto::cases::v1 as cases;

use crate::samples::{CASE_SEEN, Encode, Sample, TRANSACTION};

pub(super) fn case_samples(user_id: UserId) -> Vec<Sample> {
    let at = |seconds| Some(chassis::clock::Timestamp { seconds, nanos: 0 });
    let case = Some(cases::CaseFacts {
        case_id: TRANSACTION.to_owned(),
        number: 4711,
        user_id: user_id.to_string(),
        answer_due_at: at(1_796_000_000),
        complaint_due_at: at(1_797_000_000),
    });
    let one = |key: &str, message: &dyn Encode, template, facts| Sample {
        event: message.event(key),
        mails: vec![(template, None)],
        facts,
    };
    vec![
        one(
            "cases.v1.opened",
            &cases::CaseOpened { case: case.clone() },
            Template::CaseOpened,
            &["4711", CASE_SEEN, "November 30, 2026", "December 11, 2026"],
        ),
        one(
            "cases.v1.answered",
            &cases::CaseAnswered { case: case.clone() },
            Template::CaseAnswered,
            &["4711", CASE_SEEN],
        ),
        one("cases.v1.closed", &cases::CaseClosed { case: case.clone() }, Template::CaseClosed, &["4711", CASE_SEEN]),
        one(
            "cases.v1.complaint_registered",
            &cases::ComplaintRegistered { case },
            Template::ComplaintRegistered,
            &["4711", CASE_SEEN, "December 11, 2026"],
        ),
    ]
}
