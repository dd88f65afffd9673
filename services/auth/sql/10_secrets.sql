-- The auditor's role is granted every table, and reads no secret of them. Runs after the migrations each time, so that it
-- covers what was granted since.
DO $$
DECLARE
    secrets CONSTANT text[] := ARRAY['password_hash', 'sealed_secret', 'code_hash', 'token_hash'];
    found record;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'auditor') THEN
        RETURN;
    END IF;
    FOR found IN
        SELECT table_name, string_agg(quote_ident(column_name), ', ') FILTER (WHERE column_name <> ALL (secrets)) AS readable
        FROM information_schema.columns
        WHERE table_schema = current_schema()
        GROUP BY table_name
        HAVING bool_or(column_name = ANY (secrets))
    LOOP
        EXECUTE format('REVOKE SELECT ON %I FROM auditor', found.table_name);
        EXECUTE format('GRANT SELECT (%s) ON %I TO auditor', found.readable, found.table_name);
    END LOOP;
END $$;
