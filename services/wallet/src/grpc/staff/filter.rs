//! Which transactions staff list.

use chassis::error::Refusal;
use chassis::money::Cents;
use chassis::page::Page;
use chassis::validate;
use proto::common::v1::PageRequest;
use proto::wallet::v1::ListStaffTransactionsRequest;

use crate::domain::cursor::Cursor;
use crate::domain::reference;
use crate::domain::txid::Txid;
use crate::error::Error;
use crate::grpc::convert;
use crate::store::transactions::Filter;

/// Rows on a page unless staff want more or fewer.
pub(super) const PAGE: u16 = 50;

/// Rows of the largest page of transactions: the whole queue is one answer.
const QUEUE: u16 = 1_000;

/// Characters of a search: the longest address or hash.
const SEARCH_LENGTH: usize = 128;

/// A page of transactions, which may be larger than those of other lists.
pub(super) fn queue_page(request: Option<PageRequest>) -> Result<Page<Cursor>, Refusal> {
    let PageRequest { size, cursor } = request.unwrap_or_default();
    let page = Page::parse(Some(PageRequest { size: 0, cursor }), PAGE)?;
    match u16::try_from(size) {
        Ok(0) => Ok(page),
        Ok(size @ 1..=QUEUE) => Ok(Page { size, ..page }),
        _ => Err(Refusal::field("size", format!("The page size must be 1 to {QUEUE}."))),
    }
}

pub(super) fn filter(message: &ListStaffTransactionsRequest) -> Result<Filter, Error> {
    let search = message.search.trim();
    if search.chars().count() > SEARCH_LENGTH {
        return Err(Refusal::field("search", "Please search for at most 128 characters.").into());
    }
    Ok(Filter {
        waits_for: convert::waits_for(message.waiting_for)?,
        status: convert::status_filter(message.status)?,
        kind: convert::kind_filter(message.kind)?,
        user_id: match message.member_id.as_str() {
            "" => None,
            id => Some(validate::id("member", id)?),
        },
        ids: reference::ids(search),
        text: Some(search.to_owned()).filter(|text| !text.is_empty()),
        txid_key: Some(Txid::key_of(search)).filter(|key| !key.is_empty()),
        amount: Cents::parse(&search.replace(['$', ',', ' '], "")).ok(),
    })
}
