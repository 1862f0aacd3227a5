//! Changes of layout through shared memory have no bank conflicts, and factors of products are read 16 bytes at once.

use crate::support::{kernel, run};
use tilewright_gpu::Target;

/// The type of a view of 64 x 64 numbers, and that of its one tile.
fn types(ty: &str) -> [String; 2] {
    let view = format!("tensor_view<64x64x{ty}, strides=[64,1]>");
    let tiles = format!("partition_view<tile=(64x64), {view}>");
    [view, tiles]
}

/// Defines `%NAME`, the numbers at a pointer as a view of one tile.
fn view(name: &str, ty: &str, pointer: &str) -> String {
    let [view, tiles] = types(ty);
    format!(
        "%whole_{name} = make_tensor_view {pointer}, shape = [64, 64], strides = [64, 1] : tile<ptr<{ty}>> -> {view}
            %{name} = make_partition_view %whole_{name} : {tiles}"
    )
}

/// Transposes a tile of 64 x 64 numbers at `%p` to the place behind it.
fn transpose(ty: &str, aligned: u32) -> String {
    let [_, tiles] = types(ty);
    format!(
        "entry @k(%p0: tile<ptr<{ty}>>) {{
            %p = assume div_by<{aligned}>, %p0 : tile<ptr<{ty}>>
            %far = constant <i32: 4096> : tile<i32>
            %zero = constant <i32: 0> : tile<i32>
            %q = offset %p, %far : tile<ptr<{ty}>>, tile<i32> -> tile<ptr<{ty}>>
            {a}
            {b}
            %t0 = make_token : token
            %v, %t1 = load_view_tko weak %a[%zero, %zero] token = %t0 : {tiles}, tile<i32> -> tile<64x64x{ty}>, token
            %w = permute %v [1, 0] : tile<64x64x{ty}> -> tile<64x64x{ty}>
            %t2 = store_view_tko weak %w, %b[%zero, %zero] token = %t1 : tile<64x64x{ty}>, {tiles}, tile<i32> -> token
            return
        }}",
        a = view("a", ty, "%p"),
        b = view("b", ty, "%q"),
    )
}

#[test]
fn transposing_has_no_bank_conflicts() {
    for (ty, size) in [("i8", 1), ("f16", 2), ("f32", 4), ("f64", 8)] {
        for aligned in [size as u32, 16] {
            let text = transpose(ty, aligned);
            let mut buffer: Vec<u8> = (0..2 * 4096 * size).map(|i| (i * 7 % 253) as u8).collect();
            let before = buffer.clone();
            let report = run(&text, Target::Sm80, [1, 1, 1], &mut buffer, 0);
            let element = |row: usize, column: usize| (row * 64 + column) * size;
            for (row, column) in (0..64).flat_map(|row| (0..64).map(move |column| (row, column))) {
                let (from, to) = (element(column, row), 4096 * size + element(row, column));
                assert_eq!(buffer[to..to + size], before[from..from + size], "{ty}: {row}, {column}");
            }
            assert!(report.shared.accesses > 0);
            assert_eq!(report.shared.conflicts, 0, "{ty} aligned to {aligned}: {}", kernel(&text, Target::Sm80).ptx());
        }
    }
}

