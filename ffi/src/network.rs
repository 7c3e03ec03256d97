//! A network, filled by the ONNX parser.

use std::borrow::Cow;
use std::ffi::CString;
use std::fmt;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::rc::Rc;

use crate::builder::Shared;
use crate::callback::bytes;
use crate::error::Error;
use crate::parser::{ParseError, Parser};
use crate::shim::call;
use crate::sys;

/// How a network is created.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct NetworkFlags(pub u32);

impl NetworkFlags {
    /// Tensor types are the network's, not the optimizer's choice. From TensorRT 11 on every network is built so.
    pub const STRONGLY_TYPED: Self = Self(1);
}

/// A network definition, with the parsers that hold its weights.
pub struct Network {
    handle: *mut sys::acta_trt_network,
    parsers: Vec<Parser>,
    shared: Rc<Shared>,
}

impl Drop for Network {
    fn drop(&mut self) {
        self.parsers.clear();
        // SAFETY: made once, destroyed once, after its parsers and before its builder, which `shared` holds.
        unsafe { call!(self.shared.library.api(), network_destroy(self.handle)) };
    }
}

impl Network {
    pub(crate) fn new(shared: Rc<Shared>, flags: NetworkFlags) -> Result<Self, Error> {
        let mut handle = std::ptr::null_mut();
        shared.ask("IBuilder::createNetworkV2", |text| {
            // SAFETY: the builder is alive, and used on its own thread.
            unsafe {
                call!(shared.library.api(), network_create(shared.handle, flags.0, &raw mut handle, text))
            }
        })?;
        Ok(Self { handle, parsers: Vec::new(), shared })
    }

    pub(crate) fn handle(&self) -> *mut sys::acta_trt_network {
        self.handle
    }

    pub(crate) fn shared(&self) -> &Rc<Shared> {
        &self.shared
    }

    /// Fills the network from a model in memory. `path` is the model's file: external weights lie beside it.
    ///
    /// The parser's yes is no proof of a model: TensorRT-RTX 1.7 takes some plain text for a model without layers.
    /// Look at [`Network::layer_count`] and [`Network::outputs`].
    ///
    /// # Errors
    /// If the parser says no, with all of its errors; the network is then partly filled, and of no use.
    pub fn parse_onnx(&mut self, model: &[u8], path: Option<&Path>) -> Result<(), ParseError> {
        let path = path
            .map(|path| CString::new(path.as_os_str().as_bytes()))
            .transpose()
            .map_err(|_| Error::Argument { what: "a path with a NUL".to_owned() })?;
        let mut parser = Parser::new(&self.shared, self.handle)?;
        let answer = parser.parse(&self.shared, model, path.as_deref());
        // Even a parser that failed may have put weights into the network.
        self.parsers.push(parser);
        answer
    }

    /// Reads a file and fills the network from it.
    ///
    /// # Errors
    /// If the file cannot be read, or the parser says no.
    pub fn parse_onnx_file(&mut self, path: &Path) -> Result<(), ParseError> {
        let model = fs::read(path).map_err(|source| ParseError::Read { path: path.to_owned(), source })?;
        self.parse_onnx(&model, Some(path))
    }

    /// The number of layers.
    ///
    /// # Errors
    /// Only if the call throws.
    pub fn layer_count(&self) -> Result<i32, Error> {
        self.counts().map(|(layers, _, _)| layers)
    }

    /// The inputs, in order.
    ///
    /// # Errors
    /// Only if a call throws.
    pub fn inputs(&self) -> Result<Vec<Tensor>, Error> {
        let (_, inputs, _) = self.counts()?;
        (0..inputs).map(|index| self.tensor(false, index)).collect()
    }

    /// The outputs, in order.
    ///
    /// # Errors
    /// Only if a call throws.
    pub fn outputs(&self) -> Result<Vec<Tensor>, Error> {
        let (_, _, outputs) = self.counts()?;
        (0..outputs).map(|index| self.tensor(true, index)).collect()
    }

    /// The flags that TensorRT holds for the network, which may be more than were asked for.
    ///
    /// # Errors
    /// Only if the call throws.
    pub fn flags(&self) -> Result<NetworkFlags, Error> {
        let mut flags = 0;
        self.shared.ask("INetworkDefinition::getFlags", |text| {
            // SAFETY: the network is alive, and used on its own thread.
            unsafe { call!(self.shared.library.api(), network_flags(self.handle, &raw mut flags, text)) }
        })?;
        Ok(NetworkFlags(flags))
    }

    /// Whether the network says that it is strongly typed.
    ///
    /// # Errors
    /// Only if the call throws.
    pub fn is_strongly_typed(&self) -> Result<bool, Error> {
        Ok(self.flags()?.0 & NetworkFlags::STRONGLY_TYPED.0 != 0)
    }

