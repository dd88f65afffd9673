-- What can be quoted, what it costs, and the quotes that members were given.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- The coins and tokens that the platform knows. Only a migration changes them: whoever could change a contract could have
-- worthless tokens taken for money.
CREATE TABLE assets (
    -- As domain/network.rs names it.
    chain     text     NOT NULL,
    symbol    text     NOT NULL,
    -- Of a token; empty for the coin of the chain.
    contract  text     NOT NULL,
    -- Digits after the point of a whole unit.
    decimals  smallint NOT NULL,
    -- By how many of the smallest unit the open quotes of one address differ.
    tail_step bigint   NOT NULL,
    -- Whether it is worth a dollar as long as nothing is wrong with it.
    pegged    boolean  NOT NULL,
    CONSTRAINT assets_pkey PRIMARY KEY (chain, symbol),
    CONSTRAINT assets_symbol CHECK (symbol ~ '^[A-Z0-9]{2,10}$'),
    CONSTRAINT assets_decimals CHECK (decimals BETWEEN 0 AND 18),
    CONSTRAINT assets_tail CHECK (tail_step > 0)
);
INSERT INTO assets (chain, symbol, contract, decimals, tail_step, pegged) VALUES
    ('bitcoin', 'BTC', '', 8, 1, false),
    ('ethereum', 'ETH', '', 18, 1000000000, false),
    ('ethereum', 'USDC', '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', 6, 1000, true),
    ('ethereum', 'USDT', '0xdAC17F958D2ee523a2206206994597C13D831ec7', 6, 1000, true),
    ('tron', 'TRX', '', 6, 1000, false),
    ('tron', 'USDT', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 6, 1000, true);

-- What a source said, or two people published.
CREATE TABLE rate_points (
    id          bigint      GENERATED ALWAYS AS IDENTITY CONSTRAINT rate_points_pkey PRIMARY KEY,
    symbol      text        NOT NULL,
    source      text        NOT NULL,
    -- Millionths of a dollar for a whole unit.
    bid_micros  bigint      NOT NULL,
    ask_micros  bigint      NOT NULL,
    -- The time that the source states, if it states one.
    source_at   timestamptz,
    read_at     timestamptz NOT NULL,
    -- Published rates: until when they count, and the proposal that was confirmed.
    valid_until timestamptz,
    proposal_id uuid        CONSTRAINT rate_points_proposal REFERENCES proposals (id),
    CONSTRAINT rate_points_positive CHECK (bid_micros > 0 AND bid_micros <= ask_micros),
    CONSTRAINT rate_points_published CHECK ((proposal_id IS NULL) = (valid_until IS NULL)),
    CONSTRAINT rate_points_source CHECK (proposal_id IS NOT NULL OR source IN ('kraken', 'coinbase', 'bitstamp')),
    CONSTRAINT rate_points_once UNIQUE (proposal_id)
);
CREATE INDEX rate_points_newest ON rate_points (symbol, read_at DESC) WHERE proposal_id IS NULL;
CREATE INDEX rate_points_in_force ON rate_points (symbol, valid_until) WHERE proposal_id IS NOT NULL;
CREATE INDEX rate_points_age ON rate_points (read_at) WHERE proposal_id IS NULL;

-- Points never change. Those of sources are forgotten after a month: a quote keeps the ones that it was made of.
CREATE FUNCTION keep_rate_points() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF TG_OP = 'UPDATE' OR OLD.proposal_id IS NOT NULL OR OLD.read_at > transaction_timestamp() - interval '30 days' THEN
        RAISE EXCEPTION 'rate point % is kept', OLD.id
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'rate_points_kept';
    END IF;
    RETURN OLD;
