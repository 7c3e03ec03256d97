//! The settings file: TOML, its keys the settings' names. Its values take the place of the defaults before the command
//! line is read, so that each value, wherever it comes from, is read by the same parser.

use std::{
    error::Error as _,
    fmt::Write as _,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use clap::{
    Arg, ArgMatches, Args as _, Command, CommandFactory, FromArgMatches,
    builder::Resettable,
    error::{ContextKind, ContextValue},
};
use toml::de::{DeTable, DeValue};

use super::{DataConfig, LogConfig, ServeConfig};

/// Where the file is looked for if nobody says where it is.
pub const USUAL_PLACE: &str = "/etc/acta/server.toml";

/// Which file is read.
#[derive(Debug, Clone, clap::Args)]
pub struct FileConfig {
    /// The settings file; without this, `/etc/acta/server.toml` if it is there.
    #[arg(long, env = "ACTA_CONFIG", global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

/// One setting of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileValue {
    /// The setting.
    pub key: String,
    /// In which line it stands, from 1.
    pub line: usize,
    /// Its values; one unless it is a list.
    pub values: Vec<String>,
}

/// The settings of one file, each one checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsFile {
    /// The file.
    pub path: PathBuf,
    /// What it sets.
    pub values: Vec<FileValue>,
}

impl SettingsFile {
    /// What the file says of a setting.
    pub fn get(&self, key: &str) -> Option<&FileValue> {
        self.values.iter().find(|value| value.key == key)
    }
}

/// Everything that can be set, as the arguments of a command.
pub fn settings() -> Command {
    LogConfig::augment_args(ServeConfig::augment_args(DataConfig::augment_args(Command::new("settings"))))
}

/// The key of a setting in the file: its flag with underscores.
pub fn key(arg: &Arg) -> String {
    arg.get_long().unwrap_or_default().replace('-', "_")
}

/// Reads the command line, on top of the environment, on top of the file, on top of the defaults. A wrong flag or
/// variable ends the program with a usage error, as clap does.
///
/// # Errors
///
/// If the file cannot be read or says something that no setting can be: the message names file, line and setting.
pub fn parse<C: CommandFactory + FromArgMatches>() -> anyhow::Result<(C, ArgMatches, Option<SettingsFile>)> {
    let matches = C::command().get_matches();
    let named = matches.get_one::<PathBuf>("config");
    let Some(file) = open(named.map(PathBuf::as_path))? else {
        let cli = C::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
        return Ok((cli, matches, None));
    };
    let matches = with_defaults(C::command(), &file).get_matches();
    let cli = C::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    Ok((cli, matches, Some(file)))
}

fn open(named: Option<&Path>) -> anyhow::Result<Option<SettingsFile>> {
    let path = named.unwrap_or(Path::new(USUAL_PLACE));
    match std::fs::read_to_string(path) {
        Ok(text) => {
            let values = read(&text).with_context(|| format!("the settings file {}", path.display()))?;
            Ok(Some(SettingsFile { path: path.to_owned(), values }))
        }
        Err(error) if named.is_none() && error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read the settings file {}", path.display())),
    }
}

/// Gives every argument that the file sets the file's value as its default, in the command and those under it.
fn with_defaults(command: Command, file: &SettingsFile) -> Command {
    let command = command.mut_args(|arg| match file.get(&key(&arg)) {
        // An argument of the same name that is no setting has no variable. A default lives as long as the program.
        Some(set) if arg.get_env().is_some() => {
            arg.default_values(set.values.iter().map(|value| &*value.clone().leak()))
        }
        _ => arg,
    });
    command.mut_subcommands(|below| with_defaults(below, file))
}

/// Reads and checks the text of a file.
fn read(text: &str) -> anyhow::Result<Vec<FileValue>> {
    let line_of = |offset: usize| text[..offset.min(text.len())].matches('\n').count() + 1;
    let table = DeTable::parse(text).map_err(|error| {
        let line = error.span().map_or(1, |span| line_of(span.start));
        anyhow::anyhow!("line {line}: this is not TOML: {}", error.message())
    })?;
    let settings = settings();
    let mut values = Vec::new();
    for (name, value) in table.get_ref() {
        let line = line_of(name.span().start);
        let name = name.get_ref().as_ref();
        let Some(arg) = settings.get_arguments().find(|arg| key(arg) == name) else {
            bail!("line {line}: there is no setting {name:?}{}", nearest(name, &settings));
        };
        let checked = strings(value.get_ref(), arg).and_then(|values| check(arg, &values).map(|()| values));
        match checked {
            Ok(checked) => values.push(FileValue { key: name.to_owned(), line, values: checked }),
            Err(problem) => bail!("line {line}: {name}: {problem}"),
        }
    }
    Ok(values)
}

