-- The content of the course in versions, what is published, and how far members have come.

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

CREATE TABLE modules (
    version integer NOT NULL CONSTRAINT modules_version REFERENCES versions (number),
    -- From 1, in the order of the course.
    number  integer NOT NULL,
    title   text    NOT NULL,
    summary text    NOT NULL,
    CONSTRAINT modules_pkey PRIMARY KEY (version, number),
    CONSTRAINT modules_number CHECK (number > 0)
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
    CONSTRAINT lessons_pkey PRIMARY KEY (version, id),
    CONSTRAINT lessons_place UNIQUE (version, module, number),
    CONSTRAINT lessons_module FOREIGN KEY (version, module) REFERENCES modules (version, number),
    CONSTRAINT lessons_id CHECK (id ~ '^[a-z0-9]+(-[a-z0-9]+)*$' AND length(id) <= 80),
    CONSTRAINT lessons_number CHECK (number > 0),
    CONSTRAINT lessons_minutes CHECK (minutes > 0)
);

-- The newest row says which version members see: one row publishes a version or goes back to an older one.
CREATE TABLE publications (
    id           bigint      GENERATED ALWAYS AS IDENTITY CONSTRAINT publications_pkey PRIMARY KEY,
    version      integer     NOT NULL CONSTRAINT publications_version REFERENCES versions (number),
    -- Nil for the command line.
    published_by uuid        NOT NULL,
    published_at timestamptz NOT NULL
);

CREATE TRIGGER versions_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON versions
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER modules_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON modules
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER lessons_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON lessons
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER publications_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON publications
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
CREATE INDEX publications_of_version ON publications (version);
CREATE TRIGGER modules_in_time BEFORE INSERT ON modules FOR EACH ROW EXECUTE FUNCTION refuse_late_content();
CREATE TRIGGER lessons_in_time BEFORE INSERT ON lessons FOR EACH ROW EXECUTE FUNCTION refuse_late_content();

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
);
ALTER TABLE progress SET (
    autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000, autovacuum_analyze_scale_factor = 0.02);

DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'course') THEN
        GRANT SELECT, INSERT ON versions, modules, lessons, publications TO course;
        GRANT SELECT, INSERT, UPDATE ON progress TO course;
        REVOKE UPDATE, DELETE, TRUNCATE ON versions, modules, lessons, publications, audit_rows FROM course;
        REVOKE DELETE, TRUNCATE ON progress FROM course;
    END IF;
END
$$;
