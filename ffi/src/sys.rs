//! What bindgen read from `shim/trt_shim.h`.

#![expect(non_camel_case_types, reason = "the names of the C header")]
#![allow(dead_code, reason = "the header says more than one family uses")]

include!(concat!(env!("OUT_DIR"), "/trt_shim.rs"));
