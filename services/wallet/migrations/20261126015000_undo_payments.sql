-- Everything that came from outside can be undone: a payment of the course ends access, one of a fee becomes a debt. A payment of
-- the course that arrived short, and what arrived over its price, is added to the balance.
UPDATE posting_kinds SET debits = '{available,owed,course_revenue}' WHERE kind = 'reversal' AND cause_type = 'proposal';
INSERT INTO posting_kinds (kind, cause_type, cause_kind, cause_status, debits, credits) VALUES
    ('course_credit', 'transaction', 'course', 'success', '{settlement}', '{available}');
-- small: posting_kinds
