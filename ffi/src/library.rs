//! Opens TensorRT at run time, and refuses what the shim was not compiled for.
//!
//! `createInferBuilder_INTERNAL` does not check the version it is given, and the families' virtual function tables
//! differ: a library that slips through here would be called through the wrong slots. So the file name tells the
//! family, the library's own functions tell its version, and both must fit the headers.
//!
//! A library that was accepted is never unloaded: it has threads, thread-local data and global state of its own.

use std::error::Error as _;
use std::ffi::{CStr, OsStr, c_char, c_void};
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use libloading::os::unix::{Library as Object, RTLD_LOCAL, RTLD_NOW};

use crate::search::{LibrarySearch, Place};
use crate::shim::{self, Api, call};
use crate::sys;
use crate::version::{Family, Version};

/// Any function of a library; called only inside the shim, which knows its type.
type Entry = unsafe extern "C" fn();

/// A loaded TensorRT library with its ONNX parser; cheap to clone.
#[derive(Clone)]
pub struct Library(Arc<Loaded>);

struct Loaded {
    family: Family,
    api: Api,
    version: Version,
    place: Place,
    path: PathBuf,
    parser_path: PathBuf,
    parser_version: i32,
    create_builder: Entry,
    create_parser: Entry,
}

/// An opened parser library.
struct Parser {
    object: Object,
    path: PathBuf,
    version: i32,
    create: Entry,
}

/// What a file holds, or why it is not used.
type Found<T> = Result<T, Outcome>;

impl Library {
    /// Opens the first library that the search finds and that fits the headers.
    ///
    /// # Errors
    /// If there is none: the error tells every place, what was there, and what was expected.
    pub fn open(search: &LibrarySearch) -> Result<Self, LibraryError> {
        let mut tried = Vec::new();
        for step in search.steps() {
            match step.found {
                Err(reason) => {
                    let outcome = Outcome::Missing(reason);
                    tried.push(Tried { place: step.place, path: step.shown, outcome });
                }
                Ok(files) => {
                    for file in files {
                        match open(step.place, &file, search) {
                            Ok(loaded) => return Ok(Self(Arc::new(loaded))),
                            Err(outcome) => {
                                let path = file.display().to_string();
                                tried.push(Tried { place: step.place, path, outcome });
                            }
                        }
                    }
                }
            }
        }
        let expected = search
            .families()
            .filter_map(|family| family.header_version().map(|headers| family.expected(headers)))
            .collect();
        Err(LibraryError { expected, tried })
    }

    /// The family of the loaded library.
    #[must_use]
    pub fn family(&self) -> Family {
        self.0.family
    }

    /// The version that the loaded library says it is.
    #[must_use]
    pub fn version(&self) -> Version {
        self.0.version
    }

    /// The version of the headers that the shim was compiled with.
    #[must_use]
    pub fn header_version(&self) -> Version {
        shim::header_version(self.0.api)
    }

    /// Where the library was found.
    #[must_use]
    pub fn place(&self) -> Place {
        self.0.place
    }

    /// The library's file, symbolic links resolved, as the loader opened it: the file to hash.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// The ONNX parser library's file, symbolic links resolved.
    #[must_use]
    pub fn parser_path(&self) -> &Path {
        &self.0.parser_path
    }

    /// The ONNX parser's version: major * 10000 + minor * 100 + patch.
    #[must_use]
    pub fn parser_version(&self) -> i32 {
        self.0.parser_version
    }

    pub(crate) fn api(&self) -> Api {
        self.0.api
    }

    pub(crate) fn create_builder(&self) -> *mut c_void {
        self.0.create_builder as *mut c_void
    }

    pub(crate) fn create_parser(&self) -> *mut c_void {
        self.0.create_parser as *mut c_void
    }
}

impl fmt::Debug for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Loaded { family, version, path, .. } = &*self.0;
        write!(f, "Library({family} {version} from {})", path.display())
    }
}

/// Opens one file, and its parser; a refused library is closed again.
fn open(place: Place, file: &Path, search: &LibrarySearch) -> Found<Loaded> {
    let object = load(file).map_err(Outcome::NotLoaded)?;
    let version = Version {
        major: number(&object, "getInferLibMajorVersion")?,
        minor: number(&object, "getInferLibMinorVersion")?,
        patch: number(&object, "getInferLibPatchVersion")?,
        build: number(&object, "getInferLibBuildVersion")?,
    };
    let family = family_of(file, &object).ok_or(Outcome::UnknownFamily { version })?;
    let refused = Outcome::Refused { family, version };
    let Some(api) = shim::table(family) else { return Err(refused) };
    if search.families().all(|wanted| wanted != family) || !family.accepts(shim::header_version(api), version)
    {
        return Err(refused);
    }
    let create_builder = symbol(&object, "createInferBuilder_INTERNAL")?;
    let path = locate(create_builder).unwrap_or_else(|| file.to_owned());
    let parser = open_parser(family, place, file, &path, version)?;
    std::mem::forget(parser.object);
    std::mem::forget(object);
    Ok(Loaded {
        family,
        api,
        version,
        place,
        path,
        parser_path: parser.path,
        parser_version: parser.version,
        create_builder,
        create_parser: parser.create,
    })
}

