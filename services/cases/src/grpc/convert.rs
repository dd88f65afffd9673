//! Conversion between proto messages and the types of this service.

use std::collections::BTreeMap;

use chassis::clock;
use chassis::error::Refusal;
use proto::cases::v1 as wire;

use crate::domain::case::{Case, CaseId, Filter, State, Subject, SubjectKind, Topic};
use crate::domain::file::File;
use crate::domain::message::{Message, Party};
use crate::error::Error;

/// A malformed id counts as unknown.
pub(super) fn id(text: &str) -> Result<CaseId, Error> {
    text.parse().map_err(|_| Error::CaseNotFound)
}

pub(super) fn topic(topic: wire::Topic) -> Result<Topic, Refusal> {
    Ok(match topic {
        wire::Topic::Unspecified => return Err(Refusal::field("topic", "Choose what this is about.")),
        wire::Topic::Deposit => Topic::Deposit,
        wire::Topic::Withdrawal => Topic::Withdrawal,
        wire::Topic::Investment => Topic::Investment,
        wire::Topic::Course => Topic::Course,
        wire::Topic::Account => Topic::Account,
        wire::Topic::Security => Topic::Security,
        wire::Topic::Other => Topic::Other,
    })
}

pub(super) fn subject(subject: Option<wire::Subject>) -> Result<Option<Subject>, Refusal> {
    let Some(subject) = subject else { return Ok(None) };
    let kind = match subject.kind() {
        wire::SubjectKind::Unspecified => return Ok(None),
        wire::SubjectKind::Transaction => SubjectKind::Transaction,
        wire::SubjectKind::Trade => SubjectKind::Trade,
        wire::SubjectKind::Hold => SubjectKind::Hold,
        wire::SubjectKind::Freeze => SubjectKind::Freeze,
        wire::SubjectKind::Document => SubjectKind::Document,
        wire::SubjectKind::Payment => SubjectKind::Payment,
    };
    Subject::new(kind, &subject.reference).map(Some)
}

pub(super) fn filter(filter: wire::CaseFilter, member_id: &str) -> Result<Filter, Refusal> {
    Ok(match filter {
        wire::CaseFilter::Unspecified => Filter::Open,
        wire::CaseFilter::Mine => Filter::Mine,
        wire::CaseFilter::Unowned => Filter::Unowned,
        wire::CaseFilter::Complaints => Filter::Complaints,
        wire::CaseFilter::Due => Filter::Due,
        wire::CaseFilter::Member => {
            Filter::Member(member_id.parse().map_err(|_| Refusal::field("member", "This is not the id of a member."))?)
        }
    })
}

const fn party(party: Party) -> wire::Party {
    match party {
        Party::Member => wire::Party::Member,
        Party::Staff => wire::Party::Staff,
    }
}

/// A case as staff see it.
pub(super) fn staff_case(case: Case) -> wire::Case {
    let topic = match case.topic {
        Topic::Deposit => wire::Topic::Deposit,
        Topic::Withdrawal => wire::Topic::Withdrawal,
        Topic::Investment => wire::Topic::Investment,
        Topic::Course => wire::Topic::Course,
        Topic::Account => wire::Topic::Account,
        Topic::Security => wire::Topic::Security,
        Topic::Other => wire::Topic::Other,
    };
    let state = match case.state {
        State::Open => wire::CaseState::Open,
        State::Waiting => wire::CaseState::Waiting,
        State::Closed => wire::CaseState::Closed,
    };
    let subject = case.subject.map(|subject| {
        let kind = match subject.kind {
            SubjectKind::Transaction => wire::SubjectKind::Transaction,
            SubjectKind::Trade => wire::SubjectKind::Trade,
            SubjectKind::Hold => wire::SubjectKind::Hold,
            SubjectKind::Freeze => wire::SubjectKind::Freeze,
            SubjectKind::Document => wire::SubjectKind::Document,
            SubjectKind::Payment => wire::SubjectKind::Payment,
        };
        wire::Subject { kind: kind.into(), reference: subject.reference }
    });
    wire::Case {
        id: case.id.to_string(),
        number: case.number,
        user_id: case.user_id.to_string(),
        topic: topic.into(),
        subject,
        state: state.into(),
        owner_id: case.owner_id.map(|id| id.to_string()).unwrap_or_default(),
        created_at: Some(clock::to_proto(case.created_at)),
        updated_at: Some(clock::to_proto(case.updated_at)),
        answer_due_at: case.answer_due_at.map(clock::to_proto),
        first_answered_at: case.first_answered_at.map(clock::to_proto),
        complaint_at: case.complaint_at.map(clock::to_proto),
        complaint_due_at: case.complaint_due_at.map(clock::to_proto),
        closed_at: case.closed_at.map(clock::to_proto),
        closed_by: case.closed_by.map_or(wire::Party::Unspecified, party).into(),
        messages: case.messages,
        assigned_by: case.assigned_by.map(|id| id.to_string()).unwrap_or_default(),
    }
}

/// A case as its member sees it: without the names of staff.
pub(super) fn member_case(case: Case) -> wire::Case {
    wire::Case { owner_id: String::new(), assigned_by: String::new(), ..staff_case(case) }
}

/// A file that comes with a message.
pub(super) fn file(file: Option<wire::CaseFile>) -> Result<Option<File>, Refusal> {
    let file =
        file.map(|one| File { key: one.key, content_type: one.content_type, bytes: one.bytes, digest: one.digest });
    file.map(File::checked).transpose()
}

/// The messages as staff see them, with their files.
pub(super) fn staff_messages(messages: Vec<Message>, files: Vec<(i32, File)>) -> Vec<wire::CaseMessage> {
    let mut files: BTreeMap<i32, File> = files.into_iter().collect();
    let message = |message: Message| wire::CaseMessage {
        number: message.number,
        author: party(message.author).into(),
        author_id: message.author_id.to_string(),
        text: message.text,
        at: Some(clock::to_proto(message.created_at)),
        file: files.remove(&message.number).map(|file| wire::CaseFile {
            key: file.key,
            content_type: file.content_type,
            bytes: file.bytes,
            digest: file.digest,
        }),
    };
    messages.into_iter().map(message).collect()
}

/// The messages as their member sees them: without the names of staff.
pub(super) fn member_messages(messages: Vec<Message>, files: Vec<(i32, File)>) -> Vec<wire::CaseMessage> {
    let anonymous = |message| wire::CaseMessage { author_id: String::new(), ..message };
    staff_messages(messages, files).into_iter().map(anonymous).collect()
}
