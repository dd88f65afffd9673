-- An account closes a day after its owner asked for it, so that the mailbox can call it off. Unset in the requests of the version
-- before, which are due at once.
ALTER TABLE account_closures
    ADD COLUMN due_at     timestamptz,
    -- When wallet was asked; from then on nothing calls it off.
    ADD COLUMN started_at timestamptz;
