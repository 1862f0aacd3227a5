//! PTX as data: what a text says, without what it means.

use crate::{Position, Type};

/// A PTX module.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Module {
    /// `.version`: major and minor.
    pub version: (u32, u32),
    /// `.target`: a GPU such as `sm_80`, and options.
    pub target: Vec<String>,
    /// `.address_size`: 64, or 32, which the machine does not run.
    pub address_size: u32,
    /// What follows, in order.
    pub items: Vec<Item>,
}

impl Module {
    /// The functions with a body, in order.
    pub fn functions(&self) -> impl Iterator<Item = &Function> {
        self.items.iter().filter_map(|item| match item {
            Item::Function(function) if function.body.is_some() => Some(function),
            _ => None,
        })
    }

    /// The entry of this name.
    pub fn entry(&self, name: &str) -> Option<&Function> {
        self.functions().find(|function| function.is_entry && function.name == name)
    }

    /// The name of the file with this number, as `.file` gives it.
    pub fn file(&self, number: u64) -> Option<&str> {
        self.items.iter().find_map(|item| match item {
            Item::File { number: found, name, .. } if *found == number => Some(name.as_str()),
            _ => None,
        })
    }
}

/// What a module consists of.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A variable in global, constant or shared memory.
    Variable(Variable),
    /// A kernel or a function, or the declaration of one.
    Function(Function),
    /// `.file NUMBER "NAME"`: a file that locations refer to.
    File {
        /// The number.
        number: u64,
        /// The name, as it is written between quotes.
        name: String,
        /// Time of modification and size.
        stamp: Option<(u64, u64)>,
    },
    /// Debug information and other text between braces, which is kept as it is.
    Section {
        /// The directive with its operand, such as `.section .debug_str`.
        name: String,
        /// The text between the braces.
        text: String,
    },
}

/// How far a name is seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Linkage {
    /// In this module.
    #[default]
    Internal,
    /// `.visible`
    Visible,
    /// `.extern`
    Extern,
    /// `.weak`
    Weak,
    /// `.common`
    Common,
    /// `.hidden`: a parameter of a kernel of tiles that the driver fills, and no launch passes.
    Hidden,
}

impl Linkage {
    /// Every linkage that is written, with its directive.
    pub(crate) const WRITTEN: [(Linkage, &'static str); 5] = [
        (Linkage::Visible, "visible"),
        (Linkage::Extern, "extern"),
        (Linkage::Weak, "weak"),
        (Linkage::Common, "common"),
        (Linkage::Hidden, "hidden"),
    ];
}

/// State spaces: where a variable or an access is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// Registers.
    Reg,
    /// Memory that all blocks see.
    Global,
    /// Memory that does not change during a launch.
    Const,
    /// Memory of a block.
    Shared,
    /// Memory of a thread.
    Local,
    /// Parameters of an entry, or of a function that is called.
    Param,
    /// An address that says itself where it points.
    Generic,
}

impl Space {
    /// Every space that is written, with its name.
    pub(crate) const WRITTEN: [(Space, &'static str); 6] = [
        (Space::Reg, "reg"),
        (Space::Global, "global"),
        (Space::Const, "const"),
        (Space::Shared, "shared"),
        (Space::Local, "local"),
        (Space::Param, "param"),
    ];

    /// The space that this modifier names.
    pub fn from_name(name: &str) -> Option<Space> {
        let name = name.split("::").next().unwrap_or(name);
        Space::WRITTEN.iter().find(|(_, known)| *known == name).map(|(space, _)| *space)
    }

    /// Its name; empty for generic addresses.
    pub fn name(self) -> &'static str {
        Space::WRITTEN.iter().find(|(space, _)| *space == self).map_or("", |(_, name)| name)
    }
}

/// A variable, a register, or several registers of one declaration.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Where the declaration is.
    pub position: Position,
    /// How far its name is seen.
    pub linkage: Linkage,
    /// Its space.
    pub space: Space,
    /// `.align`, in bytes.
    pub align: Option<u64>,
    /// `.v2` or `.v4`.
    pub vector: Option<u32>,
    /// The type of an element.
    pub ty: Type,
    /// What a parameter that is an address points to.
    pub pointer: Option<Pointer>,
    /// The names; only registers have more than one.
    pub names: Vec<Declared>,
}

