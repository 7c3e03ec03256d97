//! Who built a run again, on its page and on the trace of its bundle.

use acta_app::i18n::Lang;

use crate::{check_page, page};

/// The part of a page between two headings.
fn part(html: &str) -> &str {
    let start = html.find("id=\"h-rebuilds\"").expect("the part is there");
    html[start..].split("</section>").next().expect("it ends")
}

#[test]
fn a_run_says_by_whom_and_how_often_it_was_reproduced() {
    for (lang, sentences) in [
        (
            Lang::En,
            [
                "The plan was reproduced 2 times, by 2 agents: lab-1, lab-2.",
                "Owner: ada.",
                "The run&#x27;s own agent reproduced it once, which is not independent.",
                "Once another plan came out; the first differing setting is settings.targets.",
                "Once nothing could be compared.",
                "One statement does not count: its evidence does not bear it.",
            ],
        ),
        (
            Lang::Es,
            [
                "El plan se reprodujo 2 veces, por 2 agentes: lab-1, lab-2.",
                "Responsable: ada.",
                "El propio agente de la ejecución lo reprodujo una vez, lo que no es independiente.",
                "Una vez salió otro plan; el primer ajuste que difiere es settings.targets.",
                "Una vez no se pudo comparar nada.",
                "Una declaración no cuenta: su evidencia no la sostiene.",
            ],
        ),
    ] {
        let html = page("/runs/1", lang).html;
        check_page(&html, lang);
        let text = part(&html).replace("&#39;", "&#x27;").replace('\'', "&#x27;");
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for sentence in sentences {
            assert!(flat.contains(sentence), "{sentence}\n{flat}");
        }
        assert!(flat.contains("acta rebuild --run") && flat.contains("href=\"/entries/23\""));
        assert!(flat.contains("&lt;b&gt;lab&lt;/b&gt;"), "a name cannot be markup");
    }
}

#[test]
fn a_run_without_rebuilds_says_how_or_why_nobody_can() {
    for (number, sentence) in [
        (2, "It cannot be rebuilt. The run has no plan."),
        (8, "It cannot be rebuilt. No library built it: it was simulated."),
    ] {
        let html = page(&format!("/runs/{number}"), Lang::En).html;
        check_page(&html, Lang::En);
        let text = part(&html);
        assert!(text.contains("It cannot be rebuilt.") && !text.contains("acta rebuild"), "{text}");
        assert!(text.contains(sentence.split_once(". ").unwrap().1), "{text}");
        assert!(!text.contains("Nobody has built it again yet."), "{text}");
    }
}
