//! A file of which bodies are decoded on demand.

use crate::{
    Section, body::Scratch, constants::Constants, context::Context, cursor::Cursor, debug::Debug, envelope::Envelope, error::ReadError,
    file_layout::FileLayout, functions::FunctionHeader, strings::Strings, types::Types,
};
use tilewright_ir::{Function, Global, Module, Str, Tables, Version};

/// Name of every module that comes from bytecode, which stores none.
const MODULE_NAME: &str = "kernels";

/// A bytecode file: everything but the bodies of its functions.
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let bytes = std::fs::read("kernel.tilebc")?;
/// let mut file = tilewright_bytecode::File::parse(&bytes)?;
/// for function in file.functions() {
///     println!("{} takes {} bytes", file.tables().strings.text(function.name), function.body.len());
/// }
/// let first = file.read_function(0)?;
/// println!("{} operations", first.body.num_ops());
/// # Ok(())
/// # }
/// ```
pub struct File<'a> {
    bytes: &'a [u8],
    context: Context<'a>,
    producer: Option<Str>,
    globals: Vec<Global>,
    functions: Vec<FunctionHeader>,
    scratch: Scratch,
}

impl<'a> File<'a> {
    /// Decodes everything but bodies, and of the tables what this needs.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn parse(bytes: &'a [u8]) -> Result<File<'a>, ReadError> {
        let envelope = Envelope::parse(bytes)?;
        let payload = |section| envelope.payload(section);
        let required = |section| payload(section).expect("required sections were checked");
        let mut context = Context {
            version: envelope.version,
            preview: envelope.preview,
            tables: Tables::default(),
            strings: Strings::parse(required(Section::String))?,
            types: Types::parse(payload(Section::Type))?,
            constants: Constants::parse(payload(Section::Constant))?,
            debug: Debug::parse(payload(Section::Debug))?,
        };
        let producer = payload(Section::Producer).map(|mut cursor| context.string(&mut cursor)).transpose()?;
        let globals = payload(Section::Global).map(|cursor| context.globals(cursor)).transpose()?.unwrap_or_default();
        let functions = context.functions(required(Section::Function))?;
        Ok(File { bytes, context, producer, globals, functions, scratch: Scratch::default() })
    }

    /// The version of the file.
    pub fn version(&self) -> Version {
        self.context.version
    }

    /// Whether the header announces preview content.
    pub fn has_preview_content(&self) -> bool {
        self.context.preview
    }

    /// The program that made the file.
    pub fn producer(&self) -> Option<Str> {
        self.producer
    }

    /// Its globals, in order.
    pub fn globals(&self) -> &[Global] {
        &self.globals
    }

    /// Its functions, in order.
    pub fn functions(&self) -> &[FunctionHeader] {
        &self.functions
    }

    /// What the handles of the file refer to. They grow as bodies are read.
    pub fn tables(&self) -> &Tables {
        &self.context.tables
    }

    /// Decodes the `index`-th function. Its handles refer to [`File::tables`].
    ///
    /// # Errors
    /// The first thing that is wrong with its body.
    ///
    /// # Panics
    /// When there are no more than `index` functions.
    pub fn read_function(&mut self, index: usize) -> Result<Function, ReadError> {
        let header = &self.functions[index];
        let cursor = Cursor::new(&self.bytes[header.body.clone()], header.body.start, Section::Function);
        let body = self.context.body(&mut self.scratch, header, cursor);
        let body = body.map_err(|error| error.in_function(index, &self.context.tables.strings.text(header.name)))?;
        Ok(Function {
            name: header.name,
            signature: header.signature,
            is_entry: header.is_entry,
            visibility: header.visibility,
            hints: header.hints,
            arg_attrs: header.arg_attrs,
            loc: header.loc,
            body,
        })
    }

    /// Decodes all functions.
    ///
    /// # Errors
    /// The first thing that is wrong with a body.
    pub fn into_module(mut self) -> Result<Module, ReadError> {
        self.take_module()
    }

    /// Decodes all functions, and keeps what the file fixes beyond the meaning of the module.
    ///
    /// # Errors
    /// The first thing that is wrong with a body.
    pub fn into_module_with_layout(mut self) -> Result<(Module, FileLayout), ReadError> {
        let module = self.take_module()?;
        let layout = FileLayout::capture(self.bytes, &self.context, &self.functions, &module);
        Ok((module, layout))
    }

    fn take_module(&mut self) -> Result<Module, ReadError> {
        let functions = (0..self.functions.len()).map(|index| self.read_function(index)).collect::<Result<_, _>>()?;
        let mut tables = std::mem::take(&mut self.context.tables);
        let name = tables.strings.intern(MODULE_NAME);
        let globals = std::mem::take(&mut self.globals);
        Ok(Module { name, producer: self.producer, version: self.context.version, tables, globals, functions })
    }
}
