-- The trail is append-only for the service's own role too, not only by its trigger.
DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'mailer') THEN
        REVOKE UPDATE, DELETE, TRUNCATE ON audit_rows FROM mailer;
    END IF;
END $$;
