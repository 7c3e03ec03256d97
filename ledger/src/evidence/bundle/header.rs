//! The JSON header, read as a stream: strict, bounded, and without ever holding it whole.
//!
//! Which dialect a header is written in may be known only at its end, so reading collects what both dialects need and
//! judges nothing but the JSON itself: duplicate keys, depth, counts. What the values mean is for [`super::dialect`]
//! and [`super::section`].

use std::{
    collections::{BTreeMap, HashSet},
    fmt,
    io::{self, Read},
};

use serde::de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value, error::Category};

use super::{
    InspectError,
    rule::{Notes, Rule},
    stream::{CHUNK, Source, Utf8Check},
    text,
};
use crate::log::jcs::MAX_SAFE_INTEGER;

/// The deepest nesting that is read.
pub const MAX_DEPTH: usize = 64;
/// The most sections that are read: the artifact limit of the format's own readers.
pub const MAX_SECTIONS: usize = 65_536;
/// The most members that all objects of a header may have together, sections apart.
pub const MAX_MEMBERS: usize = 65_536;
/// How many bytes of header values are kept; beyond it they are checked but not kept.
pub const MAX_KEPT_BYTES: usize = 1 << 20;

/// A number of the section table as it stands there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// The key is missing.
    Missing,
    /// An unsigned integer.
    Is(u64),
    /// Something else.
    NotUnsigned,
    /// A number beyond 64 bits.
    TooLarge,
}

/// A section as it stands in the header.
#[derive(Debug)]
pub(super) struct RawSection {
    pub(super) name: String,
    pub(super) offset: Extent,
    pub(super) size: Extent,
    pub(super) length: Extent,
    /// The first key beside these.
    pub(super) other_key: Option<String>,
    pub(super) is_object: bool,
}

/// What `sections` is.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum SectionsShape {
    #[default]
    Missing,
    NotObject,
    Object,
}

/// A header as it stands in the file.
#[derive(Debug, Default)]
pub(super) struct Header {
    pub(super) fields: BTreeMap<String, Value>,
    pub(super) fields_not_kept: bool,
    pub(super) sections: Vec<RawSection>,
    pub(super) shape: SectionsShape,
}

/// Reads the header's `length` bytes and leaves the source behind them. None where it cannot be read any further; the
/// reason is then among the notes.
pub(super) fn read<R: Read>(
    source: &mut Source<R>,
    length: u64,
    notes: &mut Notes,
) -> Result<Option<Header>, InspectError> {
    let mut text = HeaderText { source, left: length, utf8: Utf8Check::default(), failure: None };
    let mut reading = Reading { notes, header: Header::default(), members: 0, kept_bytes: 0, fatal: false };
    let read = {
        let mut json = serde_json::Deserializer::from_reader(io::BufReader::with_capacity(CHUNK, &mut text));
        HeaderSeed(&mut reading).deserialize(&mut json).and_then(|()| json.end())
    };
    let (header, fatal) = (reading.header, reading.fatal);
    if let Some(failure) = text.failure.take() {
        return Err(failure);
    }
    text.drain()?;
    if let Some(at) = text.utf8.broken_at() {
        let text = format!("the header is not UTF-8 at its byte {at}");
        notes.error(Rule::HeaderNotUtf8, None, Some(at), text);
        return Ok(None);
    }
    match read {
        Ok(()) => Ok(Some(header)),
        Err(_) if fatal => Ok(None),
        // Every seed below the first takes any kind of value.
        Err(error) if error.classify() == Category::Data => {
            notes.error(Rule::HeaderNotObject, None, None, "the header is not a JSON object".to_owned());
            Ok(None)
        }
        Err(error) => {
            notes.error(Rule::HeaderNotJson, None, None, format!("the header is not JSON: {error}"));
            Ok(None)
        }
    }
}

/// The header's bytes on their way into the JSON reader.
struct HeaderText<'a, R> {
    source: &'a mut Source<R>,
    left: u64,
    utf8: Utf8Check,
    failure: Option<InspectError>,
}

