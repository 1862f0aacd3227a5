//! Operations that are not elementwise, with the types and keywords that change how they run.

use super::{
    Case,
    frame::{BLOCKS, Fill, Frame, TILE, tile},
};
use tilewright::ir::{AtomicRMWMode, Opcode, Scalar, verify};

/// Operations that are not measured, and why.
pub(super) const NOT_MEASURED: &[(&[Opcode], &str)] = &[
    (
        &[Opcode::For, Opcode::Loop, Opcode::If, Opcode::Break, Opcode::Continue, Opcode::Yield, Opcode::Return, Opcode::PreviewCall],
        "control flow: it does nothing for each element",
    ),
    (
        &[Opcode::MakeToken, Opcode::JoinTokens, Opcode::MemoryFenceAliasTko, Opcode::GdcLaunchDependentsTko, Opcode::GdcWaitTko],
        "orders accesses: it does nothing for each element",
    ),
    (
        &[
            Opcode::MakeTensorView,
            Opcode::MakePartitionView,
            Opcode::MakeStridedView,
            Opcode::MakeGatherScatterView,
            Opcode::GetIndexSpaceShape,
            Opcode::GetTensorShape,
            Opcode::GetTileBlockId,
            Opcode::GetNumTileBlocks,
            Opcode::GetGlobal,
            Opcode::Alloca,
            Opcode::Constant,
        ],
        "describes or names something: it does nothing for each element",
    ),
    (&[Opcode::PrintTko, Opcode::Assert, Opcode::Assume], "its time is that of its message, or of a check"),
    (
        &[Opcode::MultimemLoadReduceViewTko, Opcode::MultimemReduceViewTko, Opcode::MultimemStoreViewTko],
        "memory of several devices, which is one here: it is an access through a view",
    ),
];

/// The number types that memory has.
fn in_memory() -> impl Iterator<Item = Scalar> {
    Scalar::all().filter(|scalar| *scalar != Scalar::I4)
}

/// Those that one element of has an address of its own.
fn addressable() -> impl Iterator<Item = Scalar> {
    in_memory().filter(|scalar| *scalar != Scalar::F4E2M1FN)
}

fn is_arithmetic(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::F16 | Scalar::Bf16 | Scalar::F32 | Scalar::F64)
}

/// The rows and columns of a tile.
const SIDE: usize = 32;
/// A tensor's extent along which its tiles lie.
const LONG: usize = SIDE * BLOCKS;

/// All kernels.
pub(super) fn cases() -> anyhow::Result<Vec<Case>> {
    let mut cases = Vec::new();
    folds(&mut cases)?;
    pointers(&mut cases)?;
    views(&mut cases)?;
    atomics(&mut cases)?;
    products(&mut cases)?;
    shapes(&mut cases)?;
    Ok(cases)
}

/// Adds a kernel. What the verifier refuses is a mistake here.
fn add(cases: &mut Vec<Case>, name: String, mut frame: Frame, elements: usize) -> anyhow::Result<()> {
    frame.line("return");
    let module = verify(frame.parse()?).map_err(|findings| anyhow::anyhow!("{name}: {}", findings[0]))?;
    cases.push(Case { name, arrays: frame.arrays, elements, module });
    Ok(())
}

