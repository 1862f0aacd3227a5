//! A module in memory.

use crate::{
    error::{Error, Section},
    ir::{Ir, Op},
    limits::LATEST_VERSION,
    tables::{NameId, StrId, Tables},
};
use std::borrow::Cow;

/// A version of the format.
///
/// | version | what is new |
/// |---|---|
/// | 0 | |
/// | 1 | versions of dialects |
/// | 2 | isolated regions are sections, which need not be read |
/// | 3 | orders of uses |
/// | 4 | block arguments without a location |
/// | 5 | properties of operations in an encoding of their own |
/// | 6 | sizes of groups of operands and results in a short form |
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Version(u8);

impl Version {
    /// The latest version.
    pub const LATEST: Version = Version(LATEST_VERSION as u8);

    /// A version; none if it is not known.
    pub fn new(number: u64) -> Option<Version> {
        (number <= LATEST_VERSION).then_some(Version(number as u8))
    }

    /// Its number.
    pub fn number(self) -> u8 {
        self.0
    }

    pub(crate) fn has_dialect_versions(self) -> bool {
        self.0 >= 1
    }

    pub(crate) fn has_lazy_regions(self) -> bool {
        self.0 >= 2
    }

    pub(crate) fn has_use_orders(self) -> bool {
        self.0 >= 3
    }

    /// Unknown locations of block arguments are left out, and the names of operations are counted.
    pub(crate) fn elides_locations(self) -> bool {
        self.0 >= 4
    }

    pub(crate) fn has_properties(self) -> bool {
        self.0 >= 5
    }

    pub(crate) fn has_short_segments(self) -> bool {
        self.0 >= 6
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl std::str::FromStr for Version {
    type Err = String;

    fn from_str(text: &str) -> Result<Version, String> {
        text.parse()
            .ok()
            .and_then(Version::new)
            .ok_or_else(|| format!("'{text}' is no version of MLIR bytecode: they are 0 to {LATEST_VERSION}"))
    }
}

/// The name of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct OpName {
    pub(crate) dialect: crate::tables::DialectId,
    /// Without that of the dialect.
    pub(crate) name: StrId,
    /// Whether whoever wrote the file knew the operation; none in versions that do not say.
    pub(crate) is_registered: Option<bool>,
}

/// What a resource holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum ResourceValue<'a> {
    Blob {
        alignment: u64,
        data: Cow<'a, [u8]>,
    },
    Bool(u8),
    String(StrId),
    /// Nothing: it is only named.
    Absent {
        kind: u8,
    },
}

/// Data with a name, outside of the operations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Resource<'a> {
    pub(crate) key: StrId,
    pub(crate) value: ResourceValue<'a>,
}

/// Resources of one provider.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ResourceGroup<'a> {
    /// A string for an external provider, a dialect for the others.
    pub(crate) provider: u32,
    pub(crate) resources: Vec<Resource<'a>>,
}

/// The resources of a module.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct Resources<'a> {
    pub(crate) external: Vec<ResourceGroup<'a>>,
    pub(crate) dialects: Vec<ResourceGroup<'a>>,
}

/// A module: what a file holds, with the tables in the order of the file.
///
/// Attributes and types stay in their encoding and are decoded when they are looked at; what a file fixes beyond the meaning of its
/// module is the order of the tables, so that writing a module gives the bytes that it was read from.
#[derive(Clone, Debug)]
pub struct Module<'a> {
    /// The version that it was read from, or is to be written at.
    pub version: Version,
    /// Who wrote the file.
    pub producer: Cow<'a, [u8]>,
    /// Strings, dialects, attributes and types.
    pub tables: Tables<'a>,
    pub(crate) op_names: Vec<OpName>,
    /// Properties of operations in the encodings of these.
    pub(crate) properties: Vec<Cow<'a, [u8]>>,
    pub(crate) resources: Resources<'a>,
    /// The sections in their order.
    pub(crate) sections: Vec<Section>,
    pub(crate) ir: Ir,
    /// Isolated regions that were not read yet.
    pub(crate) unread: Vec<(Op, crate::read::Unread<'a>)>,
}

impl<'a> Module<'a> {
    /// The name of an operation, with that of its dialect.
    pub(crate) fn push_op_name(&self, id: NameId, out: &mut Vec<u8>) {
        let name = self.op_names[id.index()];
        out.extend(self.tables.dialect_name(name.dialect));
        let rest = self.tables.strings.get(name.name);
        // An operation whose name is the name of a dialect has no more.
        if !rest.is_empty() {
            out.push(b'.');
            out.extend(rest);
        }
    }

    /// The version of LLVM that wrote the file, if its producer is MLIR itself and says so (`MLIR24.0.0git`).
    pub(crate) fn llvm_version(&self) -> Option<u32> {
        let version = self.producer.strip_prefix(b"MLIR")?;
        let digits = version.iter().take_while(|byte| byte.is_ascii_digit()).count();
        std::str::from_utf8(&version[..digits]).ok()?.parse().ok()
    }

    /// How many operations were read.
    pub fn num_ops(&self) -> usize {
        self.ir.ops.len()
    }

    /// How many operations hold regions that were not read: see [`ReadOptions::lazy`](crate::ReadOptions::lazy).
    pub fn num_unread(&self) -> usize {
        self.unread.len()
    }

    /// Reads the regions that were left out.
    ///
    /// # Errors
    /// When one is malformed; then the module holds what was read before it.
    pub fn read_rest(&mut self) -> Result<(), Error> {
        let counts = crate::read::Counts::of(self);
        crate::read::read_rest(self, counts)
    }
}