END
$$;
CREATE TRIGGER rate_points_kept BEFORE UPDATE OR DELETE ON rate_points FOR EACH ROW EXECUTE FUNCTION keep_rate_points();
CREATE TRIGGER rate_points_not_truncated BEFORE TRUNCATE ON rate_points
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The service's own role publishes a rate only as two people proposed and confirmed it, in the transaction of the
-- confirmation, and for no longer.
CREATE FUNCTION refuse_unproposed_rate() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM proposals
        WHERE id = NEW.proposal_id AND kind = 'rate.publish' AND status = 'confirmed' AND decided_by <> proposed_by
            AND decided_at >= transaction_timestamp() AND proposed_at > transaction_timestamp() - interval '8 days'
            AND change = jsonb_build_object('asset', NEW.symbol, 'bidMicros', NEW.bid_micros, 'askMicros', NEW.ask_micros,
                'source', NEW.source, 'validMinutes', change -> 'validMinutes')
            AND NEW.read_at = transaction_timestamp()
            AND NEW.valid_until = NEW.read_at + make_interval(mins => (change ->> 'validMinutes')::integer))
    THEN
        RAISE EXCEPTION 'the rate of % is what two people proposed and confirmed', NEW.symbol
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'rate_points_as_proposed';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER rate_points_as_proposed BEFORE INSERT ON rate_points FOR EACH ROW
    WHEN (current_user = 'payment_method' AND NEW.proposal_id IS NOT NULL) EXECUTE FUNCTION refuse_unproposed_rate();

-- When the sources were asked last: one process at a time asks them.
CREATE TABLE rate_polls (
    only_row boolean     NOT NULL DEFAULT true CONSTRAINT rate_polls_pkey PRIMARY KEY,
    begun_at timestamptz NOT NULL,
    CONSTRAINT rate_polls_only_row CHECK (only_row)
);
INSERT INTO rate_polls (begun_at) VALUES ('-infinity');

CREATE TABLE quotes (
    id             uuid          NOT NULL CONSTRAINT quotes_pkey PRIMARY KEY,
    user_id        uuid          NOT NULL,
    direction      text          NOT NULL,
    -- As requested, and the part that the units are worth: a withdrawal's amount after its fee.
    amount_cents   bigint        NOT NULL,
    priced_cents   bigint        NOT NULL,
    method_id      uuid          NOT NULL,
    method_version integer       NOT NULL,
    currency       text          NOT NULL,
    network        text          NOT NULL,
    -- The platform's, of deposits; empty for withdrawals.
    address        text          NOT NULL,
    memo           text          NOT NULL,
    chain          text          NOT NULL,
    symbol         text          NOT NULL,
    contract       text          NOT NULL,
    decimals       smallint      NOT NULL,
    -- In the smallest unit, the tail included.
    units          numeric(39,0) NOT NULL,
    rate_micros    bigint        NOT NULL,
    spread_bps     integer       NOT NULL,
    -- The points that the rate is the median of.
    sources        jsonb         NOT NULL,
    created_at     timestamptz   NOT NULL,
    expires_at     timestamptz   NOT NULL,
    CONSTRAINT quotes_method FOREIGN KEY (method_id, method_version) REFERENCES method_versions (method_id, version),
    CONSTRAINT quotes_asset FOREIGN KEY (chain, symbol) REFERENCES assets (chain, symbol),
    CONSTRAINT quotes_direction CHECK (direction IN ('deposit', 'withdrawal')),
    CONSTRAINT quotes_amount CHECK (priced_cents > 0 AND priced_cents <= amount_cents),
    CONSTRAINT quotes_units CHECK (units > 0),
    CONSTRAINT quotes_address CHECK ((direction = 'deposit') = (address <> '')),
    CONSTRAINT quotes_life CHECK (expires_at > created_at)
);
CREATE INDEX quotes_member ON quotes (user_id, expires_at);
CREATE INDEX quotes_address_units ON quotes (lower(address), symbol, expires_at) WHERE direction = 'deposit';

CREATE TRIGGER quotes_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON quotes
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'payment_method') THEN
        GRANT SELECT ON assets TO payment_method;
        REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON assets FROM payment_method;
        GRANT SELECT, INSERT, DELETE ON rate_points TO payment_method;
        REVOKE UPDATE, TRUNCATE ON rate_points FROM payment_method;
        GRANT SELECT, UPDATE ON rate_polls TO payment_method;
        REVOKE INSERT, DELETE, TRUNCATE ON rate_polls FROM payment_method;
        GRANT SELECT, INSERT ON quotes TO payment_method;
        REVOKE UPDATE, DELETE, TRUNCATE ON quotes FROM payment_method;
    END IF;
END $$;
