//! Modules as text, in MLIR's generic form.
//!
//! The text is that of `mlir-opt --mlir-print-op-generic`: values are numbered as there, and locations, affine maps and the like get
//! the same names.

mod aliases;
mod attributes;
mod cache;
mod dense;
mod dictionaries;
mod distinct;
mod endings;
mod first;
mod hlo;
mod line;
mod list;
mod llvm;
mod named;
pub(crate) mod names;
mod operations;
mod quant;
mod resources;
mod sdy;
mod sheet;
mod split;
mod steps;
mod strings;
mod threads;
mod types;
mod values;
mod vhlo;

pub use list::{Line, list};
pub(crate) use types::identity_map;

use crate::{
    encoding::{Value as Field, code},
    module::Module,
    operations::Decoder,
    tables::{AttrId, NameId, Scalar, TypeId},
};
use aliases::{Aliases, Symbol};
use cache::{TextCache, Texts};
use dictionaries::{Frames, Labels};
use endings::Endings;
use first::FirstSight;
use foldhash::HashMap;
use names::Names;
use sheet::Sheet;
use smallvec::SmallVec;
use std::cell::{OnceCell, RefCell};
use steps::Steps;
use strings::push_string;
use values::Values;

/// What to print, and on how many threads.
#[derive(Clone, Copy, Debug)]
pub struct PrintOptions {
    debug_info: bool,
    threads: usize,
}

impl Default for PrintOptions {
    fn default() -> PrintOptions {
        PrintOptions { debug_info: false, threads: 1 }
    }
}

impl PrintOptions {
    /// Without locations.
    pub fn new() -> PrintOptions {
        PrintOptions::default()
    }

    /// Whether to print locations.
    #[must_use]
    pub fn debug_info(mut self, debug_info: bool) -> PrintOptions {
        self.debug_info = debug_info;
        self
    }

    /// How many threads may share the text of a long module; one unless said otherwise.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> PrintOptions {
        self.threads = threads.max(1);
        self
    }
}

/// A module as text.
///
/// Regions that were not read print as empty ones.
pub fn print(module: &Module<'_>, options: &PrintOptions) -> String {
    let mut out = Vec::new();
    let printed: Result<(), std::convert::Infallible> = print_in_pieces(module, options, &mut |piece| {
        out.extend(piece);
        Ok(())
    });
    match printed {
        Ok(()) => String::from_utf8(out).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
    }
}

/// Prints a module piece by piece, without ever holding all of the text.
///
/// # Errors
/// The first error of `write`, behind which nothing is printed.
pub fn print_in_pieces<E>(module: &Module<'_>, options: &PrintOptions, write: &mut dyn FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
    let split = split::split(module);
    let (shared, steps) = Shared::with_steps(split.as_ref().unwrap_or(module), options);
    let mut error = None;
    let mut hand_on = |text: &[u8]| {
        error = write(text).err();
        error.is_none()
    };
    let mut printer = Printer::new(&shared);
    let mut sheet = Sheet::default();
    let threads = if shared.depends_on_order { 1 } else { options.threads.min(steps.num_runs()) };
    if threads > 1 {
        printer.used_resources = threads::print(&shared, &steps, threads, &mut hand_on).into();
    } else {
        for run in 0..steps.num_runs() {
            sheet.clear();
            printer.run(&steps, run, &mut sheet);
            if !hand_on(sheet.text()) {
                break;
            }
        }
    }
    if error.is_none() {
        let mut text = Vec::new();
        printer.resources(&mut text);
        error = write(&text).err();
    }
    error.map_or(Ok(()), Err)
}

/// What all threads that print a module know of it.
struct Shared<'m, 'a> {
    module: &'m Module<'a>,
    debug_info: bool,
    names: Names,
    aliases: Aliases,
    /// Two texts for each name of an operation: in quotes and with a parenthesis behind it, and the same with ` = ` before it.
    op_names: Texts,
    decoders: Vec<Decoder>,
    /// The labels of the properties of each operation that has attributes only, in their order.
    labels: Vec<Option<Labels>>,
    /// What numbers each type has.
    scalars: Vec<Option<Scalar>>,
    /// Whether what is printed depends on what was printed before.
    depends_on_order: bool,
}

