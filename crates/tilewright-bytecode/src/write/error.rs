//! What a file cannot say.

use std::fmt;
use tilewright_ir::{Module, OpRef, Version, printable};

/// What kind of obstacle it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum WriteErrorKind {
    /// The module uses what the version of the file does not have.
    Newer,
    /// Preview content, of which no encoding is known or which the version cannot announce.
    Preview,
    /// The module goes beyond one of the [`limits`](crate::limits).
    Limit,
    /// Parts of the module contradict each other in a way that verification does not look for.
    Invalid,
}

/// Why a module cannot be written.
#[derive(Clone, PartialEq, Eq)]
pub struct WriteError(Box<Details>);

#[derive(Clone, PartialEq, Eq, Debug)]
struct Details {
    kind: WriteErrorKind,
    feature: String,
    needs: Option<Version>,
    target: Version,
    function: Option<String>,
    operation: Option<(usize, &'static str)>,
    location: Option<String>,
}

/// Longest symbol name that an error keeps.
const MAX_NAME: usize = 200;

impl WriteError {
    #[cold]
    pub(super) fn new(kind: WriteErrorKind, target: Version, feature: String) -> WriteError {
        WriteError(Box::new(Details { kind, feature, needs: None, target, function: None, operation: None, location: None }))
    }

    /// `feature` came with version `needs`.
    #[cold]
    pub(super) fn newer(target: Version, needs: Version, feature: String) -> WriteError {
        let mut error = WriteError::new(WriteErrorKind::Newer, target, feature);
        error.0.needs = Some(needs);
        error
    }

    #[cold]
    pub(super) fn in_function(mut self, name: &str) -> WriteError {
        self.0.function.get_or_insert_with(|| name.chars().take(MAX_NAME).collect());
        self
    }

    /// Names the operation, unless a nested one is named already.
    #[cold]
    pub(super) fn in_operation(mut self, module: &Module, op: OpRef<'_>) -> WriteError {
        if self.0.operation.is_none() {
            self.0.operation = Some((position(op), op.def().mnemonic));
            self.0.location = module
                .tables
                .locations
                .source(op.loc())
                .map(|(file, line, column)| format!("{}:{line}:{column}", module.tables.strings.shown(file)));
        }
        self
    }

    /// What kind of obstacle it is.
    pub fn kind(&self) -> WriteErrorKind {
        self.0.kind
    }

    /// What cannot be written: `attribute 'rounding_mode' with value 'approx'`.
    pub fn feature(&self) -> &str {
        &self.0.feature
    }

    /// The first version that has it.
    pub fn needs(&self) -> Option<Version> {
        self.0.needs
    }

    /// The version that was to be written.
    pub fn target(&self) -> Version {
        self.0.target
    }

    /// The function that has it.
    pub fn function(&self) -> Option<&str> {
        self.0.function.as_deref()
    }

    /// The operation that has it: its position in the function in pre-order, and its mnemonic.
    pub fn operation(&self) -> Option<(usize, &'static str)> {
        self.0.operation
    }

    /// Where that operation stands in the source: `file:line:column`.
    pub fn location(&self) -> Option<&str> {
        self.0.location.as_deref()
    }
}

/// The position of an operation in its function, in pre-order.
fn position(op: OpRef<'_>) -> usize {
    let (mut index, mut found) = (0, 0);
    op.body().walk(|other| {
        if other.id() == op.id() {
            found = index;
        }
        index += 1;
    });
    found
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Details { feature, needs, target, function, operation, location, .. } = &*self.0;
        if let Some(function) = function {
            write!(f, "@{}", printable(function))?;
            if let Some((index, mnemonic)) = operation {
                write!(f, ", operation {index} '{mnemonic}'")?;
            }
            if let Some(location) = location {
                write!(f, " at {location}")?;
            }
            f.write_str(": ")?;
        }
        match needs {
            Some(needs) => write!(f, "{feature} needs version {needs}, the file is to have {target}"),
            None => write!(f, "cannot be written to a {target} file: {feature}"),
        }
    }
}

impl fmt::Debug for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WriteError({:?}, {self})", self.0.kind)
    }
}

impl std::error::Error for WriteError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_one_word_and_say_where() {
        assert_eq!(size_of::<Result<(), WriteError>>(), 8);
        let error = WriteError::newer(Version::V13_1, Version::V13_2, "type f8E8M0FNU".to_owned()).in_function("k");
        assert_eq!(error.to_string(), "@k: type f8E8M0FNU needs version 13.2, the file is to have 13.1");
        let error = WriteError::new(WriteErrorKind::Limit, Version::V13_5, "regions nest deeper than 256".to_owned());
        assert_eq!(error.to_string(), "cannot be written to a 13.5 file: regions nest deeper than 256");
    }
}
