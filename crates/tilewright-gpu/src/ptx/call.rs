//! Calls of what the device's system provides: printing and memory.

use super::{Printer, stored};
use crate::thread::Value;
use tilewright_vector::Lane;

/// Which functions are called.
#[derive(Default)]
pub(super) struct Calls {
    /// Bytes of the longest list of what is printed, if anything is.
    printed: Option<usize>,
    allocates: bool,
    frees: bool,
}

const ARGS: &str = "tilewright_args";

impl Printer<'_> {
    /// The functions that are called.
    pub(super) fn declarations(&self) -> String {
        let mut out = String::new();
        if self.calls.printed.is_some() {
            out += ".extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 values);\n";
        }
        if self.calls.allocates {
            out += ".extern .func (.param .b64 result) __cuda_syscall_aligned_malloc(.param .b64 bytes, .param .b64 alignment);\n";
        }
        if self.calls.frees {
            out += ".extern .func free(.param .b64 address);\n";
        }
        out
    }

    /// Local memory of the entry.
    pub(super) fn locals(&self) -> String {
        self.calls.printed.map_or_else(String::new, |bytes| format!("\t.local .align 8 .b8 {ARGS}[{}];\n", bytes.max(8)))
    }

    pub(super) fn call_print(&mut self, format: Value, args: &[Value]) {
        let mut end = 0;
        for value in args {
            let lane = self.function.lane(*value);
            let at = usize::next_multiple_of(end, lane.size());
            let register = self.register(*value);
            self.line(&format!("st.local.{} [{ARGS}+{at}], {register};", stored(lane)));
            end = at + lane.size();
        }
        self.calls.printed = Some(self.calls.printed.unwrap_or(0).max(end));
        let [place, generic, text] = [(); 3].map(|()| self.fresh(Lane::I64));
        let format = self.register(format);
        self.line(&format!("mov.u64 {place}, {ARGS};"));
        self.line(&format!("cvta.local.u64 {generic}, {place};"));
        self.line(&format!("cvta.global.u64 {text}, {format};"));
        self.call("vprintf", &[&text, &generic], Some(("b32", None)));
    }

    pub(super) fn call_allocate(&mut self, result: Value, bytes: u64, alignment: u64) {
        self.calls.allocates = true;
        let result = self.register(result);
        let args = [bytes, alignment].map(|number| {
            let register = self.fresh(Lane::I64);
            self.line(&format!("mov.u64 {register}, {number};"));
            register
        });
        self.call("__cuda_syscall_aligned_malloc", &[&args[0], &args[1]], Some(("b64", Some(&result))));
    }

    pub(super) fn call_free(&mut self, address: Value) {
        self.calls.frees = true;
        let address = self.register(address);
        self.call("free", &[&address], None);
    }

    /// A call with arguments of 64 bits; its result has a type, and goes to a register if it is wanted.
    fn call(&mut self, name: &str, args: &[&str], result: Option<(&str, Option<&str>)>) {
        self.line("{");
        for (n, arg) in args.iter().enumerate() {
            self.line(&format!(".param .b64 param{n};"));
            self.line(&format!("st.param.b64 [param{n}], {arg};"));
        }
        let params: Vec<String> = (0..args.len()).map(|n| format!("param{n}")).collect();
        let params = params.join(", ");
        match result {
            None => self.line(&format!("call.uni {name}, ({params});")),
            Some((ty, to)) => {
                self.line(&format!(".param .{ty} result0;"));
                self.line(&format!("call.uni (result0), {name}, ({params});"));
                if let Some(to) = to {
                    self.line(&format!("ld.param.{ty} {to}, [result0];"));
                }
            }
        }
        self.line("}");
    }
}
