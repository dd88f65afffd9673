-- The functions that publish the proof of liabilities; nothing else does. They run as the owner of the tables, on which the
-- service's role has no write privileges, and count from the postings, so that nobody can leave out a member or state another
-- balance. The steps are separate, so that no snapshot is held for long.

-- Begins a publication. Returns it, or null while another is being built, unless that one has been unfinished for an hour.
CREATE OR REPLACE FUNCTION begin_liabilities() RETURNS bigint LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    begun bigint;
BEGIN
    SELECT id INTO begun FROM liability_publications
        WHERE published_at IS NULL AND at < clock_timestamp() - interval '1 hour' FOR UPDATE;
    DELETE FROM liability_nodes WHERE publication_id = begun;
    DELETE FROM liability_leaves WHERE publication_id = begun;
    DELETE FROM liability_gains WHERE publication_id = begun;
    DELETE FROM liability_counts WHERE publication_id = begun;
    DELETE FROM liability_publications WHERE id = begun;
    INSERT INTO liability_publications (at) VALUES (clock_timestamp()) ON CONFLICT DO NOTHING RETURNING id INTO begun;
    RETURN begun;
END
$$;

-- Counts what every member of this bucket is owed at this moment, and splits it into two to four random parts: the leaves, in
-- random order. The leaves of a bucket are a part of the tree.
CREATE OR REPLACE FUNCTION count_liabilities(begun bigint) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    PERFORM FROM liability_publications WHERE id = begun AND published_at IS NULL FOR UPDATE;
    IF NOT FOUND OR EXISTS (SELECT FROM liability_nodes WHERE publication_id = begun AND level > 0) THEN
        RAISE EXCEPTION 'publication % is not being counted', begun
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'liability_publications_whole';
    END IF;
    INSERT INTO liability_counts (publication_id, bucket) VALUES (begun, bucket());
    -- One statement, and so one snapshot, which is noted with what it shows.
    WITH gains AS MATERIALIZED (
        SELECT trade_id, trade_fundings.user_id, gain_cents FROM open_gains
        JOIN plan_values ON plan_values.plan_id = open_gains.plan_id AND open_gains.value_at >= gains_at
        JOIN trade_fundings USING (trade_id) WHERE status = 'funded'
    ), noted AS (
        INSERT INTO liability_gains (publication_id, trade_id, gain_cents) SELECT begun, trade_id, gain_cents FROM gains
    ), counted AS (
        UPDATE liability_publications SET snapshot = pg_current_snapshot(),
            gains_cents = coalesce(gains_cents, 0) + (SELECT coalesce(sum(gain_cents), 0) FROM gains)
        WHERE id = begun
    ), totals AS MATERIALIZED (
        SELECT user_id, sum(cents)::bigint AS total, 1 + floor(random() * 3)::int AS cuts FROM (
            SELECT accounts.user_id, newest.balance_after_cents AS cents FROM accounts CROSS JOIN LATERAL (
                SELECT balance_after_cents FROM entries WHERE account_id = accounts.id ORDER BY posting_id DESC LIMIT 1) AS newest
            WHERE accounts.user_id IS NOT NULL AND kind IN ('available', 'held', 'on_hold', 'invested', 'bonus')
            UNION ALL SELECT user_id, gain_cents FROM gains
        ) AS owed GROUP BY user_id HAVING sum(cents) > 0
    ), bounds AS (
        SELECT user_id, 0::bigint AS bound FROM totals
        UNION ALL SELECT user_id, total FROM totals
        UNION ALL SELECT user_id, floor(random() * (total + 1))::bigint FROM totals, generate_series(1, cuts)
    ), parts AS (
        SELECT user_id, lead(bound) OVER (PARTITION BY user_id ORDER BY bound) - bound AS amount_cents FROM bounds
    ), salted AS (
        SELECT user_id, amount_cents, uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) AS salt
        FROM parts WHERE amount_cents IS NOT NULL
    ), leaves AS (
        INSERT INTO liability_leaves (publication_id, position, user_id, salt, amount_cents)
        SELECT begun, (bucket() << 32) + row_number() OVER (ORDER BY salt) - 1, user_id, salt, amount_cents FROM salted
        RETURNING position, user_id, salt, amount_cents
    )
    INSERT INTO liability_nodes (publication_id, level, position, digest, sum_cents)
    SELECT begun, 0, position, sha256('\x00'::bytea || salt || uuid_send(user_id) || int8send(amount_cents)), amount_cents
    FROM leaves;
END
$$;

-- Writes the level above the highest one, unless that is the root. Returns how many nodes the highest level then has.
CREATE OR REPLACE FUNCTION raise_liabilities(publication bigint) RETURNS bigint LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    highest smallint;
    nodes   bigint;
