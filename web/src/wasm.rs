//! The functions that the page calls. Texts are bytes in the memory of the module: the page asks for room, writes a request there, and reads
//! the answer.
#![allow(unsafe_code, reason = "the page and the module hand each other addresses")]

use crate::Session;
use std::{alloc, cell::RefCell, slice};

thread_local! {
    static SESSION: RefCell<Session> = RefCell::default();
    static ANSWER: RefCell<String> = const { RefCell::new(String::new()) };
}

fn layout(bytes: usize) -> alloc::Layout {
    alloc::Layout::array::<u8>(bytes.max(1)).unwrap_or_else(|_| alloc::handle_alloc_error(alloc::Layout::new::<u8>()))
}

/// Room for so many bytes, until they are given to [`tilewright_answer`].
#[unsafe(no_mangle)]
pub(crate) extern "C" fn tilewright_room(bytes: usize) -> *mut u8 {
    // SAFETY: the layout has a size.
    unsafe { alloc::alloc_zeroed(layout(bytes)) }
}

/// Answers a request, and frees its room. The answer has the length that this gives, and lies at [`tilewright_text`] until the next one.
///
/// # Safety
/// Both addresses come from [`tilewright_room`] for these lengths, and are not used any more.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn tilewright_answer(request: *mut u8, length: usize, bytes: *mut u8, count: usize) -> usize {
    // SAFETY: by the caller, who also has written the bytes, which were zeros before.
    let (text, attached) = unsafe { (slice::from_raw_parts(request, length), slice::from_raw_parts(bytes, count)) };
    let answer = SESSION.with_borrow_mut(|session| session.answer(&String::from_utf8_lossy(text), attached));
    // SAFETY: by the caller, the room has these layouts.
    unsafe {
        alloc::dealloc(request, layout(length));
        alloc::dealloc(bytes, layout(count));
    }
    ANSWER.with_borrow_mut(|last| {
        *last = answer;
        last.len()
    })
}

/// Where the last answer lies.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn tilewright_text() -> *const u8 {
    ANSWER.with_borrow(|answer| answer.as_ptr())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_go_in_and_answers_come_out() {
        let request = br#"{"do":"nothing"}"#;
        let room = tilewright_room(request.len());
        // SAFETY: the room has this length; it is given away at once, and so is that for no bytes.
        let answer = unsafe {
            slice::from_raw_parts_mut(room, request.len()).copy_from_slice(request);
            let length = tilewright_answer(room, request.len(), tilewright_room(0), 0);
            slice::from_raw_parts(tilewright_text(), length)
        };
        let answer: serde_json::Value = serde_json::from_slice(answer).unwrap();
        assert!(answer["error"].as_str().unwrap().contains("nothing"), "{answer}");
    }
}
