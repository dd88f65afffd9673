-- Pictures and PDFs that members send with messages, by their keys in the object store.
CREATE TABLE case_files (
    key          text        NOT NULL CONSTRAINT case_files_pkey PRIMARY KEY,
    case_id      uuid        NOT NULL,
    number       integer     NOT NULL,
    content_type text        NOT NULL,
    bytes        bigint      NOT NULL,
    -- SHA-256 of the file as sent.
    digest       bytea       NOT NULL,
    CONSTRAINT case_files_message UNIQUE (case_id, number),
    CONSTRAINT case_files_sent_with FOREIGN KEY (case_id, number) REFERENCES case_messages (case_id, number),
    CONSTRAINT case_files_bytes CHECK (bytes > 0)
);
CREATE TRIGGER case_files_append_only BEFORE UPDATE OR TRUNCATE ON case_files
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
-- Those of complaints stay, as their messages do.
CREATE TRIGGER case_files_kept BEFORE DELETE ON case_files
    FOR EACH ROW EXECUTE FUNCTION keep_case_messages();

DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'cases') THEN
        REVOKE ALL ON case_files FROM cases;
        GRANT SELECT, INSERT, DELETE ON case_files TO cases;
    END IF;
END $$;
