//! What this service keeps about a member, without secrets and without what names other people.

chassis::member_tables! {
    "trades" => r#"SELECT id::text AS "key!", jsonb_build_object(
            'id', id, 'planTitle', plan_title, 'roiBasisPoints', roi_basis_points, 'durationDays',
            duration_days, 'amountCents', amount_cents, 'status', status, 'settledCents',
            settle_value_cents, 'createdAt', created_at, 'maturesAt', matures_at, 'endedAt',
            ended_at) AS "row!"
        FROM trades WHERE user_id = $1 AND id::text > $2 ORDER BY 1 LIMIT $3"#,
}
