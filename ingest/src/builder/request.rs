//! What is to be built: the command line's values, checked before anything starts.

use std::time::Duration;

use acta_ffi::BuilderFlag;
use acta_ledger::{
    evidence::build::ProfileRecord,
    judge::timing_cache::CachePolicy,
    log::{digest::Sha256Digest, jcs},
};
use serde_json::json;

use super::{protocol::BuildOrder, weights::ExternalWeights};
use crate::error::{CliError, Result};

/// The longest name of a route in bytes.
const MAX_ROUTE_BYTES: usize = 128;

/// The largest number of dimensions of a tensor.
const MAX_DIMS: usize = 8;

/// Reads `NAME:MIN:OPT:MAX`, shapes as `1x3x224x224`. A name may hold colons itself.
pub fn parse_profile(text: &str) -> Result<ProfileRecord> {
    let wrong = |what: &str| {
        CliError::usage(what)
            .field("--profile")
            .found(text)
            .expected("NAME:MIN:OPT:MAX, each shape as 1x3x224x224, MIN <= OPT <= MAX")
    };
    let mut parts = text.rsplitn(4, ':');
    let (Some(max), Some(opt), Some(min), Some(name)) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err(wrong("the profile has too few parts"));
    };
    if name.is_empty() {
        return Err(wrong("the profile names no input"));
    }
    let shape = |text: &str| {
        let sizes: Option<Vec<i64>> =
            text.split('x').map(|size| size.parse().ok().filter(|&size| size >= 0)).collect();
        sizes.filter(|sizes| sizes.len() <= MAX_DIMS).ok_or_else(|| wrong(&format!("{text:?} is no shape")))
    };
    let (min, opt, max) = (shape(min)?, shape(opt)?, shape(max)?);
    if min.len() != opt.len() || opt.len() != max.len() {
        return Err(wrong("the profile's shapes have different numbers of dimensions"));
    }
    let ordered = |low: &[i64], high: &[i64]| low.iter().zip(high).all(|(low, high)| low <= high);
    if !ordered(&min, &opt) || !ordered(&opt, &max) {
        return Err(wrong("the profile's shapes are not in order"));
    }
    Ok(ProfileRecord { input: name.to_owned(), min, opt, max })
}

/// Reads a target: `sm86`, `sm120`.
pub fn parse_target(text: &str) -> Result<i32> {
    let digits = text.strip_prefix("sm").or_else(|| text.strip_prefix("SM"));
    let number = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
    number.and_then(|number| number.parse().ok()).filter(|number| (10..1000).contains(number)).ok_or_else(
        || {
            CliError::usage("this is no target")
                .field("--target")
                .found(text)
                .expected("smXX: the compute capability without its point, like sm86 or sm120")
        },
    )
}

/// Reads a span of time: `90s`, `10m`, `1h30m`.
pub fn parse_duration(text: &str) -> Result<Duration> {
    parse_duration_of("--timeout", text)
}

/// Reads a span of time that an option gives.
pub fn parse_duration_of(field: &str, text: &str) -> Result<Duration> {
    let wrong = || {
        CliError::usage("this is no span of time")
            .field(field)
            .found(text)
            .expected("numbers with units, largest first: 90s, 10m, 1h30m, 500ms")
    };
    let (mut rest, mut total, mut last_unit) = (text, Duration::ZERO, u64::MAX);
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).ok_or_else(wrong)?;
        let number: u64 = rest[..digits].parse().map_err(|_| wrong())?;
        rest = &rest[digits..];
        let unit = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let unit_ms = match &rest[..unit] {
            "ms" => 1,
            "s" => 1_000,
            "m" => 60_000,
            "h" => 3_600_000,
            "d" => 86_400_000,
            _ => return Err(wrong()),
        };
        if unit_ms >= last_unit {
            return Err(wrong());
        }
        (last_unit, rest) = (unit_ms, &rest[unit..]);
        let ms = number.checked_mul(unit_ms).ok_or_else(wrong)?;
        total = total.checked_add(Duration::from_millis(ms)).ok_or_else(wrong)?;
    }
    if total.is_zero() { Err(wrong()) } else { Ok(total) }
}

/// Reads a builder flag's name and returns NvInfer's spelling.
pub fn parse_flag(text: &str) -> Result<String> {
    let bare = text.strip_prefix('k').filter(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()));
    BuilderFlag::from_name(bare.unwrap_or(text)).map(|flag| flag.name().to_owned()).ok_or_else(|| {
        let names: Vec<_> = BuilderFlag::ALL.iter().map(|flag| flag.name()).collect();
        CliError::usage("there is no such builder flag")
            .field("--builder-flag")
            .found(text)
            .expected(names.join(", "))
    })
}

/// Checks a route's name.
pub fn parse_route(text: &str) -> Result<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-/+".contains(c);
    if !text.is_empty() && text.len() <= MAX_ROUTE_BYTES && text.chars().all(plain) {
        Ok(text.to_owned())
    } else {
        Err(CliError::usage("this is no name of a route")
            .field("--route")
            .found(text)
            .expected("1 to 128 letters, digits and . _ - / +"))
    }
}

