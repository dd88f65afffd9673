-- The book of destinations: where payouts of a member may go, because the member confirmed it or was paid to it before.
-- Currency, network, address and memo count together.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- What makes two destinations one: names of currency and network without regard to case, blanks and punctuation, and of the
-- addresses that have no case (hexadecimal, and bech32 in capitals) the small letters. None of the four holds a line break.
CREATE FUNCTION destination_key(currency text, network text, address text, memo text) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT sha256(convert_to(upper(currency) || E'\n' || lower(regexp_replace(network, '[^[:alnum:]]', '', 'g')) || E'\n'
        || CASE WHEN address ~ '^(0x[0-9A-Fa-f]+|BC1[0-9A-Z]+)$' THEN lower(address) ELSE address END || E'\n'
        || coalesce(memo, ''), 'UTF8'))
$$;

CREATE TABLE destinations (
    user_id  uuid        NOT NULL,
    key      bytea       NOT NULL GENERATED ALWAYS AS (destination_key(currency, network, address, memo)) STORED,
    currency text        NOT NULL,
    network  text        NOT NULL,
    address  text        NOT NULL,
    memo     text        NOT NULL,
    -- The mailed code, a second factor, a payout that was approved or paid before this table, or a request by a version that does not keep it.
    cause    text        NOT NULL CONSTRAINT destinations_cause CHECK (cause IN ('code', 'factor', 'payout', 'earlier')),
    known_at timestamptz NOT NULL,
    CONSTRAINT destinations_pkey PRIMARY KEY (user_id, key)
);

INSERT INTO destinations (user_id, currency, network, address, memo, cause, known_at)
SELECT DISTINCT ON (user_id, destination_key(currency, network, destination_address, destination_memo))
    user_id, currency, network, destination_address, coalesce(destination_memo, ''), 'payout', created_at
FROM transactions
WHERE kind = 'withdrawal' AND (status = 'success' OR approved_by IS NOT NULL) AND destination_address IS NOT NULL
ORDER BY user_id, destination_key(currency, network, destination_address, destination_memo), created_at;

-- A destination stays known.
CREATE TRIGGER destinations_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON destinations
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'wallet') THEN
        REVOKE ALL ON destinations FROM wallet;
        GRANT SELECT, INSERT ON destinations TO wallet;
    END IF;
END
$$;
