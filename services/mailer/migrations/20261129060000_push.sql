-- The devices that notices are sent to (Web Push): at most one for each session, whose browser has named it.
CREATE TABLE push_subscriptions (
    session_id   uuid        NOT NULL CONSTRAINT push_subscriptions_pkey PRIMARY KEY,
    user_id      uuid        NOT NULL,
    -- The host of the push service.
    service      text        NOT NULL,
    -- A keyed hash of what is sealed: a browser that names it in another session has moved there.
    fingerprint  bytea       NOT NULL CONSTRAINT push_subscriptions_fingerprint UNIQUE,
    -- The address and the keys of the subscription, sealed with PUSH_KEY_FILE.
    sealed       bytea       NOT NULL,
    -- Refusals of the push service since it last took a notice.
    failures     integer     NOT NULL DEFAULT 0,
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- When the browser last named it. It ends 30 days later.
    renewed_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    last_used_at timestamptz
);
CREATE INDEX push_subscriptions_user ON push_subscriptions (user_id, renewed_at);
CREATE INDEX push_subscriptions_renewed_at ON push_subscriptions (renewed_at);

-- The notices on their way to a device: a row leaves when its notice is taken, refused, read or given up.
CREATE TABLE pushes (
    session_id  uuid        NOT NULL CONSTRAINT pushes_subscription
                            REFERENCES push_subscriptions (session_id) ON DELETE CASCADE,
    notice_id   uuid        NOT NULL,
    tries       integer     NOT NULL DEFAULT 0,
    -- While a process works on it, the end of its lease.
    next_try_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT pushes_pkey PRIMARY KEY (session_id, notice_id)
) WITH (
    autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000,
    autovacuum_analyze_scale_factor = 0.02
);
CREATE INDEX pushes_due ON pushes (next_try_at);
CREATE INDEX pushes_created_at ON pushes (created_at);

-- Which notices a member does not want on devices.
ALTER TABLE notice_preferences
    ADD COLUMN push_off text[] NOT NULL DEFAULT '{}',
    ADD CONSTRAINT notice_preferences_push_off CHECK (push_off <@ ARRAY['money', 'plans', 'courses', 'cases']) NOT VALID;