impl<R: Read> HeaderText<'_, R> {
    fn next(&mut self, buffer: &mut [u8]) -> Result<usize, InspectError> {
        let want = buffer.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        let got = self.source.read(&mut buffer[..want])?;
        self.utf8.update(&buffer[..got]);
        self.left -= got as u64;
        Ok(got)
    }

    fn drain(&mut self) -> Result<(), InspectError> {
        let mut buffer = vec![0; CHUNK];
        while self.left > 0 {
            self.next(&mut buffer)?;
        }
        Ok(())
    }
}

impl<R: Read> Read for HeaderText<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.next(buffer).map_err(|error| {
            let message = error.to_string();
            self.failure = Some(error);
            io::Error::other(message)
        })
    }
}

/// The state of one reading.
struct Reading<'n> {
    notes: &'n mut Notes,
    header: Header,
    members: usize,
    kept_bytes: usize,
    fatal: bool,
}

impl Reading<'_> {
    /// Ends the reading.
    fn fail<E: de::Error>(&mut self, rule: Rule, text: String) -> E {
        self.fatal = true;
        let error = E::custom(&text);
        self.notes.error(rule, None, None, text);
        error
    }

    fn count_member<E: de::Error>(&mut self) -> Result<(), E> {
        self.members += 1;
        if self.members > MAX_MEMBERS {
            let text = format!("the header's objects have more than {MAX_MEMBERS} members");
            return Err(self.fail(Rule::HeaderTooManyMembers, text));
        }
        Ok(())
    }

    fn duplicate(&mut self, key: &str) {
        let text = format!("the key \"{}\" stands twice in one object", text::name(key));
        self.notes.error(Rule::DuplicateKey, Some(key), None, text);
    }

    /// Keeps a value as long as there is room.
    fn keep(&mut self, bytes: usize, value: impl FnOnce() -> Value) -> Value {
        self.kept_bytes = self.kept_bytes.saturating_add(bytes + 32);
        if self.kept_bytes > MAX_KEPT_BYTES {
            self.header.fields_not_kept = true;
            Value::Null
        } else {
            value()
        }
    }
}

/// Refuses every kind of value that a visitor does not name.
macro_rules! expecting {
    ($what:literal) => {
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str($what)
        }
    };
}

struct HeaderSeed<'a, 'n>(&'a mut Reading<'n>);

impl<'de> DeserializeSeed<'de> for HeaderSeed<'_, '_> {
    type Value = ();
    fn deserialize<D: de::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for HeaderSeed<'_, '_> {
    type Value = ();
    expecting!("the header's object");

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<(), A::Error> {
        let reading = self.0;
        let mut keys = HashSet::new();
        while let Some(key) = access.next_key::<String>()? {
            reading.count_member()?;
            let first = keys.insert(key.clone());
            if !first {
                reading.duplicate(&key);
            }
            if key == "sections" && first {
                reading.header.shape = access.next_value_seed(SectionsSeed(reading))?;
            } else {
                let value = access.next_value_seed(Keep { reading, depth: 1 })?;
                let key_bytes = key.len();
                let room = reading.keep(key_bytes, || Value::Bool(true));
                if first && room != Value::Null {
                    reading.header.fields.insert(key, value);
                }
            }
        }
        Ok(())
    }
}

/// The object `sections`; any other value is drained.
struct SectionsSeed<'a, 'n>(&'a mut Reading<'n>);

impl<'de> DeserializeSeed<'de> for SectionsSeed<'_, '_> {
    type Value = SectionsShape;
    fn deserialize<D: de::Deserializer<'de>>(self, deserializer: D) -> Result<SectionsShape, D::Error> {
        deserializer.deserialize_any(self)
    }
}

