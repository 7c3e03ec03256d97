//! Where a TensorRT library is looked for, and in which order.
//!
//! 1. the path that the caller names (`--tensorrt-lib`): a file, or a folder;
//! 2. the folder in `ACTA_TENSORRT_LIB_DIR`;
//! 3. the wheel inside a Python environment: the one that the caller names, `VIRTUAL_ENV`, `.venv` in the working folder;
//! 4. the loader's own path.
//!
//! Whoever names a place by 1 or 2 means that place: nothing else is looked at.

use std::env;
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use crate::version::Family;

/// The variable that names a folder with the libraries.
pub const LIB_DIR_VARIABLE: &str = "ACTA_TENSORRT_LIB_DIR";

/// What the search for a library goes by.
#[derive(Clone, Debug, Default)]
pub struct LibrarySearch {
    /// A library file or a folder that holds it, named by the user.
    pub explicit: Option<PathBuf>,
    /// The value of `ACTA_TENSORRT_LIB_DIR`.
    pub lib_dir: Option<OsString>,
    /// Python environments, the first first.
    pub venvs: Vec<PathBuf>,
    /// Whether the loader's path is tried last.
    pub loader_path: bool,
    /// The only family that will do, if one was asked for.
    pub family: Option<Family>,
}

impl LibrarySearch {
    /// The search that the process's environment and working folder ask for.
    #[must_use]
    pub fn from_environment() -> Self {
        let mut venvs = Vec::new();
        venvs.extend(env::var_os("VIRTUAL_ENV").filter(|value| !value.is_empty()).map(PathBuf::from));
        venvs.extend(env::current_dir().ok().map(|folder| folder.join(".venv")));
        let lib_dir = env::var_os(LIB_DIR_VARIABLE).filter(|value| !value.is_empty());
        Self { explicit: None, lib_dir, venvs, loader_path: true, family: None }
    }

    /// Looks at this file or folder, and nowhere else.
    #[must_use]
    pub fn explicit(mut self, path: Option<PathBuf>) -> Self {
        self.explicit = path;
        self
    }

    /// Looks into this Python environment before the others.
    #[must_use]
    pub fn venv(mut self, folder: impl Into<PathBuf>) -> Self {
        self.venvs.insert(0, folder.into());
        self
    }

    /// Takes this family only.
    #[must_use]
    pub fn family(mut self, family: Family) -> Self {
        self.family = Some(family);
        self
    }

    /// The families that will do.
    pub(crate) fn families(&self) -> impl Iterator<Item = Family> + '_ {
        Family::ALL.into_iter().filter(|family| self.family.is_none_or(|only| only == *family))
    }

    /// The places, in order.
    pub(crate) fn steps(&self) -> Vec<Step> {
        if let Some(path) = &self.explicit {
            return vec![self.file_or_folder(Place::Explicit, path)];
        }
        if let Some(folder) = &self.lib_dir {
            return vec![self.file_or_folder(Place::LibDirVariable, Path::new(folder))];
        }
        let mut steps: Vec<Step> = self.venvs.iter().flat_map(|venv| self.wheels(venv)).collect();
        if self.loader_path {
            for family in self.families() {
                steps.extend(loader_names(family).into_iter().map(Step::loader));
            }
        }
        steps
    }

    fn file_or_folder(&self, place: Place, path: &Path) -> Step {
        let found = if path.is_dir() {
            let files: Vec<_> = self.families().flat_map(|family| libraries_in(path, family)).collect();
            if files.is_empty() { Err(self.nothing_there()) } else { Ok(files) }
        } else if path.exists() {
            Ok(vec![path.to_owned()])
        } else {
            Err("no such file or folder".to_owned())
        };
        Step { place, shown: path.display().to_string(), found }
    }

    fn wheels(&self, venv: &Path) -> Vec<Step> {
        let sites = site_packages(venv);
        if sites.is_empty() {
            let shown = venv.display().to_string();
            let reason = "no lib/python*/site-packages there".to_owned();
            return vec![Step { place: Place::Venv, shown, found: Err(reason) }];
        }
        let mut steps = Vec::new();
        for site in sites {
            for family in self.families() {
                let folder = site.join(family.wheel_folder());
                let files = libraries_in(&folder, family);
                let none = || format!("no {}* there", family.library_stem());
                let found = if files.is_empty() { Err(none()) } else { Ok(files) };
                steps.push(Step { place: Place::Venv, shown: folder.display().to_string(), found });
            }
        }
        steps
    }

    fn nothing_there(&self) -> String {
        let stems: Vec<_> = self.families().map(|family| format!("{}*", family.library_stem())).collect();
        format!("no {} there", stems.join(" and no "))
    }
}

