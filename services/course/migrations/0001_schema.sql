-- The content of the course in versions, what is published, how far members have come, and the files of lessons.

-- A version is written once, with all its modules and lessons, and never changes.
CREATE TABLE versions (
    number     integer     NOT NULL CONSTRAINT versions_pkey PRIMARY KEY,
    title      text        NOT NULL,
    subtitle   text        NOT NULL,
    -- Nil for a version that was imported on the command line.
    created_by uuid        NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT versions_number CHECK (number > 0)
);

CREATE TRIGGER versions_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON versions
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE modules (
    version integer NOT NULL CONSTRAINT modules_version REFERENCES versions (number),
    -- From 1, in the order of the course.
    number  integer NOT NULL,
    title   text    NOT NULL,
    summary text    NOT NULL,
    CONSTRAINT modules_pkey PRIMARY KEY (version, number),
    CONSTRAINT modules_number CHECK (number > 0)
);

CREATE TRIGGER modules_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON modules
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- A published version gets no further module or lesson.
CREATE FUNCTION refuse_late_content() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF EXISTS (SELECT FROM publications WHERE version = NEW.version) THEN
        RAISE EXCEPTION 'version % is published', NEW.version
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'versions_published';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER modules_in_time BEFORE INSERT ON modules FOR EACH ROW EXECUTE FUNCTION refuse_late_content();

-- A file that a manager uploads. What members are served of it is in the object store, below course/{id}.
CREATE TABLE media (
    id           uuid        NOT NULL CONSTRAINT media_pkey PRIMARY KEY,
    kind         text        NOT NULL,
    name         text        NOT NULL,
    size         bigint      NOT NULL,
    -- Bytes that have arrived.
    received     bigint      NOT NULL DEFAULT 0,
    state        text        NOT NULL DEFAULT 'uploading',
    -- Of the processing, in percent.
    progress     integer     NOT NULL DEFAULT 0,
    -- Why it failed, for people.
    reason       text,
    -- What was found in the file.
    content_type text,
    duration_ms  bigint,
    width        integer,
    height       integer,
    -- The preview strip, as in domain/media.rs.
    preview      jsonb,
    -- The last attempt to process it, and the folder of its results. Random, so that nobody can guess it.
    attempt      uuid,
    attempts     integer     NOT NULL DEFAULT 0,
    -- Until when the worker of this attempt owns it.
    leased_until timestamptz,
    created_by   uuid        NOT NULL,
    created_at   timestamptz NOT NULL,
    -- The last chunk, or the last change of the state.
    changed_at   timestamptz NOT NULL,
    CONSTRAINT media_kind CHECK (kind IN ('video', 'attachment')),
    CONSTRAINT media_state CHECK (state IN ('uploading', 'queued', 'processing', 'ready', 'failed', 'removed')),
    CONSTRAINT media_size CHECK (size > 0),
    CONSTRAINT media_received CHECK (received BETWEEN 0 AND size),
    CONSTRAINT media_complete CHECK (received = size OR state IN ('uploading', 'failed', 'removed')),
    CONSTRAINT media_progress CHECK (progress BETWEEN 0 AND 100),
    CONSTRAINT media_lease CHECK ((state = 'processing') = (leased_until IS NOT NULL)),
    CONSTRAINT media_reason CHECK ((state = 'failed') = (reason IS NOT NULL)),
    CONSTRAINT media_result CHECK (state <> 'ready' OR (content_type IS NOT NULL AND attempt IS NOT NULL)),
    CONSTRAINT media_video CHECK (state <> 'ready' OR kind <> 'video'
        OR (duration_ms IS NOT NULL AND width IS NOT NULL AND height IS NOT NULL AND preview IS NOT NULL))
);
CREATE INDEX media_newest ON media (created_at DESC);
CREATE INDEX media_waiting ON media (changed_at) WHERE state IN ('uploading', 'queued', 'processing', 'removed');

-- The chunks of an upload that are in the object store, until the file has been processed and its time is over.
CREATE TABLE media_chunks (
    media     uuid   NOT NULL CONSTRAINT media_chunks_media REFERENCES media (id) ON DELETE CASCADE,
    -- Where the chunk begins.
    begins_at bigint NOT NULL,
    bytes     bigint NOT NULL,
    name      uuid   NOT NULL,
    CONSTRAINT media_chunks_pkey PRIMARY KEY (media, begins_at),
    CONSTRAINT media_chunks_bytes CHECK (bytes > 0)
);

-- Subtitles of a video.
CREATE TABLE captions (
    media    uuid NOT NULL CONSTRAINT captions_media REFERENCES media (id) ON DELETE CASCADE,
    language text NOT NULL,
    label    text NOT NULL,
    vtt      text NOT NULL,
    CONSTRAINT captions_pkey PRIMARY KEY (media, language)
);

CREATE TABLE lessons (
    version    integer NOT NULL,
    -- The same lesson has the same id in every version: progress is kept by it.
    id         text    NOT NULL,
    module     integer NOT NULL,
    -- From 1, in the order of the module.
    number     integer NOT NULL,
    title      text    NOT NULL,
    minutes    integer NOT NULL,
    is_preview boolean NOT NULL,
    markdown   text    NOT NULL,
    video      uuid,
    CONSTRAINT lessons_pkey PRIMARY KEY (version, id),
    CONSTRAINT lessons_place UNIQUE (version, module, number),
    CONSTRAINT lessons_module FOREIGN KEY (version, module) REFERENCES modules (version, number),
    CONSTRAINT lessons_id CHECK (id ~ '^[a-z0-9]+(-[a-z0-9]+)*$' AND length(id) <= 80),
    CONSTRAINT lessons_number CHECK (number > 0),
    CONSTRAINT lessons_minutes CHECK (minutes > 0),
    CONSTRAINT lessons_video FOREIGN KEY (video) REFERENCES media (id)
);
CREATE INDEX lessons_of_video ON lessons (video) WHERE video IS NOT NULL;

