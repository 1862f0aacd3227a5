//! Values of rows and columns that are computed where they are spread over a tile.
//!
//! A factor for each row is often computed on its own before it meets the tile (`x * (1.0 / s)[:, None]`): a sweep over a few numbers, which takes a
//! block as long as hundreds of elements do, and keeps blocks of nothing but one sweep from running as one (`coarse.rs`). What takes a step or
//! two from one row or column is computed by those who read it: once for each row of the tile, as vector code does with what is the
//! same for all lanes, or, if it differs along rows, by a step that takes no longer than to read its result. Several sweeps would compute it several
//! times.

use super::{
    Inst, Tile, VReg,
    counts::{Counts, count_writes},
    inst::Elementwise,
    recompute::is_cheap,
    tile::Base,
};
use crate::{elem::Elem, hash::HashMap, kernels::ElemOp};
use tilewright_ir::Scalar;

const F32: Elem = Elem::Num(Scalar::F32);

/// The most steps that are computed where their result is spread.
const MAX_STEPS: usize = 3;
/// The shortest rows of which one step more for each is nothing.
const LONG_ROW: usize = 32;

/// How a register's value is read.
#[derive(Clone, Copy)]
enum Reads {
    /// Spread over tiles by instructions of one run, after so many steps.
    Spread { steps: usize, along_rows: bool, run: usize },
    /// In another way, too.
    Otherwise,
}

/// Lets elementwise instructions compute what they would read spread over a tile. `registers`: the bytes of each.
pub(crate) fn compute_where_spread(code: &mut Vec<(Inst, u32)>, registers: &mut Vec<usize>) {
    let values = find_values(code);
    if values.is_empty() {
        return;
    }
    let mut here = Here { values, registers, made: HashMap::default(), code: Vec::with_capacity(code.len()) };
    let mut length = None;
    for (inst, site) in code.drain(..) {
        if inst.elementwise_length() != length {
            length = inst.elementwise_length();
            here.made.clear();
        }
        here.add(inst, site);
    }
    *code = here.code;
}

/// The instructions whose results are computed where they are spread.
fn find_values(code: &[(Inst, u32)]) -> HashMap<VReg, Elementwise> {
    let mut values = HashMap::default();
    if !code.iter().any(|(inst, _)| reads_spread(inst)) || !code.iter().all(|(inst, _)| may_be_one_sweep(inst)) {
        return values;
    }
    let writes = count_writes(code);
    let mut reads: HashMap<VReg, Reads> = HashMap::default();
    let (mut run, mut length) = (0, None);
    // Who reads a value stands behind what computes it.
    for (inst, _) in code.iter().rev() {
        run += usize::from(inst.elementwise_length() != length);
        length = inst.elementwise_length();
        if let Inst::Elementwise(member) = inst
            && let Some(Reads::Spread { steps, along_rows, run }) = reads.get(&member.dst).copied()
            && let Some(source) = one_source(member, &writes)
            && is_short(member, along_rows)
        {
            let how = if steps < MAX_STEPS { Reads::Spread { steps: steps + 1, along_rows, run } } else { Reads::Otherwise };
            for tile in &member.srcs {
                note(&mut reads, tile, if tile == source { how } else { Reads::Otherwise });
            }
            values.insert(member.dst, member.clone());
            continue;
        }
        inst.for_each_read(|tile| note(&mut reads, tile, how_read(inst, tile, run)));
    }
    values
}

/// Notes how an instruction reads a tile.
fn note(reads: &mut HashMap<VReg, Reads>, tile: &Tile, how: Reads) {
    let Base::Reg(reg) = tile.base else { return };
    let noted = reads.entry(reg).or_insert(how);
    *noted = match (*noted, how) {
        (Reads::Spread { steps, along_rows, run }, Reads::Spread { steps: other, along_rows: also, run: elsewhere })
            if run == elsewhere =>
        {
            Reads::Spread { steps: steps.max(other), along_rows: along_rows && also, run }
        }
        _ => Reads::Otherwise,
    };
}

fn how_read(inst: &Inst, tile: &Tile, run: usize) -> Reads {
    match inst {
        Inst::Elementwise(member) if is_spread(tile, member.n) => Reads::Spread { steps: 1, along_rows: repeats_along_rows(tile), run },
        _ => Reads::Otherwise,
    }
}

