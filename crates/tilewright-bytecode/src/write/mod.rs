//! From a module to bytecode.
//!
//! Tables fill up as functions are encoded, so the functions come first, whatever the order of sections is. The op table
//! says how operations are stored: [`layout`](crate::layout) prepares it for both directions.

mod attributes;
mod body;
mod context;
mod envelope;
mod error;
mod functions;
mod globals;
mod locations;
mod options;
mod payloads;
mod pool;
pub(crate) mod put;
mod types;

pub(crate) use context::Context;
pub use error::{WriteError, WriteErrorKind};
pub(crate) use functions::{FunctionRecord, function_payload};
pub use options::{Style, WriteOptions};

use crate::{Section, constants, file_layout::FileLayout, limits::MAX_FILE_SIZE, strings, types as reader_types};
use payloads::Payloads;
use std::fmt;
use tilewright_ir::{Module, RejectedModule, VerifiedModule, Version, try_verify, verify_beside};

/// Encodes a module.
///
/// The same module and options give the same bytes. A file of an older version than the module's says the same as the
/// module, or is refused: what came later may only hold what older versions mean without it.
///
/// ```
/// use tilewright_bytecode::{Style, WriteOptions, write};
/// use tilewright_ir::{Module, Version, verify};
/// let module = verify(Module::new("kernels", Version::V13_1)).expect("an empty module is valid");
/// let bytes = write(&module, &WriteOptions::new(Version::V13_4))?;
/// assert_eq!(tilewright_bytecode::read(&bytes).expect("it reads back").version, Version::V13_4);
/// # Ok::<(), tilewright_bytecode::WriteError>(())
/// ```
///
/// # Errors
/// The first thing that the version cannot say, with the operation that has it.
pub fn write(module: &VerifiedModule, options: &WriteOptions<'_>) -> Result<Vec<u8>, WriteError> {
    let mut out = Vec::new();
    write_into(module, options, &mut out)?;
    Ok(out)
}

/// Encodes a module like [`write`](fn@write), and appends the file to `out`.
///
/// # Errors
/// The first thing that the version cannot say; `out` is left as it was.
pub fn write_into(module: &VerifiedModule, options: &WriteOptions<'_>, out: &mut Vec<u8>) -> Result<(), WriteError> {
    put_module(module, options, out)
}

/// Verifies a module and encodes it like [`write`](fn@write): a large one on two threads, at the same time.
///
/// # Errors
/// What is wrong with the module, or else the first thing that the version cannot say.
pub fn verify_and_write(module: Module, options: &WriteOptions<'_>) -> Result<Vec<u8>, Refusal> {
    /// Below so many operations another thread does not pay.
    const MANY_OPS: usize = 5000;
    let ops: usize = module.functions.iter().map(|function| function.body.num_ops()).sum();
    if ops < MANY_OPS {
        let module = try_verify(module).map_err(Refusal::Invalid)?;
        return write(&module, options).map_err(Refusal::Unwritable);
    }
    let encode = |module: &Module| {
        let mut out = Vec::new();
        put_module(module, options, &mut out).map(|()| out)
    };
    let (_, written) = verify_beside(module, encode).map_err(Refusal::Invalid)?;
    written.map_err(Refusal::Unwritable)
}

