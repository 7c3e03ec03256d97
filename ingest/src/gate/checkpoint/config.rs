//! What the checkpoint's JSON files say: which code a loader would run, and what the model takes in.

use serde_json::Value;

/// Keys that make a loader run code of the checkpoint, or of another repository.
const CODE_KEYS: [&str; 3] = ["auto_map", "custom_pipelines", "custom_pipeline"];

/// Keys of a configuration that takes in pictures, sound or video.
const PROCESSED_KEYS: [&str; 8] = [
    "vision_config",
    "audio_config",
    "image_size",
    "num_mel_bins",
    "feature_extractor_type",
    "image_token_id",
    "audio_token_id",
    "video_token_id",
];

/// Whether a file is a configuration, by its name.
pub fn is_config(name: &str) -> bool {
    name.ends_with("config.json") || name == "model_index.json"
}

/// Whether a file is the model's own configuration.
pub fn is_main_config(path: &str) -> bool {
    matches!(path, "config.json" | "model_index.json")
}

/// Whether a file makes text into tokens.
pub fn is_tokenizer(name: &str) -> bool {
    const NAMES: [&str; 7] = [
        "tokenizer.json",
        "tokenizer.model",
        "vocab.txt",
        "vocab.json",
        "spiece.model",
        "sentencepiece.bpe.model",
        "tekken.json",
    ];
    NAMES.contains(&name) || name.ends_with(".tiktoken")
}

/// Whether a file prepares pictures, sound or video.
pub fn is_processor(name: &str) -> bool {
    const NAMES: [&str; 5] = [
        "preprocessor_config.json",
        "processor_config.json",
        "image_processor_config.json",
        "feature_extractor_config.json",
        "video_preprocessor_config.json",
    ];
    NAMES.contains(&name)
}

/// The keys in a value, at any depth, that make a loader run code.
pub fn code_keys(value: &Value) -> Vec<&'static str> {
    CODE_KEYS.into_iter().filter(|key| has_key(value, key)).collect()
}

/// Whether the model takes in text, by its configuration and its card.
pub fn takes_text(config: &Value, pipeline_tag: Option<&str>) -> bool {
    has_key(config, "vocab_size") || pipeline_tag.is_some_and(|tag| tag.contains("text"))
}

/// Whether it takes in pictures, sound or video.
pub fn takes_more(config: &Value, pipeline_tag: Option<&str>) -> bool {
    let tagged =
        |tag: &str| ["image", "audio", "speech", "video", "visual"].iter().any(|it| tag.contains(it));
    // A tag like text-to-image names what comes out.
    let takes = |tag: &str| tagged(tag.split_once("-to-").map_or(tag, |(takes, _)| takes));
    PROCESSED_KEYS.iter().any(|key| has_key(config, key)) || pipeline_tag.is_some_and(takes)
}

/// Whether a key stands anywhere in a value; the depth is the JSON reader's.
fn has_key(value: &Value, key: &str) -> bool {
    match value {
        Value::Object(members) => {
            members.get(key).is_some_and(|it| !it.is_null()) || members.values().any(|it| has_key(it, key))
        }
        Value::Array(items) => items.iter().any(|it| has_key(it, key)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn code_is_found_at_any_depth() {
        assert_eq!(code_keys(&json!({ "auto_map": { "AutoModel": "m.M" } })), ["auto_map"]);
        assert_eq!(code_keys(&json!({ "a": [{ "custom_pipelines": {} }] })), ["custom_pipelines"]);
        assert!(code_keys(&json!({ "auto_map": null, "b": "auto_map" })).is_empty());
    }

    #[test]
    fn what_a_model_takes_in() {
        for (config, tag, text, more) in [
            (json!({ "vocab_size": 8 }), None, true, false),
            (json!({ "image_size": 224 }), Some("image-classification"), false, true),
            (json!({ "text_config": { "vocab_size": 8 }, "vision_config": {} }), None, true, true),
            (json!({}), Some("text-to-image"), true, false),
            (json!({}), Some("image-to-text"), true, true),
            (
                json!({ "num_mel_bins": 80, "vocab_size": 9 }),
                Some("automatic-speech-recognition"),
                true,
                true,
            ),
        ] {
            assert_eq!(takes_text(&config, tag), text, "{config} {tag:?}");
            assert_eq!(takes_more(&config, tag), more, "{config} {tag:?}");
        }
        assert!(is_config("tokenizer_config.json") && !is_config("tokenizer.json"));
    }
}
