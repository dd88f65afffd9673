//! What this service keeps about a member, without secrets and without what names other people.

chassis::member_tables! {
    "progress" => r#"SELECT lesson_id AS "key!", jsonb_build_object(
            'lessonId', lesson_id, 'positionSeconds', position_seconds, 'doneAt', done_at, 'at', at) AS "row!"
        FROM progress WHERE user_id = $1 AND lesson_id > $2 ORDER BY 1 LIMIT $3"#,
    "certificates" => r#"SELECT number::text AS "key!", jsonb_build_object(
            'number', number, 'courseTitle', course_title, 'issuedAt', issued_at) AS "row!"
        FROM certificates WHERE user_id = $1 AND number::text > $2 ORDER BY 1 LIMIT $3"#,
    "notes" => r#"SELECT id::text AS "key!", jsonb_build_object('id', id, 'lessonId', lesson_id,
            'positionSeconds', position_seconds, 'text', text, 'createdAt', created_at, 'updatedAt', updated_at) AS "row!"
        FROM notes WHERE user_id = $1 AND id::text > $2 ORDER BY 1 LIMIT $3"#,
}
