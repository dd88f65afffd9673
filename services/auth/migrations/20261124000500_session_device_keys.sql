-- The thumbprint of the key that a session is bound to (D-A10): its tokens are useless without the key.
ALTER TABLE sessions ADD COLUMN device_key text;
