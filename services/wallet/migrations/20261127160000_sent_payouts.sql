-- A payout that a treasurer sent is pending until its payment is final.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

ALTER TABLE transactions
    -- The treasurer who wrote the hash of the payout, and when. A process of the version before leaves both unset.
    ADD COLUMN sent_by uuid,
    ADD COLUMN sent_at timestamptz,
    DROP CONSTRAINT transactions_txid;
ALTER TABLE transactions
    ADD CONSTRAINT transactions_txid CHECK ((txid IS NULL) = (txid_key IS NULL) AND (txid IS NULL OR status = 'success'
        OR status = 'pending' AND (first_approved_by IS NOT NULL OR sent_by IS NOT NULL))) NOT VALID,
    -- What is on its way neither fails nor loses its hash.
    ADD CONSTRAINT transactions_sent CHECK ((sent_by IS NULL) = (sent_at IS NULL) AND (sent_by IS NULL
        OR kind = 'withdrawal' AND approved_by IS NOT NULL AND txid IS NOT NULL AND status <> 'failed')) NOT VALID;
