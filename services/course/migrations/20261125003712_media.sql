-- Videos and attachments of lessons, the notes of members, and the streams that members watch.
-- small: lessons

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

CREATE TABLE captions (
    media    uuid NOT NULL CONSTRAINT captions_media REFERENCES media (id) ON DELETE CASCADE,
    language text NOT NULL,
    label    text NOT NULL,
    vtt      text NOT NULL,
    CONSTRAINT captions_pkey PRIMARY KEY (media, language)
);

ALTER TABLE lessons ADD COLUMN video uuid;
ALTER TABLE lessons ADD CONSTRAINT lessons_video FOREIGN KEY (video) REFERENCES media (id) NOT VALID;
CREATE INDEX lessons_of_video ON lessons (video) WHERE video IS NOT NULL;

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
);
CREATE INDEX streams_seen_at ON streams (seen_at);
ALTER TABLE streams SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'course') THEN
        GRANT SELECT, INSERT, UPDATE, DELETE ON media, media_chunks, captions, notes, streams TO course;
        GRANT SELECT, INSERT ON lesson_attachments TO course;
        REVOKE UPDATE, DELETE, TRUNCATE ON lesson_attachments FROM course;
        REVOKE TRUNCATE ON media, media_chunks, captions, notes, streams FROM course;
    END IF;
END $$;