/// Takes every scalar as one and the same answer, and drains arrays.
macro_rules! scalars_are {
    ($answer:expr) => {
        fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
            Ok($answer)
        }
        fn visit_bool<E: de::Error>(self, _: bool) -> Result<Self::Value, E> {
            Ok($answer)
        }
        fn visit_i64<E: de::Error>(self, _: i64) -> Result<Self::Value, E> {
            Ok($answer)
        }
        fn visit_str<E: de::Error>(self, _: &str) -> Result<Self::Value, E> {
            Ok($answer)
        }
        fn visit_seq<A: SeqAccess<'de>>(self, access: A) -> Result<Self::Value, A::Error> {
            drain_seq(self.0, access)?;
            Ok($answer)
        }
    };
}

fn drain_seq<'de, A: SeqAccess<'de>>(reading: &mut Reading<'_>, mut access: A) -> Result<(), A::Error> {
    while access.next_element_seed(Keep { reading, depth: 3 })?.is_some() {}
    Ok(())
}

impl<'de> Visitor<'de> for SectionsSeed<'_, '_> {
    type Value = SectionsShape;
    expecting!("the object of sections");
    scalars_are!(SectionsShape::NotObject);

    fn visit_u64<E: de::Error>(self, _: u64) -> Result<SectionsShape, E> {
        Ok(SectionsShape::NotObject)
    }
    fn visit_f64<E: de::Error>(self, _: f64) -> Result<SectionsShape, E> {
        Ok(SectionsShape::NotObject)
    }
    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<SectionsShape, A::Error> {
        let reading = self.0;
        let mut names = HashSet::new();
        let mut count = 0;
        while let Some(name) = access.next_key::<String>()? {
            count += 1;
            if count > MAX_SECTIONS {
                let text = format!("there are more than {MAX_SECTIONS} sections");
                return Err(reading.fail(Rule::TooManySections, text));
            }
            let section = access.next_value_seed(SectionSeed(reading, &name))?;
            if names.insert(name.clone()) {
                reading.header.sections.push(RawSection { name, ..section });
            } else {
                let text = format!("two sections are named \"{}\"", text::name(&name));
                reading.notes.error(Rule::DuplicateSection, Some(&name), None, text);
            }
        }
        Ok(SectionsShape::Object)
    }
}

/// One section's description.
struct SectionSeed<'a, 'n, 's>(&'a mut Reading<'n>, &'s str);

impl RawSection {
    fn empty(is_object: bool) -> Self {
        let missing = Extent::Missing;
        let (offset, size, length) = (missing, missing, missing);
        Self { name: String::new(), offset, size, length, other_key: None, is_object }
    }
}

impl<'de> DeserializeSeed<'de> for SectionSeed<'_, '_, '_> {
    type Value = RawSection;
    fn deserialize<D: de::Deserializer<'de>>(self, deserializer: D) -> Result<RawSection, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for SectionSeed<'_, '_, '_> {
    type Value = RawSection;
    expecting!("a section's object");
    scalars_are!(RawSection::empty(false));

    fn visit_u64<E: de::Error>(self, _: u64) -> Result<RawSection, E> {
        Ok(RawSection::empty(false))
    }
    fn visit_f64<E: de::Error>(self, _: f64) -> Result<RawSection, E> {
        Ok(RawSection::empty(false))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<RawSection, A::Error> {
        let Self(reading, name) = self;
        let mut section = RawSection::empty(true);
        let mut others = HashSet::new();
        while let Some(key) = access.next_key::<String>()? {
            let place = match key.as_str() {
                "offset" => &mut section.offset,
                "size" => &mut section.size,
                "length" => &mut section.length,
                _ => {
                    reading.count_member()?;
                    if !others.insert(key.clone()) {
                        reading.duplicate(&key);
                    }
                    access.next_value_seed(Keep { reading: &mut *reading, depth: 3 })?;
                    section.other_key.get_or_insert(key);
                    continue;
                }
            };
            let value = access.next_value_seed(ExtentSeed(&mut *reading))?;
            if *place == Extent::Missing {
                *place = value;
            } else {
                let text =
                    format!("section \"{}\": the key \"{key}\" stands twice in one object", text::name(name));
                reading.notes.error(Rule::DuplicateKey, Some(name), None, text);
            }
        }
        Ok(section)
    }
}

/// An offset or a length.
struct ExtentSeed<'a, 'n>(&'a mut Reading<'n>);

impl<'de> DeserializeSeed<'de> for ExtentSeed<'_, '_> {
    type Value = Extent;
    fn deserialize<D: de::Deserializer<'de>>(self, deserializer: D) -> Result<Extent, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ExtentSeed<'_, '_> {
    type Value = Extent;
    expecting!("an unsigned integer");
    scalars_are!(Extent::NotUnsigned);

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Extent, E> {
        Ok(Extent::Is(value))
    }
    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Extent, E> {
        // The JSON reader hands integers beyond 64 bits over as doubles.
        Ok(if value >= 18_446_744_073_709_551_616.0 { Extent::TooLarge } else { Extent::NotUnsigned })
    }
    fn visit_map<A: MapAccess<'de>>(self, access: A) -> Result<Extent, A::Error> {
        Keep { reading: self.0, depth: 3 }.visit_map(access)?;
        Ok(Extent::NotUnsigned)
    }
}

