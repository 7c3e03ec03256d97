//! The browser's side: fetching and remembering.

use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Response, Storage};

use super::verdict::Memory;

/// Where the memory of this origin's log is kept.
const PLACE: &str = "acta.log.v1";

/// Fetches a text of this origin; the error says what happened.
pub async fn fetch(address: &str) -> Result<String, String> {
    let window = web_sys::window().ok_or("no window")?;
    let response = JsFuture::from(window.fetch_with_str(address)).await.map_err(|error| said(&error))?;
    let response: Response = response.dyn_into().map_err(|error| said(&error))?;
    if !response.ok() {
        return Err(format!("{address}: {}", response.status()));
    }
    let text = response.text().map_err(|error| said(&error))?;
    let text = JsFuture::from(text).await.map_err(|error| said(&error))?;
    text.as_string().ok_or_else(|| format!("{address}: no text"))
}

fn said(error: &JsValue) -> String {
    js_sys::Reflect::get(error, &JsValue::from_str("message"))
        .ok()
        .and_then(|message| message.as_string())
        .unwrap_or_else(|| "the request failed".to_owned())
}

fn storage() -> Option<Storage> {
    web_sys::window()?.local_storage().ok()?
}

/// What this browser remembers; none where it may not remember or never saw this log.
pub fn remembered() -> Option<Memory> {
    serde_json::from_str(&storage()?.get_item(PLACE).ok()??).ok()
}

/// Keeps a memory. A browser that may not is one that sees everything for the first time.
pub fn remember(memory: &Memory) {
    if let (Some(storage), Ok(text)) = (storage(), serde_json::to_string(memory)) {
        let _ = storage.set_item(PLACE, &text);
    }
}

/// Forgets the log.
pub fn forget() {
    if let Some(storage) = storage() {
        let _ = storage.remove_item(PLACE);
    }
}

/// Today, in UTC.
pub fn today() -> String {
    let text = String::from(js_sys::Date::new_0().to_iso_string());
    text.split('T').next().unwrap_or_default().to_owned()
}
