//! Mails: in time, once, without secrets.

use stack::Service;

use super::check::Check;

pub(super) const MAILS: &[Check] = &[
    Check {
        ids: "E1",
        promise: "no mail waits for more than a minute past its turn",
        database: Service::Mailer,
        offending: "SELECT format('mail %s (%s) since %s: %s', id, template, created_at, last_error) FROM mails
            WHERE status = 'queued' AND next_try_at < clock_timestamp() - interval '60 seconds'",
    },
    Check {
        ids: "E2",
        promise: "an event makes one mail a recipient",
        database: Service::Mailer,
        offending: "SELECT format('%s mails %s of event %s', count(*), template, event_id) FROM mails
            GROUP BY event_id, template, user_id, address HAVING count(*) > 1",
    },
    Check {
        ids: "Q7 D-E1",
        promise: "no mail carries a code or a link's token",
        database: Service::Mailer,
        offending: "SELECT format('mail %s (%s)', id, template) FROM mails
            WHERE secret_reference IS NOT NULL AND (params ? 'code' OR params ? 'token' OR params ? 'link')",
    },
];
