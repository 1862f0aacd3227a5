//! Tiles that hang over an edge of their tensor: loads give what is inside and padding behind it, stores leave alone what is outside.

use crate::text::program;
use std::sync::Mutex;
use tilewright_exec::{Access, AccessKind, AccessObserver, Arg, LaunchOptions, Memory, launch};
use tilewright_ir::Scalar;
use tilewright_numeric::{FloatFormat, Rounding};

/// Where the extents of a tensor come from.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Extents {
    /// The types say them.
    Static,
    /// They are parameters of the kernel.
    Parameters,
    /// Each block reads them in memory.
    Computed,
}

/// Tiles of a tensor.
#[derive(Clone, Debug)]
struct Case {
    shape: &'static [usize],
    /// Elements from one position to the next.
    strides: &'static [usize],
    /// For each dimension of the tile, the tensor's, the tile's extent, and the elements from one tile to the next.
    dims: &'static [(usize, usize, usize)],
    /// More tiles than lie in the tensor, perhaps.
    grid: [u32; 3],
}

const CASES: &[Case] = &[
    Case { shape: &[13], strides: &[1], dims: &[(0, 8, 8)], grid: [3, 1, 1] },
    Case { shape: &[768], strides: &[1], dims: &[(0, 1024, 1024)], grid: [1, 1, 1] },
    Case { shape: &[13], strides: &[3], dims: &[(0, 8, 8)], grid: [2, 1, 1] },
    Case { shape: &[5, 100], strides: &[100, 1], dims: &[(0, 1, 1), (1, 128, 128)], grid: [6, 1, 1] },
    Case { shape: &[5, 64], strides: &[64, 1], dims: &[(0, 4, 4), (1, 64, 64)], grid: [2, 1, 1] },
    Case { shape: &[37, 45], strides: &[50, 1], dims: &[(0, 16, 16), (1, 32, 32)], grid: [4, 2, 1] },
    Case { shape: &[37, 45], strides: &[50, 1], dims: &[(1, 16, 16), (0, 32, 32)], grid: [3, 2, 1] },
    Case { shape: &[37, 45], strides: &[2, 80], dims: &[(0, 16, 16), (1, 32, 32)], grid: [3, 2, 1] },
    Case { shape: &[3, 7, 9], strides: &[70, 10, 1], dims: &[(0, 2, 2), (1, 4, 4), (2, 16, 16)], grid: [2, 2, 1] },
    Case { shape: &[3, 7, 9], strides: &[70, 10, 1], dims: &[(2, 4, 4), (0, 4, 4), (1, 4, 4)], grid: [3, 1, 2] },
    // Windows that lie over each other, and some that leave elements out.
    Case { shape: &[20, 20], strides: &[20, 1], dims: &[(0, 8, 3), (1, 8, 5)], grid: [7, 4, 1] },
    Case { shape: &[20, 20], strides: &[20, 1], dims: &[(0, 4, 6), (1, 8, 9)], grid: [4, 3, 1] },
];

impl Case {
    fn rank(&self) -> usize {
        self.shape.len()
    }

    /// The extents of all tiles of the grid behind each other.
    fn tiled(&self) -> Vec<usize> {
        self.dims.iter().zip(self.grid).map(|((_, tile, _), blocks)| tile * blocks as usize).collect()
    }

    fn reach(&self) -> usize {
        self.shape.iter().zip(self.strides).map(|(extent, stride)| (extent - 1) * stride).sum::<usize>() + 1
    }

