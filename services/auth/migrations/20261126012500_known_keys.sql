-- The keys of devices that an account has logged in with (D-A10, D-R12). A device with a key is known by that alone, one
-- without by family and address block (known_devices).
CREATE TABLE known_keys (
    user_id       uuid        NOT NULL CONSTRAINT known_keys_user_fkey REFERENCES users,
    -- Thumbprint (RFC 7638).
    device_key    text        NOT NULL,
    -- Of the last login: browser and system family, and address block.
    family        text        NOT NULL,
    address_block text        NOT NULL,
    first_seen_at timestamptz NOT NULL,
    CONSTRAINT known_keys_pkey PRIMARY KEY (user_id, device_key)
);

-- The devices of the last month are known; when they were new is in known_devices.
INSERT INTO known_keys (user_id, device_key, family, address_block, first_seen_at)
SELECT DISTINCT ON (s.user_id, s.device_key) s.user_id, s.device_key, s.device, 'unknown', u.created_at
FROM sessions s JOIN users u ON u.id = s.user_id
WHERE s.device_key IS NOT NULL
ORDER BY s.user_id, s.device_key, s.created_at DESC;
