//! What this service keeps about a member, without secrets and without what names other people.

chassis::member_tables! {
    "payment_methods" => r#"SELECT m.id::text || lpad(v.version::text, 10, '0') AS "key!", jsonb_build_object(
            'id', m.id, 'version', v.version, 'currency', v.currency, 'network', v.network,
            'address', v.address, 'memo', v.memo, 'label', v.label, 'imageKey', v.image_key,
            'createdAt', v.created_at, 'deletedAt', m.archived_at) AS "row!"
        FROM methods m JOIN method_versions v ON v.method_id = m.id
        WHERE m.user_id = $1 AND m.id::text || lpad(v.version::text, 10, '0') > $2 ORDER BY 1 LIMIT $3"#,
    "quotes" => r#"SELECT id::text AS "key!", jsonb_build_object(
            'id', id, 'direction', direction, 'amountCents', amount_cents, 'pricedCents', priced_cents,
            'methodId', method_id, 'methodVersion', method_version, 'asset', symbol, 'network', network,
            'address', address, 'memo', memo, 'units', units::text, 'decimals', decimals,
            'rateMicros', rate_micros, 'spreadBps', spread_bps, 'sources', sources,
            'createdAt', created_at, 'expiresAt', expires_at) AS "row!"
        FROM quotes WHERE user_id = $1 AND id::text > $2 ORDER BY 1 LIMIT $3"#,
    "deposit_addresses" => r#"SELECT chain || ' ' || address AS "key!", jsonb_build_object(
            'chain', chain, 'address', address, 'index', index, 'quoteId', quote_id,
            'createdAt', created_at, 'paidAt', paid_at) AS "row!"
        FROM deposit_addresses WHERE user_id = $1 AND chain || ' ' || address > $2 ORDER BY 1 LIMIT $3"#,
}
