//! Pages of lists, newest first: the cursor of a page is the key of the last row before it.

use std::fmt::Display;
use std::str::FromStr;

use proto::common::v1::PageRequest;

use crate::error::Refusal;

/// Rows of the largest page.
pub const LARGEST: u16 = 500;

/// Rows on a page of the back office unless staff want more or fewer.
pub const OF_STAFF: u16 = 100;

/// The rows of a page, and the cursor of the next page; empty on the last page.
pub type Listed<T> = (Vec<T>, String);

/// The page that a caller wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page<C> {
    /// The cursor; `None` for the first page.
    pub after: Option<C>,
    /// Maximum rows.
    pub size: u16,
}

impl<C: FromStr> Page<C> {
    /// The page that a request describes; its size is `default` if the request names none.
    ///
    /// # Errors
    /// Invalid on `size` above [`LARGEST`], and on `cursor` if the text is no cursor of this list.
    pub fn parse(request: Option<PageRequest>, default: u16) -> Result<Self, Refusal> {
        let request = request.unwrap_or_default();
        let size = match u16::try_from(request.size) {
            Ok(0) => default,
            Ok(size) if size <= LARGEST => size,
            _ => return Err(Refusal::field("size", format!("The page size must be 1 to {LARGEST}."))),
        };
        let after = match request.cursor.as_str() {
            "" => None,
            text => Some(text.parse().map_err(|_| Refusal::field("cursor", "This page link is not valid."))?),
        };
        Ok(Self { after, size })
    }
}

impl<C: Display> Page<C> {
    /// The number of rows to read: one more than the page has, which shows whether a page follows.
    #[must_use]
    pub fn limit(&self) -> i64 {
        i64::from(self.size) + 1
    }

    /// The page out of up to [`Self::limit`] rows.
    pub fn cut<T>(&self, mut rows: Vec<T>, key: impl FnOnce(&T) -> C) -> Listed<T> {
        let has_more = rows.len() > usize::from(self.size);
        rows.truncate(usize::from(self.size));
        let next_cursor = rows.last().filter(|_| has_more).map(|last| key(last).to_string()).unwrap_or_default();
        (rows, next_cursor)
    }
}

#[cfg(test)]
mod tests {
    use proto::common::v1::PageRequest;

    use super::Page;

    fn parse(size: i32, cursor: &str) -> Result<Page<i64>, String> {
        let request = PageRequest { size, cursor: cursor.to_owned() };
        Page::parse(Some(request), 50).map_err(|refusal| refusal.fields[0].0.clone())
    }

    #[test]
    fn a_page_has_1_to_500_rows_and_begins_behind_its_cursor() {
        assert_eq!(Page::parse(None, 50).map(|page: Page<i64>| page.size), Ok(50));
        assert_eq!(parse(0, "7"), Ok(Page { after: Some(7), size: 50 }));
        assert_eq!(parse(500, ""), Ok(Page { after: None, size: 500 }));
        for size in [-1, 501, i32::MAX] {
            assert_eq!(parse(size, ""), Err("size".to_owned()));
        }
        assert_eq!(parse(1, "x"), Err("cursor".to_owned()));
    }

    #[test]
    fn only_a_page_with_more_rows_behind_it_has_a_cursor() {
        let page = Page { after: None, size: 2 };
        assert_eq!(page.cut(vec![9, 8, 7], |row| *row), (vec![9, 8], "8".to_owned()));
        assert_eq!(page.cut(vec![9, 8], |row| *row), (vec![9, 8], String::new()));
        assert_eq!(page.cut(Vec::new(), |row: &i64| *row), (Vec::new(), String::new()));
    }
}
