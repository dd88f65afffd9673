//! What this service keeps about a member, without what names other people.

chassis::member_tables! {
    "cases" => r#"SELECT id::text AS "key!", jsonb_build_object('id', id, 'number', number, 'topic', topic,
            'subjectKind', subject_kind, 'subjectReference', subject_reference, 'state', state,
            'answerDueAt', answer_due_at, 'firstAnsweredAt', first_answered_at, 'complaintAt', complaint_at,
            'complaintDueAt', complaint_due_at, 'closedAt', closed_at, 'closedBy', closed_by,
            'createdAt', created_at, 'updatedAt', updated_at) AS "row!"
        FROM cases WHERE user_id = $1 AND id::text > $2 ORDER BY 1 LIMIT $3"#,
    "case_messages" => r#"SELECT case_id::text || lpad(case_messages.number::text, 10, '0') AS "key!", jsonb_build_object(
            'caseId', case_id, 'number', case_messages.number, 'author', author, 'text', text,
            'createdAt', case_messages.created_at) AS "row!"
        FROM case_messages JOIN cases ON cases.id = case_id
        WHERE user_id = $1 AND case_id::text || lpad(case_messages.number::text, 10, '0') > $2 ORDER BY 1 LIMIT $3"#,
    "case_files" => r#"SELECT key AS "key!", jsonb_build_object('caseId', case_id, 'number', case_files.number, 'fileKey', key,
            'contentType', content_type, 'bytes', bytes) AS "row!"
        FROM case_files JOIN cases ON cases.id = case_id
        WHERE user_id = $1 AND key > $2 ORDER BY 1 LIMIT $3"#,
}
