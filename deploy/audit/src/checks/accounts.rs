//! Accounts, sessions and codes.

use super::check::{Check, auth};

pub(super) const ACCOUNTS: &[Check] = &[
    auth(
        "D-B3 D-R13",
        "who is frozen is whom the last decision about them froze",
        "SELECT format('member %s is %s, the last decision is %s', users.id,
            CASE WHEN frozen_at IS NULL THEN 'not frozen' ELSE 'frozen' END, coalesce(last.action, 'none'))
         FROM users LEFT JOIN (
            SELECT DISTINCT ON (subject_id) subject_id, action FROM audit_rows
            WHERE action IN ('member.freeze', 'member.unfreeze') ORDER BY subject_id, id DESC
         ) AS last ON last.subject_id = users.id::text
         WHERE role IS NULL AND (frozen_at IS NOT NULL) <> (last.action IS NOT DISTINCT FROM 'member.freeze')",
    ),
    auth(
        "S1",
        "at most 3 live codes an account and purpose by its own request, 3 by strangers' ones, at most 5 submissions each",
        "SELECT format('code %s with %s submissions', id, attempts) FROM codes WHERE attempts NOT BETWEEN 0 AND 5
         UNION ALL
         SELECT format('%s live codes of %s', count(*), user_id) FROM codes
         WHERE block IS NULL AND consumed_at IS NULL AND superseded_at IS NULL
         GROUP BY user_id, purpose HAVING count(*) > 3
         UNION ALL
         SELECT format('%s live codes of %s by strangers'' requests', count(*), user_id) FROM codes
         WHERE is_strangers AND attempts < 5 AND expires_at > now() AND consumed_at IS NULL AND superseded_at IS NULL
         GROUP BY user_id, purpose HAVING count(*) > 3",
    ),
    auth(
        "S4",
        "every email belongs to one account, whatever its case",
        "SELECT format('%s has %s accounts', lower(email), count(*)) FROM users GROUP BY lower(email) HAVING count(*) > 1",
    ),
    auth(
        "D-A12",
        "closed accounts have no session, passkey or role",
        "SELECT format('account %s', id) FROM users WHERE closed_at IS NOT NULL AND (role IS NOT NULL
            OR EXISTS (SELECT FROM sessions WHERE user_id = users.id AND revoked_at IS NULL AND idle_until > clock_timestamp())
            OR EXISTS (SELECT FROM passkeys WHERE user_id = users.id))",
    ),
    auth(
        "D-S4",
        "no session outlives seven days",
        "SELECT format('session %s of %s', id, user_id) FROM sessions
         WHERE expires_at > created_at + interval '7 days 1 second' OR idle_until > expires_at",
    ),
];
