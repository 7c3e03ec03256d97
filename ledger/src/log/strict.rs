//! Strict reading of JSON into any type, in one pass: a deserializer that stands before [`serde_json`]'s and refuses what
//! two readers could understand in two ways, also in the members that the type passes over.
//!
//! A struct is read from an object alone: serde would take a list of its fields' values as well.

use std::{borrow::Cow, collections::HashSet, fmt};

use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer as _, MapAccess, SeqAccess,
    VariantAccess, Visitor, value::BorrowedStrDeserializer,
};

use super::jcs::{MAX_DEPTH, MAX_SAFE_INTEGER};

/// Something of serde's, with the checks put before it. The keys of maps are given on as texts.
pub(super) struct Strict<T> {
    inner: T,
    depth: usize,
    /// Of a visitor: whether it must meet an object.
    object: bool,
}

impl<T> Strict<T> {
    /// Before the outermost value.
    pub(super) fn new(inner: T) -> Self {
        Self::at(inner, 0)
    }

    fn at(inner: T, depth: usize) -> Self {
        Self { inner, depth, object: false }
    }

    fn deeper<E: de::Error>(depth: usize) -> Result<usize, E> {
        if depth == MAX_DEPTH {
            return Err(E::custom(format_args!("nested deeper than {MAX_DEPTH} levels")));
        }
        Ok(depth + 1)
    }
}

