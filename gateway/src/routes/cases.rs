//! The cases of a member: questions, objections and complaints, with the answers of staff.

use axum::extract::{Path, Query};
use proto::cases::v1 as cases;
use proto::cases::v1::{
    AddCaseMessageRequest, CloseCaseRequest, GetCaseRequest, ListCasesRequest, OpenCaseRequest, Subject,
};
use proto::common::v1::PageRequest;
use route_macros::{get, post, request, response};
use serde::Serialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::app::App;
use crate::clients::{ask, keyed};
use crate::error::ApiError;
use crate::extract::VerifiedMember;
use crate::files::{Checked, Files, Purpose};
use crate::idempotency::Keyed;
use crate::json::{Answer, Created, Field, Form, created, known_moment, marked, moment, ok};
use crate::routes::transactions::PageQuery;

/// What a case is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum CaseTopic {
    Deposit,
    Withdrawal,
    Investment,
    Course,
    Account,
    Security,
    Other,
}

impl CaseTopic {
    const ALL: [(Self, &str, cases::Topic); 7] = [
        (Self::Deposit, "deposit", cases::Topic::Deposit),
        (Self::Withdrawal, "withdrawal", cases::Topic::Withdrawal),
        (Self::Investment, "investment", cases::Topic::Investment),
        (Self::Course, "course", cases::Topic::Course),
        (Self::Account, "account", cases::Topic::Account),
        (Self::Security, "security", cases::Topic::Security),
        (Self::Other, "other", cases::Topic::Other),
    ];
}

/// The kind of thing that a case refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum CaseSubjectKind {
    Transaction,
    Trade,
    Hold,
    Freeze,
    Document,
    Payment,
}

impl CaseSubjectKind {
    const ALL: [(Self, &str, cases::SubjectKind); 6] = [
        (Self::Transaction, "transaction", cases::SubjectKind::Transaction),
        (Self::Trade, "trade", cases::SubjectKind::Trade),
        (Self::Hold, "hold", cases::SubjectKind::Hold),
        (Self::Freeze, "freeze", cases::SubjectKind::Freeze),
        (Self::Document, "document", cases::SubjectKind::Document),
        (Self::Payment, "payment", cases::SubjectKind::Payment),
    ];
}

/// Whose turn it is: staff's (`open`), the member's (`waiting`), or nobody's any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum CaseState {
    Open,
    Waiting,
    Closed,
}

/// Who wrote a message or closed a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum CaseParty {
    Member,
    Staff,
}

impl CaseParty {
    pub(super) fn of(party: cases::Party) -> Option<Self> {
        match party {
            cases::Party::Unspecified => None,
            cases::Party::Member => Some(Self::Member),
            cases::Party::Staff => Some(Self::Staff),
        }
    }
}

/// What a case refers to.
#[response]
pub struct CaseSubject {
    kind: CaseSubjectKind,
    /// An id, number or hash; empty for a freeze.
    pub reference: String,
}

/// A case.
#[response]
pub struct CaseEntry {
    id: String,
    /// For talking about it.
    #[schema(example = 4711)]
    pub number: i64,
    pub topic: CaseTopic,
    /// What it refers to. `null` for nothing in particular.
    #[nullable]
    pub subject: Option<CaseSubject>,
    pub state: CaseState,
    pub created_at: String,
    updated_at: String,
    /// Until when staff mean to answer. `null` while they owe no answer.
    #[nullable]
    pub answer_due_at: Option<String>,
    #[nullable]
    pub first_answered_at: Option<String>,
    /// Since when it is in the register of complaints. `null` for other cases.
    #[nullable]
    pub complaint_at: Option<String>,
    /// Until when a complaint has to be settled.
    #[nullable]
    pub complaint_due_at: Option<String>,
    #[nullable]
    pub closed_at: Option<String>,
    #[nullable]
    closed_by: Option<CaseParty>,
    pub messages: i32,
}

impl CaseEntry {
    pub(super) fn of(case: Option<cases::Case>) -> Result<Self, ApiError> {
        case.ok_or_else(|| ApiError::internal("an answer without a case"))?.try_into()
    }
}

impl TryFrom<cases::Case> for CaseEntry {
    type Error = ApiError;

