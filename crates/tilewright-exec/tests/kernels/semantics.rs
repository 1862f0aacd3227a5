//! What single operations do, on kernels written for them: what the cases of the corpus do not show.

use crate::text::{buffer, ints, launch_text, program};
use std::sync::{Arc, Mutex};
use tilewright_exec::{AccessFault, Arg, LaunchErrorKind, LaunchOptions, OutputSink, launch};

/// What a kernel stores to a buffer of 32-bit numbers that holds `before`. The body sees `%out: tile<ptr<i32>>`, and stores
/// the tile `%result: tile<Nxi32>` at its end, where N is the number of elements.
fn result(elements: usize, body: &str, before: &[i32]) -> Vec<i32> {
    let ty = format!("tensor_view<{elements}xi32, strides=[1]>");
    let text = format!(
        "entry @k(%out: tile<ptr<i32>>) {{
            %zero = constant <i32: 0> : tile<i32>
            %one = constant <i32: 1> : tile<i32>
            {body}
            %tv = make_tensor_view %out, shape = [{elements}], strides = [1] : tile<ptr<i32>> -> {ty}
            %pv = make_partition_view %tv : partition_view<tile=({elements}), {ty}>
            %tok = store_view_tko weak %result, %pv[%zero] : tile<{elements}xi32>, partition_view<tile=({elements}), {ty}>, tile<i32> -> token
        }}"
    );
    let bytes: Vec<u8> = before.iter().flat_map(|n| n.to_le_bytes()).chain(vec![0; 4 * elements.saturating_sub(before.len())]).collect();
    let (mut memory, out) = buffer(bytes);
    let args = [Arg::Pointer(memory.address(out))];
    launch_text(&text, &mut memory, 1, &args, 1).unwrap_or_else(|error| panic!("{error}\n{text}"));
    ints(memory.bytes(out))
}

#[test]
fn an_if_in_a_fold_selects() {
    // The larger of two numbers, negative ones last.
    let body = "
        %n = iota : tile<8xi32>
        %three = constant <i32: 3> : tile<8xi32>
        %x = xori %n, %three : tile<8xi32>
        %result = scan %x dim=0 reverse=false identities=[0 : i32] : tile<8xi32> -> tile<8xi32>
        (%a: tile<i32>, %b: tile<i32>) {
            %less = cmpi less_than %a, %b, signed : tile<i32> -> tile<i1>
            %larger = if %less -> (tile<i32>) {
                yield %b : tile<i32>
            } else {
                %same = addi %a, %zero : tile<i32>
                yield %same : tile<i32>
            }
            yield %larger : tile<i32>
        }";
    assert_eq!(result(8, body, &[]), [3, 3, 3, 3, 7, 7, 7, 7]);
}

#[test]
fn a_fold_computes_once_what_does_not_depend_on_its_arguments() {
    let body = "
        %n = iota : tile<4xi32>
        %m = reshape %n : tile<4xi32> -> tile<2x2xi32>
        %result = reduce %m dim=0 identities=[0 : i32] : tile<2x2xi32> -> tile<2xi32>
        (%a: tile<i32>, %b: tile<i32>) {
            %all = iota : tile<4xi32>
            %six = reduce %all dim=0 identities=[0 : i32] : tile<4xi32> -> tile<i32>
            (%c: tile<i32>, %d: tile<i32>) {
                %s = addi %c, %d : tile<i32>
                yield %s : tile<i32>
            }
            %x, %y, %z = get_num_tile_blocks : tile<i32>
            %k = muli %six, %x : tile<i32>
            %p = muli %b, %k : tile<i32>
            %s = addi %a, %p : tile<i32>
            yield %s : tile<i32>
        }";
    assert_eq!(result(2, body, &[]), [12, 1 + 18]);
}

