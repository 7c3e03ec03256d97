//! A member of a JSON object that may be missing or of another kind: reading goes on, and the reader of the whole says
//! which member was wrong and what is expected of it.

use std::{borrow::Cow, fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{self, IgnoredAny, MapAccess, SeqAccess, Visitor, value},
};

/// A member, as far as it is what its reader takes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum Part<T> {
    /// It is not there, or null.
    #[default]
    Missing,
    /// It is of the right kind.
    Read(T),
    /// It is of another kind.
    Other,
}

/// A kind of value that a [`Part`] may hold: texts, lists, or objects. What a kind does not take is [`Part::Other`].
pub(super) trait Kind<'de>: Sized {
    fn text(_text: Cow<'de, str>) -> Part<Self> {
        Part::Other
    }

    fn list<A: SeqAccess<'de>>(mut access: A) -> Result<Part<Self>, A::Error> {
        while access.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Part::Other)
    }

    fn object<A: MapAccess<'de>>(mut access: A) -> Result<Part<Self>, A::Error> {
        while access.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Part::Other)
    }
}

impl<'de: 'a, 'a> Kind<'de> for Cow<'a, str> {
    fn text(text: Cow<'de, str>) -> Part<Self> {
        Part::Read(text)
    }
}

impl<'de, T: Deserialize<'de>> Kind<'de> for Vec<T> {
    fn list<A: SeqAccess<'de>>(access: A) -> Result<Part<Self>, A::Error> {
        Self::deserialize(value::SeqAccessDeserializer::new(access)).map(Part::Read)
    }
}

impl<'de, T: Kind<'de>> Deserialize<'de> for Part<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Any(PhantomData))
    }
}

struct Any<T>(PhantomData<T>);

impl<'de, T: Kind<'de>> Visitor<'de> for Any<T> {
    type Value = Part<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Part<T>, E> {
        Ok(Part::Missing)
    }

    fn visit_bool<E: de::Error>(self, _: bool) -> Result<Part<T>, E> {
        Ok(Part::Other)
    }

    fn visit_u64<E: de::Error>(self, _: u64) -> Result<Part<T>, E> {
        Ok(Part::Other)
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<Part<T>, E> {
        Ok(Part::Other)
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<Part<T>, E> {
        Ok(Part::Other)
    }

    fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Part<T>, E> {
        Ok(T::text(Cow::Borrowed(text)))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Part<T>, E> {
        Ok(T::text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, access: A) -> Result<Part<T>, A::Error> {
        T::list(access)
    }

    fn visit_map<A: MapAccess<'de>>(self, access: A) -> Result<Part<T>, A::Error> {
        T::object(access)
    }
}
