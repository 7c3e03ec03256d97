//! The model card: what `README.md` states in its YAML front matter. Bounded, without aliases, and nothing of it is
//! ever an instruction.

use acta_ledger::judge::licence::StatedLicence;
use saphyr_parser::{Event, Parser, ScalarStyle};

/// The longest front matter.
const MAX_FRONT_MATTER: usize = 128 * 1024;
/// The deepest nesting.
const MAX_DEPTH: usize = 32;
/// The most values.
const MAX_NODES: usize = 20_000;

/// What a card states.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Card {
    /// Whether there is a front matter at all.
    pub front_matter: bool,
    /// `license`: one identifier, or several.
    pub licences: Vec<String>,
    /// `license_name`, which goes with the identifier `other`.
    pub licence_name: Option<String>,
    /// `license_link`.
    pub licence_link: Option<String>,
    /// `base_model`.
    pub base_models: Vec<String>,
    /// `pipeline_tag`.
    pub pipeline_tag: Option<String>,
    /// `library_name`.
    pub library_name: Option<String>,
}

impl Card {
    /// What it states of the licence.
    pub fn licence(&self) -> StatedLicence<'_> {
        StatedLicence { identifiers: &self.licences, name: self.licence_name.as_deref() }
    }
}

/// A value of the front matter.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Node {
    /// A text, a number or anything else that is no collection; none for null.
    Scalar(Option<String>),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

/// A collection that is not closed yet.
enum Open {
    List(Vec<Node>),
    Map(Vec<(String, Node)>, Option<String>),
}

/// Reads a card. The error is a sentence for a person.
pub fn parse(text: &str) -> Result<Card, String> {
    let Some(front) = front_matter(text)? else { return Ok(Card::default()) };
    let node = read(front).map_err(|error| format!("the front matter is not YAML: {error}"))?;
    let members = match node {
        Some(Node::Map(members)) => members,
        None | Some(Node::Scalar(None)) => Vec::new(),
        Some(_) => return Err("the front matter is not a mapping of keys to values".to_owned()),
    };
    let mut card = Card { front_matter: true, ..Card::default() };
    for (key, value) in members {
        match key.as_str() {
            "license" => card.licences = texts(&key, value)?,
            "license_name" => card.licence_name = text_of(&key, value)?,
            "license_link" => card.licence_link = text_of(&key, value)?,
            "base_model" => card.base_models = texts(&key, value)?,
            "pipeline_tag" => card.pipeline_tag = text_of(&key, value)?,
            "library_name" => card.library_name = text_of(&key, value)?,
            _ => {}
        }
    }
    Ok(card)
}

/// What stands between the first line `---` and the next.
fn front_matter(text: &str) -> Result<Option<&str>, String> {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let Some(rest) = text.strip_prefix("---") else { return Ok(None) };
    let Some((first, rest)) = rest.split_once('\n') else { return Ok(None) };
    if !first.trim().is_empty() {
        return Ok(None);
    }
    let mut end = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Ok(Some(&rest[..end]));
        }
        end += line.len();
        if end > MAX_FRONT_MATTER {
            return Err(format!("the front matter is longer than {MAX_FRONT_MATTER} bytes"));
        }
    }
    Err("the front matter does not end: there is no second line ---".to_owned())
}

fn texts(key: &str, value: Node) -> Result<Vec<String>, String> {
    match value {
        Node::Scalar(text) => Ok(text.into_iter().collect()),
        Node::List(items) => items
            .into_iter()
            .filter_map(|item| match item {
                Node::Scalar(text) => text.map(Ok),
                _ => Some(Err(format!("{key} holds something that is no text"))),
            })
            .collect(),
        Node::Map(_) => Err(format!("{key} is neither a text nor a list of texts")),
    }
}

fn text_of(key: &str, value: Node) -> Result<Option<String>, String> {
    match value {
        Node::Scalar(text) => Ok(text),
        _ => Err(format!("{key} is no text")),
    }
}

/// Reads the one document; none where it is empty.
fn read(text: &str) -> Result<Option<Node>, String> {
    let mut open: Vec<Open> = Vec::new();
    let mut root = None;
    for (count, event) in Parser::new_from_str(text).enumerate() {
        let (event, span) = event.map_err(|error| error.to_string())?;
        let line = span.start.line();
        if count > MAX_NODES {
            return Err(format!("it has more than {MAX_NODES} values"));
        }
        let closed = match event {
            Event::Scalar(value, style, ..) => {
                let null =
                    style == ScalarStyle::Plain && matches!(&*value, "" | "~" | "null" | "Null" | "NULL");
                Node::Scalar((!null).then(|| value.into_owned()))
            }
            Event::SequenceStart(..) => {
                push(&mut open, Open::List(Vec::new()), line)?;
                continue;
            }
            Event::MappingStart(..) => {
                push(&mut open, Open::Map(Vec::new(), None), line)?;
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(Open::List(items)) => Node::List(items),
                Some(Open::Map(members, _)) => Node::Map(members),
                None => return Err(format!("something ends that never began, at line {line}")),
            },
            Event::Alias(_) => return Err(format!("aliases are not read, line {line}")),
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd => continue,
        };
        if let Some(node) = put(&mut open, closed, line)?
            && root.replace(node).is_some()
        {
            return Err(format!("it holds a second document, at line {line}"));
        }
    }
    Ok(root)
}

