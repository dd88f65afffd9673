-- A refund gives the price of the course back to the balance, whichever way it was paid.
INSERT INTO posting_kinds (kind, cause_type, cause_kind, cause_status, debits, credits) VALUES
    ('course_refund', 'proposal', 'course_refund', 'confirmed', '{course_revenue}', '{available}');
