//! The licence: what the card says, what a LICENSE file reads like, whether the two agree, and whether a policy allows it.

use std::collections::BTreeSet;

use crate::evidence::gate::CheckVerdict;

/// What a model card states of its licence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatedLicence<'a> {
    /// `license`: one identifier, or several.
    pub identifiers: &'a [String],
    /// `license_name`, which goes with the identifier `other`.
    pub name: Option<&'a str>,
}

/// A file that looks like a licence's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LicenceFile {
    /// Its path in the checkpoint.
    pub path: String,
    /// What its text reads like, by its identifier; none where it is not recognised.
    pub reads_like: Option<&'static str>,
    /// Whether it restricts the use.
    pub restricts: bool,
}

/// Texts and what they are, the more special one first.
const KNOWN: [(&str, &[&str]); 19] = [
    ("agpl-3.0", &["gnu affero general public license", "version 3"]),
    ("lgpl-3.0", &["gnu lesser general public license", "version 3"]),
    ("lgpl-2.1", &["gnu lesser general public license", "version 2.1"]),
    ("gpl-3.0", &["gnu general public license", "version 3"]),
    ("gpl-2.0", &["gnu general public license", "version 2"]),
    ("mpl-2.0", &["mozilla public license version 2.0"]),
    ("apache-2.0", &["apache license", "version 2.0, january 2004"]),
    ("cc-by-nc-sa-4.0", &["attribution-noncommercial-sharealike 4.0"]),
    ("cc-by-nc-nd-4.0", &["attribution-noncommercial-noderivatives 4.0"]),
    ("cc-by-nc-4.0", &["attribution-noncommercial 4.0"]),
    ("cc-by-sa-4.0", &["attribution-sharealike 4.0"]),
    ("cc-by-4.0", &["attribution 4.0 international"]),
    ("cc0-1.0", &["cc0 1.0 universal"]),
    ("llama2", &["llama 2 community license"]),
    ("llama3", &["llama 3", "community license"]),
    ("gemma", &["gemma terms of use"]),
    ("bsd-3-clause", &["redistribution and use in source and binary forms", "neither the name"]),
    ("bsd-2-clause", &["redistribution and use in source and binary forms"]),
    ("mit", &["permission is hereby granted, free of charge", "the software is provided \"as is\""]),
];

/// Phrases that restrict the use.
const RESTRICTIONS: [&str; 5] =
    ["non-commercial", "noncommercial", "research purposes only", "research use only", "only for research"];

/// Whether a file's name is that of a licence's text.
pub fn is_licence_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let stem = name.split('.').next().unwrap_or(&name);
    matches!(stem, "license" | "licence" | "copying" | "license-model" | "model_license" | "use_policy")
        || stem.starts_with("license-")
        || stem.starts_with("license_")
}

/// Recognises a licence's text.
pub fn recognise(path: &str, text: &str) -> LicenceFile {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    let text = words.join(" ");
    let reads_like =
        KNOWN.iter().find(|(_, marks)| marks.iter().all(|mark| text.contains(mark))).map(|(id, _)| *id);
    // The GNU licences speak of noncommercial copying without restricting it.
    let gnu = reads_like.is_some_and(|id| id.contains("gpl"));
    let restricts = !gnu && RESTRICTIONS.iter().any(|phrase| text.contains(phrase));
    LicenceFile { path: path.to_owned(), reads_like, restricts }
}

/// Whether the licence is clear, why not, and which one it is. The card is none where none could be read.
pub fn judge(
    card: Option<StatedLicence<'_>>,
    files: &[LicenceFile],
) -> (CheckVerdict, Option<String>, Option<String>) {
    let hold = |reason: String| (CheckVerdict::Hold, Some(reason), None);
    let Some(card) = card else {
        return hold("there is no card that could be read".to_owned());
    };
    let name = match (card.identifiers, files) {
        ([], []) => return hold("neither the card nor a LICENSE file names a licence".to_owned()),
        ([], [file, ..]) => {
            let reads = file.reads_like.unwrap_or("no licence that is known");
            return hold(format!("the card names no licence; {} reads like {reads}", file.path));
        }
        ([one], _) => one.trim().to_lowercase(),
        (several, _) => return hold(format!("the card names several licences: {}", several.join(", "))),
    };
    if matches!(name.as_str(), "other" | "unknown" | "") {
        let called = card.name.unwrap_or("without a name");
        let restricted = files.iter().find(|file| file.restricts);
        let more = restricted.map_or_else(String::new, |file| format!("; {} restricts the use", file.path));
        return hold(format!("the card says \"{name}\" ({called}): a person must decide{more}"));
    }
    for file in files {
        let LicenceFile { path, reads_like, restricts } = file;
        match reads_like {
            Some(id) if same(&name, id) => {}
            Some(id) => return hold(format!("the card says {name}, {path} reads like {id}")),
            None if *restricts => return hold(format!("the card says {name}, {path} restricts the use")),
            None => return hold(format!("the card says {name}, {path} is no text that is known")),
        }
    }
    (CheckVerdict::Pass, None, Some(name))
}

