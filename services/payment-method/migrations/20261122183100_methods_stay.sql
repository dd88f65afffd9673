-- Methods are archived, never deleted, also by the service's own role.
DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'payment_method') THEN
        REVOKE DELETE, TRUNCATE ON methods FROM payment_method;
    END IF;
END $$;