/// Why there is no file.
#[derive(Clone, Debug)]
pub enum Refusal {
    /// The module breaks rules.
    Invalid(Box<RejectedModule>),
    /// The version cannot say what the module says.
    Unwritable(WriteError),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Invalid(rejected) => {
                f.write_str("the module is not valid")?;
                rejected.findings.iter().try_for_each(|finding| write!(f, "\n  {finding}"))
            }
            Refusal::Unwritable(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Refusal {}

/// Encodes a module that nobody verified: for tests of readers and verifiers, which need files that break rules.
///
/// # Errors
/// The first thing that the version, or the format in any version, cannot say.
///
/// # Panics
/// When the module uses handles that are not its own.
#[cfg(feature = "unverified")]
pub fn write_unverified(module: &Module, options: &WriteOptions<'_>) -> Result<Vec<u8>, WriteError> {
    let mut out = Vec::new();
    put_module(module, options, &mut out)?;
    Ok(out)
}

fn put_module(module: &Module, options: &WriteOptions<'_>, out: &mut Vec<u8>) -> Result<(), WriteError> {
    let version = options.version();
    let layout = options.chosen_layout();
    let encoded = encode(module, version, options.chosen_style(), layout)?;
    let start = out.len();
    envelope::put_file(out, version, options.chosen_style(), &encoded, layout);
    if out.len() - start > MAX_FILE_SIZE {
        out.truncate(start);
        let message = format!("a file has at most {MAX_FILE_SIZE} bytes");
        return Err(WriteError::new(WriteErrorKind::Limit, version, message));
    }
    Ok(())
}

/// The payloads of a file.
pub(crate) struct Encoded {
    payloads: Vec<(Section, Vec<u8>)>,
    /// The functions, of which the function section is made.
    pub(crate) records: Vec<FunctionRecord>,
    uses_preview: bool,
}

impl Encoded {
    /// How many bytes the payloads have.
    fn len(&self) -> usize {
        self.payloads.iter().map(|(_, payload)| payload.len()).sum()
    }

    /// The payload of a section, if the file needs it.
    pub(crate) fn payload(&self, section: Section) -> Option<&[u8]> {
        self.payloads.iter().find(|(other, _)| *other == section).map(|(_, payload)| &payload[..])
    }
}

/// Encodes all payloads. A layout of another version has no say in them.
pub(crate) fn encode(module: &Module, version: Version, style: Style, layout: Option<&FileLayout>) -> Result<Encoded, WriteError> {
    let layout = layout.filter(|layout| layout.version() == version);
    let mut context = Context::new(module, version, style, layout);
    let mut globals = None;
    if style == Style::Cpp {
        context.announce_all()?;
        globals = context.globals()?;
    }
    let mut records = module.functions.iter().map(|function| context.function(function)).collect::<Result<Vec<_>, _>>()?;
    if style == Style::Cutile {
        globals = context.globals()?;
    }
    context.finish_locations()?;
    let producer = context.producer(layout.is_some_and(|layout| layout.has(Section::Producer)))?;
    context.number_rows(&mut records);
    let mut payloads = Payloads { style, layout, list: Vec::new() };
    payloads.debug_and_functions(&mut context, &records);
    payloads.globals(globals);
    if let Some(producer) = producer {
        payloads.add(Section::Producer, producer);
    }
    payloads.table(Section::String, &context.strings, strings::OFFSET_WIDTH);
    payloads.table(Section::Type, &context.types, reader_types::OFFSET_WIDTH);
    payloads.table(Section::Constant, &context.constants, constants::OFFSET_WIDTH);
    Ok(Encoded { payloads: payloads.list, records, uses_preview: context.uses_preview })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilewright_ir::{AttrData, Body, Function, Loc, LocData, NewOp, Opcode, SymbolVisibility, TypeData};

    /// A module with an empty entry.
    fn module() -> Module {
        let mut module = Module::new("kernels", Version::V13_5);
        let name = module.tables.strings.intern("k");
        let signature = module.tables.types.intern(TypeData::Function { inputs: [].into(), results: [].into() }).unwrap();
        let mut body = Body::new();
        let block = body.add_block(body.root(), &[]);
        body.add_op(block, NewOp { opcode: Opcode::Return, operands: &[], present: 0, split: 0, attrs: &[], results: &[], loc: None });
        let visibility = SymbolVisibility::Public;
        module.functions.push(Function { name, signature, is_entry: true, visibility, hints: None, arg_attrs: None, loc: None, body });
        module
    }

    fn refusal(module: &Module) -> String {
        let error = encode(module, Version::V13_5, Style::Cutile, None).err().expect("it cannot be written");
        error.to_string()
    }

    #[test]
    fn debug_entries_that_go_round_are_refused() {
        let mut module = module();
        let itself = Some(Loc::new(0));
        module.functions[0].loc = Some(module.tables.locations.add(LocData::CallSite { callee: itself, caller: None }));
        assert_eq!(refusal(&module), "@k: cannot be written to a 13.5 file: a debug entry is part of itself");
        let mut module = self::module();
        module.functions[0].loc = Some(module.tables.locations.add(LocData::CompileUnit { file: None }));
        let expected = "a debug entry refers to what must be a place in the source, and is not";
        assert_eq!(refusal(&module), format!("@k: cannot be written to a 13.5 file: {expected}"));
    }

    #[test]
    fn places_without_scope_are_unknown() {
        let mut module = module();
        let file = module.tables.strings.intern("k.mlir");
        let place = module.tables.locations.add(LocData::Source { scope: None, file, line: 1, column: 1 });
        let call = LocData::CallSite { callee: Some(place), caller: Some(place) };
        for loc in [place, module.tables.locations.add(call)] {
            module.functions[0].loc = Some(loc);
            assert!(encode(&module, Version::V13_5, Style::Cpp, None).is_ok());
        }
        let encoded = encode(&module, Version::V13_5, Style::Cutile, None).unwrap();
        let mut ids = Vec::new();
        encoded.records[0].ids.put(&mut ids);
        assert_eq!(ids, [1u64.to_le_bytes(), 0u64.to_le_bytes()].concat());
    }

    #[test]
    fn attributes_nest_to_a_limit() {
        let mut module = module();
        let mut attr = module.tables.attrs.intern(AttrData::Bool(true));
        for _ in 0..100_000 {
            attr = module.tables.attrs.intern(AttrData::Array([attr].into()));
        }
        let key = module.tables.strings.intern("sm_100");
        module.functions[0].hints = Some(module.tables.attrs.intern(AttrData::OptimizationHints([(key, attr)].into())));
        assert_eq!(refusal(&module), "@k: cannot be written to a 13.5 file: attributes nest deeper than 64");
    }
}