/// Whether two identifiers name one licence.
fn same(card: &str, file: &str) -> bool {
    let plain = |id: &str| id.trim_end_matches("-only").trim_end_matches("-or-later").replace(['.', '+'], "");
    // One text of the Llama 3 licence serves its minor versions.
    plain(card) == plain(file) || file == "llama3" && card.starts_with("llama3")
}

/// Whether a policy's list allows a licence, and why not. The licence is none where it is not clear, the list where no
/// policy is known.
pub fn allowed(licence: Option<&str>, list: Option<&BTreeSet<String>>) -> (CheckVerdict, Option<String>) {
    let (verdict, reason) = match (licence, list) {
        (_, None) => {
            (CheckVerdict::NotRun, "no policy is known that says which licences are allowed".to_owned())
        }
        (None, Some(_)) => (CheckVerdict::Hold, "the licence is not clear".to_owned()),
        (Some(licence), Some(list)) => {
            if list.iter().any(|allowed| allowed.trim().eq_ignore_ascii_case(licence)) {
                return (CheckVerdict::Pass, None);
            }
            let allowed = list.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
            let reason = format!("{licence} is not among those that the policy allows: {allowed}");
            (CheckVerdict::Fail, reason)
        }
    };
    (verdict, Some(reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_recognised_by_what_they_say() {
        let like = |text: &str| recognise("LICENSE", text).reads_like;
        assert_eq!(like("Apache License\n   Version 2.0, January 2004"), Some("apache-2.0"));
        assert_eq!(
            like("GNU GENERAL PUBLIC LICENSE\nVersion 3, 29 June 2007 ... noncommercially"),
            Some("gpl-3.0")
        );
        assert_eq!(like("Attribution-NonCommercial 4.0 International"), Some("cc-by-nc-4.0"));
        assert_eq!(like("do what you want"), None);
        assert!(recognise("x", "for non-commercial research").restricts);
        assert!(!recognise("x", "GNU General Public License version 3 noncommercially").restricts);
        for (path, is) in [
            ("LICENSE", true),
            ("LICENSE.txt", true),
            ("sub/COPYING", true),
            ("LICENSE-MODEL.md", true),
            ("licensing.py", false),
            ("README.md", false),
        ] {
            assert_eq!(is_licence_file(path), is, "{path}");
        }
    }

    #[test]
    fn a_licence_is_clear_or_a_person_decides() {
        let file = |text: &str| recognise("LICENSE", text);
        let apache = "Apache License Version 2.0, January 2004";
        for (licences, files, pass, words) in [
            (&["apache-2.0"][..], vec![], true, ""),
            (&["Apache-2.0"], vec![file(apache)], true, ""),
            (&["llama3.1"], vec![file("LLAMA 3.1 COMMUNITY LICENSE AGREEMENT")], true, ""),
            (&["mit"], vec![file(apache)], false, "reads like apache-2.0"),
            (&["apache-2.0"], vec![file("for non-commercial use")], false, "restricts the use"),
            (&["apache-2.0"], vec![file("be nice")], false, "no text that is known"),
            (
                &["other"],
                vec![file("for non-commercial use")],
                false,
                "a person must decide; LICENSE restricts",
            ),
            (&[], vec![], false, "neither the card"),
            (&[], vec![file(apache)], false, "names no licence; LICENSE reads like apache-2.0"),
            (&["mit", "apache-2.0"], vec![], false, "several"),
        ] {
            let identifiers: Vec<String> = licences.iter().map(|it| (*it).to_owned()).collect();
            let card = StatedLicence { identifiers: &identifiers, name: None };
            let (verdict, reason, licence) = judge(Some(card), &files);
            assert_eq!(verdict == CheckVerdict::Pass, pass, "{licences:?} {reason:?}");
            assert_eq!(licence.is_some(), pass);
            assert!(reason.unwrap_or_default().contains(words), "{licences:?}");
        }
        assert_eq!(judge(None, &[]).0, CheckVerdict::Hold);
    }

    #[test]
    fn a_policy_allows_what_it_lists() {
        let list = BTreeSet::from(["Apache-2.0".to_owned()]);
        for (licence, list, verdict) in [
            (Some("apache-2.0"), Some(&list), CheckVerdict::Pass),
            (Some("mit"), Some(&list), CheckVerdict::Fail),
            (None, Some(&list), CheckVerdict::Hold),
            (Some("mit"), None, CheckVerdict::NotRun),
            (None, None, CheckVerdict::NotRun),
        ] {
            let found = allowed(licence, list);
            assert_eq!((found.0, found.1.is_none()), (verdict, verdict == CheckVerdict::Pass), "{licence:?}");
        }
    }
}