/// The digest of the builder's inputs in canonical JSON: two builds with one digest were asked for the same.
pub fn config_hash(network: &Sha256Digest, weights: &[ExternalWeights], order: &BuildOrder) -> Sha256Digest {
    let mut flags = order.flags.clone();
    flags.sort_unstable();
    flags.dedup();
    let targets: Vec<String> = order.targets.iter().map(|target| format!("sm{target}")).collect();
    let inputs = json!({
        "schema": "urn:acta:build-config:v1",
        "network": network,
        "externalWeights": weights,
        "flags": flags,
        "profiles": order.profiles,
        "targets": targets,
        "optimizationLevel": order.optimization_level,
        "threads": order.threads,
        "tacticSources": null,
        "typing": "strong",
        "cachePolicy": order.cache.concerns(order.timing_cache.is_some()).map(CachePolicy::name),
    });
    Sha256Digest::of(&jcs::to_vec(&inputs).expect("texts and small integers always have a canonical form"))
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::{super::protocol::CacheOrder, *};

    #[test]
    fn profiles_are_read_from_the_right() {
        let profile = parse_profile("in:0:1x3:4x3:8x3").unwrap();
        assert_eq!((profile.input.as_str(), profile.min), ("in:0", vec![1, 3]));
        assert_eq!((profile.opt, profile.max), (vec![4, 3], vec![8, 3]));
        for (wrong, words) in [
            ("x:1:2", "too few parts"),
            (":1:2:3", "names no input"),
            ("x:1:2:a", "no shape"),
            ("x:1:2:-3", "no shape"),
            ("x:1:2:", "no shape"),
            ("x:1x1:2:3", "different numbers"),
            ("x:4:2:8", "not in order"),
            ("x:1:9:8", "not in order"),
            ("x:1x1x1x1x1x1x1x1x1:1x1x1x1x1x1x1x1x1:1x1x1x1x1x1x1x1x1", "no shape"),
        ] {
            let error = parse_profile(wrong).unwrap_err().to_string();
            assert!(error.contains(words) && error.contains("--profile"), "{wrong}: {error}");
        }
    }

    #[test]
    fn spans_of_time_have_units() {
        for (text, ms) in
            [("90s", 90_000), ("10m", 600_000), ("1h30m", 5_400_000), ("500ms", 500), ("1s500ms", 1_500)]
        {
            assert_eq!(parse_duration(text).unwrap(), Duration::from_millis(ms), "{text}");
        }
        for wrong in
            ["", "90", "s", "0s", "1x", "30m1h", "1s1s", "-1s", "1 s", "99999999999999999999s", "1.5h"]
        {
            assert!(parse_duration(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn targets_flags_and_routes_are_checked() {
        assert_eq!((parse_target("sm86").unwrap(), parse_target("SM120").unwrap()), (86, 120));
        for wrong in ["86", "sm", "sm8", "sm8.6", "smx", "sm+86", "sm99999"] {
            assert!(parse_target(wrong).is_err(), "{wrong}");
        }
        assert_eq!(parse_flag("tf32").unwrap(), "TF32");
        assert_eq!(parse_flag("kSTRIP_PLAN").unwrap(), "STRIP_PLAN");
        assert!(parse_flag("FP64").unwrap_err().to_string().contains("STRICT_NANS"));
        assert!(parse_route("team/route-1").is_ok());
        for wrong in ["", "a b", "é", &"r".repeat(129)] {
            assert!(parse_route(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_config_hash_is_of_inputs_and_not_of_places() {
        let network = Sha256Digest::of(b"network");
        let order = BuildOrder {
            run: Uuid::nil(),
            model: "m.onnx".to_owned(),
            partial: ".p".to_owned(),
            output: "o".to_owned(),
            library: None,
            profiles: vec![parse_profile("x:1:2:3").unwrap()],
            targets: vec![86],
            optimization_level: None,
            threads: None,
            flags: vec!["TF32".to_owned(), "REFIT".to_owned()],
            timing_cache: None,
            cache: CacheOrder::default(),
            worker_lock: None,
        };
        let hash = config_hash(&network, &[], &order);
        let moved = BuildOrder {
            run: Uuid::now_v7(),
            model: "elsewhere/m.onnx".to_owned(),
            output: "p".to_owned(),
            flags: vec!["REFIT".to_owned(), "TF32".to_owned(), "TF32".to_owned()],
            ..order.clone()
        };
        assert_eq!(config_hash(&network, &[], &moved), hash);
        for other in [
            BuildOrder { targets: vec![120], ..order.clone() },
            BuildOrder { optimization_level: Some(3), ..order.clone() },
            BuildOrder { profiles: Vec::new(), ..order.clone() },
            BuildOrder { flags: Vec::new(), ..order.clone() },
            BuildOrder { timing_cache: Some("c".to_owned()), ..order.clone() },
            BuildOrder {
                cache: CacheOrder { policy: CachePolicy::Off, ..CacheOrder::default() },
                ..order.clone()
            },
        ] {
            assert_ne!(config_hash(&network, &[], &other), hash);
        }
        assert_ne!(config_hash(&Sha256Digest::of(b"other"), &[], &order), hash);
        let weights = ExternalWeights { file: "w".to_owned(), digest: Some(network), bytes: Some(7) };
        let with = config_hash(&network, std::slice::from_ref(&weights), &order);
        let other = ExternalWeights { digest: None, ..weights };
        assert!(with != hash && with != config_hash(&network, &[other], &order));
    }
}
