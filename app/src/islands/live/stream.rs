//! The browser's side: the stream of events, and the elements that they fill.

use std::cell::RefCell;

use wasm_bindgen::{JsCast as _, closure::Closure};
use web_sys::{Event, EventSource, MessageEvent};

/// An open stream with the functions that it calls: they live as long as it does.
struct Open {
    source: EventSource,
    _heard: Closure<dyn FnMut(MessageEvent)>,
    _broke: Closure<dyn FnMut(Event)>,
}

thread_local! {
    static OPEN: RefCell<Option<Open>> = const { RefCell::new(None) };
}

/// Opens the stream; a broken one is opened again by the browser, which says what it has seen. False where it cannot.
pub fn open(address: &str, heard: impl Fn(&str) + 'static, broke: impl Fn() + 'static) -> bool {
    close();
    let Ok(source) = EventSource::new(address) else { return false };
    let heard = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        if let Some(text) = event.data().as_string() {
            heard(&text);
        }
    });
    let broke = Closure::<dyn FnMut(Event)>::new(move |_: Event| broke());
    let added = source.add_event_listener_with_callback("page", heard.as_ref().unchecked_ref());
    source.set_onerror(Some(broke.as_ref().unchecked_ref()));
    OPEN.with(|open| *open.borrow_mut() = Some(Open { source, _heard: heard, _broke: broke }));
    added.is_ok()
}

/// Closes the stream. What it calls is dropped later: it may be what is running.
pub fn close() {
    let closed = OPEN.with(|open| open.borrow_mut().take());
    if let Some(open) = closed {
        open.source.close();
        wasm_bindgen_futures::spawn_local(async move { drop(open) });
    }
}

/// Fills an element, unless that is what it shows, or somebody is typing in it.
pub fn fill(id: &str, html: &str) {
    let Some(document) = web_sys::window().and_then(|window| window.document()) else { return };
    let Some(element) = document.get_element_by_id(id) else { return };
    let busy = document.active_element().is_some_and(|active| element.contains(Some(&active)));
    // What is shown is compared as it was sent: a browser writes HTML differently.
    let shown = element.get_attribute("data-shown");
    let mark = format!("{:x}", hash(html));
    if !busy && shown.as_deref() != Some(&mark) {
        element.set_inner_html(html);
        let _ = element.set_attribute("data-shown", &mark);
    }
}

/// FNV-1a: tells whether a part is the one that is shown.
fn hash(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
