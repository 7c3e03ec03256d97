use serde_json::json;

use super::*;

fn array(shape: &[usize], numbers: &[f32]) -> Content {
    let bytes = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    Content::Arrays(vec![(String::new(), Tensor::new(Dtype::F32, shape.to_vec(), bytes).unwrap())])
}

fn within(absolute: f64, relative: f64) -> Tolerance {
    Tolerance { absolute: Some(absolute), relative: Some(relative), ..Tolerance::default() }
}

#[test]
fn arrays_by_distance() {
    let exact = Tolerance::default();
    let nan_equal = Tolerance { nan_equal: true, ..Tolerance::default() };
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    for (name, left, right, tolerance, agrees) in [
        ("the same", [1.0, 2.0], [1.0, 2.0], &exact, true),
        ("a zero's sign is no difference", [0.0, 2.0], [-0.0, 2.0], &exact, true),
        ("one bit off", [1.0, 2.0], [1.0, 2.000_000_2], &exact, false),
        ("within absolute", [1.0, 2.0], [1.125, 1.875], &within(0.125, 0.0), true),
        ("beyond absolute", [1.0, 2.0], [1.25, 2.0], &within(0.125, 0.0), false),
        ("within relative to the reference", [8.0, 2.0], [9.0, 2.0], &within(0.0, 0.125), true),
        ("beyond relative", [8.0, 2.0], [9.25, 2.0], &within(0.0, 0.125), false),
        ("both add up", [8.0, 2.0], [9.25, 2.0], &within(0.25, 0.125), true),
        ("a NaN is no NaN", [nan, 2.0], [nan, 2.0], &within(1e9, 1e9), false),
        ("unless it is said", [nan, 2.0], [nan, 2.0], &nan_equal, true),
        ("a NaN is no number", [nan, 2.0], [1.0, 2.0], &nan_equal, false),
        ("infinity is itself", [inf, 2.0], [inf, 2.0], &exact, true),
        ("and not the other one", [inf, 2.0], [-inf, 2.0], &within(1e300, 1.0), false),
        ("nor near a number", [inf, 2.0], [f32::MAX, 2.0], &within(1e300, 1.0), false),
    ] {
        let comparison = compare(&array(&[2], &left), &array(&[2], &right), tolerance);
        assert_eq!(comparison.agrees, agrees, "{name}: {comparison:?}");
        assert_eq!(comparison.compared.0, 2, "{name}");
        assert_eq!(comparison.first.len() as u64, comparison.differing.0, "{name}");
    }
}

#[test]
fn the_first_differences_are_kept_with_their_places() {
    let left = array(&[2, 3, 5], &[1.0; 30]);
    let mut numbers = [1.0; 30];
    numbers[7] = 1.5;
    numbers[29] = -1.0;
    let comparison = compare(&left, &array(&[2, 3, 5], &numbers), &Tolerance::default());
    let places: Vec<&str> = comparison.first.iter().map(|difference| difference.at.as_str()).collect();
    assert_eq!(places, ["[0,1,2]", "[1,2,4]"]);
    assert_eq!((comparison.first[1].reference.as_str(), comparison.first[1].candidate.as_str()), ("1", "-1"));
    assert_eq!((comparison.max_absolute, comparison.max_relative), (Some(2.0), Some(2.0)));
    let all = compare(&left, &array(&[2, 3, 5], &[3.0; 30]), &Tolerance::default());
    assert_eq!((all.differing.0, all.first.len()), (30, MAX_DIFFERENCES));
}

#[test]
fn shapes_types_names_and_kinds_must_agree() {
    let mismatch =
        |left: &Content, right: &Content| compare(left, right, &within(1e9, 1e9)).mismatch.unwrap();
    let (flat, square) = (array(&[4], &[0.0; 4]), array(&[2, 2], &[0.0; 4]));
    assert!(mismatch(&flat, &square).contains("the shape is [4] in the reference, [2, 2] in the candidate"));
    let whole = Tensor::new(Dtype::I32, vec![4], vec![0; 16]).unwrap();
    let whole = Content::Arrays(vec![(String::new(), whole)]);
    assert!(mismatch(&flat, &whole).contains("f32 in the reference, i32 in the candidate"));
    let named = |name: &str| {
        Content::Arrays(vec![(name.to_owned(), Tensor::from_json_numbers(vec![1], &[1.0]).unwrap())])
    };
    assert!(mismatch(&named("a"), &named("b")).contains("\"a\""));
    assert!(mismatch(&flat, &Content::Text(String::new())).contains("different kinds"));
    assert!(mismatch(&array(&[0], &[]), &array(&[0], &[])).contains("nothing was compared"));
    assert!(Tensor::new(Dtype::F32, vec![usize::MAX, 2], vec![]).is_none());
    assert!(Tensor::new(Dtype::F32, vec![2], vec![0; 7]).is_none());
}

