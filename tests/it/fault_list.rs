use std::{collections::BTreeSet, fs, path::Path};

/// What concerns witnesses.
const WITNESSES: [u32; 3] = [20, 21, 23];

/// Every fault of the list is shown by a test that exists, or the list says why not.
#[test]
fn every_fault_names_the_tests_that_show_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests lies in the workspace");
    let list = fs::read_to_string(root.join("tests/FAULTS.md")).expect("the list is there");
    let mut listed = BTreeSet::new();
    for line in list.lines() {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let Some(number) = cells.first().and_then(|cell| cell.parse::<u32>().ok()) else { continue };
        let [_, fault, shown] = cells[..] else { panic!("{number}: expected three cells, found {cells:?}") };
        assert!(!fault.is_empty() && listed.insert(number), "{number} stands twice or says nothing");
        let tests: Vec<&str> = shown.split_whitespace().filter(|word| word.contains("::")).collect();
        assert!(!tests.is_empty() || shown.starts_with("not here: "), "{number}: no test, and no reason");
        for test in tests {
            let test = test.trim_matches('`');
            let (file, name) = test.split_once("::").expect("it holds ::");
            let source = fs::read_to_string(root.join(file))
                .unwrap_or_else(|error| panic!("{number}: {file}: {error}"));
            assert!(is_test(&source, name), "{number}: {file} holds no test {name}");
        }
    }
    let expected: BTreeSet<u32> = (1..=48).filter(|number| !WITNESSES.contains(number)).collect();
    assert_eq!(listed, expected);
}

/// Whether a source holds a test of the name: a function with an attribute that makes it one, or inside `proptest!`.
fn is_test(source: &str, name: &str) -> bool {
    let lines: Vec<&str> = source.lines().map(str::trim).collect();
    let named = format!("fn {name}(");
    let declared = |at: usize| {
        let attributes =
            lines[..at].iter().rev().take_while(|line| line.starts_with("#[") || line.starts_with("//"));
        let is_attribute = |line: &&str| line.starts_with("#[test]") || line.starts_with("#[tokio::test");
        attributes.into_iter().any(is_attribute) || source.contains("proptest! {")
    };
    lines.iter().enumerate().any(|(at, line)| line.contains(&named) && declared(at))
}
