//! The cases of a member: questions, objections and complaints, with the answers of staff.

use axum::extract::{Path, Query};
use proto::cases::v1 as cases;
use proto::cases::v1::{
    AddCaseMessageRequest, CloseCaseRequest, GetCaseRequest, ListCasesRequest, OpenCaseRequest, Subject,
};
use route_macros::{get, post, request, response};
use time::OffsetDateTime;

use crate::app::App;
use crate::extract::VerifiedMember;
use crate::http::convert::{Choice, from_proto};
use crate::http::error::ApiError;
use crate::http::idempotency::Keyed;
use crate::http::json::{Answer, Created, Field, Form, ToProto, ok, reply};
use crate::peers::clients::{ask, keyed};
use crate::routes::account::activity::Cursor;
use crate::storage::files::{Checked, Files, Purpose};

/// What a case is about.
#[response(from = cases::Topic)]
pub enum CaseTopic {
    Deposit,
    Withdrawal,
    Investment,
    Course,
    Account,
    Security,
    Other,
}

/// The kind of thing that a case refers to.
#[response(from = cases::SubjectKind)]
pub enum CaseSubjectKind {
    Transaction,
    Trade,
    Hold,
    Freeze,
    Document,
    Payment,
}

/// Whose turn it is: staff's (`open`), the member's (`waiting`), or nobody's any more.
#[response(from = cases::CaseState)]
pub enum CaseState {
    Open,
    Waiting,
    Closed,
}

/// Who wrote a message or closed a case.
#[response(from = cases::Party)]
pub enum CaseParty {
    Member,
    Staff,
}

/// What a case refers to.
#[response(from = Subject)]
pub struct CaseSubject {
    kind: CaseSubjectKind,
    /// An id, number or hash; empty for a freeze.
    pub reference: String,
}

/// A case.
#[response(from = cases::Case)]
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
    pub(in crate::routes) fn new(
        files: &Files,
        member_id: &str,
        message: cases::CaseMessage,
    ) -> Result<Self, ApiError> {
        let link = |file: cases::CaseFile| CaseFileLink {
            url: files.private_link(&file.key, member_id, OffsetDateTime::now_utc()),
            content_type: file.content_type,
            bytes: file.bytes,
        };
        Ok(Self {
            number: message.number,
            author: from_proto(message.author)?,
            text: message.text,
            at: from_proto(message.at)?,
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
async fn keep_file(app: &App, file: Option<Checked>, key: &str) -> Result<(), ApiError> {
    let Some(mut file) = file.filter(|_| !key.is_empty()) else { return Ok(()) };
    file.stored.key = key.to_owned();
    app.files.keep(file).await.map(drop)
}

/// A page of cases, newest first.
#[response(from = cases::ListCasesResponse)]
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
#[request(to = OpenCaseRequest)]
pub struct NewCase {
    #[to(with = topic)]
    topic: Field<CaseTopic>,
    /// The kind of thing that it refers to; nothing in particular by default.
    #[to(skip)]
    subject_kind: Field<Option<CaseSubjectKind>>,
    /// The id of the transaction, trade or hold, the number of the document, the hash of the payment.
    #[to(skip)]
    reference: Field<Option<String>>,
    /// Whether it is a complaint, which has a register and a deadline.
    complaint: Field<Option<bool>>,
    /// Up to 4,000 characters.
    #[schema(example = "My deposit of $150.00 has been waiting since yesterday.")]
    text: Field<String>,
    /// A PNG, JPEG, WebP, GIF or PDF of up to 5 MiB, as a data URL.
    #[to(skip)]
    file: Field<Option<String>>,
}

impl NewCase {
    fn read(&self) -> Result<OpenCaseRequest, ApiError> {
        let mut form = Form::new();
        let message = self.fill(&mut form);
        let reference = form.text("reference", &self.reference);
        let name = form.text("subjectKind", &self.subject_kind);
        let kind = CaseSubjectKind::named(&name);
        if kind.is_none() && !name.is_empty() {
            form.wrong("subjectKind", &CaseSubjectKind::sentence());
        }
        form.finish()?;
        Ok(OpenCaseRequest { subject: kind.map(|kind| Subject { kind: kind.into(), reference }), ..message })
    }
}

fn topic<T>(form: &mut Form, name: &str, field: &Field<T>) -> i32 {
    let topic = CaseTopic::named(&form.text(name, field));
    if topic.is_none() {
        form.wrong(name, "Choose what this is about.");
    }
    topic.unwrap_or_default().into()
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
    let message = OpenCaseRequest { file: file.as_ref().map(to_message), idempotency: claim, ..message };
    let kept = keyed!(caller.cases.open_case(message))?;
    keep_file(&caller.app, file, &kept.sent.file_key).await?;
    let message = "We have your message. An email tells you when we have answered.";
    kept.reply(|answer| Ok(CaseReply { message, case: from_proto(answer.case)? }))
}

/// List the cases
#[get("/cases", "Cases", params(("cursor" = Option<String>, Query)))]
pub async fn list(caller: VerifiedMember, Query(from): Query<Cursor>) -> Answer<CaseList> {
    reply(ask!(caller.cases.list_cases(ListCasesRequest { page: Some(from.page()) }))?)
}

/// Get a case with its messages
#[get("/cases/{id}", "Cases")]
pub async fn get(caller: VerifiedMember, Path(id): Path<String>) -> Answer<CaseThread> {
    let answer = ask!(caller.cases.get_case(GetCaseRequest { id }))?;
    let member_id = caller.session.user_id.to_string();
    let message = |message| CaseMessage::new(&caller.app.files, &member_id, message);
    let messages = answer.messages.into_iter().map(message).collect::<Result<_, _>>()?;
    Ok(ok(CaseThread { case: from_proto(answer.case)?, messages }))
}

/// Write in a case
#[post("/cases/{id}/messages", "Cases")]
pub async fn add_message(
    caller: VerifiedMember,
    Path(id): Path<String>,
    Keyed { mut value, claim }: Keyed<NewCaseMessage>,
) -> Created<CaseReply> {
    let data_url = data_url(&mut value.file)?;
    let text = value.text.text("text")?;
    let file = check_file(&caller.app, data_url).await?;
    let message = AddCaseMessageRequest { id, text, file: file.as_ref().map(to_message), idempotency: claim };
    let kept = keyed!(caller.cases.add_case_message(message))?;
    keep_file(&caller.app, file, &kept.sent.file_key).await?;
    kept.reply(|answer| Ok(CaseReply { message: "Your message is sent.", case: from_proto(answer.case)? }))
}

/// Close a case
///
/// One that is closed stays as it is.
#[post("/cases/{id}/close", "Cases")]
pub async fn close(caller: VerifiedMember, Path(id): Path<String>) -> Answer<CaseReply> {
    let answer = ask!(caller.cases.close_case(CloseCaseRequest { id }))?;
    Ok(ok(CaseReply { message: "The case is closed.", case: from_proto(answer.case)? }))
}
