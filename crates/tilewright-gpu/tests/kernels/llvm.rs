//! The module of LLVM, through `llc` and through libNVVM, gives PTX that stores what our own PTX stores.

use crate::support::kernel;
use tilewright_gpu::Target;
use tilewright_oracle::{Oracle, llvm::Llc};
use tilewright_ptx::machine::{LaunchOptions, Memory, Program};

fn launch(ptx: &str, bytes: &[u8], dynamic_shared: u32) -> Vec<u8> {
    let program = tilewright_ptx::parse(ptx).and_then(|module| Program::new(&module)).unwrap_or_else(|error| panic!("{error}\n{ptx}"));
    let mut memory = Memory::new();
    let buffer = memory.add(bytes.to_vec());
    let options = LaunchOptions::new().seed(1).dynamic_shared(dynamic_shared);
    let address = memory.address(buffer);
    let report = program.launch("k", [2, 1, 1], &[address], &mut memory, &options).unwrap_or_else(|error| panic!("{error}\n{ptx}"));
    assert!(report.findings.is_empty(), "{}\n{ptx}", report.findings[0]);
    memory.bytes(buffer).to_vec()
}

/// All ways store the same in a buffer of bytes that look random; the module for `llc`.
fn same(text: &str) -> String {
    let kernel = kernel(text, Target::Sm80);
    let bytes: Vec<u8> = (0..65_536u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8 % 60).collect();
    let ours = launch(&kernel.ptx(), &bytes, kernel.dynamic_shared());
    assert_ne!(ours, bytes, "something is stored");
    let compare = |module: &str, theirs: Result<String, String>| {
        let theirs = theirs.unwrap_or_else(|error| panic!("{error}\n{module}"));
        let found = launch(&theirs, &bytes, kernel.dynamic_shared());
        let first = ours.iter().zip(&found).position(|(a, b)| a != b);
        assert_eq!(first, None, "{module}\n{theirs}");
    };
    if let Some(llc) = Llc::or_skip("a kernel by way of llc") {
        compare(&kernel.llvm(), llc.compile(&kernel.llvm(), "sm_80"));
    }
    if let Some(oracle) = Oracle::or_skip("a kernel by way of libNVVM") {
        compare(&kernel.nvvm(), oracle.compile_llvm(&kernel.nvvm(), "sm_80"));
    }
    kernel.llvm()
}

/// A product in a loop whose factors come through stages, of an element type that is held as another one.
fn product(held: &str, elem: &str, sum: &str, product: &str) -> String {
    let a = format!("tensor_view<32x256x{held}, strides=[256,1]>");
    let b = format!("tensor_view<256x32x{held}, strides=[32,1]>");
    let c = format!("tensor_view<64x32x{sum}, strides=[32,1]>");
    let (pa, pb) = (format!("partition_view<tile=(32x32), {a}>"), format!("partition_view<tile=(32x32), {b}>"));
    let pc = format!("partition_view<tile=(32x32), {c}>");
    let converted = if held == elem {
        String::new()
    } else {
        format!("%l = ftof %l0 : tile<32x32x{held}> -> tile<32x32x{elem}>\n%r = ftof %r0 : tile<32x32x{held}> -> tile<32x32x{elem}>")
    };
    let suffix = if held == elem { "" } else { "0" };
    let nothing = if sum == "i32" { "0" } else { "0.0" };
    format!(
        "entry @k(%p0: tile<ptr<{held}>>) {{
            %p = assume div_by<16>, %p0 : tile<ptr<{held}>>
            %far = constant <i32: {far}> : tile<i32>
            %u0 = offset %p, %far : tile<ptr<{held}>>, tile<i32> -> tile<ptr<{held}>>
            %u = ptr_to_ptr %u0 : tile<ptr<{held}>> -> tile<ptr<{sum}>>
            %va = make_tensor_view %p, shape = [32, 256], strides = [256, 1] : tile<ptr<{held}>> -> {a}
            %vb = make_tensor_view %p, shape = [256, 32], strides = [32, 1] : tile<ptr<{held}>> -> {b}
            %vc = make_tensor_view %u, shape = [64, 32], strides = [32, 1] : tile<ptr<{sum}>> -> {c}
            %wa = make_partition_view %va : {pa}
            %wb = make_partition_view %vb : {pb}
            %wc = make_partition_view %vc : {pc}
            %t = make_token : token
            %x, %y, %z = get_tile_block_id : tile<i32>
            %zero = constant <i32: 0> : tile<i32>
            %one = constant <i32: 1> : tile<i32>
            %count = constant <i32: 8> : tile<i32>
            %nothing = constant <{sum}: {nothing}> : tile<32x32x{sum}>
            %sum = for %i in (%zero to %count, step %one) : tile<i32> iter_values(%acc = %nothing) -> (tile<32x32x{sum}>) {{
                %l{suffix}, %t1 = load_view_tko weak %wa[%zero, %i] token = %t : {pa}, tile<i32> -> tile<32x32x{held}>, token
                %r{suffix}, %t2 = load_view_tko weak %wb[%i, %zero] token = %t : {pb}, tile<i32> -> tile<32x32x{held}>, token
                {converted}
                %more = {product} : tile<32x32x{elem}>, tile<32x32x{elem}>, tile<32x32x{sum}>
                continue %more : tile<32x32x{sum}>
            }}
            %t3 = store_view_tko weak %sum, %wc[%x, %zero] token = %t : tile<32x32x{sum}>, {pc}, tile<i32> -> token
            return
        }}",
        far = 32_768 / if held == "i8" { 1 } else { held.trim_start_matches(char::is_alphabetic).parse::<usize>().expect("a width") / 8 },
    )
}

