//! Errors of accesses name the first element, in the order of the tile, that cannot be accessed.

use crate::text::{buffer, launch_text};
use tilewright_exec::{AccessFault, Arg, LaunchErrorKind};

/// The byte of a buffer of 100 bytes that an access begins at which is refused.
fn refused(body: &str) -> u64 {
    let (mut memory, out) = buffer(vec![0; 100]);
    let base = memory.address(out);
    let text = format!("entry @k(%out: tile<ptr<f32>>) {{\n  {body}\n  return\n}}");
    match launch_text(&text, &mut memory, 1, &[Arg::Pointer(base)], 1).unwrap_err().kind {
        LaunchErrorKind::Access(AccessFault::OutOfBounds { address, .. }) => address.wrapping_sub(base),
        other => panic!("{other:?}"),
    }
}

/// Loads or stores a tile of 4 rows of 8, of which 25 elements have room where they lie side by side.
fn through_view(strides: &str, access: &str) -> u64 {
    let tensor = format!("tensor_view<4x8xf32, strides=[{strides}]>");
    let view = format!("partition_view<tile=(4x8), {tensor}>");
    let access = access.replace("VIEW", &view);
    refused(&format!(
        "%c = constant <i32: 0> : tile<i32>
  %x = constant <f32: 1.0> : tile<4x8xf32>
  %t = make_tensor_view %out, shape = [4, 8], strides = [{strides}] : {tensor}
  %v = make_partition_view %t : {view}
  {access}"
    ))
}

const LOAD: &str = "%y, %k = load_view_tko weak %v[%c, %c] : VIEW, tile<i32> -> tile<4x8xf32>, token";
const STORE: &str = "%k = store_view_tko weak %x, %v[%c, %c] : tile<4x8xf32>, VIEW, tile<i32> -> token";
const ADD: &str = "%k = atomic_red_view_tko relaxed device %v[%c, %c], addf, %x : tile<4x8xf32>, VIEW, tile<i32> -> token";

#[test]
fn a_view_past_a_buffer_names_its_first_bad_element() {
    for access in [LOAD, STORE, ADD] {
        // Element 25 is row 3, column 1.
        assert_eq!(through_view("8, 1", access), 100, "{access}");
        // Columns side by side: row 0, column 7 is element 28, before all others that are outside.
        assert_eq!(through_view("1, 4", access), 4 * 28, "{access}");
        // Neither side by side: row 0, column 5.
        assert_eq!(through_view("12, 5", access), 4 * 25, "{access}");
    }
}

/// Loads 4 rows of 8 backwards from so many elements behind the begin of the buffer on.
fn backwards(last: i32) -> u64 {
    refused(&format!(
        "%y = iota : tile<4xi32>
  %x = iota : tile<8xi32>
  %eight = constant <i32: 8> : tile<4xi32>
  %last = constant <i32: {last}> : tile<4x8xi32>
  %row = muli %y, %eight : tile<4xi32>
  %r0 = reshape %row : tile<4xi32> -> tile<4x1xi32>
  %r1 = broadcast %r0 : tile<4x1xi32> -> tile<4x8xi32>
  %c0 = reshape %x : tile<8xi32> -> tile<1x8xi32>
  %c1 = broadcast %c0 : tile<1x8xi32> -> tile<4x8xi32>
  %i0 = subi %last, %r1 : tile<4x8xi32>
  %i = subi %i0, %c1 : tile<4x8xi32>
  %p0 = reshape %out : tile<ptr<f32>> -> tile<1x1xptr<f32>>
  %p1 = broadcast %p0 : tile<1x1xptr<f32>> -> tile<4x8xptr<f32>>
  %p = offset %p1, %i : tile<4x8xptr<f32>>, tile<4x8xi32> -> tile<4x8xptr<f32>>
  %v, %k = load_ptr_tko weak %p : tile<4x8xptr<f32>> -> tile<4x8xf32>, token"
    ))
}

#[test]
fn a_tile_that_is_read_backwards_names_its_first_bad_element() {
    // The first of all, which is loaded last, and element 25, the first in front of the buffer.
    assert_eq!(backwards(40), 4 * 40);
    assert_eq!(backwards(24), 4u64.wrapping_neg());
}

#[test]
fn a_gather_past_a_buffer_names_its_first_bad_element() {
    let tensor = "tensor_view<4x40xf32, strides=[1,4]>";
    let view = format!("gather_scatter_view<tile=(4x2), {tensor}, sparse_dim=1>");
    let body = format!(
        "%c = constant <i32: 0> : tile<i32>
  %i = constant <i32: [9, 6]> : tile<2xi32>
  %t = make_tensor_view %out, shape = [4, 40], strides = [1, 4] : {tensor}
  %v = make_gather_scatter_view %t : {view}
  %y, %k = load_view_tko weak %v[%c, %i] : {view}, tile<i32>, tile<2xi32> -> tile<4x2xf32>, token"
    );
    assert_eq!(refused(&body), 4 * 36);
}

#[test]
fn pointers_past_a_buffer_name_the_first_bad_one() {
    let body = "%p0 = reshape %out : tile<ptr<f32>> -> tile<1xptr<f32>>
  %p1 = broadcast %p0 : tile<1xptr<f32>> -> tile<4xptr<f32>>
  %i = constant <i32: [24, 40, 90, 26]> : tile<4xi32>
  %p = offset %p1, %i : tile<4xptr<f32>>, tile<4xi32> -> tile<4xptr<f32>>
  %y, %k = load_ptr_tko weak %p : tile<4xptr<f32>> -> tile<4xf32>, token";
    assert_eq!(refused(body), 160);
}
