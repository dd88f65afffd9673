-- States that a member has done all lessons; one for each member.
CREATE TABLE certificates (
    -- Random: whoever knows it may read the certificate.
    number       uuid        NOT NULL CONSTRAINT certificates_pkey PRIMARY KEY,
    user_id      uuid        NOT NULL,
    -- As the course was called then.
    course_title text        NOT NULL,
    issued_at    timestamptz NOT NULL,
    CONSTRAINT certificates_one_a_member UNIQUE (user_id)
);

DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'course') THEN
        -- They go with the rest of the personal data of a closed account.
        GRANT SELECT, INSERT, DELETE ON certificates TO course;
        REVOKE UPDATE, TRUNCATE ON certificates FROM course;
    END IF;
END $$;
