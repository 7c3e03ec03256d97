use proptest::prelude::*;

use super::*;

fn read(text: &str) -> Filter {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn terms_are_read_and_written_in_one_way() {
    for (text, written) in [
        ("", ""),
        ("  resnet  ", "resnet"),
        (
            "age<7d  cache:cold gpu:H200 outcome:cancelled state:held",
            "gpu:H200 outcome:cancelled cache:cold state:hold age<7d",
        ),
        ("gpu=\"NVIDIA H200\"", "gpu=\"NVIDIA H200\""),
        ("gpu:\"H200\"", "gpu:H200"),
        ("age>3d age<48h", "age>3d age<2d"),
        ("duration>90s silence<1500ms latency>0ms", "duration>90s silence<1500ms latency>0ms"),
        ("need:person two words", "need:person two words"),
        ("\"two words\"", "\"two words\""),
        ("\"a:b\"", "\"a:b\""),
        (r#"route:"say \"x\\y\"""#, r#"route:"say \"x\\y\"""#),
        (r"route=a\b", r"route=a\b"),
        ("route=models/net:1", "route=models/net:1"),
    ] {
        assert_eq!(read(text).to_string(), written, "{text}");
    }
}

#[test]
fn what_cannot_be_understood_is_named_with_what_is_expected() {
    for (text, field, found, expected) in [
        ("colour:red", "q", "colour:red", "one of the fields route, gpu"),
        ("gpu:", "gpu", "gpu:", "gpu:PART"),
        ("gpu<H200", "gpu", "gpu<H200", "gpu:PART"),
        ("outcome:lost", "outcome", "outcome:lost", "one of completed, cancelled"),
        ("outcome<failed", "outcome", "outcome<failed", "one of completed"),
        ("state:", "state", "state:", "one of pass, hold, reject"),
        ("cache:warm", "cache", "cache:warm", "one of cold, reused"),
        ("need:help", "need", "need:help", "need:person"),
        ("age<7", "age", "age<7", "a whole number with ms, s, m, h or d"),
        ("age:7d", "age", "age:7d", "age< or age>"),
        ("age<-1d", "age", "age<-1d", "a whole number"),
        ("age<99999999999999999999d", "age", "age<99999999999999999999d", "at most 3650d"),
        ("age<3651d", "age", "age<3651d", "at most 3650d"),
        ("gpu:a gpu:b", "gpu", "gpu:b", "gpu only once"),
        ("age<1d age<2d", "age", "age<2d", "age only once"),
        ("need:person need:person", "need", "need:person", "only once"),
        ("\"open", "q", "\"open", "a closing quotation mark"),
        ("\"a\"b", "q", "\"a\"b", "a space after"),
        ("a\"b\"", "q", "a\"b\"", "only where a value begins"),
        ("\"\"", "q", "\"\"", "a part of the network's file name"),
        ("a\u{7}", "q", "a\u{7}", "no control characters"),
        (":x", "q", ":x", "one of the fields"),
    ] {
        let error = text.parse::<Filter>().expect_err(text);
        assert_eq!((error.field, error.found.as_str()), (field, found), "{text}");
        assert!(error.expected.contains(expected), "{text}: {}", error.expected);
    }
    let long = "x".repeat(MAX_BYTES + 1).parse::<Filter>().unwrap_err();
    assert_eq!((long.field, long.found.len()), ("q", 80));
    let order = "name".parse::<Order>().unwrap_err();
    assert_eq!(order.field, "sort");
    assert!(order.expected.starts_with("one of -started, started, -duration"));
}

#[test]
fn a_forms_fields_ask_for_whole_names() {
    let mut filter = read("gpu:H2");
    for (field, value) in
        [("route", "a b"), ("outcome", "failed"), ("age", "<7d"), ("tensorrt", ""), ("need", "person")]
    {
        filter.set(field, value).unwrap();
    }
    assert_eq!(filter.to_string(), "route=\"a b\" gpu:H2 outcome:failed need:person age<7d");
    for (field, value, named) in [
        ("gpu", "H200", "gpu"),
        ("age", "7d", "age"),
        ("colour", "red", "q"),
        ("builder", "\u{0}", "builder"),
    ] {
        assert_eq!(filter.set(field, value).unwrap_err().field, named, "{field}");
    }
}

fn kind(route: Option<&str>) -> RunKind {
    RunKind {
        network: "ResNet-50.onnx".to_owned(),
        route: route.map(str::to_owned),
        outcome: Outcome::Cancelled,
        builder: BuilderKind::Tensorrt,
        cache: TimingCacheMode::Cold,
        gpu: "NVIDIA H200".to_owned(),
        tensorrt: "10.13.2.6".to_owned(),
        needs_person: false,
    }
}

#[test]
fn a_run_must_fit_every_term() {
    let state = |route: &str| (route == "models/held").then_some(ValidationStatus::Hold);
    for (text, on_route, without) in [
        ("", true, true),
        ("gpu:h200", true, true),
        ("gpu=H200", false, false),
        ("gpu=\"NVIDIA H200\" cache:cold outcome:cancelled builder:tensorrt tensorrt:10.13", true, true),
        ("outcome:failed", false, false),
        ("resnet 50", true, true),
        ("resnet densenet", false, false),
        ("route:held", true, false),
        ("route:models/", true, false),
        ("state:held", true, false),
        ("state:pass", false, false),
        ("need:person", false, false),
        ("age<7d", true, true),
    ] {
        let filter = read(text);
        assert_eq!(filter.admits(&kind(Some("models/held")), state), on_route, "{text}");
        assert_eq!(filter.admits(&kind(None), state), without, "{text}");
    }
}

#[test]
fn bounds_leave_their_ends_and_what_was_not_measured_out() {
    let now: Timestamp = "2026-11-30T00:00:00Z".parse().unwrap();
    let day = 86_400_000;
    assert_eq!(read("").begun(now), (i64::MIN, i64::MAX));
    assert_eq!(read("age<1d").begun(now), (now.unix_ms() - day + 1, i64::MAX));
    assert_eq!(read("age>1d").begun(now), (i64::MIN, now.unix_ms() - day - 1));
    let unmeasured = |text: &str| {
        let (above, below) = read(text).latency.numbers();
        above < -1.0 && -1.0 < below
    };
    assert!(unmeasured(""));
    assert!(!unmeasured("latency<5s") && !unmeasured("latency>0ms"));
    assert!(read("silence>1s").has_bounds() && !read("gpu:x").has_bounds());
}

fn some_text() -> impl Strategy<Value = Text> {
    let text = "[^\\p{Cc}]{1,24}";
    prop_oneof![text.prop_map(Text::Part), text.prop_map(Text::Exactly)]
}

fn bounds() -> impl Strategy<Value = Bounds> {
    let ms = || {
        prop::option::of(
            (0..=3_650_u64, prop::sample::select(vec![1_u64, 1_000, 60_000, 3_600_000, 86_400_000]))
                .prop_map(|(number, factor)| number * factor),
        )
    };
    (ms(), ms()).prop_map(|(above_ms, below_ms)| Bounds { above_ms, below_ms })
}

fn code_of<T: Copy + std::fmt::Debug + 'static>(all: &[T]) -> impl Strategy<Value = Option<T>> + use<T> {
    prop::option::of(prop::sample::select(all.to_vec()))
}

prop_compose! {
    fn filters()(
        texts in (prop::option::of(some_text()), prop::option::of(some_text()), prop::option::of(some_text())),
        outcome in code_of(&[Outcome::Completed, Outcome::CancelRequestedButCompleted, Outcome::Killed]),
        builder in code_of(&[BuilderKind::TensorrtRtx, BuilderKind::External]),
        cache in code_of(&[TimingCacheMode::Cold, TimingCacheMode::NotApplicable]),
        state in code_of(&[ValidationStatus::Pass, ValidationStatus::Hold, ValidationStatus::Reject]),
        need_person in any::<bool>(),
        times in (bounds(), bounds(), bounds(), bounds()),
        words in prop::collection::vec("[^\\p{Cc}]{1,12}", 0..4),
    ) -> Filter {
        let (route, gpu, tensorrt) = texts;
        let (age, duration, silence, latency) = times;
        Filter {
            route, gpu, tensorrt, outcome, builder, cache, state, need_person, age, duration, silence, latency, words,
        }
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(filter in filters()) {
        let written = filter.to_string();
        prop_assume!(written.len() <= MAX_BYTES);
        prop_assert_eq!(written.parse::<Filter>(), Ok(filter));
    }

    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,60}|[a-z:=<>\" \\\\0-9]{0,60}") {
        if let Ok(filter) = text.parse::<Filter>() {
            prop_assert_eq!(filter.to_string().parse::<Filter>(), Ok(filter));
        }
    }

    #[test]
    fn dropping_every_term_leaves_nothing(filter in filters()) {
        let fields: Vec<_> = filter.terms().into_iter().map(|(field, _)| field).collect();
        let mut rest = filter;
        for field in fields {
            rest = rest.without(field);
        }
        prop_assert!(rest.is_empty());
    }

    #[test]
    fn each_order_is_read_as_it_is_written(at in 0_usize..8) {
        let order = Order::all().nth(at);
        prop_assert_eq!(order.map(|order| order.to_string().parse()), order.map(Ok));
    }
}
