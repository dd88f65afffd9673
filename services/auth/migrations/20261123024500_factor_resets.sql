-- Members who lost every second factor: what two people of the staff agreed to remove, and when. A factor that is used
-- before then calls it off.
CREATE TABLE factor_resets (
    user_id     uuid        NOT NULL CONSTRAINT factor_resets_pkey PRIMARY KEY
                            CONSTRAINT factor_resets_user_fkey REFERENCES users,
    -- The one that was confirmed.
    proposal_id uuid        NOT NULL CONSTRAINT factor_resets_proposal_fkey REFERENCES proposals,
    due_at      timestamptz NOT NULL
);
CREATE INDEX factor_resets_due ON factor_resets (due_at);