fn push(open: &mut Vec<Open>, collection: Open, line: usize) -> Result<(), String> {
    if open.len() >= MAX_DEPTH {
        return Err(format!("it is nested deeper than {MAX_DEPTH} levels, at line {line}"));
    }
    if let Some(Open::Map(_, None)) = open.last() {
        return Err(format!("a key is no text, at line {line}"));
    }
    open.push(collection);
    Ok(())
}

/// Puts a value where it belongs; gives it back if it is the root.
fn put(open: &mut [Open], node: Node, line: usize) -> Result<Option<Node>, String> {
    match open.last_mut() {
        None => return Ok(Some(node)),
        Some(Open::List(items)) => items.push(node),
        Some(Open::Map(members, key)) => match (key.take(), node) {
            (Some(key), node) => {
                if members.iter().any(|(known, _)| *known == key) {
                    return Err(format!("the key {key:?} stands twice, at line {line}"));
                }
                members.push((key, node));
            }
            (None, Node::Scalar(text)) => *key = Some(text.unwrap_or_default()),
            (None, _) => return Err(format!("a key is no text, at line {line}")),
        },
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "---\nlicense: apache-2.0\nbase_model:\n- acme/base\n- acme/other\npipeline_tag: text-generation\n\
                        tags: [a, b]\nmodel-index:\n- name: x\n  results: []\n---\n# Title\n";

    #[test]
    fn a_card_is_read() {
        let card = parse(GOOD).unwrap();
        assert_eq!(card.licences, ["apache-2.0"]);
        assert_eq!(card.base_models, ["acme/base", "acme/other"]);
        assert_eq!(card.pipeline_tag.as_deref(), Some("text-generation"));
        assert!(card.front_matter);
        let windows = parse(&GOOD.replace('\n', "\r\n")).unwrap();
        assert_eq!(windows, card);
        assert_eq!(parse("# no front matter\n---\nlicense: mit\n---\n").unwrap(), Card::default());
        assert_eq!(parse("---\n---\n").unwrap(), Card { front_matter: true, ..Card::default() });
        assert_eq!(parse("---\nlicense: null\n---\n").unwrap().licences, Vec::<String>::new());
        assert_eq!(parse("---\nlicense: 'null'\n---\n").unwrap().licences, ["null"]);
    }

    #[test]
    fn a_broken_card_is_an_error_and_never_a_crash() {
        let deep = format!("---\na: {}\n---\n", "[".repeat(5000));
        let flat_deep: String = (0..200).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
        let long = format!("---\n{}---\n", "a: b\n".repeat(40_000));
        let many = format!("---\na: [{}]\n---\n", "1,".repeat(30_000));
        let bomb = "---\na: &a [x, x]\nb: [*a, *a]\n---\n";
        for (text, words) in [
            ("---\ntags: [unclosed\n\t- x: {\n- tiny\n---\n", "not YAML"),
            ("---\nlicense: mit\n", "does not end"),
            ("---\n- a\n- b\n---\n", "not a mapping"),
            ("---\nlicense: {a: b}\n---\n", "license is neither"),
            ("---\nlicense: [[a]]\n---\n", "no text"),
            ("---\nlicense: mit\nlicense: apache-2.0\n---\n", "stands twice"),
            ("---\n? [a]\n: b\n---\n", "key is no text"),
            (bomb, "aliases"),
            (&deep, "recursion limit"),
            (&format!("---\n{flat_deep}---\n"), "nested deeper"),
            (&long, "longer than"),
            (&many, "more than 20000"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(words), "{}: {error}", &text[..text.len().min(40)]);
        }
    }

    /// Cuts and flips bytes of a card; nothing may panic.
    #[test]
    fn damaged_cards_never_panic() {
        let mut random = 1_u32;
        let mut next = || {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 16) as usize
        };
        let pool = b"-:[]{}&*!|>'\"%@`#,? \t\n\r\\aZ0\xc3\xa9\x00";
        for _ in 0..20_000 {
            let mut bytes = GOOD.as_bytes().to_vec();
            for _ in 0..1 + next() % 6 {
                let at = next() % bytes.len();
                match next() % 3 {
                    0 => bytes[at] = pool[next() % pool.len()],
                    1 => bytes.insert(at, pool[next() % pool.len()]),
                    _ => {
                        bytes.remove(at);
                    }
                }
            }
            let _ = parse(&String::from_utf8_lossy(&bytes));
        }
    }
}
