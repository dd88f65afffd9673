-- Where the money of plans and of the operator comes from and goes to: house accounts for both, and two accounts of each plan.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- The owner of a plan's accounts is the plan. Its cash pays gains and takes losses, and is never below zero; its assets stand
-- below zero by what they cost, as settlement does by what is held.
ALTER TABLE accounts
    DROP CONSTRAINT accounts_kind,
    DROP CONSTRAINT accounts_members_not_negative,
    ADD CONSTRAINT accounts_kind CHECK (
        CASE WHEN user_id IS NULL
        THEN kind IN ('settlement', 'course_revenue', 'fee_revenue', 'investment_pool', 'bonus_expense', 'adjustments',
            'capital', 'network_fees')
        ELSE kind IN ('available', 'held', 'on_hold', 'bonus', 'invested', 'owed', 'plan_cash', 'plan_assets') END) NOT VALID,
    ADD CONSTRAINT accounts_members_not_negative CHECK (
        user_id IS NULL OR CASE WHEN kind IN ('owed', 'plan_assets') THEN balance_cents <= 0 ELSE balance_cents >= 0 END) NOT VALID;

INSERT INTO accounts (id, kind) OVERRIDING SYSTEM VALUE VALUES
    (4000000000000000007, 'capital'),
    (4000000000000000008, 'network_fees');

-- Gains were paid by one pool before.
UPDATE posting_kinds SET debits = '{plan_cash}' WHERE kind = 'trade_gain';
UPDATE posting_kinds SET credits = '{plan_cash}' WHERE kind = 'trade_loss';
-- small: posting_kinds
INSERT INTO posting_kinds (kind, cause_type, cause_kind, cause_status, debits, credits) VALUES
    ('capital_in', 'proposal', 'capital_in', 'confirmed', '{settlement}', '{capital}'),
    ('capital_out', 'proposal', 'capital_out', 'confirmed', '{capital}', '{settlement}'),
    ('revenue_out', 'proposal', 'revenue_out', 'confirmed', '{course_revenue,fee_revenue}', '{settlement}'),
    ('network_fee', 'proposal', 'network_fee', 'confirmed', '{network_fees}', '{settlement}'),
    ('loss', 'proposal', 'loss', 'confirmed', '{capital}', '{settlement}'),
    ('plan_funded', 'proposal', 'plan_funded', 'confirmed', '{capital}', '{plan_cash}'),
    ('plan_returned', 'proposal', 'plan_returned', 'confirmed', '{plan_cash}', '{capital}'),
    ('plan_bought', 'proposal', 'plan_bought', 'confirmed', '{plan_assets}', '{settlement}'),
    ('plan_proceeds', 'proposal', 'plan_proceeds', 'confirmed', '{settlement}', '{plan_assets,plan_cash}'),
    ('plan_loss', 'proposal', 'plan_loss', 'confirmed', '{plan_cash}', '{plan_assets}');

-- Whether a proposal of this kind is a treasury movement.
CREATE FUNCTION is_treasury(kind text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT kind IN ('capital_in', 'capital_out', 'revenue_out', 'network_fee', 'loss', 'plan_funded', 'plan_returned',
        'plan_bought', 'plan_proceeds', 'plan_loss', 'plan_valued', 'holding_stated', 'sweep', 'exchange', 'refund')
$$;

-- What trade last said of the open trades of a plan: what they cost and what they are worth.
CREATE TABLE plan_values (
    plan_id     uuid        NOT NULL CONSTRAINT plan_values_pkey PRIMARY KEY,
    title       text        NOT NULL,
    cost_cents  bigint      NOT NULL CONSTRAINT plan_values_cost CHECK (cost_cents >= 0),
    value_cents bigint      NOT NULL CONSTRAINT plan_values_value CHECK (value_cents >= 0),
    at          timestamptz NOT NULL
);

DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'wallet') THEN
        REVOKE ALL ON plan_values FROM wallet;
        GRANT SELECT, INSERT, UPDATE (title, cost_cents, value_cents, at) ON plan_values TO wallet;
    END IF;
END $$;
