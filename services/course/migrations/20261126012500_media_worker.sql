-- The media worker sees the rows of files and nothing else. Who may: deploy/COMPOSE.md, deploy/KUBERNETES.md.
DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'course_worker') THEN
        GRANT SELECT, UPDATE, DELETE ON media, media_chunks TO course_worker;
    END IF;
END $$;