/// What is said of a parameter that is an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pointer {
    /// The space it points into, if said.
    pub space: Option<Space>,
    /// Its alignment, in bytes, if said.
    pub align: Option<u64>,
}

/// A name of a declaration.
#[derive(Clone, Debug, PartialEq)]
pub struct Declared {
    /// The name.
    pub name: String,
    /// `%r<N>`: the names `%r0` to `%rN-1`.
    pub count: Option<u64>,
    /// Extents of an array; an extern one may leave the first out, as 0.
    pub extents: Vec<u64>,
    /// The initial values of the first elements.
    pub initial: Vec<Constant>,
}

/// A number or an address that is known before the launch.
#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    /// An integer, in two's complement.
    Integer(i128),
    /// The bits of an `f32`.
    Single(u32),
    /// The bits of an `f64`.
    Double(u64),
    /// The address of a variable plus a number of bytes; `generic(name)` if so said.
    Address {
        /// The variable.
        name: String,
        /// Bytes behind it.
        offset: i64,
        /// Whether it is a generic address.
        generic: bool,
    },
}

/// A kernel or a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Where its declaration begins.
    pub position: Position,
    /// How far its name is seen.
    pub linkage: Linkage,
    /// Whether it is a kernel.
    pub is_entry: bool,
    /// Its name.
    pub name: String,
    /// What it returns: none or one.
    pub returns: Vec<Variable>,
    /// Its parameters.
    pub params: Vec<Variable>,
    /// Directives such as `.reqntid 128`, by name.
    pub directives: Vec<(String, Vec<u64>)>,
    /// What it does; `None` for a declaration.
    pub body: Option<Vec<Statement>>,
}

impl Function {
    /// The operands of a directive.
    pub fn directive(&self, name: &str) -> Option<&[u64]> {
        self.directives.iter().find(|(found, _)| found == name).map(|(_, values)| values.as_slice())
    }

    /// The threads of a block along x, y and z, by `.reqntid` or else `.maxntid`.
    pub fn block(&self) -> Option<[u32; 3]> {
        let values = self.directive("reqntid").or_else(|| self.directive("maxntid"))?;
        let extent = |index: usize| values.get(index).map_or(Some(1), |value| u32::try_from(*value).ok());
        Some([extent(0)?, extent(1)?, extent(2)?])
    }
}

/// A part of a body.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// A place that is branched to.
    Label(Position, String),
    /// Registers, or a variable.
    Variable(Variable),
    /// An instruction.
    Instruction(Instruction),
    /// Statements whose names are not seen outside.
    Block(Vec<Statement>),
    /// `.loc`: the place in the source that what follows stems from.
    Location(Location),
    /// `.pragma`, with its strings.
    Pragma(Vec<String>),
}

/// A place in the source that PTX was made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The number of a file.
    pub file: u64,
    /// The line.
    pub line: u64,
    /// The column.
    pub column: u64,
    /// What says which function was inlined where, as it is written.
    pub inlined: String,
}

/// An instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction {
    /// Where it is.
    pub position: Position,
    /// `@%p` or `@!%p`: the predicate that lanes need to carry it out.
    pub guard: Option<Guard>,
    /// The opcode with its modifiers.
    pub name: String,
    /// The operands, in order.
    pub operands: Vec<Operand>,
}

/// What decides whether a lane carries out an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    /// Whether the predicate must be false.
    pub negated: bool,
    /// The predicate.
    pub register: String,
}

/// An operand.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A register, a variable, a label or a function.
    Name(String),
    /// `!%p`
    Not(String),
    /// A number, or a variable's address plus a number of bytes.
    Constant(Constant),
    /// `[base+offset]`; `None` is no base but an absolute address.
    Address(Option<String>, i64),
    /// `[map, {x, y}, more]`: a tensor map and coordinates, as copies of boxes have. The parts in order, the first of them an address.
    Tensor(Vec<Operand>),
    /// `{a, b}`
    Vector(Vec<Operand>),
    /// `d|p`
    Pair(Box<Operand>, Box<Operand>),
    /// `(a, b)`, as calls have.
    List(Vec<Operand>),
    /// `_`: a result that nobody needs.
    Sink,
}
