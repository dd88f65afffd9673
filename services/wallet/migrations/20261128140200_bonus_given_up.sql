-- The bonus that a member gave up by closing the account.
ALTER TABLE closed_wallets ADD COLUMN bonus_cents bigint NOT NULL DEFAULT 0;
-- small: posting_kinds
ALTER TABLE posting_kinds
    DROP CONSTRAINT posting_kinds_cause_type,
    ADD CONSTRAINT posting_kinds_cause_type
        CHECK (cause_type IN ('transaction', 'purchase', 'trade', 'proposal', 'hold', 'closing', 'unchecked')) NOT VALID;
INSERT INTO posting_kinds (kind, cause_type, cause_kind, cause_status, debits, credits) VALUES
    ('bonus_given_up', 'closing', NULL, 'closed', '{bonus}', '{bonus_expense}');
