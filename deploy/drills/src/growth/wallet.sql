-- Members {first} to {last} of a wallet: four accounts, twenty postings with two entries each, ten transactions and fundings, four
-- keys and events, as they are after a year. In the order of time, so that the rows of a member are apart as in life.
SET session_replication_role = replica;
CREATE TEMPORARY TABLE members AS
    SELECT md5('member ' || number)::uuid AS id, number FROM generate_series({first}, {last}) AS number;
INSERT INTO accounts (kind, user_id, balance_cents) SELECT kind, id, 10000000
    FROM members, unnest('{available,held,bonus,invested}'::text[]) AS kind ORDER BY number, kind;
INSERT INTO transactions (id, user_id, kind, description, status, direction, amount_cents, decided_at, related_id, created_at)
    SELECT gen_random_uuid(), id, CASE WHEN turn % 2 = 0 THEN 'trade' ELSE 'profit' END, 'Starter', 'success', 'debit', 10000,
        now(), gen_random_uuid(), now() - (11 - turn) * interval '30 days' + number * interval '1 ms'
    FROM generate_series(1, 10) AS turn, members ORDER BY turn, number;
CREATE TEMPORARY TABLE posted AS
    SELECT nextval('postings_id_seq') AS id, members.id AS user_id, turn, gen_random_uuid() AS business_id,
        now() - (21 - turn) * interval '15 days' + number * interval '1 ms' AS created_at
    FROM generate_series(1, 20) AS turn, members ORDER BY turn, number;
INSERT INTO postings (id, kind, cause_type, business_id, user_id, created_at) OVERRIDING SYSTEM VALUE
    SELECT id, 'trade_fund', 'trade', business_id, user_id, created_at FROM posted ORDER BY id;
INSERT INTO entries (account_id, posting_id, amount_cents, balance_after_cents, hash)
    SELECT accounts.id, posted.id, 1, 1, sha256(int8send(posted.id)) FROM posted
    JOIN accounts ON accounts.user_id = posted.user_id AND kind IN ('available', 'invested') ORDER BY posted.id;
INSERT INTO trade_fundings (trade_id, user_id, amount_cents, status, value_cents, created_at, settled_at)
    SELECT business_id, user_id, 10000, 'settled', 10000, created_at, created_at FROM posted WHERE turn % 2 = 0 ORDER BY id;
INSERT INTO idempotency_keys (user_id, route, key, fingerprint, request_id, outcome)
    SELECT user_id, 'POST /v1/trades/create', business_id::text, '\x01', 'x', '{"ok": {}}' FROM posted WHERE turn > 16 ORDER BY id;
INSERT INTO outbox (event_id, key, aggregate_id, payload, trace_context, published_at)
    SELECT gen_random_uuid(), 'wallet.v1.trade_funded', user_id, '\x01', '{}', now() FROM posted WHERE turn > 16 ORDER BY id;
INSERT INTO inbox (event_id, key) SELECT business_id, 'auth.v1.user_registered' FROM posted WHERE turn > 16 ORDER BY id;
DROP TABLE members, posted;
SET session_replication_role = DEFAULT;
VACUUM (ANALYZE);
CHECKPOINT;
