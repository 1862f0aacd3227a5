//! Memory of `alloca`.

use crate::text::{buffer, ints, launch_program, launch_text, program_as_it_is};
use tilewright_exec::{Arg, LaunchErrorKind, LocalFault};

/// What a kernel, written as the body of an entry with the parameter `%out: tile<ptr<i32>>`, stores to 16 numbers.
fn stored(body: &str, blocks: u32) -> Vec<i32> {
    let results = [1, 2].map(|threads| {
        let (mut memory, out) = buffer(vec![0; 64]);
        let args = [Arg::Pointer(memory.address(out))];
        launch_text(&kernel(body), &mut memory, blocks, &args, threads).unwrap_or_else(|error| panic!("{error}"));
        ints(memory.bytes(out))
    });
    assert_eq!(results[0], results[1], "one thread and two");
    results[0].clone()
}

fn fault(body: &str, blocks: u32) -> (LocalFault, String) {
    let (mut memory, out) = buffer(vec![0; 64]);
    let args = [Arg::Pointer(memory.address(out))];
    let error = launch_program(&program_as_it_is(&kernel(body)), &mut memory, blocks, &args, 1).unwrap_err();
    let LaunchErrorKind::Alloca { fault, .. } = error.kind else { panic!("{error}") };
    (fault, error.to_string())
}

fn kernel(body: &str) -> String {
    format!("entry @k(%out: tile<ptr<i32>>) {{\n%bx, %by, %bz = get_tile_block_id : tile<i32>\n{body}\nreturn\n}}")
}

#[test]
fn what_is_stored_is_loaded() {
    let body = "
        %a = alloca num_elem = 4, alignment = 64 : tile<ptr<i32>>
        %b = alloca num_elem = 2, alignment = 4 : tile<ptr<i32>>
        %one = constant <i32: 1> : tile<i32>
        %a1 = offset %a, %one : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
        %t0 = store_ptr_tko weak %a1, %bx : tile<ptr<i32>>, tile<i32> -> token
        %t1 = store_ptr_tko weak %b, %one token=%t0 : tile<ptr<i32>>, tile<i32> -> token
        %v, %t2 = load_ptr_tko weak %a1 token=%t1 : tile<ptr<i32>> -> tile<i32>, token
        %w, %t3 = load_ptr_tko weak %b token=%t2 : tile<ptr<i32>> -> tile<i32>, token
        %x = addi %v, %w : tile<i32>
        %o = offset %out, %bx : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
        %t4 = store_ptr_tko weak %o, %x : tile<ptr<i32>>, tile<i32> -> token";
    assert_eq!(stored(body, 8)[..8], [1, 2, 3, 4, 5, 6, 7, 8]);
}

#[test]
fn views_of_allocated_memory_work() {
    let body = "
        %a = alloca num_elem = 16, alignment = 16 : tile<ptr<i32>>
        %tv = make_tensor_view %a, shape = [16], strides = [1] : tile<ptr<i32>> -> tensor_view<16xi32, strides=[1]>
        %pv = make_partition_view %tv : partition_view<tile=(16), tensor_view<16xi32, strides=[1]>>
        %zero = constant <i32: 0> : tile<i32>
        %n = iota : tile<16xi32>
        %t0 = store_view_tko weak %n, %pv[%zero] : tile<16xi32>, partition_view<tile=(16), tensor_view<16xi32, strides=[1]>>, tile<i32> -> token
        %v, %t1 = load_view_tko weak %pv[%zero] token = %t0 : partition_view<tile=(16), tensor_view<16xi32, strides=[1]>>, tile<i32> -> tile<16xi32>, token
        %ov = make_tensor_view %out, shape = [16], strides = [1] : tile<ptr<i32>> -> tensor_view<16xi32, strides=[1]>
        %op = make_partition_view %ov : partition_view<tile=(16), tensor_view<16xi32, strides=[1]>>
        %t2 = store_view_tko weak %v, %op[%zero] : tile<16xi32>, partition_view<tile=(16), tensor_view<16xi32, strides=[1]>>, tile<i32> -> token";
    assert_eq!(stored(body, 1), (0..16).collect::<Vec<_>>());
}

