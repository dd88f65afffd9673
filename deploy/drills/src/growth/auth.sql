-- Members {first} to {last} with four sessions each.
SET session_replication_role = replica;
INSERT INTO users (id, name, email, phone, country, password_hash, created_at, verified_at)
    SELECT md5('member ' || number)::uuid, 'Member', 'member' || number || '@example.com', '', 'US', 'x', now(), now()
    FROM generate_series({first}, {last}) AS number;
INSERT INTO sessions (id, user_id, created_at, last_seen_at, idle_until, expires_at, device, address)
    SELECT md5('session ' || turn || ' ' || number)::uuid, md5('member ' || number)::uuid, now(), now(), now() + interval '1 hour',
        now() + interval '1 day', 'x', '127.0.0.1'
    FROM generate_series(1, 4) AS turn, generate_series({first}, {last}) AS number ORDER BY turn, number;
SET session_replication_role = DEFAULT;
VACUUM (ANALYZE);
CHECKPOINT;
