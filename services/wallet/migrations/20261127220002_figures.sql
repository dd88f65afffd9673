-- What the accounts of the platform moved, for the figures of the business. Read by account and posting: see last_posting_until.
CREATE VIEW house_movements AS
SELECT accounts.id AS account_id, accounts.kind AS account, entries.posting_id, postings.kind AS posting_kind,
    postings.created_at AS at, entries.amount_cents
FROM accounts
JOIN entries ON entries.account_id = accounts.id
JOIN postings ON postings.id = entries.posting_id
WHERE accounts.user_id IS NULL;

-- What staff decided, with how long it had waited. Read by handled_at, which has an index.
CREATE VIEW decisions AS
SELECT transactions.id AS transaction_id, transactions.kind, decision.staff_id, decision.decision, decision.at,
    decision.at - decision.since AS took, greatest(approved_at, decided_at) AS handled_at
FROM transactions
CROSS JOIN LATERAL (VALUES
    (CASE WHEN kind = 'withdrawal' THEN approved_by WHEN status = 'success' THEN decided_by END, 'approved',
        coalesce(approved_at, decided_at), created_at),
    (CASE WHEN status = 'failed' THEN decided_by END, 'rejected', decided_at, created_at),
    (CASE WHEN kind = 'withdrawal' AND status <> 'failed' THEN coalesce(sent_by, decided_by) END, 'paid',
        coalesce(sent_at, decided_at), approved_at)
) AS decision (staff_id, decision, at, since)
WHERE kind IN ('deposit', 'course', 'fee', 'withdrawal') AND decision.at IS NOT NULL
    AND decision.staff_id <> '00000000-0000-0000-0000-000000000000';

-- What waits for staff, with its age.
CREATE VIEW open_requests AS
SELECT CASE WHEN approved_at IS NULL THEN kind ELSE 'payout' END AS kind,
    clock_timestamp() - coalesce(approved_at, created_at) AS age
FROM transactions WHERE status = 'pending' AND sent_at IS NULL;

DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'wallet') THEN
        GRANT SELECT ON house_movements, decisions, open_requests TO wallet;
        REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON house_movements, decisions, open_requests FROM wallet;
    END IF;
END $$;
