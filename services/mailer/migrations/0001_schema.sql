-- Every mail that an event asked for, one row a recipient: queued until it is sent, or can no longer be.
-- Each mail is updated two or three times within seconds.
CREATE TABLE mails (
    -- Also the Message-ID, so that a mail sent twice is seen to be one.
    id               uuid        NOT NULL CONSTRAINT mails_pkey PRIMARY KEY,
    event_id         uuid        NOT NULL,
    template         text        NOT NULL,
    -- Name and address are asked of auth when the mail is sent.
    user_id          uuid        NOT NULL,
    -- Set when the mail goes to one address, even if that of the account is another by then.
    address          text,
    -- What auth gives the code or the link's token for; the secret itself is never stored.
    secret_reference text,
    params           jsonb       NOT NULL,
    trace_context    jsonb       NOT NULL,
    status           text        NOT NULL DEFAULT 'queued',
    tries            integer     NOT NULL DEFAULT 0,
    -- While a mailer works on it, the end of its lease.
    next_try_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    last_error       text,
    created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended_at         timestamptz,
    CONSTRAINT mails_once_an_event UNIQUE NULLS NOT DISTINCT (event_id, template, user_id, address),
    CONSTRAINT mails_status CHECK (status IN ('queued', 'sent', 'expired', 'undeliverable')),
    CONSTRAINT mails_ended CHECK ((status = 'queued') = (ended_at IS NULL)),
    CONSTRAINT mails_tries CHECK (tries >= 0)
) WITH (
    autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000,
    autovacuum_analyze_scale_factor = 0.02
);
-- Codes and links go first.
CREATE INDEX mails_due ON mails ((secret_reference IS NULL), next_try_at) WHERE status = 'queued';
CREATE INDEX mails_ended_at ON mails (ended_at) WHERE ended_at IS NOT NULL;
-- A member's mails, for the download of their data.
CREATE INDEX mails_owner ON mails (user_id);

-- What happened to the money and account of a member, to read in the app: one row for each event that concerns them.
CREATE TABLE notices (
    -- The id of the event, so that an event that is delivered again adds no second row. It is ordered by time.
    id          uuid        NOT NULL,
    user_id     uuid        NOT NULL,
    kind        text        NOT NULL,
    facts       jsonb       NOT NULL,
    occurred_at timestamptz NOT NULL,
    read_at     timestamptz,
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT notices_pkey PRIMARY KEY (user_id, id)
);
CREATE INDEX notices_unread ON notices (user_id, id) WHERE read_at IS NULL;
CREATE INDEX notices_created_at ON notices (created_at);

-- Which mails a member does not want; without a row they get all.
CREATE TABLE notice_preferences (
    user_id    uuid        NOT NULL CONSTRAINT notice_preferences_pkey PRIMARY KEY,
    mail_off   text[]      NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT notice_preferences_mail_off CHECK (mail_off <@ ARRAY['money', 'plans', 'courses', 'cases'])
);