/// A region whose operations make tiles of its arguments: the sum of the numbers `a, b, a, b`, halved.
const TILES_IN_A_FOLD: &str = "
            (%a: tile<i32>, %b: tile<i32>) {
                %a1 = reshape %a : tile<i32> -> tile<1xi32>
                %b1 = reshape %b : tile<i32> -> tile<1xi32>
                %ab = cat %a1, %b1 dim = 0 : tile<1xi32>, tile<1xi32> -> tile<2xi32>
                %abab = cat %ab, %ab dim = 0 : tile<2xi32>, tile<2xi32> -> tile<4xi32>
                %s = reduce %abab dim=0 identities=[0 : i32] : tile<4xi32> -> tile<i32>
                (%c: tile<i32>, %d: tile<i32>) {
                    %e = addi %c, %d : tile<i32>
                    yield %e : tile<i32>
                }
                %h = shri %s, %one unsigned : tile<i32>
                yield %h : tile<i32>
            }";

#[test]
fn a_fold_may_make_tiles_of_its_arguments() {
    let reduce = format!(
        "%n = iota : tile<8xi32>
        %m = reshape %n : tile<8xi32> -> tile<2x4xi32>
        %result = reduce %m dim=1 identities=[0 : i32] : tile<2x4xi32> -> tile<2xi32> {TILES_IN_A_FOLD}"
    );
    assert_eq!(result(2, &reduce, &[]), [6, 22]);
    for (reverse, expected) in [("false", [0, 1, 3, 6, 4, 9, 15, 22]), ("true", [6, 6, 5, 3, 22, 18, 13, 7])] {
        let scan = format!(
            "%n = iota : tile<8xi32>
            %m = reshape %n : tile<8xi32> -> tile<2x4xi32>
            %s = scan %m dim=1 reverse={reverse} identities=[0 : i32] : tile<2x4xi32> -> tile<2x4xi32> {TILES_IN_A_FOLD}
            %result = reshape %s : tile<2x4xi32> -> tile<8xi32>"
        );
        assert_eq!(result(8, &scan, &[]), expected, "reverse={reverse}");
    }
}

#[test]
fn what_a_branch_of_a_fold_must_not_do_is_not_done() {
    // Slice 5 does not exist, and is never asked for.
    let body = "
        %n = iota : tile<4xi32>
        %five = constant <i32: 5> : tile<i32>
        %result = scan %n dim=0 reverse=false identities=[0 : i32] : tile<4xi32> -> tile<4xi32>
        (%a: tile<i32>, %b: tile<i32>) {
            %negative = cmpi less_than %b, %zero, signed : tile<i32> -> tile<i1>
            %v = if %negative -> (tile<i32>) {
                %slice = extract %n[%five] : tile<4xi32> -> tile<1xi32>
                %r = reshape %slice : tile<1xi32> -> tile<i32>
                yield %r : tile<i32>
            } else {
                %s = addi %a, %b : tile<i32>
                yield %s : tile<i32>
            }
            yield %v : tile<i32>
        }";
    assert_eq!(result(4, body, &[]), [0, 1, 3, 6]);
}

#[test]
fn one_bit_can_be_counted() {
    let body = "
        %bits = iota : tile<2xi1>
        %result = exti %bits unsigned : tile<2xi1> -> tile<2xi32>";
    assert_eq!(result(2, body, &[]), [0, 1]);
}

#[test]
fn calls_run_functions() {
    let text = "
        func @inner(%p: tile<ptr<i32>>, %v: tile<i32>) {
            %zero = constant <i32: 0> : tile<i32>
            %negative = cmpi less_than %v, %zero, signed : tile<i32> -> tile<i1>
            if %negative { return }
            %a = alloca num_elem = 1, alignment = 4 : tile<ptr<i32>>
            %t0 = store_ptr_tko weak %a, %v : tile<ptr<i32>>, tile<i32> -> token
            %w, %t1 = load_ptr_tko weak %a token=%t0 : tile<ptr<i32>> -> tile<i32>, token
            %t2 = store_ptr_tko weak %p, %w token=%t1 : tile<ptr<i32>>, tile<i32> -> token
            return
        }
        entry @k(%out: tile<ptr<i32>>) {
            %one = constant <i32: 1> : tile<i32>
            %five = constant <i32: 5> : tile<i32>
            %less = constant <i32: -3> : tile<i32>
            %p1 = offset %out, %one : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
            preview$call @inner(%out, %five) : (tile<ptr<i32>>, tile<i32>) -> ()
            preview$call @inner(%out, %less) : (tile<ptr<i32>>, tile<i32>) -> ()
            preview$call @inner(%p1, %one) : (tile<ptr<i32>>, tile<i32>) -> ()
            return
        }";
    let (mut memory, out) = buffer(vec![0; 8]);
    let args = [Arg::Pointer(memory.address(out))];
    launch_text(text, &mut memory, 1, &args, 1).unwrap();
    assert_eq!(ints(memory.bytes(out)), [5, 1]);
}