impl<'m, 'a> Shared<'m, 'a> {
    /// The same with names, and the steps in which the module is printed.
    fn with_steps(module: &'m Module<'a>, options: &PrintOptions) -> (Shared<'m, 'a>, Steps) {
        let mut shared = Shared::without_aliases(module, options);
        let rest = |shared: &Shared<'m, 'a>| {
            let aliases = Aliases::of(module, &shared.decoders, options.debug_info);
            let steps = Steps::of(&module.ir, &aliases);
            (aliases, steps, shared.depends_on_order())
        };
        let (names, (aliases, steps, depends_on_order)) = match options.threads {
            1 => (names::names(&module.ir), rest(&shared)),
            _ => std::thread::scope(|scope| {
                let names = scope.spawn(|| names::names(&module.ir));
                let rest = rest(&shared);
                (names.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), rest)
            }),
        };
        (shared.names, shared.aliases, shared.depends_on_order) = (names, aliases, depends_on_order);
        (shared, steps)
    }

    fn without_aliases(module: &'m Module<'a>, options: &PrintOptions) -> Shared<'m, 'a> {
        let ids = || (0..module.op_names.len() as u32).map(NameId);
        let mut op_names = Texts::default();
        for id in ids() {
            let (mut name, mut text) = (Vec::new(), b" = ".to_vec());
            module.push_op_name(id, &mut name);
            push_string(&mut text, &name);
            text.push(b'(');
            op_names.add(&text[3..]);
            op_names.add(&text);
        }
        let decoders = Decoder::all(module);
        Shared {
            module,
            debug_info: options.debug_info,
            names: Names::default(),
            aliases: Aliases::default(),
            op_names,
            labels: decoders.iter().map(|decoder| Labels::new(decoder.plain_names()?)).collect(),
            decoders,
            scalars: (0..module.tables.types.len() as u32).map(|id| module.tables.scalar(TypeId(id))).collect(),
            depends_on_order: false,
        }
    }

    /// Distinct attributes are numbered by which of them is printed first.
    fn depends_on_order(&self) -> bool {
        let tables = &self.module.tables;
        tables.attrs.others_and(&[code::DISTINCT]).any(|id| tables.builtin_attr(AttrId(id)) == Some(code::DISTINCT))
    }
}

/// One thread's part in printing a module.
struct Printer<'m, 'a> {
    shared: &'m Shared<'m, 'a>,
    module: &'m Module<'a>,
    /// Types as text, as far as they were printed before.
    types: Vec<OnceCell<Box<[u8]>>>,
    /// What stands behind the operands of operations without regions and successors.
    endings: Endings,
    first: FirstSight,
    /// The types of operands and results.
    signatures: TextCache,
    /// Attributes and properties of operations.
    dictionaries: TextCache,
    /// The values of attributes.
    values: TextCache,
    /// Those that are short.
    recent: Values,
    /// What stands between the values of dictionaries.
    frames: Frames,
    /// The numbers of distinct attributes.
    distinct: RefCell<HashMap<AttrId, u64>>,
    /// Which resources of dialects were printed.
    used_resources: RefCell<Vec<bool>>,
    /// Memory for texts that are too long for a window.
    scratch: RefCell<Vec<u8>>,
}

impl<'m, 'a> Printer<'m, 'a> {
    fn new(shared: &'m Shared<'m, 'a>) -> Printer<'m, 'a> {
        let tables = &shared.module.tables;
        Printer {
            shared,
            module: shared.module,
            types: (0..tables.types.len()).map(|_| OnceCell::new()).collect(),
            endings: Endings::new(shared.module.op_names.len()),
            first: FirstSight::new(shared.module),
            signatures: TextCache::new(),
            dictionaries: TextCache::new(),
            values: TextCache::new(),
            recent: Values::new(),
            frames: Frames::new(),
            distinct: RefCell::default(),
            used_resources: RefCell::new(vec![false; tables.num_dialect_resources]),
            scratch: RefCell::default(),
        }
    }

    fn decoder(&self, name: NameId) -> &'m Decoder {
        &self.shared.decoders[name.index()]
    }

    /// Appends the name of a symbol if it has one.
    fn push_alias(&self, symbol: Symbol, out: &mut Vec<u8>) -> bool {
        self.shared.aliases.push(symbol, out)
    }

    fn push_type(&self, out: &mut Vec<u8>, id: TypeId) {
        let text = self.types[id.index()].get_or_init(|| {
            let mut text = Vec::new();
            if !self.push_alias(Symbol::Type(id), &mut text) {
                self.push_type_in_full(&mut text, id);
            }
            text.into()
        });
        out.extend_from_slice(text);
    }
}

/// Names and values of a dictionary.
type Entries<'m> = SmallVec<[(&'m [u8], AttrId); 8]>;

/// The entries of a dictionary by their names; nothing if it is none.
fn sorted_attributes<'m>(module: &'m Module<'_>, dictionary: AttrId) -> Entries<'m> {
    let tables = &module.tables;
    let mut entries = Entries::new();
    if tables.builtin_attr(dictionary) == Some(code::DICTIONARY)
        && let Some(Field::NamedAttrs(list)) = tables.attr_fields(dictionary).pop()
    {
        let mut attrs = list.attrs();
        while let (Some(name), Some(value)) = (attrs.next(), attrs.next()) {
            entries.extend(tables.string_attr(name).map(|name| (name, value)));
        }
    }
    // They mostly are in this order.
    entries.sort_by_key(|&(name, _)| name);
    entries
}
