-- What managers write before it becomes a version.

-- There is at most one draft: without one, the published version is what is edited.
CREATE TABLE drafts (
    is_only    boolean     NOT NULL DEFAULT true CONSTRAINT drafts_pkey PRIMARY KEY,
    -- Counts up with every change, also across drafts.
    revision   integer     NOT NULL,
    -- As in domain/course.rs; unset once it is published or discarded.
    course     jsonb,
    changed_by uuid        NOT NULL,
    changed_at timestamptz NOT NULL,
    CONSTRAINT drafts_only CHECK (is_only),
    CONSTRAINT drafts_revision CHECK (revision > 0)
);

DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'course') THEN
        GRANT SELECT, INSERT, UPDATE ON drafts TO course;
        REVOKE DELETE, TRUNCATE ON drafts FROM course;
    END IF;
END
$$;