/// Reductions and scans, along rows and across them, with operations that have loops of their own and others.
fn folds(cases: &mut Vec<Case>) -> anyhow::Result<()> {
    const SHAPE: [usize; 2] = [16, 64];
    const FLOATS: [&str; 6] = ["addf %a, %b", "mulf %a, %b", "maxf %a, %b", "minf %a, %b", "subf %a, %b", "fma %a, %b, %a"];
    const INTEGERS: [&str; 8] = [
        "addi %a, %b",
        "muli %a, %b",
        "maxi %a, %b signed",
        "mini %a, %b unsigned",
        "andi %a, %b",
        "ori %a, %b",
        "xori %a, %b",
        "subi %a, %b",
    ];
    for scalar in addressable().filter(|scalar| scalar.is_int() || is_arithmetic(*scalar)) {
        let combiners = if scalar.is_int() { &INTEGERS[..] } else { &FLOATS[..] };
        for (fold, dim) in ["reduce", "scan"].into_iter().flat_map(|fold| [(fold, 1), (fold, 0)]) {
            for combiner in combiners {
                let result = if fold == "scan" { SHAPE.to_vec() } else { vec![SHAPE[1 - dim]] };
                let mut frame = Frame::new();
                frame.load("x", scalar, &SHAPE);
                let identity = if scalar.is_int() { "0" } else { "0.0" };
                let (t, reverse) = (tile(&[], scalar.name()), if fold == "scan" { "reverse=false " } else { "" });
                let types = format!("{} -> {}", tile(&SHAPE, scalar.name()), tile(&result, scalar.name()));
                let region = format!("(%a: {t}, %b: {t}) {{ %c = {combiner} : {t} yield %c : {t} }}");
                frame.line(format!("%y = {fold} %x dim={dim} {reverse}identities=[{identity} : {scalar}] : {types} {region}"));
                frame.store("y", scalar, &result);
                let operation = combiner.replace(" %a, %b, %a", "").replace(" %a, %b", "");
                let way = ["columns", "rows"][dim];
                add(cases, format!("{fold} {way} {operation} {scalar}"), frame, SHAPE[0] * SHAPE[1])?;
            }
        }
    }
    for dim in [1, 0] {
        let mut frame = Frame::new();
        frame.load("x", Scalar::F32, &SHAPE);
        frame.load("i", Scalar::I32, &SHAPE);
        let (x, i) = (tile(&SHAPE, "f32"), tile(&SHAPE, "i32"));
        let (y, j) = (tile(&[SHAPE[1 - dim]], "f32"), tile(&[SHAPE[1 - dim]], "i32"));
        frame.line(format!(
            "%y, %j = reduce %x, %i dim={dim} identities=[0.0 : f32, 0 : i32] : {x}, {i} -> {y}, {j}
             (%a: tile<f32>, %b: tile<f32>, %c: tile<i32>, %d: tile<i32>) {{
                 %e = cmpf greater_than ordered %a, %b : tile<f32> -> tile<i1>
                 %f = select %e, %a, %b : tile<i1>, tile<f32>
                 %g = select %e, %c, %d : tile<i1>, tile<i32>
                 yield %f, %g : tile<f32>, tile<i32>
             }}"
        ));
        frame.store("j", Scalar::I32, &[SHAPE[1 - dim]]);
        add(cases, format!("reduce {} greater f32, i32", ["columns", "rows"][dim]), frame, SHAPE[0] * SHAPE[1])?;
    }
    Ok(())
}

/// The places that a tile of pointers leads to, by name: `%places`, and what the array has for each.
fn places(frame: &mut Frame, kind: &str) -> usize {
    let numbers = tile(&[TILE], "i32");
    match kind {
        "scattered" => {
            frame.line(format!("%lanes = iota : {numbers}"));
            frame.pointers("from", Scalar::I32, "lanes", 1, Fill::Places);
            let pointers = tile(&[TILE], "ptr<i32>");
            frame.line(format!("%places, %read = load_ptr_tko weak %from : {pointers} -> {numbers}, token"));
            1
        }
        "stride 2" => {
            frame.line(format!("%lanes = iota : {numbers}"));
            frame.line(format!("%places = addi %lanes, %lanes : {numbers}"));
            2
        }
        "one place" => {
            frame.line(format!("%lanes = iota : {numbers}"));
            frame.line(format!("%places = subi %lanes, %lanes : {numbers}"));
            1
        }
        _ => {
            frame.line(format!("%places = iota : {numbers}"));
            1
        }
    }
}

fn pointers(cases: &mut Vec<Case>) -> anyhow::Result<()> {
    const KINDS: [&str; 3] = ["in order", "stride 2", "scattered"];
    for scalar in addressable() {
        let (from, values, bits) = (tile(&[TILE], &format!("ptr<{scalar}>")), tile(&[TILE], scalar.name()), tile(&[TILE], "i1"));
        for (kind, mask) in KINDS.into_iter().flat_map(|kind| ["", " masked", " padded"].map(|mask| (kind, mask))) {
            for order in ["weak", "relaxed device"] {
                let word = order == "weak" || !mask.is_empty() || !matches!(scalar.bits(), 8 | 16 | 32 | 64);
                if order != "weak" && word {
                    continue;
                }
                let mut frame = Frame::new();
                let stride = places(&mut frame, kind);
                frame.pointers("p", scalar, "places", stride, Fill::Numbers);
                if !mask.is_empty() {
                    frame.load("mask", Scalar::I1, &[TILE]);
                }
                let operands = match mask {
                    "" => format!("%p : {from}"),
                    " masked" => format!("%p, %mask : {from}, {bits}"),
                    _ => {
                        frame.load("padding", scalar, &[TILE]);
                        format!("%p, %mask, %padding : {from}, {bits}, {values}")
                    }
                };
                frame.line(format!("%y, %loaded = load_ptr_tko {order} {operands} -> {values}, token"));
                frame.store("y", scalar, &[TILE]);
                add(cases, format!("load_ptr_tko {order} {kind}{mask} {scalar}"), frame, TILE)?;
                if mask == " padded" {
                    continue;
                }
                let mut frame = Frame::new();
                let stride = places(&mut frame, kind);
                frame.pointers("p", scalar, "places", stride, Fill::Numbers);
                frame.load("x", scalar, &[TILE]);
                let operands = if mask.is_empty() {
                    format!("%p, %x : {from}, {values}")
                } else {
                    frame.load("mask", Scalar::I1, &[TILE]);
                    format!("%p, %x, %mask : {from}, {values}, {bits}")
                };
                frame.line(format!("%stored = store_ptr_tko {order} {operands} -> token"));
                add(cases, format!("store_ptr_tko {order} {kind}{mask} {scalar}"), frame, TILE)?;
            }
        }
    }
    Ok(())
}