#[test]
fn functions_cannot_call_themselves() {
    let text = "
        func @f() { preview$call @f() : () -> () return }
        entry @k() { preview$call @f() : () -> () return }";
    let error = program(text).plan("k").unwrap_err().to_string();
    assert!(error.contains("@f calls itself"), "{error}");
    let error = program("entry @k() { preview$call @g() : () -> () return }").plan("k").unwrap_err().to_string();
    assert!(error.contains("no function @g"), "{error}");
}

#[test]
fn calls_do_not_grow_without_bound() {
    let mut text = "func @f0() { return }\n".to_owned();
    for i in 1..40 {
        let call = format!("preview$call @f{}() : () -> ()", i - 1);
        text += &format!("func @f{i}() {{ {call} {call} return }}\n");
    }
    text += "entry @k() { preview$call @f39() : () -> () return }";
    let error = program(&text).plan("k").unwrap_err().to_string();
    assert!(error.contains("more than 2097152 instructions"), "{error}");
}

/// Multicast memory with one device: the operations do what those on other memory do.
#[test]
fn one_device_is_the_whole_team() {
    let tv = "tensor_view<4xi32, strides=[1], #cuda_tile.ptr_attr<multicast>>";
    let pv = format!("partition_view<tile=(2), {tv}>");
    let body = format!(
        "%address = ptr_to_int %out : tile<ptr<i32>> -> tile<i64>
        %m = int_to_ptr %address : tile<i64> -> tile<ptr<i32, <multicast>>>
        %mtv = make_tensor_view %m, shape = [4], strides = [1] : tile<ptr<i32, <multicast>>> -> {tv}
        %mpv = make_partition_view %mtv : {pv}
        %seven = constant <i32: 7> : tile<2xi32>
        %t0 = multimem_store_view_tko weak %mpv, %seven[%one] : {pv}, tile<2xi32>, tile<i32> -> token
        %t1 = multimem_reduce_view_tko relaxed sys %mpv, %seven[%zero] token = %t0 attributes {{reduction = #cuda_tile.multimem_reduction_kind<umax>}} : {pv}, tile<2xi32>, tile<i32>, token -> token
        %v, %t2 = multimem_load_reduce_view_tko weak %mpv[%one] token = %t1 : {pv}, tile<i32>, token -> tile<2xi32>, token
        %w, %t3 = multimem_load_reduce_view_tko weak %mpv[%zero] token = %t2 : {pv}, tile<i32>, token -> tile<2xi32>, token
        %result = cat %v, %w dim = 0 : tile<2xi32>, tile<2xi32> -> tile<4xi32>"
    );
    assert_eq!(result(4, &body, &[1, -2, 3, 4]), [7, 7, 7, -2]);
}

/// Copies a tile of 4-bit floats from the buffer's first bytes to its second, through views of these shapes and strides.
fn copies_f4(from: [&str; 2], to: [&str; 2], tile: &str) -> String {
    let view = |[shape, strides]: [&str; 2]| format!("tensor_view<{}xf4E2M1FN, strides=[{strides}]>", shape.replace(", ", "x"));
    let (a, b) = (view(from), view(to));
    let indices = |shape: &str| vec!["%zero"; shape.split(',').count()].join(", ");
    format!(
        "entry @k(%p: tile<ptr<f4E2M1FN>>, %q: tile<ptr<f4E2M1FN>>, %i: tile<i32>) {{
            %zero = constant <i32: 0> : tile<i32>
            %a = make_tensor_view %p, shape = [{}], strides = [{}] : tile<ptr<f4E2M1FN>> -> {a}
            %b = make_tensor_view %q, shape = [{}], strides = [{}] : tile<ptr<f4E2M1FN>> -> {b}
            %av = make_partition_view %a : partition_view<tile=({tile}), padding_value = nan, {a}>
            %bv = make_partition_view %b : partition_view<tile=({tile}), {b}>
            %v, %t0 = load_view_tko weak %av[{}] : partition_view<tile=({tile}), padding_value = nan, {a}>, tile<i32> -> tile<{}f4E2M1FN>, token
            %t1 = store_view_tko relaxed device %v, %bv[{}] token = %t0 : tile<{}f4E2M1FN>, partition_view<tile=({tile}), {b}>, tile<i32> -> token
            return
        }}",
        from[0],
        from[1],
        to[0],
        to[1],
        indices(from[0]),
        format_args!("{tile}x"),
        indices(to[0]),
        format_args!("{tile}x"),
    )
}