/// Each iteration has memory of its own: it holds nothing of the one before, whatever way that ended.
#[test]
fn memory_is_new_in_every_iteration() {
    let body = "
        %zero = constant <i32: 0> : tile<i32>
        %one = constant <i32: 1> : tile<i32>
        %n = constant <i32: 5> : tile<i32>
        %sum = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%s = %zero) -> (tile<i32>) {
            %a = alloca num_elem = 1, alignment = 4 : tile<ptr<i32>>
            %old, %t0 = load_ptr_tko weak %a : tile<ptr<i32>> -> tile<i32>, token
            %t1 = store_ptr_tko weak %a, %n token=%t0 : tile<ptr<i32>>, tile<i32> -> token
            %odd = andi %i, %one : tile<i32>
            %c = trunci %odd : tile<i32> -> tile<i1>
            %next = addi %s, %old : tile<i32>
            if %c {
                %b = alloca num_elem = 1, alignment = 4 : tile<ptr<i32>>
                %t2 = store_ptr_tko weak %b, %n : tile<ptr<i32>>, tile<i32> -> token
                continue %next : tile<i32>
            }
            continue %next : tile<i32>
        }
        %t = store_ptr_tko weak %out, %sum : tile<ptr<i32>>, tile<i32> -> token";
    assert_eq!(stored(body, 1)[0], 0);
}

#[test]
fn the_end_is_watched() {
    let body = "
        %a = alloca num_elem = 3, alignment = 4 : tile<ptr<i32>>
        %n = constant <i32: 3> : tile<i32>
        %p = offset %a, %n : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
        %v, %t0 = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token";
    let (found, text) = fault(body, 1);
    let LocalFault::OutOfBounds { address, size: 4, start, len: 12 } = found else { panic!("{found:?}") };
    assert_eq!(address - start, 12);
    assert!(text.contains("load_ptr_tko") && text.contains("memory of alloca"), "{text}");
}

#[test]
fn freed_memory_is_watched() {
    let body = "
        %yes = constant <i1: 1> : tile<i1>
        %p = if %yes -> (tile<ptr<i32>>) {
            %a = alloca num_elem = 3, alignment = 4 : tile<ptr<i32>>
            yield %a : tile<ptr<i32>>
        } else {
            yield %out : tile<ptr<i32>>
        }
        %v, %t0 = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token";
    assert!(matches!(fault(body, 1).0, LocalFault::Freed { size: 4, .. }));
}

/// The first block hands its address to the second, through the buffer at `%out`.
fn shares(global: &str) -> String {
    format!(
        "
        %a = alloca num_elem = 1, alignment = 8{global} : tile<ptr<i32>>
        %seven = constant <i32: 7> : tile<i32>
        %zero = constant <i64: 0> : tile<i64>
        %zero32 = constant <i32: 0> : tile<i32>
        %slot = ptr_to_ptr %out : tile<ptr<i32>> -> tile<ptr<i64>>
        %first = cmpi equal %bx, %zero32, signed : tile<i32> -> tile<i1>
        if %first {{
            %t0 = store_ptr_tko weak %a, %seven : tile<ptr<i32>>, tile<i32> -> token
            %bits = ptr_to_int %a : tile<ptr<i32>> -> tile<i64>
            %t1 = store_ptr_tko release device %slot, %bits token=%t0 : tile<ptr<i64>>, tile<i64> -> token
            loop {{
                %v, %t2 = load_ptr_tko acquire device %slot : tile<ptr<i64>> -> tile<i64>, token
                %done = cmpi equal %v, %zero, signed : tile<i64> -> tile<i1>
                if %done {{ break }}
            }}
        }} else {{
            %bits = loop : tile<i64> {{
                %v, %t2 = load_ptr_tko acquire device %slot : tile<ptr<i64>> -> tile<i64>, token
                %there = cmpi not_equal %v, %zero, signed : tile<i64> -> tile<i1>
                if %there {{ break %v : tile<i64> }}
            }}
            %p = int_to_ptr %bits : tile<i64> -> tile<ptr<i32>>
            %v, %t3 = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
            %two = constant <i32: 2> : tile<i32>
            %o = offset %out, %two : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
            %t4 = store_ptr_tko weak %o, %v token=%t3 : tile<ptr<i32>>, tile<i32> -> token
            %t5 = store_ptr_tko release device %slot, %zero token=%t4 : tile<ptr<i64>>, tile<i64> -> token
        }}"
    )
}

#[test]
fn other_blocks_see_global_memory_only() {
    assert_eq!(stored(&shares(" global"), 2)[..4], [0, 0, 7, 0]);
    assert!(matches!(fault(&shares(""), 2).0, LocalFault::Foreign { size: 4, .. }));
}

#[test]
fn memory_that_is_not_there_is_an_error() {
    let body = "%a = alloca num_elem = 9223372036854775807, alignment = 8 : tile<ptr<i64>>";
    let (mut memory, out) = buffer(vec![0; 64]);
    let args = [Arg::Pointer(memory.address(out))];
    let error = launch_program(&program_as_it_is(&kernel(body)), &mut memory, 1, &args, 1).unwrap_err();
    assert!(matches!(error.kind, LaunchErrorKind::Resource(_)), "{error}");
    assert_eq!(error.site.map(|site| site.mnemonic), Some("alloca"));
}
