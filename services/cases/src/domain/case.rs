//! Cases, their states and deadlines.

use chassis::id::{MemberId, StaffId};
use std::fmt;
use std::str::FromStr;

use chassis::error::Refusal;
use chassis::validate::is_text;
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::message::Party;
use super::working_days;
use crate::error::Error;

chassis::id! {
    /// A case.
    CaseId,
}

/// Cases of a member that are not closed.
pub const MOST_OPEN: i64 = 5;
/// Messages that a member may write within an hour, in all cases together.
pub const MOST_MESSAGES_AN_HOUR: i64 = 20;
/// Messages of a case.
pub const MOST_MESSAGES: i32 = 100;
/// Working days within which a complaint is settled.
pub const COMPLAINT_DAYS: u8 = 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum Topic {
    Deposit,
    Withdrawal,
    Investment,
    Course,
    Account,
    Security,
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum SubjectKind {
    Transaction,
    Trade,
    Hold,
    Freeze,
    Document,
    Payment,
}

/// The thing that a case refers to; whether it exists is for the reader to see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    pub kind: SubjectKind,
    pub reference: String,
}

impl Subject {
    /// # Errors
    /// Invalid on `subject` if the reference is not an id, hash or number.
    pub fn new(kind: SubjectKind, reference: &str) -> Result<Self, Refusal> {
        let reference = reference.trim();
        let is_sound = match kind {
            SubjectKind::Freeze => reference.is_empty(),
            SubjectKind::Transaction | SubjectKind::Trade | SubjectKind::Hold => Uuid::try_parse(reference).is_ok(),
            SubjectKind::Document | SubjectKind::Payment => is_text(reference, 1, 128),
        };
        if is_sound {
            Ok(Self { kind, reference: reference.to_owned() })
        } else {
            Err(Refusal::field("subject", "Enter the reference of what this is about."))
        }
    }
}

/// Whose turn it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum State {
    /// Staff owe an answer.
    Open,
    /// Staff have answered.
    Waiting,
    Closed,
}

#[derive(Debug, Clone)]
pub struct Case {
    pub id: CaseId,
    pub number: i64,
    pub user_id: MemberId,
    pub topic: Topic,
    pub subject: Option<Subject>,
    pub state: State,
    pub owner_id: Option<StaffId>,
    /// The colleague who handed it to the owner.
    pub assigned_by: Option<StaffId>,
    pub answer_due_at: Option<OffsetDateTime>,
    pub first_answered_at: Option<OffsetDateTime>,
    pub complaint_at: Option<OffsetDateTime>,
    pub complaint_due_at: Option<OffsetDateTime>,
    pub closed_at: Option<OffsetDateTime>,
    pub closed_by: Option<Party>,
    pub messages: i32,
    pub created_at: OffsetDateTime,
    pub updated_at: OffsetDateTime,
}

impl Case {
    /// Fails for a closed case.
    ///
    /// # Errors
    /// `CaseClosed`.
    pub fn check_open(&self) -> Result<(), Error> {
        if self.state == State::Closed { Err(Error::CaseClosed) } else { Ok(()) }
    }

    /// Takes one more message.
    ///
    /// # Errors
    /// `CaseClosed`, `CaseFull`.
    pub fn write(&mut self, author: Party, answer_time: Duration, now: OffsetDateTime) -> Result<(), Error> {
        self.check_open()?;
        if self.messages >= MOST_MESSAGES {
            return Err(Error::CaseFull);
        }
        self.messages += 1;
        self.updated_at = now;
        match author {
            // A question with an addition is not put to the end of the queue.
            Party::Member => {
                self.state = State::Open;
                self.answer_due_at = self.answer_due_at.or(Some(now + answer_time));
            }
            Party::Staff => {
                self.state = State::Waiting;
                self.answer_due_at = None;
                self.first_answered_at = self.first_answered_at.or(Some(now));
            }
        }
        Ok(())
    }

    /// Ends it. The deadline of a complaint stays, for the register.
    pub fn close(&mut self, by: Party, now: OffsetDateTime) {
        self.state = State::Closed;
        self.answer_due_at = None;
        self.closed_at = Some(now);
        self.closed_by = Some(by);
        self.updated_at = now;
    }

    /// Puts it into the register of complaints; one that is there keeps its deadline. Returns whether it was put there.
    pub fn register_complaint(&mut self, now: OffsetDateTime) -> bool {
        if self.complaint_at.is_some() {
            return false;
        }
        self.complaint_at = Some(now);
        self.complaint_due_at = Some(working_days::after(now, COMPLAINT_DAYS));
        self.updated_at = now;
        true
    }
}

/// Which cases staff list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filter {
    Open,
    Mine,
    Unowned,
    Complaints,
    Due,
    Member(MemberId),
}

/// The place of a case in a list: the time by which the list is ordered, in microseconds, and the id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    pub at: OffsetDateTime,
    pub id: CaseId,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.at.unix_timestamp_nanos() / 1_000, self.id.get().simple())
    }
}

impl FromStr for Place {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (micros, id) = text.split_once('.').ok_or(())?;
        let nanos = micros.parse::<i64>().map_err(|_| ())?;
        let at = OffsetDateTime::from_unix_timestamp_nanos(i128::from(nanos) * 1_000).map_err(|_| ())?;
        Ok(Self { at, id: id.parse().map_err(|_| ())? })
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;
    use uuid::Uuid;

    use super::{Place, Subject, SubjectKind};

    /// [D-M8] A case refers to things by what can be looked up, and to nothing else.
    #[test]
    fn references_have_the_form_of_their_kind() {
        let id = Uuid::nil().to_string();
        assert!(Subject::new(SubjectKind::Transaction, &id).is_ok());
        assert!(Subject::new(SubjectKind::Freeze, "").is_ok());
        assert_eq!(Subject::new(SubjectKind::Payment, " 0xfeed ").map(|one| one.reference), Ok("0xfeed".to_owned()));
        for (kind, reference) in
            [(SubjectKind::Trade, "x"), (SubjectKind::Freeze, "x"), (SubjectKind::Payment, ""), (SubjectKind::Hold, "")]
        {
            assert!(Subject::new(kind, reference).is_err(), "{kind:?} {reference}");
        }
    }

    #[test]
    fn places_read_back() {
        let place = Place { at: datetime!(2026-11-28 10:00:00.123456 UTC), id: Uuid::now_v7().into() };
        assert_eq!(place.to_string().parse(), Ok(place));
        assert!("x".parse::<Place>().is_err() && "9999999999999999999.x".parse::<Place>().is_err());
    }
}
