//! Modules: globals and functions.

use crate::{Attr, Body, BuildError, Builder, Const, Loc, Opcode, Rewriter, Str, SymbolVisibility, Tables, Type, TypeData, Value, Version};

/// A Tile IR module.
#[derive(Clone, Debug)]
pub struct Module {
    /// Name; readers of bytecode, which has none, use `kernels`.
    pub name: Str,
    /// The program that made it.
    pub producer: Option<Str>,
    /// The version of the file it came from, or the one it is meant for.
    pub version: Version,
    /// Interned data.
    pub tables: Tables,
    /// Its globals, in order.
    pub globals: Vec<Global>,
    /// Its functions, in order.
    pub functions: Vec<Function>,
}

/// An array in memory that lives as long as the module.
#[derive(Clone, Debug)]
pub struct Global {
    /// Symbol name.
    pub name: Str,
    /// Type of its value: a rank-1 tile of numbers.
    pub ty: Type,
    /// Its initial value.
    pub value: Const,
    /// Alignment in bytes; 0: the natural one of the element.
    pub alignment: u64,
    /// Who can look it up (13.3; public before).
    pub visibility: SymbolVisibility,
    /// Whether storing to it is undefined behaviour (13.3).
    pub constant: bool,
}

/// A function: in the stable dialect always a kernel entry.
#[derive(Clone, Debug)]
pub struct Function {
    /// Symbol name.
    pub name: Str,
    /// Its function type.
    pub signature: Type,
    /// Whether the host can launch it.
    pub is_entry: bool,
    /// Who can look it up.
    pub visibility: SymbolVisibility,
    /// Optimization hints.
    pub hints: Option<Attr>,
    /// Attributes of the parameters (13.5).
    pub arg_attrs: Option<Attr>,
    /// Source location.
    pub loc: Option<Loc>,
    /// Its operations.
    pub body: Body,
}

impl Module {
    /// An empty module.
    pub fn new(name: &str, version: Version) -> Module {
        let mut tables = Tables::default();
        let name = tables.strings.intern(name);
        Module { name, producer: None, version, tables, globals: Vec::new(), functions: Vec::new() }
    }

    /// Adds a public entry with parameters of these types; `build` gets a builder of its body and the parameters.
    ///
    /// ```
    /// use tilewright_ir::{Module, Opcode, Scalar, Version, verify};
    ///
    /// let mut module = Module::new("kernels", Version::LATEST);
    /// let ty = module.tables.types.tile(Scalar::I32.ty(), &[])?;
    /// module.add_entry("k", &[ty], |builder, params| {
    ///     builder.op(Opcode::AbsI).operand("source", params[0]).result(ty).finish()?;
    ///     builder.op(Opcode::Return).finish().map(drop)
    /// })?;
    /// assert!(verify(module).is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of `build`, and when there is no function type with these parameters; no function is added then.
    pub fn add_entry(
        &mut self,
        name: &str,
        params: &[Type],
        build: impl FnOnce(&mut Builder<'_>, &[Value]) -> Result<(), BuildError>,
    ) -> Result<(), BuildError> {
        let signature = self.tables.types.intern(TypeData::Function { inputs: params.into(), results: [].into() });
        let signature = signature.map_err(|error| BuildError { opcode: Opcode::Entry, message: error.to_string() })?;
        let mut body = Body::new();
        let block = body.add_block(body.root(), params);
        let args: Vec<Value> = body.args(block).collect();
        build(&mut Builder::new(&mut self.tables, &mut body, block), &args)?;
        self.functions.push(Function {
            name: self.tables.strings.intern(name),
            signature,
            is_entry: true,
            visibility: SymbolVisibility::Public,
            hints: None,
            arg_attrs: None,
            loc: None,
            body,
        });
        Ok(())
    }

    /// Changes the body of a function, by its position.
    ///
    /// # Panics
    /// When there is no such function.
    pub fn rewrite(&mut self, function: usize) -> Rewriter<'_> {
        Rewriter::new(&mut self.tables, &mut self.functions[function].body)
    }

    /// The function with this name.
    pub fn function(&self, name: &str) -> Option<&Function> {
        let name = self.tables.strings.find(name)?;
        self.functions.iter().find(|f| f.name == name)
    }

    /// The global with this name.
    pub fn global(&self, name: Str) -> Option<&Global> {
        self.globals.iter().find(|g| g.name == name)
    }
}

impl Function {
    /// The types of its parameters.
    pub fn params<'a>(&self, tables: &'a Tables) -> &'a [Type] {
        match tables.types.get(self.signature) {
            crate::TypeData::Function { inputs, .. } => inputs,
            _ => &[],
        }
    }
}
