//! The data of resources.

use super::{
    Printer,
    strings::{push_hex, push_keyword_or_string, push_string},
};
use crate::{
    module::{ResourceGroup, ResourceValue},
    tables::{DialectId, StrId},
};

impl<'m, 'a> Printer<'m, 'a> {
    /// The data of the resources that were printed.
    pub(super) fn resources(&self, out: &mut Vec<u8>) {
        let used = self.used_resources.borrow();
        let mut number = 0;
        let mut dialects = Vec::new();
        for group in &self.module.resources.dialects {
            let mut printed = Vec::new();
            for resource in &group.resources {
                if used.get(number) == Some(&true) && !matches!(resource.value, ResourceValue::Absent { .. }) {
                    printed.push(resource);
                }
                number += 1;
            }
            let name = self.module.tables.dialect_name(DialectId(group.provider));
            if !printed.is_empty() {
                dialects.push((name, printed));
            }
        }
        let external = |group: &'m ResourceGroup<'a>| {
            (self.module.tables.strings.get(StrId(group.provider)), group.resources.iter().collect::<Vec<_>>())
        };
        let external: Vec<_> = self.module.resources.external.iter().map(external).filter(|(_, resources)| !resources.is_empty()).collect();
        let sections = [("dialect_resources", dialects), ("external_resources", external)];
        let mut is_first = true;
        for (title, groups) in sections.iter().filter(|(_, groups)| !groups.is_empty()) {
            out.extend(if is_first { &b"\n{-#\n  "[..] } else { b",\n  " });
            is_first = false;
            out.extend(title.as_bytes());
            out.extend(b": {\n");
            for (index, (provider, resources)) in groups.iter().enumerate() {
                out.extend(if index > 0 { &b",\n    "[..] } else { b"    " });
                out.extend(*provider);
                out.extend(b": {\n");
                for (index, resource) in resources.iter().enumerate() {
                    out.extend(if index > 0 { &b",\n      "[..] } else { b"      " });
                    push_keyword_or_string(out, self.module.tables.strings.get(resource.key));
                    out.extend(b": ");
                    self.push_resource(out, &resource.value);
                }
                out.extend(b"\n    }");
            }
            out.extend(b"\n  }");
        }
        if !is_first {
            out.extend(b"\n#-}\n");
        }
    }

    fn push_resource(&self, out: &mut Vec<u8>, value: &ResourceValue<'_>) {
        match value {
            ResourceValue::Blob { alignment, data } => {
                out.extend(b"\"0x");
                push_hex(out, &(*alignment as u32).to_le_bytes());
                push_hex(out, data);
                out.push(b'"');
            }
            ResourceValue::Bool(value) => out.extend(if *value != 0 { &b"true"[..] } else { b"false" }),
            ResourceValue::String(string) => push_string(out, self.module.tables.strings.get(*string)),
            ResourceValue::Absent { .. } => out.extend(b"\"\""),
        }
    }
}
