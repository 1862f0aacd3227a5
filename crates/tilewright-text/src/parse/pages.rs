//! The kinds of errors of the parser: every error names one.

/// A kind of error of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ErrorKind {
    /// Its stable name, as errors print it.
    pub id: &'static str,
    /// What is wrong, in a few words.
    pub title: &'static str,
    /// What is expected, and how to mend it.
    pub text: &'static str,
    /// A text with such an error. Bytes that are no text stand as `\x` and two digits.
    pub example: &'static str,
}

/// Every kind of error, by name.
pub const ERRORS: [ErrorKind; 25] = [
    ErrorKind {
        id: "alias-cycle",
        title: "Alias that is defined by itself",
        text: "An alias stands for what is written behind its '='. That may name other aliases, but must not lead back to it.",
        example: "#a = loc(#b)\n#b = loc(#a)\nentry @k() {\n  return loc(#a)\n}",
    },
    ErrorKind {
        id: "cannot-expand",
        title: "Extended operation that has no expansion here",
        text: "Names of the extended assembly stand for operations of the dialect. These cannot be made for all types and places: what stores or \
               loads cannot stand inside of a reduction, for example. The message says what is in the way.",
        example: "entry @k(%a: tile<ptr<f32>>, %x: tile<4xf32>) {\n  %s = reduce %x dim=0 identities=[0.0 : f32] : tile<4xf32> -> tile<f32>\n  \
                  (%p: tile<f32>, %q: tile<f32>) {\n    store %a, %p : tile<ptr<f32>>, tile<f32>\n    yield %p : tile<f32>\n  }\n}",
    },
    ErrorKind {
        id: "invalid-type",
        title: "Type that breaks a rule of construction",
        text: "Extents of tiles are powers of two, pointers point to numbers, views have as many strides as extents. The message names the rule.",
        example: "entry @k(%x: tile<3xf32>) {\n}",
    },
    ErrorKind {
        id: "limit",
        title: "Something is too deep, too long or too many",
        text: "Regions, types, attributes and source locations nest up to limits that no program of a compiler comes near; a text has less than 4 GiB.",
        example: "entry @k(%x: tile<ptr<ptr<ptr<ptr<ptr<ptr<ptr<ptr<ptr<ptr<i32>>>>>>>>>>>) {\n}",
    },
    ErrorKind {
        id: "misplaced-operation",
        title: "Operation where it cannot stand",
        text: "'entry', 'global' and 'module' stand outside of functions, all other operations inside. A block ends with its first branch.",
        example: "entry @k() {\n  entry @inner() {\n  }\n}",
    },
    ErrorKind {
        id: "missing-attribute",
        title: "Required attribute that is not there",
        text: "The operation needs the attribute; 'tilewright ops NAME' shows how it is written.",
        example: "entry @k(%x: tile<4xf32>) {\n  %a, %b = split %x axis = 0 : tile<4xf32> -> tile<2xf32>\n}",
    },
    ErrorKind {
        id: "not-utf8",
        title: "Bytes that are not UTF-8",
        text: "Texts of Tile IR are in UTF-8. Save the file as such; in a string, write the byte as '\\' and two hexadecimal digits.",
        example: "// \\xff\nentry @k() {\n}",
    },
    ErrorKind {
        id: "nul",
        title: "NUL",
        text: "No text holds the byte 0: the file is damaged, or no text.",
        example: "entry @k() {\n\\x00}",
    },
    ErrorKind {
        id: "out-of-range",
        title: "Number that its type does not hold",
        text: "An integer has the values of its width, signed or unsigned; a float must have a value near the number.",
        example: "entry @k() {\n  %x = constant <i8: 300> : tile<i8>\n}",
    },
    ErrorKind {
        id: "redefinition",
        title: "Name that is defined twice",
        text: "A value has one definition in a function, a symbol one in a module, and an alias one in a text.",
        example: "entry @k(%x: tile<i32>) {\n  %x = addi %x, %x : tile<i32>\n}",
    },
    ErrorKind {
        id: "type-mismatch",
        title: "Value of another type than the text says",
        text: "The types behind the ':' are those that the operands have where they are defined.",
        example: "entry @k(%x: tile<i32>) {\n  %y = addi %x, %x : tile<i64>\n}",
    },
    ErrorKind {
        id: "unclosed-string",
        title: "String without an end",
        text: "A string ends with '\"' in the line in which it begins.",
        example: "entry @\"k() {\n}",
    },
    ErrorKind {
        id: "undefined-alias",
        title: "Alias that is not defined",
        text: "Aliases begin with '!' (types) or '#' (attributes and locations), and are defined anywhere in the text: '!t = tile<4xf32>'.",
        example: "entry @k(%x: !t) {\n}",
    },
    ErrorKind {
        id: "undefined-value",
        title: "Value that is not defined",
        text: "A value is in sight behind the operation that defines it, in its block and in regions inside of that.",
        example: "entry @k(%x: tile<i32>) {\n  %y = addi %x, %z : tile<i32>\n}",
    },
    ErrorKind {
        id: "unexpected-end",
        title: "The text ends too early",
        text: "A bracket is not closed, or the file was cut off.",
        example: "entry @k() {",
    },
    ErrorKind {
        id: "unexpected-token",
        title: "Something else than what must stand here",
        text: "The message says what is expected; 'tilewright ops NAME' shows how an operation is written.",
        example: "entry @k(%x: tile<i32>) {\n  %y = addi %x %x : tile<i32>\n}",
    },
    ErrorKind {
        id: "unknown-attribute",
        title: "Attribute that the operation does not have",
        text: "The message says what was meant, if a name is near; 'tilewright ops NAME' lists the attributes.",
        example: "entry @k(%x: tile<i32>) {\n  %y = assume div_bi<8>, %x : tile<i32>\n}",
    },
    ErrorKind {
        id: "unknown-character",
        title: "Character that nothing begins with",
        text: "Outside of strings and comments, texts are made of ASCII characters.",
        example: "entry @k() {\n  §\n}",
    },
    ErrorKind {
        id: "unknown-keyword",
        title: "Word that is no value of the attribute",
        text: "The attribute is one of a few words, which 'tilewright ops NAME' lists.",
        example: "entry @k(%x: tile<i32>) {\n  %y = cmpi less %x, %x, signed : tile<i32> -> tile<i1>\n}",
    },
    ErrorKind {
        id: "unknown-operation",
        title: "Operation that does not exist",
        text: "'tilewright ops' lists all operations, 'tilewright ops --extended' the names that only texts may use.",
        example: "entry @k(%x: tile<i32>) {\n  %y = adi %x, %x : tile<i32>\n}",
    },
    ErrorKind {
        id: "unknown-type",
        title: "Type that does not exist",
        text: "Types are tile, ptr, token, tensor_view and the other views; element types are i1 to i64, f16, bf16, tf32, f32, f64 and the narrow floats.",
        example: "entry @k(%x: tile<float>) {\n}",
    },
    ErrorKind {
        id: "unsupported-location",
        title: "Location that Tile IR does not have",
        text: "A location is a place in a file (\"file\":line:column), a call site, or unknown. MLIR's fused and named locations have no encoding.",
        example: "entry @k() {\n  return loc(\"name\")\n}",
    },
    ErrorKind {
        id: "wrong-alias",
        title: "Alias of another kind",
        text: "Where a type is expected, the alias must be one of a type, and so for attributes and locations.",
        example: "#a = 1 : i32\nentry @k() {\n  return loc(#a)\n}",
    },
    ErrorKind {
        id: "wrong-count",
        title: "Too many or too few of something",
        text: "There are as many names, operands, types and regions as the operation has results, operands and regions.",
        example: "entry @k(%x: tile<i32>) {\n  %y, %z = addi %x, %x : tile<i32>\n}",
    },
    ErrorKind {
        id: "wrong-literal",
        title: "Literal of another kind",
        text: "An integer has no point, a float has one or an exponent, or is written as its bits in hexadecimal.",
        example: "entry @k() {\n  %x = constant <i32: 1.5> : tile<i32>\n}",
    },
];

