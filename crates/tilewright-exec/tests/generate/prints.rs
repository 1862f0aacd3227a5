//! `print_tko` with the formats that C gives a meaning for each type.

use super::Generator;
use crate::regular::Element;
use tilewright_ir::{AttrName, AttrValue, Opcode, Scalar, TypeTable, Value};

const INTS: [Scalar; 6] = [Scalar::I32, Scalar::I1, Scalar::I8, Scalar::I16, Scalar::I64, Scalar::I4];
const FLOATS: [Scalar; 10] = [
    Scalar::F32,
    Scalar::F16,
    Scalar::F64,
    Scalar::Bf16,
    Scalar::Tf32,
    Scalar::F8E4M3FN,
    Scalar::F8E5M2,
    Scalar::F8E8M0FNU,
    Scalar::Fnv8E5M3FNU,
    Scalar::F4E2M1FN,
];
/// Letters of integers, each with the flags that it knows.
const INT_LETTERS: [(char, &str); 7] = [('d', "-+ 0"), ('i', "-+ 0"), ('u', "-0"), ('o', "-#0"), ('x', "-#0"), ('X', "-#0"), ('c', "-")];
const FLOAT_LETTERS: &str = "fegaFEGA";
const FLOAT_FLAGS: &str = "-+ #0";

impl Generator<'_> {
    /// Prints up to three tiles whose elements are known exactly.
    pub(super) fn print(&mut self) {
        let mut format = (*self.choices.pick(&["", "values ", "100%% of "])).to_owned();
        let values: Vec<Value> = (0..self.choices.below(4)).map(|_| self.printed(&mut format)).collect();
        format.push('\n');
        let text = AttrValue::Str(self.module.tables.strings.intern(&format));
        let (token, after) = (TypeTable::token(), self.after());
        self.op(Opcode::PrintTko, |op| op.operands("args", &values).operands("token", &after).attr(AttrName::Str, text).result(token));
    }

    /// A tile, and its conversion at the end of a format.
    fn printed(&mut self, format: &mut String) -> Value {
        if self.choices.once_in(8) {
            format.push_str(" %x");
            let element = Element::PointerTo(Scalar::I32);
            let shape = self.shape(element);
            return self.operand(element, &shape, false);
        }
        let is_float = self.choices.below(2) == 1;
        let scalar = if is_float { *self.choices.pick(&FLOATS) } else { *self.choices.pick(&INTS) };
        let letters: Vec<char> = FLOAT_LETTERS.chars().collect();
        let (letter, flags) = if is_float { (*self.choices.pick(&letters), FLOAT_FLAGS) } else { *self.choices.pick(&INT_LETTERS) };
        format.push_str(" %");
        for flag in flags.chars() {
            if self.choices.once_in(4) {
                format.push(flag);
            }
        }
        let (width, precision) = (self.choices.below(16), self.choices.below(12));
        if width > 4 {
            format.push_str(&width.to_string());
        }
        if precision > 5 && letter != 'c' {
            format.push_str(&format!(".{}", precision - 6));
        }
        format.push(letter);
        let element = Element::Number(scalar);
        let shape = self.shape(element);
        self.operand(element, &shape, true)
    }
}
