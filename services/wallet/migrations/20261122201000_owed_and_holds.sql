-- Reversals, what members owe, and holds on a part of a balance (D-B9, D-B10).

-- A member's `owed` stands below zero by what they owe; everything else of a member's is never below zero.
ALTER TABLE accounts
    DROP CONSTRAINT accounts_kind,
    DROP CONSTRAINT accounts_members_not_negative,
    ADD CONSTRAINT accounts_kind CHECK (
        CASE WHEN user_id IS NULL
        THEN kind IN ('settlement', 'course_revenue', 'fee_revenue', 'investment_pool', 'bonus_expense', 'adjustments')
        ELSE kind IN ('available', 'held', 'on_hold', 'bonus', 'invested', 'owed') END) NOT VALID,
    ADD CONSTRAINT accounts_members_not_negative CHECK (
        user_id IS NULL OR CASE kind WHEN 'owed' THEN balance_cents <= 0 ELSE balance_cents >= 0 END) NOT VALID;

-- The posting that this one takes back, once.
ALTER TABLE postings ADD COLUMN reverses bigint;

-- Parts of balances that staff keeps back.
CREATE TABLE holds (
    id           uuid        NOT NULL CONSTRAINT holds_pkey PRIMARY KEY,
    user_id      uuid        NOT NULL,
    amount_cents bigint      NOT NULL CONSTRAINT holds_amount CHECK (amount_cents > 0),
    reason_code  text        NOT NULL CONSTRAINT holds_reason CHECK (reason_code IN ('COMPLIANCE', 'DISPUTE', 'OTHER')),
    status       text        NOT NULL DEFAULT 'placed' CONSTRAINT holds_status CHECK (status IN ('placed', 'released')),
    placed_by    uuid        NOT NULL,
    placed_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    released_by  uuid,
    released_at  timestamptz,
    CONSTRAINT holds_release CHECK (
        (status = 'released') = (released_by IS NOT NULL) AND (released_by IS NULL) = (released_at IS NULL)),
    CONSTRAINT holds_two_people CHECK (released_by <> placed_by)
);
CREATE INDEX holds_of_member ON holds (user_id) WHERE status = 'placed';
CREATE INDEX holds_placed_at ON holds (placed_at);
CREATE INDEX holds_released_at ON holds (released_at) WHERE released_at IS NOT NULL;

-- A hold is placed, and released once; its terms stay.
CREATE FUNCTION refuse_other_hold() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'hold % is placed, then released, once', NEW.id
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'holds_released_once';
END
$$;
CREATE TRIGGER holds_placed_first BEFORE INSERT ON holds
    FOR EACH ROW WHEN (NEW.status <> 'placed') EXECUTE FUNCTION refuse_other_hold();
CREATE TRIGGER holds_released_once BEFORE UPDATE ON holds
    FOR EACH ROW WHEN ((OLD.status, NEW.status) IS DISTINCT FROM ('placed', 'released')
        OR (NEW.id, NEW.user_id, NEW.amount_cents, NEW.reason_code, NEW.placed_by, NEW.placed_at)
            IS DISTINCT FROM (OLD.id, OLD.user_id, OLD.amount_cents, OLD.reason_code, OLD.placed_by, OLD.placed_at))
    EXECUTE FUNCTION refuse_other_hold();
CREATE TRIGGER holds_stay BEFORE DELETE OR TRUNCATE ON holds
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- A posting whose kind may debit `owed` takes there what the balance lacks. The accounts of a reversal say what may be
-- reversed: what came to a balance from outside, from a correction, or from a bonus.
ALTER TABLE posting_kinds
    DROP CONSTRAINT posting_kinds_cause_type,
    ADD CONSTRAINT posting_kinds_cause_type
        CHECK (cause_type IN ('transaction', 'purchase', 'trade', 'proposal', 'hold', 'unchecked'));
INSERT INTO posting_kinds (kind, cause_type, cause_kind, cause_status, debits, credits) VALUES
    ('reversal', 'proposal', 'reversal', 'confirmed', '{available,owed}', '{settlement,adjustments,bonus}'),
    ('hold', 'hold', NULL, 'placed', '{available}', '{on_hold}'),
    ('hold_release', 'hold', NULL, 'released', '{on_hold}', '{available}');

DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'wallet') THEN
        REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON holds FROM wallet;
        GRANT SELECT, INSERT, UPDATE (status, released_by, released_at) ON holds TO wallet;
    END IF;
END $$;
