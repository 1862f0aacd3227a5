//! Memory that is replicated on several devices. The PTX machine is one device: there is one replica.

use crate::support::{assembles, module, run};
use tilewright_gpu::{Target, compile};

/// Does something with a view `%w` of `shape` numbers at `%p`, whose tiles are `%x` of a view of those behind.
fn text(elem: &str, (shape, strides): (&str, &str), tile: &str, body: &str) -> String {
    let dims = shape.replace(", ", "x");
    let steps = strides.replace(' ', "");
    let (plain, shared) = (
        format!("tensor_view<{dims}x{elem}, strides=[{steps}]>"),
        format!("tensor_view<{dims}x{elem}, strides=[{steps}], #cuda_tile.ptr_attr<multicast>>"),
    );
    let (pv, sv) =
        (format!("partition_view<tile=({tile}), {plain}>"), format!("partition_view<tile=({tile}), padding_value = zero, {shared}>"));
    let body = body.replace("SV", &sv).replace("PV", &pv).replace("TILE", &format!("tile<{tile}x{elem}>"));
    format!(
        "entry @k(%p: tile<ptr<{elem}>>) {{
            %i, %j, %z = get_tile_block_id : tile<i32>
            %far = constant <i32: 64> : tile<i32>
            %q = offset %p, %far : tile<ptr<{elem}>>, tile<i32> -> tile<ptr<{elem}>>
            %o = offset %q, %far : tile<ptr<{elem}>>, tile<i32> -> tile<ptr<{elem}>>
            %address = ptr_to_int %p : tile<ptr<{elem}>> -> tile<i64>
            %m = int_to_ptr %address : tile<i64> -> tile<ptr<{elem}, <multicast>>>
            %tv = make_tensor_view %m, shape = [{shape}], strides = [{strides}] : tile<ptr<{elem}, <multicast>>> -> {shared}
            %w = make_partition_view %tv : {sv}
            %qv = make_tensor_view %q, shape = [{shape}], strides = [{strides}] : tile<ptr<{elem}>> -> {plain}
            %qw = make_partition_view %qv : {pv}
            %ov = make_tensor_view %o, shape = [{shape}], strides = [{strides}] : tile<ptr<{elem}>> -> {plain}
            %ow = make_partition_view %ov : {pv}
            %t = make_token : token
            %x, %t0 = load_view_tko weak %qw[%i, %j] token = %t : {pv}, tile<i32> -> tile<{tile}x{elem}>, token
            {body}
            return
        }}"
    )
}

const STORE: &str = "%t1 = multimem_store_view_tko weak %w, %x[%i, %j] token = %t0 : SV, TILE, tile<i32>, token -> token";
const ADD: &str = "%t1 = multimem_reduce_view_tko relaxed sys %w, %x[%i, %j] token = %t0 attributes {reduction = #cuda_tile.multimem_reduction_kind<add>} : SV, TILE, tile<i32>, token -> token";
const LOAD: &str =
    "%y, %t1 = multimem_load_reduce_view_tko weak %w[%i, %j] token = %t0 attributes {reduction = #cuda_tile.multimem_reduction_kind<add>} : SV, tile<i32>, token -> TILE, token
    %t2 = store_view_tko weak %y, %ow[%i, %j] token = %t1 : TILE, PV, tile<i32> -> token";

/// 64 numbers of 1, 64 of 2, and 64 of 0 behind.
fn numbers(elem: &str) -> Vec<u8> {
    let [one, two]: [Vec<u8>; 2] = match elem {
        "f16" => [0x3c00u16, 0x4000].map(|bits| bits.to_le_bytes().to_vec()),
        "bf16" => [0x3f80u16, 0x4000].map(|bits| bits.to_le_bytes().to_vec()),
        "f32" => [1f32, 2.0].map(|number| number.to_le_bytes().to_vec()),
        "f64" => [1f64, 2.0].map(|number| number.to_le_bytes().to_vec()),
        "i64" => [1i64, 2].map(|number| number.to_le_bytes().to_vec()),
        _ => [1i32, 2].map(|number| number.to_le_bytes().to_vec()),
    };
    [one.repeat(64), two.repeat(64), vec![0; 64 * one.len()]].concat()
}

/// What 64 numbers are, each as a digit.
fn digits(elem: &str, bytes: &[u8]) -> String {
    let digit = |number: &[u8]| -> char {
        let wide: [u8; 8] = std::array::from_fn(|i| number.get(i).copied().unwrap_or(0));
        let bits = u64::from_le_bytes(wide);
        let known = match elem {
            "f16" => [0, 0x3c00, 0x4000, 0x4200],
            "bf16" => [0, 0x3f80, 0x4000, 0x4040],
            "f32" => [0f32, 1.0, 2.0, 3.0].map(|number| number.to_bits().into()),
            "f64" => [0f64, 1.0, 2.0, 3.0].map(f64::to_bits),
            _ => [0, 1, 2, 3],
        };
        known.iter().position(|known| *known == bits).map_or('?', |digit| char::from(b'0' + digit as u8))
    };
    bytes.chunks_exact(bytes.len() / 64).map(digit).collect()
}

