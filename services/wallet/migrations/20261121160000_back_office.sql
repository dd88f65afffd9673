-- Stops of withdrawals, each ended by two people; who looks at what; how long decisions took.

-- A stop begins when the books do not add up. Each stays on record.
CREATE TABLE withdrawal_stops (
    id                     bigint      GENERATED ALWAYS AS IDENTITY CONSTRAINT withdrawal_stops_pkey PRIMARY KEY,
    -- What was wrong, in sentences.
    reason                 text        NOT NULL,
    stopped_at             timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- Who let withdrawals go on, and when.
    reopening_proposed_by  uuid,
    reopened_by            uuid,
    reopened_at            timestamptz,
    CONSTRAINT withdrawal_stops_reopening CHECK (
        (reopened_at IS NULL) = (reopened_by IS NULL) AND (reopened_at IS NULL) = (reopening_proposed_by IS NULL)),
    CONSTRAINT withdrawal_stops_two_people CHECK (reopened_by <> reopening_proposed_by)
);
CREATE UNIQUE INDEX withdrawal_stops_one_in_force ON withdrawal_stops ((true)) WHERE reopened_at IS NULL;

INSERT INTO withdrawal_stops (reason, stopped_at) SELECT cause, changed_at FROM withdrawal_gate WHERE closed;

-- The version before looks into its gate, which the version after drops.
CREATE FUNCTION show_stop_at_gate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE withdrawal_gate SET closed = NEW.reopened_at IS NULL, cause = NEW.reason, changed_at = clock_timestamp();
    RETURN NULL;
END
$$;
CREATE TRIGGER withdrawal_stops_at_gate AFTER INSERT OR UPDATE ON withdrawal_stops
    FOR EACH ROW EXECUTE FUNCTION show_stop_at_gate();

-- The last look at the books: one row. All entries are read for it, so that nobody waits for it.
CREATE TABLE book_checks (
    is_last             boolean     NOT NULL DEFAULT true CONSTRAINT book_checks_pkey PRIMARY KEY
        CONSTRAINT book_checks_one CHECK (is_last),
    checked_at          timestamptz NOT NULL,
    trial_balance_cents bigint      NOT NULL,
    drift_cents         bigint      NOT NULL,
    -- What was wrong, a sentence each.
    complaints          text[]      NOT NULL
);

CREATE FUNCTION refuse_reopening_twice() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' OR OLD.reopened_at IS NOT NULL THEN
        RAISE EXCEPTION 'stop % is history', OLD.id
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'withdrawal_stops_reopened_once';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER withdrawal_stops_reopened_once BEFORE UPDATE OR DELETE ON withdrawal_stops
    FOR EACH ROW EXECUTE FUNCTION refuse_reopening_twice();

-- Who of staff looks at which transaction. Worth seconds, so that a crash may lose it.
CREATE UNLOGGED TABLE viewings (
    transaction_id uuid        NOT NULL,
    staff_id       uuid        NOT NULL,
    seen_at        timestamptz NOT NULL,
    CONSTRAINT viewings_pkey PRIMARY KEY (transaction_id, staff_id)
);
CREATE INDEX viewings_seen_at ON viewings (seen_at);

-- What staff handled of late: a withdrawal counts anew when it is paid.
CREATE INDEX transactions_handled ON transactions (greatest(approved_at, decided_at))
    WHERE kind IN ('deposit', 'course', 'fee', 'withdrawal');

DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'wallet') THEN
        GRANT SELECT, INSERT, UPDATE ON withdrawal_stops TO wallet;
        REVOKE DELETE, TRUNCATE ON withdrawal_stops FROM wallet;
        GRANT SELECT, INSERT, UPDATE ON book_checks TO wallet;
        GRANT SELECT, INSERT, UPDATE, DELETE ON viewings TO wallet;
    END IF;
END $$;
