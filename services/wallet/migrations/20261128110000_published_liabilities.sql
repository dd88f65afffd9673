-- Liabilities are published by functions that count them themselves (sql/50_liabilities.sql), with the gains of open trades.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

ALTER TABLE liability_publications
    -- What was counted: the postings that are visible in it. Unset for publications from before.
    ADD COLUMN snapshot pg_snapshot,
    -- The part of the total that is gains of open trades.
    ADD COLUMN gains_cents bigint,
    -- What was held then, as the service found it.
    ADD COLUMN held jsonb;

-- Up to which value of the plan trade has told the gains of its open trades.
ALTER TABLE plan_values ADD COLUMN gains_at timestamptz;

-- The gains of open trades as trade told them, at a value of their plan. Rows of an older value than the plan's `gains_at` count
-- no more, nor do those of trades that are settled.
CREATE TABLE open_gains (
    trade_id   uuid        NOT NULL CONSTRAINT open_gains_pkey PRIMARY KEY,
    plan_id    uuid        NOT NULL,
    gain_cents bigint      NOT NULL CONSTRAINT open_gains_gain CHECK (gain_cents > 0),
    value_at   timestamptz NOT NULL
);

-- The gains that a publication counted. They are kept as long as its tree.
CREATE TABLE liability_gains (
    publication_id bigint NOT NULL CONSTRAINT liability_gains_publication REFERENCES liability_publications,
    trade_id       uuid   NOT NULL,
    gain_cents     bigint NOT NULL CONSTRAINT liability_gains_gain CHECK (gain_cents > 0),
    CONSTRAINT liability_gains_pkey PRIMARY KEY (publication_id, trade_id)
);

DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'wallet') THEN
        GRANT UPDATE (gains_at) ON plan_values TO wallet;
        REVOKE ALL ON open_gains FROM wallet;
        GRANT SELECT, INSERT, UPDATE (plan_id, gain_cents, value_at) ON open_gains TO wallet;
        REVOKE ALL ON liability_gains FROM wallet;
        GRANT SELECT ON liability_gains TO wallet;
        REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON liability_publications, liability_leaves, liability_nodes FROM wallet;
    END IF;
END $$;