const ELEMS: [&str; 6] = ["i32", "i64", "f32", "f64", "f16", "bf16"];

/// What is in the replica, and what was loaded, of a tensor of 3 rows of 7 numbers, of which blocks take tiles.
fn result(elem: &str, tile: &str, body: &str) -> [String; 2] {
    let rows: Vec<u32> = tile.split('x').map(|extent| extent.parse().expect("a number")).collect();
    let grid = [3u32.div_ceil(rows[0]), 7u32.div_ceil(rows[1]), 1];
    let text = text(elem, ("3, 7", "8, 1"), tile, body);
    let results = [0, 1].map(|seed| {
        let mut buffer = numbers(elem);
        run(&text, Target::Sm90, grid, &mut buffer, seed);
        let third = buffer.len() / 3;
        [digits(elem, &buffer[..third]), digits(elem, &buffer[2 * third..])]
    });
    assert_eq!(results[0], results[1]);
    results[0].clone()
}

/// 64 digits of which those of the tensor are others.
fn expected(inside: char, outside: char) -> String {
    (0..64).map(|i| if i % 8 < 7 && i / 8 < 3 { inside } else { outside }).collect()
}

#[test]
fn replicas_are_stored_combined_and_loaded() {
    for elem in ELEMS {
        // Tiles that reach out of the tensor, in the middle of a pair of 16-bit numbers, and columns of single ones.
        for tile in ["2x4", "4x8", "1x8", "2x1", "4x1"] {
            let what = format!("{elem} in tiles of {tile}");
            assert_eq!(result(elem, tile, STORE)[0], expected('2', '1'), "{what}");
            assert_eq!(result(elem, tile, ADD)[0], expected('3', '1'), "{what}");
            assert_eq!(result(elem, tile, LOAD)[1], expected('1', '0'), "{what}");
        }
    }
}

#[test]
fn pairs_of_halves_are_one_access() {
    let of = |body: &str, tile: &str| {
        let text = text("f16", ("4, 8", "8, 1"), tile, body);
        compile(&module(&text), "k", Target::Sm90).expect("it is compiled").ptx()
    };
    let ptx = of(ADD, "2x4");
    assert!(ptx.contains("multimem.red.relaxed.sys.global.add.f16x2"), "{ptx}");
    assert!(of(LOAD, "2x4").contains("multimem.ld_reduce.weak.global.add.f16x2"));
    let ptx = of(STORE, "2x4");
    assert!(ptx.contains("multimem.st.weak.global.b32") && !ptx.contains("multimem.red"), "{ptx}");
}

#[test]
fn what_devices_cannot_do_is_refused() {
    let refused = |body: &str, tile: &str, target| {
        let text = text("f16", ("3, 7", "8, 1"), tile, body);
        compile(&module(&text), "k", target).expect_err("it is refused").to_string()
    };
    let old = refused(STORE, "2x4", Target::Sm89);
    assert!(old.contains("memory of several devices, which GPUs have from sm_90 on, is not compiled for sm_89"), "{old}");
    let strong = STORE.replace("weak", "relaxed sys");
    let single = refused(&strong, "2x1", Target::Sm90);
    assert!(single.contains("a strong store of single 16-bit floats to several devices"), "{single}");
}

#[test]
fn the_assembler_takes_accesses_to_replicas() {
    let texts = ["i32", "i64", "f32", "f64", "f16", "bf16"].iter().flat_map(|elem| {
        let kinds: &[&str] = match *elem {
            "i32" | "i64" => &["add", "min", "max", "and", "or", "xor", "umin", "umax"],
            "f16" | "bf16" => &["add", "min", "max"],
            _ => &["add"],
        };
        let bodies = kinds.iter().flat_map(|kind| {
            let of = |body: &str| body.replace("kind<add>", &format!("kind<{kind}>"));
            // Floats are only added to replicas.
            let adds = *kind == "add" || elem.starts_with('i');
            [STORE.to_owned(), of(LOAD), of(&LOAD.replace("weak %w", "acquire device %w"))].into_iter().chain(adds.then(|| of(ADD)))
        });
        bodies.map(|body| text(elem, ("3, 7", "8, 1"), "2x4", &body)).collect::<Vec<_>>()
    });
    assembles(&texts.collect::<Vec<_>>(), &[Target::Sm90, Target::Sm100]);
}
