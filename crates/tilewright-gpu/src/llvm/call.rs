//! Calls of what the device's system provides.

use super::{GLOBAL, Printer, ty};
use crate::thread::Value;

const ARGS: &str = "%args";

impl Printer<'_> {
    /// Local memory of the entry.
    pub(super) fn locals(&self) -> String {
        self.printed.map_or_else(String::new, |bytes| format!("  {ARGS} = alloca i8, i64 {}, align 8\n", bytes.max(8)))
    }

    pub(super) fn call_print(&mut self, format: Value, args: &[Value]) {
        let bytes = self.dialect.pointer("i8", 0);
        let mut end = 0;
        for value in args {
            let size = self.lane(*value).size();
            let at = usize::next_multiple_of(end, size);
            let place = self.compute(&format!("getelementptr i8, {bytes} {ARGS}, i64 {at}"));
            let pointer = self.dialect.pointer(ty(self.lane(*value)), 0);
            let place = self.compute(&format!("bitcast {bytes} {place} to {pointer}"));
            let value = self.typed(*value);
            self.line(&format!("store {value}, {pointer} {place}, align {size}"));
            end = at + size;
        }
        self.printed = Some(self.printed.unwrap_or(0).max(end));
        let global = self.dialect.pointer("i8", GLOBAL);
        let text = self.compute(&format!("inttoptr {} to {global}", self.typed(format)));
        let text = self.compute(&format!("addrspacecast {global} {text} to {bytes}"));
        let call = self.called("i32", "vprintf", &[format!("{bytes} {text}"), format!("{bytes} {ARGS}")]);
        let _ = self.compute(&call);
    }
}