    fn try_from(case: cases::Case) -> Result<Self, ApiError> {
        let unknown = || ApiError::internal("a case of an unknown form");
        let topic = CaseTopic::ALL.into_iter().find(|(.., wire)| *wire == case.topic()).ok_or_else(unknown)?.0;
        let state = match case.state() {
            cases::CaseState::Unspecified => return Err(unknown()),
            cases::CaseState::Open => CaseState::Open,
            cases::CaseState::Waiting => CaseState::Waiting,
            cases::CaseState::Closed => CaseState::Closed,
        };
        let closed_by = CaseParty::of(case.closed_by());
        let subject = match case.subject {
            None => None,
            Some(subject) => {
                let kind = CaseSubjectKind::ALL.into_iter().find(|(.., wire)| *wire == subject.kind());
                Some(CaseSubject { kind: kind.ok_or_else(unknown)?.0, reference: subject.reference })
            }
        };
        Ok(Self {
            id: case.id,
            number: case.number,
            topic,
            subject,
            state,
            created_at: known_moment(case.created_at.as_ref())?,
            updated_at: known_moment(case.updated_at.as_ref())?,
            answer_due_at: moment(case.answer_due_at.as_ref()),
            first_answered_at: moment(case.first_answered_at.as_ref()),
            complaint_at: moment(case.complaint_at.as_ref()),
            complaint_due_at: moment(case.complaint_due_at.as_ref()),
            closed_at: moment(case.closed_at.as_ref()),
            closed_by,
            messages: case.messages,
        })
    }
}

/// A picture or PDF that a member sent with a message.
#[response]
pub struct CaseFileLink {
    /// Lives 15 minutes.
    url: String,
    content_type: String,
    bytes: i64,
}

/// A message of a case.
#[response]
pub struct CaseMessage {
    /// From 1, in the order of the case.
    number: i32,
    author: CaseParty,
    /// Plain text on several lines.
    text: String,
    at: String,
    file: Option<CaseFileLink>,
}

impl CaseMessage {
    /// A message in a case of this member.
    pub(super) fn new(files: &Files, member_id: &str, message: cases::CaseMessage) -> Result<Self, ApiError> {
        let author = CaseParty::of(message.author());
        let link = |file: cases::CaseFile| CaseFileLink {
            url: files.private_link(&file.key, member_id, OffsetDateTime::now_utc()),
            content_type: file.content_type,
            bytes: file.bytes,
        };
        Ok(Self {
            number: message.number,
            author: author.ok_or_else(|| ApiError::internal("a message of an unknown party"))?,
            text: message.text,
            at: known_moment(message.at.as_ref())?,
            file: message.file.map(link),
        })
    }
}

/// The text of a file, which is copied no further.
fn data_url<T>(file: &mut Field<T>) -> Result<String, ApiError> {
    let mut form = Form::new();
    let text = form.file("file", std::mem::take(file));
    form.finish()?;
    Ok(text)
}

/// Checks a file before its message is sent; none without one.
async fn check_file(app: &App, data_url: String) -> Result<Option<Checked>, ApiError> {
    if data_url.is_empty() {
        return Ok(None);
    }
    app.files.check("file", data_url, Purpose::Case).await.map(Some)
}

fn to_message(file: &Checked) -> cases::CaseFile {
    cases::CaseFile {
        key: file.stored.key.clone(),
        content_type: file.stored.content_type.to_owned(),
        bytes: i64::try_from(file.len()).unwrap_or(i64::MAX),
        digest: file.stored.digest.clone(),
    }
}

/// Stores a file of a message that the service took, where the service says. What fails here is repaired by a repetition of the
/// request.
async fn keep_file(app: &App, file: Option<Checked>, key: String) -> Result<(), ApiError> {
    let Some(mut file) = file.filter(|_| !key.is_empty()) else { return Ok(()) };
    file.stored.key = key;
    app.files.keep(file).await.map(drop)
}

/// A page of cases, newest first.
#[response]
pub struct CaseList {
    cases: Vec<CaseEntry>,
    next_cursor: Option<String>,
}

/// A case with its messages, in order.
#[response]
pub struct CaseThread {
    case: CaseEntry,
    messages: Vec<CaseMessage>,
}

/// A case after a change.
#[response]
pub struct CaseReply {
    /// A sentence to show to the person.
    message: &'static str,
    case: CaseEntry,
}

/// A case to open.
#[request]
pub struct NewCase {
    topic: Field<CaseTopic>,
    /// The kind of thing that it refers to; nothing in particular by default.
    subject_kind: Field<Option<CaseSubjectKind>>,
    /// The id of the transaction, trade or hold, the number of the document, the hash of the payment.
    reference: Field<Option<String>>,
    /// Whether it is a complaint, which has a register and a deadline.
    complaint: Field<Option<bool>>,
    /// Up to 4,000 characters.
    #[schema(example = "My deposit of $150.00 has been waiting since yesterday.")]
    text: Field<String>,
    /// A PNG, JPEG, WebP, GIF or PDF of up to 5 MiB, as a data URL.
    file: Field<Option<String>>,
}

