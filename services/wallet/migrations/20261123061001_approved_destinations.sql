-- No withdrawal is approved whose destination its member has not confirmed.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- Set by the versions that ask for a confirmation. Whatever the version before made is approved as before.
ALTER TABLE transactions ADD COLUMN destination_checked boolean;

CREATE FUNCTION refuse_unconfirmed_destination() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF NEW.destination_checked IS DISTINCT FROM OLD.destination_checked THEN
        RAISE EXCEPTION 'withdrawal % stays as it was asked for', NEW.id
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'transactions_destination_known';
    ELSIF NEW.destination_checked IS NOT TRUE THEN
        INSERT INTO destinations (user_id, currency, network, address, memo, cause, known_at)
            SELECT NEW.user_id, NEW.currency, NEW.network, NEW.destination_address, coalesce(NEW.destination_memo, ''), 'earlier',
                NEW.created_at
            WHERE NEW.destination_address IS NOT NULL
            ON CONFLICT DO NOTHING;
    ELSIF NOT EXISTS (SELECT FROM destinations WHERE user_id = NEW.user_id
        AND key = destination_key(NEW.currency, NEW.network, NEW.destination_address, NEW.destination_memo))
    THEN
        RAISE EXCEPTION 'the destination of withdrawal % is not confirmed', NEW.id
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'transactions_destination_known';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER transactions_destination_known BEFORE UPDATE ON transactions FOR EACH ROW
    WHEN (NEW.kind = 'withdrawal' AND (NEW.approved_by IS NOT NULL AND OLD.approved_by IS NULL
        OR NEW.destination_checked IS DISTINCT FROM OLD.destination_checked))
    EXECUTE FUNCTION refuse_unconfirmed_destination();
