//! Instructions: what their operands are, and what the machine does for them.

use super::{BUILTINS, Decoder, Inst, Kind, Preset, Special, Symbol, TRUE, error};
use crate::{
    Position, PtxError, Type,
    module::{Constant, Instruction, Operand, Space},
    table::{self, OperandRule, Role, TypeRule},
};

impl Decoder<'_> {
    pub(super) fn instruction(&mut self, instruction: &Instruction) -> Result<(), PtxError> {
        let position = instruction.position;
        let name = instruction.name.replace("::cta", "");
        let (form, mods) = table::find(&instruction.name).map_err(|message| PtxError::new(position, message))?;
        let (guard, negated) = match &instruction.guard {
            Some(guard) => (self.predicate(&guard.register, position)?, guard.negated),
            None => (TRUE, false),
        };
        let mut inst = Inst {
            kind: form.row.kind,
            mods,
            guard,
            negated,
            regs: [0; 6],
            imm: 0,
            imm2: 0,
            inverted: false,
            wide: 64,
            lists: Box::default(),
        };
        match inst.kind {
            Kind::Mov => return self.mov(inst, instruction),
            Kind::Call => return self.call(inst, instruction),
            _ => {}
        }
        let optional = form.operands.iter().filter(|rule| rule.optional).count();
        let (given, most) = (instruction.operands.len(), form.operands.len());
        if given > most || given < most - optional {
            return error(position, format!("{given} operands, where {most} belong"));
        }
        let mut operands = Operands { lists: Vec::new(), next: 0, addresses: 0 };
        for (rule, operand) in form.operands.iter().zip(&instruction.operands) {
            self.operand(&mut inst, &mut operands, *rule, operand, position)?;
        }
        // An operand that is left out is told by its register.
        if given < most {
            inst.regs[operands.next] = u32::MAX;
        }
        inst.lists = operands.lists.into();
        self.check_lists(&inst, position)?;
        let kind = inst.kind;
        let index = self.emit(inst, position, &name);
        if kind == Kind::Bra {
            let Some(Operand::Name(label)) = instruction.operands.first() else { return error(position, "a branch needs a label") };
            self.branches.push((index, label.clone(), position, usize::MAX));
        }
        Ok(())
    }

    /// Vectors and fragments must have as many registers as the form asks for.
    fn check_lists(&self, inst: &Inst, position: Position) -> Result<(), PtxError> {
        let expected: Vec<usize> = match inst.kind {
            Kind::Ld | Kind::St | Kind::Ldmatrix | Kind::Stmatrix => vec![usize::from(inst.mods.vector)],
            Kind::Mma => crate::machine::mma::Fragments::new(&inst.mods).registers().to_vec(),
            _ => return Ok(()),
        };
        for (list, expected) in inst.lists.iter().zip(expected) {
            if list.len() != expected {
                return error(position, format!("{} registers, where {expected} belong", list.len()));
            }
        }
        Ok(())
    }

    fn rule_type(inst: &Inst, rule: TypeRule) -> Type {
        match rule {
            TypeRule::Is(ty) => ty,
            TypeRule::Nth(index) => inst.mods.ty(index),
            TypeRule::Wide => match inst.mods.ty(0) {
                Type::U16 | Type::S16 => Type::B32,
                _ => Type::B64,
            },
        }
    }

    fn operand(
        &mut self,
        inst: &mut Inst,
        operands: &mut Operands,
        rule: OperandRule,
        operand: &Operand,
        position: Position,
    ) -> Result<(), PtxError> {
        let ty = Self::rule_type(inst, rule.ty);
        match rule.role {
            Role::Result => {
                let (slot, bits) = self.result(operand, ty, loose(inst.kind), position)?;
                inst.wide = bits;
                inst.regs[operands.next] = slot;
                operands.next += 1;
            }
            Role::ResultAndPredicate => {
                let (first, second) = match operand {
                    Operand::Pair(first, second) => (&**first, Some(&**second)),
                    _ => (operand, None),
                };
                inst.regs[operands.next] = self.result(first, ty, false, position)?.0;
                inst.regs[operands.next + 1] = match second {
                    Some(second) => self.result(second, Type::Pred, false, position)?.0,
                    None => self.scratch_predicate(),
                };
                operands.next += 2;
            }
            Role::Source | Role::Number => {
                if let Operand::Not(name) = operand {
                    inst.inverted = true;
                    inst.regs[operands.next] = self.predicate(name, position)?;
                } else {
                    inst.regs[operands.next] = self.source(operand, ty, loose(inst.kind), position)?;
                }
                operands.next += 1;
            }
            Role::Address => {
                let (slot, offset) = self.address(inst, operand, operands.addresses, position)?;
                inst.regs[operands.next] = slot;
                *(if operands.addresses == 0 { &mut inst.imm } else { &mut inst.imm2 }) = offset;
                operands.addresses += 1;
                operands.next += 1;
            }
            Role::Results => {
                let parts = parts(operand);
                let mut slots = Vec::new();
                for part in parts {
                    let (slot, bits) = self.result(part, ty, loose(inst.kind), position)?;
                    // A sink takes any width.
                    if *part != Operand::Sink {
                        inst.wide = bits;
                    }
                    slots.push(slot);
                }
                operands.lists.push(slots.into());
            }
            Role::Sources => {
                let slots: Result<Box<[u32]>, PtxError> =
                    parts(operand).iter().map(|part| self.source(part, ty, loose(inst.kind), position)).collect();
                operands.lists.push(slots?);
            }
            Role::Label | Role::Function => {}
        }
        Ok(())
    }

    fn scratch_predicate(&mut self) -> u32 {
        self.code.predicates += 1;
        self.code.predicates - 1
    }

    /// The register that takes a result, and its bits. `loose`: it may be wider than the type.
    fn result(&mut self, operand: &Operand, ty: Type, loose: bool, position: Position) -> Result<(u32, u8), PtxError> {
        let name = match operand {
            Operand::Sink if ty == Type::Pred => return Ok((self.scratch_predicate(), 1)),
            // Nobody reads register 0.
            Operand::Sink => return Ok((0, 64)),
            Operand::Name(name) => name,
            _ => return error(position, format!("'{operand}' takes no result")),
        };
        match self.lookup(name) {
            Some(Symbol::Predicate(slot)) if ty == Type::Pred => Ok((slot, 1)),
            Some(Symbol::Register { slot, ty: found }) if ty != Type::Pred => {
                fits(name, found, ty, loose, position)?;
                Ok((slot, found.bits() as u8))
            }
            _ => error(position, format!("'{name}' is no register for a .{}", ty.name())),
        }
    }

    fn source(&mut self, operand: &Operand, ty: Type, loose: bool, position: Position) -> Result<u32, PtxError> {
        let missing = |name: &str| PtxError::new(position, format!("'{name}' is no register or variable for a .{}", ty.name()));
        let (name, offset) = match operand {
            Operand::Name(name) => (name, 0),
            Operand::Constant(Constant::Address { name, offset, .. }) => (name, *offset),
            Operand::Constant(constant) if ty == Type::Pred => {
                let Constant::Integer(value) = constant else { return error(position, "a predicate is 0 or 1") };
                return Ok(self.predicate_constant(*value != 0, position));
            }
            Operand::Constant(constant) => {
                let bits = constant_bits(constant, ty);
                let bits = bits.ok_or_else(|| PtxError::new(position, format!("'{constant}' is no .{}", ty.name())))?;
                return Ok(self.preset(Preset::Bits(bits)));
            }
            _ => return error(position, format!("'{operand}' is no source")),
        };
        if let Some(special) = Special::from_name(name) {
            return Ok(self.preset(Preset::Special(special)));
        }
        if name == "WARP_SZ" {
            return Ok(self.preset(Preset::Bits(32)));
        }
        match self.lookup(name).ok_or_else(|| missing(name))? {
            Symbol::Predicate(slot) if ty == Type::Pred => Ok(slot),
            Symbol::Register { slot, ty: found } if ty != Type::Pred && offset == 0 => {
                fits(name, found, ty, loose, position)?;
                Ok(slot)
            }
            Symbol::Global(index) if ty.bits() == 64 => Ok(self.preset(Preset::Global(index, offset))),
            Symbol::Shared(at) | Symbol::Local(at) if ty.bits() >= 32 && ty != Type::Pred => {
                Ok(self.preset(Preset::Bits(at.wrapping_add(offset as u64))))
            }
            _ => Err(missing(name)),
        }
    }

    /// The predicate that is true is there; its opposite is made where it is needed.
    fn predicate_constant(&mut self, value: bool, position: Position) -> u32 {
        if value {
            return TRUE;
        }
        let slot = self.scratch_predicate();
        let index = self.emit_made(Kind::PredNot, position, "not.pred");
        self.code.insts[index].regs = [slot, TRUE, 0, 0, 0, 0];
        slot
    }

    /// The register and the offset of an address; says in the instruction what space a variable is in.
    fn address(&mut self, inst: &mut Inst, operand: &Operand, nth: usize, position: Position) -> Result<(u32, i64), PtxError> {
        let Operand::Address(base, offset) = operand else { return error(position, format!("'{operand}' is no address")) };
        let Some(name) = base else { return Ok((self.preset(Preset::Bits(0)), *offset)) };
        let symbol = self.lookup(name).ok_or_else(|| PtxError::new(position, format!("there is no '{name}'")))?;
        // The second address of cp.async is global, whatever space the name says.
        let space = if nth == 0 { inst.mods.space } else { Some(Space::Global) };
        let at = |at: u64| at.wrapping_add(*offset as u64) as i64;
        let (found, slot, offset) = match symbol {
            Symbol::Register { slot, ty } if ty.bits() == 64 || (ty.bits() == 32 && space.is_some_and(|space| space != Space::Global)) => {
                if space == Some(Space::Param) {
                    return error(position, "addresses of parameters in registers are not supported");
                }
                return Ok((slot, *offset));
            }
            Symbol::Global(index) => (Space::Global, self.preset(Preset::Global(index, *offset)), 0),
            Symbol::Shared(base) => (Space::Shared, self.preset(Preset::Bits(0)), at(base)),
            Symbol::Local(base) => (Space::Local, self.preset(Preset::Bits(0)), at(base)),
            Symbol::Param(base) => (Space::Param, self.preset(Preset::Bits(0)), at(base)),
            _ => return error(position, format!("'{name}' is no address")),
        };
        let fits = match space {
            None => true,
            // Parameters of calls lie in local memory.
            Some(Space::Param) => matches!(found, Space::Param | Space::Local),
            Some(Space::Const) => found == Space::Global,
            Some(space) => space == found,
        };
        if !fits {
            return error(position, format!("'{name}' is in .{} memory", found.name()));
        }
        if nth == 0 {
            inst.mods.space = Some(found);
        }
        Ok((slot, offset))
    }

    /// `mov` packs, unpacks, takes addresses and reads special registers.
    fn mov(&mut self, mut inst: Inst, instruction: &Instruction) -> Result<(), PtxError> {
        let position = instruction.position;
        let ty = inst.mods.ty(0);
        let name = &instruction.name;
        let [target, source] = &instruction.operands[..] else { return error(position, "mov has two operands") };
        let part = |count: usize| match ty.bits() as usize / count.max(1) {
            8 => Some(Type::B8),
            16 => Some(Type::B16),
            32 => Some(Type::B32),
            _ => None,
        };
        match (target, source) {
            (Operand::Vector(targets), _) => {
                let each = part(targets.len()).ok_or_else(|| PtxError::new(position, "no parts of this width"))?;
                inst.regs[0] = self.source(source, ty, false, position)?;
                let slots: Result<Box<[u32]>, PtxError> =
                    targets.iter().map(|target| self.result(target, each, false, position).map(|found| found.0)).collect();
                (inst.kind, inst.imm, inst.lists) = (Kind::Unpack, i64::from(each.bits()), [slots?].into());
            }
            (_, Operand::Vector(sources)) => {
                let each = part(sources.len()).ok_or_else(|| PtxError::new(position, "no parts of this width"))?;
                inst.regs[0] = self.result(target, ty, false, position)?.0;
                let slots: Result<Box<[u32]>, PtxError> = sources.iter().map(|source| self.source(source, each, false, position)).collect();
                (inst.kind, inst.imm, inst.lists) = (Kind::Pack, i64::from(each.bits()), [slots?].into());
            }
            (_, Operand::Name(clock))
                if ["%clock", "%clock_hi", "%clock64", "%globaltimer", "%globaltimer_lo"].contains(&clock.as_str()) =>
            {
                inst.regs[0] = self.result(target, ty, false, position)?.0;
                (inst.kind, inst.imm) = (Kind::Clock, i64::from(clock.starts_with("%globaltimer")));
                inst.imm2 = i64::from(clock == "%clock_hi") * 32;
                inst.wide = ty.bits() as u8;
            }
            _ => {
                inst.regs[0] = self.result(target, ty, false, position)?.0;
                inst.regs[1] = self.source(source, ty, false, position)?;
                inst.wide = ty.bits() as u8;
            }
        }
        self.emit(inst, position, name);
        Ok(())
    }

    /// A call copies its arguments, goes, and copies what is returned.
    fn call(&mut self, inst: Inst, instruction: &Instruction) -> Result<(), PtxError> {
        let position = instruction.position;
        let (returns, name, args) = match &instruction.operands[..] {
            [Operand::Name(name)] => (&[][..], name, &[][..]),
            [Operand::Name(name), Operand::List(args)] => (&[][..], name, &args[..]),
            [Operand::List(returns), Operand::Name(name)] => (&returns[..], name, &[][..]),
            [Operand::List(returns), Operand::Name(name), Operand::List(args)] => (&returns[..], name, &args[..]),
            _ => return error(position, "the machine calls functions by name only"),
        };
        let args = self.locals(args, position)?;
        let returns = self.locals(returns, position)?;
        if let Some((builtin, takes, gives)) = BUILTINS.iter().find(|(builtin, ..)| builtin.name() == name) {
            if (args.len(), returns.len()) != (*takes, *gives) {
                return error(position, format!("{name} has {takes} operands and {gives} results"));
            }
            let mut inst = inst;
            inst.imm = builtin.target();
            for (register, at) in inst.regs.iter_mut().zip(args.iter().chain(&returns)) {
                *register = *at as u32;
            }
            self.emit(inst, position, &instruction.name);
            return Ok(());
        }
        let callee = self.callees.get(name.as_str());
        let callee = callee.ok_or_else(|| PtxError::new(position, format!("there is no function '{name}' with a body")))?;
        if callee.params.len() != args.len() || callee.returns.len() != returns.len() {
            return error(position, format!("'{name}' takes {} operands and gives {}", callee.params.len(), callee.returns.len()));
        }
        let given: Vec<_> = args.iter().zip(&callee.params).map(|(from, (to, size))| (*from, *to, *size)).collect();
        let taken: Vec<_> = returns.iter().zip(&callee.returns).map(|(to, (from, size))| (*from, *to, *size)).collect();
        self.copies(&inst, &given, position);
        let (guard, negated) = (inst.guard, inst.negated);
        let index = self.emit(inst, position, &instruction.name);
        self.calls.push((index, name.clone(), position));
        self.called.push((self.function, name.clone()));
        let mut behind = self.code.insts[index].clone();
        (behind.guard, behind.negated) = (guard, negated);
        self.copies(&behind, &taken, position);
        Ok(())
    }

    fn copies(&mut self, call: &Inst, copies: &[(u64, u64, u64)], position: Position) {
        for (from, to, size) in copies {
            let index = self.emit_made(Kind::CopyLocal, position, "call");
            let inst = &mut self.code.insts[index];
            (inst.guard, inst.negated) = (call.guard, call.negated);
            (inst.imm, inst.imm2, inst.regs[0]) = (*from as i64, *to as i64, *size as u32);
        }
    }

    fn locals(&self, operands: &[Operand], position: Position) -> Result<Vec<u64>, PtxError> {
        let each = operands.iter().map(|operand| match operand {
            Operand::Name(name) => match self.lookup(name) {
                Some(Symbol::Local(at)) => Ok(at),
                _ => error(position, format!("'{name}' is no variable in .param space")),
            },
            _ => error(position, format!("'{operand}' is no variable in .param space")),
        });
        each.collect()
    }
}