fn copied_f4(text: &str, before: &[u8]) -> Result<Vec<u8>, LaunchErrorKind> {
    let (mut memory, from) = buffer(vec![0x21, 0x43, 0x65, 0x87, 0xa9, 0xcb]);
    let to = memory.add(before.to_vec());
    let args = [Arg::Pointer(memory.address(from)), Arg::Pointer(memory.address(to)), Arg::Scalar(tilewright_ir::Scalar::I32, 0)];
    launch_text(text, &mut memory, 1, &args, 1).map_err(|error| error.kind)?;
    Ok(memory.bytes(to).to_vec())
}

#[test]
fn two_f4_share_a_byte() {
    let text = copies_f4(["8", "1"], ["8", "1"], "8");
    assert_eq!(copied_f4(&text, &[0; 4]), Ok(vec![0x21, 0x43, 0x65, 0x87]));
    // Six elements: the tile ends behind the tensor; what lies there stays.
    let text = copies_f4(["8", "1"], ["6", "1"], "8");
    assert_eq!(copied_f4(&text, &[0xff; 4]), Ok(vec![0x21, 0x43, 0x65, 0xff]));
    // What is loaded from behind the tensor is the padding: NaN, which the type does not have, is 6.
    let text = copies_f4(["6", "1"], ["8", "1"], "8");
    assert_eq!(copied_f4(&text, &[0; 4]), Ok(vec![0x21, 0x43, 0x65, 0x77]));
    // Rows of 4 elements with a distance of 6.
    let text = copies_f4(["2, 4", "6, 1"], ["2, 4", "4, 1"], "2x4");
    assert_eq!(copied_f4(&text, &[0; 4]), Ok(vec![0x21, 0x43, 0x87, 0xa9]));
    // Columns become rows.
    let text = copies_f4(["2, 4", "4, 1"], ["2, 4", "1, 2"], "2x4");
    assert_eq!(copied_f4(&text, &[0; 4]), Ok(vec![0x51, 0x62, 0x73, 0x84]));
}

#[test]
fn rows_of_f4_have_whole_bytes() {
    for (from, number) in [(["7", "1"], 7), (["2, 4", "5, 1"], 5)] {
        let (to, tile) = if from[0] == "7" { (["8", "1"], "8") } else { (["2, 4", "4, 1"], "2x4") };
        let found = copied_f4(&copies_f4(from, to, tile), &[0; 4]);
        assert_eq!(found, Err(LaunchErrorKind::Access(AccessFault::OddPacking { number })));
    }
    let text = copies_f4(["16", "1"], ["16", "1"], "16");
    assert!(matches!(copied_f4(&text, &[0; 8]), Err(LaunchErrorKind::Access(AccessFault::OutOfBounds { .. }))));
}

#[test]
fn pointers_to_f4_move_by_whole_bytes() {
    let text = "
        entry @k(%p: tile<ptr<f4E2M1FN>>, %n: tile<i32>, %out: tile<ptr<i64>>) {
            %q = offset %p, %n : tile<ptr<f4E2M1FN>>, tile<i32> -> tile<ptr<f4E2M1FN>>
            %a = ptr_to_int %p : tile<ptr<f4E2M1FN>> -> tile<i64>
            %b = ptr_to_int %q : tile<ptr<f4E2M1FN>> -> tile<i64>
            %d = subi %b, %a : tile<i64>
            %t = store_ptr_tko weak %out, %d : tile<ptr<i64>>, tile<i64> -> token
            return
        }";
    for (n, bytes) in [(0, 0), (5, 2), (-2, -1), (-3, -1)] {
        let (mut memory, out) = buffer(vec![0; 8]);
        let address = Arg::Pointer(memory.address(out));
        let args = [address, Arg::Scalar(tilewright_ir::Scalar::I32, u64::from(i32::cast_unsigned(n))), address];
        launch_text(text, &mut memory, 1, &args, 1).unwrap();
        assert_eq!(memory.bytes(out), i64::to_le_bytes(bytes), "{n}");
    }
}

