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

-- What two people announced to all members.
CREATE TABLE announcements (
    -- The proposal that was confirmed.
    id           uuid        NOT NULL CONSTRAINT announcements_pkey PRIMARY KEY
                             CONSTRAINT announcements_proposal REFERENCES proposals (id),
    text         text        NOT NULL,
    published_at timestamptz NOT NULL,
    -- Earlier once somebody has ended it.
    ends_at      timestamptz NOT NULL,
    CONSTRAINT announcements_text CHECK (length(text) BETWEEN 1 AND 500),
    CONSTRAINT announcements_order CHECK (ends_at >= published_at)
);
CREATE INDEX announcements_ends_at ON announcements (ends_at);

-- The service's own role announces only what two people proposed and confirmed, in the transaction of the confirmation, and
-- for no longer; afterwards it can only end it.
CREATE FUNCTION refuse_unproposed_announcement() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF TG_OP = 'INSERT' AND EXISTS (SELECT FROM proposals
            WHERE id = NEW.id AND kind = 'announcement.publish' AND status = 'confirmed' AND decided_by <> proposed_by
                AND decided_at >= transaction_timestamp() AND proposed_at > transaction_timestamp() - interval '8 days'
                AND change ->> 'text' = NEW.text AND NEW.published_at = transaction_timestamp()
                AND NEW.ends_at = NEW.published_at + make_interval(hours => (change ->> 'hours')::integer))
        OR TG_OP = 'UPDATE' AND NEW.ends_at < OLD.ends_at
            AND (NEW.id, NEW.text, NEW.published_at) IS NOT DISTINCT FROM (OLD.id, OLD.text, OLD.published_at)
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'announcement % is what two people proposed and confirmed', NEW.id
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'announcements_as_proposed';
END
$$;
CREATE TRIGGER announcements_as_proposed BEFORE INSERT OR UPDATE ON announcements FOR EACH ROW
    WHEN (current_user = 'mailer') EXECUTE FUNCTION refuse_unproposed_announcement();

DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'mailer') THEN
        REVOKE ALL ON announcements FROM mailer;
        GRANT SELECT, INSERT, UPDATE (ends_at) ON announcements TO mailer;
    END IF;
END $$;