/// Opens the parser: it lies beside the library. Only a library by the loader's path may have one by that path too, for
/// by its bare name the loader also gives out a parser of another TensorRT that this process has open.
fn open_parser(family: Family, place: Place, file: &Path, path: &Path, version: Version) -> Found<Parser> {
    let stem = family.parser_stem();
    let name = format!("{stem}.{}", version.major);
    let folders: Vec<_> = [path, file].into_iter().filter_map(Path::parent).collect();
    let names = [name.as_str(), stem];
    let beside = folders.iter().flat_map(|folder| names.map(|name| folder.join(name)));
    let by_loader = (place == Place::LoaderPath).then(|| PathBuf::from(&name));
    let mut said = "no such file".to_owned();
    for file in beside.filter(|file| file.is_file()).chain(by_loader) {
        match load(&file) {
            Ok(object) => {
                let create = symbol(&object, "createNvOnnxParser_INTERNAL")?;
                let version = number(&object, "getNvOnnxParserVersion")?;
                return Ok(Parser { path: locate(create).unwrap_or(file), version, create, object });
            }
            Err(reason) => said = reason,
        }
    }
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    Err(Outcome::NoParser { folder, name, reason: said })
}

/// The family, by the name that was opened, or by the name that it leads to.
fn family_of(file: &Path, object: &Object) -> Option<Family> {
    let name = |path: &Path| path.file_name().and_then(|name| Family::of_file_name(&name.to_string_lossy()));
    let real = || symbol(object, "getInferLibMajorVersion").ok().and_then(locate);
    name(file).or_else(|| real().as_deref().and_then(name))
}

fn load(file: &Path) -> Result<Object, String> {
    // SAFETY: opening a library runs its initialisers; it is the one that the user named, the Python environment
    // installed, or the system's loader finds: code that this process is meant to run.
    let opened = unsafe { Object::open(Some(file), RTLD_NOW | RTLD_LOCAL) };
    // The loader's own words are in the source of the error.
    opened.map_err(|error| error.source().map_or_else(|| error.to_string(), ToString::to_string))
}

fn symbol(object: &Object, name: &'static str) -> Found<Entry> {
    // SAFETY: the symbol is only taken as an address here; whoever calls it casts it to its declared type.
    let found = unsafe { object.get::<Entry>(name.as_bytes()) };
    found.map(|symbol| *symbol).map_err(|_| Outcome::NoSymbol(name))
}

fn number(object: &Object, name: &'static str) -> Found<i32> {
    // SAFETY: NvInfer and NvOnnxParser declare all of these functions as `int32_t name() noexcept`.
    let found = unsafe { object.get::<unsafe extern "C" fn() -> i32>(name.as_bytes()) };
    let function = found.map_err(|_| Outcome::NoSymbol(name))?;
    // SAFETY: as declared, it takes nothing and returns a number; the library is open.
    Ok(unsafe { function() })
}

/// The real path of the file that holds a function.
fn locate(entry: Entry) -> Option<PathBuf> {
    let api = Family::ALL.into_iter().find_map(shim::table)?;
    let mut path = [0 as c_char; 4096];
    // SAFETY: the address belongs to an open library, and the buffer is as long as said.
    let answer = unsafe {
        let symbol = entry as *const c_void;
        call!(api, locate(symbol, path.as_mut_ptr(), path.len() as u64))
    };
    if answer != sys::ACTA_TRT_YES {
        return None;
    }
    // SAFETY: with that answer the buffer holds a NUL-terminated string.
    let found = unsafe { CStr::from_ptr(path.as_ptr()) };
    Path::new(OsStr::from_bytes(found.to_bytes())).canonicalize().ok()
}

/// No library could be used.
#[derive(Debug)]
pub struct LibraryError {
    /// What would have fitted, in words.
    pub expected: Vec<String>,
    /// Every place that was looked at, in order, with what was found.
    pub tried: Vec<Tried>,
}

/// One place that was looked at.
#[derive(Debug)]
pub struct Tried {
    /// The kind of place.
    pub place: Place,
    /// The file, folder or name.
    pub path: String,
    /// What came of it.
    pub outcome: Outcome,
}

/// Why a file was not used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// There is nothing.
    Missing(String),
    /// The loader could not open it.
    NotLoaded(String),
    /// It has no such function: it is no TensorRT library, or a very old one.
    NoSymbol(&'static str),
    /// Its name is not one of TensorRT's, so its family is unknown.
    UnknownFamily {
        /// The version it says it is.
        version: Version,
    },
    /// It is TensorRT, of a family or version that the shim was not compiled for.
    Refused {
        /// Its family.
        family: Family,
        /// The version it says it is.
        version: Version,
    },
    /// The library fits, and its ONNX parser cannot be opened.
    NoParser {
        /// The library's folder, where it was looked for first.
        folder: PathBuf,
        /// The parser library's name.
        name: String,
        /// What the loader said.
        reason: String,
    },
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(reason) | Self::NotLoaded(reason) => f.write_str(reason),
            Self::NoSymbol(name) => write!(f, "has no {name}, so it is no TensorRT library"),
            Self::UnknownFamily { version } => {
                write!(f, "says it is version {version}, under a name that tells no family")
            }
            Self::Refused { family, version } => write!(f, "found {family} {version}, which does not fit"),
            Self::NoParser { folder, name, reason } => {
                write!(f, "its ONNX parser {name} is not in {}: {reason}", folder.display())
            }
        }
    }
}

impl fmt::Display for LibraryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "no TensorRT library that fits")?;
        writeln!(f, "  expected: {}", self.expected.join(", or "))?;
        write!(f, "  looked at:")?;
        if self.tried.is_empty() {
            write!(f, " nothing")?;
        }
        for Tried { place, path, outcome } in &self.tried {
            write!(f, "\n    {place}: {path}: {outcome}")?;
        }
        Ok(())
    }
}

impl std::error::Error for LibraryError {}