    fn counts(&self) -> Result<(i32, i32, i32), Error> {
        let (mut layers, mut inputs, mut outputs) = (0, 0, 0);
        self.shared.ask("INetworkDefinition::getNbLayers", |text| {
            let (layers, inputs, outputs) = (&raw mut layers, &raw mut inputs, &raw mut outputs);
            // SAFETY: the network is alive, and used on its own thread; the numbers outlive the call.
            unsafe {
                call!(self.shared.library.api(), network_counts(self.handle, layers, inputs, outputs, text))
            }
        })?;
        Ok((layers, inputs, outputs))
    }

    fn tensor(&self, output: bool, index: i32) -> Result<Tensor, Error> {
        let mut raw = sys::acta_trt_tensor {
            name: std::ptr::null(),
            data_type: 0,
            is_shape_tensor: 0,
            dims: sys::acta_trt_dims { count: 0, sizes: [0; sys::ACTA_TRT_MAX_DIMS as usize] },
        };
        let name = if output { "INetworkDefinition::getOutput" } else { "INetworkDefinition::getInput" };
        self.shared.ask(name, |text| {
            // SAFETY: the network is alive, and used on its own thread; the tensor outlives the call.
            unsafe {
                let output = i32::from(output);
                call!(
                    self.shared.library.api(),
                    network_tensor(self.handle, output, index, &raw mut raw, text)
                )
            }
        })?;
        let rank = usize::try_from(raw.dims.count).ok().map(|rank| rank.min(raw.dims.sizes.len()));
        Ok(Tensor {
            // SAFETY: the name lives as long as the network is not changed, and is copied now.
            name: unsafe { bytes(raw.name) }.to_vec(),
            data_type: DataType::from_raw(raw.data_type),
            dims: rank.map(|rank| raw.dims.sizes[..rank].to_vec()),
            is_shape_tensor: raw.is_shape_tensor != 0,
        })
    }
}

/// An input or output of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    /// The name's bytes, not promised to be UTF-8.
    pub name: Vec<u8>,
    /// The type of its elements.
    pub data_type: DataType,
    /// The dimensions, -1 where one is dynamic; none if not even their number is known.
    pub dims: Option<Vec<i64>>,
    /// Whether its values are used as a shape.
    pub is_shape_tensor: bool,
}

impl Tensor {
    /// The name as text; bytes that are no UTF-8 are replaced.
    #[must_use]
    pub fn name_lossy(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.name)
    }

    /// Whether a dimension is open, so that the build needs an optimization profile.
    #[must_use]
    pub fn is_dynamic(&self) -> bool {
        self.dims.as_ref().is_none_or(|dims| dims.contains(&-1))
    }
}

/// The type of a tensor's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DataType {
    /// 32-bit floating point
    Float32,
    /// 16-bit floating point
    Float16,
    /// signed 8-bit integer
    Int8,
    /// signed 32-bit integer
    Int32,
    /// truth value
    Bool,
    /// unsigned 8-bit integer
    Uint8,
    /// 8-bit floating point, 4 bits of exponent
    Fp8,
    /// 16-bit brain floating point
    Bfloat16,
    /// signed 64-bit integer
    Int64,
    /// signed 4-bit integer
    Int4,
    /// 4-bit floating point
    Fp4,
    /// 8-bit exponent
    E8m0,
    /// A number that the shim's headers do not name.
    Other(i32),
}

impl DataType {
    fn from_raw(raw: i32) -> Self {
        const KNOWN: [DataType; 12] = [
            DataType::Float32,
            DataType::Float16,
            DataType::Int8,
            DataType::Int32,
            DataType::Bool,
            DataType::Uint8,
            DataType::Fp8,
            DataType::Bfloat16,
            DataType::Int64,
            DataType::Int4,
            DataType::Fp4,
            DataType::E8m0,
        ];
        usize::try_from(raw).ok().and_then(|raw| KNOWN.get(raw)).copied().unwrap_or(Self::Other(raw))
    }
}

impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Float32 => "float32",
            Self::Float16 => "float16",
            Self::Int8 => "int8",
            Self::Int32 => "int32",
            Self::Bool => "bool",
            Self::Uint8 => "uint8",
            Self::Fp8 => "fp8",
            Self::Bfloat16 => "bfloat16",
            Self::Int64 => "int64",
            Self::Int4 => "int4",
            Self::Fp4 => "fp4",
            Self::E8m0 => "e8m0",
            Self::Other(raw) => return write!(f, "type {raw}"),
        };
        f.write_str(name)
    }
}