/// A way to lay tiles of rows and columns in memory.
struct Layout {
    name: &'static str,
    extents: [usize; 2],
    strides: [usize; 2],
    view: &'static str,
    /// The index of a block's tile.
    index: &'static str,
    /// Elements of memory for each block.
    per_block: usize,
}

const LAYOUTS: [Layout; 6] = [
    Layout {
        name: "partition",
        extents: [LONG, SIDE],
        strides: [SIDE, 1],
        view: "partition_view<tile=(32x32), TENSOR>",
        index: "%block, %zero",
        per_block: TILE,
    },
    Layout {
        name: "partition padded",
        extents: [SIDE - 1, LONG],
        strides: [1, SIDE],
        view: "partition_view<tile=(32x32), padding_value = zero, TENSOR>",
        index: "%zero, %block",
        per_block: TILE,
    },
    Layout {
        name: "partition of columns",
        extents: [SIDE, LONG],
        strides: [1, SIDE],
        view: "partition_view<tile=(32x32), TENSOR>",
        index: "%zero, %block",
        per_block: TILE,
    },
    Layout {
        name: "partition stride 2",
        extents: [LONG, SIDE],
        strides: [2 * SIDE, 2],
        view: "partition_view<tile=(32x32), TENSOR>",
        index: "%block, %zero",
        per_block: 2 * TILE,
    },
    Layout {
        name: "strided",
        extents: [LONG, SIDE],
        strides: [SIDE, 1],
        view: "strided_view<tile=(32x32), traversal_strides=[32,1], TENSOR>",
        index: "%block, %zero",
        per_block: TILE,
    },
    Layout {
        name: "gather_scatter",
        extents: [LONG, SIDE],
        strides: [SIDE, 1],
        view: "gather_scatter_view<tile=(32x32), TENSOR, sparse_dim=0>",
        index: "%rows, %zero",
        per_block: TILE,
    },
];

impl Layout {
    /// Makes `%w`, a view of a new array; gives its type and those of its indices.
    fn make(&self, frame: &mut Frame, scalar: Scalar) -> (String, &'static str) {
        let n = frame.pointer(scalar, self.per_block, Fill::Numbers);
        let ([rows, columns], [down, right]) = (self.extents, self.strides);
        let tensor = format!("tensor_view<{rows}x{columns}x{scalar}, strides=[{down},{right}]>");
        let pointer = format!("tile<ptr<{scalar}>>");
        frame.line(format!(
            "%tv = make_tensor_view %p{n}, shape = [{rows}, {columns}], strides = [{down}, {right}] : {pointer} -> {tensor}"
        ));
        let view = self.view.replace("TENSOR", &tensor);
        let kind = view.split('<').next().unwrap_or_default();
        frame.line(format!("%w = make_{kind} %tv : {view}"));
        frame.zero();
        if kind != "gather_scatter_view" {
            return (view, "tile<i32>");
        }
        frame.line("%side = constant <i32: 32> : tile<i32>");
        frame.line("%first = muli %block, %side : tile<i32>");
        frame.line("%one = reshape %first : tile<i32> -> tile<1xi32>");
        frame.line("%all = broadcast %one : tile<1xi32> -> tile<32xi32>");
        frame.line("%lanes = iota : tile<32xi32>");
        frame.line("%rows = addi %all, %lanes : tile<32xi32>");
        (view, "tile<32xi32>, tile<i32>")
    }
}

