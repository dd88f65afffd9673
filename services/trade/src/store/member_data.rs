//! What this service keeps about a member, without secrets and without what names other people.

chassis::member_tables! {
    "trades" => r#"SELECT id::text AS "key!", jsonb_build_object(
            'id', id, 'planTitle', plan_title, 'roiBasisPoints', roi_basis_points, 'durationDays',
            duration_days, 'amountCents', amount_cents, 'status', status, 'settledCents',
            settle_value_cents, 'exitFeeCents', settle_fee_cents, 'minHoldingDays', min_holding_days,
            'exitFeeBasisPoints', exit_fee_basis_points, 'createdAt', created_at, 'maturesAt', matures_at, 'endedAt',
            ended_at) AS "row!"
        FROM trades WHERE user_id = $1 AND id::text > $2 ORDER BY 1 LIMIT $3"#,
    "risk_answers" => r#"SELECT version::text AS "key!", jsonb_build_object(
            'version', version, 'answeredAt', answered_at) AS "row!"
        FROM risk_answers WHERE user_id = $1 AND version::text > $2 ORDER BY 1 LIMIT $3"#,
}
