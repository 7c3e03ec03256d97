//! What tests of several rooms share.

pub mod api;
pub mod append;
pub mod bundle;
pub mod checkpoint;
pub mod command_line;
pub mod disk;
pub mod evidence;
pub mod fuzz;
pub mod limit;
pub mod live;
pub mod onnx;
pub mod portal;
pub mod process;
pub mod relay;
pub mod route;
pub mod seed;
pub mod strace;
pub mod tensorrt;
pub mod tree;
