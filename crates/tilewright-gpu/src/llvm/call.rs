//! Calls of what the device's system provides.

use super::{GLOBAL, Printer};
use crate::thread::Value;

const ARGS: &str = "%args";

impl Printer<'_> {
    /// Local memory of the entry.
    pub(super) fn locals(&self) -> String {
        self.printed.map_or_else(String::new, |bytes| format!("  {ARGS} = alloca [{} x i8], align 8\n", bytes.max(8)))
    }

    pub(super) fn call_print(&mut self, format: Value, args: &[Value]) {
        let mut end = 0;
        for value in args {
            let size = self.lane(*value).size();
            let at = usize::next_multiple_of(end, size);
            let place = self.compute(&format!("getelementptr i8, ptr {ARGS}, i64 {at}"));
            let value = self.typed(*value);
            self.line(&format!("store {value}, ptr {place}, align {size}"));
            end = at + size;
        }
        self.printed = Some(self.printed.unwrap_or(0).max(end));
        let text = self.compute(&format!("inttoptr {} to ptr addrspace({GLOBAL})", self.typed(format)));
        let text = self.compute(&format!("addrspacecast ptr addrspace({GLOBAL}) {text} to ptr"));
        let call = self.called("i32", "vprintf", &[format!("ptr {text}"), format!("ptr {ARGS}")]);
        let _ = self.compute(&call);
    }
}
