//! Modules: globals and functions.

use crate::{Attr, Body, Const, Loc, Str, SymbolVisibility, Tables, Type, Version};

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
