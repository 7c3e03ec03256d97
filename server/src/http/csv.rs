//! Tables as CSV (RFC 4180, UTF-8). What a spreadsheet would take for a formula is marked as text.

use axum::{
    http::{HeaderValue, header},
    response::{IntoResponse as _, Response},
};

/// A table that is being written.
#[derive(Debug)]
pub struct Table(String);

impl Table {
    /// A table with these columns.
    pub fn new(columns: &[&str]) -> Self {
        let mut table = Self(String::new());
        table.row(columns.iter().map(|&column| Some(column.to_owned())));
        table
    }

    /// Adds a row; a cell without a value is empty.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Option<String>>) {
        for (place, cell) in cells.into_iter().enumerate() {
            if place > 0 {
                self.0.push(',');
            }
            self.0.push_str(&escaped(&cell.unwrap_or_default()));
        }
        self.0.push_str("\r\n");
    }

    /// The answer that a browser saves under this name.
    pub fn answer(self, name: &str) -> Response {
        let disposition = format!("attachment; filename=\"{name}.csv\"");
        let mut response = self.0.into_response();
        let headers = response.headers_mut();
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("text/csv; charset=utf-8; header=present"),
        );
        if let Ok(disposition) = HeaderValue::from_str(&disposition) {
            headers.insert(header::CONTENT_DISPOSITION, disposition);
        }
        response
    }
}

/// A cell. A text that begins like a formula gets an apostrophe before it, which spreadsheets read as "text".
fn escaped(cell: &str) -> String {
    let number = cell.parse::<f64>().is_ok();
    let formula = !number && cell.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let guarded = if formula { format!("'{cell}") } else { cell.to_owned() };
    if guarded.contains([',', '"', '\r', '\n']) {
        format!("\"{}\"", guarded.replace('"', "\"\""))
    } else {
        guarded
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_and_formulas_are_texts() {
        for (cell, expected) in [
            ("plain", "plain"),
            ("a,b", "\"a,b\""),
            ("say \"x\"", "\"say \"\"x\"\"\""),
            ("two\nlines", "\"two\nlines\""),
            ("-1.5", "-1.5"),
            ("=1+1", "'=1+1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("-2+3", "'-2+3"),
            ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
            ("", ""),
        ] {
            assert_eq!(escaped(cell), expected, "{cell:?}");
        }
        let mut table = Table::new(&["a", "b"]);
        table.row([Some("1".to_owned()), None]);
        assert_eq!(table.0, "a,b\r\n1,\r\n");
    }
}