/// Where the operands of an instruction go.
struct Operands {
    lists: Vec<Box<[u32]>>,
    next: usize,
    addresses: usize,
}

/// Whether registers may be wider than the type.
fn loose(kind: Kind) -> bool {
    matches!(kind, Kind::Ld | Kind::St | Kind::Cvt)
}

fn fits(name: &str, found: Type, ty: Type, loose: bool, position: Position) -> Result<(), PtxError> {
    let (found, asked) = (found.bits(), ty.bits());
    if found == asked || (loose && found > asked) {
        return Ok(());
    }
    error(position, format!("'{name}' has {found} bits, a .{} has {asked}", ty.name()))
}

fn parts(operand: &Operand) -> &[Operand] {
    match operand {
        Operand::Vector(parts) => parts,
        other => std::slice::from_ref(other),
    }
}

/// The bits of a constant as a value of a type.
pub(super) fn constant_bits(constant: &Constant, ty: Type) -> Option<u64> {
    let mask = u64::MAX >> (64 - ty.bits().clamp(1, 64));
    let double = |value: f64| match ty {
        Type::F32 | Type::B32 => Some(u64::from((value as f32).to_bits())),
        Type::F64 | Type::B64 => Some(value.to_bits()),
        _ => ty.format().filter(|_| !ty.is_pair()).map(|format| format.encode(value, tilewright_numeric::Rounding::NearestEven)),
    };
    match constant {
        Constant::Integer(value) if matches!(ty, Type::F32 | Type::F64) => double(*value as f64),
        Constant::Integer(value) => Some(*value as u64 & mask),
        Constant::Single(bits) if ty.bits() == 32 => Some(u64::from(*bits)),
        Constant::Single(bits) => double(f64::from(f32::from_bits(*bits))),
        Constant::Double(bits) => double(f64::from_bits(*bits)),
        Constant::Address { .. } => None,
    }
}