    /// A kernel that copies tiles of `%x`, which hang over its edges, to those of `%y`, which lie in order, or back.
    fn kernel(&self, element: &str, padding: &str, extents: Extents, is_load: bool) -> String {
        let list = |numbers: Vec<String>, between: &str| numbers.join(between);
        let numbers = |numbers: &[usize]| list(numbers.iter().map(usize::to_string).collect(), ", ");
        let is_static = extents == Extents::Static;
        let shape = self.shape.iter().map(|n| if is_static { n.to_string() } else { "?".to_owned() });
        let x = format!("tensor_view<{}x{element}, strides=[{}]>", list(shape.collect(), "x"), numbers(self.strides).replace(' ', ""));
        let part = |of: fn(&(usize, usize, usize)) -> usize| self.dims.iter().map(of).collect::<Vec<_>>();
        let (tile, steps, map) = (part(|dim| dim.1), part(|dim| dim.2), part(|dim| dim.0));
        let cut = list(tile.iter().map(usize::to_string).collect(), "x");
        let padding = if padding.is_empty() { String::new() } else { format!("padding_value = {padding}, ") };
        let (kind, steps) = if tile == steps {
            ("partition", String::new())
        } else {
            ("strided", format!("traversal_strides=[{}], ", numbers(&steps).replace(' ', "")))
        };
        let xs = format!("{kind}_view<tile=({cut}), {steps}{padding}{x}, dim_map=[{}]>", numbers(&map));
        let tiled = self.tiled();
        let pitches: Vec<usize> = (0..self.rank()).map(|d| tiled[d + 1..].iter().product()).collect();
        let extents_of_y = list(tiled.iter().map(usize::to_string).collect(), "x");
        let y = format!("tensor_view<{extents_of_y}x{element}, strides=[{}]>", numbers(&pitches).replace(' ', ""));
        let ys = format!("partition_view<tile=({cut}), {y}>");
        let index = ["%bx", "%by", "%bz"][..self.rank()].join(", ");
        let all = format!("tile<{cut}x{element}>");
        let ((from, from_type), (to, to_type)) = if is_load { (("%xs", &xs), ("%ys", &ys)) } else { (("%ys", &ys), ("%xs", &xs)) };
        let names: Vec<String> = (0..self.rank()).map(|d| format!("%n{d}")).collect();
        let (parameters, reads) = match extents {
            Extents::Static => (String::new(), String::new()),
            Extents::Parameters => (names.iter().map(|name| format!(", {name}: tile<i32>")).collect(), String::new()),
            Extents::Computed => {
                let read = |name| format!("  {name}, {name}t = load_ptr_tko weak {name}p : tile<ptr<i32>> -> tile<i32>, token\n");
                (names.iter().map(|name| format!(", {name}p: tile<ptr<i32>>")).collect(), names.iter().map(read).collect())
            }
        };
        let (shape, shape_type) = if is_static { (numbers(self.shape), "") } else { (names.join(", "), "tile<i32> -> ") };
        format!(
            "entry @k(%x: tile<ptr<{element}>>, %y: tile<ptr<{element}>>{parameters}) {{
  %bx, %by, %bz = get_tile_block_id : tile<i32>
{reads}  %xt = make_tensor_view %x, shape = [{shape}], strides = [{}] : {shape_type}{x}
  %yt = make_tensor_view %y, shape = [{}], strides = [{}] : {y}
  %xs = make_{kind}_view %xt : {xs}
  %ys = make_partition_view %yt : {ys}
  %a, %t0 = load_view_tko weak {from}[{index}] : {from_type}, tile<i32> -> {all}, token
  %t1 = store_view_tko weak %a, {to}[{index}] : {all}, {to_type}, tile<i32> -> token
  return
}}",
            numbers(self.strides),
            numbers(&tiled),
            numbers(&pitches),
        )
    }

    /// For each element of the tiles in order, where it lies in the tensor, if it does.
    fn places(&self) -> Vec<Option<usize>> {
        let tiled = self.tiled();
        (0..tiled.iter().product())
            .map(|mut i| {
                let mut place = Some(0);
                for (&(dim, tile, step), extent) in self.dims.iter().zip(&tiled).rev() {
                    let at = i % extent;
                    i /= extent;
                    let position = at / tile * step + at % tile;
                    place = place.filter(|_| position < self.shape[dim]).map(|place| place + position * self.strides[dim]);
                }
                place
            })
            .collect()
    }

    /// Runs the kernel on these bytes; gives those of both arrays.
    fn run(&self, text: &str, extents: Extents, x: &[u8], y: &[u8], size: usize, options: &LaunchOptions<'_>) -> [Vec<u8>; 2] {
        let mut memory = Memory::new();
        let buffers = [x, y].map(|bytes| memory.add(bytes.to_vec()));
        let mut args: Vec<Arg> = vec![Arg::Pointer(memory.address(buffers[0]) + size as u64), Arg::Pointer(memory.address(buffers[1]))];
        for &extent in self.shape {
            match extents {
                Extents::Static => {}
                Extents::Parameters => args.push(Arg::Scalar(Scalar::I32, extent as u64)),
                Extents::Computed => {
                    let place = memory.add((extent as u32).to_le_bytes().to_vec());
                    args.push(Arg::Pointer(memory.address(place)));
                }
            }
        }
        launch(&program(text).plan("k").unwrap(), &mut memory, self.grid, &args, options).unwrap_or_else(|error| panic!("{error}\n{text}"));
        buffers.map(|buffer| memory.bytes(buffer).to_vec())
    }

    /// Loads and stores all tiles, and compares with where the elements are to be.
    fn check(&self, element: &str, size: usize, padding: (&str, u64), extents: Extents) {
        let places = self.places();
        let bytes = |count: usize, seed: usize| -> Vec<u8> { (0..count * size).map(|i| ((i + seed) * 37 % 251) as u8).collect() };
        // An element before the tensor, and some behind it.
        let (x, y) = (bytes(self.reach() + 20, 3), bytes(places.len(), 11));
        let seen = Seen::default();
        let ways = [LaunchOptions::new().threads(1), LaunchOptions::new().threads(2).last_cache(0), LaunchOptions::new().observer(&seen)];
        for is_load in [true, false] {
            // Where tiles have elements in common, any of them may be stored last.
            if !is_load && self.dims.iter().any(|(_, tile, step)| step < tile) {
                continue;
            }
            let mut expected = [x.clone(), y.clone()];
            for (i, place) in places.iter().enumerate() {
                let (inside, tiled) = (place.map(|place| (place + 1) * size..(place + 2) * size), i * size..(i + 1) * size);
                match (is_load, inside) {
                    (true, Some(inside)) => expected[1][tiled].copy_from_slice(&x[inside]),
                    (true, None) => expected[1][tiled].copy_from_slice(&padding.1.to_le_bytes()[..size]),
                    (false, Some(inside)) => expected[0][inside].copy_from_slice(&y[tiled]),
                    (false, None) => {}
                }
            }
            let text = self.kernel(element, padding.0, extents, is_load);
            for options in &ways {
                assert!(self.run(&text, extents, &x, &y, size, options) == expected, "{self:?}, {extents:?}, {options:?}\n{text}");
            }
        }
        assert!(!seen.0.lock().unwrap().is_empty(), "the observer sees accesses, which go one by one then");
    }
}

