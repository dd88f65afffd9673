-- The progress of members goes with the rest of their personal data.
DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'course') THEN
        GRANT DELETE ON progress TO course;
    END IF;
END $$;
