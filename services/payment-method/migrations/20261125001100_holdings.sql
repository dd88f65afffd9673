-- What the addresses of the platform hold, and which withdrawal each payout belongs to.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

ALTER TABLE chain_payments
    -- The withdrawal of the wallet that a payout was made for.
    ADD COLUMN transaction_id uuid,
    -- Whether it waits for a block, and so moves coins already; also after its block was replaced.
    ADD COLUMN waits boolean NOT NULL DEFAULT false,
    DROP CONSTRAINT chain_payments_way,
    ADD CONSTRAINT chain_payments_way CHECK (way IN ('in', 'out', 'fee')) NOT VALID,
    ADD CONSTRAINT chain_payments_transaction CHECK (transaction_id IS NULL OR way = 'out') NOT VALID;

CREATE FUNCTION refuse_other_transaction() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    RAISE EXCEPTION 'payment % belongs to a withdrawal', OLD.id
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'chain_payments_matched_once';
END
$$;
CREATE TRIGGER chain_payments_matched_once BEFORE UPDATE ON chain_payments FOR EACH ROW
    WHEN (OLD.transaction_id IS NOT NULL AND NEW.transaction_id IS DISTINCT FROM OLD.transaction_id)
    EXECUTE FUNCTION refuse_other_transaction();

CREATE TABLE holdings (
    chain          text          NOT NULL,
    symbol         text          NOT NULL,
    -- Of the platform, as staff entered it.
    address        text          NOT NULL,
    -- What it held at a height when it was read first. Payments above that height are added to it.
    opening        numeric(40,0) NOT NULL,
    opening_height bigint        NOT NULL,
    opened_at      timestamptz   NOT NULL,
    -- The opening with the payments up to a height, below which blocks are final.
    carried        numeric(40,0) NOT NULL,
    carried_height bigint        NOT NULL,
    -- The payments above that height, and those that wait, at the last reading.
    moved          numeric(40,0) NOT NULL,
    -- The last reading, in the smallest unit.
    units          numeric(39,0) NOT NULL,
    read_at        timestamptz   NOT NULL,
    CONSTRAINT holdings_pkey PRIMARY KEY (chain, symbol, address),
    CONSTRAINT holdings_asset FOREIGN KEY (chain, symbol) REFERENCES assets (chain, symbol),
    CONSTRAINT holdings_units CHECK (units >= 0),
    CONSTRAINT holdings_carried CHECK (carried_height >= opening_height)
);

-- An opening is read once: who could change it could hide what is missing.
CREATE FUNCTION keep_holdings() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    RAISE EXCEPTION 'the opening of % stays as it was read', OLD.address
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'holdings_kept';
END
$$;
CREATE TRIGGER holdings_kept BEFORE UPDATE ON holdings FOR EACH ROW
    WHEN ((NEW.chain, NEW.symbol, NEW.address, NEW.opening, NEW.opening_height, NEW.opened_at)
        IS DISTINCT FROM (OLD.chain, OLD.symbol, OLD.address, OLD.opening, OLD.opening_height, OLD.opened_at))
    EXECUTE FUNCTION keep_holdings();
CREATE TRIGGER holdings_stay BEFORE DELETE OR TRUNCATE ON holdings
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'payment_method') THEN
        GRANT SELECT, INSERT, UPDATE ON holdings TO payment_method;
        REVOKE DELETE, TRUNCATE ON holdings FROM payment_method;
    END IF;
END $$;
