-- The trades of members {first} to {last}: ten each.
SET session_replication_role = replica;
INSERT INTO trades (id, user_id, plan_id, plan_title, plan_min_cents, plan_max_cents, roi_basis_points, duration_days, amount_cents,
        opening_value_micros, status, created_at, matures_at)
    SELECT gen_random_uuid(), md5('member ' || number)::uuid, md5('plan ' || number % 5)::uuid, 'Starter', 100, 100000000, 500, 30,
        10000, 1000000, 'open', now() - (11 - turn) * interval '30 days', now() + turn * interval '1 day'
    FROM generate_series(1, 10) AS turn, generate_series({first}, {last}) AS number ORDER BY turn, number;
SET session_replication_role = DEFAULT;
VACUUM (ANALYZE);
CHECKPOINT;
