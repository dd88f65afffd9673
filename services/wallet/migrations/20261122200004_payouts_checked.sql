-- The constraints hold for the rows of before too.
ALTER TABLE transactions
    VALIDATE CONSTRAINT transactions_txid,
    VALIDATE CONSTRAINT transactions_vout,
    VALIDATE CONSTRAINT transactions_paying,
    VALIDATE CONSTRAINT transactions_first_approval,
    VALIDATE CONSTRAINT transactions_two_people;
