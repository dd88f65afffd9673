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
    CONSTRAINT notice_preferences_mail_off CHECK (mail_off <@ ARRAY['money', 'plans', 'courses'])
);