/// Any value: checked always, kept while there is room.
struct Keep<'a, 'n> {
    reading: &'a mut Reading<'n>,
    depth: usize,
}

impl Keep<'_, '_> {
    fn check_depth<E: de::Error>(&mut self) -> Result<(), E> {
        if self.depth >= MAX_DEPTH {
            let text = format!("the header is nested deeper than {MAX_DEPTH} levels");
            return Err(self.reading.fail(Rule::HeaderTooDeep, text));
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Keep<'_, '_> {
    type Value = Value;
    fn deserialize<D: de::Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Keep<'_, '_> {
    type Value = Value;
    expecting!("a JSON value");

    fn visit_unit<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Value, E> {
        Ok(self.reading.keep(0, || Value::Bool(value)))
    }
    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Value, E> {
        let small = value <= MAX_SAFE_INTEGER;
        Ok(self.reading.keep(0, || if small { value.into() } else { value.to_string().into() }))
    }
    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Value, E> {
        let small = value.unsigned_abs() <= MAX_SAFE_INTEGER;
        Ok(self.reading.keep(0, || if small { value.into() } else { value.to_string().into() }))
    }
    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
        let small = value.abs() <= MAX_SAFE_INTEGER as f64;
        Ok(self.reading.keep(0, || match Number::from_f64(value) {
            Some(number) if small => Value::Number(number),
            _ => Value::String(value.to_string()),
        }))
    }
    fn visit_str<E: de::Error>(self, value: &str) -> Result<Value, E> {
        Ok(self.reading.keep(value.len(), || Value::String(value.to_owned())))
    }
    fn visit_seq<A: SeqAccess<'de>>(mut self, mut access: A) -> Result<Value, A::Error> {
        self.check_depth()?;
        let depth = self.depth + 1;
        let mut items = Vec::new();
        while let Some(item) = access.next_element_seed(Keep { reading: &mut *self.reading, depth })? {
            if !self.reading.header.fields_not_kept {
                items.push(item);
            }
        }
        Ok(Value::Array(items))
    }
    fn visit_map<A: MapAccess<'de>>(mut self, mut access: A) -> Result<Value, A::Error> {
        self.check_depth()?;
        let depth = self.depth + 1;
        let mut keys = HashSet::new();
        let mut members = Map::new();
        while let Some(key) = access.next_key::<String>()? {
            self.reading.count_member()?;
            let value = access.next_value_seed(Keep { reading: &mut *self.reading, depth })?;
            if !keys.insert(key.clone()) {
                self.reading.duplicate(&key);
            } else if !self.reading.keep(key.len(), || Value::Bool(true)).is_null() {
                members.insert(key, value);
            }
        }
        Ok(Value::Object(members))
    }
}