#[test]
fn every_element_type_is_read() {
    let one = |dtype, bytes: &[u8]| Tensor::new(dtype, vec![1], bytes.to_vec()).unwrap().get(0);
    for (dtype, bytes, expected) in [
        (Dtype::F16, &[0x00, 0x3c][..], Number::Float(1.0)),
        (Dtype::F16, &[0x01, 0x80], Number::Float(-f64::powi(2.0, -24))),
        (Dtype::F16, &[0xff, 0x7b], Number::Float(65504.0)),
        (Dtype::F16, &[0x00, 0xfc], Number::Float(f64::NEG_INFINITY)),
        (Dtype::F32, &[0, 0, 0xc0, 0xbf], Number::Float(-1.5)),
        (Dtype::F64, &[0, 0, 0, 0, 0, 0, 0xf0, 0x3f], Number::Float(1.0)),
        (Dtype::I8, &[0xff], Number::Integer(-1)),
        (Dtype::I16, &[0, 0x80], Number::Integer(-32768)),
        (Dtype::I32, &[0xfe, 0xff, 0xff, 0xff], Number::Integer(-2)),
        (Dtype::I64, &[0, 0, 0, 0, 0, 0, 0, 0x80], Number::Integer(i64::MIN.into())),
        (Dtype::U8, &[0xff], Number::Integer(255)),
        (Dtype::U16, &[0xff, 0xff], Number::Integer(65535)),
        (Dtype::U32, &[0xff; 4], Number::Integer(u32::MAX.into())),
        (Dtype::U64, &[0xff; 8], Number::Integer(u64::MAX.into())),
        (Dtype::Bool, &[7], Number::Integer(1)),
    ] {
        assert_eq!(one(dtype, bytes), expected, "{dtype:?}");
    }
    assert!(one(Dtype::F16, &[0x01, 0x7c]).as_f64().is_nan());
    // Neighbours that are one and the same double.
    let large = |last: u8| {
        let bytes = vec![last, 0, 0, 0, 0, 0, 0, 0x7f];
        Content::Arrays(vec![(String::new(), Tensor::new(Dtype::I64, vec![1], bytes).unwrap())])
    };
    assert!(!compare(&large(0), &large(1), &Tolerance::default()).agrees);
    assert!(compare(&large(0), &large(1), &within(1.0, 0.0)).agrees);
}

#[test]
fn top_k_looks_at_ranks() {
    let top = |k, agreement| Tolerance { top_k: Some(TopK { k, agreement }), ..Tolerance::default() };
    let left = array(&[2, 4], &[4.0, 3.0, 2.0, 1.0, 1.0, 2.0, 3.0, 4.0]);
    for (name, right, tolerance, agrees, share) in [
        ("other values, the same ranks", [40.0, 30.0, 2.0, 1.0, 1.0, 2.0, 5.0, 9.0], top(2, 1.0), true, 1.0),
        (
            "the order inside the top is free",
            [3.0, 4.0, 2.0, 1.0, 1.0, 2.0, 4.0, 3.0],
            top(2, 1.0),
            true,
            1.0,
        ),
        ("one of four is another", [4.0, 1.0, 3.0, 2.0, 1.0, 2.0, 3.0, 4.0], top(2, 1.0), false, 0.75),
        ("which may be enough", [4.0, 1.0, 3.0, 2.0, 1.0, 2.0, 3.0, 4.0], top(2, 0.75), true, 0.75),
        ("a NaN row has nothing", [f32::NAN, 3.0, 2.0, 1.0, 1.0, 2.0, 3.0, 4.0], top(1, 0.6), false, 0.5),
        ("more than there are", [1.0; 8], top(9, 1.0), true, 1.0),
    ] {
        let comparison = compare(&left, &array(&[2, 4], &right), &tolerance);
        assert_eq!((comparison.agrees, comparison.agreement), (agrees, Some(share)), "{name}");
    }
    let both = Tolerance { absolute: Some(0.5), ..top(2, 1.0) };
    assert!(!compare(&left, &array(&[2, 4], &[40.0, 30.0, 2.0, 1.0, 1.0, 2.0, 5.0, 9.0]), &both).agrees);
}

#[test]
fn texts_and_tokens() {
    let text = |left: &str, right: &str| {
        compare(&Content::Text(left.to_owned()), &Content::Text(right.to_owned()), &Tolerance::default())
    };
    assert!(text("a\nb", "a\nb").agrees && text("", "").agrees);
    for (left, right, at, reference, candidate) in [
        ("one\ntwo", "one\ntoo", "line 2, character 2", "wo", "oo"),
        ("one", "one\r", "line 1, character 4", "", "\\r"),
        ("one", "one\n", "line 2, character 1", "(end)", ""),
        ("é模", "é型", "line 1, character 2", "模", "型"),
        ("a\u{1b}[2J", "b", "line 1, character 1", "a\\u{1b}[2J", "b"),
    ] {
        let comparison = text(left, right);
        let first = comparison.first.first().unwrap_or_else(|| panic!("{left:?}"));
        assert_eq!(
            (first.at.as_str(), first.reference.as_str(), first.candidate.as_str()),
            (at, reference, candidate)
        );
    }
    let tokens = |left: &[i64], right: &[i64], agreement| {
        let tolerance = Tolerance { agreement, ..Tolerance::default() };
        compare(&Content::TokenIds(left.to_vec()), &Content::TokenIds(right.to_vec()), &tolerance)
    };
    assert!(tokens(&[1, 2, 3], &[1, 2, 3], None).agrees);
    let shorter = tokens(&[1, 2, 3, 4], &[1, 2, 3], None);
    assert_eq!((shorter.agrees, shorter.first[0].candidate.as_str()), (false, "(end)"));
    assert!(tokens(&[1, 2, 3, 4], &[1, 2, 3], Some(0.75)).agrees);
    assert!(!tokens(&[1, 2, 3, 4], &[1, 2, 9], Some(0.75)).agrees);
}

