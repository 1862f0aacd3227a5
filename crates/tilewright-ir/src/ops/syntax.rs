//! The syntax of an operation, for people.

use super::{CustomFormat, Format, FormatPiece, OpDef, Results, Subject, parse_format};

impl OpDef {
    /// How the operation is written: `addi %lhs, %rhs [overflow<$overflow>] : type(result)`.
    ///
    /// `%x` stands for an operand, `$x` for an attribute, `type(x)` for the type of an operand or a result, and what stands in
    /// brackets may be left out. Results and the `=` behind them are not shown.
    pub fn syntax(&self) -> String {
        if let Format::Custom(custom) = self.format {
            return custom_syntax(custom, self.mnemonic);
        }
        let mut out = self.mnemonic.to_owned();
        self.push_pieces(&mut out, &parse_format(self).unwrap_or_default());
        out.replace("  ", " ").trim_end().to_owned()
    }

    fn push_pieces(&self, out: &mut String, pieces: &[FormatPiece]) {
        for piece in pieces {
            match piece {
                FormatPiece::Literal(text) => out.push_str(text),
                FormatPiece::Operand(index) => *out += &format!("%{}", self.operands[*index].name),
                FormatPiece::Attr(index) => *out += &format!("${}", self.attrs[*index].name.name()),
                FormatPiece::Types(subject, _) => *out += &format!("type({})", self.subject_name(*subject)),
                FormatPiece::If(_, pieces) => {
                    let mut inner = String::new();
                    self.push_pieces(&mut inner, pieces);
                    let trimmed = inner.trim_start();
                    let space = if inner.len() > trimmed.len() && !out.ends_with(' ') { " " } else { "" };
                    *out += &format!("{space}[{trimmed}]");
                }
            }
        }
    }

    fn subject_name(&self, subject: Subject) -> &'static str {
        match (subject, self.results) {
            (Subject::Operand(index), _) => self.operands[index].name,
            (Subject::Result(index), Results::Fixed(results)) => results[index].name,
            (Subject::Result(_), Results::Variadic(name)) => name,
        }
    }
}

/// The shape of the text of an operation whose syntax is written by hand.
fn custom_syntax(custom: CustomFormat, mnemonic: &str) -> String {
    let text = match custom {
        CustomFormat::For => "for %i in (%lb to %ub, step %step) : type iter_values(%a = %init, ...) -> (types) { ... }",
        CustomFormat::If => "if %condition -> (types) { ... } else { ... }",
        CustomFormat::Loop => "loop iter_values(%a = %init, ...) : types -> types { ... }",
        CustomFormat::Fold => {
            return format!("{mnemonic} %operands dim=d identities=[...] : types -> types (%a: type, %b: type, ...) {{ ... }}");
        }
        CustomFormat::MakeTensorView => "make_tensor_view %base, shape = [...], strides = [...] : tensor_view<...>",
        CustomFormat::Entry => "entry @name(%a: type, ...) { ... }",
        CustomFormat::Global => "global @name <...> : type",
        CustomFormat::Module => "cuda_tile.module @name { ... }",
        CustomFormat::Call => "preview$call @callee(%operands) : (types) -> (types)",
    };
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use crate::Opcode;

    #[test]
    fn syntax_is_for_people() {
        for (opcode, expected) in [
            (Opcode::AddI, "addi %lhs, %rhs [overflow<$overflow>] : type(result)"),
            (Opcode::Constant, "constant <$value> : type(result)"),
            (Opcode::Return, "return [%operands : type(operands)]"),
            (Opcode::AddF, "addf %lhs, %rhs [rounding<$rounding_mode>] [flush_to_zero] : type(result)"),
            (Opcode::If, "if %condition -> (types) { ... } else { ... }"),
        ] {
            assert_eq!(opcode.def().syntax(), expected);
        }
    }
}
