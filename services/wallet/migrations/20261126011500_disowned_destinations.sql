-- A member who reports that someone else used the account takes back the destinations that became known lately. They are kept,
-- because withdrawals were approved for them.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

CREATE TABLE disowned_destinations (
    user_id     uuid        NOT NULL,
    key         bytea       NOT NULL,
    currency    text        NOT NULL,
    network     text        NOT NULL,
    address     text        NOT NULL,
    memo        text        NOT NULL,
    cause       text        NOT NULL,
    -- It was known from then on, until it was taken back.
    known_at    timestamptz NOT NULL,
    disowned_at timestamptz NOT NULL,
    CONSTRAINT disowned_destinations_pkey PRIMARY KEY (user_id, key, known_at)
);

-- No destination goes without a trace before the personal data of its member does, and none that has been known for long. A
-- report covers 72 hours; the rest is for an event that arrives late.
CREATE FUNCTION keep_disowned_destination() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    IF EXISTS (SELECT FROM closed_wallets
        WHERE user_id = OLD.user_id AND closed_at < clock_timestamp() - interval '30 days')
    THEN
        RETURN OLD;
    ELSIF OLD.known_at < clock_timestamp() - interval '7 days' THEN
        RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
    END IF;
    INSERT INTO disowned_destinations
    VALUES (OLD.user_id, OLD.key, OLD.currency, OLD.network, OLD.address, OLD.memo, OLD.cause, OLD.known_at, clock_timestamp());
    RETURN OLD;
END
$$;
REVOKE EXECUTE ON FUNCTION keep_disowned_destination FROM PUBLIC;
DROP TRIGGER destinations_of_closed_wallets ON destinations;
CREATE TRIGGER destinations_of_closed_wallets BEFORE DELETE ON destinations
    FOR EACH ROW EXECUTE FUNCTION keep_disowned_destination();

CREATE TRIGGER disowned_destinations_append_only BEFORE UPDATE OR TRUNCATE ON disowned_destinations
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER disowned_destinations_of_closed_wallets BEFORE DELETE ON disowned_destinations
    FOR EACH ROW EXECUTE FUNCTION refuse_unless_wallet_closed();

DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'wallet') THEN
        REVOKE ALL ON disowned_destinations FROM wallet;
        GRANT SELECT, DELETE ON disowned_destinations TO wallet;
    END IF;
END $$;