/// Where a library was found, or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// The path that the user named.
    Explicit,
    /// The folder in `ACTA_TENSORRT_LIB_DIR`.
    LibDirVariable,
    /// The wheel in a Python environment.
    Venv,
    /// The loader's path.
    LoaderPath,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Explicit => "named path",
            Self::LibDirVariable => LIB_DIR_VARIABLE,
            Self::Venv => "Python environment",
            Self::LoaderPath => "loader's path",
        })
    }
}

/// One place, and the files to open there: or why there are none.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) place: Place,
    pub(crate) shown: String,
    pub(crate) found: Result<Vec<PathBuf>, String>,
}

impl Step {
    fn loader(name: String) -> Self {
        Self { place: Place::LoaderPath, found: Ok(vec![PathBuf::from(&name)]), shown: name }
    }
}

/// The names that the loader is asked for: the right major first, then whatever is called so.
fn loader_names(family: Family) -> Vec<String> {
    let stem = family.library_stem();
    let right = family.header_version().map(|headers| format!("{stem}.{}", headers.major));
    right.into_iter().chain([stem.to_owned()]).collect()
}

/// The library files of a family in a folder: the right major first, then by name.
fn libraries_in(folder: &Path, family: Family) -> Vec<PathBuf> {
    let stem = family.library_stem();
    let mut names: Vec<String> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| is_library(name, stem))
        .collect();
    let right = family.header_version().map(|headers| format!("{stem}.{}", headers.major));
    names.sort_by_key(|name| (Some(name) != right.as_ref(), name.clone()));
    names.into_iter().map(|name| folder.join(name)).collect()
}

/// Whether a name is the stem, followed by nothing or by version numbers.
fn is_library(name: &str, stem: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    match name.strip_prefix(stem) {
        Some("") => true,
        Some(rest) => rest.strip_prefix('.').is_some_and(|numbers| numbers.split('.').all(digits)),
        None => false,
    }
}

/// The `site-packages` folders of a Python environment.
fn site_packages(venv: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(venv.join("lib"))
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("python"))
        .map(|entry| entry.path().join("site-packages"))
        .filter(|path| path.is_dir())
        .collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_follow_a_library_name() {
        for name in ["libnvinfer.so", "libnvinfer.so.11", "libnvinfer.so.11.2.0"] {
            assert!(is_library(name, "libnvinfer.so"), "{name}");
        }
        for name in ["libnvinfer.so.", "libnvinfer.so.bak", "libnvinfer.so.11~", "libnvinfer_plugin.so.11"] {
            assert!(!is_library(name, "libnvinfer.so"), "{name}");
        }
    }

    #[test]
    fn a_named_place_is_the_only_one() {
        let search =
            LibrarySearch { lib_dir: Some("/nowhere/b".into()), loader_path: true, ..Default::default() };
        let steps = search.clone().venv("/nowhere/c").steps();
        assert_eq!(steps.iter().map(|step| step.place).collect::<Vec<_>>(), [Place::LibDirVariable]);
        let steps = search.explicit(Some("/nowhere/a".into())).steps();
        assert_eq!(steps.iter().map(|step| step.place).collect::<Vec<_>>(), [Place::Explicit]);
    }

    #[test]
    fn environments_come_before_the_loader() {
        let search = LibrarySearch { loader_path: true, ..Default::default() };
        let places: Vec<_> = search.venv("/nowhere").steps().iter().map(|step| step.place).collect();
        assert_eq!(places.first(), Some(&Place::Venv));
        assert_eq!(places.last(), Some(&Place::LoaderPath));
    }

    #[test]
    fn a_family_that_was_asked_for_is_the_only_one() {
        let search = LibrarySearch { loader_path: true, ..Default::default() }.family(Family::Enterprise);
        assert!(search.steps().iter().all(|step| step.shown.starts_with("libnvinfer.so")));
    }
}
