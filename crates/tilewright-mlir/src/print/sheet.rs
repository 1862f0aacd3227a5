//! Text that grows by blocks of fixed size.

/// How many bytes of room there are for a line that is put together in one piece.
pub(super) const WINDOW: usize = 640;

/// Text, and memory behind it that was written before.
///
/// Pieces of text are copied as blocks of fixed size, which takes a few instructions each; what is too much is written over by what comes
/// next. There is always room for some of them, so that nothing grows between two pieces of a line.
#[derive(Default)]
pub(super) struct Sheet {
    bytes: Vec<u8>,
    len: usize,
}

impl Sheet {
    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    pub(super) fn text(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// The room behind the text.
    #[inline]
    pub(super) fn window(&mut self) -> &mut [u8; WINDOW] {
        if self.bytes.len() < self.len + WINDOW {
            self.grow(WINDOW);
        }
        let behind = self.bytes[self.len..].first_chunk_mut();
        behind.expect("there is room for a window")
    }

    /// Takes the first bytes of the window.
    #[inline]
    pub(super) fn advance(&mut self, len: usize) {
        debug_assert!(len <= WINDOW);
        self.len += len;
    }

    #[cold]
    fn grow(&mut self, more: usize) {
        let needed = self.len + more;
        self.bytes.resize(needed.max(2 * self.bytes.len()), 0);
    }

    /// Appends text of any length.
    pub(super) fn append(&mut self, text: &[u8]) {
        if self.bytes.len() < self.len + text.len() {
            self.grow(text.len());
        }
        self.bytes[self.len..self.len + text.len()].copy_from_slice(text);
        self.len += text.len();
    }
}
