-- What members write to staff, and what staff answer.

-- What members write to staff, and what staff answer.
CREATE TABLE cases (
    id                uuid        NOT NULL CONSTRAINT cases_pkey PRIMARY KEY,
    -- Counts the cases of all members, for talking about one.
    number            bigint      GENERATED ALWAYS AS IDENTITY CONSTRAINT cases_number UNIQUE,
    user_id           uuid        NOT NULL,
    topic             text        NOT NULL,
    -- Unset for a case about nothing in particular.
    subject_kind      text,
    subject_reference text        NOT NULL,
    state             text        NOT NULL,
    -- The staff account that has taken it.
    owner_id          uuid,
    -- The colleague who handed it to the owner; unset where the owner took it.
    assigned_by       uuid,
    -- Until when staff mean to answer what the member wrote; unset while they owe none.
    answer_due_at     timestamptz,
    first_answered_at timestamptz,
    -- Since when it is in the register of complaints, and until when it has to be settled.
    complaint_at      timestamptz,
    complaint_due_at  timestamptz,
    closed_at         timestamptz,
    closed_by         text,
    messages          integer     NOT NULL,
    created_at        timestamptz NOT NULL,
    updated_at        timestamptz NOT NULL,
    -- When staff owe something next.
    due_at            timestamptz GENERATED ALWAYS AS (
        CASE WHEN state <> 'closed' THEN least(answer_due_at, complaint_due_at) END) STORED,
    CONSTRAINT cases_topic CHECK (
        topic IN ('deposit', 'withdrawal', 'investment', 'course', 'account', 'security', 'other')),
    CONSTRAINT cases_subject CHECK (
        subject_kind IN ('transaction', 'trade', 'hold', 'freeze', 'document', 'payment')
        AND length(subject_reference) <= 128),
    CONSTRAINT cases_state CHECK (state IN ('open', 'waiting', 'closed')),
    CONSTRAINT cases_assigned CHECK (
        assigned_by IS NULL OR owner_id IS NOT NULL AND owner_id <> assigned_by),
    CONSTRAINT cases_answer_due CHECK ((state = 'open') = (answer_due_at IS NOT NULL)),
    CONSTRAINT cases_complaint CHECK ((complaint_at IS NULL) = (complaint_due_at IS NULL)),
    CONSTRAINT cases_closed CHECK (
        (state = 'closed') = (closed_at IS NOT NULL) AND (closed_at IS NULL) = (closed_by IS NULL)),
    CONSTRAINT cases_closed_by CHECK (closed_by IN ('member', 'staff')),
    CONSTRAINT cases_messages CHECK (messages BETWEEN 1 AND 100)
);
CREATE INDEX cases_of_member ON cases (user_id, created_at, id);
CREATE INDEX cases_open ON cases (created_at, id) WHERE state = 'open';
CREATE INDEX cases_of_owner ON cases (owner_id, created_at, id) WHERE state <> 'closed';
CREATE INDEX cases_unowned ON cases (created_at, id) WHERE owner_id IS NULL AND state <> 'closed';
CREATE INDEX cases_due ON cases (due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX cases_complaints ON cases (complaint_at, id) WHERE complaint_at IS NOT NULL;

-- Who asked when about what stays, and so does a complaint.
CREATE FUNCTION keep_cases() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF OLD.complaint_at IS NOT NULL
        AND (TG_OP = 'DELETE' OR (NEW.complaint_at, NEW.complaint_due_at) IS DISTINCT FROM (OLD.complaint_at, OLD.complaint_due_at))
    THEN
        RAISE EXCEPTION 'case % stays in the register of complaints', OLD.number
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'cases_complaints_stay';
    END IF;
    IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
    IF OLD.state = 'closed' AND NEW.state <> 'closed' THEN
        RAISE EXCEPTION 'case % is closed', OLD.number
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'cases_stay_closed';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER cases_kept BEFORE UPDATE OR DELETE ON cases FOR EACH ROW EXECUTE FUNCTION keep_cases();
CREATE TRIGGER cases_not_emptied BEFORE TRUNCATE ON cases FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE case_messages (
    case_id    uuid        NOT NULL CONSTRAINT case_messages_case REFERENCES cases (id),
    -- From 1, in the order of the case.
    number     integer     NOT NULL,
    author     text        NOT NULL,
    author_id  uuid        NOT NULL,
    text       text        NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT case_messages_pkey PRIMARY KEY (case_id, number),
    CONSTRAINT case_messages_number CHECK (number BETWEEN 1 AND 100),
    CONSTRAINT case_messages_author CHECK (author IN ('member', 'staff')),
    CONSTRAINT case_messages_text CHECK (length(text) BETWEEN 1 AND 4000)
);
CREATE INDEX case_messages_of_member ON case_messages (author_id, created_at) WHERE author = 'member';

CREATE TRIGGER case_messages_append_only BEFORE UPDATE OR TRUNCATE ON case_messages
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Messages go with the personal data of a closed account, except those of complaints.
CREATE FUNCTION keep_case_messages() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF EXISTS (SELECT FROM cases WHERE id = OLD.case_id AND complaint_at IS NOT NULL) THEN
        RAISE EXCEPTION 'messages of complaints stay'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'case_messages_stay';
    END IF;
    RETURN OLD;
END
$$;
CREATE TRIGGER case_messages_kept BEFORE DELETE ON case_messages
    FOR EACH ROW EXECUTE FUNCTION keep_case_messages();

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
        REVOKE ALL ON cases, case_messages, case_files FROM cases;
        GRANT SELECT, INSERT, DELETE,
            UPDATE (state, owner_id, assigned_by, answer_due_at, first_answered_at, complaint_at, complaint_due_at, closed_at, closed_by,
                messages, updated_at)
            ON cases TO cases;
        GRANT SELECT, INSERT, DELETE ON case_messages, case_files TO cases;
    END IF;
END $$;
