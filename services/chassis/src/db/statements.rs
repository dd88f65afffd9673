//! Splits a script into its statements, as psql does.

use std::iter::from_fn;

/// The statements of a script, without those that are only comments. A semicolon in a string, a quoted name, a comment or the
/// body of a function ends none. Bodies are strings: `BEGIN ATOMIC` is not known here.
pub(super) fn statements(script: &str) -> impl Iterator<Item = &str> {
    let mut rest = script;
    from_fn(move || {
        while !rest.is_empty() {
            let (statement, behind, is_empty) = first(rest);
            rest = behind;
            if !is_empty {
                return Some(statement);
            }
        }
        None
    })
}

/// The first statement, what is behind it, and whether it is only blanks and comments.
fn first(script: &str) -> (&str, &str, bool) {
    let (mut at, mut is_empty, mut before) = (0, true, ' ');
    while let Some(next) = script[at..].chars().next() {
        let token = token(&script[at..], before);
        if token == ";" {
            return (script[..at].trim(), &script[at + 1..], is_empty);
        }
        is_empty &= next.is_whitespace() || token.starts_with("--") || token.starts_with("/*");
        before = token.chars().next_back().unwrap_or(' ');
        at += token.len();
    }
    (script.trim(), "", is_empty)
}

/// The first token: a comment, a string, a quoted name or a character. One that is not closed goes to the end.
fn token(text: &str, before: char) -> &str {
    let until = |begin: usize, end: &str| text[begin..].find(end).map_or(text.len(), |at| begin + at + end.len());
    let is_word = |one: char| one == '_' || one.is_alphanumeric();
    let length = match text.as_bytes() {
        [b'-', b'-', ..] => until(2, "\n"),
        [b'/', b'*', ..] => comment(text),
        [b'\'', ..] if before.eq_ignore_ascii_case(&'e') => escaped(text),
        [b'\'', ..] => until(1, "'"),
        [b'"', ..] => until(1, "\""),
        [b'$', ..] if !is_word(before) => {
            let tag = text[1..].find(|one| !is_word(one)).filter(|at| text[1 + at..].starts_with('$'));
            tag.map_or(1, |at| until(at + 2, &text[..at + 2]))
        }
        _ => text.chars().next().map_or(0, char::len_utf8),
    };
    &text[..length]
}

/// How long a string with escapes is.
fn escaped(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, one) in text.char_indices().skip(1) {
        match one {
            '\'' if !is_escaped => return at + 1,
            one => is_escaped = one == '\\' && !is_escaped,
        }
    }
    text.len()
}

/// How long a comment is, with those that are in it.
fn comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        let step = match text.as_bytes()[at..] {
            [b'/', b'*', ..] => (1, 2),
            [b'*', b'/', ..] => (-1, 2),
            _ => (0, 1),
        };
        depth += step.0;
        at += step.1;
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

/// The table that a statement makes, changes, indexes, guards or fills; `None` for other statements.
pub(super) fn table(statement: &str) -> Option<&str> {
    let is = |word: &str, all: &[&str]| all.iter().any(|one| word.eq_ignore_ascii_case(one));
    let mut words = words(statement);
    let verb = words.next()?;
    let what = words.find(|word| !is(word, &["UNIQUE", "UNLOGGED", "CONSTRAINT", "OR", "REPLACE"]))?;
    if is(verb, &["CREATE"]) && is(what, &["INDEX", "TRIGGER"]) {
        words.find(|word| is(word, &["ON"]))?;
    } else if !(is(verb, &["CREATE", "ALTER", "DROP"]) && is(what, &["TABLE"]) || is(verb, &["INSERT"])) {
        return None;
    }
    words.find(|word| !is(word, &["IF", "NOT", "EXISTS", "ONLY"]))
}

/// The words of a statement, outside of comments and strings.
fn words(statement: &str) -> impl Iterator<Item = &str> {
    let is_word = |one: char| one == '_' || one.is_alphanumeric();
    let mut rest = statement;
    from_fn(move || {
        while !rest.is_empty() {
            let length = rest.find(|one| !is_word(one)).unwrap_or(rest.len());
            if length > 0 {
                let (word, behind) = rest.split_at(length);
                rest = behind;
                return Some(word);
            }
            rest = &rest[token(rest, ' ').len()..];
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::{statements, table};

    /// What a statement is about decides whether a bucket leaves it out.
    #[test]
    fn a_statement_is_about_the_table_that_it_changes() {
        for (statement, expected) in [
            ("-- CREATE TABLE a\nCREATE TABLE b (c int)", Some("b")),
            ("CREATE UNLOGGED TABLE IF NOT EXISTS b (c int)", Some("b")),
            ("CREATE UNIQUE INDEX CONCURRENTLY a_b ON ONLY b (c)", Some("b")),
            ("CREATE CONSTRAINT TRIGGER a AFTER UPDATE OF c ON b FOR EACH ROW EXECUTE FUNCTION d()", Some("b")),
            ("ALTER TABLE IF EXISTS ONLY b ADD c int", Some("b")),
            ("insert into b default values", Some("b")),
            ("CREATE TEMP TABLE b (c int)", None),
            ("CREATE FUNCTION a() RETURNS trigger LANGUAGE sql AS $$ INSERT INTO b $$", None),
            ("SELECT 'x'", None),
        ] {
            assert_eq!(table(statement), expected, "{statement}");
        }
    }

    /// A semicolon ends a statement where PostgreSQL would end it.
    #[test]
    fn a_script_is_split_where_its_statements_end() {
        for (script, expected) in [
            ("SELECT 1; SELECT 2;\n", vec!["SELECT 1", "SELECT 2"]),
            ("SELECT 1", vec!["SELECT 1"]),
            ("-- a; b\n; /* c; /* d; */ */ ;\n -- e", vec![]),
            ("SELECT ';', 'it''s;', \"a;b\" -- c;\n;", vec!["SELECT ';', 'it''s;', \"a;b\" -- c;"]),
            (r"SELECT E'\';', 'é\'; SELECT 2", vec![r"SELECT E'\';', 'é\'", "SELECT 2"]),
            ("DO $$ BEGIN x; END $$; SELECT $1; y", vec!["DO $$ BEGIN x; END $$", "SELECT $1", "y"]),
            ("DO $a$ $$; $b$; $a$ z; a$b; c$d", vec!["DO $a$ $$; $b$; $a$ z", "a$b", "c$d"]),
            ("SELECT 'open; string", vec!["SELECT 'open; string"]),
        ] {
            assert_eq!(statements(script).collect::<Vec<_>>(), expected, "{script}");
        }
    }
}