/// What is computed of whole tiles is written to those that hang over edges, and to nothing beside them.
#[test]
fn results_that_hang_over_edges_are_computed_inside() {
    let bytes = |numbers: &[i32]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>();
    for case in CASES.iter().filter(|case| case.dims.iter().all(|(_, tile, step)| tile <= step)) {
        let places = case.places();
        let numbers = |count: usize, seed: i32| (0..count as i32).map(|i| (i + seed) * 37 % 1009).collect::<Vec<i32>>();
        let (x, y) = (numbers(case.reach() + 20, 3), numbers(places.len(), 11));
        let mut expected = x.clone();
        for (place, number) in places.iter().zip(&y) {
            place.iter().for_each(|place| expected[place + 1] = number * number + 5);
        }
        for extents in [Extents::Static, Extents::Parameters, Extents::Computed] {
            let text = case.kernel("i32", "", extents, false);
            let tile = format!("tile<{}xi32>", case.dims.iter().map(|dim| dim.1.to_string()).collect::<Vec<_>>().join("x"));
            let computes = format!(
                "  %five = constant <i32: 5> : {tile}\n  %square = muli %a, %a : {tile}\n  %b = addi %square, %five : {tile}\n  %t1 = store_view_tko weak %b,"
            );
            let text = text.replace("  %t1 = store_view_tko weak %a,", &computes);
            for options in [LaunchOptions::new().threads(1), LaunchOptions::new().threads(2).last_cache(0)] {
                let [written, _] = case.run(&text, extents, &bytes(&x), &bytes(&y), 4, &options);
                assert!(written == bytes(&expected), "{case:?}, {extents:?}, {options:?}\n{text}");
            }
        }
    }
}

#[derive(Default)]
struct Seen(Mutex<Vec<AccessKind>>);

impl AccessObserver for Seen {
    fn access(&self, access: &Access) {
        self.0.lock().unwrap().push(access.kind);
    }
}

#[test]
fn tiles_of_every_shape_hang_over_edges() {
    for case in CASES {
        for extents in [Extents::Static, Extents::Parameters, Extents::Computed] {
            case.check("i32", 4, ("zero", 0), extents);
        }
    }
}

#[test]
fn elements_of_every_size_and_padding_hang_over_edges() {
    // Which NaN short floats are padded with is open.
    let nan = |format: FloatFormat| format.encode(f64::NAN, Rounding::NearestEven);
    type Paddings<'a> = &'a [(&'a str, u64)];
    let elements: [(&str, usize, Paddings<'_>); 8] = [
        ("i8", 1, &[("zero", 0)]),
        ("i16", 2, &[("zero", 0)]),
        ("i64", 8, &[("zero", 0)]),
        ("f8E4M3FN", 1, &[("zero", 0), ("neg_zero", 0x80)]),
        ("f16", 2, &[("zero", 0), ("neg_zero", 0x8000), ("nan", nan(FloatFormat::F16)), ("pos_inf", 0x7c00), ("neg_inf", 0xfc00)]),
        ("bf16", 2, &[("zero", 0), ("neg_zero", 0x8000), ("nan", nan(FloatFormat::Bf16)), ("pos_inf", 0x7f80), ("neg_inf", 0xff80)]),
        ("f32", 4, &[("neg_zero", 1 << 31), ("nan", 0x7fc0_0000), ("pos_inf", 0x7f80_0000), ("neg_inf", 0xff80_0000)]),
        ("f64", 8, &[("neg_zero", 1 << 63), ("nan", nan(FloatFormat::F64)), ("pos_inf", 0x7ff0 << 48), ("neg_inf", 0xfff0 << 48)]),
    ];
    for (element, size, paddings) in elements {
        for padding in paddings {
            for case in [&CASES[0], &CASES[3], &CASES[5], &CASES[6], &CASES[8]] {
                case.check(element, size, *padding, Extents::Parameters);
            }
        }
    }
}
