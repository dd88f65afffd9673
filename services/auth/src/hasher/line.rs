//! A bounded line in which address blocks take turns, and within a block the addresses or accounts (start-time fair
//! queueing). If the line is too long, the last in it leaves: the one who already has most in it.

use std::collections::{BTreeMap, HashSet};

use crate::domain::asker::Asker;

/// The place of someone in a line: the turn, then who came first.
pub type Number = (u64, u64);

/// Those who wait, in the order in which they are served.
pub struct Line<T> {
    room: usize,
    waiting: BTreeMap<Number, (Asker, T)>,
    /// The turn that was served last.
    turn: u64,
    arrivals: u64,
}

impl<T> Line<T> {
    /// A line for this many.
    pub const fn new(room: usize) -> Self {
        Self { room, waiting: BTreeMap::new(), turn: 0, arrivals: 0 }
    }

    /// Joins the line. `None` if there is no room, and everybody in it is before the asker.
    pub fn join(&mut self, asker: Asker, item: T) -> Option<Number> {
        self.arrivals += 1;
        let number = (self.next_turn(&asker), self.arrivals);
        self.waiting.insert(number, (asker, item));
        if self.waiting.len() > self.room
            && let Some((last, _)) = self.waiting.pop_last()
            && last == number
        {
            return None;
        }
        Some(number)
    }

    /// One in a block with n others who wait gets every n-th turn of the block.
    fn next_turn(&self, asker: &Asker) -> u64 {
        let of_block = self.waiting.iter().filter(|(_, (other, _))| other.block() == asker.block());
        let mut others = HashSet::new();
        let mut last = self.turn;
        for ((turn, _), (other, _)) in of_block {
            if other == asker {
                last = last.max(*turn);
            } else {
                others.insert(key(other));
            }
        }
        last + 1 + others.len() as u64
    }

    /// Leaves the line; `None` for one who had to leave already.
    pub fn leave(&mut self, number: Number) -> Option<T> {
        self.waiting.remove(&number).map(|(_, item)| item)
    }

    pub fn get_mut(&mut self, number: Number) -> Option<&mut T> {
        self.waiting.get_mut(&number).map(|(_, item)| item)
    }

    /// Takes out the first of those who are ready.
    pub fn serve(&mut self, is_ready: impl Fn(&T) -> bool) -> Option<T> {
        let (number, _) = self.waiting.iter().find(|(_, (_, item))| is_ready(item))?;
        let number = *number;
        self.turn = self.turn.max(number.0);
        self.leave(number)
    }
}

fn key(asker: &Asker) -> String {
    match asker {
        Asker::Visitor { address, .. } => address.clone(),
        Asker::Account { id, .. } => id.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::Line;
    use crate::domain::asker::Asker;

    fn visitor(block: &str, address: &str) -> Asker {
        Asker::Visitor { block: block.to_owned(), address: address.to_owned() }
    }

    fn served(line: &mut Line<&'static str>) -> Vec<&'static str> {
        std::iter::from_fn(|| line.serve(|_| true)).collect()
    }

    /// [D-S8] A block that fills the line makes room for others, who are served after one turn of it.
    #[test]
    fn a_block_that_fills_the_line_makes_room_for_others() {
        let mut line = Line::new(8);
        for address in 0..12 {
            line.join(visitor("a", &address.to_string()), "a");
        }
        assert_eq!(line.waiting.len(), 8);
        assert!(line.join(visitor("b", "1"), "b").is_some());
        assert!(line.join(visitor("c", "1"), "c").is_some());
        assert_eq!(served(&mut line), ["a", "b", "c", "a", "a", "a", "a", "a"]);
    }

    /// [D-S8] Within a block, one address does not take the turns of another.
    #[test]
    fn addresses_of_a_block_take_turns() {
        let mut line = Line::new(8);
        for _ in 0..20 {
            line.join(visitor("a", "1"), "greedy");
        }
        assert!(line.join(visitor("a", "2"), "neighbour").is_some());
        let order = served(&mut line);
        assert!(order.iter().take(3).any(|who| *who == "neighbour"), "{order:?}");
        assert_eq!(order.len(), 8);
    }

    /// [D-S8] The turns go on from where the line is: who was served before has no advantage and no debt.
    #[test]
    fn what_was_served_is_forgotten() {
        let mut line = Line::new(8);
        for _ in 0..5 {
            line.join(visitor("a", "1"), "a");
        }
        assert_eq!(served(&mut line).len(), 5);
        line.join(visitor("a", "1"), "a");
        line.join(visitor("b", "1"), "b");
        assert_eq!(served(&mut line), ["a", "b"]);
    }

    /// [D-S7] Who has everything of a full line gets no more.
    #[test]
    fn the_last_is_sent_away() {
        let mut line = Line::new(3);
        let joined = (0..5).filter(|_| line.join(visitor("a", "1"), "a").is_some()).count();
        assert_eq!(joined, 3);
        let first = line.join(visitor("b", "1"), "b").unwrap();
        assert_eq!(line.leave(first), Some("b"));
        assert_eq!(line.leave(first), None);
    }
}