#[test]
fn addresses_print() {
    let text = r#"
        entry @k(%p: tile<ptr<i32>>) {
            %one = constant <i32: 1> : tile<i32>
            %q = offset %p, %one : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
            %p1 = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
            %q1 = reshape %q : tile<ptr<i32>> -> tile<1xptr<i32>>
            %both = cat %p1, %q1 dim = 0 : tile<1xptr<i32>>, tile<1xptr<i32>> -> tile<2xptr<i32>>
            print_tko "%p %%\n", %both : tile<2xptr<i32>> -> token
            return
        }"#;
    let (mut memory, out) = buffer(vec![0; 8]);
    let written = Arc::new(Mutex::new(Vec::new()));
    let options = LaunchOptions::new().output(OutputSink::new(written.clone()));
    let address = memory.address(out);
    launch(&program(text).plan("k").unwrap(), &mut memory, [1, 1, 1], &[Arg::Pointer(address)], &options).unwrap();
    let written = written.lock().unwrap();
    assert_eq!(String::from_utf8_lossy(&written), format!("[{address:#x}, {:#x}] %\n", address + 4));
}

#[test]
fn a_load_gives_what_memory_held_before_a_later_store() {
    const VIEW: &str = "partition_view<tile=(4), tensor_view<4xi32, strides=[1]>>";
    let body = format!(
        "%t = make_tensor_view %out, shape = [4], strides = [1] : tile<ptr<i32>> -> tensor_view<4xi32, strides=[1]>
        %p = make_partition_view %t : {VIEW}
        %a, %ta = load_view_tko weak %p[%zero] : {VIEW}, tile<i32> -> tile<4xi32>, token
        %b, %tb = load_view_tko weak %p[%zero] : {VIEW}, tile<i32> -> tile<4xi32>, token
        %twice = addi %b, %b : tile<4xi32>
        %ts = store_view_tko weak %twice, %p[%zero] : tile<4xi32>, {VIEW}, tile<i32> -> token
        %c, %tc = load_view_tko weak %p[%zero] : {VIEW}, tile<i32> -> tile<4xi32>, token
        %result = subi %c, %a : tile<4xi32>"
    );
    assert_eq!(result(4, &body, &[1, 20, 300, 4000]), [1, 20, 300, 4000]);
}

#[test]
fn tiles_that_are_loaded_again_and_again_differ() {
    const VIEW: &str = "partition_view<tile=(2), tensor_view<8xi32, strides=[1]>>";
    let body = format!(
        "%four = constant <i32: 4> : tile<i32>
        %t = make_tensor_view %out, shape = [8], strides = [1] : tile<ptr<i32>> -> tensor_view<8xi32, strides=[1]>
        %p = make_partition_view %t : {VIEW}
        %none = constant <i32: 0> : tile<2xi32>
        %sum = for %i in (%zero to %four, step %one) : tile<i32> iter_values(%s = %none) -> (tile<2xi32>) {{
            %x, %tx = load_view_tko weak %p[%i] : {VIEW}, tile<i32> -> tile<2xi32>, token
            %next = addi %s, %x : tile<2xi32>
            continue %next : tile<2xi32>
        }}
        %pairs = cat %sum, %sum dim = 0 : tile<2xi32>, tile<2xi32> -> tile<4xi32>
        %result = cat %pairs, %pairs dim = 0 : tile<4xi32>, tile<4xi32> -> tile<8xi32>"
    );
    assert_eq!(result(8, &body, &[1, 2, 10, 20, 100, 200, 1000, 2000]), [1111, 2222].repeat(4));
}