/// The stable names of all kinds of errors.
pub const ERROR_IDS: [&str; ERRORS.len()] = {
    let mut ids = [""; ERRORS.len()];
    let mut i = 0;
    while i < ids.len() {
        ids[i] = ERRORS[i].id;
        i += 1;
    }
    ids
};

/// The kind of error with this name.
pub fn explain_error(id: &str) -> Option<&'static ErrorKind> {
    const { &ERRORS }.iter().find(|kind| kind.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ParseOptions, decode, parse};

    /// The bytes of an example, in which some stand as `\x` and two digits.
    fn bytes(example: &str) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut rest = example;
        while let Some((before, behind)) = rest.split_once("\\x") {
            bytes.extend(before.bytes());
            bytes.push(u8::from_str_radix(&behind[..2], 16).unwrap());
            rest = &behind[2..];
        }
        bytes.extend(rest.bytes());
        bytes
    }

    #[test]
    fn every_example_has_its_error() {
        let mut wrong = Vec::new();
        for kind in ERRORS {
            let bytes = bytes(kind.example);
            let found = match decode(&bytes) {
                Err(error) => vec![error],
                Ok(text) => parse(text, &ParseOptions::new()).err().unwrap_or_default(),
            };
            // What follows it can be wrong for the same reason.
            if found.first().is_none_or(|error| error.id != kind.id) {
                wrong.push(format!("{}: {found:?}", kind.id));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn kinds_are_found_by_name_and_in_order() {
        assert!(ERROR_IDS.is_sorted());
        assert_eq!(explain_error("limit").unwrap().id, "limit");
        assert!(explain_error("nothing").is_none());
    }
}
