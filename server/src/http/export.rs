//! Tables as files: the same rows as CSV (RFC 4180, UTF-8), as JSON and as lines of JSON, sent while they are read.
//!
//! A table is its columns, each with its name and what it takes out of a row; the three formats are written from those
//! alone. Nothing is translated, numbers have a point, times are RFC 3339 in UTC. In CSV, a text that a spreadsheet would
//! take for a formula is marked as text.

use acta_ledger::log::timestamp::Timestamp;
use axum::{
    body::{Body, Bytes},
    http::{HeaderValue, header},
    response::{IntoResponse as _, Response},
};
use futures::{Stream, StreamExt as _, stream};
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// How a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Comma-separated values with a head.
    #[default]
    Csv,
    /// An array of objects.
    Json,
    /// An object a line.
    Ndjson,
}

impl Format {
    fn media_type(self) -> &'static str {
        match self {
            Self::Csv => "text/csv; charset=utf-8; header=present",
            Self::Json => "application/json",
            Self::Ndjson => "application/x-ndjson",
        }
    }

    fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Json => "json",
            Self::Ndjson => "ndjson",
        }
    }
}

/// A column: its name, and its value in a row; null where there is none.
pub struct Column<T>(pub &'static str, pub fn(&T) -> Value);

/// A table that can be written.
pub struct Table<T: 'static> {
    /// The file's name without its ending.
    pub name: &'static str,
    /// Its columns.
    pub columns: &'static [Column<T>],
}

/// A moment as a cell.
pub fn at(moment: Timestamp) -> Value {
    moment.to_string().into()
}

/// A digest, an id or a code as a cell.
pub fn text(value: impl ToString) -> Value {
    value.to_string().into()
}

impl<T: Send + 'static> Table<T> {
    /// The answer that a browser saves. Where reading fails on the way, the answer breaks off, so that nobody takes a part
    /// for the whole.
    pub fn answer<E>(
        &'static self,
        format: Format,
        groups: impl Stream<Item = Result<Vec<T>, E>> + Send + 'static,
    ) -> Response
    where
        E: std::error::Error + Send + Sync + 'static,
    {
        let head = stream::iter([Ok(self.head(format))]);
        let mut first = true;
        let rows = groups.map(move |group| {
            let text = self.rows(format, &group?, first);
            first &= text.is_empty();
            Ok(text)
        });
        let foot = stream::iter([Ok(if format == Format::Json { "]\n".to_owned() } else { String::new() })]);
        let texts = head.chain(rows).chain(foot).map(|text: Result<String, E>| text.map(Bytes::from));
        let mut response = Body::from_stream(texts).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(format.media_type()));
        let disposition = format!("attachment; filename=\"{}.{}\"", self.name, format.extension());
        if let Ok(disposition) = HeaderValue::from_str(&disposition) {
            headers.insert(header::CONTENT_DISPOSITION, disposition);
        }
        response
    }

    /// The answer of rows that are all here.
    pub fn answer_with(&'static self, format: Format, rows: Vec<T>) -> Response {
        self.answer(format, stream::iter([Ok::<_, std::io::Error>(rows)]))
    }

    fn head(&self, format: Format) -> String {
        match format {
            Format::Csv => line(self.columns.iter().map(|column| column.0.to_owned())),
            Format::Json => "[".to_owned(),
            Format::Ndjson => String::new(),
        }
    }

    fn rows(&self, format: Format, rows: &[T], first: bool) -> String {
        let mut text = String::new();
        for row in rows {
            if format == Format::Csv {
                text.push_str(&line(self.columns.iter().map(|column| cell(column.1(row)))));
                continue;
            }
            if format == Format::Json {
                text.push_str(if first && text.is_empty() { "\n" } else { ",\n" });
            }
            let object: Map<String, Value> =
                self.columns.iter().map(|column| (column.0.to_owned(), column.1(row))).collect();
            text.push_str(&Value::Object(object).to_string());
            if format == Format::Ndjson {
                text.push('\n');
            }
        }
        text
    }
}

/// A value as a cell of CSV.
fn cell(value: Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text,
        other => other.to_string(),
    }
}

fn line(cells: impl Iterator<Item = String>) -> String {
    let mut line = cells.map(|cell| escaped(&cell)).collect::<Vec<_>>().join(",");
    line.push_str("\r\n");
    line
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
    }

    static TABLE: Table<(u64, Option<&str>)> = Table {
        name: "acta-test",
        columns: &[Column("number", |row| row.0.into()), Column("word", |row| row.1.into())],
    };

    async fn written(format: Format, groups: Vec<Vec<(u64, Option<&'static str>)>>) -> String {
        let groups = stream::iter(groups.into_iter().map(Ok::<_, std::io::Error>));
        let body = TABLE.answer(format, groups).into_body();
        String::from_utf8(axum::body::to_bytes(body, usize::MAX).await.unwrap().to_vec()).unwrap()
    }

    #[tokio::test]
    async fn every_format_holds_the_same_rows_however_they_are_read() {
        let rows = [(1, Some("a,b")), (2, None), (3, Some("=1"))];
        let groups = [vec![rows.to_vec()], vec![vec![], rows[..1].to_vec(), vec![], rows[1..].to_vec()]];
        for groups in groups {
            assert_eq!(
                written(Format::Csv, groups.clone()).await,
                "number,word\r\n1,\"a,b\"\r\n2,\r\n3,'=1\r\n"
            );
            let json: Value = serde_json::from_str(&written(Format::Json, groups.clone()).await).unwrap();
            let lines = written(Format::Ndjson, groups).await;
            let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            assert_eq!(json, Value::Array(lines));
            assert_eq!(json[2], serde_json::json!({ "number": 3, "word": "=1" }));
        }
        assert_eq!(written(Format::Json, Vec::new()).await, "[]\n");
    }

    #[tokio::test]
    async fn a_table_that_cannot_be_read_to_its_end_breaks_off() {
        let groups = [Ok(vec![(1, None)]), Err(std::io::Error::other("gone"))];
        let body = TABLE.answer(Format::Csv, stream::iter(groups)).into_body();
        assert!(axum::body::to_bytes(body, usize::MAX).await.is_err());
    }
}
