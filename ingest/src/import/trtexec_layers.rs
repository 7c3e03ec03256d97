//! trtexec, `--exportLayerInfo`: what the engine inspector says of an engine's layers.
//!
//! With the default verbosity a layer is its name; with the detailed one it is an object.

use acta_ledger::evidence::number::Count64;
use serde::Serialize;
use serde_json::Value;

use super::{
    Parsed, SourceFile,
    reading::{json, shown, wrong},
};
use crate::error::Result;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    /// How much is said of each layer.
    detail: Detail,
    count: Count64,
    layers: Vec<Layer>,
    /// Inputs and outputs of the engine, where the version writes them.
    bindings: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Detail {
    NamesOnly,
    Detailed,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Layer {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    layer_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tactic: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    inputs: Vec<Port>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    outputs: Vec<Port>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Port {
    name: String,
    dimensions: Option<Value>,
    format: Option<String>,
}

/// Reads the report.
pub fn parse(file: &SourceFile) -> Result<Parsed> {
    let value = json(file)?;
    let Some(layers) = value.get("Layers").and_then(Value::as_array).filter(|layers| !layers.is_empty())
    else {
        return Err(wrong(file, "Layers", "this is no layer information")
            .found(shown(&value.to_string()))
            .expected("an object with \"Layers\", as trtexec --exportLayerInfo writes it")
            .help("an engine built with --profilingVerbosity=none has none"));
    };
    let detail = if layers.iter().all(Value::is_string) { Detail::NamesOnly } else { Detail::Detailed };
    let bindings = value.get("Bindings").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let report = Report {
        detail,
        count: Count64(layers.len() as u64),
        layers: layers
            .iter()
            .enumerate()
            .map(|(index, entry)| layer(file, index, entry))
            .collect::<Result<_>>()?,
        bindings: bindings.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
    };
    let dialect = match detail {
        Detail::NamesOnly => "layer_names_only",
        Detail::Detailed => "detailed",
    };
    Parsed::new(dialect, &report)
}

fn layer(file: &SourceFile, index: usize, entry: &Value) -> Result<Layer> {
    let text = |key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
    let name = entry.as_str().map(str::to_owned).or_else(|| text("Name")).ok_or_else(|| {
        wrong(file, &format!("Layers[{index}].Name"), "the layer has no name")
            .found(shown(&entry.to_string()))
    })?;
    let ports = |key: &str| {
        let list = entry.get(key).and_then(Value::as_array).into_iter().flatten();
        list.map(|port| {
            let part = |key: &str| port.get(key).and_then(Value::as_str).map(str::to_owned);
            let format = part("Format/Datatype")
                .or_else(|| Some(format!("{} {}", part("Format")?, part("Datatype")?)));
            Port {
                name: part("Name").unwrap_or_default(),
                dimensions: port.get("Dimensions").cloned(),
                format,
            }
        })
        .collect()
    };
    Ok(Layer {
        name,
        layer_type: text("LayerType"),
        tactic: text("TacticName").or_else(|| text("TacticValue")),
        inputs: ports("Inputs"),
        outputs: ports("Outputs"),
    })
}

#[cfg(test)]
mod tests {
    use super::{super::reading::tests::file, *};

    #[test]
    fn both_verbosities_are_read() {
        let names = parse(&file("l.json", r#"{"Layers":["[a]","b \" c"],"Bindings":["x"]}"#)).unwrap();
        assert_eq!((names.dialect.as_str(), names.report["count"].as_str()), ("layer_names_only", Some("2")));
        assert_eq!(names.report["layers"][1]["name"], "b \" c");
        let detailed = parse(&file(
            "l.json",
            r#"{"Layers":[{"Name":"a","LayerType":"Reformat","TacticValue":"0x1","Inputs":[{"Name":"x","Dimensions":[1,2],
                "Format":"Row major linear","Datatype":"FP32"}]}]}"#,
        ));
        let detailed = detailed.unwrap();
        assert_eq!(detailed.dialect, "detailed");
        let layer = &detailed.report["layers"][0];
        assert_eq!(
            (layer["tactic"].as_str(), layer["inputs"][0]["format"].as_str()),
            (Some("0x1"), Some("Row major linear FP32"))
        );
        for text in ["{}", "[]", r#"{"Layers":[]}"#, r#"{"Layers":[{}]}"#, r#"{"Layers":["a""#] {
            parse(&file("l.json", text)).unwrap_err();
        }
    }
}