/// Adds the product of two tiles of 64 x 64 at `%p` to the tile of `sum` behind them.
fn product(ty: &str, sum: &str, op: &str, aligned: u32) -> String {
    let [[_, factors], [_, sums]] = [ty, sum].map(types);
    let [factor, total] = [ty, sum].map(|ty| format!("tile<64x64x{ty}>"));
    format!(
        "entry @k(%p0: tile<ptr<{ty}>>) {{
            %p = assume div_by<{aligned}>, %p0 : tile<ptr<{ty}>>
            %far = constant <i32: 4096> : tile<i32>
            %zero = constant <i32: 0> : tile<i32>
            %q = offset %p, %far : tile<ptr<{ty}>>, tile<i32> -> tile<ptr<{ty}>>
            %r0 = offset %q, %far : tile<ptr<{ty}>>, tile<i32> -> tile<ptr<{ty}>>
            %r = ptr_to_ptr %r0 : tile<ptr<{ty}>> -> tile<ptr<{sum}>>
            {a}
            {b}
            {c}
            %t0 = make_token : token
            %x, %t1 = load_view_tko weak %a[%zero, %zero] token = %t0 : {factors}, tile<i32> -> {factor}, token
            %y, %t2 = load_view_tko weak %b[%zero, %zero] token = %t0 : {factors}, tile<i32> -> {factor}, token
            %z, %t3 = load_view_tko weak %c[%zero, %zero] token = %t0 : {sums}, tile<i32> -> {total}, token
            %s = {op} %x, %y, %z {signs}: {factor}, {factor}, {total}
            %t4 = store_view_tko weak %s, %c[%zero, %zero] token = %t3 : {total}, {sums}, tile<i32> -> token
            return
        }}",
        a = view("a", ty, "%p"),
        b = view("b", ty, "%q"),
        c = view("c", sum, "%r"),
        signs = if op == "mmai" { "unsigned unsigned " } else { "" },
    )
}

#[test]
fn factors_are_read_16_bytes_at_once_without_conflicts() {
    // Threads that have 8 neighbours store them at once, and lanes get the words of fragments out of rows of matrices; bytes cannot be transposed so.
    let [plain, transposed, wide] =
        ["ldmatrix.sync.aligned.m8n8.x4.shared.b16", "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", "ld.shared.v4.u32"];
    let kinds = [
        ("f16", "f32", "mmaf", 2, 16, vec![plain, transposed]),
        ("f16", "f32", "mmaf", 2, 2, vec![wide, "ld.shared.v4.f32"]),
        ("i8", "i32", "mmai", 1, 16, vec![plain, wide]),
    ];
    for (ty, sum, op, size, aligned, forms) in kinds {
        let text = product(ty, sum, op, aligned);
        let number = |i: usize, modulus: usize| i % modulus;
        let mut buffer = vec![0u8; 4096 * (2 * size + 4)];
        for (i, bytes) in buffer[..2 * 4096 * size].chunks_mut(size).enumerate() {
            let value = if i < 4096 { number(i, 7) } else { number(i - 4096, 5) };
            // Small numbers as halves.
            let half = [0u16, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600];
            bytes.copy_from_slice(&if size == 2 { half[value].to_le_bytes().to_vec() } else { vec![value as u8] });
        }
        let total = |value: usize| if op == "mmai" { (value as i32).to_le_bytes() } else { (value as f32).to_le_bytes() };
        for (i, bytes) in buffer[2 * 4096 * size..].chunks_mut(4).enumerate() {
            bytes.copy_from_slice(&total(number(i, 3)));
        }
        let report = run(&text, Target::Sm80, [1, 1, 1], &mut buffer, 0);
        let ptx = kernel(&text, Target::Sm80).ptx();
        let mut reads: Vec<&str> = report.counts.iter().map(|count| count.form.as_str()).collect();
        reads.retain(|form| form.starts_with("ldmatrix") || form.starts_with("ld.shared"));
        reads.sort_by_key(|form| form.starts_with("ld."));
        assert_eq!(reads, forms, "{ty} aligned to {aligned}: {ptx}");
        assert_eq!(report.shared.conflicts, 0, "{ty} aligned to {aligned}: {ptx}");
        for (at, bytes) in buffer[2 * 4096 * size..].chunks(4).enumerate() {
            let (row, column) = (at / 64, at % 64);
            let sum: usize = (0..64).map(|k| number(row * 64 + k, 7) * number(k * 64 + column, 5)).sum();
            assert_eq!(bytes, total(sum + number(at, 3)), "{ty}: {row}, {column}");
        }
    }
}
