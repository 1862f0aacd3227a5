//! Elements of 4 bits in memory, two in a byte.

use crate::support::{assembles, kernel, run};
use tilewright_gpu::Target;

/// Bytes that are read, behind which others are written.
const READ: usize = 512;

/// A tensor's shape and strides, and the view of it with its indices.
#[derive(Clone, Copy)]
struct View {
    tensor: (&'static str, &'static str),
    kind: &'static str,
    index: &'static str,
}

const fn partition(shape: &'static str, strides: &'static str, index: &'static str) -> View {
    View { tensor: (shape, strides), kind: "partition", index }
}

/// The bytes that are read.
fn source() -> Vec<u8> {
    [0x21, 0x43, 0x65, 0x87, 0xa9, 0xcb].into_iter().chain((6..READ).map(|i| (i * 37) as u8)).collect()
}

/// Copies a tile from one view to another.
fn text(from: View, to: View, tile: &str, order: &str) -> String {
    let tensor =
        |view: View| format!("tensor_view<{}xf4E2M1FN, strides=[{}]>", view.tensor.0.replace(", ", "x"), view.tensor.1.replace(' ', ""));
    let (a, b) = (tensor(from), tensor(to));
    let ty = |view: View, padding: &str, tensor: &str| match view.kind {
        "strided" => format!("strided_view<tile=({tile}), traversal_strides=[1], {padding}{tensor}>"),
        kind => format!("{kind}_view<tile=({tile}), {padding}{tensor}>"),
    };
    let (ta, tb) = (ty(from, "padding_value = nan, ", &a), ty(to, "", &b));
    format!(
        "entry @k(%p: tile<ptr<f4E2M1FN>>) {{
            %x, %y, %z = get_tile_block_id : tile<i32>
            %zero = constant <i32: 0> : tile<i32>
            %one = constant <i32: 1> : tile<i32>
            %three = constant <i32: 3> : tile<i32>
            %far = constant <i32: {far}> : tile<i32>
            %q = offset %p, %far : tile<ptr<f4E2M1FN>>, tile<i32> -> tile<ptr<f4E2M1FN>>
            %a = make_tensor_view %p, shape = [{}], strides = [{}] : tile<ptr<f4E2M1FN>> -> {a}
            %b = make_tensor_view %q, shape = [{}], strides = [{}] : tile<ptr<f4E2M1FN>> -> {b}
            %av = make_{}_view %a : {ta}
            %bv = make_{}_view %b : {tb}
            %t = make_token : token
            %v, %t0 = load_view_tko weak %av[{}] token = %t : {ta}, tile<i32> -> tile<{tile}xf4E2M1FN>, token
            %t1 = store_view_tko {order} %v, %bv[{}] token = %t0 : tile<{tile}xf4E2M1FN>, {tb}, tile<i32> -> token
            return
        }}",
        from.tensor.0,
        from.tensor.1,
        to.tensor.0,
        to.tensor.1,
        from.kind,
        to.kind,
        from.index,
        to.index,
        far = 2 * READ,
    )
}

/// What is written, in all orders of threads that are tried.
fn copied(text: &str, blocks: u32, before: &[u8]) -> Vec<u8> {
    let results = [0, 1, 2].map(|seed| {
        let mut buffer = source();
        buffer.extend(before);
        run(text, Target::Sm80, [blocks, 1, 1], &mut buffer, seed);
        buffer[READ..].to_vec()
    });
    assert!(results[0] == results[1] && results[1] == results[2], "{results:x?}");
    results[0].clone()
}

/// From where to where a tile is copied, and what is there before and after.
type Copied<'a> = (View, View, &'a str, &'a [u8], &'a [u8]);