macro_rules! read_checked {
    ($($method:ident($($argument:ident: $type:ty),*);)*) => {$(
        fn $method<V: Visitor<'de>>(self, $($argument: $type,)* visitor: V) -> Result<V::Value, D::Error> {
            self.inner.$method($($argument,)* Strict::at(visitor, self.depth))
        }
    )*};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Strict<D> {
    type Error = D::Error;

    read_checked! {
        deserialize_any();
        deserialize_bool();
        deserialize_i8();
        deserialize_i16();
        deserialize_i32();
        deserialize_i64();
        deserialize_u8();
        deserialize_u16();
        deserialize_u32();
        deserialize_u64();
        deserialize_f32();
        deserialize_f64();
        deserialize_char();
        deserialize_str();
        deserialize_string();
        deserialize_bytes();
        deserialize_byte_buf();
        deserialize_option();
        deserialize_unit();
        deserialize_unit_struct(name: &'static str);
        deserialize_newtype_struct(name: &'static str);
        deserialize_seq();
        deserialize_tuple(length: usize);
        deserialize_tuple_struct(name: &'static str, length: usize);
        deserialize_map();
        deserialize_enum(name: &'static str, variants: &'static [&'static str]);
        deserialize_identifier();
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let visitor = Strict { object: true, ..Strict::at(visitor, self.depth) };
        self.inner.deserialize_struct(name, fields, visitor)
    }

    /// What is passed over is read all the same: a key that stands twice there makes two documents of one as well.
    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.deserialize_any(visitor)
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Strict<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<V::Value, E> {
        self.inner.visit_bool(value)
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<V::Value, E> {
        if value > MAX_SAFE_INTEGER { Err(too_large(value)) } else { self.inner.visit_u64(value) }
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<V::Value, E> {
        if value.unsigned_abs() > MAX_SAFE_INTEGER {
            Err(too_large(value))
        } else {
            self.inner.visit_i64(value)
        }
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<V::Value, E> {
        // Beyond 2^53 every double is whole, so an integer that was rounded cannot be told from one that was not.
        if value.abs() > MAX_SAFE_INTEGER as f64 {
            return Err(too_large(value));
        }
        if !value.is_finite() {
            return Err(E::custom("a number must be finite"));
        }
        self.inner.visit_f64(value)
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<V::Value, E> {
        self.inner.visit_str(value)
    }

    fn visit_borrowed_str<E: de::Error>(self, value: &'de str) -> Result<V::Value, E> {
        self.inner.visit_borrowed_str(value)
    }

    fn visit_string<E: de::Error>(self, value: String) -> Result<V::Value, E> {
        self.inner.visit_string(value)
    }

    fn visit_none<E: de::Error>(self) -> Result<V::Value, E> {
        self.inner.visit_none()
    }

    fn visit_unit<E: de::Error>(self) -> Result<V::Value, E> {
        self.inner.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        self.inner.visit_some(Strict::at(deserializer, self.depth))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        self.inner.visit_newtype_struct(Strict::at(deserializer, self.depth))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, access: A) -> Result<V::Value, A::Error> {
        if self.object {
            return Err(de::Error::invalid_type(de::Unexpected::Seq, &self.inner));
        }
        let depth = Self::deeper(self.depth)?;
        self.inner.visit_seq(Strict::at(access, depth))
    }

    fn visit_map<A: MapAccess<'de>>(self, access: A) -> Result<V::Value, A::Error> {
        self.inner.visit_map(Members { access, depth: self.depth, seen: Seen::default() })
    }

    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<V::Value, A::Error> {
        let depth = Self::deeper(self.depth)?;
        self.inner.visit_enum(Strict::at(access, depth))
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Strict<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        self.inner.deserialize(Strict::at(deserializer, self.depth))
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Strict<A> {
    type Error = A::Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, A::Error> {
        self.inner.next_element_seed(Strict::at(seed, self.depth))
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'de, A: EnumAccess<'de>> EnumAccess<'de> for Strict<A> {
    type Error = A::Error;
    type Variant = Strict<A::Variant>;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self::Variant), A::Error> {
        let depth = self.depth;
        let (value, variant) = self.inner.variant_seed(seed)?;
        Ok((value, Strict::at(variant, depth)))
    }
}

impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for Strict<A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        self.inner.unit_variant()
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, A::Error> {
        self.inner.newtype_variant_seed(Strict::at(seed, self.depth))
    }

    fn tuple_variant<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, A::Error> {
        self.inner.tuple_variant(length, Strict::at(visitor, self.depth))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        self.inner.struct_variant(fields, Strict { object: true, ..Strict::at(visitor, self.depth) })
    }
}

/// An object's members, each key once.
struct Members<'de, A> {
    access: A,
    depth: usize,
    seen: Seen<'de>,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Members<'de, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        let Some(key) = self.access.next_key_seed(Key)? else { return Ok(None) };
        let read = match &key {
            Cow::Borrowed(text) => seed.deserialize(BorrowedStrDeserializer::new(text)),
            Cow::Owned(text) => seed.deserialize(text.as_str().into_deserializer()),
        }?;
        match self.seen.twice(key) {
            Some(key) => Err(de::Error::custom(format_args!(
                "the key {:?} stands twice in one object",
                key.chars().take(80).collect::<String>()
            ))),
            None => Ok(Some(read)),
        }
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        let depth = Strict::<A>::deeper(self.depth)?;
        self.access.next_value_seed(Strict::at(seed, depth))
    }
}

/// The keys of an object so far. Canonical objects have theirs in order: there one comparison a key is enough.
enum Seen<'de> {
    Ascending(Vec<Cow<'de, str>>),
    Any(HashSet<Cow<'de, str>>),
}

impl Default for Seen<'_> {
    fn default() -> Self {
        Self::Ascending(Vec::new())
    }
}

impl<'de> Seen<'de> {
    /// Takes a further key, and gives it back where it is there already.
    fn twice(&mut self, key: Cow<'de, str>) -> Option<Cow<'de, str>> {
        if let Self::Ascending(keys) = self {
            if keys.last().is_none_or(|last| *last < key) {
                keys.push(key);
                return None;
            }
            *self = Self::Any(keys.drain(..).collect());
        }
        match self {
            Self::Any(keys) if keys.contains(&key) => Some(key),
            Self::Any(keys) => {
                keys.insert(key);
                None
            }
            Self::Ascending(_) => None,
        }
    }
}

/// A key as it stands, not copied where it need not be.
struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Key {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_borrowed_str<E: de::Error>(self, value: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(value))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(value.to_owned()))
    }
}

fn too_large<E: de::Error>(value: impl fmt::Display) -> E {
    E::custom(format_args!("the number {value} is beyond 2^53 - 1, write it as a string"))
}
