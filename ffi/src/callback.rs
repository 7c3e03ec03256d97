//! What every callback from C++ does first: borrow the strings, and keep panics on this side.

use std::any::Any;
use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Borrows a C string for as long as the callback lasts; null is empty.
///
/// # Safety
/// The pointer is null, or a NUL-terminated string that lives and stays unchanged during `'a`.
pub(crate) unsafe fn bytes<'a>(text: *const c_char) -> &'a [u8] {
    if text.is_null() {
        return &[];
    }
    // SAFETY: not null, and the caller promises a NUL-terminated string that outlives 'a.
    unsafe { CStr::from_ptr(text) }.to_bytes()
}

/// Runs foreign code, and turns a panic into its message. Nothing unwinds out of here.
pub(crate) fn caught<T>(body: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(body)).map_err(message)
}

/// A panic's message. A payload that is no text is forgotten: its destructor could panic again.
fn message(payload: Box<dyn Any + Send>) -> String {
    match payload.downcast::<&'static str>() {
        Ok(text) => (*text).to_owned(),
        Err(payload) => match payload.downcast::<String>() {
            Ok(text) => *text,
            Err(payload) => {
                std::mem::forget(payload);
                "a panic without a message".to_owned()
            }
        },
    }
}

/// Locks a mutex that guards plain data: a panic elsewhere leaves nothing half done.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_its_message() {
        assert_eq!(caught(|| 7), Ok(7));
        assert_eq!(caught(|| panic!("plain")), Err::<(), _>("plain".to_owned()));
        assert_eq!(caught(|| panic!("number {}", 3)), Err::<(), _>("number 3".to_owned()));
    }

    #[test]
    fn a_payload_whose_destructor_panics_is_kept_inside() {
        struct Bomb;
        impl Drop for Bomb {
            fn drop(&mut self) {
                panic!("again");
            }
        }
        let caught = caught(|| std::panic::panic_any(Bomb));
        assert_eq!(caught, Err::<(), _>("a panic without a message".to_owned()));
    }

    #[test]
    fn a_null_string_is_empty() {
        // SAFETY: null is allowed.
        assert!(unsafe { bytes(std::ptr::null()) }.is_empty());
    }
}
