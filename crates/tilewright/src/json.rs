//! JSON that means what it should to programs, and nothing to terminals.

use crate::ir::is_printable;
use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter};
use std::io::{self, Write};

/// A value as JSON, in one line.
pub(crate) fn json_text(value: &impl Serialize) -> serde_json::Result<String> {
    let mut text = Vec::new();
    value.serialize(&mut serde_json::Serializer::with_formatter(&mut text, PrintableJson(CompactFormatter)))?;
    // JSON is UTF-8.
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// JSON in which what is not printable stands as `\u202e`: it means the same to programs, and nothing to terminals.
pub(crate) struct PrintableJson<F>(pub(crate) F);

/// Hands these on to the formatter inside.
macro_rules! as_inside {
    ($($name:ident($($argument:ident: $ty:ty),*));* $(;)?) => {
        $(fn $name<W: ?Sized + Write>(&mut self, writer: &mut W $(, $argument: $ty)*) -> io::Result<()> {
            self.0.$name(writer $(, $argument)*)
        })*
    };
}

impl<F: Formatter> Formatter for PrintableJson<F> {
    as_inside! {
        begin_array();
        end_array();
        begin_array_value(first: bool);
        end_array_value();
        begin_object();
        end_object();
        begin_object_key(first: bool);
        end_object_key();
        begin_object_value();
        end_object_value();
    }

    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut rest = fragment;
        while let Some(at) = rest.find(|c| !is_printable(c)) {
            writer.write_all(&rest.as_bytes()[..at])?;
            let mut behind = rest[at..].chars();
            for unit in behind.next().unwrap_or_default().encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            rest = behind.as_str();
        }
        writer.write_all(rest.as_bytes())
    }
}
