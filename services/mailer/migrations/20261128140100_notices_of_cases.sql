-- Members choose the mails about their cases, too.
ALTER TABLE notice_preferences
    DROP CONSTRAINT notice_preferences_mail_off,
    ADD CONSTRAINT notice_preferences_mail_off
        CHECK (mail_off <@ ARRAY['money', 'plans', 'courses', 'cases']) NOT VALID;
