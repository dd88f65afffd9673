-- The rules of the ledger: what causes a posting of each kind, which accounts it moves, and by how much. post_movements and
-- expected_postings read this table. Applied after the migrations, so this file is the current definition.

CREATE TEMP TABLE rules (LIKE posting_kinds INCLUDING DEFAULTS);
-- The accounts with their amounts: `named_amount` in 10_causes.sql defines the names.
INSERT INTO rules (kind, cause_type, cause_kind, cause_status, debits, debit_amounts, credits, credit_amounts) VALUES
    ('deposit', 'transaction', 'deposit', 'success', '{settlement}', '{amount}', '{available}', '{amount}'),
    ('course', 'transaction', 'course', 'success', '{settlement}', '{price}', '{course_revenue}', '{price}'),
    ('course', 'purchase', 'course', 'success', '{available}', '{price}', '{course_revenue}', '{price}'),
    ('course_credit', 'transaction', 'course', 'success', '{settlement}', '{credit}', '{available}', '{credit}'),
    ('withdrawal_hold', 'transaction', 'withdrawal', 'pending', '{available}', '{amount}', '{held}', '{amount}'),
    ('withdrawal_paid', 'transaction', 'withdrawal', 'success', '{held}', '{amount}', '{settlement,fee_revenue}', '{part,rest}'),
    ('withdrawal_release', 'transaction', 'withdrawal', 'failed', '{held}', '{amount}', '{available}', '{amount}'),
    ('fee', 'transaction', 'fee', 'success', '{settlement}', '{amount}', '{fee_revenue}', '{amount}'),
    ('fee_refund', 'transaction', 'fee', 'success', '{fee_revenue}', '{amount}', '{available}', '{amount}'),
    ('fee_credit', 'transaction', 'fee', 'success', '{settlement}', '{amount}', '{available}', '{amount}'),
    ('trade_fund', 'trade', NULL, 'funded', '{available}', '{amount}', '{invested}', '{amount}'),
    ('trade_settle', 'trade', NULL, 'settled', '{invested}', '{returned}', '{available}', '{returned}'),
    ('trade_gain', 'trade', NULL, 'settled', '{plan_cash}', '{gain}', '{available}', '{gain}'),
    ('trade_loss', 'trade', NULL, 'settled', '{invested}', '{loss}', '{plan_cash}', '{loss}'),
    ('hold', 'hold', NULL, 'placed', '{available}', '{amount}', '{on_hold}', '{amount}'),
    ('hold_release', 'hold', NULL, 'released', '{on_hold}', '{amount}', '{available}', '{amount}'),
    ('bonus_given_up', 'closing', NULL, 'closed', '{bonus}', '{amount}', '{bonus_expense}', '{amount}'),
    ('bonus', 'proposal', 'bonus', 'confirmed', '{bonus_expense}', '{amount}', '{bonus}', '{amount}'),
    ('release', 'proposal', 'release', 'confirmed', '{bonus}', '{amount}', '{available}', '{amount}'),
    ('adjustment_credit', 'proposal', 'adjustment_credit', 'confirmed', '{adjustments}', '{amount}', '{available}', '{amount}'),
    ('adjustment_debit', 'proposal', 'adjustment_debit', 'confirmed', '{available}', '{amount}', '{adjustments}', '{amount}'),
    -- A posting whose kind may debit `owed` takes there what the available balance lacks.
    ('reversal', 'proposal', 'reversal', 'confirmed', '{available,owed,course_revenue}', NULL,
        '{settlement,adjustments,bonus}', NULL),
    ('course_refund', 'proposal', 'course_refund', 'confirmed', '{course_revenue}', '{amount}', '{available}', '{amount}'),
    ('capital_in', 'proposal', 'capital_in', 'confirmed', '{settlement}', '{amount}', '{capital}', '{amount}'),
    ('capital_out', 'proposal', 'capital_out', 'confirmed', '{capital}', '{amount}', '{settlement}', '{amount}'),
    -- From the one that the proposal names as its source.
    ('revenue_out', 'proposal', 'revenue_out', 'confirmed', '{course_revenue,fee_revenue}', '{amount,amount}',
        '{settlement}', '{amount}'),
    ('network_fee', 'proposal', 'network_fee', 'confirmed', '{network_fees}', '{amount}', '{settlement}', '{amount}'),
    ('loss', 'proposal', 'loss', 'confirmed', '{capital}', '{amount}', '{settlement}', '{amount}'),
    ('plan_funded', 'proposal', 'plan_funded', 'confirmed', '{capital}', '{amount}', '{plan_cash}', '{amount}'),
    ('plan_returned', 'proposal', 'plan_returned', 'confirmed', '{plan_cash}', '{amount}', '{capital}', '{amount}'),
    ('plan_bought', 'proposal', 'plan_bought', 'confirmed', '{plan_assets}', '{amount}', '{settlement}', '{amount}'),
    -- What the sold assets cost comes back to them; the rest is the plan's cash.
    ('plan_proceeds', 'proposal', 'plan_proceeds', 'confirmed', '{settlement}', '{amount}', '{plan_assets,plan_cash}', '{part,rest}'),
    ('plan_loss', 'proposal', 'plan_loss', 'confirmed', '{plan_cash}', '{amount}', '{plan_assets}', '{amount}'),
    -- Each in its bucket.
    ('cash_out', 'cash_transfer', 'cash_out', 'done', '{plan_cash}', '{amount}', '{transit}', '{amount}'),
    ('cash_in', 'cash_transfer', 'cash_in', 'done', '{transit}', '{amount}', '{plan_cash}', '{amount}');

-- Its posting stays right when the cause goes on to these.
UPDATE rules SET later_statuses = '{success,failed}' WHERE kind = 'withdrawal_hold';
UPDATE rules SET later_statuses = '{settled}' WHERE kind = 'trade_fund';
UPDATE rules SET later_statuses = '{released}' WHERE kind = 'hold';
-- A fee belongs to a withdrawal that is open, rejected or finished.
UPDATE rules SET related_statuses = '{pending}', related_fee_paid = true WHERE kind = 'fee';
UPDATE rules SET related_statuses = '{failed}', related_fee_paid = true WHERE kind = 'fee_refund';
UPDATE rules SET related_statuses = '{success,failed}', related_fee_paid = false WHERE kind = 'fee_credit';
UPDATE rules SET reverses = '{deposit,course,course_credit,fee,fee_credit,adjustment_credit,release}' WHERE kind = 'reversal';
UPDATE rules SET reverses = '{course}' WHERE kind = 'course_refund';
-- The figures of the business count these and no others: a new kind is not counted until it is named here.
UPDATE rules SET is_turnover = true WHERE kind IN (
    'deposit', 'course', 'course_credit', 'withdrawal_paid', 'fee', 'fee_refund', 'fee_credit', 'reversal', 'course_refund');

DELETE FROM posting_kinds WHERE cause_type <> 'unchecked' AND (kind, cause_type) NOT IN (SELECT kind, cause_type FROM rules);
INSERT INTO posting_kinds SELECT * FROM rules
ON CONFLICT (kind, cause_type) DO UPDATE SET cause_kind = excluded.cause_kind, cause_status = excluded.cause_status,
    debits = excluded.debits, debit_amounts = excluded.debit_amounts, credits = excluded.credits,
    credit_amounts = excluded.credit_amounts, later_statuses = excluded.later_statuses,
    related_statuses = excluded.related_statuses, related_fee_paid = excluded.related_fee_paid, reverses = excluded.reverses,
    is_turnover = excluded.is_turnover;
DROP TABLE rules;
