//! The shim's function tables, and how its answers become `Result`s.

use std::ffi::CStr;

use crate::sys;
use crate::version::{Family, Version};

/// A family's function table: constant data of this program.
pub(crate) type Api = &'static sys::acta_trt_api;

/// Calls a function of the table; expands to an unsafe call.
macro_rules! call {
    ($api:expr, $function:ident($($argument:expr),* $(,)?)) => {
        ($api.$function.expect("the shim fills its table"))($($argument),*)
    };
}
pub(crate) use call;

/// The function table of a family, if the program was compiled with that family's headers.
pub(crate) fn table(family: Family) -> Option<Api> {
    let table = match family {
        #[cfg(acta_rtx)]
        // SAFETY: the getter takes nothing and returns the address of a constant.
        Family::Rtx => unsafe { sys::acta_trt_rtx() },
        #[cfg(acta_enterprise)]
        // SAFETY: the getter takes nothing and returns the address of a constant.
        Family::Enterprise => unsafe { sys::acta_trt_enterprise() },
        #[cfg(not(all(acta_rtx, acta_enterprise)))]
        _ => return None,
    };
    // SAFETY: the table is a constant of the C++ object, aligned, filled, and never changed.
    unsafe { table.as_ref() }
}

/// The version of the headers that a family's table was compiled with.
pub(crate) fn header_version(api: Api) -> Version {
    let sys::acta_trt_version { major, minor, patch, build, .. } = api.headers;
    Version { major, minor, patch, build }
}

/// Why the shim did not say yes.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// TensorRT said no.
    No,
    /// This family, or this version of it, has no such thing.
    Unsupported,
    /// A C++ exception was caught in the shim.
    Threw(String),
}

/// Makes one call of the shim and reads its answer.
pub(crate) fn ask(call: impl FnOnce(*mut sys::acta_trt_text) -> i32) -> Result<(), Refusal> {
    let mut text = sys::acta_trt_text { bytes: [0; sys::ACTA_TRT_TEXT_BYTES as usize] };
    match call(&raw mut text) {
        sys::ACTA_TRT_YES => Ok(()),
        sys::ACTA_TRT_NO => Err(Refusal::No),
        sys::ACTA_TRT_UNSUPPORTED => Err(Refusal::Unsupported),
        _ => {
            // SAFETY: the text is an array of plain characters; reading them as bytes is always valid.
            let bytes =
                unsafe { &*(&raw const text.bytes).cast::<[u8; sys::ACTA_TRT_TEXT_BYTES as usize]>() };
            let said = CStr::from_bytes_until_nul(bytes).unwrap_or(c"");
            Err(Refusal::Threw(said.to_string_lossy().into_owned()))
        }
    }
}