fn views(cases: &mut Vec<Case>) -> anyhow::Result<()> {
    for scalar in in_memory() {
        let values = tile(&[SIDE, SIDE], scalar.name());
        for layout in LAYOUTS.iter().filter(|layout| scalar != Scalar::F4E2M1FN || layout.name == "partition") {
            let mut frame = Frame::new();
            let (view, types) = layout.make(&mut frame, scalar);
            frame.line(format!("%y, %loaded = load_view_tko weak %w[{}] : {view}, {types} -> {values}, token", layout.index));
            frame.store("y", scalar, &[SIDE, SIDE]);
            add(cases, format!("load_view_tko {} {scalar}", layout.name), frame, TILE)?;
            let mut frame = Frame::new();
            frame.load("x", scalar, &[SIDE, SIDE]);
            let (view, types) = layout.make(&mut frame, scalar);
            frame.line(format!("%stored = store_view_tko weak %x, %w[{}] : {values}, {view}, {types} -> token", layout.index));
            add(cases, format!("store_view_tko {} {scalar}", layout.name), frame, TILE)?;
        }
    }
    Ok(())
}

fn atomics(cases: &mut Vec<Case>) -> anyhow::Result<()> {
    use tilewright::ir::ops::pairs::{atomic_update_takes, is_word};
    let modes = || AtomicRMWMode::VALUES.iter().filter_map(|value| Some((AtomicRMWMode::from_wire(value.value)?, value.keyword)));
    for (scalar, kind) in addressable().flat_map(|scalar| ["in order", "scattered", "one place"].map(|kind| (scalar, kind))) {
        let (to, values) = (tile(&[TILE], &format!("ptr<{scalar}>")), tile(&[TILE], scalar.name()));
        let begin = |frame: &mut Frame| {
            let stride = places(frame, kind);
            frame.pointers("p", scalar, "places", stride, Fill::Numbers);
            frame.load("x", scalar, &[TILE]);
        };
        for (_, keyword) in modes().filter(|(mode, _)| atomic_update_takes(*mode, scalar)) {
            for used in [false, true] {
                let mut frame = Frame::new();
                begin(&mut frame);
                frame.line(format!("%old, %done = atomic_rmw_tko relaxed device %p, {keyword}, %x : {to}, {values} -> {values}, token"));
                if used {
                    frame.store("old", scalar, &[TILE]);
                }
                let old = if used { " with old values" } else { "" };
                add(cases, format!("atomic_rmw_tko {keyword} {kind}{old} {scalar}"), frame, TILE)?;
            }
        }
        if is_word(scalar) && scalar != Scalar::Tf32 {
            let mut frame = Frame::new();
            begin(&mut frame);
            frame.line(format!("%old, %done = atomic_cas_tko relaxed device %p, %x, %x : {to}, {values} -> {values}, token"));
            add(cases, format!("atomic_cas_tko {kind} {scalar}"), frame, TILE)?;
        }
    }
    for (scalar, (_, keyword)) in
        addressable().flat_map(|scalar| modes().filter(move |(mode, _)| atomic_update_takes(*mode, scalar)).map(move |mode| (scalar, mode)))
    {
        if keyword == "xchg" {
            continue;
        }
        let mut frame = Frame::new();
        frame.load("x", scalar, &[TILE]);
        let view = frame.view_of(scalar, &[TILE]);
        let values = tile(&[TILE], scalar.name());
        frame.line(format!(
            "%done = atomic_red_view_tko relaxed device {}[%block], {keyword}, %x : {values}, {}, tile<i32> -> token",
            view.0, view.1
        ));
        add(cases, format!("atomic_red_view_tko {keyword} {scalar}"), frame, TILE)?;
    }
    Ok(())
}

