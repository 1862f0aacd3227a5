//! How operations are stored in each version: the op table, prepared for decoding (FORMAT section 7).

use std::{ops::Index, sync::LazyLock};
use tilewright_ir::{
    AttrValue, EnumKind, Opcode, Version,
    ops::{Arity, AttrDef, AttrDefault, AttrKind, FlagItem, OpDef, OperandEncoding, Placement, Results},
};

/// How one operation is stored in files of one version.
#[derive(Debug)]
pub(crate) struct OpLayout {
    pub(crate) opcode: Opcode,
    /// Whether every file of the version may hold it in a body.
    pub(crate) is_plain: bool,
    pub(crate) results: ResultLayout,
    pub(crate) has_flags: bool,
    pub(crate) attrs: Box<[AttrLayout]>,
    pub(crate) operands: OperandLayout,
    pub(crate) regions: u8,
    /// The attribute that older versions mean to be false for each value of the first variadic operand.
    pub(crate) all_false: Option<usize>,
    /// The attribute that names a symbol.
    pub(crate) symbol: Option<usize>,
}

/// How the result types of an operation are stored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ResultLayout {
    pub(crate) counted: bool,
    /// How many there must be; `None`: any number.
    pub(crate) fixed: Option<usize>,
    /// How many more there are in newer versions.
    pub(crate) newer: usize,
}

/// How an attribute is stored.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AttrLayout {
    /// Always.
    Plain(AttrCodec),
    /// If this bit of the flags word is set.
    Flagged(u64, AttrCodec),
    /// A bit of the flags word.
    Unit(u64),
    /// Not in this version: it has this value.
    Implied(AttrValue),
}

/// How the value of an attribute is stored.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AttrCodec {
    /// Of the enumeration, the values that the version has: one bit each.
    Enum(EnumKind, u32),
    /// Everything else.
    Other(AttrKind),
}

/// How the operands of an operation are stored.
#[derive(Clone, Debug)]
pub(crate) enum OperandLayout {
    /// This many.
    Fixed(usize),
    /// Their number, at least this many; the rest belongs to the operand at this position, which takes at most one or any number.
    Counted { fixed: usize, open: usize, arity: Arity },
    /// One after the other.
    Segments(Box<[SegmentLayout]>),
}

/// How an operand is stored that stands in segments.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SegmentLayout {
    /// One index.
    One,
    /// Their number, then their indices.
    Variadic,
    /// One index if this bit of the flags word is set.
    Optional(u64),
    /// Not in this version.
    Newer,
}

/// The layouts of a version.
pub(crate) struct Layouts {
    /// By the position of the operation in the table.
    all: Vec<OpLayout>,
    /// Of the operations that every file of the version may hold in a body and whose number takes one byte: by that byte, the position.
    plain: [u8; 256],
}

/// Stands where a byte is no such number.
const NOT_PLAIN: u8 = u8::MAX;

impl Layouts {
    fn new(version: Version) -> Layouts {
        let all: Vec<OpLayout> = Opcode::ALL.iter().map(|&opcode| OpLayout::new(opcode, version)).collect();
        let mut plain = [NOT_PLAIN; 256];
        for layout in all.iter().filter(|layout| layout.is_plain) {
            if layout.opcode.def().wire < 0x80 {
                plain[usize::from(layout.opcode.def().wire)] = layout.opcode as u8;
            }
        }
        Layouts { all, plain }
    }

    /// The layout of an operation that every file of the version may hold in a body, by the only byte of its number.
    #[inline]
    pub(crate) fn plain(&self, byte: u8) -> Option<&OpLayout> {
        self.all.get(usize::from(self.plain[usize::from(byte)]))
    }
}

impl Index<Opcode> for Layouts {
    type Output = OpLayout;

    fn index(&self, opcode: Opcode) -> &OpLayout {
        &self.all[opcode as usize]
    }
}

/// The layouts of a version.
pub(crate) fn layouts(version: Version) -> &'static Layouts {
    static LAYOUTS: [LazyLock<Layouts>; Version::ALL.len()] = [
        LazyLock::new(|| Layouts::new(Version::V13_1)),
        LazyLock::new(|| Layouts::new(Version::V13_2)),
        LazyLock::new(|| Layouts::new(Version::V13_3)),
        LazyLock::new(|| Layouts::new(Version::V13_4)),
        LazyLock::new(|| Layouts::new(Version::V13_5)),
    ];
    &LAYOUTS[version as usize - Version::V13_1 as usize]
}

impl OpLayout {
    fn new(opcode: Opcode, version: Version) -> OpLayout {
        let def = opcode.def();
        let bits = FlagBits(def.flag_items());
        OpLayout {
            opcode,
            is_plain: def.placement == Placement::Body && def.since <= version && !def.preview,
            results: result_layout(def, version),
            has_flags: def.flags_since().is_some_and(|since| since <= version),
            attrs: def.attrs.iter().enumerate().map(|(i, attr)| attr_layout(def, i, attr, version, &bits)).collect(),
            operands: operand_layout(def, version, &bits),
            regions: def.regions,
            all_false: def.attrs.iter().position(|a| def.attr_since(a) > version && a.default == Some(AttrDefault::AllFalse)),
            symbol: def.attrs.iter().position(|a| a.kind == AttrKind::Symbol),
        }
    }
}

/// The items of a flags word, lowest bit first.
struct FlagBits(Vec<FlagItem>);

impl FlagBits {
    fn mask(&self, item: FlagItem) -> Option<u64> {
        self.0.iter().position(|i| *i == item).map(|bit| 1 << bit)
    }
}