#[test]
fn two_share_a_byte() {
    let cases: [Copied<'_>; 5] = [
        (partition("8", "1", "%x"), partition("8", "1", "%x"), "8", &[0; 4], &[0x21, 0x43, 0x65, 0x87]),
        // The tile ends behind the tensor: what lies there stays.
        (partition("8", "1", "%x"), partition("6", "1", "%x"), "8", &[0xff; 4], &[0x21, 0x43, 0x65, 0xff]),
        // What is loaded from behind the tensor is the padding: NaN, which the type does not have, is 6.
        (partition("6", "1", "%x"), partition("8", "1", "%x"), "8", &[0; 4], &[0x21, 0x43, 0x65, 0x77]),
        (partition("2, 4", "6, 1", "%x, %x"), partition("2, 4", "4, 1", "%x, %x"), "2x4", &[0; 4], &[0x21, 0x43, 0x87, 0xa9]),
        // Columns.
        (partition("2, 4", "4, 1", "%x, %x"), partition("2, 4", "1, 2", "%x, %x"), "2x4", &[0; 4], &[0x51, 0x62, 0x73, 0x84]),
    ];
    for (from, to, tile, before, expected) in cases {
        for order in ["weak", "relaxed device", "release sys"] {
            assert_eq!(copied(&text(from, to, tile, order), 1, before), expected, "{:?} to {:?}", from.tensor, to.tensor);
        }
    }
}

#[test]
fn bytes_are_loaded_and_stored_many_at_a_time() {
    let view = partition("1024", "1", "%x");
    let plain = text(view, view, "1024", "weak");
    let promise = "%p = assume div_by<16>, %p0 : tile<ptr<f4E2M1FN>>\n%x, %y";
    let of_second = "%q = assume div_by<16>, %q0 : tile<ptr<f4E2M1FN>>\n%a = make";
    let promised = plain.replace("%p: tile", "%p0: tile").replacen("%x, %y", promise, 1);
    let promised = promised.replace("%q = offset", "%q0 = offset").replace("%a = make", of_second);
    for (text, access, count) in [(plain, "global.u8", 4), (promised, "global.u32", 1)] {
        let ptx = kernel(&text, Target::Sm80).ptx();
        assert!(!ptx.contains("atom"), "{ptx}");
        let [loads, stores] = ["ld.", "st."].map(|kind| ptx.matches(&format!("{kind}{access}")).count());
        assert_eq!([loads, stores], [count; 2], "{ptx}");
        assert_eq!(copied(&text, 1, &[0; READ]), source());
    }
}

/// Blocks and threads write halves of one byte at once.
#[test]
fn halves_of_bytes_are_written_one_by_one() {
    // A tile has one element of each row; each block has a column.
    let (from, to) = (partition("2, 8", "8, 1", "%zero, %x"), partition("2, 8", "8, 1", "%zero, %x"));
    let columns = text(from, to, "2x1", "weak");
    assert_eq!(copied(&columns, 8, &[0; 8]), [0x21, 0x43, 0x65, 0x87, 0xa9, 0xcb, 0xde, 0x03]);
    assert_eq!(copied(&columns, 3, &[0xff; 8]), [0x21, 0xf3, 0xff, 0xff, 0xa9, 0xfb, 0xff, 0xff]);
    assert_eq!(copied(&text(from, to, "2x1", "release device"), 8, &[0; 8]), [0x21, 0x43, 0x65, 0x87, 0xa9, 0xcb, 0xde, 0x03]);
    // Tiles that begin at each element.
    let strided = View { tensor: ("12", "1"), kind: "strided", index: "%three" };
    let from_third = text(strided, partition("4", "1", "%zero"), "4", "weak");
    assert_eq!(copied(&from_third, 1, &[0; 2]), [0x54, 0x76]);
    let to_first = text(partition("4", "1", "%zero"), View { tensor: ("8", "1"), index: "%one", ..strided }, "4", "weak");
    assert_eq!(copied(&to_first, 1, &[0xff; 4]), [0x1f, 0x32, 0xf4, 0xff]);
    // What is behind the tensor is neither read nor written.
    let over = text(View { tensor: ("6", "1"), ..strided }, View { tensor: ("6", "1"), ..strided }, "4", "weak");
    assert_eq!(copied(&over, 1, &[0; 4]), [0x00, 0x40, 0x65, 0x00]);
}

#[test]
fn the_assembler_takes_packed_accesses() {
    let (whole, columns) = (partition("1024", "1", "%x"), partition("2, 8", "8, 1", "%zero, %x"));
    let orders = ["weak", "release device"];
    let texts = orders.iter().flat_map(|order| [text(whole, whole, "1024", order), text(columns, columns, "2x1", order)]);
    assembles(&texts.collect::<Vec<_>>(), &[Target::Sm80, Target::Sm90, Target::Sm120]);
}