CREATE TRIGGER lessons_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON lessons
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER lessons_in_time BEFORE INSERT ON lessons FOR EACH ROW EXECUTE FUNCTION refuse_late_content();

CREATE TABLE lesson_attachments (
    version integer NOT NULL,
    lesson  text    NOT NULL,
    -- From 1, in the order of the lesson.
    number  integer NOT NULL,
    media   uuid    NOT NULL CONSTRAINT lesson_attachments_media REFERENCES media (id),
    name    text    NOT NULL,
    CONSTRAINT lesson_attachments_pkey PRIMARY KEY (version, lesson, number),
    CONSTRAINT lesson_attachments_lesson FOREIGN KEY (version, lesson) REFERENCES lessons (version, id),
    CONSTRAINT lesson_attachments_number CHECK (number > 0)
);
CREATE INDEX lesson_attachments_of_media ON lesson_attachments (media);

CREATE TRIGGER lesson_attachments_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON lesson_attachments
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER lesson_attachments_in_time BEFORE INSERT ON lesson_attachments
    FOR EACH ROW EXECUTE FUNCTION refuse_late_content();

-- The newest row says which version members see: one row publishes a version or goes back to an older one.
CREATE TABLE publications (
    id           bigint      GENERATED ALWAYS AS IDENTITY CONSTRAINT publications_pkey PRIMARY KEY,
    version      integer     NOT NULL CONSTRAINT publications_version REFERENCES versions (number),
    -- Nil for the command line.
    published_by uuid        NOT NULL,
    published_at timestamptz NOT NULL
);
CREATE INDEX publications_of_version ON publications (version);

CREATE TRIGGER publications_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON publications
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- What managers write before it becomes a version. There is at most one draft: without it, the published version is edited.
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

-- How far a member has come in a lesson.
CREATE TABLE progress (
    user_id          uuid        NOT NULL,
    lesson_id        text        NOT NULL,
    -- Into the video of the lesson; 0 for a text.
    position_seconds integer     NOT NULL,
    -- When the member marked the lesson as done.
    done_at          timestamptz,
    -- When the member's device wrote this, by its own clock: what was written last wins.
    at               timestamptz NOT NULL,
    CONSTRAINT progress_pkey PRIMARY KEY (user_id, lesson_id),
    CONSTRAINT progress_position CHECK (position_seconds >= 0)
) WITH (
    autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000,
    autovacuum_analyze_scale_factor = 0.02
);

-- What a member notes at a moment of a lesson.
CREATE TABLE notes (
    id               uuid        NOT NULL CONSTRAINT notes_pkey PRIMARY KEY,
    user_id          uuid        NOT NULL,
    lesson_id        text        NOT NULL,
    -- Into the video of the lesson; 0 for a text.
    position_seconds integer     NOT NULL,
    text             text        NOT NULL,
    created_at       timestamptz NOT NULL,
    updated_at       timestamptz NOT NULL,
    CONSTRAINT notes_position CHECK (position_seconds >= 0)
);
CREATE INDEX notes_of_member ON notes (user_id, lesson_id, position_seconds);

-- The videos that members watch now: one row for each lesson in each session, forgotten a minute later.
CREATE TABLE streams (
    user_id    uuid        NOT NULL,
    session_id uuid        NOT NULL,
    lesson_id  text        NOT NULL,
    seen_at    timestamptz NOT NULL,
    CONSTRAINT streams_pkey PRIMARY KEY (user_id, session_id, lesson_id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
CREATE INDEX streams_seen_at ON streams (seen_at);

-- States that a member has done all lessons; one for each member.
CREATE TABLE certificates (
    -- Random: everybody who knows it may read the certificate.
    number       uuid        NOT NULL CONSTRAINT certificates_pkey PRIMARY KEY,
    user_id      uuid        NOT NULL,
    -- As the course was called then.
    course_title text        NOT NULL,
    issued_at    timestamptz NOT NULL,
    -- The name that its member had then.
    holder_name  text,
    CONSTRAINT certificates_one_a_member UNIQUE (user_id),
    CONSTRAINT certificates_holder_name CHECK (char_length(holder_name) BETWEEN 1 AND 100)
);

DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'course') THEN
        REVOKE ALL ON versions, modules, lessons, lesson_attachments, publications, drafts, certificates FROM course;
        GRANT SELECT, INSERT ON versions, modules, lessons, lesson_attachments, publications TO course;
        GRANT SELECT, INSERT, UPDATE ON drafts TO course;
        -- They go with the rest of the personal data of a closed account.
        GRANT SELECT, INSERT, DELETE ON certificates TO course;
    END IF;
END $$;

-- The media worker sees the rows of files and nothing else. Who may: deploy/COMPOSE.md, deploy/KUBERNETES.md.
DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'course_worker') THEN
        GRANT SELECT, UPDATE, DELETE ON media, media_chunks TO course_worker;
    END IF;
END $$;
