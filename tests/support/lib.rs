//! What tests of several rooms share.

pub mod onnx;
