-- Room that members' receipts take up: reserved before a file is stored, for good once a payment names it. Receipts of
-- before are not in it and do not count. A reservation that nothing came of goes with the member's next one.
CREATE TABLE receipts (
    -- In the object store.
    key             text        NOT NULL CONSTRAINT receipts_pkey PRIMARY KEY,
    user_id         uuid        NOT NULL,
    bytes           bigint      NOT NULL CONSTRAINT receipts_bytes CHECK (bytes > 0),
    -- The Idempotency-Key of the payment, until it is recorded.
    route           text,
    idempotency_key text,
    fingerprint     bytea,
    reserved_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- The payment.
    transaction_id  uuid,
    CONSTRAINT receipts_claim CHECK (num_nulls(route, idempotency_key, fingerprint) IN (0, 3))
);
CREATE INDEX receipts_user ON receipts (user_id);

DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'wallet') THEN
        REVOKE ALL ON receipts FROM wallet;
        GRANT SELECT, INSERT, UPDATE, DELETE ON receipts TO wallet;
    END IF;
END
$$;
