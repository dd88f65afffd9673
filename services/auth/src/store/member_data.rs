//! What this service keeps about a member, without secrets and without what names other people.

chassis::member_tables! {
    "account" => r#"SELECT id::text AS "key!", jsonb_build_object(
            'id', id, 'name', name, 'email', email, 'pendingEmail', pending_email, 'phone', phone,
            'country', country, 'imageKey', image_key, 'createdAt', created_at, 'verifiedAt',
            verified_at, 'frozenAt', frozen_at) AS "row!"
        FROM users WHERE id = $1 AND id::text > $2 ORDER BY 1 LIMIT $3"#,
    "sessions" => r#"SELECT id::text AS "key!", jsonb_build_object(
            'id', id, 'createdAt', created_at, 'lastSeenAt', last_seen_at, 'expiresAt', expires_at,
            'endedAt', revoked_at, 'device', device, 'address', address) AS "row!"
        FROM sessions WHERE user_id = $1 AND id::text > $2 ORDER BY 1 LIMIT $3"#,
    "known_devices" => r#"SELECT family || ' ' || address_block AS "key!", jsonb_build_object(
            'device', family, 'addressBlock', address_block, 'firstSeenAt', first_seen_at) AS "row!"
        FROM known_devices WHERE user_id = $1 AND family || ' ' || address_block > $2 ORDER BY 1 LIMIT $3"#,
    "known_keys" => r#"SELECT device_key AS "key!", jsonb_build_object(
            'device', family, 'addressBlock', address_block, 'firstSeenAt', first_seen_at) AS "row!"
        FROM known_keys WHERE user_id = $1 AND device_key > $2 ORDER BY 1 LIMIT $3"#,
    "activity" => r#"SELECT lpad(id::text, 20, '0') AS "key!", jsonb_build_object(
            'at', at, 'kind', kind, 'refused', refused, 'device', device, 'addressBlock', block) AS "row!"
        FROM security_events WHERE user_id = $1 AND lpad(id::text, 20, '0') > $2 ORDER BY 1 LIMIT $3"#,
    "authenticators" => r#"SELECT id::text AS "key!", jsonb_build_object(
            'createdAt', created_at, 'confirmedAt', confirmed_at) AS "row!"
        FROM authenticators WHERE user_id = $1 AND id::text > $2 ORDER BY 1 LIMIT $3"#,
    "passkeys" => r#"SELECT id::text AS "key!", jsonb_build_object(
            'name', name, 'createdAt', created_at, 'lastUsedAt', last_used_at) AS "row!"
        FROM passkeys WHERE user_id = $1 AND id::text > $2 ORDER BY 1 LIMIT $3"#,
}
