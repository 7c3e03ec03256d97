//! Tables that fit the terminal: what may be cut is cut, then what may be left out is left out.

use console::{Term, measure_text_width, truncate_str};

use crate::ui::visible_line;

/// Columns are this far apart.
const GAP: usize = 2;

/// No cell is cut to less than this.
const NARROWEST: usize = 8;

/// A column.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// Its head.
    pub head: &'static str,
    /// Whether it holds numbers, which stand at its right edge.
    pub right: bool,
    /// What may become of it where the terminal is narrow.
    pub fit: Fit,
}

/// What may become of a column where the terminal is narrow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    /// It stays as it is.
    Keep,
    /// Its cells may be cut.
    Cut,
    /// It may be left out; columns further to the right go first.
    Drop,
}

impl Column {
    /// A column of texts.
    pub const fn text(head: &'static str, fit: Fit) -> Self {
        Self { head, right: false, fit }
    }

    /// A column of numbers.
    pub const fn number(head: &'static str, fit: Fit) -> Self {
        Self { head, right: true, fit }
    }
}

/// The columns of the terminal that stdout is; none where it is none, and nothing need fit.
pub fn terminal_width() -> Option<usize> {
    let (_, columns) = Term::stdout().size_checked()?;
    Some(usize::from(columns))
}

/// The lines of a table, its head first. Cells may hold foreign text.
pub fn lines(columns: &[Column], rows: &[Vec<String>], width: Option<usize>) -> Vec<String> {
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| visible_line(cell)).collect()).collect();
    let mut widths: Vec<Option<usize>> = columns
        .iter()
        .enumerate()
        .map(|(at, column)| {
            let cells = rows.iter().filter_map(|row| row.get(at)).map(|cell| measure_text_width(cell));
            Some(cells.chain([measure_text_width(column.head)]).max().unwrap_or(0))
        })
        .collect();
    if let Some(width) = width {
        fit(columns, &mut widths, width);
    }
    let line = |cell: &dyn Fn(usize) -> String| {
        let cells = widths.iter().zip(columns).enumerate().filter_map(|(at, (width, column))| {
            let width = (*width)?;
            let text = cell(at);
            let text = truncate_str(&text, width, "…");
            let space = " ".repeat(width.saturating_sub(measure_text_width(&text)));
            Some(if column.right { format!("{space}{text}") } else { format!("{text}{space}") })
        });
        cells.collect::<Vec<_>>().join(&" ".repeat(GAP)).trim_end().to_owned()
    };
    let head = line(&|at| columns[at].head.to_owned());
    let body = rows.iter().map(|row| line(&|at| row.get(at).cloned().unwrap_or_default()));
    [head].into_iter().chain(body).collect()
}

fn fit(columns: &[Column], widths: &mut [Option<usize>], width: usize) {
    let excess = |widths: &[Option<usize>]| {
        let shown = widths.iter().flatten();
        (shown.clone().sum::<usize>() + GAP * shown.count().saturating_sub(1)).saturating_sub(width)
    };
    let slack = |widths: &[Option<usize>]| {
        let cuttable = columns.iter().zip(widths).filter(|(column, _)| column.fit == Fit::Cut);
        cuttable.map(|(_, width)| width.unwrap_or(0).saturating_sub(NARROWEST)).sum::<usize>()
    };
    for (at, column) in columns.iter().enumerate().rev() {
        if excess(widths) > slack(widths) && column.fit == Fit::Drop {
            widths[at] = None;
        }
    }
    // The widest cell gives way first, so that short ones stay whole.
    while excess(widths) > 0 {
        let cuttable = columns.iter().zip(widths.iter_mut()).filter(|(column, _)| column.fit == Fit::Cut);
        match cuttable.filter_map(|(_, width)| width.as_mut()).max() {
            Some(width) if *width > NARROWEST => *width -= 1,
            _ => break,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: [Column; 4] = [
        Column::text("ID", Fit::Keep),
        Column::number("TIME", Fit::Keep),
        Column::text("NETWORK", Fit::Cut),
        Column::text("ROUTE", Fit::Drop),
    ];

    fn rows() -> Vec<Vec<String>> {
        let row = |cells: [&str; 4]| cells.map(str::to_owned).to_vec();
        vec![
            row(["a1", "9 ms", "a-network-with-a-long-name.onnx", "route/one"]),
            row(["b2", "12.5 s", "señal\u{1b}[2J.onnx", ""]),
        ]
    }

    #[test]
    fn without_a_terminal_everything_is_there_and_nothing_steers_it() {
        let lines = lines(&COLUMNS, &rows(), None);
        assert_eq!(lines[0], "ID    TIME  NETWORK                          ROUTE");
        assert_eq!(lines[1], "a1    9 ms  a-network-with-a-long-name.onnx  route/one");
        assert!(!lines[2].contains('\u{1b}') && lines[2].starts_with("b2  12.5 s  señal"), "{}", lines[2]);
    }

    #[test]
    fn every_line_fits_as_far_as_the_columns_allow() {
        for width in [60, 50, 40, 30, 22] {
            for line in lines(&COLUMNS, &rows(), Some(width)) {
                assert!(measure_text_width(&line) <= width, "{width}: {line}");
            }
        }
        let narrow = lines(&COLUMNS, &rows(), Some(30));
        assert_eq!(narrow[1], "a1    9 ms  a-network-with-a-…");
        // What must stay stays.
        assert!(lines(&COLUMNS, &rows(), Some(5))[1].starts_with("a1    9 ms  a-netwo"));
    }
}
