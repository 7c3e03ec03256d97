//! What holds, and where each value comes from.

use std::any::TypeId;

use clap::{Arg, ArgMatches, parser::ValueSource};
use serde::Serialize;

use super::file::{SettingsFile, is_list, key, settings};

/// What stands in place of a secret.
const REDACTED: &str = "(not shown)";

/// A setting that holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Setting {
    /// Its name.
    pub name: String,
    /// Its values, none where it is not set.
    pub values: Vec<String>,
    /// Where they come from, in words.
    pub source: String,
    #[serde(skip)]
    form: Form,
}

/// How a value is written in TOML.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Bare,
    Text,
    List,
}

/// The settings as the command's arguments have them.
pub fn effective(matches: &ArgMatches, file: Option<&SettingsFile>) -> Vec<Setting> {
    settings().get_arguments().map(|arg| setting(arg, matches, file)).collect()
}

fn setting(arg: &Arg, matches: &ArgMatches, file: Option<&SettingsFile>) -> Setting {
    let (id, name) = (arg.get_id().as_str(), key(arg));
    let raw = matches.get_raw(id).into_iter().flatten();
    let mut values: Vec<String> = raw.map(|value| value.to_string_lossy().into_owned()).collect();
    if arg.is_hide_env_values_set() {
        values.iter_mut().for_each(|value| REDACTED.clone_into(value));
    }
    let source = match matches.value_source(id) {
        Some(ValueSource::CommandLine) => format!("flag --{}", arg.get_long().unwrap_or_default()),
        Some(ValueSource::EnvVariable) => {
            format!("environment {}", arg.get_env().unwrap_or_default().to_string_lossy())
        }
        Some(_) => match file.and_then(|file| Some((&file.path, file.get(&name)?.line))) {
            Some((path, line)) => format!("file {}, line {line}", path.display()),
            None => "default".to_owned(),
        },
        None => "not set".to_owned(),
    };
    let form = if is_list(arg) {
        Form::List
    } else if arg.get_value_parser().type_id() == TypeId::of::<bool>() {
        Form::Bare
    } else {
        Form::Text
    };
    Setting { name, values, source, form }
}

/// As a settings file that would say the same: what is not set is a comment.
pub fn as_toml(settings: &[Setting]) -> String {
    // What JSON escapes in a text, TOML escapes in the same way.
    let text = |value: &String| serde_json::Value::from(value.as_str()).to_string();
    let lines = settings.iter().map(|setting| {
        let written = match (setting.form, setting.values.first()) {
            (_, None) => return format!("# {} is {}\n", setting.name, setting.source),
            (Form::Bare, Some(value)) => value.clone(),
            (Form::Text, Some(value)) => text(value),
            (Form::List, Some(_)) => {
                format!("[{}]", setting.values.iter().map(text).collect::<Vec<_>>().join(", "))
            }
        };
        format!("{} = {written}  # {}\n", setting.name, setting.source)
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use clap::Command;

    use super::*;

    #[test]
    fn a_secret_is_never_shown() {
        let arg = Arg::new("password").long("password").env("ACTA_TEST_PASSWORD").hide_env_values(true);
        let matches = Command::new("x").arg(arg.clone()).get_matches_from(["x", "--password=hunter2"]);
        let shown = setting(&arg, &matches, None);
        assert_eq!(
            (&shown.values[..], shown.source.as_str()),
            (&[REDACTED.to_owned()][..], "flag --password")
        );
        assert!(!as_toml(&[shown]).contains("hunter2"));
    }
}