fn result_layout(def: &OpDef, version: Version) -> ResultLayout {
    let (fixed, newer) = match def.results {
        Results::Variadic(_) => (None, 0),
        Results::Fixed(results) => {
            let newer = results.iter().filter(|r| def.result_since(r) > version).count();
            (Some(results.len() - newer), newer)
        }
    };
    ResultLayout { counted: def.results_are_counted(), fixed, newer }
}

fn attr_layout(def: &OpDef, index: usize, attr: &AttrDef, version: Version, bits: &FlagBits) -> AttrLayout {
    if def.attr_since(attr) > version {
        return AttrLayout::Implied(match attr.default {
            Some(AttrDefault::Enum(value)) => AttrValue::Enum(value),
            Some(AttrDefault::Int(value)) => AttrValue::Int(value),
            Some(AttrDefault::AllFalse) | None => AttrValue::Absent,
        });
    }
    let codec = match attr.kind {
        AttrKind::Enum(kind) => AttrCodec::Enum(kind, enum_mask(kind, version)),
        kind => AttrCodec::Other(kind),
    };
    match bits.mask(FlagItem::Attr(index)) {
        Some(bit) if attr.kind == AttrKind::Unit => AttrLayout::Unit(bit),
        Some(bit) => AttrLayout::Flagged(bit, codec),
        None => AttrLayout::Plain(codec),
    }
}

/// The values of an enumeration that a version has: one bit each.
fn enum_mask(kind: EnumKind, version: Version) -> u32 {
    kind.values().iter().filter(|v| v.since <= version).fold(0, |mask, v| mask | 1 << v.value)
}

fn operand_layout(def: &OpDef, version: Version, bits: &FlagBits) -> OperandLayout {
    match def.operand_encoding() {
        OperandEncoding::None | OperandEncoding::Fixed => OperandLayout::Fixed(def.operands.len()),
        OperandEncoding::Counted => {
            let open = def.operands.iter().position(|o| o.arity != Arity::One).unwrap_or(0);
            OperandLayout::Counted { fixed: def.operands.len() - 1, open, arity: def.operands[open].arity }
        }
        OperandEncoding::Segments => {
            let segment = |(i, operand): (usize, &tilewright_ir::ops::OperandDef)| match operand.arity {
                _ if def.operand_since(operand) > version => SegmentLayout::Newer,
                Arity::One => SegmentLayout::One,
                Arity::Variadic => SegmentLayout::Variadic,
                Arity::Optional => bits.mask(FlagItem::Operand(i)).map_or(SegmentLayout::Newer, SegmentLayout::Optional),
            };
            OperandLayout::Segments(def.operands.iter().enumerate().map(segment).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_versions_imply_what_came_later() {
        let layout = |version, opcode: Opcode| &layouts(version)[opcode];
        let old = layout(Version::V13_1, Opcode::PrintTko);
        assert!(!old.has_flags);
        assert_eq!((old.results.fixed, old.results.newer), (Some(0), 1));
        let new = layout(Version::V13_2, Opcode::PrintTko);
        assert!(new.has_flags);
        assert_eq!((new.results.fixed, new.results.newer), (Some(1), 0));
        assert_eq!(layout(Version::V13_3, Opcode::LoadViewTko).all_false, Some(3));
        assert_eq!(layout(Version::V13_4, Opcode::LoadViewTko).all_false, None);
        assert!(!layout(Version::V13_3, Opcode::Insert).is_plain);
        assert!(!layout(Version::V13_5, Opcode::Entry).is_plain);
        assert!(!layout(Version::V13_5, Opcode::PreviewCall).is_plain);
    }

    #[test]
    fn plain_operations_are_found_by_their_byte() {
        for version in Version::ALL {
            let layouts = layouts(version);
            for byte in 0..=u8::MAX {
                let expected = (byte < 0x80).then(|| Opcode::from_wire(byte.into())).flatten().filter(|&opcode| layouts[opcode].is_plain);
                assert_eq!(layouts.plain(byte).map(|layout| layout.opcode), expected, "{version} {byte:#x}");
            }
        }
    }

    #[test]
    fn every_attribute_that_came_later_has_a_value_before() {
        for version in Version::ALL {
            for layout in layouts(version).all.iter().filter(|l| l.is_plain) {
                let def = layout.opcode.def();
                for (i, attr) in layout.attrs.iter().enumerate() {
                    let implied_nothing = matches!(attr, AttrLayout::Implied(AttrValue::Absent));
                    let may_be_absent = def.attrs[i].optional || layout.all_false == Some(i);
                    assert!(!implied_nothing || may_be_absent, "{} {}", def.mnemonic, def.attrs[i].name.name());
                }
            }
        }
    }

    #[test]
    fn results_that_came_later_are_tokens() {
        let newer = layouts(Version::V13_1).all.iter().filter(|l| l.is_plain && l.results.newer > 0);
        assert!(newer.map(|l| l.opcode).eq([Opcode::PrintTko]));
    }

    #[test]
    fn flags_fit_and_enumerations_have_a_bit_for_each_value() {
        for opcode in Opcode::ALL {
            assert!(opcode.def().flag_items().len() <= 64);
            assert!(opcode.def().operands.len() <= 8, "presence is kept in a byte");
            assert!((*opcode as u8) < NOT_PLAIN, "positions are kept in a byte");
        }
        for kind in EnumKind::ALL {
            assert!(kind.values().iter().all(|v| v.value < 32));
        }
    }
}
