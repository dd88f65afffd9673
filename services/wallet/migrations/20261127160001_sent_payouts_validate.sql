ALTER TABLE transactions
    VALIDATE CONSTRAINT transactions_txid,
    VALIDATE CONSTRAINT transactions_sent;
