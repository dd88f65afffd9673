-- Accounts that their owners closed, and those that are being closed.
ALTER TABLE users ADD COLUMN closed_at timestamptz;

-- From the owner's request until wallet has answered, so that a process that stops in between loses nothing.
CREATE TABLE account_closures (
    user_id      uuid        NOT NULL CONSTRAINT account_closures_pkey PRIMARY KEY
                             CONSTRAINT account_closures_user_fkey REFERENCES users,
    session_id   uuid        NOT NULL,
    requested_at timestamptz NOT NULL
);
CREATE INDEX account_closures_requested_at ON account_closures (requested_at);
