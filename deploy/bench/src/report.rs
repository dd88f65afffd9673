//! The table of what was measured, and how it compares with the published one.

use std::io::Write;

use anyhow::Result;

/// A figure of the table: its name, how it comes out of a pass, its target.
pub type Figure<P> = (&'static str, fn(&P) -> f64, &'static str);

/// Prints the table with the median and range of each figure over the passes.
pub fn report<P>(out: &mut impl Write, figures: &[Figure<P>], passes: &[P]) -> Result<()> {
    writeln!(out, "| figure | median | range | target |\n|---|---|---|---|")?;
    for (name, figure, target) in figures {
        let mut values: Vec<f64> = passes.iter().map(figure).collect();
        let middle = median(&mut values);
        let (least, most) = (values[0], values[values.len() - 1]);
        writeln!(out, "| {name} | {} | {} to {} | {target} |", shown(middle), shown(least), shown(most))?;
    }
    writeln!(out, "\nB18: no promise that is audited was broken after any of {} passes.\n", passes.len())?;
    let now = figures.iter().map(|(name, figure, _)| {
        let mut values: Vec<f64> = passes.iter().map(figure).collect();
        (vec![*name], 1, median(&mut values))
    });
    compare(out, now)
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Prints what changed since the published run: the first cells of a row, the column, and the figure of now. What that run
/// did not measure is left out. Differences fail nothing, because that run was on another day and perhaps on another machine:
/// compare ratios before times.
pub fn compare<'a>(out: &mut impl Write, now: impl Iterator<Item = (Vec<&'a str>, usize, f64)>) -> Result<()> {
    writeln!(out, "| figure | published | now | now ÷ published |\n|---|---|---|---|")?;
    for (row, column, value) in now {
        if let Some((name, before)) = published(&row, column) {
            let ratio = shown(value / before);
            writeln!(out, "| {}{name} | {} | {} | {ratio} |", row.join(", "), shown(before), shown(value))?;
        }
    }
    writeln!(out)?;
    Ok(())
}

/// A figure of the README's tables, with the name of its column where a row has several figures.
fn published(row: &[&str], column: usize) -> Option<(String, f64)> {
    let mut header = Vec::new();
    for line in include_str!("../README.md").lines() {
        let cells: Vec<&str> =
            line.strip_prefix("| ").unwrap_or_default().trim_end_matches(" |").split(" | ").collect();
        if cells.first().is_some_and(|first| ["figure", "page"].contains(first)) {
            header = cells;
        } else if cells.len() == header.len() && cells.starts_with(row) {
            let name = if row.len() > 1 { format!(": {}", header[column]) } else { String::new() };
            return Some((name, cells.get(column)?.parse().ok()?));
        }
    }
    None
}

fn shown(value: f64) -> String {
    if value >= 100.0 { format!("{value:.0}") } else { format!("{value:.2}") }
}

#[cfg(test)]
mod tests {
    use super::{compare, published};

    /// [B18] Figures are found by their names, pages by theirs and the state of the caches; what was not measured is left out.
    #[test]
    fn a_run_is_compared_with_the_published_one() {
        assert!(
            published(&["B15 the one p99 ÷ the other"], 1).is_some_and(|(name, value)| name.is_empty() && value > 1.0)
        );
        assert_eq!(published(&["dashboard", "warm"], 3).unwrap().0, ": figures stand (ms)");
        assert!(published(&["nothing that is measured"], 1).is_none());
        let mut out = Vec::new();
        let now = [(vec!["dashboard", "warm"], 3, 1.0), (vec!["no page", "warm"], 3, 1.0)];
        compare(&mut out, now.into_iter()).unwrap();
        let out = String::from_utf8(out).unwrap();
        assert!(out.contains("| dashboard, warm: figures stand (ms) |") && !out.contains("no page"), "{out}");
    }
}
