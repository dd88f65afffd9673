-- Every mail that an event asked for, one row a recipient: queued until it is sent, or can no longer be.

CREATE TABLE mails (
    -- Also the Message-ID, so that a mail sent twice is seen to be one.
    id               uuid        NOT NULL CONSTRAINT mails_pkey PRIMARY KEY,
    event_id         uuid        NOT NULL,
    template         text        NOT NULL,
    -- Name and address are asked of auth when the mail is sent.
    user_id          uuid        NOT NULL,
    -- Set when the mail goes to one address whatever the account's is by then.
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
    CONSTRAINT mails_tries CHECK (tries >= 0),
    CONSTRAINT mails_one_address CHECK (address IS NULL OR secret_reference IS NULL)
);
-- Codes and links go first.
CREATE INDEX mails_due ON mails ((secret_reference IS NULL), next_try_at) WHERE status = 'queued';
CREATE INDEX mails_ended_at ON mails (ended_at) WHERE ended_at IS NOT NULL;
