//! Single operations.

use super::{Generator, regions::Place};
use tilewright_ir::{
    Opcode,
    ops::{Placement, Traits},
};

impl Generator<'_, '_> {
    /// Adds an operation that may stand here.
    pub(super) fn operation(&mut self, place: &Place) {
        let opcodes: Vec<Opcode> = Opcode::ALL.iter().copied().filter(|opcode| self.knows(*opcode) && place.takes(*opcode)).collect();
        let opcode = self.source.pick(&opcodes);
        self.operation_of(opcode, place);
    }

    /// Whether the module can have an operation, apart from its place.
    fn knows(&self, opcode: Opcode) -> bool {
        let def = opcode.def();
        let is_known = def.placement == Placement::Body && !def.preview && def.since <= self.version();
        // Terminators come with their blocks.
        is_known && !def.traits.contains(Traits::TERMINATOR) && (opcode != Opcode::GetGlobal || !self.addressable_globals().is_empty())
    }

    fn operation_of(&mut self, opcode: Opcode, place: &Place) {
        use Opcode as O;
        let plan = match opcode {
            O::For | O::Loop | O::If => return self.control(opcode, place),
            O::Reduce | O::Scan => return self.fold(opcode, place),
            O::Iota | O::DivI | O::ExtI | O::TruncI | O::Bitcast | O::IToF | O::FToF => self.arith(opcode),
            O::Constant | O::Broadcast | O::Reshape | O::Permute | O::Cat | O::Extract | O::Insert | O::Pack | O::Unpack | O::Select => {
                self.shape_plan(opcode)
            }
            O::MmaF | O::MmaI | O::MmaFScaled => self.matrix(opcode),
            O::LoadPtrTko | O::StorePtrTko | O::AtomicRMWTko | O::AtomicCASTko | O::Alloca | O::JoinTokens | O::PrintTko | O::GetGlobal => {
                self.memory(opcode)
            }
            O::MakeTensorView
            | O::MakePartitionView
            | O::MakeStridedView
            | O::MakeGatherScatterView
            | O::GetTensorShape
            | O::GetIndexSpaceShape
            | O::LoadViewTko
            | O::StoreViewTko
            | O::AtomicRedViewTko
            | O::MultimemLoadReduceViewTko
            | O::MultimemReduceViewTko
            | O::MultimemStoreViewTko => self.view_plan(opcode),
            O::Assume => self.assume(),
            _ => self.row(opcode),
        };
        self.add(plan);
    }
}
