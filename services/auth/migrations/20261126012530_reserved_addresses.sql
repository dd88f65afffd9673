-- While an undo could give an address back to its owner, no other account gets it, whichever way it asks: by a registration, an
-- invitation or a change. Callers for one address wait for each other, so that each sees what the one before committed.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

CREATE FUNCTION refuse_reserved_address() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    freed text := CASE TG_OP WHEN 'UPDATE' THEN lower(OLD.email) ELSE lower(NEW.email) END;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('address ' || least(freed, lower(NEW.email)), 0));
    PERFORM pg_advisory_xact_lock(hashtextextended('address ' || greatest(freed, lower(NEW.email)), 0));
    IF EXISTS (SELECT FROM security_links
        WHERE lower(email) = lower(NEW.email) AND purpose = 'undo' AND user_id <> NEW.id AND consumed_at IS NULL
            AND superseded_at IS NULL AND expires_at > clock_timestamp())
    THEN
        RAISE EXCEPTION 'the address of account % is reserved', NEW.id
            USING ERRCODE = 'unique_violation', CONSTRAINT = 'users_email_key';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER users_address_not_reserved_insert BEFORE INSERT ON users
    FOR EACH ROW EXECUTE FUNCTION refuse_reserved_address();
CREATE TRIGGER users_address_not_reserved BEFORE UPDATE OF email ON users
    FOR EACH ROW WHEN (lower(NEW.email) <> lower(OLD.email)) EXECUTE FUNCTION refuse_reserved_address();
