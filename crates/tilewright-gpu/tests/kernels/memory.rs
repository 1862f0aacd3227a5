//! Memory of modules and of blocks, integers of 4 bits, and prints.

use crate::support::{kernel, run};
use tilewright_gpu::Target;

fn words(bytes: &[u8]) -> Vec<i32> {
    bytes.chunks_exact(4).map(|word| i32::from_le_bytes(word.try_into().expect("four bytes"))).collect()
}

/// What a kernel makes of a buffer of zeros, in two orders of blocks and warps.
fn result(text: &str, length: usize) -> Vec<i32> {
    let results = [0, 1].map(|seed| {
        let mut buffer = vec![0; 4 * length];
        run(text, Target::Sm80, [2, 1, 1], &mut buffer, seed);
        words(&buffer)
    });
    assert_eq!(results[0], results[1]);
    results[0].clone()
}

#[test]
fn memory_of_a_block_is_its_own_and_is_given_back_on_every_way() {
    // Each block counts in memory of its own, which another way out of the loop leaves than the one that goes round.
    let text = "entry @k(%p: tile<ptr<i32>>) {
        %t0 = make_token : token
        %zero = constant <i32: 0> : tile<i32>
        %one = constant <i32: 1> : tile<i32>
        %four = constant <i32: 4> : tile<i32>
        %x, %y, %z = get_tile_block_id : tile<i32>
        %sum = loop iter_values(%i = %zero, %s = %zero) : tile<i32>, tile<i32> -> tile<i32> {
            %a = alloca num_elem = 256, alignment = 64 : tile<ptr<i32>>
            %a1 = reshape %a : tile<ptr<i32>> -> tile<1xptr<i32>>
            %a256 = broadcast %a1 : tile<1xptr<i32>> -> tile<256xptr<i32>>
            %n = iota : tile<256xi32>
            %places = offset %a256, %n : tile<256xptr<i32>>, tile<256xi32> -> tile<256xptr<i32>>
            %t1 = store_ptr_tko weak %places, %n token=%t0 : tile<256xptr<i32>>, tile<256xi32> -> token
            %third = offset %a, %i : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
            %v, %t2 = load_ptr_tko weak %third token=%t1 : tile<ptr<i32>> -> tile<i32>, token
            %more = addi %s, %v : tile<i32>
            %done = cmpi equal %i, %four, signed : tile<i32> -> tile<i1>
            if %done {
                %b = alloca num_elem = 1, alignment = 4 : tile<ptr<i32>>
                %t3 = store_ptr_tko weak %b, %more token=%t0 : tile<ptr<i32>>, tile<i32> -> token
                %w, %t4 = load_ptr_tko weak %b token=%t3 : tile<ptr<i32>> -> tile<i32>, token
                break %w : tile<i32>
            }
            %next = addi %i, %one : tile<i32>
            continue %next, %more : tile<i32>, tile<i32>
        }
        %place = offset %p, %x : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
        %t5 = store_ptr_tko weak %place, %sum token=%t0 : tile<ptr<i32>>, tile<i32> -> token
        return
    }";
    assert_eq!(result(text, 2), [10, 10]);
    let ptx = kernel(text, Target::Sm80).ptx();
    // `break` gives both back, `continue` the one of the loop.
    assert_eq!(ptx.matches("call.uni free").count(), 3, "{ptx}");
}

#[test]
fn globals_are_memory_of_the_module() {
    let text = "global @table alignment = 32 <i32: [5, 6, 7, 8]> : tile<4xi32>
    entry @k(%p: tile<ptr<i32>>) {
        %t0 = make_token : token
        %x, %y, %z = get_tile_block_id : tile<i32>
        %g = get_global @table : tile<ptr<i32>>
        %from = offset %g, %x : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
        %v, %t1 = load_ptr_tko weak %from token=%t0 : tile<ptr<i32>> -> tile<i32>, token
        %to = offset %p, %x : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
        %t2 = store_ptr_tko weak %to, %v token=%t0 : tile<ptr<i32>>, tile<i32> -> token
        return
    }";
    assert_eq!(result(text, 2), [5, 6]);
    let ptx = kernel(text, Target::Sm80).ptx();
    assert!(ptx.contains(".visible .global .align 32 .b8 table[16]"), "{ptx}");
}

#[test]
fn tiles_print_in_brackets() {
    let text = "entry @k(%p: tile<ptr<i32>>) {
        %n = iota : tile<8xi32>
        %low = trunci %n : tile<8xi32> -> tile<8xi4>
        %wide = exti %low signed : tile<8xi4> -> tile<8xi32>
        %three = constant <i32: 3> : tile<8xi32>
        %shifted = subi %wide, %three : tile<8xi32>
        %tile = reshape %shifted : tile<8xi32> -> tile<2x1x4xi32>
        %half = constant <f16: 0.5> : tile<f16>
        %t = print_tko \"%5.1f%% of %d|%#x\\0A\", %half, %tile, %n : tile<f16>, tile<2x1x4xi32>, tile<8xi32> -> token
        return
    }";
    let report = run(text, Target::Sm80, [1, 1, 1], &mut vec![0; 4], 3);
    let expected = "  0.5% of [[[-3, -2, -1, 0]], [[1, 2, 3, 4]]]|[0, 0x1, 0x2, 0x3, 0x4, 0x5, 0x6, 0x7]\n";
    assert_eq!(String::from_utf8_lossy(&report.printed), expected);
}