/// Products of matrices: an element is a multiplication and an addition.
fn products(cases: &mut Vec<Case>) -> anyhow::Result<()> {
    use tilewright::ir::ops::pairs::{product_sums, scale_blocks};
    const M: usize = 64;
    let begin = |factor: Scalar, sum: Scalar| {
        let mut frame = Frame::new();
        frame.load("a", factor, &[M, M]);
        frame.load("b", factor, &[M, M]);
        frame.load("c", sum, &[M, M]);
        let types = [factor, factor, sum].map(|scalar| tile(&[M, M], scalar.name()));
        (frame, types)
    };
    let factors = [Scalar::F16, Scalar::Bf16, Scalar::F32, Scalar::Tf32, Scalar::F64, Scalar::F8E4M3FN, Scalar::F8E5M2];
    for (factor, sum) in factors.into_iter().flat_map(|factor| product_sums(factor).iter().map(move |sum| (factor, *sum))) {
        let (mut frame, [a, b, c]) = begin(factor, sum);
        frame.line(format!("%y = mmaf %a, %b, %c : {a}, {b}, {c}"));
        frame.store("y", sum, &[M, M]);
        add(cases, format!("mmaf {factor} -> {sum}"), frame, M * M * M)?;
    }
    for signs in ["signed signed", "signed unsigned", "unsigned signed", "unsigned unsigned"] {
        let (mut frame, [a, b, c]) = begin(Scalar::I8, Scalar::I32);
        frame.line(format!("%y = mmai %a, %b, %c {signs} : {a}, {b}, {c}"));
        frame.store("y", Scalar::I32, &[M, M]);
        add(cases, format!("mmai {signs} i8 -> i32"), frame, M * M * M)?;
    }
    for (factor, scale) in Scalar::all().flat_map(|factor| Scalar::all().map(move |scale| (factor, scale))) {
        for block in scale_blocks(factor, scale).unwrap_or_default() {
            let blocks = M / *block as usize;
            let (mut frame, [a, b, c]) = begin(factor, Scalar::F32);
            frame.load("s", scale, &[M, blocks]);
            frame.load("t", scale, &[blocks, M]);
            let (s, t) = (tile(&[M, blocks], scale.name()), tile(&[blocks, M], scale.name()));
            frame.line(format!("%y = mmaf_scaled %a, %b, %c, %s, %t : {a}, {b}, {c}, {s}, {t}"));
            frame.store("y", Scalar::F32, &[M, M]);
            add(cases, format!("mmaf_scaled {factor} by {scale} for {block}"), frame, M * M * M)?;
        }
    }
    Ok(())
}

/// Operations that move elements, or make them of nothing.
fn shapes(cases: &mut Vec<Case>) -> anyhow::Result<()> {
    for scalar in in_memory() {
        let square = tile(&[SIDE, SIDE], scalar.name());
        let half = tile(&[SIDE, SIDE / 2], scalar.name());
        let column = tile(&[SIDE, 1], scalar.name());
        let line = tile(&[TILE], scalar.name());
        // The name, the shape that is loaded, the operations and the shape that is stored.
        let moves: [(&str, &[usize], String, &[usize]); 6] = [
            ("permute", &[SIDE, SIDE], format!("%y = permute %x [1, 0] : {square} -> {square}"), &[SIDE, SIDE]),
            ("cat", &[SIDE, SIDE / 2], format!("%y = cat %x, %x dim = 1 : {half}, {half} -> {square}"), &[SIDE, SIDE]),
            ("extract", &[SIDE, SIDE], format!("%y = extract %x[%number, %number] : {square} -> {half}"), &[SIDE, SIDE / 2]),
            ("insert", &[SIDE, SIDE], format!("%y = insert %half, %x[%number, %number] : {half}, {square}"), &[SIDE, SIDE]),
            ("broadcast", &[SIDE, 1], format!("%y = broadcast %x : {column} -> {square}"), &[SIDE, SIDE]),
            ("reshape", &[TILE], format!("%y = reshape %x : {line} -> {square}"), &[SIDE, SIDE]),
        ];
        for (name, from, operation, to) in moves {
            if scalar == Scalar::F4E2M1FN && name == "broadcast" {
                continue;
            }
            let mut frame = Frame::new();
            frame.line("%number = constant <i32: 0> : tile<i32>");
            frame.load("x", scalar, from);
            if name == "insert" {
                frame.load("half", scalar, &[SIDE, SIDE / 2]);
            }
            frame.line(operation);
            frame.store("y", scalar, to);
            add(cases, format!("{name} {scalar}"), frame, TILE)?;
        }
        if scalar.is_int() && scalar.bits() >= 16 {
            let mut frame = Frame::new();
            frame.line(format!("%y = iota : {line}"));
            frame.store("y", scalar, &[TILE]);
            add(cases, format!("iota {scalar}"), frame, TILE)?;
        }
    }
    for scalar in in_memory() {
        let bits = if scalar == Scalar::Tf32 { 32 } else { scalar.bits() as usize };
        if bits == 8 {
            // The verifier asks for a bitcast.
            continue;
        }
        let count = TILE;
        let (numbers, bytes) = (tile(&[count], scalar.name()), tile(&[count * bits / 8], "i8"));
        let mut frame = Frame::new();
        frame.load("x", scalar, &[count]);
        frame.line(format!("%y = pack %x : {numbers} -> {bytes}"));
        frame.store("y", Scalar::I8, &[count * bits / 8]);
        add(cases, format!("pack {scalar}"), frame, count)?;
        let mut frame = Frame::new();
        frame.load("x", Scalar::I8, &[count * bits / 8]);
        frame.line(format!("%y = unpack %x : {bytes} -> {numbers}"));
        frame.store("y", scalar, &[count]);
        add(cases, format!("unpack {scalar}"), frame, count)?;
    }
    Ok(())
}
