-- post_movements watches over this rule, under the lock of the member's account.
DROP INDEX postings_one_course_a_member;
