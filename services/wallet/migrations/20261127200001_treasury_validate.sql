ALTER TABLE accounts VALIDATE CONSTRAINT accounts_kind;
ALTER TABLE accounts VALIDATE CONSTRAINT accounts_members_not_negative;
