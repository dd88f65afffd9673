-- Signed transactions of payouts, so that one is sent again when the process or the node died before it was spread.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

CREATE TABLE signed_payouts (
    txid    text        CONSTRAINT signed_payouts_pkey PRIMARY KEY,
    -- As the network takes it.
    raw     bytea       NOT NULL,
    kept_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT signed_payouts_txid CHECK (txid ~ '^[0-9a-f]{64}$'),
    CONSTRAINT signed_payouts_raw CHECK (length(raw) BETWEEN 1 AND 400000)
);
CREATE INDEX signed_payouts_kept_at ON signed_payouts (kept_at);