impl NewCase {
    fn read(&self) -> Result<OpenCaseRequest, ApiError> {
        let mut form = Form::new();
        let topic = form.text("topic", &self.topic);
        let topic = CaseTopic::ALL.into_iter().find(|(_, name, _)| *name == topic).map(|(.., wire)| wire);
        if topic.is_none() {
            form.wrong("topic", "Choose what this is about.");
        }
        let reference = form.text("reference", &self.reference);
        let kind = form.text("subjectKind", &self.subject_kind);
        let known = CaseSubjectKind::ALL.into_iter().find(|(_, name, _)| *name == kind).map(|(.., wire)| wire);
        if known.is_none() && !kind.is_empty() {
            form.wrong("subjectKind", "Choose transaction, trade, hold, freeze, document or payment");
        }
        let message = OpenCaseRequest {
            topic: topic.unwrap_or_default().into(),
            subject: known.map(|kind| Subject { kind: kind.into(), reference }),
            complaint: form.flag("complaint", &self.complaint, false),
            text: form.text("text", &self.text),
            ..OpenCaseRequest::default()
        };
        form.finish()?;
        Ok(message)
    }
}

/// A message to write in a case.
#[request]
pub struct NewCaseMessage {
    /// Up to 4,000 characters.
    #[schema(example = "Here is the hash of my payment: 0x…")]
    text: Field<String>,
    /// A PNG, JPEG, WebP, GIF or PDF of up to 5 MiB, as a data URL.
    file: Field<Option<String>>,
}

/// Open a case
///
/// At most five of a member are not closed at once. A frozen member may open one, too.
#[post("/cases", "Cases")]
pub async fn open(caller: VerifiedMember, Keyed { mut value, claim }: Keyed<NewCase>) -> Created<CaseReply> {
    let data_url = data_url(&mut value.file)?;
    let message = value.read()?;
    let file = check_file(&caller.app, data_url).await?;
    let message = OpenCaseRequest { file: file.as_ref().map(to_message), idempotency: claim.clone(), ..message };
    let (answer, replayed) = keyed!(caller.cases.open_case(message), claim)?;
    keep_file(&caller.app, file, answer.file_key).await?;
    let message = "We have your message. An email tells you when we have answered.";
    Ok(marked(replayed, created(CaseReply { message, case: CaseEntry::of(answer.case)? })))
}

/// List the cases
#[get("/cases", "Cases", params(("cursor" = Option<String>, Query)))]
pub async fn list(caller: VerifiedMember, Query(query): Query<PageQuery>) -> Answer<CaseList> {
    let page = Some(PageRequest { size: 0, cursor: query.cursor.unwrap_or_default() });
    let answer = ask!(caller.cases.list_cases(ListCasesRequest { page }))?;
    Ok(ok(CaseList {
        cases: answer.cases.into_iter().map(CaseEntry::try_from).collect::<Result<_, _>>()?,
        next_cursor: Some(answer.next_cursor).filter(|cursor| !cursor.is_empty()),
    }))
}

/// Get a case with its messages
#[get("/cases/{id}", "Cases")]
pub async fn get(caller: VerifiedMember, Path(id): Path<String>) -> Answer<CaseThread> {
    let answer = ask!(caller.cases.get_case(GetCaseRequest { id }))?;
    let member_id = caller.session.user_id.to_string();
    let message = |message| CaseMessage::new(&caller.app.files, &member_id, message);
    let messages = answer.messages.into_iter().map(message).collect::<Result<_, _>>()?;
    Ok(ok(CaseThread { case: CaseEntry::of(answer.case)?, messages }))
}

/// Write in a case
#[post("/cases/{id}/messages", "Cases")]
pub async fn add_message(
    caller: VerifiedMember,
    Path(id): Path<String>,
    Keyed { mut value, claim }: Keyed<NewCaseMessage>,
) -> Created<CaseReply> {
    let data_url = data_url(&mut value.file)?;
    let text = text(&value)?;
    let file = check_file(&caller.app, data_url).await?;
    let message = AddCaseMessageRequest { id, text, file: file.as_ref().map(to_message), idempotency: claim.clone() };
    let (answer, replayed) = keyed!(caller.cases.add_case_message(message), claim)?;
    keep_file(&caller.app, file, answer.file_key).await?;
    let case = CaseEntry::of(answer.case)?;
    Ok(marked(replayed, created(CaseReply { message: "Your message is sent.", case })))
}

pub(super) fn text(value: &NewCaseMessage) -> Result<String, ApiError> {
    let mut form = Form::new();
    let text = form.text("text", &value.text);
    form.finish()?;
    Ok(text)
}

/// Close a case
///
/// One that is closed stays as it is.
#[post("/cases/{id}/close", "Cases")]
pub async fn close(caller: VerifiedMember, Path(id): Path<String>) -> Answer<CaseReply> {
    let answer = ask!(caller.cases.close_case(CloseCaseRequest { id }))?;
    Ok(ok(CaseReply { message: "The case is closed.", case: CaseEntry::of(answer.case)? }))
}