/// Whether a block may have this instruction beside its only sweep. Where others reduce or multiply, values of rows are few beside what these take, and
/// what reads them is often computed again (`recompute.rs`).
fn may_be_one_sweep(inst: &Inst) -> bool {
    let is_access = matches!(inst, Inst::Load { .. } | Inst::Store { .. });
    is_access || inst.elementwise_length().is_some() || matches!(inst, Inst::BlockId(_) | Inst::Iota { .. } | Inst::Return)
}

fn reads_spread(inst: &Inst) -> bool {
    matches!(inst, Inst::Elementwise(member) if member.srcs.iter().any(|tile| is_spread(tile, member.n)))
}

/// Whether a tile of `n` elements repeats several of its base.
fn is_spread(tile: &Tile, n: usize) -> bool {
    let mut dims = tile.shape.iter().zip(&tile.strides).filter(|(extent, _)| **extent > 1);
    tile.elem == F32 && tile.numel() == n && !tile.is_splat() && dims.any(|(_, stride)| *stride == 0)
}

/// Whether all elements of a row are the same, and rows are long.
fn repeats_along_rows(tile: &Tile) -> bool {
    let row = tile.shape.iter().zip(&tile.strides).rev().find(|(extent, _)| **extent > 1);
    row.is_some_and(|(extent, stride)| *stride == 0 && *extent >= LONG_ROW)
}

/// The only tile that an instruction reads but for single numbers, if it reads it in order, and all that it reads is written once.
fn one_source<'a>(member: &'a Elementwise, writes: &Counts) -> Option<&'a Tile> {
    let once = |tile: &Tile| if let Base::Reg(reg) = tile.base { writes.of(reg) <= 1 } else { true };
    let mut sources = member.srcs.iter().filter(|tile| !tile.is_splat());
    let source = sources.next().filter(|tile| tile.is_contiguous() && tile.numel() == member.n)?;
    (writes.of(member.dst) <= 1 && member.srcs.iter().all(once) && sources.all(|tile| tile == source)).then_some(source)
}

/// Whether an operation takes no longer than to read its result, or little if it is computed once for a row.
fn is_short(member: &Elementwise, along_rows: bool) -> bool {
    let imm = &member.kernel.imm;
    let is_f32 = imm.sources().iter().all(|source| *source == F32);
    is_f32 && (is_cheap(imm) || along_rows && matches!(imm.op, ElemOp::DivF(..) | ElemOp::Sqrt(..)))
}

struct Here<'a> {
    values: HashMap<VReg, Elementwise>,
    registers: &'a mut Vec<usize>,
    /// What was computed for the instructions of this length that stand here together: of which value, spread how, and where it is.
    made: HashMap<VReg, Vec<(Tile, VReg)>>,
    code: Vec<(Inst, u32)>,
}

impl Here<'_> {
    fn add(&mut self, inst: Inst, site: u32) {
        match inst {
            Inst::Elementwise(member) if self.values.contains_key(&member.dst) => {}
            Inst::Elementwise(mut member) => {
                member.srcs.iter_mut().for_each(|tile| self.compute(tile, site));
                self.code.push((Inst::Elementwise(member), site));
            }
            inst => self.code.push((inst, site)),
        }
    }

    /// Computes the value that a tile is based on for each element of the tile, if that is one of those, and lets the tile be the result.
    fn compute(&mut self, tile: &mut Tile, site: u32) {
        let Base::Reg(reg) = tile.base else { return };
        let Some(mut member) = self.values.get(&reg).cloned() else { return };
        let found = self.made.get(&reg).and_then(|made| made.iter().find(|(of, _)| of == tile)).map(|(_, dst)| *dst);
        let dst = found.unwrap_or_else(|| {
            for source in &mut member.srcs {
                let strides = if source.is_splat() { tile.strides.iter().map(|_| 0).collect() } else { tile.strides.clone() };
                *source = Tile { shape: tile.shape.clone(), strides, ..*source };
                self.compute(source, site);
            }
            let dst = VReg(u32::try_from(self.registers.len()).expect("there are fewer than 2^32 values"));
            (member.n, member.dst) = (tile.numel(), dst);
            self.registers.push(member.n * member.size);
            self.code.push((Inst::Elementwise(member), site));
            self.made.entry(reg).or_default().push((tile.clone(), dst));
            dst
        });
        *tile = Tile::contiguous(tile.elem, Base::Reg(dst), &tile.shape);
    }
}
