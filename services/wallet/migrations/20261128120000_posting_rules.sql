-- The rest of a rule of the ledger: how much each account moves, for how long the posting stays right, and what it reverses. The
-- rows are those of sql/05_rules.sql.
-- small: posting_kinds
ALTER TABLE posting_kinds
    -- What each account of `debits` and `credits` moves: amounts of the cause by name (`named_amount`). Unset for a posting that
    -- moves the opposite of another.
    ADD COLUMN debit_amounts    text[],
    ADD COLUMN credit_amounts   text[],
    -- The statuses in which the cause may be afterwards.
    ADD COLUMN later_statuses   text[] NOT NULL DEFAULT '{}',
    -- For a fee: the statuses of its withdrawal, and whether its fee counts as paid.
    ADD COLUMN related_statuses text[],
    ADD COLUMN related_fee_paid boolean,
    -- The kinds of postings that one of this kind can reverse.
    ADD COLUMN reverses         text[];
