//! The table of what was measured.

use std::io::Write;

use anyhow::Result;

/// A figure of the table: its name, how it comes out of a pass, its target.
pub type Figure<P> = (&'static str, fn(&P) -> f64, &'static str);

/// Prints the table with the median and range of each figure over the passes.
pub fn report<P>(out: &mut impl Write, figures: &[Figure<P>], passes: &[P]) -> Result<()> {
    writeln!(out, "| figure | median | range | target |\n|---|---|---|---|")?;
    for (name, figure, target) in figures {
        let mut values: Vec<f64> = passes.iter().map(figure).collect();
        values.sort_by(f64::total_cmp);
        let (least, middle, most) = (values[0], values[values.len() / 2], values[values.len() - 1]);
        writeln!(out, "| {name} | {} | {} to {} | {target} |", shown(middle), shown(least), shown(most))?;
    }
    writeln!(out, "\nB18: no promise that is audited was broken after any of {} passes.\n", passes.len())?;
    Ok(())
}

fn shown(value: f64) -> String {
    if value >= 100.0 { format!("{value:.0}") } else { format!("{value:.2}") }
}
