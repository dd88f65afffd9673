-- Every payment may take two reviewers, by what one of them approved within a day.
ALTER TABLE transactions
    -- Whether the chain proves a payment, as its approval noted it; unset for other transactions and for those of before.
    ADD COLUMN is_proven boolean,
    DROP CONSTRAINT transactions_first_approval,
    ADD CONSTRAINT transactions_first_approval CHECK ((first_approved_by IS NULL) = (first_approved_at IS NULL)
        AND (first_approved_by IS NULL) = (received_cents IS NULL)
        AND (first_approved_by IS NULL OR kind IN ('deposit', 'course', 'fee') AND txid IS NOT NULL AND received_cents > 0)) NOT VALID;
