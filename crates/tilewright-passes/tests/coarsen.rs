//! What callers of block coarsening go by besides the entry that it makes.

use std::collections::BTreeSet;
use tilewright_ir::{LocData, Module, OpRef, verify};
use tilewright_passes::coarsen::{Coarsening, coarsen};
use tilewright_text::{ParseOptions, PrintOptions, parse, print};

/// Each block stores its number to each of 16 elements of its own.
const NUMBERS: &str = "entry @k(%p: tile<ptr<i32>>) {
  %bx, %i, %bz = get_tile_block_id : tile<i32>
  %i1 = reshape %i : tile<i32> -> tile<1xi32>
  %tile = broadcast %i1 : tile<1xi32> -> tile<16xi32>
  %a = make_tensor_view %p, shape = [1024], strides = [1] : tensor_view<1024xi32, strides=[1]>
  %as = make_partition_view %a : partition_view<tile=(16), tensor_view<1024xi32, strides=[1]>>
  %t = store_view_tko weak %tile, %as[%i] : tile<16xi32>, partition_view<tile=(16), tensor_view<1024xi32, strides=[1]>>, tile<i32> -> token
  return
}";

fn module(text: &str) -> Module {
    let module = parse(text, &ParseOptions::new()).unwrap_or_else(|errors| panic!("{}", errors[0].render(text, "kernel")));
    verify(module).unwrap_or_else(|findings| panic!("{}", findings[0])).into_inner()
}

#[test]
fn what_is_refused_is_left_alone() {
    let before = module(NUMBERS);
    let text = |module: &Module| print(module, &PrintOptions::new().module(true));
    // Along x and z all blocks store to one place.
    let wrong = [(0, 4), (2, 4), (3, 4), (1, 0), (1, 1), (1, 3), (1, 1 << 17)];
    for (axis, factor) in wrong {
        let mut after = before.clone();
        coarsen(&mut after, Coarsening { axis, factor }).unwrap_err();
        assert_eq!(text(&after), text(&before), "axis {axis} by {factor}");
    }
}

#[test]
fn operations_have_the_locations_of_those_they_are_made_of() {
    let mut module = module(NUMBERS);
    let file = module.name;
    let count = module.functions[0].body.num_ops();
    for index in 0..count {
        let place = LocData::Source { scope: None, file, line: index as u32 + 1, column: 1 };
        let loc = module.tables.locations.add(place);
        module.functions[0].body.set_loc(tilewright_ir::Op::new(index), Some(loc));
    }
    coarsen(&mut module, Coarsening { axis: 1, factor: 4 }).unwrap();
    let line = |op: OpRef<'_>| module.tables.locations.source(op.loc()).expect("it has a place").1 as usize;
    let lines: BTreeSet<usize> = module.functions[0].body.preorder().map(line).collect();
    assert_eq!(lines, (1..=count).collect());
}

#[test]
fn the_version_is_raised_where_the_result_needs_it() {
    let shifted = NUMBERS
        .replace("%as[%i]", "%as[%j]")
        .replace("  %i1 =", "  %one = constant <i32: 1> : tile<i32>\n  %j = addi %i, %one : tile<i32>\n  %i1 =");
    for (text, expected) in [(NUMBERS, tilewright_ir::Version::V13_1), (&shifted, tilewright_ir::Version::V13_3)] {
        let mut module = module(text);
        module.version = tilewright_ir::Version::V13_1;
        coarsen(&mut module, Coarsening { axis: 1, factor: 4 }).unwrap();
        assert_eq!(module.version, expected);
        verify(module).unwrap_or_else(|findings| panic!("{}", findings[0]));
    }
}
