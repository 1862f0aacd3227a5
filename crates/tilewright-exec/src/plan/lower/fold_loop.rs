//! The region of a fold as a loop: for regions that do with their arguments what elementwise steps cannot, such as a
//! reduction inside of a reduction.

use super::{Branch, Lowerer, Val};
use crate::{
    PlanError,
    elem::Elem,
    kernels::ElemOp,
    plan::{FoldKind, Inst, LoopBody, Slice, Tile, VReg, inst::Elementwise, tile::Base},
};
use smallvec::smallvec;
use tilewright_ir::{Block, Scalar};

const INDEX: Elem = Elem::Num(Scalar::I64);

/// An operand of the fold.
struct Column {
    /// The operand, `extent` x `slice`; for a scan, its prefixes in the end.
    rows: Tile,
    /// What the rows so far were combined to, `slice` elements.
    acc: Tile,
    acc_reg: VReg,
    rows_reg: VReg,
}

impl<'m> Lowerer<'m> {
    /// Combines row after row, element by element. `operands` have the folded dimension first; so do the results.
    pub(super) fn fold_loop(&mut self, block: Block, operands: &[Tile], kind: FoldKind) -> Result<Vec<Tile>, PlanError> {
        let shape = operands.first().map(|tile| tile.shape.clone()).unwrap_or_default();
        let extent = shape.first().copied().unwrap_or(1);
        let slice = shape.iter().skip(1).product();
        let reverse = kind == FoldKind::Scan { reverse: true };
        let first = self.constants.index(if reverse { extent - 1 } else { 0 });
        let columns: Vec<Column> = operands.iter().map(|tile| self.column(tile, [extent, slice], &first)).collect();
        self.counted(1, extent, |this, i| {
            let row = if reverse { this.mirrored(i, extent)? } else { i };
            this.counted(0, slice, |this, j| this.combine(block, &columns, &row, &j))?;
            if kind != FoldKind::Reduce {
                let zero = this.constants.index(0);
                for column in &columns {
                    let src = Tile { shape: smallvec![1, slice], strides: smallvec![slice, 1], ..column.acc.clone() };
                    let slice = part(&column.rows, &[1, slice], vec![row.clone(), zero.clone()]);
                    this.emit(Inst::Insert { src, slice, dst: column.rows_reg });
                }
            }
            Ok(())
        })?;
        let result = |column: &Column| match kind {
            FoldKind::Reduce => column.acc.base,
            FoldKind::Scan { .. } => column.rows.base,
        };
        Ok(columns.iter().map(|column| Tile::contiguous(column.rows.elem, result(column), &shape)).collect())
    }

    fn column(&mut self, operand: &Tile, shape: [usize; 2], first: &Tile) -> Column {
        let (rows_reg, rows) = self.new_tile(operand.elem, &shape);
        self.emit(Inst::Move { src: operand.clone(), dst: rows_reg });
        let (acc_reg, acc) = self.new_tile(operand.elem, &shape[1..]);
        let zero = self.constants.index(0);
        let slice = part(&rows, &[1, shape[1]], vec![first.clone(), zero]);
        self.emit(Inst::Extract { src: rows.clone(), slice, dst: acc_reg });
        Column { rows, acc, acc_reg, rows_reg }
    }

    /// Combines element `j` of what there is so far with that of a row.
    fn combine(&mut self, block: Block, columns: &[Column], row: &Tile, j: &Tile) -> Result<(), PlanError> {
        let args: Vec<_> = self.body.args(block).collect();
        let mut results = Vec::new();
        for (column, pair) in columns.iter().zip(args.chunks(2)) {
            let (first, first_tile) = self.new_tile(column.acc.elem, &[]);
            self.emit(Inst::Extract { src: column.acc.clone(), slice: part(&column.acc, &[1], vec![j.clone()]), dst: first });
            let (second, second_tile) = self.new_tile(column.acc.elem, &[]);
            let slice = part(&column.rows, &[1, 1], vec![row.clone(), j.clone()]);
            self.emit(Inst::Extract { src: column.rows.clone(), slice, dst: second });
            for (arg, tile) in pair.iter().zip([first_tile, second_tile]) {
                self.define(*arg, Val::Tile(tile));
            }
            results.push(self.new_tile(column.acc.elem, &[]));
        }
        let exit = self.new_label();
        let registers = results.iter().map(|(reg, _)| Some(*reg)).collect();
        self.ifs.push(Branch { results: registers, exit, scope: self.open.len() });
        let at = self.site;
        self.block(block)?;
        self.site = at;
        self.ifs.pop();
        self.place_label(exit);
        for (column, (_, result)) in columns.iter().zip(results) {
            let src = Tile { shape: smallvec![1], strides: smallvec![1], ..result };
            self.emit(Inst::Insert { src, slice: part(&column.acc, &[1], vec![j.clone()]), dst: column.acc_reg });
        }
        Ok(())
    }

    /// Counts from `from` to below `to`.
    fn counted(&mut self, from: usize, to: usize, body: impl FnOnce(&mut Self, Tile) -> Result<(), PlanError>) -> Result<(), PlanError> {
        let (lower, upper, step) = (self.constants.index(from), Box::new(self.constants.index(to)), Box::new(self.constants.index(1)));
        let (counter, tile) = self.new_tile(INDEX, &[]);
        let (head, exit) = (self.new_label(), self.new_label());
        self.emit(Inst::Move { src: lower, dst: counter });
        self.emit(Inst::ForHead { counter, upper: upper.clone(), step: step.clone(), signed: false, exit, body: LoopBody::Any });
        self.place_label(head);
        body(self, tile)?;
        self.emit(Inst::ForNext { counter, upper, step, signed: false, target: head, waits: false });
        self.place_label(exit);
        Ok(())
    }

    /// `extent - 1 - i`.
    fn mirrored(&mut self, i: Tile, extent: usize) -> Result<Tile, PlanError> {
        let kernel = self.kernel(ElemOp::SubI, &[INDEX, INDEX], INDEX)?;
        let last = self.constants.index(extent - 1);
        let (dst, tile) = self.new_tile(INDEX, &[]);
        self.emit(Inst::Elementwise(Elementwise { kernel, srcs: vec![last, i], dst, n: 1, size: INDEX.size() }));
        Ok(tile)
    }
}

/// One of the parts of `whole` that have this shape.
fn part(whole: &Tile, shape: &[usize], indices: Vec<Tile>) -> Box<Slice> {
    let counts = whole.shape.iter().zip(shape).map(|(whole, part)| whole / part).collect();
    debug_assert!(matches!(whole.base, Base::Reg(_)), "parts are of registers");
    Box::new(Slice { indices, counts, first: Tile { shape: shape.into(), ..whole.clone() } })
}
