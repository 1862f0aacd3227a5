//! Tiles that are larger than the registers of a few warps.

use crate::support::{assembles, kernel, run};
use tilewright_gpu::Target;

/// Adds one to numbers, and stores their sum behind them.
fn text(count: usize) -> String {
    let (tensor, tile) = (format!("tensor_view<{count}xi32, strides=[1]>"), format!("tile<{count}xi32>"));
    format!(
        "entry @k(%p0: tile<ptr<i32>>) {{
            %p = assume div_by<16>, %p0 : tile<ptr<i32>>
            %t = make_token : token
            %zero = constant <i32: 0> : tile<i32>
            %one = constant <i32: 1> : {tile}
            %far = constant <i32: {count}> : tile<i32>
            %v = make_tensor_view %p, shape = [{count}], strides = [1] : tile<ptr<i32>> -> {tensor}
            %w = make_partition_view %v : partition_view<tile=({count}), {tensor}>
            %x, %t1 = load_view_tko weak %w[%zero] token = %t : partition_view<tile=({count}), {tensor}>, tile<i32> -> {tile}, token
            %y = addi %x, %one : {tile}
            %t2 = store_view_tko weak %y, %w[%zero] token = %t1 : {tile}, partition_view<tile=({count}), {tensor}>, tile<i32> -> token
            %r = reduce %y dim=0 identities=[0 : i32] : {tile} -> tile<i32> (%a: tile<i32>, %b: tile<i32>) {{
                %c = addi %a, %b : tile<i32>
                yield %c : tile<i32>
            }}
            %q = offset %p, %far : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
            %t3 = store_ptr_tko weak %q, %r token=%t1 : tile<ptr<i32>>, tile<i32> -> token
            return
        }}"
    )
}

#[test]
fn larger_tiles_have_more_warps() {
    for (bits, threads) in [(7, 128), (14, 128), (15, 256), (16, 512), (17, 1024), (18, 1024)] {
        let ptx = kernel(&text(1 << bits), Target::Sm90).ptx();
        assert!(ptx.contains(&format!(".reqntid {threads}, 1, 1")), "{bits}");
    }
}

#[test]
fn rows_of_a_vocabulary_fit_a_block() {
    let count = 1 << 17;
    let number = |i: i32| i.wrapping_mul(0x2545_f491) >> 8;
    let mut buffer: Vec<u8> = (0..count).flat_map(|i| number(i).to_le_bytes()).chain([0; 4]).collect();
    run(&text(count as usize), Target::Sm80, [1, 1, 1], &mut buffer, 1);
    let expected: Vec<i32> = (0..count).map(|i| number(i) + 1).collect();
    let sum = expected.iter().fold(0i32, |sum, number| sum.wrapping_add(*number));
    let expected: Vec<u8> = expected.into_iter().chain([sum]).flat_map(i32::to_le_bytes).collect();
    assert!(buffer == expected);
}

#[test]
fn a_product_of_large_tiles_is_shared_by_more_warps() {
    let text = "entry @k(%p0: tile<ptr<f16>>) {
        %p = assume div_by<16>, %p0 : tile<ptr<f16>>
        %t = make_token : token
        %zero = constant <i32: 0> : tile<i32>
        %far = constant <i32: 16384> : tile<i32>
        %q = offset %p, %far : tile<ptr<f16>>, tile<i32> -> tile<ptr<f16>>
        %a = make_tensor_view %p, shape = [128, 16], strides = [16, 1] : tile<ptr<f16>> -> tensor_view<128x16xf16, strides=[16,1]>
        %b = make_tensor_view %p, shape = [16, 256], strides = [256, 1] : tile<ptr<f16>> -> tensor_view<16x256xf16, strides=[256,1]>
        %c = make_tensor_view %q, shape = [128, 256], strides = [256, 1] : tile<ptr<f16>> -> tensor_view<128x256xf16, strides=[256,1]>
        %av = make_partition_view %a : partition_view<tile=(128x16), tensor_view<128x16xf16, strides=[16,1]>>
        %bv = make_partition_view %b : partition_view<tile=(16x256), tensor_view<16x256xf16, strides=[256,1]>>
        %cv = make_partition_view %c : partition_view<tile=(128x256), tensor_view<128x256xf16, strides=[256,1]>>
        %l, %t1 = load_view_tko weak %av[%zero, %zero] token = %t : partition_view<tile=(128x16), tensor_view<128x16xf16, strides=[16,1]>>, tile<i32> -> tile<128x16xf16>, token
        %r, %t2 = load_view_tko weak %bv[%zero, %zero] token = %t : partition_view<tile=(16x256), tensor_view<16x256xf16, strides=[256,1]>>, tile<i32> -> tile<16x256xf16>, token
        %nothing = constant <f32: 0.0> : tile<128x256xf32>
        %s = mmaf %l, %r, %nothing : tile<128x16xf16>, tile<16x256xf16>, tile<128x256xf32>
        %h = ftof %s : tile<128x256xf32> -> tile<128x256xf16>
        %t3 = store_view_tko weak %h, %cv[%zero, %zero] token = %t : tile<128x256xf16>, partition_view<tile=(128x256), tensor_view<128x256xf16, strides=[256,1]>>, tile<i32> -> token
        return
    }";
    let ptx = kernel(text, Target::Sm80).ptx();
    assert!(ptx.contains(".reqntid 256, 1, 1") && ptx.contains("mma.sync"), "{ptx}");
    let halves = [0u16, 0x3c00, 0x4000, 0x4200];
    let number = |i: usize| (i * 7 + i / 5) % 4;
    let mut buffer: Vec<u8> = (0..16384).flat_map(|i| halves[number(i)].to_le_bytes()).chain(vec![0; 2 << 15]).collect();
    run(text, Target::Sm80, [1, 1, 1], &mut buffer, 2);
    let sum = |i: usize| (0..16).map(|k| number(i / 256 * 16 + k) * number(k * 256 + i % 256)).sum::<usize>();
    for (i, half) in buffer[32768..].chunks_exact(2).enumerate() {
        // Whole numbers below 2^11 as halves.
        let bits = u16::from_le_bytes([half[0], half[1]]);
        let number = if bits == 0 { 0 } else { ((1024 + u32::from(bits & 1023)) << ((bits >> 10) - 15)) >> 10 };
        assert_eq!(number as usize, sum(i), "{i}");
    }
}

#[test]
fn the_assembler_takes_large_tiles() {
    assembles(&[15, 17, 18].map(|bits| text(1 << bits)), &[Target::Sm80, Target::Sm100]);
}
