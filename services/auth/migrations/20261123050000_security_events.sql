-- What happened to the security of accounts, for their owners and for staff. Kept for 13 months.
CREATE TABLE security_events (
    id      bigint      GENERATED ALWAYS AS IDENTITY CONSTRAINT security_events_pkey PRIMARY KEY,
    user_id uuid        NOT NULL CONSTRAINT security_events_user_fkey REFERENCES users,
    at      timestamptz NOT NULL,
    kind    text        NOT NULL CONSTRAINT security_events_kind CHECK (length(kind) BETWEEN 1 AND 50),
    -- Whether it was refused: a wrong password, a wrong second factor.
    refused boolean     NOT NULL,
    -- Browser and system family, and the block of the address; empty where staff or a link did it.
    device  text        NOT NULL CONSTRAINT security_events_device CHECK (length(device) <= 100),
    block   text        NOT NULL CONSTRAINT security_events_block CHECK (length(block) <= 50)
);
CREATE INDEX security_events_user ON security_events (user_id, id DESC);
CREATE INDEX security_events_at ON security_events USING brin (at);
-- Nothing that happened is rewritten; what is old is deleted.
DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'auth') THEN
        REVOKE UPDATE, TRUNCATE ON security_events FROM auth;
    END IF;
END $$;