#[test]
fn documents_by_path() {
    let rule = |absolute, ignore| PathRule { absolute, relative: None, ignore };
    let paths = [
        ("/choices/*/score", rule(Some(0.01), false)),
        ("/choices/1/score", rule(Some(1.0), false)),
        ("/usage", rule(None, true)),
    ];
    let tolerance = Tolerance {
        paths: paths.into_iter().map(|(path, rule)| (path.to_owned(), rule)).collect(),
        ..Tolerance::default()
    };
    tolerance.check(Kind::Json).unwrap();
    let document = |first: f64, second: f64| json!({ "choices": [{ "score": first, "a/b": 1 }, { "score": second }], "usage": { "ms": first }, "n": 3 });
    let places = |right: Value| -> Vec<String> {
        let comparison = compare(&Content::Json(document(0.5, 0.5)), &Content::Json(right), &tolerance);
        comparison.first.into_iter().map(|difference| difference.at).collect()
    };
    assert!(places(document(0.505, 1.25)).is_empty());
    assert_eq!(places(document(0.52, 2.0)), ["/choices/0/score", "/choices/1/score"]);
    let mut other = document(0.5, 0.5);
    other["n"] = json!(4);
    other["choices"][0]["a/b"] = json!("1");
    other["more"] = json!(null);
    assert_eq!(places(other), ["/choices/0/a~1b", "/n", "/more"]);
    let everywhere = within(0.5, 0.0);
    let compared =
        |left: Value, right: Value| compare(&Content::Json(left), &Content::Json(right), &everywhere).agrees;
    assert!(compared(json!([1, 2.5]), json!([1.5, 2])));
    assert!(
        !compared(json!([1, 2]), json!([1]))
            && !compared(json!({}), json!([]))
            && !compared(json!(1), json!(null))
    );
}

#[test]
fn a_tolerance_that_makes_no_sense_is_refused() {
    for (kind, text, expected) in [
        (Kind::Text, r#"{"absolute":0.1}"#, "absolute is for numbers"),
        (Kind::Array, r#"{"absolute":-1}"#, "absolute must be finite and not negative"),
        (Kind::Json, r#"{"nan_equal":true}"#, "nan_equal is for arrays"),
        (Kind::Array, r#"{"agreement":0.5}"#, "agreement is for token ids"),
        (Kind::TokenIds, r#"{"agreement":0}"#, "agreement must be above 0"),
        (Kind::Array, r#"{"top_k":{"k":0,"agreement":1}}"#, "top_k.k must be at least 1"),
        (Kind::Array, r#"{"top_k":{"k":1,"agreement":1.1}}"#, "top_k.agreement must be above 0"),
        (Kind::TokenIds, r#"{"top_k":{"k":1,"agreement":1}}"#, "top_k is for arrays"),
        (Kind::Array, r#"{"paths":{"/a":{}}}"#, "paths are for JSON"),
        (Kind::Json, r#"{"paths":{"a":{}}}"#, "must be a JSON pointer"),
        (Kind::Json, r#"{"paths":{"/a":{"ignore":true,"relative":0.1}}}"#, "is ignored and held"),
    ] {
        let tolerance: Tolerance = serde_json::from_str(text).unwrap();
        let error = tolerance.check(kind).unwrap_err().to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
    assert!(serde_json::from_str::<Tolerance>(r#"{"absolut":0.1}"#).is_err());
}

#[test]
fn a_set_passes_only_whole() {
    let case = |agrees, problem: Option<&str>| CaseResult {
        name: "a".to_owned(),
        kind: Kind::Text,
        problem: problem.map(str::to_owned),
        comparison: Some(Comparison { agrees, ..Comparison::default() }),
    };
    for (cases, expected) in [
        (vec![], CheckVerdict::NotRun),
        (vec![case(true, None)], CheckVerdict::Pass),
        (vec![case(true, None), case(false, None)], CheckVerdict::Fail),
        (vec![case(true, Some("the candidate's file is missing"))], CheckVerdict::Fail),
    ] {
        assert_eq!(verdict(&cases), expected);
    }
    assert_eq!(case(true, Some("gone")).why_not().unwrap(), "gone");
    assert_eq!(case(true, None).why_not(), None);
}
