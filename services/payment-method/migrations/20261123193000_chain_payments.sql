-- Payments that nodes told of, and how far each chain was looked at.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

CREATE TABLE chain_payments (
    id           bigint        GENERATED ALWAYS AS IDENTITY CONSTRAINT chain_payments_pkey PRIMARY KEY,
    -- As domain/network.rs names it.
    chain        text          NOT NULL,
    -- In lower case, without 0x.
    txid         text          NOT NULL,
    -- Of the output, or of the token's log within the transaction; the coin of an EVM chain comes after all logs.
    idx          integer       NOT NULL,
    way          text          NOT NULL,
    symbol       text          NOT NULL,
    -- Of the platform, as staff entered it.
    address      text          NOT NULL,
    -- The other side; empty where the chain does not tell.
    counterparty text          NOT NULL,
    -- In the smallest unit.
    units        numeric(39,0) NOT NULL,
    -- How many blocks are expected to make it final.
    depth        integer       NOT NULL,
    state        text          NOT NULL,
    height       bigint,
    block_hash   text          NOT NULL,
    block_at     timestamptz,
    -- The transaction that spent the same coins, if it was replaced.
    replaced_by  text          NOT NULL,
    seen_at      timestamptz   NOT NULL,
    changed_at   timestamptz   NOT NULL,
    CONSTRAINT chain_payments_key UNIQUE (chain, txid, idx, way),
    CONSTRAINT chain_payments_asset FOREIGN KEY (chain, symbol) REFERENCES assets (chain, symbol),
    CONSTRAINT chain_payments_txid CHECK (txid ~ '^[0-9a-f]{64}$'),
    CONSTRAINT chain_payments_idx CHECK (idx >= 0),
    CONSTRAINT chain_payments_way CHECK (way IN ('in', 'out')),
    CONSTRAINT chain_payments_units CHECK (units > 0),
    CONSTRAINT chain_payments_depth CHECK (depth > 0),
    CONSTRAINT chain_payments_state CHECK (state IN ('seen', 'included', 'final', 'orphaned', 'replaced', 'failed')),
    CONSTRAINT chain_payments_block CHECK ((height IS NULL) = (block_at IS NULL) AND (height IS NULL) = (block_hash = '')
        AND (height IS NOT NULL OR state NOT IN ('included', 'final')))
);
CREATE INDEX chain_payments_open ON chain_payments (chain, height) WHERE state IN ('seen', 'included', 'final');
CREATE INDEX chain_payments_address ON chain_payments (lower(address), way, seen_at);
CREATE INDEX chain_payments_age ON chain_payments (way, id);

-- What was paid never changes; what became of it follows the chain. Nothing is forgotten.
CREATE FUNCTION keep_chain_payments() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF (NEW.id, NEW.chain, NEW.txid, NEW.idx, NEW.way, NEW.symbol, NEW.address, NEW.counterparty, NEW.units, NEW.depth,
            NEW.seen_at)
        IS DISTINCT FROM (OLD.id, OLD.chain, OLD.txid, OLD.idx, OLD.way, OLD.symbol, OLD.address, OLD.counterparty,
            OLD.units, OLD.depth, OLD.seen_at)
        OR NEW.changed_at < OLD.changed_at
    THEN
        RAISE EXCEPTION 'payment % stays as it was seen', OLD.id
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'chain_payments_kept';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER chain_payments_kept BEFORE UPDATE ON chain_payments FOR EACH ROW EXECUTE FUNCTION keep_chain_payments();
CREATE TRIGGER chain_payments_append_only BEFORE DELETE OR TRUNCATE ON chain_payments
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE chain_cursors (
    chain        text        NOT NULL CONSTRAINT chain_cursors_pkey PRIMARY KEY,
    -- Up to here blocks are final and were looked at.
    height       bigint,
    -- The newest block when it was looked at last.
    tip_height   bigint,
    tip_at       timestamptz,
    -- When it was looked at last with success.
    observed_at  timestamptz,
    -- Why it cannot be looked at now; empty if it can.
    trouble      text        NOT NULL DEFAULT '',
    -- One process at a time looks at a chain; another takes over when it ends.
    leased_until timestamptz NOT NULL DEFAULT '-infinity'
);
INSERT INTO chain_cursors (chain) VALUES ('bitcoin'), ('ethereum'), ('tron');

CREATE FUNCTION keep_chain_cursors() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF NEW.chain <> OLD.chain OR OLD.height IS NOT NULL AND (NEW.height IS NULL OR NEW.height < OLD.height) THEN
        RAISE EXCEPTION 'the cursor of % does not go back', OLD.chain
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'chain_cursors_forward';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER chain_cursors_forward BEFORE UPDATE ON chain_cursors FOR EACH ROW EXECUTE FUNCTION keep_chain_cursors();

DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'payment_method') THEN
        GRANT SELECT, INSERT, UPDATE ON chain_payments TO payment_method;
        REVOKE DELETE, TRUNCATE ON chain_payments FROM payment_method;
        GRANT SELECT, UPDATE ON chain_cursors TO payment_method;
        REVOKE INSERT, DELETE, TRUNCATE ON chain_cursors FROM payment_method;
    END IF;
END $$;