/// What the author may have meant.
fn nearest(name: &str, settings: &Command) -> String {
    let keys: Vec<String> = settings.get_arguments().map(key).collect();
    let close =
        keys.iter().map(|key| (strsim::jaro_winkler(name, key), key)).max_by(|a, b| a.0.total_cmp(&b.0));
    match close {
        Some((score, key)) if score > 0.75 => format!("; do you mean {key:?}?"),
        _ => format!("; expected one of {}", keys.join(", ")),
    }
}

/// A value as it would be written on the command line.
fn strings(value: &DeValue<'_>, arg: &Arg) -> Result<Vec<String>, String> {
    match value {
        DeValue::String(text) => Ok(vec![text.clone().into_owned()]),
        DeValue::Boolean(it) => Ok(vec![it.to_string()]),
        DeValue::Integer(it) if it.radix() == 10 => Ok(vec![it.as_str().to_owned()]),
        DeValue::Array(list) if is_list(arg) => {
            let texts = list.iter().map(|value| match value.get_ref() {
                DeValue::String(text) => Ok(text.clone().into_owned()),
                other => Err(format!("the list holds a {}, expected texts", other.type_str())),
            });
            texts.collect()
        }
        other => Err(format!("found a {}, expected a text", other.type_str())),
    }
}

/// Whether a setting can have several values.
pub fn is_list(arg: &Arg) -> bool {
    arg.get_value_delimiter().is_some()
}

/// Asks the setting's own parser.
fn check(arg: &Arg, values: &[String]) -> Result<(), String> {
    let long = arg.get_long().unwrap_or_default();
    let alone = Command::new("settings").no_binary_name(true).arg(arg.clone().env(Resettable::Reset));
    let read = alone.try_get_matches_from(values.iter().map(|value| format!("--{long}={value}")));
    let Err(error) = read else { return Ok(()) };
    let mut problem = format!("found {:?}", values.join(","));
    if let Some(ContextValue::Strings(valid)) = error.get(ContextKind::ValidValue)
        && !valid.is_empty()
    {
        let _ = write!(problem, ", expected one of {}", valid.join(", "));
    } else if let Some(cause) = error.source() {
        let _ = write!(problem, ": {cause}");
    }
    Err(problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_sets_what_a_flag_sets() {
        let text = "# ours\nlisten = \"[::]:443\"\npublic_read = true\n\ntrusted_proxy = [\"10.0.0.0/8\", \"::1\"]\n\
                    log_format = \"json\"\n";
        let value = |key: &str, line, values: &[&str]| FileValue {
            key: key.to_owned(),
            line,
            values: values.iter().map(|value| (*value).to_owned()).collect(),
        };
        let mut read = read(text).unwrap();
        read.sort_by_key(|value| value.line);
        let expected = [
            value("listen", 2, &["[::]:443"]),
            value("public_read", 3, &["true"]),
            value("trusted_proxy", 5, &["10.0.0.0/8", "::1"]),
            value("log_format", 6, &["json"]),
        ];
        assert_eq!(read, expected);
    }

    #[test]
    fn what_no_setting_can_be_is_refused_with_line_and_name() {
        for (text, problem) in [
            (
                "origin = \"a/log\"\nbase_ulr = \"x\"",
                "line 2: there is no setting \"base_ulr\"; do you mean \"base_url\"?",
            ),
            ("x = 1", "line 1: there is no setting \"x\"; expected one of data_dir, origin, anchor, listen,"),
            ("config = \"x\"", "there is no setting \"config\""),
            ("[serve]\nlisten = \"x\"", "line 1: there is no setting \"serve\""),
            ("listen = \"here\"", "line 1: listen: found \"here\": invalid socket address"),
            ("\nlisten = 8780", "line 2: listen: found \"8780\": invalid socket address"),
            ("listen = [\"127.0.0.1:1\"]", "line 1: listen: found a array, expected a text"),
            ("public_read = \"perhaps\"", "line 1: public_read: found \"perhaps\""),
            ("log_format = \"xml\"", "line 1: log_format: found \"xml\", expected one of text, json"),
            ("log = \"info,=\"", "line 1: log: found \"info,=\""),
            ("trusted_proxy = [1]", "line 1: trusted_proxy: the list holds a integer, expected texts"),
            ("trusted_proxy = [\"10.0.0.0/8\", \"proxy\"]", "expected an address or a network"),
            ("listen = \"127.0.0.1:1\"\nlisten = \"127.0.0.1:2\"", "line 2: this is not TOML: "),
            ("listen", "line 1: this is not TOML: "),
        ] {
            let found = read(text).map(drop).map_err(|error| format!("{error:#}"));
            assert!(
                found.as_ref().is_err_and(|found| found.contains(problem)),
                "{text}\n{found:?}\n{problem}"
            );
        }
    }

    #[test]
    fn each_setting_has_one_name_in_all_three_places() {
        for arg in settings().get_arguments() {
            let variable = arg.get_env().and_then(|name| name.to_str()).unwrap_or_default();
            assert_eq!(variable, format!("ACTA_{}", key(arg).to_uppercase()));
            assert!(arg.get_help().is_some());
        }
    }
}