#[test]
fn products_by_way_of_llvm_store_the_same() {
    let float = "mmaf %l, %r, %acc";
    for (held, elem, sum, operation, intrinsic) in [
        ("f16", "f16", "f32", float, "mma.m16n8k16.row.col.f32.f32"),
        ("bf16", "bf16", "f32", float, "mma.m16n8k16.row.col.bf16"),
        ("f32", "tf32", "f32", float, "mma.m16n8k8.row.col.tf32"),
        ("i8", "i8", "i32", "mmai %l, %r, %acc signed signed", "mma.m16n8k32.row.col.s8"),
        ("i8", "i8", "i32", "mmai %l, %r, %acc unsigned signed", "mma.m16n8k32.row.col.u8.s8"),
        ("i8", "i8", "i32", "mmai %l, %r, %acc unsigned unsigned", "mma.m16n8k32.row.col.u8"),
    ] {
        let module = same(&product(held, elem, sum, operation));
        assert!(module.contains(intrinsic) && module.contains("llvm.nvvm.cp.async"), "{module}");
    }
}

#[test]
fn other_kernels_by_way_of_llvm_store_the_same() {
    // Reductions, scans, a change of layout, masks, atomic updates, strong accesses, a loop without a bound.
    let rows = "entry @k(%p: tile<ptr<i32>>) {
        %t = make_token : token
        %zero = constant <i32: 0> : tile<i32>
        %one = constant <i32: 1> : tile<i32>
        %v = make_tensor_view %p, shape = [60, 60], strides = [64, 1] : tile<ptr<i32>> -> tensor_view<60x60xi32, strides=[64,1]>
        %w = make_partition_view %v : partition_view<tile=(64x64), padding_value = zero, tensor_view<60x60xi32, strides=[64,1]>>
        %l, %t1 = load_view_tko weak %w[%zero, %zero] token = %t : partition_view<tile=(64x64), padding_value = zero, tensor_view<60x60xi32, strides=[64,1]>>, tile<i32> -> tile<64x64xi32>, token
        %m = permute %l [1, 0] : tile<64x64xi32> -> tile<64x64xi32>
        %s = scan %m dim=1 reverse=false identities=[0 : i32] : tile<64x64xi32> -> tile<64x64xi32> (%a: tile<i32>, %b: tile<i32>) {
            %c = addi %a, %b : tile<i32>
            yield %c : tile<i32>
        }
        %r = reduce %s dim=0 identities=[-2147483648 : i32] : tile<64x64xi32> -> tile<64xi32> (%a: tile<i32>, %b: tile<i32>) {
            %c = maxi %a, %b signed : tile<i32>
            yield %c : tile<i32>
        }
        %far = constant <i32: 8192> : tile<i32>
        %q = offset %p, %far : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
        %q1 = reshape %q : tile<ptr<i32>> -> tile<1xptr<i32>>
        %q2 = broadcast %q1 : tile<1xptr<i32>> -> tile<64xptr<i32>>
        %n = iota : tile<64xi32>
        %places = offset %q2, %n : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
        %old, %t2 = atomic_rmw_tko relaxed device %places, add, %r token=%t : tile<64xptr<i32>>, tile<64xi32> -> tile<64xi32>, token
        return
    }";
    let module = same(rows);
    assert!(module.contains("phi i32") && module.contains("llvm.nvvm.shfl"), "{module}");
}
