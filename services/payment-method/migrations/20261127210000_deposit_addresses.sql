-- Addresses that members have to themselves, derived from extended public keys of platform methods.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- A platform method may have an output descriptor in place of an address.
ALTER TABLE method_versions DROP CONSTRAINT method_versions_address,
    ADD CONSTRAINT method_versions_address CHECK (length(address) BETWEEN 10 AND 200) NOT VALID;

CREATE TABLE deposit_keys (
    id         bigint      GENERATED ALWAYS AS IDENTITY CONSTRAINT deposit_keys_pkey PRIMARY KEY,
    -- As domain/network.rs names it.
    chain      text        NOT NULL,
    -- The extended public key of an account in its plain form (xpub), however the method writes it.
    key        text        NOT NULL,
    -- Of the next address. Its row is locked while an address is derived, so that each index is used once.
    next_index integer     NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL,
    CONSTRAINT deposit_keys_key UNIQUE (chain, key),
    CONSTRAINT deposit_keys_chain CHECK (chain IN ('bitcoin', 'ethereum', 'tron')),
    CONSTRAINT deposit_keys_index CHECK (next_index >= 0)
);

CREATE FUNCTION keep_deposit_keys() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF (NEW.id, NEW.chain, NEW.key, NEW.created_at) IS DISTINCT FROM (OLD.id, OLD.chain, OLD.key, OLD.created_at)
        OR NEW.next_index <> OLD.next_index + 1
    THEN
        RAISE EXCEPTION 'deposit key % stays, and its indexes are taken one by one', OLD.id
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'deposit_keys_kept';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER deposit_keys_kept BEFORE UPDATE ON deposit_keys FOR EACH ROW EXECUTE FUNCTION keep_deposit_keys();
CREATE TRIGGER deposit_keys_not_deleted BEFORE DELETE OR TRUNCATE ON deposit_keys
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- What an address is derived from and whose it is never changes. Nothing is forgotten: it can be paid to for ever.
CREATE TABLE deposit_addresses (
    key_id     bigint      NOT NULL CONSTRAINT deposit_addresses_key REFERENCES deposit_keys (id),
    index      integer     NOT NULL,
    chain      text        NOT NULL,
    address    text        NOT NULL,
    user_id    uuid        NOT NULL,
    -- Bitcoin: the quote that it was derived for; unset for the address that a member has without a quote.
    quote_id   uuid,
    -- The one that the member is shown without a quote. On Bitcoin, another one follows when it was paid to.
    is_current boolean     NOT NULL,
    created_at timestamptz NOT NULL,
    -- When the first payment to it was seen.
    paid_at    timestamptz,
    -- When its balances were read last.
    read_at    timestamptz,
    CONSTRAINT deposit_addresses_pkey PRIMARY KEY (key_id, index),
    CONSTRAINT deposit_addresses_address UNIQUE (address),
    CONSTRAINT deposit_addresses_quote CHECK (quote_id IS NULL OR NOT is_current)
);
CREATE UNIQUE INDEX deposit_addresses_current ON deposit_addresses (key_id, user_id) WHERE is_current;
CREATE INDEX deposit_addresses_lower ON deposit_addresses (lower(address));
CREATE INDEX deposit_addresses_member ON deposit_addresses (user_id);
CREATE INDEX deposit_addresses_paid ON deposit_addresses (chain, read_at NULLS FIRST, key_id, index)
    WHERE paid_at IS NOT NULL;

CREATE FUNCTION keep_deposit_addresses() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF (NEW.key_id, NEW.index, NEW.chain, NEW.address, NEW.user_id, NEW.quote_id, NEW.created_at)
            IS DISTINCT FROM (OLD.key_id, OLD.index, OLD.chain, OLD.address, OLD.user_id, OLD.quote_id, OLD.created_at)
        OR NEW.is_current AND NOT OLD.is_current
        OR OLD.paid_at IS NOT NULL AND NEW.paid_at IS DISTINCT FROM OLD.paid_at
    THEN
        RAISE EXCEPTION 'deposit address % of key % stays as it was derived', OLD.index, OLD.key_id
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'deposit_addresses_kept';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER deposit_addresses_kept BEFORE UPDATE ON deposit_addresses
    FOR EACH ROW EXECUTE FUNCTION keep_deposit_addresses();
CREATE TRIGGER deposit_addresses_not_deleted BEFORE DELETE OR TRUNCATE ON deposit_addresses
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'payment_method') THEN
        REVOKE ALL ON deposit_keys, deposit_addresses FROM payment_method;
        GRANT SELECT, INSERT, UPDATE (next_index) ON deposit_keys TO payment_method;
        GRANT SELECT, INSERT, UPDATE (is_current, paid_at, read_at) ON deposit_addresses TO payment_method;
    END IF;
END $$;
