//! What this service keeps about a member, without secrets and without what names other people.

chassis::member_tables! {
    "emails" => r#"SELECT id::text AS "key!", jsonb_build_object(
            'template', template, 'address', address, 'facts', params, 'status', status, 'createdAt',
            created_at, 'endedAt', ended_at) AS "row!"
        FROM mails WHERE user_id = $1 AND id::text > $2 ORDER BY 1 LIMIT $3"#,
    "notices" => r#"SELECT id::text AS "key!", jsonb_build_object(
            'kind', kind, 'facts', facts, 'at', occurred_at, 'readAt', read_at) AS "row!"
        FROM notices WHERE user_id = $1 AND id::text > $2 ORDER BY 1 LIMIT $3"#,
    "notice_preferences" => r#"SELECT user_id::text AS "key!", jsonb_build_object(
            'mailOff', mail_off, 'pushOff', push_off, 'changedAt', changed_at) AS "row!"
        FROM notice_preferences WHERE user_id = $1 AND user_id::text > $2 ORDER BY 1 LIMIT $3"#,
    "push_subscriptions" => r#"SELECT session_id::text AS "key!", jsonb_build_object(
            'sessionId', session_id, 'service', service, 'createdAt', created_at, 'renewedAt', renewed_at, 'lastUsedAt',
            last_used_at) AS "row!"
        FROM push_subscriptions WHERE user_id = $1 AND session_id::text > $2 ORDER BY 1 LIMIT $3"#,
}