BEGIN
    PERFORM FROM liability_publications WHERE id = publication AND published_at IS NULL FOR UPDATE;
    IF NOT FOUND THEN
        RETURN 0;
    END IF;
    SELECT level INTO highest FROM liability_nodes WHERE publication_id = publication ORDER BY level DESC LIMIT 1;
    SELECT count(*) INTO nodes FROM (
        SELECT FROM liability_nodes WHERE publication_id = publication AND level = highest LIMIT 2) AS nodes_of_level;
    IF nodes <= 1 THEN
        RETURN nodes;
    END IF;
    INSERT INTO liability_nodes (publication_id, level, position, digest, sum_cents)
    SELECT one.publication_id, one.level + 1, one.position / 2,
        CASE WHEN other.position IS NULL THEN one.digest
        ELSE sha256('\x01'::bytea || one.digest || int8send(one.sum_cents) || other.digest || int8send(other.sum_cents))
        END,
        one.sum_cents + coalesce(other.sum_cents, 0)
    FROM liability_nodes AS one
    LEFT JOIN liability_nodes AS other ON other.publication_id = one.publication_id AND other.level = one.level
        AND other.position = one.position + 1 AND one.position % 2 = 0
    WHERE one.publication_id = publication AND one.level = highest AND (one.position % 2 = 0
        -- Only above the trees of the buckets, of which one may be without leaves, has the second of two nodes no first.
        OR highest >= 32 AND NOT EXISTS (SELECT FROM liability_nodes AS before WHERE before.publication_id = publication
            AND before.level = highest AND before.position = one.position - 1));
    GET DIAGNOSTICS nodes = ROW_COUNT;
    RETURN nodes;
END
$$;

-- Publishes a complete tree, with what was held then. Returns no row if the publication is not one that is being built.
CREATE OR REPLACE FUNCTION complete_liabilities(publication bigint, held_then jsonb) RETURNS SETOF liability_publications
LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    top liability_nodes;
BEGIN
    PERFORM FROM liability_publications WHERE id = publication AND published_at IS NULL FOR UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    SELECT * INTO top FROM liability_nodes WHERE publication_id = publication ORDER BY level DESC, position DESC LIMIT 1;
    IF EXISTS (SELECT FROM liability_nodes
            WHERE publication_id = publication AND level = top.level AND position <> top.position)
        -- A bucket that takes members is not counted: the service does not read all of them.
        OR (SELECT count(*) FROM liability_counts WHERE publication_id = publication) < (SELECT count FROM open_buckets)
    THEN
        RAISE EXCEPTION 'the tree of publication % is not complete', publication
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'liability_publications_whole';
    END IF;
    RETURN QUERY UPDATE liability_publications SET root = coalesce(top.digest, sha256('')),
        total_cents = coalesce(top.sum_cents, 0), held = held_then, published_at = clock_timestamp(),
        leaves = (SELECT count(*) FROM liability_leaves WHERE publication_id = publication)
    WHERE id = publication RETURNING *;
END
$$;

-- Removes rows of the trees of all but the two newest publications, at most this many of each table; their roots stay. Gains of
-- trades that are settled go too. Returns how many rows went.
CREATE OR REPLACE FUNCTION forget_liabilities(most integer) RETURNS bigint LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    oldest bigint := (SELECT id FROM liability_publications WHERE published_at IS NOT NULL ORDER BY at DESC OFFSET 1 LIMIT 1);
    rows_  bigint;
    gone   bigint;
BEGIN
    DELETE FROM liability_nodes WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM liability_nodes WHERE publication_id < oldest LIMIT most));
    GET DIAGNOSTICS gone = ROW_COUNT;
    DELETE FROM liability_leaves WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM liability_leaves WHERE publication_id < oldest LIMIT most));
    GET DIAGNOSTICS rows_ = ROW_COUNT;
    gone := gone + rows_;
    DELETE FROM liability_gains WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM liability_gains WHERE publication_id < oldest LIMIT most));
    GET DIAGNOSTICS rows_ = ROW_COUNT;
    gone := gone + rows_;
    DELETE FROM open_gains WHERE ctid = ANY (ARRAY(
        SELECT open_gains.ctid FROM open_gains JOIN trade_fundings USING (trade_id) WHERE status <> 'funded' LIMIT most));
    GET DIAGNOSTICS rows_ = ROW_COUNT;
    RETURN gone + rows_;
END
$$;

DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'wallet') THEN
        GRANT EXECUTE ON FUNCTION begin_liabilities, count_liabilities, raise_liabilities, complete_liabilities,
            forget_liabilities TO wallet;
    END IF;
END $$;
REVOKE EXECUTE ON FUNCTION begin_liabilities, count_liabilities, raise_liabilities, complete_liabilities, forget_liabilities
    FROM PUBLIC;
