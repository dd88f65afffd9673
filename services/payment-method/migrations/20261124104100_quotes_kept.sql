-- Quotes never change. They are forgotten long after they expired, and with the personal data of their member: a transaction
-- keeps a copy of the quote that it used.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

CREATE FUNCTION keep_quotes() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF TG_OP = 'UPDATE' OR OLD.expires_at > transaction_timestamp() - interval '1 day' THEN
        RAISE EXCEPTION 'quote % is kept', OLD.id USING ERRCODE = 'restrict_violation', CONSTRAINT = 'quotes_kept';
    END IF;
    RETURN OLD;
END
$$;
DROP TRIGGER quotes_append_only ON quotes;
CREATE TRIGGER quotes_kept BEFORE UPDATE OR DELETE ON quotes FOR EACH ROW EXECUTE FUNCTION keep_quotes();
CREATE TRIGGER quotes_not_truncated BEFORE TRUNCATE ON quotes
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'payment_method') THEN
        GRANT DELETE ON quotes TO payment_method;
    END IF;
END $$;
