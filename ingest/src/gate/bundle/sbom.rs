//! Software bills of materials: `CycloneDX` and SPDX, in JSON. Counted, not believed; and made for this bundle, where
//! they say what they were made for.

use std::fmt;

use acta_ledger::log::digest::Sha256Digest;
use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, SeqAccess, Visitor},
};
use serde_json::{Value, json};

/// What a bill says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sbom {
    /// `CycloneDX` or `SPDX`.
    pub format: &'static str,
    /// The format's version.
    pub version: String,
    /// How many components or packages it lists.
    pub components: u64,
    /// Whether it names the bundle by its digest; none where it names no file.
    pub names_bundle: Option<bool>,
}

impl Sbom {
    /// As a check's value.
    pub fn value(&self, digest: Sha256Digest) -> Value {
        json!({
            "digest": digest,
            "format": self.format,
            "version": self.version,
            "components": self.components.to_string(),
            "namesBundle": self.names_bundle,
        })
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Mark {
    bom_format: Option<String>,
    spdx_version: Option<String>,
    #[serde(rename = "@context")]
    context: Option<IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CycloneDx {
    spec_version: String,
    #[serde(default)]
    metadata: Option<Metadata>,
    #[serde(default)]
    components: Components,
}

#[derive(Deserialize)]
struct Metadata {
    component: Option<Component>,
}

#[derive(Deserialize)]
struct Component {
    #[serde(default)]
    hashes: Vec<Hash>,
    #[serde(default)]
    components: Components,
}

#[derive(Deserialize)]
struct Hash {
    #[serde(alias = "algorithm")]
    alg: String,
    #[serde(alias = "checksumValue", alias = "hashValue")]
    content: String,
}

/// Components, counted with those inside them; their SHA-256 digests are kept up to a bound.
#[derive(Default)]
struct Components {
    count: u64,
    sha256: Vec<String>,
}

/// How many digests are kept for the comparison.
const MAX_DIGESTS: usize = 100_000;

impl Components {
    fn add(&mut self, hashes: Vec<Hash>) {
        let sha256 = hashes.into_iter().filter(|hash| is_sha256(&hash.alg)).map(|hash| hash.content);
        let room = MAX_DIGESTS.saturating_sub(self.sha256.len());
        self.sha256.extend(sha256.take(room));
    }
}

fn is_sha256(name: &str) -> bool {
    matches!(name.to_ascii_lowercase().as_str(), "sha-256" | "sha256")
}

impl<'de> Deserialize<'de> for Components {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Count;
        impl<'de> Visitor<'de> for Count {
            type Value = Components;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of components")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Components, A::Error> {
                let mut all = Components::default();
                while let Some(component) = access.next_element::<Component>()? {
                    all.count += 1 + component.components.count;
                    all.add(component.hashes);
                    let room = MAX_DIGESTS.saturating_sub(all.sha256.len());
                    all.sha256.extend(component.components.sha256.into_iter().take(room));
                }
                Ok(all)
            }
        }
        deserializer.deserialize_seq(Count)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Spdx2 {
    spdx_version: String,
    #[serde(rename = "SPDXID")]
    _id: String,
    #[serde(default)]
    packages: Items,
    #[serde(default)]
    files: Items,
}

#[derive(Deserialize)]
struct Spdx3 {
    #[serde(rename = "@graph")]
    graph: Items,
}

/// Packages, files or elements, counted by kind.
#[derive(Default)]
struct Items {
    count: u64,
    packages: u64,
    spec_version: Option<String>,
    sha256: Vec<String>,
}

#[derive(Deserialize)]
struct Item {
    #[serde(rename = "type", default)]
    kind: Option<String>,
    #[serde(rename = "specVersion", default)]
    spec_version: Option<String>,
    #[serde(default)]
    checksums: Vec<Hash>,
    #[serde(rename = "verifiedUsing", default)]
    verified_using: Vec<Hash>,
}

impl<'de> Deserialize<'de> for Items {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Count;
        impl<'de> Visitor<'de> for Count {
            type Value = Items;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of packages")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Items, A::Error> {
                let mut all = Items::default();
                while let Some(item) = access.next_element::<Item>()? {
                    all.count += 1;
                    all.packages += u64::from(item.kind.as_deref() == Some("software_Package"));
                    all.spec_version = all.spec_version.or(item.spec_version);
                    let hashes = item.checksums.into_iter().chain(item.verified_using);
                    let sha256 = hashes.filter(|hash| is_sha256(&hash.alg)).map(|hash| hash.content);
                    let room = MAX_DIGESTS.saturating_sub(all.sha256.len());
                    all.sha256.extend(sha256.take(room));
                }
                Ok(all)
            }
        }
        deserializer.deserialize_seq(Count)
    }
}

/// Reads a bill. The error is a sentence for a person.
pub fn parse(bytes: &[u8], bundle: &Sha256Digest) -> Result<Sbom, String> {
    let mark: Mark =
        serde_json::from_slice(bytes).map_err(|error| format!("the SBOM is no JSON object: {error}"))?;
    let wrong = |format: &str, error: serde_json::Error| format!("the SBOM is no {format}: {error}");
    let known = |format: &str, version: &str, known: &[&str]| {
        let unknown = || format!("{format} {version:?} is not known, only {}", known.join(", "));
        if known.contains(&version) { Ok(version.to_owned()) } else { Err(unknown()) }
    };
    let bundle = bundle.to_string();
    let names = |digests: &[String]| digests.iter().any(|digest| digest.eq_ignore_ascii_case(&bundle));
    match mark {
        Mark { bom_format: Some(format), .. } if format == "CycloneDX" => {
            let bill: CycloneDx = serde_json::from_slice(bytes).map_err(|error| wrong("CycloneDX", error))?;
            let version =
                known("CycloneDX", &bill.spec_version, &["1.2", "1.3", "1.4", "1.5", "1.6", "1.7"])?;
            let hashes = bill.metadata.and_then(|metadata| metadata.component).map(|it| it.hashes);
            let mut own = Components::default();
            own.add(hashes.unwrap_or_default());
            let names_bundle = if names(&own.sha256) || names(&bill.components.sha256) {
                Some(true)
            } else {
                // What a bill is about is said by its own component alone; the others are parts.
                (!own.sha256.is_empty()).then_some(false)
            };
            Ok(Sbom { format: "CycloneDX", version, components: bill.components.count, names_bundle })
        }
        Mark { spdx_version: Some(_), .. } => {
            let bill: Spdx2 = serde_json::from_slice(bytes).map_err(|error| wrong("SPDX", error))?;
            let version = known("SPDX", &bill.spdx_version, &["SPDX-2.2", "SPDX-2.3"])?;
            let named = names(&bill.packages.sha256) || names(&bill.files.sha256);
            let names_bundle = named.then_some(true);
            Ok(Sbom { format: "SPDX", version, components: bill.packages.count, names_bundle })
        }
        Mark { context: Some(_), .. } => {
            let bill: Spdx3 = serde_json::from_slice(bytes).map_err(|error| wrong("SPDX 3", error))?;
            let version = bill.graph.spec_version.clone().ok_or("the SBOM names no specVersion")?;
            let version = known("SPDX", &version, &["3.0.0", "3.0.1"])?;
            let names_bundle = names(&bill.graph.sha256).then_some(true);
            Ok(Sbom { format: "SPDX", version, components: bill.graph.packages, names_bundle })
        }
        _ => Err("the SBOM is neither CycloneDX (bomFormat) nor SPDX (spdxVersion, @graph)".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bills_are_counted_and_bound() {
        let bundle = Sha256Digest::of(b"bundle");
        let cyclone = |hash: &str| {
            format!(
                r#"{{"bomFormat":"CycloneDX","specVersion":"1.6","metadata":{{"component":{{"type":"file","name":"x",
                "hashes":[{{"alg":"SHA-256","content":"{hash}"}}]}}}},"components":[{{"name":"a","components":[
                {{"name":"b"}}]}},{{"name":"c"}}]}}"#
            )
        };
        let bill = parse(cyclone(&bundle.to_string()).as_bytes(), &bundle).unwrap();
        assert_eq!((bill.format, bill.version.as_str(), bill.components), ("CycloneDX", "1.6", 3));
        assert_eq!(bill.names_bundle, Some(true));
        let other = parse(cyclone(&Sha256Digest::of(b"other").to_string()).as_bytes(), &bundle).unwrap();
        assert_eq!(other.names_bundle, Some(false));
        let spdx = format!(
            r#"{{"spdxVersion":"SPDX-2.3","SPDXID":"SPDXRef-DOCUMENT","packages":[{{"name":"a","checksums":[
            {{"algorithm":"SHA256","checksumValue":"{bundle}"}}]}},{{"name":"b"}}]}}"#
        );
        let bill = parse(spdx.as_bytes(), &bundle).unwrap();
        assert_eq!((bill.format, bill.components, bill.names_bundle), ("SPDX", 2, Some(true)));
        let spdx3 = r#"{"@context":"https://spdx.org/rdf/3.0.1/spdx-context.jsonld","@graph":[
            {"type":"CreationInfo","specVersion":"3.0.1"},{"type":"software_Package","name":"a"}]}"#;
        let bill = parse(spdx3.as_bytes(), &bundle).unwrap();
        assert_eq!((bill.version.as_str(), bill.components, bill.names_bundle), ("3.0.1", 1, None));
    }

    #[test]
    fn what_is_no_bill_is_said() {
        let bundle = Sha256Digest::of(b"");
        let deep = format!(r#"{{"bomFormat":"CycloneDX","x":{}"#, "[".repeat(100_000));
        for (text, words) in [
            ("", "no JSON object"),
            ("[]", "no JSON object"),
            ("{}", "neither CycloneDX"),
            (r#"{"bomFormat":"Other"}"#, "neither CycloneDX"),
            (r#"{"bomFormat":"CycloneDX"}"#, "no CycloneDX"),
            (r#"{"bomFormat":"CycloneDX","specVersion":"9.0"}"#, "\"9.0\" is not known"),
            (r#"{"bomFormat":"CycloneDX","specVersion":"1.6","components":7}"#, "no CycloneDX"),
            (r#"{"spdxVersion":"SPDX-2.3"}"#, "no SPDX"),
            (r#"{"spdxVersion":"SPDX-1.0","SPDXID":"x"}"#, "is not known"),
            (&deep, "no JSON object"),
        ] {
            let error = parse(text.as_bytes(), &bundle).unwrap_err();
            assert!(error.contains(words), "{error}");
        }
    }
}
