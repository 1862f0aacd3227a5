//! How many registers threads need, and what is done about it.

use crate::support::{assembles, kernel, run};
use tilewright_gpu::Target;

/// Sums of products of `f16` in tiles of `rows` by `rows` sums and 64 terms. Nothing is known of pointers and strides, so elements are loaded one by
/// one; the right factor lies by columns.
fn product(rows: usize) -> String {
    let tensor = |elem: &str| format!("tensor_view<?x?x{elem}, strides=[?,1]>");
    let view = |columns: usize, elem: &str| format!("partition_view<tile=({rows}x{columns}), padding_value = zero, {}>", tensor(elem));
    let (factors, sums) = (view(64, "f16"), view(rows, "f32"));
    let make = |name: &str, elem: &str, pointer: &str| {
        let made = format!("%{name} = make_tensor_view %{pointer}, shape = [%m, %n], strides = [%s, 1] : tile<i32> -> {}", tensor(elem));
        format!(
            "{made}\n%{name}v = make_partition_view %{name} : partition_view<tile=({rows}x{{columns}}), padding_value = zero, {}>",
            tensor(elem)
        )
    };
    let [a, b] = ["a", "b"].map(|name| make(name, "f16", &format!("p{name}")).replace("{columns}", "64"));
    let c = make("c", "f32", "pc").replace("{columns}", &rows.to_string());
    format!(
        "entry @k(%pa: tile<ptr<f16>>, %pb: tile<ptr<f16>>, %pc: tile<ptr<f32>>, %m: tile<i32>, %n: tile<i32>, %s: tile<i32>, %count: tile<i32>) {{
            {a}
            {b}
            {c}
            %t = make_token : token
            %zero = constant <i32: 0> : tile<i32>
            %one = constant <i32: 1> : tile<i32>
            %x, %y, %z = get_tile_block_id : tile<i32>
            %nothing = constant <f32: 0.0> : tile<{rows}x{rows}xf32>
            %sums = for %i in (%zero to %count, step %one) : tile<i32> iter_values(%acc = %nothing) -> (tile<{rows}x{rows}xf32>) {{
                %l, %t1 = load_view_tko weak %av[%x, %i] token = %t : {factors}, tile<i32> -> tile<{rows}x64xf16>, token
                %r0, %t2 = load_view_tko weak %bv[%y, %i] token = %t : {factors}, tile<i32> -> tile<{rows}x64xf16>, token
                %r = permute %r0 [1, 0] : tile<{rows}x64xf16> -> tile<64x{rows}xf16>
                %next = mmaf %l, %r, %acc : tile<{rows}x64xf16>, tile<64x{rows}xf16>, tile<{rows}x{rows}xf32>
                continue %next : tile<{rows}x{rows}xf32>
            }}
            %t3 = store_view_tko weak %sums, %cv[%x, %y] token = %t : tile<{rows}x{rows}xf32>, {sums}, tile<i32> -> token
            return
        }}"
    )
}

#[test]
fn loops_keep_a_distance_for_each_bit_of_registers_and_no_masks() {
    let kernel = kernel(&product(64), Target::Sm80);
    // Each thread loads 64 elements a round; an address of each is two registers.
    assert!(kernel.code().registers() < 200, "{}", kernel.code().registers());
    let ptx = kernel.ptx();
    // What a mask compares for each row does not change from round to round, but would need a mask for each: in front of the loop and in it, the
    // comparison is part of what uses it.
    assert!(ptx.matches("setp.lt.and").count() >= 128, "{ptx}");
}

#[test]
fn blocks_have_more_warps_where_registers_are_short() {
    for (rows, threads) in [(64, 128), (128, 256)] {
        let kernel = kernel(&product(rows), Target::Sm80);
        assert_eq!((kernel.code().threads, kernel.code().registers() <= 300), (threads, true), "{}", kernel.code().registers());
    }
}

#[test]
fn what_takes_many_registers_assembles() {
    assembles(&[product(64), product(128)], &Target::ALL);
}

/// `tanh` takes eight numbers of an interval.
#[test]
fn tables_of_one_index_are_read_together() {
    let text = "entry @k(%p: tile<ptr<f32>>) {
        %n = iota : tile<128xi32>
        %x0 = itof %n signed : tile<128xi32> -> tile<128xf32>
        %scale = constant <f32: 0.03> : tile<128xf32>
        %x = mulf %x0, %scale : tile<128xf32>
        %y = tanh %x : tile<128xf32>
        %zero = constant <i32: 0> : tile<i32>
        %v = make_tensor_view %p, shape = [128], strides = [1] : tile<ptr<f32>> -> tensor_view<128xf32, strides=[1]>
        %w = make_partition_view %v : partition_view<tile=(128), tensor_view<128xf32, strides=[1]>>
        %t0 = make_token : token
        %t1 = store_view_tko weak %y, %w[%zero] token = %t0 : tile<128xf32>, partition_view<tile=(128), tensor_view<128xf32, strides=[1]>>, tile<i32> -> token
        return
    }";
    let ptx = kernel(text, Target::Sm80).ptx();
    assert_eq!((ptx.matches("ld.const.v4.f32").count(), ptx.matches("ld.const").count()), (2, 2), "{ptx}");
    let mut buffer = vec![0; 4 * 128];
    run(text, Target::Sm80, [1, 1, 1], &mut buffer, 1);
    for (i, bytes) in buffer.chunks(4).enumerate() {
        let (found, exact) = (f32::from_le_bytes(bytes.try_into().expect("four bytes")), f64::from(i as f32 * 0.03).tanh());
        assert!((f64::from(found) - exact).abs() <= 1e-7, "{i}: {found} for {exact}");
    }
}
