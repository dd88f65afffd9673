//! What this service keeps about a member, without secrets and without what names other people.

chassis::member_tables! {
    "balances" => r#"SELECT kind AS "key!", jsonb_build_object(
            'kind', kind, 'balanceCents', balance_cents) AS "row!"
        FROM accounts WHERE user_id = $1 AND kind > $2 ORDER BY 1 LIMIT $3"#,
    "transactions" => r#"SELECT id::text AS "key!", jsonb_build_object(
            'id', id, 'kind', kind, 'description', description, 'status', status, 'direction',
            direction, 'amountCents', amount_cents, 'claimedAmountCents', claimed_amount_cents,
            'feeCents', fee_cents, 'netAmountCents', net_amount_cents, 'feePaid', fee_paid,
            'currency', currency, 'network', network, 'methodAddress', method_address, 'methodMemo',
            method_memo, 'destinationAddress', destination_address, 'destinationMemo',
            destination_memo, 'receiptKey', receipt_key, 'claimedTxid', claimed_txid, 'txid', txid,
            'reasonCode', reason_code, 'decidedAt', decided_at, 'relatedId', related_id, 'asset', asset,
            'units', units::text, 'assetDecimals', asset_decimals, 'rateMicros', rate_micros, 'spreadBps',
            spread_bps, 'quotedAt', quoted_at, 'quoteExpiresAt', quote_expires_at, 'createdAt',
            created_at) AS "row!"
        FROM transactions WHERE user_id = $1 AND id::text > $2 ORDER BY 1 LIMIT $3"#,
    "holds" => r#"SELECT id::text AS "key!", jsonb_build_object(
            'id', id, 'amountCents', amount_cents, 'reasonCode', reason_code, 'status', status,
            'placedAt', placed_at, 'releasedAt', released_at) AS "row!"
        FROM holds WHERE user_id = $1 AND id::text > $2 ORDER BY 1 LIMIT $3"#,
    "destinations" => r#"SELECT encode(key, 'hex') AS "key!", jsonb_build_object(
            'currency', currency, 'network', network, 'address', address, 'memo', memo, 'knownSince',
            known_at) AS "row!"
        FROM destinations WHERE user_id = $1 AND encode(key, 'hex') > $2 ORDER BY 1 LIMIT $3"#,
    "disowned_destinations" => r#"SELECT encode(key, 'hex') || known_at::text AS "key!", jsonb_build_object(
            'currency', currency, 'network', network, 'address', address, 'memo', memo, 'knownSince',
            known_at, 'disownedAt', disowned_at) AS "row!"
        FROM disowned_destinations WHERE user_id = $1 AND encode(key, 'hex') || known_at::text > $2 ORDER BY 1 LIMIT $3"#,
}
