-- The book of destinations of a member goes with the rest of the personal data, long after the wallet was closed.
CREATE FUNCTION refuse_unless_wallet_closed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM closed_wallets
        WHERE user_id = OLD.user_id AND closed_at < clock_timestamp() - interval '30 days')
    THEN
        RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN OLD;
END
$$;
DROP TRIGGER destinations_append_only ON destinations;
CREATE TRIGGER destinations_append_only BEFORE UPDATE OR TRUNCATE ON destinations
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER destinations_of_closed_wallets BEFORE DELETE ON destinations
    FOR EACH ROW EXECUTE FUNCTION refuse_unless_wallet_closed();

DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'wallet') THEN
        GRANT DELETE ON destinations TO wallet;
    END IF;
END $$;
