//! The worker's settings: the profile against the network's inputs, and what the library holds in the end.

use std::collections::BTreeMap;

use acta_ffi::{
    Builder, BuilderConfig, BuilderFlag, ComputeCapability, EffectiveConfig, Error, Profile, Tensor,
};
use acta_ledger::evidence::build::ProfileRecord;
use serde_json::{Value, json};

use super::protocol::BuildOrder;

/// Makes the optimization profile, after checking it against the inputs: the library's own complaints come late and
/// are hard to read.
pub fn profile(inputs: &[Tensor], asked: &[ProfileRecord]) -> Result<Option<Profile>, String> {
    let known =
        || inputs.iter().map(|input| format!("{:?}", input.name_lossy())).collect::<Vec<_>>().join(", ");
    let mut profile = Profile::new();
    for record in asked {
        let name = &record.input;
        let Some(input) = inputs.iter().find(|input| input.name_lossy() == name.as_str()) else {
            return Err(format!("--profile names the input {name:?}, the network has {}", known()));
        };
        if input.is_shape_tensor {
            profile = profile.values(name.clone(), &record.min, &record.opt, &record.max);
            continue;
        }
        if let Some(dims) = &input.dims {
            check_dims(record, dims)?;
        }
        profile = profile.dims(name.clone(), &record.min, &record.opt, &record.max);
    }
    let open = inputs.iter().find(|input| {
        (input.is_dynamic() || input.is_shape_tensor)
            && asked.iter().all(|record| record.input != input.name_lossy())
    });
    if let Some(input) = open {
        let dims = input.dims.clone().unwrap_or_default();
        let example = |open: i64| {
            let sizes = dims.iter().map(|&size| if size < 0 { open } else { size }.to_string());
            sizes.collect::<Vec<_>>().join("x")
        };
        return Err(format!(
            "the input {:?} has dynamic dimensions {dims:?}, and no --profile says in which range; for example: \
             --profile {}:{}:{}:{}",
            input.name_lossy(),
            input.name_lossy(),
            example(1),
            example(4),
            example(8)
        ));
    }
    Ok((!asked.is_empty()).then_some(profile))
}

fn check_dims(record: &ProfileRecord, dims: &[i64]) -> Result<(), String> {
    for (what, shape) in [("MIN", &record.min), ("OPT", &record.opt), ("MAX", &record.max)] {
        let fits = shape.len() == dims.len()
            && shape.iter().zip(dims).all(|(&asked, &fixed)| fixed < 0 || asked == fixed);
        if !fits {
            return Err(format!(
                "--profile gives {what} {shape:?} for the input {:?}, whose dimensions are {dims:?} (-1 is open)",
                record.input
            ));
        }
    }
    Ok(())
}

/// Sets everything that was ordered.
pub fn apply(
    order: &BuildOrder,
    builder: &Builder,
    config: &mut BuilderConfig,
    profile: Option<&Profile>,
) -> Result<(), Error> {
    if let Some(threads) = order.threads {
        builder.set_max_threads(threads)?;
    }
    for name in &order.flags {
        let flag = BuilderFlag::from_name(name)
            .ok_or_else(|| Error::Argument { what: format!("the builder flag {name}") })?;
        config.set_flag(flag, true)?;
    }
    if let Some(level) = order.optimization_level {
        config.set_optimization_level(level)?;
    }
    if !order.targets.is_empty() {
        let targets: Vec<_> = order.targets.iter().map(|&target| ComputeCapability(target)).collect();
        config.set_compute_capabilities(&targets)?;
    }
    if let Some(profile) = profile {
        config.add_profile(profile)?;
    }
    Ok(())
}

/// Every setting that differs from the library's default, by what the library itself holds.
pub fn differences(
    default: &EffectiveConfig,
    held: &EffectiveConfig,
    threads: Option<i32>,
) -> BTreeMap<String, Value> {
    let mut settings = BTreeMap::new();
    let names = |bits: u32| BuilderFlag::in_bits(bits).map(BuilderFlag::name).collect::<Vec<_>>();
    let (on, off) = (held.flags & !default.flags, default.flags & !held.flags);
    let mut put = |name: &str, differs: bool, value: Value| {
        if differs {
            settings.insert(name.to_owned(), value);
        }
    };
    put("flags", on != 0, json!(names(on)));
    put("flagsOff", off != 0, json!(names(off)));
    for (name, before, now) in [
        ("optimizationLevel", default.optimization_level, held.optimization_level),
        ("maxAuxStreams", default.max_aux_streams, held.max_aux_streams),
        ("hardwareCompatibility", default.hardware_compatibility, held.hardware_compatibility),
        ("profilingVerbosity", default.profiling_verbosity, held.profiling_verbosity),
        ("avgTimingIterations", default.avg_timing_iterations, held.avg_timing_iterations),
        ("maxTactics", default.max_tactics, held.max_tactics),
        ("tilingLevel", default.tiling_level, held.tiling_level),
        ("runtimePlatform", default.runtime_platform, held.runtime_platform),
        ("engineCapability", default.engine_capability, held.engine_capability),
        ("tacticSources", default.tactic_sources.into(), held.tactic_sources.into()),
    ] {
        put(name, before != now, json!(now));
    }
    let targets = |config: &EffectiveConfig| {
        let targets = config.compute_capabilities.as_deref().unwrap_or_default();
        targets.iter().map(|target| format!("sm{}", target.0)).collect::<Vec<_>>()
    };
    put("targets", targets(default) != targets(held), json!(targets(held)));
    put("buildRoute", default.build_route != held.build_route, json!(held.build_route));
    put("threads", threads.is_some(), json!(threads));
    settings
}

#[cfg(test)]
mod tests {
    use acta_ffi::DataType;

    use super::*;

    fn input(name: &str, dims: &[i64]) -> Tensor {
        Tensor {
            name: name.as_bytes().to_vec(),
            data_type: DataType::Float32,
            dims: Some(dims.to_vec()),
            is_shape_tensor: false,
        }
    }

    fn record(name: &str, shapes: [&[i64]; 3]) -> ProfileRecord {
        let [min, opt, max] = shapes.map(<[i64]>::to_vec);
        ProfileRecord { input: name.to_owned(), min, opt, max }
    }

    #[test]
    fn profiles_are_checked_against_the_inputs() {
        let inputs = [input("x", &[-1, 16]), input("y", &[4])];
        let good = record("x", [&[1, 16], &[4, 16], &[8, 16]]);
        assert!(profile(&inputs, std::slice::from_ref(&good)).unwrap().is_some());
        assert_eq!(profile(&inputs[1..], &[]).unwrap(), None);
        for (asked, words) in [
            (vec![], "--profile x:1x16:4x16:8x16"),
            (vec![record("z", [&[1], &[1], &[1]])], "the network has \"x\", \"y\""),
            (vec![record("x", [&[1], &[4, 16], &[8, 16]])], "MIN [1] for the input \"x\""),
            (vec![record("x", [&[1, 16], &[4, 17], &[8, 16]])], "OPT [4, 17]"),
        ] {
            let error = profile(&inputs, &asked).unwrap_err();
            assert!(error.contains(words), "{error}");
        }
    }
}
